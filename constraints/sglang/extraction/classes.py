"""Classes of the source: bases, members, methods, fields, looked up in the syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING

from constraints.expression.simplify import comparison, conjunction, constant, negation
from constraints.expression.syntax import TRUE, Expression, Literal
from constraints.sglang.extraction import attempts, expressions
from constraints.sglang.extraction.state import Frame, choice
from constraints.sglang.extraction.values import Class, EnumMember, Function, Items, Method, Value

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor

_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})
_RECORDS = frozenset({"NamedTuple", "Struct", "TypedDict", "BaseModel"})


class Classes:
    """What is known about the classes met so far."""

    def __init__(self) -> None:
        self._members: dict[Class, tuple[EnumMember, ...]] = {}
        self._constants: dict[tuple[Class, str], Value] = {}
        self._bases: dict[Class, tuple[Class | str, ...]] = {}

    def bases(self, x: Executor, owner: Class) -> tuple[Class | str, ...]:
        """The direct bases: classes of the source, the rest by name."""
        if owner not in self._bases:
            found: list[Class | str] = []
            for base in owner.node.bases:
                node = base.value if isinstance(base, ast.Subscript) else base
                value: Value | None = None
                if isinstance(node, ast.Name):
                    value = x.lookup_global(owner.module, node.id, node)
                found.append(value if isinstance(value, Class) else ast.unparse(node).split(".")[-1])
            self._bases[owner] = tuple(found)
        return self._bases[owner]

    def base_names(self, x: Executor, owner: Class) -> list[str]:
        """The names of all bases, nearest first."""
        names: list[str] = []
        for base in self.bases(x, owner):
            if isinstance(base, Class):
                names.extend([base.name, *self.base_names(x, base)])
            else:
                names.append(base)
        return names

    def is_subclass(self, owner: Class, names: Iterable[str]) -> bool:
        """Whether one of the bases, those known so far, has one of the names."""
        wanted = set(names)
        for base in owner.node.bases:
            text = ast.unparse(base).split(".")[-1]
            if text in wanted:
                return True
        return any(isinstance(b, Class) and self.is_subclass(b, wanted) for b in self._bases.get(owner, ()))

    def is_enum(self, owner: Class) -> bool:
        return self.is_subclass(owner, _ENUMS)

    def is_exception(self, x: Executor, owner: Class) -> bool:
        return any(n.endswith(("Error", "Exception")) for n in self.base_names(x, owner))

    def method(self, x: Executor, owner: Class, name: str) -> Function | None:
        """The method of that name, own or inherited."""
        for statement in owner.node.body:
            if isinstance(statement, ast.FunctionDef) and statement.name == name:
                return Function(statement, owner.module, owner=owner)
        for base in self.bases(x, owner):
            if isinstance(base, Class) and (found := self.method(x, base, name)) is not None:
                return found
        return None

    def fields(self, x: Executor, owner: Class) -> dict[str, Value | None] | None:
        """Fields of a dataclass, NamedTuple or Struct with their defaults; None for another class."""
        decorators = {
            ast.unparse(d.func if isinstance(d, ast.Call) else d) for d in owner.node.decorator_list
        }
        inherited: dict[str, Value | None] = {}
        is_record = bool(decorators & {"dataclass", "dataclasses.dataclass"})
        for base in self.bases(x, owner):
            if isinstance(base, Class):
                from_base = self.fields(x, base)
                if from_base is not None:
                    is_record = True
                    inherited |= from_base
            elif base in _RECORDS:
                is_record = True
        if not is_record:
            return None
        for statement in owner.node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                if "ClassVar" in ast.unparse(statement.annotation):
                    continue
                inherited[statement.target.id] = self._default(x, owner, statement.value)
        return inherited

    def _default(self, x: Executor, owner: Class, node: ast.expr | None) -> Value | None:
        if node is None:
            return None
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "field":
            for keyword in node.keywords:
                if keyword.arg == "default":
                    return self._evaluated(x, owner, keyword.value)
                if keyword.arg == "default_factory":
                    factory = self._evaluated(x, owner, keyword.value)
                    x.state.frames.append(Frame(owner.module))
                    try:
                        return x.call(factory, [], {}, node)
                    finally:
                        x.state.frames.pop()
            return None
        return self._evaluated(x, owner, node)

    def _evaluated(self, x: Executor, owner: Class, node: ast.expr) -> Value:
        frame = Frame(owner.module)
        x.state.frames.append(frame)
        try:
            for statement in owner.node.body:
                if not isinstance(statement, ast.Assign) or statement.value is node:
                    continue
                for target in statement.targets:
                    if isinstance(target, ast.Name) and _reads(node, target.id):
                        frame.locals[target.id] = expressions.evaluate(x, statement.value)
            return expressions.evaluate(x, node)
        finally:
            x.state.frames.pop()

    def attribute(self, x: Executor, owner: Class, name: str, node: ast.AST, default: Value | None) -> Value:
        """`Class.name`: an enum's member, a constant, or a method."""
        if name == "__members__" and self.is_enum(owner):
            from constraints.sglang.extraction.values import Entries

            return x.state.allocate(Entries({m.name: (TRUE, m) for m in self.members(x, owner)}))
        if name in ("__struct_fields__", "_fields", "__dataclass_fields__", "model_fields"):
            names = tuple((TRUE, Literal(n)) for n in self.fields(x, owner) or ())
            return x.state.allocate(Items("tuple", names))
        if name in ("__name__", "__qualname__"):
            return Literal(owner.name)
        if self.is_enum(owner):
            for member in self.members(x, owner):
                if member.name == name:
                    return member
        found = self.method(x, owner, name)
        if found is not None:
            decorators = {ast.unparse(d) for d in found.node.decorator_list} if isinstance(
                found.node, ast.FunctionDef
            ) else set()  # fmt: skip
            return Method(owner, found) if "classmethod" in decorators else found
        if name == "model_validate_json" and "BaseModel" in self.base_names(x, owner):
            return Method(owner, name)
        found_constant = self.constant(x, owner, name)
        if found_constant is not None:
            return found_constant
        return default if default is not None else x.unknown(node, f"class attribute {owner.name}.{name}")

    def constant(self, x: Executor, owner: Class, name: str) -> Value | None:
        """A constant of the class's body, own or inherited."""
        key = (owner, name)
        if key in self._constants:
            return self._constants[key]
        for statement in owner.node.body:
            value: ast.expr | None = None
            if isinstance(statement, ast.Assign) and any(
                isinstance(t, ast.Name) and t.id == name for t in statement.targets
            ):
                value = statement.value
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                if statement.target.id == name:
                    value = statement.value
            if value is not None:
                made = self._evaluated(x, owner, value)
                self._constants[key] = made
                return made
        for base in self.bases(x, owner):
            if isinstance(base, Class) and (found := self.constant(x, base, name)) is not None:
                return found
        return None

    def members(self, x: Executor, owner: Class) -> tuple[EnumMember, ...]:
        """An enum's members in order."""
        if owner not in self._members:
            self.bases(x, owner)
            found: list[EnumMember] = []
            for statement in owner.node.body:
                if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                    name = statement.targets[0].id
                    if name.startswith("_"):
                        continue
                    if isinstance(statement.value, ast.Call) and ast.unparse(statement.value.func).endswith(
                        "auto"
                    ):
                        found.append(EnumMember(owner, name, _automatic(x, self, owner, name, len(found))))
                        continue
                    value = self._evaluated(x, owner, statement.value)
                    plain = value if isinstance(value, Expression) else Literal(name)
                    found.append(EnumMember(owner, name, plain))
            self._members[owner] = tuple(found)
        return self._members[owner]

    def member_named(self, x: Executor, owner: Class, name: Expression, node: ast.AST) -> Value:
        """`Enum[name]`: a choice of members where the name is not known."""
        rows: list[tuple[Expression, Value]] = [
            (comparison("==", name, Literal(m.name)), m) for m in self.members(x, owner)
        ]
        names = constant(tuple(m.name for m in self.members(x, owner)))
        missing = comparison("not in", name, names)
        attempts.fails(x, missing, "KeyError", node)
        return choice(rows)

    def member_of_value(self, x: Executor, owner: Class, value: Expression, node: ast.AST) -> Value:
        """`Enum(value)`."""
        rows: list[tuple[Expression, Value]] = [
            (comparison("==", value, m.value), m) for m in self.members(x, owner)
        ]
        missing = self.method(x, owner, "_missing_")
        if missing is not None:
            rest = x.call(Method(owner, missing), [value], {}, node)
            return choice([*rows, (TRUE, rest)])
        attempts.fails(x, conjunction(negation(test) for test, _ in rows), "ValueError", node)
        return choice(rows)


def _automatic(x: Executor, classes: Classes, owner: Class, name: str, index: int) -> Expression:
    if classes.is_subclass(owner, ("str", "StrEnum")):
        return Literal(name.lower())
    return Literal(index + 1)


def _reads(node: ast.expr, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node))
