"""The configuration classes that SGLang reads a config.json with: a recorded table, one class a line.

`scripts/record_model_defaults.py` makes the table. Only the lines that are asked for are parsed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from constraints.errors import CatalogError

FORMAT = 1
_SHIPPED = Path(__file__).parent / "data" / "model_classes.json"

Program = Mapping[str, Any]
"""How a method fills attributes: `parameters` with defaults, `required` ones, `steps`, and a `result`."""


class ConfigClass(NamedTuple):
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


class ConfigClasses:
    """The table. Classes are made when they are first asked for.

    Attributes:
        base: transformers' base class of all.
        types: the classes that transformers reads a `model_type` with.
        registry: those of SGLang's own, which go before them.
        generation: arguments about sampling, which no configuration keeps.
        versions: the releases that the table was recorded from, by package.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._classes: dict[str, ConfigClass | None] = {}
        head = self._line("")
        if head is None or head.get("format") != FORMAT:
            raise CatalogError(_SHIPPED.name, "not a table of configuration classes of this format")
        self.base: str = head["base"]
        self.types: Mapping[str, str] = head["types"]
        self.registry: Mapping[str, str] = head["registry"]
        self.generation = frozenset[str](head["generation"])
        self.versions: Mapping[str, str] = head["versions"]

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
        start = self._text.find(key)
        if start < 0:
            return None
        start += len(key)
        line = self._text[start : self._text.index("\n", start)]
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
