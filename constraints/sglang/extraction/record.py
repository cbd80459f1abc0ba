"""How the engine's configuration record is read and written while it is resolved.

The record's own fields hold what was given and never change; a decision is *declared* and seen through
views: a live one sees every declaration so far, a snapshot those made before it was taken.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from constraints.catalog import Flag
from constraints.expression.simplify import conditional, constant
from constraints.expression.syntax import NONE, TRUE, Expression, Name, Unknown
from constraints.sglang.extraction import attributes, operations
from constraints.sglang.extraction.state import choice
from constraints.sglang.extraction.values import Choice, Class, Facts, Instance, Ref, Structured, Value, View

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor


class Record:
    """The record being resolved.

    Attributes:
        flags: its fields by name.
        self_reference: the record as an object of the source; set when execution starts.
        structures: state variables that hold a record of the source, by path, with its class.
    """

    def __init__(self, flags: Mapping[str, Flag]) -> None:
        self.flags = flags
        self.self_reference: Ref | None = None
        self.structures: dict[str, Class] = {}
        self._frozen: dict[tuple[str, int], dict[str, int]] = {}

    def is_nullable(self, path: str) -> bool:
        """Whether a versioned state variable may hold None."""
        flag = self.flags.get(path.partition("@")[0])
        return flag is not None and flag.nullable

    def is_text(self, path: str) -> bool:
        """Whether a versioned state variable holds text."""
        flag = self.flags.get(path.partition("@")[0])
        return flag is not None and flag.type == "str"

    def is_data(self, path: str) -> bool:
        """Whether a versioned state variable holds JSON of any kind."""
        flag = self.flags.get(path.partition("@")[0])
        return flag is not None and flag.type == "json"

    def has(self, x: Executor, view: View | Structured, name: str) -> bool:
        """Whether reading `name` through the view finds something."""
        if isinstance(view, Structured):
            return name in (x.classes.fields(x, view.owner) or ()) or (
                x.classes.method(x, view.owner, name) is not None
            )
        if name in self.flags:
            return True
        assert self.self_reference is not None
        content = x.state.content(self.self_reference)
        return isinstance(content, Instance) and (
            name in content.attributes
            or (content.owner is not None and x.classes.method(x, content.owner, name) is not None)
        )

    def own_attribute(self, name: str) -> Value | None:
        """An attribute of the record itself: what was given, and the ledgers of the resolution."""
        if name == "_resolved_overrides":
            return Facts("stash")
        if name == "_raw_input":
            return Facts("given")
        return self.raw(name) if name in self.flags else None

    def attribute(
        self, x: Executor, view: View | Structured, name: str, node: ast.AST, default: Value | None
    ) -> Value:
        """`view.name`, or a part of a structured value."""
        if isinstance(view, Structured):
            return self._part(x, view, name, node, default)
        if name in self.flags:
            return self.read(x, name, view.versions)
        assert self.self_reference is not None
        return attributes.attribute(x, self.self_reference, name, node, default)

    def read(self, x: Executor, name: str, versions: Mapping[str, int] | None) -> Value:
        """A field's value now (`versions` None) or in a snapshot."""
        owner = self.structures.get(name)
        if owner is not None:
            seen = x.log.versions if versions is None else versions
            return Structured(name, seen.get(_generation(name), 0), owner)
        version = (x.log.versions if versions is None else versions).get(name, 0)
        return Name(f"{name}@{version}")

    def raw(self, name: str) -> Expression:
        """What was given for a field."""
        return Name(f"{name}@0")

    def _part(self, x: Executor, value: Structured, name: str, node: ast.AST, default: Value | None) -> Value:
        path = f"{value.path}.{name}"
        owner = self.structures.get(path)
        if owner is not None:
            return Structured(path, value.generation, owner)
        versions = self._frozen.get((value.path.split(".")[0], value.generation), x.log.versions)
        if path in versions or path in x.log.versions:
            return Name(f"{path}@{versions.get(path, 0)}")
        found = x.classes.method(x, value.owner, name)
        if found is not None:
            return x.bound(value, found, node)
        return default if default is not None else x.unknown(node, f"{path} that nobody set")

    def set_part(self, x: Executor, owner: Structured, name: str, value: Value, node: ast.AST) -> None:
        """`config.part.name = value`, in place."""
        self._write(x, f"{owner.path}.{name}", value, node, tuple(x.state.guard), x.state.frame.name)

    def declare(
        self,
        x: Executor,
        fields: Mapping[str, tuple[Expression, Value]],
        node: ast.AST,
        at: str = "",
        function: str = "",
    ) -> None:
        """Declares new values for fields, each under the condition that comes with it."""
        base = tuple(x.state.guard)
        for name, (guard, value) in fields.items():
            guards = base if guard == TRUE else (*base, guard)
            self._write(x, name, value, node, guards, function or x.state.frame.name, at)

    def _write(
        self,
        x: Executor,
        path: str,
        value: Value,
        node: ast.AST,
        guards: tuple[Expression, ...],
        function: str,
        at: str = "",
    ) -> None:
        at = at or x.site(node)
        owner, parts = self.as_record(x, value)
        if owner is not None:
            before = dict(x.log.versions)
            self.structures[path] = owner
            for name, part in parts.items():
                self._write(x, f"{path}.{name}", part, node, guards, function, at)
            if "." not in path:
                generation = before.get(_generation(path), 0)
                self._frozen[path, generation] = before
                x.log.versions[_generation(path)] = generation + 1
            return
        if path in self.structures:
            for known in [p for p in x.log.versions if p.startswith(path + ".") and p != _generation(path)]:
                x.log.set(
                    guards, at, function, known, x.unknown(node, f"{path} replaced by something not known")
                )
            return
        plain = operations.as_expression(x, value, node)
        x.log.set(guards, at, function, path, plain)

    def as_record(self, x: Executor, value: Value) -> tuple[Class | None, dict[str, Value]]:
        """A value's class and parts where it is a record of the source, or a choice of such."""
        if isinstance(value, Structured):
            names = x.classes.fields(x, value.owner) or {}
            node = value.owner.node
            return value.owner, {n: attributes.attribute(x, value, n, node) for n in names}
        if isinstance(value, Ref):
            content = x.state.content(value)
            if isinstance(content, Instance) and content.owner is not None and not content.facts:
                if x.classes.fields(x, content.owner) is not None:
                    return content.owner, dict(content.attributes)
        if isinstance(value, Choice):
            records = [(condition, *self.as_record(x, one)) for condition, one in value.alternatives]
            owner = records[0][1]
            if owner is not None and all(other == owner for _, other, _ in records):
                return owner, {n: choice((c, parts[n]) for c, _, parts in records) for n in records[0][2]}
        return None, {}

    def lose(self, x: Executor, names: list[str], node: ast.AST, cause: str) -> None:
        """Makes fields unknown from here on."""
        for name in names:
            x.log.set(
                tuple(x.state.guard), x.site(node), x.state.frame.name, name, Unknown(x.site(node), cause)
            )


def _generation(path: str) -> str:
    """Where the log keeps which object a structured field holds, beside the versions of its parts."""
    return f"{path}.__generation__"


def with_fallback(flag: Flag, value: Expression) -> Expression:
    """What readers of the final value see: the flag's fallback while it is None."""
    if flag.fallback is None:
        return value
    from constraints.expression.simplify import comparison

    return conditional(comparison("is", value, NONE), constant(flag.fallback), value)
