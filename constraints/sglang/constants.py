"""The constants of a package, worked out from its syntax trees: nothing of it is imported or run.

Follows imports, module-level bindings and changes, class attributes, enum members, and small functions
without effects. It is no interpreter: whatever it does not understand raises `NotConstant` with its place.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from constraints.sglang.constant_expressions import Expressions, Frame, binary
from constraints.sglang.modules import Import, Module, Modules
from constraints.sglang.source_values import (
    Class,
    Effect,
    EnumMember,
    External,
    Function,
    Instance,
    NotConstant,
    Record,
)

Described: TypeAlias = Callable[..., Any]
"""A function outside the package, or one that should not be entered, in our own words."""


class Constants:
    """Evaluates expressions of the modules under a folder.

    Args:
        root: the folder that holds the package.
        package: the package's name; what is imported from elsewhere is `External`.
        described: what calling an external function, a function of the package (both by dotted path) or a
            method of an object of the package (by its name after a dot) gives, for the evaluated arguments.

    Attributes:
        modules: the modules of the package.
        site: the place of the call that is being made, for described functions.
    """

    def __init__(self, root: Path, package: str, described: Mapping[str, Described] | None = None) -> None:
        self.modules = Modules(root, package)
        self.site = ""
        self._described = {**_PURE, **(described or {})}
        self._expressions = Expressions(self)
        self._names: dict[tuple[str, str], Any] = {}
        self._open: set[tuple[str, str]] = set()

    def bind(self, module: Module, identifier: str, value: Any) -> None:
        """Says what a module-level name stands for, where its own statements are not to be followed."""
        self._names[module.name, identifier] = value

    def name(self, module: Module, identifier: str) -> Any:
        """What a module-level name of a module stands for.

        Raises:
            NotConstant: where that cannot be told.
        """
        key = (module.name, identifier)
        if key not in self._names:
            if key in self._open:
                raise NotConstant(module.at, f"{identifier} depends on itself")
            self._open.add(key)
            try:
                self._names[key] = self._bound(module, identifier)
            finally:
                self._open.discard(key)
        value = self._names[key]
        return copy.copy(value) if isinstance(value, (list, dict, set)) else value

    def value(self, module: Module, node: ast.expr, local: Mapping[str, Any] | None = None) -> Any:
        """The value of an expression in a module, with the names around it.

        Raises:
            NotConstant: where that cannot be told.
        """
        self._expressions.restart()
        return self._expressions.value(Frame(module, dict(local or {})), node)

    def call(
        self, function: Any, positional: Iterable[Any] = (), keywords: Mapping[str, Any] | None = None
    ) -> Any:
        """What calling a function gives, its effects on `Effect` arguments included.

        Raises:
            NotConstant: where that cannot be told.
        """
        self._expressions.restart()
        return self.called(function, list(positional), dict(keywords or {}), self.site)

    # --- classes

    def class_attribute(self, cls: Class, attribute: str) -> Any:
        """An attribute in the body of a class or of its bases.

        Raises:
            NotConstant: where it has none, or its value cannot be told.
        """
        body = _ClassScope(self._expressions, cls)
        if attribute in body:
            value = body[attribute]
            is_member = self.is_enum(cls) and not isinstance(value, (Function, Class))
            return EnumMember(attribute, value) if is_member else value
        for base in self.bases(cls):
            if isinstance(base, Class):
                return self.class_attribute(base, attribute)
        raise NotConstant(cls.module.place(cls.node), f"{cls.name} has no {attribute}")

    def is_enum(self, cls: Class) -> bool:
        """Whether a class is an enumeration."""
        return any(
            base.path.startswith("enum.") if isinstance(base, External) else self.is_enum(base)
            for base in self.bases(cls)
            if isinstance(base, (External, Class))
        )

    def bases(self, cls: Class) -> list[Any]:
        """The base classes of a class."""
        return [self._expressions.value(Frame(cls.module, {}), base) for base in cls.node.bases]

    def enum_members(self, cls: Class) -> list[EnumMember]:
        """The members of an enumeration in order; `auto()` counts from one."""
        members: list[EnumMember] = []
        scope = _ClassScope(self._expressions, cls)
        for statement in cls.node.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)]) if not name.startswith("_"):
                    value = scope[name]
                    members.append(EnumMember(name, len(members) + 1 if value is _AUTO else value))
        return members

    # --- what expressions ask for

    def attribute(self, owner: Any, attribute: str, at: str) -> Any:
        """What `owner.attribute` is.

        Raises:
            NotConstant: where that cannot be told.
        """
        match owner:
            case External(path=path):
                return External(f"{path}.{attribute}")
            case Module():
                return self.name(owner, attribute)
            case Class():
                return self.class_attribute(owner, attribute)
            case Effect():
                return owner.member(attribute)
            case Record(attributes=attributes) if attribute in attributes:
                return attributes[attribute]
            case EnumMember(name=name, value=value) if attribute in {"name", "value"}:
                return name if attribute == "name" else value
            case Instance() if f".{attribute}" in self._described:
                return _Method(owner, self._described[f".{attribute}"])
            case Instance(cls=cls):
                return self.class_attribute(cls, attribute)
            case str() | list() | tuple() | dict() | set() | frozenset() if attribute in _METHODS:
                return getattr(owner, attribute)
        raise NotConstant(at, f"the attribute {attribute} is not understood")

    def called(self, function: Any, positional: list[Any], keywords: dict[str, Any], at: str) -> Any:
        """What a call at a place gives.

        Raises:
            NotConstant: where that cannot be told.
        """
        self.site = at
        match function:
            case External(path=path) | Function(path=path) | Class(path=path) if path in self._described:
                described = self._described[path]
                if described in _ITERATING:
                    positional = [self.iterated(value) for value in positional]
                return described(*positional, **keywords)
            case External(path=path):
                raise NotConstant(at, f"{path}() is not understood")
            case Function():
                return self._entered(function, positional, keywords)
            case Class():
                return Instance(function, tuple(positional), keywords)
            case _Method(owner=owner, described=described):
                return described(owner, *positional, **keywords)
        if callable(function):
            return function(*positional, **keywords)
        raise NotConstant(at, "what is called here is not understood")

    def iterated(self, value: Any) -> list[Any]:
        """What walking over a value gives; for a set, in a fixed order."""
        if isinstance(value, Class) and self.is_enum(value):
            return list(self.enum_members(value))
        if isinstance(value, (set, frozenset)):
            return sorted(value, key=repr)
        return list(value)

    # --- names

    def _bound(self, module: Module, identifier: str) -> Any:
        statements = module.binding(identifier)
        if not statements:
            return self._not_bound_here(module, identifier)
        value: Any = _NOTHING
        for statement, conditions in statements:
            if isinstance(statement, Import):
                value = self._imported(statement)
                continue
            frame = Frame(module, {})
            tests = ((self._expressions.value(frame, test), wanted) for test, wanted in conditions)
            if not all(bool(found) is wanted for found, wanted in tests):
                continue
            match statement:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    value = Function(module, statement)
                case ast.ClassDef():
                    value = Class(module, statement)
                case _:
                    frame.local = {} if value is _NOTHING else {identifier: value}
                    self._statement(frame, statement)
                    value = frame.local[identifier]
        if value is _NOTHING:
            raise NotConstant(module.at, f"{identifier} is bound nowhere that is reached")
        return value

    def _not_bound_here(self, module: Module, identifier: str) -> Any:
        for star in module.stars:
            source = self.modules.get(star)
            if source is not None and source.binding(identifier):
                return self.name(source, identifier)
        if hasattr(builtins, identifier):
            return External(f"builtins.{identifier}")
        raise NotConstant(module.at, f"{identifier} is not bound")

    def _imported(self, wanted: Import) -> Any:
        source = self.modules.get(wanted.module)
        if wanted.attribute is None:
            return source or External(wanted.module)
        if source is not None and source.binding(wanted.attribute):
            return self.name(source, wanted.attribute)
        inner = self.modules.get(f"{wanted.module}.{wanted.attribute}")
        if inner is not None:
            return inner
        if source is not None:
            return self.name(source, wanted.attribute)
        return External(f"{wanted.module}.{wanted.attribute}")

    # --- functions and statements

    def _entered(self, function: Function, positional: list[Any], keywords: dict[str, Any]) -> Any:
        node = function.node
        at = function.module.place(node)
        frame = Frame(function.module, dict(function.local))
        parameters = [*node.args.posonlyargs, *node.args.args]
        if node.args.vararg or node.args.kwarg or len(positional) > len(parameters):
            raise NotConstant(at, "its parameters are not understood")
        defaults: dict[str, ast.expr | None] = dict(
            zip((each.arg for each in reversed(parameters)), reversed(node.args.defaults), strict=False)
        )
        defaults |= zip((each.arg for each in node.args.kwonlyargs), node.args.kw_defaults, strict=True)
        given = dict(zip((each.arg for each in parameters), positional, strict=False)) | keywords
        for parameter in (*parameters, *node.args.kwonlyargs):
            default = defaults.get(parameter.arg)
            if parameter.arg in given:
                frame.local[parameter.arg] = given[parameter.arg]
            elif default is not None:
                frame.local[parameter.arg] = self._expressions.value(frame, default)
            else:
                raise NotConstant(at, f"no value for {parameter.arg}")
        if isinstance(node, ast.Lambda):
            return self._expressions.value(frame, node.body)
        returned = self._block(frame, node.body)
        return None if returned is _NOTHING else returned

    def _block(self, frame: Frame, statements: list[ast.stmt]) -> Any:
        for statement in statements:
            returned = self._statement(frame, statement)
            if returned is not _NOTHING:
                return returned
        return _NOTHING

    def _statement(self, frame: Frame, statement: ast.stmt) -> Any:
        """Carries out one statement; what it returns from the function, or `_NOTHING`."""
        value_of, assign = self._expressions.value, self._expressions.assign
        match statement:
            case ast.Return(value=value):
                return None if value is None else value_of(frame, value)
            case ast.Assign(targets=targets, value=value):
                result = value_of(frame, value)
                for target in targets:
                    assign(frame, target, result)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                assign(frame, target, value_of(frame, value))
            case ast.AugAssign(target=ast.Name(id=name), op=operation, value=value):
                before = ast.copy_location(ast.Name(name, ast.Load()), statement)
                frame.local[name] = binary(operation, value_of(frame, before), value_of(frame, value))
            case ast.Expr(value=value):
                value_of(frame, value)
            case ast.If(test=test, body=body, orelse=orelse):
                return self._block(frame, body if value_of(frame, test) else orelse)
            case ast.For(target=target, iter=iterable, body=body, orelse=[]):
                for item in self.iterated(value_of(frame, iterable)):
                    assign(frame, target, item)
                    returned = self._block(frame, body)
                    if returned is not _NOTHING:
                        return returned
            case ast.Import() | ast.ImportFrom():
                for name, wanted in frame.module.imports_of(statement):
                    frame.local[name] = self._imported(wanted)
            case ast.Pass():
                pass
            case _:
                at = frame.module.place(statement)
                raise NotConstant(at, f"{type(statement).__name__} is not understood")
        return _NOTHING


@dataclass(frozen=True, slots=True, eq=False)
class _Method:
    owner: Instance
    described: Described


class _ClassScope(Mapping[str, Any]):
    """The names bound in a class body, evaluated where they are asked for."""

    def __init__(self, expressions: Expressions, cls: Class) -> None:
        self._expressions = expressions
        self._cls = cls
        self._nodes: dict[str, ast.expr | ast.FunctionDef | ast.ClassDef] = {}
        for statement in cls.node.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self._nodes[name] = value
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                    self._nodes[name] = value
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    self._nodes[name] = statement

    def __getitem__(self, name: str) -> Any:
        node = self._nodes[name]
        if isinstance(node, ast.FunctionDef):
            return Function(self._cls.module, node)
        if isinstance(node, ast.ClassDef):
            return Class(self._cls.module, node)
        return self._expressions.value(Frame(self._cls.module, self), node)

    def __contains__(self, name: object) -> bool:
        return name in self._nodes

    def __iter__(self) -> Iterator[str]:
        return iter(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)


_NOTHING: Any = object()
_AUTO: Any = object()

_METHODS = frozenset({
    *("lower", "upper", "title", "strip", "lstrip", "rstrip", "removeprefix", "removesuffix"),
    *("split", "join", "replace", "format", "startswith", "endswith", "index", "count"),
    *("keys", "values", "items", "get", "copy", "union", "intersection", "difference"),
    *("append", "extend", "add", "update", "insert", "remove", "discard", "sort"),
})  # fmt: skip
"""Methods of plain values that may be called."""


def _next(items: list[Any]) -> Any:
    """`next` over a generator, which here is a list of all that it would give."""
    if not items:
        raise LookupError("nothing to take the next of")
    return items[0]


_ITERATING: frozenset[Described] = frozenset({list, tuple, set, frozenset, sorted, _next})
"""Described functions that walk over their arguments, which may be an enumeration."""

_PURE: Mapping[str, Described] = {
    "builtins.next": _next,
    "enum.auto": lambda: _AUTO,
    **{
        f"builtins.{function.__name__}": function
        for function in (
            list,
            tuple,
            set,
            frozenset,
            dict,
            sorted,
            len,
            str,
            int,
            float,
            bool,
            range,
            min,
            max,
        )
    },
}
