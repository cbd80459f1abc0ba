"""Compares a table of configuration classes with the classes themselves, on arguments made at random.

An attribute that comes out otherwise even once is no longer trusted: the table says so, and it is unknown.
"""

from __future__ import annotations

import copy
import enum
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from constraints.expression.values import MISSING, UNKNOWN
from constraints.sglang.config_building import Builder
from constraints.sglang.config_classes import ConfigClasses
from constraints.sglang.config_object import ConfigObject

_ABOUT_OBJECTS = frozenset(
    (
        "allow_global_per_layer_attribute_access",
        "base_model_tp_plan",
        "id2label",
        "ignore_keys_at_rope_validation",
        "is_heterogeneous",
        "label2id",
        "name_or_path",
        "num_labels",
        "per_layer_attributes",
        "per_layer_config",
        "serialize_explicit_per_layer_config",
        "torch_dtype",
        "transformers_version",
        "use_return_dict",
    )
)
_LINEAR = {"type": "linear", "factor": 2.0}
_YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096}
_SMALL = {"hidden_size": 128, "num_attention_heads": 4, "num_hidden_layers": 2}
_LIKELY: Mapping[str, list[Any]] = {
    "architectures": [["LlamaForCausalLM"], ["Qwen2ForCausalLM"], ["OtherForCausalLM"]],
    "dtype": ["bfloat16", None],
    "first_k_dense_replace": [1, 2],
    "head_dim": [None, 64, 128],
    "hidden_size": [256, 512],
    "hybrid_override_pattern": ["M-M*-E", "MEM*"],
    "layer_types": [None, ["full_attention"] * 4, ["sliding_attention", "full_attention"] * 3],
    "num_attention_heads": [4, 8],
    "num_hidden_layers": [4, 6, 7],
    "num_key_value_heads": [None, 2, 4],
    "partial_rotary_factor": [0.25, 0.5],
    "quantization_config": [{"quant_method": "fp8"}],
    "rope_parameters": [
        {"rope_theta": 5e5, "rope_type": "default"},
        {"full_attention": {"rope_type": "default", "rope_theta": 1e6}},
    ],
    "rope_scaling": [None, _LINEAR, _YARN],
    "rope_theta": [10000.0, 500000],
    "sliding_window": [None, 128, 4096],
    "sliding_window_pattern": [2, 3, 6],
    "some_other": [7],
    "temperature": [0.5],
    "tie_word_embeddings": [True, False],
    "torch_dtype": ["bfloat16", "float16"],
    "use_sliding_window": [True, False],
}


_MAX_DEPTH = 2


class Check:
    """One comparison of a table with the classes that it was made from.

    Attributes:
        wrong: attributes that came out otherwise, by class, with the arguments of a construction that showed
            it (of that class, or of one that has it as a part).
        counts: how many constructions, reads, and reads that came out unknown.
    """

    def __init__(self, text: str, classes: Mapping[str, Any], base: Any) -> None:
        self.wrong: dict[str, dict[str, Any]] = {}
        self.counts: Counter[str] = Counter()
        self._table = ConfigClasses(text)
        self._builder = Builder(self._table)
        self._classes = classes
        self._base = base

    def run(self, trials: int) -> None:
        """Constructs each class so many times, the first time without arguments."""
        for name, cls in sorted(self._classes.items()):
            if self._table.get(name) is None or cls.has_no_defaults_at_init:
                continue
            chance = random.Random(name)
            for trial in range(trials):
                given = self._arguments(name, chance) if trial else {}
                real = self._constructed(cls, given)
                if real is None:
                    continue
                made = self._builder.build(name, copy.deepcopy(given))
                for owner, attribute in self._differences(real, made, depth=0):
                    self.wrong.setdefault(owner, {}).setdefault(attribute, given)

    def _constructed(self, cls: Any, given: dict[str, Any]) -> Any:
        try:
            real = cls(**copy.deepcopy(given))
        except Exception:  # noqa: BLE001  (the class refuses such arguments)
            self.counts["refused"] += 1
            return None
        self.counts["constructed"] += 1
        return real

    def _arguments(self, name: str, chance: random.Random) -> dict[str, Any]:
        lineage = self._table.lineage(name)
        usual: dict[str, Any] = dict(lineage[0].fields or {})
        for cls in lineage:
            usual |= cls.programs.get("init", {}).get("parameters", {})
        text = json.dumps([dict(cls.programs) for cls in lineage])
        keywords = sorted(set(re.findall(r"keyword\.([a-z]\w+)", text)))
        names = [
            *chance.sample(sorted(usual), min(len(usual), chance.choice([1, 2, 4, 8]))),
            *chance.sample(keywords, min(len(keywords), chance.choice([0, 1, 2]))),
            *chance.sample(sorted(_LIKELY), chance.choice([0, 1, 2, 3])),
        ]
        unwanted = _ABOUT_OBJECTS | {"problem_type", "model_type"}
        return {each: _other(usual.get(each), each, chance) for each in names if each not in unwanted}

    def _differences(self, real: Any, made: ConfigObject, *, depth: int) -> Iterable[tuple[str, str]]:
        """The attributes that differ, each with the class of the object that has it."""
        names = {name for name in (*vars(real), *made.values) if not name.startswith("_")}
        for cls in made.lineage:
            names |= {*cls.properties, *cls.aliases}
        for name in sorted(names - _ABOUT_OBJECTS):
            ours = made.read(name)
            self.counts["read"] += 1
            if ours is UNKNOWN:
                self.counts["unknown"] += 1
                continue
            theirs = _read(real, name)
            if theirs is UNKNOWN:
                continue
            if isinstance(ours, ConfigObject) and isinstance(theirs, self._base):
                if depth < _MAX_DEPTH and ours.lineage:
                    yield from self._differences(theirs, ours, depth=depth + 1)
            elif not _same(theirs, ours):
                yield made.lineage[0].name, name


def _read(real: Any, name: str) -> Any:
    try:
        return getattr(real, name)
    except AttributeError:
        return MISSING
    except Exception:  # noqa: BLE001  (a property that needs a running server)
        return UNKNOWN


def _other(usual: Any, name: str, chance: random.Random) -> Any:
    """A value that an argument might have."""
    if name in _LIKELY and chance.random() < 0.8:
        return copy.deepcopy(chance.choice(_LIKELY[name]))
    if isinstance(usual, bool):
        return not usual
    if isinstance(usual, int):
        return chance.choice([usual, usual * 2, max(1, usual // 2), usual + 1, 1, 0, 2, 4])
    if isinstance(usual, float):
        return chance.choice([usual, usual * 2, 0.5])
    if isinstance(usual, str):
        return chance.choice([usual, "x"])
    if isinstance(usual, list):
        return chance.choice([usual, usual[:1], usual + usual, []])
    if isinstance(usual, dict):
        return chance.choice([usual, {}])
    if name.endswith("config"):
        return chance.choice(
            [None, {}, dict(_SMALL), {"model_type": "llama", **_SMALL}, {"model_type": "qwen2"}]
        )
    return chance.choice([None, 1, 2, 4, "auto", [1, 2], True, dict(_SMALL)])


def _same(theirs: Any, ours: Any) -> bool:
    if theirs is MISSING or ours is MISSING:
        return theirs is ours
    theirs, ours = _as_data(theirs), _as_data(ours)
    return type(theirs) is type(ours) and bool(theirs == ours)


def _as_data(value: Any) -> Any:
    if type(value).__module__ == "torch":
        return str(value).removeprefix("torch.")
    if isinstance(value, enum.Enum):
        return _as_data(value.value)
    if isinstance(value, (list, tuple, range)):
        return [_as_data(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((_as_data(item) for item in value), key=repr)
    if isinstance(value, dict):
        return {key: _as_data(item) for key, item in value.items()}
    return value
