import json
import os
from pathlib import Path
from typing import Any

import pytest

from constraints.errors import FactError
from constraints.expression.values import MISSING, UNKNOWN
from constraints.sglang.model_facts import ModelFacts, architecture_facts, model_facts

LLAMA: dict[str, Any] = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096}
GEMMA: dict[str, Any] = {
    "architectures": ["Gemma3ForConditionalGeneration"],
    "model_type": "gemma3",
    "text_config": {"model_type": "gemma3_text", "hidden_size": 2560},
}


def weights(dtype: str, name: str = "layers.3.mlp.experts.0.up_proj.weight") -> bytes:
    header = json.dumps({"__metadata__": {}, name: {"dtype": dtype, "shape": [1], "data_offsets": [0, 1]}})
    return len(header).to_bytes(8, "little") + header.encode() + b"\0"


def folder_of(path: Path, config: dict[str, Any], **files: bytes) -> Path:
    (path / "config.json").write_text(json.dumps(config))
    for name, content in files.items():
        (path / name.replace("__", ".")).write_bytes(content)
    return path


def test_attributes_are_those_of_the_file_and_of_the_class() -> None:
    facts = model_facts(LLAMA)
    assert facts.get("model.config.hidden_size") == 4096
    assert facts.get("model.config.vocab_size") == 32000
    assert facts.get("model.config.num_key_value_heads") == 32
    assert facts.get("model.config.nonsense") is MISSING
    assert facts.get("model.config.hidden_size.nonsense") is MISSING


def test_nested_configurations_are_read_by_path_and_as_a_dict() -> None:
    facts = model_facts(GEMMA)
    assert facts.get("model.config.text_config.hidden_size") == 2560
    assert facts.get("model.config.text_config")["hidden_size"] == 2560
    assert facts.get("model.text_config.hidden_size") == 2560
    assert facts.get("model.text_config_is_config") is False
    assert model_facts(LLAMA).get("model.text_config_is_config") is True


def test_the_same_facts_are_told_of_a_model_in_another_role() -> None:
    assert model_facts(LLAMA).get("draft_model.config.vocab_size") == 32000


def test_a_fact_that_no_file_tells_is_unknown() -> None:
    assert model_facts(LLAMA).get("model.popularity") is UNKNOWN


def test_a_class_is_told_by_the_names_of_its_lineage() -> None:
    assert model_facts(LLAMA).get("model.config.__mro__") == ()
    qwen = model_facts({"model_type": "qwen3_next"})
    assert qwen.get("model.config.__mro__") == qwen.get("model.text_config.__mro__") == ("Qwen3NextConfig",)
    nested = model_facts({"model_type": "qwen3_5", "text_config": {}})
    assert "Qwen3_5TextConfig" in nested.get("model.text_config.__mro__")
    assert nested.get("model.config.rope_scaling.__mro__") == ()


def test_a_class_that_the_checkpoint_brings_is_none_of_sglangs_but_its_parts_may_be() -> None:
    facts = model_facts({"model_type": "brought_along"})
    assert facts.get("model.config.__mro__") == ()
    assert facts.get("model.text_config.__mro__") is UNKNOWN
    assert facts.get("model.config.part.__mro__") is UNKNOWN


def test_an_architecture_alone_says_its_name_and_nothing_else() -> None:
    facts = architecture_facts("LlamaForCausalLM")
    assert facts.get("model.config.architectures") == ["LlamaForCausalLM"]
    for path in (
        "config.vocab_size",
        "text_config.architectures",
        "text_config_is_config",
        "has_fp8_weights",
    ):
        assert facts.get(f"model.{path}") is UNKNOWN


def test_a_file_its_folder_and_its_content_tell_the_same(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, LLAMA)
    paths: list[Path | str] = [folder, folder / "config.json", str(folder)]
    assert [model_facts(path).get("model.config.vocab_size") for path in paths] == [32000] * 3
    assert model_facts(folder) == model_facts(folder / "config.json")


def test_facts_of_equal_content_are_equal() -> None:
    one, other = model_facts(dict(LLAMA)), model_facts(dict(LLAMA))
    assert (one, hash(one), one.key()) == (other, hash(other), other.key())
    assert one.key() != architecture_facts("LlamaForCausalLM").key() != model_facts(GEMMA).key()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[]", "not an object"),
        ("{", "line 1"),
        ("", "no JSON"),
        ('{"name": "app", "version": "1"}', "no model_type, but name, version"),
        ("{}", "nothing"),
        ('{"architectures": "Llama"}', "architectures"),
        ("[" * 100_000, "no"),
        ("\xff", "UTF-8"),
    ],
)
def test_a_file_that_is_no_models_configuration_is_told_in_one_line(
    content: str, reason: str, tmp_path: Path
) -> None:
    file = tmp_path / "config.json"
    file.write_bytes(content.encode("latin-1"))
    with pytest.raises(FactError, match=reason) as raised:
        model_facts(file)
    assert "\n" not in str(raised.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(FactError, match="no such file"):
        model_facts(tmp_path / "nowhere")
    with pytest.raises(FactError, match="no such file"):
        model_facts(tmp_path)


def test_weights_of_8_bits_are_told_by_the_first_experts(tmp_path: Path) -> None:
    fact = "model.has_fp8_weights"
    assert model_facts(folder_of(tmp_path, LLAMA)).get(fact) is False
    assert model_facts(folder_of(tmp_path, LLAMA, model__safetensors=weights("F8_E4M3"))).get(fact) is True
    assert model_facts(folder_of(tmp_path, LLAMA, model__safetensors=weights("BF16"))).get(fact) is False
    assert model_facts(folder_of(tmp_path, LLAMA, model__safetensors=b"broken")).get(fact) is False
    dense = weights("F8_E4M3", "layers.0.mlp.up_proj.weight")
    assert model_facts(folder_of(tmp_path, LLAMA, model__safetensors=dense)).get(fact) is False
    assert model_facts(LLAMA).get(fact) is UNKNOWN


def test_an_index_says_which_file_holds_the_experts(tmp_path: Path) -> None:
    index = json.dumps({"weight_map": {"embed": "a", "experts.0.weight": "b"}}).encode()
    folder_of(tmp_path, LLAMA, model__safetensors__index__json=index, a=b"", b=weights("F8_E4M3"))
    assert model_facts(tmp_path).get("model.has_fp8_weights") is True


def test_mistrals_own_layout_is_told_by_its_files(tmp_path: Path) -> None:
    fact = "model.is_mistral_native_format"
    assert model_facts(folder_of(tmp_path, LLAMA)).get(fact) is False
    assert model_facts(folder_of(tmp_path, LLAMA, consolidated__safetensors=b"")).get(fact) is True
    assert model_facts(folder_of(tmp_path, LLAMA, model__safetensors=b"")).get(fact) is False
    # With this file, SGLang goes by the name that the model is served from.
    assert model_facts(folder_of(tmp_path, LLAMA, params__json=b"")).get(fact) is UNKNOWN


def test_without_files_only_a_model_of_mistrals_may_be_in_their_layout() -> None:
    fact = "model.is_mistral_native_format"
    assert model_facts(LLAMA).get(fact) is False
    assert model_facts({"model_type": "mixtral"}).get(fact) is UNKNOWN


def test_files_beside_one_of_another_name_are_not_the_models(tmp_path: Path) -> None:
    other = tmp_path / "llama.json"
    other.write_text(json.dumps(LLAMA))
    facts = model_facts(other)
    assert isinstance(facts, ModelFacts)
    assert facts.folder is None


def test_a_pipe_a_long_name_or_none_is_an_error_that_names_the_option(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    wrong = {str(pipe): "is not a regular file", "x" * 5000: "name too long", "a\0": "null"}
    for path, reason in wrong.items():
        with pytest.raises(FactError, match=reason) as caught:
            model_facts(path, option="draft_model_config")
        assert caught.value.name == "draft_model_config"


def test_a_number_that_is_too_long_is_told_from_bad_text(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(f'{{"hidden_size": {"9" * 6000}}}')
    with pytest.raises(FactError, match="a number in it is too long"):
        model_facts(file)
    file.write_bytes(b"\xff\xfe\xff")
    with pytest.raises(FactError, match="not UTF-8"):
        model_facts(file)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("null", "null"),
        ("true", "true"),
        ("[]", "a list"),
        ('"x"', "a text"),
        ("1.5", "a number"),
    ],
)
def test_what_is_no_object_is_named_as_json_names_it(content: str, kind: str, tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(content)
    with pytest.raises(FactError, match=f"it is {kind} in JSON, not an object"):
        model_facts(file)
