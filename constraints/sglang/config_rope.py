"""How transformers brings the parameters of rotary embeddings into one form while a configuration loads.

Attributes and keywords of several generations end in `rope_parameters`, one dict or one for each kind of
layer. Source: `RotaryEmbeddingConfigMixin` of transformers 5, with SGLang's patch of it. As there, the dicts
are changed where they are: one that two configurations share changes for both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from constraints.expression.values import MISSING, UNKNOWN, is_known

if TYPE_CHECKING:
    from constraints.sglang.config_object import ConfigObject

Value: TypeAlias = Any

_SCALED = ("llama3", "yarn", "longrope")


def convert(made: ConfigObject, keywords: dict[str, Value]) -> None:
    """Takes the older keywords `rope_scaling` and `rope_theta` into `rope_parameters`."""
    scaling = keywords.pop("rope_scaling", None)
    parameters = scaling or _attribute(made, "rope_parameters")
    theta = keywords.pop("rope_theta", _attribute(made, "rope_theta", _attribute(made, "default_theta")))
    factor = keywords.get("partial_rotary_factor", _attribute(made, "partial_rotary_factor"))
    if not all(map(is_known, (scaling, parameters, theta, factor))) or not isinstance(parameters or {}, dict):
        made.write("rope_parameters", UNKNOWN)
        return
    parameters = {} if parameters is None else parameters
    nested = _nested_keys(made, parameters)
    for each in [parameters[key] for key in nested] or [parameters]:
        if each is not None:
            each.setdefault("rope_theta", theta)
            if factor is not None:
                each.setdefault("partial_rotary_factor", factor)
    made.write("rope_parameters", parameters)
    standardize(made)


def standardize(made: ConfigObject) -> None:
    """Gives every dict of parameters its type, its base, and the length that it was trained for."""
    theta, factor = _attribute(made, "rope_theta"), _attribute(made, "partial_rotary_factor")
    parameters = _attribute(made, "rope_parameters")
    usual = _attribute(made, "default_rope_type", "default")
    if not all(map(is_known, (theta, factor, parameters, usual))):
        made.write("rope_parameters", UNKNOWN)
        return
    if not (parameters or theta):
        return
    parameters = parameters or {}
    nested = _nested_keys(made, parameters)
    for each in [parameters[key] for key in nested] if nested else [parameters]:
        if each is None:
            continue
        each.setdefault("rope_type", each.get("type", "default"))
        each.setdefault("rope_theta", theta)
        if factor is not None:
            each.setdefault("partial_rotary_factor", factor)
        if not nested and usual != "default" and each["rope_type"] == "default":
            each["rope_type"] = usual
        if each["rope_type"] in _SCALED and not _keep_trained_length(made, each, is_nested=bool(nested)):
            break
        if nested and usual != "default" and each["rope_type"] == "default":
            each["rope_type"] = usual
    made.write("rope_parameters", parameters)


def name_types(made: ConfigObject) -> None:
    """Validation writes the type into every dict of parameters that there is."""
    parameters = made.values.get("rope_parameters")
    if not isinstance(parameters, dict) or not parameters:
        return
    nested = _nested_keys(made, parameters)
    for each in [parameters[key] for key in nested] if nested else [parameters]:
        if isinstance(each, dict):
            each["rope_type"] = each.get("rope_type", each.get("type", "default"))


def _keep_trained_length(made: ConfigObject, parameters: dict[str, Value], *, is_nested: bool) -> bool:
    """False where the configuration has no length, which ends the whole (SGLang catches the error)."""
    original = made.read("original_max_position_embeddings")
    if original is not MISSING and not is_nested:
        parameters["original_max_position_embeddings"] = original
        return True
    longest = made.read("max_position_embeddings")
    if longest is MISSING:
        return False
    parameters.setdefault("original_max_position_embeddings", longest)
    return True


def _nested_keys(made: ConfigObject, parameters: dict[str, Value]) -> list[str]:
    """The kinds of layers that the parameters are nested under; none where they are for all layers."""
    labels = _attribute(made, "_rope_type_labels")
    if labels is None or labels == []:
        labels = _attribute(made, "layer_types")
    return [key for key in parameters if isinstance(labels, (list, tuple)) and key in labels]


def _attribute(made: ConfigObject, name: str, fallback: Value = None) -> Value:
    value = made.read(name) if not name.startswith("_") else made.values.get(name, made.of_class(name))
    return fallback if value is MISSING else value
