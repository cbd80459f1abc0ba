"""Evaluates expressions of Python over constants. What names, attributes and calls mean is another's."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from constraints.sglang.modules import Module
from constraints.sglang.source_values import Function, NotConstant, Opaque, plain

STEP_LIMIT = 200_000
"""Syntax nodes looked at for one value; only a loop that was never meant to be constant reaches it."""

SIZE_LIMIT = 100_000
"""How long a repeated text or list may become."""

EXPONENT_LIMIT = 256
"""The largest power, and the widest shift."""


@dataclass(slots=True)
class Frame:
    """Where an expression stands: its module, and the names around it."""

    module: Module
    local: Any


class Resolver(Protocol):
    """Gives names, attributes and calls their meaning. All raise `NotConstant` where they have none."""

    def name(self, module: Module, identifier: str) -> Any:
        """What a module-level name stands for."""

    def attribute(self, owner: Any, attribute: str, at: str) -> Any:
        """What `owner.attribute` is."""

    def called(self, function: Any, positional: list[Any], keywords: dict[str, Any], at: str) -> Any:
        """What a call gives."""

    def iterated(self, value: Any) -> list[Any]:
        """What walking over a value gives."""


class Expressions:
    """Evaluates expressions, with the help of a resolver."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._steps = 0

    def restart(self) -> None:
        """Counts the steps anew, for another value."""
        self._steps = 0

    def value(self, frame: Frame, node: ast.expr) -> Any:
        """The value of an expression.

        Raises:
            NotConstant: where it cannot be told.
        """
        self._steps += 1
        if self._steps > STEP_LIMIT:
            raise NotConstant(frame.module.place(node), "too much to work out")
        try:
            return self._value(frame, node)
        except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError) as error:
            raise NotConstant(frame.module.place(node), f"{type(error).__name__}: {error}") from error

    def _value(self, frame: Frame, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return frame.local[name] if name in frame.local else self._resolver.name(frame.module, name)
            case ast.Attribute(value=owner, attr=attribute):
                return self._resolver.attribute(self.value(frame, owner), attribute, frame.module.place(node))
            case ast.Call():
                return self._call(frame, node)
            case ast.List(elts=items):
                return self.items(frame, items)
            case ast.Tuple(elts=items):
                return tuple(self.items(frame, items))
            case ast.Set(elts=items):
                return set(self.items(frame, items))
            case ast.Dict(keys=keys, values=values):
                return self._dict(frame, keys, values)
            case ast.JoinedStr(values=parts):
                return "".join(self._formatted(frame, part) for part in parts)
            case ast.BinOp(left=left, op=operation, right=right):
                return binary(operation, self.value(frame, left), self.value(frame, right))
            case ast.UnaryOp(op=sign, operand=operand):
                return _UNARY[type(sign)](self.value(frame, operand))
            case ast.BoolOp():
                return self._bool(frame, node)
            case ast.Compare():
                return self._compare(frame, node)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.value(frame, body if self.value(frame, test) else orelse)
            case ast.Subscript(value=owner, slice=key):
                return self._subscript(self.value(frame, owner), frame, key)
            case ast.Lambda():
                return Function(frame.module, node, frame.local)
            case ast.ListComp(elt=item) | ast.GeneratorExp(elt=item):
                return [self.value(inner, item) for inner in self._generated(frame, node.generators)]
            case ast.SetComp(elt=item):
                return {self.value(inner, item) for inner in self._generated(frame, node.generators)}
            case ast.DictComp(key=name_node, value=item):
                inside = self._generated(frame, node.generators)
                return {self.value(inner, name_node): self.value(inner, item) for inner in inside}
        raise NotConstant(frame.module.place(node), f"{type(node).__name__} is not understood")

    def items(self, frame: Frame, nodes: Sequence[ast.expr]) -> list[Any]:
        """The values of a list's elements, `*starred` ones included."""
        items: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                items.extend(self._resolver.iterated(self.value(frame, node.value)))
            else:
                items.append(self.value(frame, node))
        return items

    def assign(self, frame: Frame, target: ast.expr, value: Any) -> None:
        """Binds a target of an assignment, or of a loop, to a value."""
        match target:
            case ast.Name(id=name):
                frame.local[name] = value
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                for element, item in zip(elements, self._resolver.iterated(value), strict=True):
                    self.assign(frame, element, item)
            case ast.Subscript(value=owner, slice=key):
                self.value(frame, owner)[self.value(frame, key)] = value
            case _:
                raise NotConstant(frame.module.place(target), "an assignment is not understood")

    def _call(self, frame: Frame, node: ast.Call) -> Any:
        function = self.value(frame, node.func)
        positional = self.items(frame, node.args)
        keywords: dict[str, Any] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                keywords.update(self.value(frame, keyword.value))
            else:
                keywords[keyword.arg] = self._argument(frame, keyword.arg, keyword.value)
        return self._resolver.called(function, positional, keywords, frame.module.place(node))

    def _argument(self, frame: Frame, name: str, node: ast.expr) -> Any:
        """An argument's value. A help text may be built from anything, and is not needed."""
        try:
            return self.value(frame, node)
        except NotConstant:
            if name != "help":
                raise
            return ""

    def _dict(self, frame: Frame, keys: list[ast.expr | None], values: list[ast.expr]) -> dict[Any, Any]:
        result: dict[Any, Any] = {}
        for key, value in zip(keys, values, strict=True):
            if key is None:
                result.update(self.value(frame, value))
                continue
            try:
                result[self.value(frame, key)] = self.value(frame, value)
            except NotConstant as error:
                result[self.value(frame, key)] = Opaque(error)
        return result

    def _formatted(self, frame: Frame, part: ast.expr) -> str:
        if not isinstance(part, ast.FormattedValue):
            return str(self.value(frame, part))
        if part.format_spec is not None or part.conversion not in {-1, ord("s")}:
            raise NotConstant(frame.module.place(part), "a formatted value is not understood")
        return str(plain(self.value(frame, part.value)))

    def _bool(self, frame: Frame, node: ast.BoolOp) -> Any:
        value: Any = None
        for operand in node.values:
            value = self.value(frame, operand)
            if bool(value) is isinstance(node.op, ast.Or):
                break
        return value

    def _compare(self, frame: Frame, node: ast.Compare) -> bool:
        left = self.value(frame, node.left)
        for operation, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.value(frame, comparator)
            if not _COMPARE[type(operation)](left, right):
                return False
            left = right
        return True

    def _subscript(self, owner: Any, frame: Frame, key: ast.expr) -> Any:
        if not isinstance(owner, (str, list, tuple, dict)):
            raise NotConstant(frame.module.place(key), "a subscript is not understood")
        if isinstance(key, ast.Slice):
            parts = (key.lower, key.upper, key.step)
            bounds = [None if part is None else self.value(frame, part) for part in parts]
            return owner[slice(*bounds)]
        return owner[self.value(frame, key)]

    def _generated(self, frame: Frame, generators: list[ast.comprehension]) -> Iterator[Frame]:
        if not generators:
            yield frame
            return
        first, *others = generators
        for item in self._resolver.iterated(self.value(frame, first.iter)):
            inner = Frame(frame.module, dict(frame.local))
            self.assign(inner, first.target, item)
            if all(self.value(inner, test) for test in first.ifs):
                yield from self._generated(inner, others)


def binary(operation: ast.operator, left: Any, right: Any) -> Any:
    """What an operator gives for two constants.

    Raises:
        ValueError: for one that is not understood, or a result too large.
    """
    apply = _BINARY.get(type(operation))
    if apply is None:
        raise ValueError(f"{type(operation).__name__} is not understood")
    if isinstance(operation, (ast.Pow, ast.LShift)) and right > EXPONENT_LIMIT:
        raise ValueError("too large")
    if (
        isinstance(operation, ast.Mult)
        and isinstance(left, (str, list, tuple))
        and len(left) * right > SIZE_LIMIT
    ):
        raise ValueError("too large")
    return apply(left, right)


_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.LShift: operator.lshift,
    ast.Pow: operator.pow,
}

_UNARY: Mapping[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}

_COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}
