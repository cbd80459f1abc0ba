"""What SGLang does to a configuration between reading config.json and using it.

Chooses the class, rebuilds it with SGLang's own where there is one, and finds the language model's part of
it. Source: `sglang.srt.utils.hf_transformers`, `config` and `common`, for a folder that holds a config.json
alone. The objects themselves are made by `config_object`.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from constraints.expression.values import MISSING, UNKNOWN, is_known
from constraints.sglang.config_building import Builder
from constraints.sglang.config_classes import ConfigClasses
from constraints.sglang.config_object import ConfigObject

Value: TypeAlias = Any

_LONGCAT = ("LongcatCausalLM", "LongcatFlashForCausalLM", "LongcatFlashNgramForCausalLM")
_GEMMA4_TYPES = (
    "gemma4",
    "gemma4_assistant",
    "gemma4_unified",
    "gemma4_unified_assistant",
    "diffusion_gemma",
    "embedding_gemma2",
)
_NOT_REBUILT = ("s.Mamba2Config", "s.MambaConfig", "s.FalconMambaConfig")
_TEXT_PARTS = ("text_config", "llm_config", "language_config", "thinker_config")
_NESTED = ("text_config", "llm_config", "language_config", "vision_config", "thinker_config")
_ROPE = ("rope_scaling", "rope_parameters")
_SHARED = ("pad_token_id", "bos_token_id", "eos_token_id", "tie_word_embeddings")


class Loaded(NamedTuple):
    """A model's configuration as SGLang holds it.

    Attributes:
        config: the whole.
        text: the part that describes the language model; the whole itself, where there is no such part.
    """

    config: ConfigObject
    text: ConfigObject

    @property
    def text_is_config(self) -> Value:
        """Whether the two are one; UNKNOWN for a class that may have a part which the file does not show."""
        return UNKNOWN if self.config.is_open else self.text is self.config


def load(
    source: Mapping[str, Value], classes: ConfigClasses, overrides: Mapping[str, Value] | None = None
) -> Loaded:
    """The configuration that SGLang makes of a config.json.

    Args:
        source: the file's content.
        classes: the table of a release.
        overrides: what `--json-model-override-args` says instead, by attribute.

    Returns:
        The objects; of a `model_type` that the table lacks (its class comes with the checkpoint), one that
        knows what the file says, and nothing else.
    """
    builder = Builder(classes)
    config = _parsed(copy.deepcopy(dict(source)), builder)
    _override(config, overrides or {})
    return Loaded(config, text_part(config, builder))


def _override(config: ConfigObject, overrides: Mapping[str, Value]) -> None:
    """Writes single attributes anew: into a nested configuration one by one, rope's settings merged."""
    if overrides and any(name.endswith("DeepseekV41Config") for name in config.class_names()):
        config.forget()  # this class renames what it is given
        return
    for name, value in overrides.items():
        current = config.read(name)
        if isinstance(value, Mapping) and isinstance(current, ConfigObject):
            for inner, changed in value.items():
                current.write(inner, copy.deepcopy(changed))
        elif name in _ROPE and isinstance(value, Mapping) and isinstance(current, Mapping):
            config.write(name, {**current, **copy.deepcopy(dict(value))})
        else:
            config.write(name, copy.deepcopy(value))


def text_part(config: ConfigObject, builder: Builder) -> ConfigObject:
    """The nested configuration of the language model, brought into line with the whole."""
    architecture = _architecture(config)
    if architecture is not None and architecture.startswith("Llava") and architecture.endswith("ForCausalLM"):
        config.write("dtype", "float16")
        return config
    _share_dtype(config, builder)
    part = _part(config)
    _name_rope_types(config)
    if isinstance(part, ConfigObject):
        _share_tokens(config, part)
        return part
    if part is UNKNOWN:
        return ConfigObject(builder, (), is_open=True)
    return config


def _parsed(source: dict[str, Value], builder: Builder) -> ConfigObject:
    classes = builder.classes
    architectures = source.get("architectures") or []
    if any(each in _LONGCAT for each in architectures):
        config = builder.build(classes.registry.get("longcat_flash"), copy.deepcopy(source))
    elif (mamba := _raw_mamba(source)) is not None:
        config = builder.build(classes.registry.get("mamba"), mamba)
    else:
        config = _of_type(_model_type(source), source, builder)
    if architectures and architectures[0] == "Phi4MMForCausalLM":
        config.write("vision_config", builder.build(None, {}))
    if architectures in [[each] for each in _LONGCAT]:
        config.values["model_type"] = "longcat_flash"
    part = text_part(config, builder)
    _flatten(config, part)
    config = _rebuilt(config, source, builder)
    _rewrite(config)
    return config


def _of_type(model_type: str, source: Mapping[str, Value], builder: Builder) -> ConfigObject:
    given = copy.deepcopy(dict(source))
    if model_type:
        given["model_type"] = model_type
    return builder.build(builder.classes.types.get(model_type), given)


def _model_type(source: Mapping[str, Value]) -> str:
    model_type = source.get("model_type")
    if model_type == "mistral" and "layer_types" in source:
        return "ministral"
    return model_type if isinstance(model_type, str) else ""


def _raw_mamba(source: Mapping[str, Value]) -> dict[str, Value] | None:
    """The arguments for a checkpoint of the original Mambas, which have neither type nor architecture."""
    if source.get("model_type") or source.get("architectures"):
        return None
    if not {"d_model", "ssm_cfg", "n_layer"} <= source.keys():
        return None
    multiple, vocabulary = source.get("pad_vocab_size_multiple", 1), source.get("vocab_size", 50280)
    if multiple > 1:
        vocabulary = -(-vocabulary // multiple) * multiple
    return {
        "vocab_size": vocabulary,
        "hidden_size": source["d_model"],
        "num_hidden_layers": source["n_layer"],
        "state_size": source["ssm_cfg"].get("d_state", 16),
        "layer_norm_epsilon": source.get("layer_norm_epsilon", 1e-5),
        "residual_in_fp32": source.get("residual_in_fp32", True),
        "architectures": ["MambaForCausalLM"],
    }


def _flatten(config: ConfigObject, part: ConfigObject) -> None:
    """What the language model's part has and the whole lacks is read from the whole too."""
    for name, value in list(part.values.items()):
        if not name.startswith("_") and value is not None and not config.has(name):
            config.write(name, value)
    if part.is_open:
        config.is_open = True


def _rebuilt(config: ConfigObject, source: dict[str, Value], builder: Builder) -> ConfigObject:
    """The configuration made anew by SGLang's own class, where there is one of that type."""
    model_type = config.read("model_type")
    is_ocr, is_ocr2 = _is_ocr(source, "deepseekocr.DeepseekOCR"), _is_ocr(source, "deepseekocr2.DeepseekOCR2")
    registry = builder.classes.registry
    lineage = [cls.name for cls in config.lineage]
    if is_ocr2:
        model_type = "deepseek-ocr"
    elif "s.DeepseekV41Config" in lineage or any(name in lineage for name in _NOT_REBUILT):
        return config
    if model_type is UNKNOWN and config.lineage:
        model_type = config.lineage[0].type  # of an object of which little is known, its class still is
    if not isinstance(model_type, str):
        return config
    if model_type == "deepseek_vl_v2" and is_ocr:
        model_type = "deepseek-ocr"
    if model_type not in registry:
        return config
    made = builder.build(registry[model_type], copy.deepcopy(_section(source, registry[model_type], builder)))
    if is_ocr or is_ocr2:
        _widen_values(made)
        made.write("architectures", ["DeepseekOCRForCausalLM"])
    return made


def _section(source: dict[str, Value], name: str, builder: Builder) -> dict[str, Value]:
    """The part of a file that a class is read from: the whole, or what the file has under its key."""
    cls = builder.classes.get(name)
    if cls is None:
        return source
    if cls.key and isinstance(source.get(cls.key), dict):
        source = source[cls.key]
    if source.get("model_type", cls.type) != cls.type:
        for part in source.values():
            if isinstance(part, dict) and part.get("model_type") == cls.type:
                source = part
    return source


def _is_ocr(source: Mapping[str, Value], model: str) -> bool:
    auto_map = source.get("auto_map") or {}
    return bool(auto_map.get("AutoModel") == f"modeling_{model}ForCausalLM")


def _widen_values(config: ConfigObject) -> None:
    for name in ("text_config", "language_config"):
        part = config.read(name)
        if isinstance(part, ConfigObject):
            own = part.read("v_head_dim")
            if is_known(own) and own == 0:
                part.write("v_head_dim", 128)
        elif isinstance(part, dict) and part.get("v_head_dim") == 0:
            part["v_head_dim"] = 128


def _rewrite(config: ConfigObject) -> None:
    model_type = config.read("model_type")
    if not isinstance(model_type, str):
        return
    if model_type == "internvl_chat":
        part = config.read("llm_config")
        if isinstance(part, ConfigObject):
            for name, value in list(part.values.items()):
                if not config.has(name):
                    config.write(name, value)
    if model_type == "multi_modality":
        config.write("architectures", ["MultiModalityCausalLM"])
    if model_type in _GEMMA4_TYPES:
        _name_gemma4_shapes(config)
    if model_type == "longcat_flash":
        config.write("architectures", ["LongcatFlashForCausalLM"])


def _name_gemma4_shapes(config: ConfigObject) -> None:
    """Gemma 4 gives full-attention layers other shapes than sliding ones; SGLang has attributes for both."""
    text = config.read("text_config")
    if not isinstance(text, ConfigObject):
        return
    shape = (text.values.get("head_dim"), text.values.get("num_key_value_heads"))
    shapes = {"full_attention": shape, "sliding_attention": shape}
    layer_types = text.read("layer_types")
    if text.layers and isinstance(layer_types, list):
        shapes = {
            kind: (
                text.layers.get(layer, {}).get("head_dim", shape[0]),
                text.layers.get(layer, {}).get("num_key_value_heads", shape[1]),
            )
            for layer, kind in enumerate(layer_types)
        }
        text.layers = None
    elif text.layers or not isinstance(layer_types, list):
        shapes = dict.fromkeys(shapes, (UNKNOWN, UNKNOWN))
    full_head_dim, full_heads = shapes.get("full_attention", (UNKNOWN, UNKNOWN))
    sliding_head_dim, sliding_heads = shapes.get("sliding_attention", (full_head_dim, full_heads))
    text.write("head_dim", full_head_dim)
    text.write("num_key_value_heads", full_heads)
    text.write("swa_head_dim", sliding_head_dim)
    text.write("swa_v_head_dim", sliding_head_dim)
    text.write("swa_num_key_value_heads", sliding_heads)
    if not text.has("v_head_dim"):
        text.write("v_head_dim", full_head_dim)
    if not config.has("eoa_token_id") and config.has("eoa_token_index"):
        config.write("eoa_token_id", config.read("eoa_token_index"))


def _architecture(config: ConfigObject) -> str | None:
    listed = config.read("architectures")
    return listed[0] if isinstance(listed, list) and listed and isinstance(listed[0], str) else None


def _share_dtype(config: ConfigObject, builder: Builder) -> None:
    """Parts that are plain dicts become objects; parts without a type of numbers take that of the whole."""
    dtype = config.read("dtype")
    for name in _TEXT_PARTS:
        part = config.read(name)
        if isinstance(part, dict):
            part = builder.build(None if config.is_open else builder.classes.base, part)
            config.write(name, part)
        if isinstance(part, ConfigObject) and dtype is not None and dtype is not MISSING:
            own = part.read("dtype")
            if own is None or own is MISSING:
                part.write("dtype", dtype)


def _part(config: ConfigObject) -> Value:
    """The part for the language model, MISSING where there is none."""
    if config.has("thinker_config"):
        thinker = config.read("thinker_config")
        if isinstance(thinker, ConfigObject) and thinker.has("text_config"):
            text = thinker.read("text_config")
            if isinstance(text, ConfigObject):
                text.write("dtype", None if thinker.read("dtype") is MISSING else thinker.read("dtype"))
            return text
        return thinker
    for name in ("llm_config", "language_config", "text_config"):
        if config.has(name):
            return config.read(name)
    return MISSING


def _share_tokens(config: ConfigObject, part: ConfigObject) -> None:
    for name in _SHARED:
        if config.has(name) and not part.has(name):
            part.write(name, config.read(name))
        elif part.has(name) and not config.has(name):
            config.write(name, part.read(name))


def _name_rope_types(config: ConfigObject) -> None:
    """Dicts of rotary parameters get their type under the older key as well."""
    scaling = config.read("rope_scaling")
    if isinstance(scaling, dict) and "rope_type" in scaling and "type" not in scaling:
        scaling["type"] = scaling["rope_type"]
    for name in _NESTED:
        part = config.read(name)
        if isinstance(part, ConfigObject) and part is not config:
            _name_rope_types(part)
