"""Small tables of configuration classes, as `scripts/record_model_defaults.py` writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from constraints.sglang.config_classes import FORMAT, ConfigClasses

BASE: Mapping[str, Any] = {
    "type": "",
    "aliases": {"rope_scaling": "rope_parameters", "torch_dtype": "dtype"},
    "fields": {"architectures": None, "dtype": None},
    "methods": ["to_dict"],
}


def table(
    classes: Mapping[str, Mapping[str, Any]],
    *,
    registry: Mapping[str, str] | None = None,
    generation: tuple[str, ...] = (),
) -> ConfigClasses:
    """A table of these classes, each derived from the base unless it says otherwise."""
    entries = {"t.Base": dict(BASE)} | {
        name: {"type": name.partition(".")[2].lower(), "parent": "t.Base", **entry}
        for name, entry in classes.items()
    }
    head = {
        "format": FORMAT,
        "versions": {},
        "base": "t.Base",
        "types": {entry["type"]: name for name, entry in entries.items() if entry["type"]},
        "registry": dict(registry or {}),
        "generation": list(generation),
    }
    lines = [f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in {"": head, **entries}.items()]
    return ConfigClasses("{\n" + ",\n".join(lines) + "\n}\n")
