"""The configuration classes that SGLang reads a config.json with: a recorded table, one class a line.

`scripts/record_model_defaults.py` makes the table. Only the lines that are asked for are parsed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from constraints.errors import CatalogError

FORMAT = 1
_SHIPPED = Path(__file__).parent / "data" / "model_classes.json"

Program = Mapping[str, Any]
"""How a method fills attributes: `parameters` with defaults, `required` ones, `steps`, and a `result`."""


@dataclass(frozen=True, slots=True)
class ConfigClass:
    """One class of the table.

    Attributes:
        name: its name in the table.
        type: its `model_type`.
        parent: the class it derives from; None for the base of all.
        aliases: other names of attributes.
        subs: the classes of nested configurations, by attribute.
        key: where in a larger configuration one of this class is found; empty for nowhere.
        fields: attributes with their defaults, filled before any program runs; None where the class has a
            constructor of its own. The base's fields are part of every class's.
        unknown: fields whose defaults are no data.
        constants: attributes of the class itself.
        methods: names that exist and are no data.
        properties: attributes computed when they are read; None for one that could not be translated.
        setters: what writing such an attribute does; nothing, where there is none.
        programs: `init`, `post` and `rope`, as far as the class has its own.
        opaque: whether reading its attributes does something of its own.
        untrusted: attributes that came out otherwise than in the real class when the table was checked.
    """

    name: str
    type: str
    parent: str | None
    aliases: Mapping[str, str]
    subs: Mapping[str, str]
    key: str
    fields: Mapping[str, Any] | None
    unknown: frozenset[str]
    constants: Mapping[str, Any]
    methods: frozenset[str]
    properties: Mapping[str, Program | None]
    setters: Mapping[str, Program]
    programs: Mapping[str, Program]
    opaque: bool
    untrusted: frozenset[str]


@dataclass(slots=True)
class ConfigClasses:
    """The table. Classes are made when they are first asked for."""

    text: str
    base: str = ""
    types: Mapping[str, str] = field(default_factory=dict)
    registry: Mapping[str, str] = field(default_factory=dict)
    generation: frozenset[str] = frozenset()
    versions: Mapping[str, str] = field(default_factory=dict)
    _classes: dict[str, ConfigClass | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        head = self._line("")
        if head is None or head.get("format") != FORMAT:
            raise CatalogError(_SHIPPED.name, "not a table of configuration classes of this format")
        self.base, self.types, self.registry = head["base"], head["types"], head["registry"]
        self.generation, self.versions = frozenset(head["generation"]), head["versions"]

    def get(self, name: str) -> ConfigClass | None:
        """A class by its name in the table; None if it is not recorded."""
        if name not in self._classes:
            entry = self._line(name)
            self._classes[name] = None if entry is None else self._made(name, entry)
        return self._classes[name]

    def lineage(self, name: str) -> tuple[ConfigClass, ...]:
        """A class and those it derives from, nearest first; it ends early where one is not recorded."""
        found: list[ConfigClass] = []
        each: str | None = name
        while each is not None and (cls := self.get(each)) is not None:
            found.append(cls)
            each = cls.parent
        return tuple(found)

    def _made(self, name: str, entry: Mapping[str, Any]) -> ConfigClass:
        fields = entry.get("fields")
        if fields is not None and name != self.base:
            base = self.get(self.base)
            fields = {**(base.fields or {} if base else {}), **fields}
        return _class(name, entry, fields)

    def _line(self, name: str) -> dict[str, Any] | None:
        key = f"\n{json.dumps(name)}: "
        start = self.text.find(key)
        if start < 0:
            return None
        start += len(key)
        line = self.text[start : self.text.index("\n", start)]
        entry: dict[str, Any] = json.loads(line.removesuffix(","))
        return entry


@lru_cache(maxsize=1)
def shipped_classes() -> ConfigClasses:
    """The table that comes with flagfit."""
    return ConfigClasses(_SHIPPED.read_text(encoding="utf-8"))


def _class(name: str, entry: Mapping[str, Any], fields: Mapping[str, Any] | None) -> ConfigClass:
    return ConfigClass(
        name=name,
        type=entry["type"],
        parent=entry.get("parent"),
        aliases=entry.get("aliases", {}),
        subs=entry.get("subs", {}),
        key=entry.get("key", ""),
        fields=fields,
        unknown=frozenset(entry.get("unknown", ())),
        constants=entry.get("constants", {}),
        methods=frozenset(entry.get("methods", ())),
        properties=entry.get("properties", {}),
        setters=entry.get("setters", {}),
        programs={key: entry[key] for key in ("init", "post", "rope") if key in entry},
        opaque=entry.get("opaque", False),
        untrusted=frozenset(entry.get("untrusted", ())),
    )
