from collections.abc import Mapping
from typing import Any

from constraints.expression.values import MISSING, UNKNOWN
from constraints.sglang.config_object import ConfigObject
from constraints.sglang.model_loading import Loaded, load
from tests.sglang.class_table import table

CLASSES: Mapping[str, Mapping[str, Any]] = {
    "t.Llama": {"fields": {"hidden_size": 4096, "vocab_size": 32000}},
    "t.Pair": {
        "fields": {"text_config": None, "tie_word_embeddings": True},
        "subs": {"text_config": "t.Llama"},
        "post": {
            "steps": [
                {
                    "if": "is_instance(self.text_config, 'dict')",
                    "then": [{"build": "self.text_config", "sub": "text_config", "from": "self.text_config"}],
                },
                {"super": "post", "of": "t.Pair", "keywords": True},
            ],
        },
    },
    "t.Own": {"fields": {"a": 1}},
    "s.Own": {"fields": {"a": 2}, "type": "own"},
    "t.LongcatFlash": {"type": "longcat_flash", "fields": {}},
    "s.MambaConfig": {"type": "mamba", "fields": {"hidden_size": 0}},
}


def loaded(**source: Any) -> Loaded:
    registry = {"own": "s.Own", "longcat_flash": "t.LongcatFlash", "mamba": "s.MambaConfig"}
    return load(source, table(CLASSES, registry=registry))


def test_the_type_chooses_the_class() -> None:
    model = loaded(model_type="llama", hidden_size=64)
    assert (model.config.read("hidden_size"), model.config.read("vocab_size")) == (64, 32000)
    assert model.text is model.config
    assert model.text_is_config is True


def test_sglangs_own_class_goes_before_that_of_transformers() -> None:
    assert loaded(model_type="own").config.read("a") == 2


def test_a_type_that_the_table_lacks_leaves_what_the_file_does_not_say_unknown() -> None:
    model = loaded(model_type="brought_along", hidden_size=64)
    assert model.config.read("hidden_size") == 64
    assert model.config.read("vocab_size") is UNKNOWN
    assert model.text_is_config is UNKNOWN


def test_the_language_models_part_is_found_and_shares_what_it_lacks() -> None:
    model = loaded(model_type="pair", dtype="bfloat16", text_config={"hidden_size": 8})
    assert model.text_is_config is False
    assert isinstance(model.text, ConfigObject)
    assert (model.text.read("hidden_size"), model.text.read("dtype")) == (8, "bfloat16")
    assert model.text.read("tie_word_embeddings") is True


def test_what_only_the_part_has_is_read_from_the_whole_too() -> None:
    model = loaded(model_type="pair", text_config={"hidden_size": 8})
    assert model.config.read("hidden_size") == 8
    assert model.config.read("nonsense") is MISSING


def test_loading_leaves_the_file_as_it_was() -> None:
    source = {"model_type": "pair", "text_config": {"rope_scaling": {"rope_type": "yarn"}}}
    before = repr(source)
    load(source, table(CLASSES))
    assert repr(source) == before


def test_families_that_go_by_architecture_are_renamed() -> None:
    model = loaded(architectures=["LongcatCausalLM"])
    assert model.config.read("architectures") == ["LongcatFlashForCausalLM"]
    assert model.config.read("model_type") == "longcat_flash"


def test_the_original_mambas_have_no_type() -> None:
    model = loaded(d_model=768, n_layer=24, ssm_cfg={}, vocab_size=50277, pad_vocab_size_multiple=8)
    assert model.config.read("hidden_size") == 768
    assert model.config.read("vocab_size") == 50280
    assert model.config.read("architectures") == ["MambaForCausalLM"]


def test_a_llava_of_the_older_kind_is_its_own_language_model() -> None:
    model = loaded(model_type="pair", architectures=["LlavaLlamaForCausalLM"], text_config={"hidden_size": 8})
    assert model.text_is_config is True
    assert model.config.read("dtype") == "float16"
