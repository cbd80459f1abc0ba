"""Type annotations of a record's fields, read as data: the type, whether None is allowed, what is attached.

Understands `Annotated[T, ...]` with the metadata that SGLang attaches to a field. Reads no defaults.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from constraints.sglang.constants import Constants
from constraints.sglang.modules import Module
from constraints.sglang.source_values import Class, External, Instance, NotConstant

_OPAQUE = "unknown"
_ALIASES = {
    "typing.List": "builtins.list",
    "typing.Set": "builtins.set",
    "typing.Tuple": "builtins.tuple",
    "typing.Dict": "builtins.dict",
    "typing.Sequence": "builtins.list",
    "collections.abc.Sequence": "builtins.list",
}


@dataclass(frozen=True, slots=True)
class TypeForm:
    """A type expression: a dotted name and its arguments, which for `Literal` are its values."""

    name: str
    arguments: tuple[Any, ...] = ()

    def value_type(self) -> str | None:
        """The catalog's name for the kind of values, or None where it has none for this type."""
        match self.name, self.arguments:
            case "builtins.bool" | "builtins.int" | "builtins.float" | "builtins.str" as name, _:
                return name.removeprefix("builtins.")
            case "builtins.list", (TypeForm() as item,):
                kind = item.value_type()
                return f"list[{kind}]" if kind in ("bool", "int", "float", "str") else "json"
            case "builtins.list", ():
                return "list[str]"
            case "builtins.dict", _:
                return "json"
            case "typing.Literal", values:
                return next((type(value).__name__ for value in values if value is not None), None)
        return None


@dataclass(frozen=True, slots=True)
class Annotation:
    """What an annotation says of a field.

    Attributes:
        type: its type, None left out of a union with one other member.
        nullable: whether None is among its values.
        on_command_line: whether help or argument metadata is attached, so that an option can be made of it.
        argument: the keywords of the attached argument metadata; empty where a help text stands alone.
        namespace: the section of the record that a marker puts the field in, or "".
    """

    type: TypeForm
    nullable: bool
    on_command_line: bool = False
    argument: Mapping[str, Any] | None = None
    namespace: str = ""


class Annotations:
    """Reads annotations of a package's modules."""

    def __init__(self, constants: Constants) -> None:
        self._constants = constants

    def read(self, module: Module, node: ast.expr) -> Annotation:
        """What the annotation NODE in a module says."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self.read(module, ast.parse(node.value, mode="eval").body)
        if isinstance(node, ast.Subscript) and self._form(module, node.value).name == "typing.Annotated":
            inner, *metadata = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            form, nullable = _without_none(self._form(module, inner))
            argument, namespace = self._metadata(module, metadata)
            return Annotation(form, nullable, argument is not None, argument, namespace)
        form, nullable = _without_none(self._form(module, node))
        return Annotation(form, nullable)

    def _metadata(self, module: Module, metadata: list[ast.expr]) -> tuple[dict[str, Any] | None, str]:
        argument: dict[str, Any] | None = None
        namespace = ""
        for node in metadata:
            value = self._constants.value(module, node)
            if isinstance(value, str):
                argument = {"help": value} if argument is None else argument
            elif isinstance(value, Instance) and value.cls.name == "Arg" and argument is None:
                argument = dict(value.keywords)
                argument.update(zip(("help",), value.positional, strict=False))
            elif isinstance(value, Instance) and value.cls.name == "NS":
                namespace = str(value.positional[0])
        return argument, namespace

    def _form(self, module: Module, node: ast.expr) -> TypeForm:
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                return self._form(module, ast.parse(node.value, mode="eval").body)
            return TypeForm("None" if node.value is None else _OPAQUE)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return TypeForm("typing.Union", (self._form(module, node.left), self._form(module, node.right)))
        if isinstance(node, ast.Subscript):
            generic = self._form(module, node.value)
            nodes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            if generic.name == "typing.Literal":
                return TypeForm(generic.name, tuple(self._constants.value(module, item) for item in nodes))
            return TypeForm(generic.name, tuple(self._form(module, item) for item in nodes))
        try:
            value = self._constants.value(module, node)
        except NotConstant:
            return TypeForm(_OPAQUE)
        if isinstance(value, (External, Class)):
            return TypeForm(_ALIASES.get(value.path, value.path))
        return TypeForm(_OPAQUE)


def _without_none(form: TypeForm) -> tuple[TypeForm, bool]:
    """The type without None, and whether it had it. A union of several others stays a union."""
    members = _members(form)
    others = tuple(member for member in members if member.name != "None")
    nullable = len(others) < len(members)
    if len(others) == 1:
        return others[0], nullable
    return TypeForm("typing.Union", others), nullable


def _members(form: TypeForm) -> tuple[TypeForm, ...]:
    if form.name == "typing.Optional":
        return (*_members(form.arguments[0]), TypeForm("None"))
    if form.name == "typing.Union":
        return tuple(inner for member in form.arguments for inner in _members(member))
    return (form,)
