"""The flags of SGLang that change what its rules read as facts. Gathers no facts: `facts` does.

Apart from `facts` because every check asks which these are, and most need no more than that.
"""

from __future__ import annotations

from collections.abc import Mapping

from constraints.expression.values import UNKNOWN
from constraints.vocabulary import Value

MODEL_OVERRIDES = "json_model_override_args"

FLAGS_OF_FACTS = (MODEL_OVERRIDES,)
"""Flags that change what is a fact of the model to the rules: they belong to the world, not to a repair."""


def changes_facts(flag: str, value: Value) -> bool:
    """Whether a value of one of `FLAGS_OF_FACTS` makes any fact another."""
    return flag == MODEL_OVERRIDES and model_overrides(value) != {}


def model_overrides(text: Value) -> Mapping[str, Value] | None:
    """What `--json-model-override-args` says; None where it is not known.

    SGLang refuses what is no JSON object.
    """
    if text is UNKNOWN:
        return None
    import json

    try:
        overrides = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return {}
    return overrides if isinstance(overrides, dict) else {}
