"""The constants of a package, worked out from its syntax trees: nothing of it is imported or run.

Follows imports, literals, class attributes, enum members, and small functions without effects.
It is no interpreter: whatever it does not understand raises `NotConstant` with its place.
"""

from __future__ import annotations

import ast
import copy
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from constraints.sglang.modules import Import, Module, Modules

Described: TypeAlias = Callable[..., Any]
"""A function outside the package, or one that should not be entered, in our own words."""

STEP_LIMIT = 200_000
"""Syntax nodes looked at for one value; only a loop that was never meant to be constant reaches it."""


class NotConstant(Exception):
    """An expression whose value cannot be told from the source.

    Attributes:
        at: `file:line`.
        reason: what was not understood.
    """

    def __init__(self, at: str, reason: str) -> None:
        super().__init__(f"{at}: {reason}")
        self.at = at
        self.reason = reason


@dataclass(frozen=True, slots=True)
class External:
    """Something defined outside the package, by its dotted path: `typing.Optional`, `builtins.int`."""

    path: str


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """A function, lambda or class of the package. `local` are the names around it, if any."""

    module: Module
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
    local: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return "<lambda>" if isinstance(self.node, ast.Lambda) else self.node.name

    @property
    def path(self) -> str:
        return f"{self.module.name}.{self.name}"


@dataclass(frozen=True, slots=True)
class EnumMember:
    """A member of an enumeration."""

    name: str
    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """An object of a class of the package, as it was constructed; its class is not run."""

    cls: Definition
    positional: tuple[Any, ...]
    keywords: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """An object described in our own words, by its attributes."""

    attributes: Mapping[str, Any]


class Effect:
    """A value whose methods may be called for what they do: subclasses record the calls."""

    def member(self, name: str) -> Any:
        """The attribute NAME: a value, or a `Described` function."""
        raise NotImplementedError


def plain(value: Any) -> Any:
    """A value as data: sets sorted to tuples, enum members by their values.

    Raises:
        TypeError: for functions, classes and objects, which are no data.
    """
    if isinstance(value, EnumMember):
        return plain(value.value)
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return tuple(sorted((plain(item) for item in value), key=repr))
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, tuple):
        return tuple(plain(item) for item in value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"{value!r} is no data")


class Constants:
    """Evaluates expressions of the modules under a folder.

    Args:
        root: the folder that holds the package.
        package: the package's name; imports from elsewhere are `External`.
        described: what calls to external functions, and to methods by their bare name after a dot
            (`.get_something`), give. Called with the evaluated arguments.
    """

    def __init__(self, root: Path, package: str, described: Mapping[str, Described] | None = None) -> None:
        self.modules = Modules(root, package)
        self._described = {**_PURE, **(described or {})}
        self._names: dict[tuple[str, str], Any] = {}
        self._open: set[tuple[str, str]] = set()
        self._steps = 0
        self.site = ""
        """The place of the call that is being made."""

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

    def bind(self, module: Module, identifier: str, value: Any) -> None:
        """Says what a module-level name stands for, where its own statements are not to be followed."""
        self._names[module.name, identifier] = value

    def value(self, module: Module, node: ast.expr, local: Mapping[str, Any] | None = None) -> Any:
        """The value of an expression in a module, with the names around it.

        Raises:
            NotConstant: where that cannot be told.
        """
        self._steps = 0
        return self._value(_Frame(module, dict(local or {})), node)

    def call(
        self, function: Any, positional: Iterable[Any] = (), keywords: Mapping[str, Any] | None = None
    ) -> Any:
        """What calling a function of the package gives, its effects on `Effect` arguments included.

        Raises:
            NotConstant: where that cannot be told.
        """
        self._steps = 0
        return self._call(function, list(positional), dict(keywords or {}), "")

    def class_attribute(self, cls: Definition, attribute: str) -> Any:
        """An attribute in the body of a class or of its bases.

        Raises:
            NotConstant: where it has none, or its value cannot be told.
        """
        assert isinstance(cls.node, ast.ClassDef)
        body = _ClassScope(self, cls)
        if attribute in body:
            value = body[attribute]
            return EnumMember(attribute, value) if self.is_enum(cls) and not callable(value) else value
        for base in self.bases(cls):
            if isinstance(base, Definition):
                return self.class_attribute(base, attribute)
        raise NotConstant(cls.module.place(cls.node), f"{cls.name} has no {attribute}")

    def is_enum(self, cls: Definition) -> bool:
        """Whether a class is an enumeration."""
        return any(
            base.path.startswith("enum.") if isinstance(base, External) else self.is_enum(base)
            for base in self.bases(cls)
            if isinstance(base, (External, Definition))
        )

    def bases(self, cls: Definition) -> list[Any]:
        """The base classes of a class."""
        assert isinstance(cls.node, ast.ClassDef)
        return [self._value(_Frame(cls.module, dict(cls.local)), base) for base in cls.node.bases]

    def iterated(self, value: Any) -> list[Any]:
        """What walking over a value gives; for a set, in a fixed order."""
        if isinstance(value, Definition) and isinstance(value.node, ast.ClassDef) and self.is_enum(value):
            return list(self.enum_members(value))
        if isinstance(value, (set, frozenset)):
            return sorted(value, key=repr)
        return list(value)

    def enum_members(self, cls: Definition) -> list[EnumMember]:
        """The members of an enumeration in order; `auto()` counts from one."""
        assert isinstance(cls.node, ast.ClassDef)
        members: list[EnumMember] = []
        for statement in cls.node.body:
            if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
                continue
            name = statement.targets[0].id
            if name.startswith("_"):
                continue
            value = self._value(_Frame(cls.module, _ClassScope(self, cls)), statement.value)
            members.append(EnumMember(name, len(members) + 1 if value is _AUTO else value))
        return members

    # --- names

    def _bound(self, module: Module, identifier: str) -> Any:
        statements = module.binding(identifier)
        if not statements:
            for star in module.stars:
                source = self.modules.get(star)
                if source is not None and source.binding(identifier):
                    return self.name(source, identifier)
            if hasattr(_BUILTINS, identifier):
                return External(f"builtins.{identifier}")
            raise NotConstant(module.at, f"{identifier} is not bound")
        value: Any = _NOTHING
        for statement, conditions in statements:
            if isinstance(statement, Import):
                value = self._imported(module, statement)
                continue
            frame = _Frame(module, {})
            if not all(bool(self._value(frame, test)) is wanted for test, wanted in conditions):
                continue
            value = self._rebound(frame, identifier, statement, value)
        if value is _NOTHING:
            raise NotConstant(module.at, f"{identifier} is bound nowhere that is reached")
        return value

    def _rebound(self, frame: _Frame, identifier: str, statement: ast.stmt, value: Any) -> Any:
        """The value of a name after one more statement that binds or changes it."""
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return Definition(frame.module, statement)
        frame.local = {} if value is _NOTHING else {identifier: value}
        self._statement(frame, statement)
        return frame.local[identifier]

    def _imported(self, module: Module, wanted: Import) -> Any:
        if wanted.attribute is None:
            return self.modules.get(wanted.module) or External(wanted.module)
        source = self.modules.get(wanted.module)
        if source is not None and source.binding(wanted.attribute):
            return self.name(source, wanted.attribute)
        inner = self.modules.get(f"{wanted.module}.{wanted.attribute}")
        if inner is not None:
            return inner
        if source is not None:
            return self.name(source, wanted.attribute)
        return External(f"{wanted.module}.{wanted.attribute}")

    # --- expressions

    def _value(self, frame: _Frame, node: ast.expr) -> Any:
        self._steps += 1
        if self._steps > STEP_LIMIT:
            raise NotConstant(frame.module.place(node), "too much to work out")
        evaluate = getattr(self, f"_{type(node).__name__}", None)
        if evaluate is None:
            raise NotConstant(frame.module.place(node), f"{type(node).__name__} is not understood")
        try:
            return evaluate(frame, node)
        except NotConstant:
            raise
        except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError) as error:
            raise NotConstant(frame.module.place(node), f"{type(error).__name__}: {error}") from error

    def _Constant(self, frame: _Frame, node: ast.Constant) -> Any:
        return node.value

    def _Name(self, frame: _Frame, node: ast.Name) -> Any:
        if node.id in frame.local:
            return frame.local[node.id]
        return self.name(frame.module, node.id)

    def _Attribute(self, frame: _Frame, node: ast.Attribute) -> Any:
        return self._attribute(self._value(frame, node.value), node.attr, frame.module.place(node))

    def _attribute(self, owner: Any, attribute: str, at: str) -> Any:
        if isinstance(owner, External):
            return External(f"{owner.path}.{attribute}")
        if isinstance(owner, Module):
            return self.name(owner, attribute)
        if isinstance(owner, EnumMember) and attribute in ("name", "value"):
            return getattr(owner, attribute)
        if isinstance(owner, Effect):
            return owner.member(attribute)
        if isinstance(owner, Record):
            return owner.attributes[attribute]
        if isinstance(owner, Definition) and isinstance(owner.node, ast.ClassDef):
            return self.class_attribute(owner, attribute)
        if isinstance(owner, Instance):
            if f".{attribute}" in self._described:
                return _Bound(owner, self._described[f".{attribute}"])
            return self.class_attribute(owner.cls, attribute)
        if isinstance(owner, (str, list, tuple, dict, set, frozenset)) and attribute in _METHODS:
            return getattr(owner, attribute)
        raise NotConstant(at, f"attribute {attribute} is not understood")

    def _List(self, frame: _Frame, node: ast.List) -> list[Any]:
        return self._items(frame, node.elts)

    def _Tuple(self, frame: _Frame, node: ast.Tuple) -> tuple[Any, ...]:
        return tuple(self._items(frame, node.elts))

    def _Set(self, frame: _Frame, node: ast.Set) -> set[Any]:
        return set(self._items(frame, node.elts))

    def _items(self, frame: _Frame, nodes: list[ast.expr]) -> list[Any]:
        items: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                items.extend(self.iterated(self._value(frame, node.value)))
            else:
                items.append(self._value(frame, node))
        return items

    def _Dict(self, frame: _Frame, node: ast.Dict) -> dict[Any, Any]:
        result: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                result.update(self._value(frame, value))
            else:
                result[self._value(frame, key)] = self._value_or_opaque(frame, value)
        return result

    def _value_or_opaque(self, frame: _Frame, node: ast.expr) -> Any:
        """The value of a dict's entry; tables are often read for their keys alone."""
        try:
            return self._value(frame, node)
        except NotConstant as error:
            return Opaque(error)

    def _JoinedStr(self, frame: _Frame, node: ast.JoinedStr) -> str:
        parts = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                if part.format_spec is not None or part.conversion not in (-1, 115):
                    raise NotConstant(frame.module.place(node), "a formatted value is not understood")
                parts.append(str(plain(self._value(frame, part.value))))
            else:
                parts.append(str(self._value(frame, part)))
        return "".join(parts)

    def _BinOp(self, frame: _Frame, node: ast.BinOp) -> Any:
        apply = _BINARY.get(type(node.op))
        if apply is None:
            raise NotConstant(frame.module.place(node), f"{type(node.op).__name__} is not understood")
        return apply(self._value(frame, node.left), self._value(frame, node.right))

    def _UnaryOp(self, frame: _Frame, node: ast.UnaryOp) -> Any:
        operand = self._value(frame, node.operand)
        return _UNARY[type(node.op)](operand)

    def _BoolOp(self, frame: _Frame, node: ast.BoolOp) -> Any:
        value: Any = None
        for operand in node.values:
            value = self._value(frame, operand)
            if bool(value) is isinstance(node.op, ast.Or):
                break
        return value

    def _Compare(self, frame: _Frame, node: ast.Compare) -> bool:
        left = self._value(frame, node.left)
        for operation, comparator in zip(node.ops, node.comparators, strict=True):
            right = self._value(frame, comparator)
            if not _COMPARE[type(operation)](left, right):
                return False
            left = right
        return True

    def _IfExp(self, frame: _Frame, node: ast.IfExp) -> Any:
        return self._value(frame, node.body if self._value(frame, node.test) else node.orelse)

    def _Subscript(self, frame: _Frame, node: ast.Subscript) -> Any:
        owner = self._value(frame, node.value)
        if not isinstance(owner, (str, list, tuple, dict)):
            raise NotConstant(frame.module.place(node), "a subscript is not understood")
        if isinstance(node.slice, ast.Slice):
            bounds = [None if part is None else self._value(frame, part)
                      for part in (node.slice.lower, node.slice.upper, node.slice.step)]  # fmt: skip
            return owner[slice(*bounds)]  # type: ignore[index]
        return owner[self._value(frame, node.slice)]

    def _Lambda(self, frame: _Frame, node: ast.Lambda) -> Definition:
        return Definition(frame.module, node, frame.local)

    def _ListComp(self, frame: _Frame, node: ast.ListComp) -> list[Any]:
        return [self._value(inner, node.elt) for inner in self._generated(frame, node.generators)]

    def _SetComp(self, frame: _Frame, node: ast.SetComp) -> set[Any]:
        return {self._value(inner, node.elt) for inner in self._generated(frame, node.generators)}

    def _GeneratorExp(self, frame: _Frame, node: ast.GeneratorExp) -> list[Any]:
        return [self._value(inner, node.elt) for inner in self._generated(frame, node.generators)]

    def _DictComp(self, frame: _Frame, node: ast.DictComp) -> dict[Any, Any]:
        return {
            self._value(inner, node.key): self._value(inner, node.value)
            for inner in self._generated(frame, node.generators)
        }

    def _generated(self, frame: _Frame, generators: list[ast.comprehension]) -> Iterator[_Frame]:
        if not generators:
            yield frame
            return
        first, *others = generators
        for item in self.iterated(self._value(frame, first.iter)):
            inner = _Frame(frame.module, dict(frame.local))
            self._assign(inner, first.target, item)
            if all(self._value(inner, test) for test in first.ifs):
                yield from self._generated(inner, others)

    def _Call(self, frame: _Frame, node: ast.Call) -> Any:
        function = self._value(frame, node.func)
        positional = self._items(frame, node.args)
        keywords: dict[str, Any] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                keywords.update(self._value(frame, keyword.value))
            else:
                keywords[keyword.arg] = self._argument(frame, keyword.arg, keyword.value)
        self.site = frame.module.place(node)
        return self._call(function, positional, keywords, self.site)

    def _argument(self, frame: _Frame, name: str, node: ast.expr) -> Any:
        """An argument's value. A help text may be built from anything and is not needed."""
        if name != "help":
            return self._value(frame, node)
        try:
            return self._value(frame, node)
        except NotConstant:
            return ""

    def _call(self, function: Any, positional: list[Any], keywords: dict[str, Any], at: str) -> Any:
        if isinstance(function, External):
            described = self._described.get(function.path)
            if described is None:
                raise NotConstant(at, f"{function.path}() is not understood")
            if described in _ITERATING:
                positional = [self.iterated(value) for value in positional]
            return described(*positional, **keywords)
        if isinstance(function, _Bound):
            return function.described(function.owner, *positional, **keywords)
        if isinstance(function, Definition):
            if function.path in self._described:
                return self._described[function.path](*positional, **keywords)
            if isinstance(function.node, ast.ClassDef):
                return Instance(function, tuple(positional), keywords)
            return self._entered(function, positional, keywords)
        if callable(function):
            return function(*positional, **keywords)
        raise NotConstant(at, "what is called here is not understood")

    def _entered(self, function: Definition, positional: list[Any], keywords: dict[str, Any]) -> Any:
        node = function.node
        assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        frame = _Frame(function.module, dict(function.local))
        parameters = [*node.args.posonlyargs, *node.args.args]
        if node.args.vararg or node.args.kwarg or len(positional) > len(parameters):
            raise NotConstant(function.module.place(node), "its parameters are not understood")
        first_default = len(parameters) - len(node.args.defaults)
        for index, parameter in enumerate(parameters):
            if index < len(positional):
                frame.local[parameter.arg] = positional[index]
            elif parameter.arg in keywords:
                frame.local[parameter.arg] = keywords[parameter.arg]
            elif index >= first_default:
                frame.local[parameter.arg] = self._value(frame, node.args.defaults[index - first_default])
            else:
                raise NotConstant(function.module.place(node), f"no value for {parameter.arg}")
        for parameter, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
            if parameter.arg in keywords:
                frame.local[parameter.arg] = keywords[parameter.arg]
            elif default is not None:
                frame.local[parameter.arg] = self._value(frame, default)
        if isinstance(node, ast.Lambda):
            return self._value(frame, node.body)
        returned = self._block(frame, node.body)
        return None if returned is _NOTHING else returned

    # --- statements

    def _block(self, frame: _Frame, statements: list[ast.stmt]) -> Any:
        for statement in statements:
            returned = self._statement(frame, statement)
            if returned is not _NOTHING:
                return returned
        return _NOTHING

    def _statement(self, frame: _Frame, statement: ast.stmt) -> Any:
        """Carries out one statement; what it returns from the function, or `_NOTHING`."""
        match statement:
            case ast.Return(value=value):
                return None if value is None else self._value(frame, value)
            case ast.Assign(targets=targets, value=value):
                result = self._value(frame, value)
                for target in targets:
                    self._assign(frame, target, result)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(frame, target, self._value(frame, value))
            case ast.AugAssign(target=ast.Name(id=name), op=operation, value=value):
                frame.local[name] = _BINARY[type(operation)](
                    self._value(frame, ast.copy_location(ast.Name(name, ast.Load()), statement)),
                    self._value(frame, value),
                )
            case ast.Expr(value=value):
                self._value(frame, value)
            case ast.If(test=test, body=body, orelse=orelse):
                return self._block(frame, body if self._value(frame, test) else orelse)
            case ast.For(target=target, iter=iterable, body=body, orelse=[]):
                for item in self.iterated(self._value(frame, iterable)):
                    self._assign(frame, target, item)
                    returned = self._block(frame, body)
                    if returned is not _NOTHING:
                        return returned
            case ast.Import() | ast.ImportFrom():
                for name, wanted in frame.module.imports_of(statement):
                    frame.local[name] = self._imported(frame.module, wanted)
            case ast.Pass():
                pass
            case _:
                raise NotConstant(
                    frame.module.place(statement), f"{type(statement).__name__} is not understood"
                )
        return _NOTHING

    def _assign(self, frame: _Frame, target: ast.expr, value: Any) -> None:
        match target:
            case ast.Name(id=name):
                frame.local[name] = value
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                for element, item in zip(elements, self.iterated(value), strict=True):
                    self._assign(frame, element, item)
            case ast.Subscript(value=owner, slice=key):
                self._value(frame, owner)[self._value(frame, key)] = value
            case _:
                raise NotConstant(frame.module.place(target), "an assignment is not understood")


@dataclass(frozen=True, slots=True, eq=False)
class Opaque:
    """An entry of a table whose value could not be told."""

    why: NotConstant


@dataclass(slots=True)
class _Frame:
    """Where an expression stands: its module, and the names around it."""

    module: Module
    local: Any


@dataclass(frozen=True, slots=True, eq=False)
class _Bound:
    owner: Instance
    described: Described


class _ClassScope(Mapping[str, Any]):
    """The names bound in a class body, evaluated where they are asked for."""

    def __init__(self, constants: Constants, cls: Definition) -> None:
        assert isinstance(cls.node, ast.ClassDef)
        self._constants = constants
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
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            return Definition(self._cls.module, node)
        return self._constants._value(_Frame(self._cls.module, self), node)

    def __contains__(self, name: object) -> bool:
        return name in self._nodes

    def __iter__(self) -> Iterator[str]:
        return iter(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)


_NOTHING: Any = object()
_AUTO: Any = object()
_BUILTINS = __import__("builtins")

_METHODS = frozenset({
    *("lower", "upper", "title", "strip", "lstrip", "rstrip", "removeprefix", "removesuffix"),
    *("split", "join", "replace", "format", "startswith", "endswith", "index", "count"),
    *("keys", "values", "items", "get", "copy", "union", "intersection", "difference"),
    *("append", "extend", "add", "update", "insert", "remove", "discard", "sort"),
})  # fmt: skip
"""Methods of plain values that may be called."""

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.LShift: lambda left, right: left << min(right, 256),
    ast.Pow: lambda left, right: left ** min(right, 256),
}

_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}

_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: lambda left, right: left is right,
    ast.IsNot: lambda left, right: left is not right,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}


def _next(items: list[Any], *default: Any) -> Any:
    """`next` over a generator, which here is a list of all that it would give."""
    if items:
        return items[0]
    if default:
        return default[0][0] if isinstance(default[0], list) and default[0] else None
    raise LookupError("nothing to take the next of")


_ITERATING: frozenset[Described] = frozenset({list, tuple, set, frozenset, sorted, _next})
"""Described functions that walk over their arguments, which may be an enumeration."""

_PURE: dict[str, Described] = {
    "builtins.list": list,
    "builtins.tuple": tuple,
    "builtins.set": set,
    "builtins.frozenset": frozenset,
    "builtins.dict": dict,
    "builtins.sorted": sorted,
    "builtins.next": _next,
    "builtins.len": len,
    "builtins.str": str,
    "builtins.int": int,
    "builtins.float": float,
    "builtins.bool": bool,
    "builtins.range": range,
    "builtins.min": min,
    "builtins.max": max,
    "enum.auto": lambda: _AUTO,
}
