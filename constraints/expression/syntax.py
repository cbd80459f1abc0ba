"""The nodes of the rule language: immutable values, and nothing that evaluates them.

An expression is a tree of the classes below. Its text form is a small subset of Python's syntax
(`parse` reads it, `text` prints it). A name is a dotted path; what it stands for (a flag, a fact, a
value named by an earlier step) is said by the catalog, not by its shape.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Literal as OneOf
from typing import TypeAlias, final

Scalar: TypeAlias = bool | int | float | str | None
ComparisonOperator: TypeAlias = OneOf["==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not"]
ArithmeticOperator: TypeAlias = OneOf["+", "-", "*", "/", "//", "%", "**", "|", "&", "^"]
CollectionKind: TypeAlias = OneOf["tuple", "list", "set"]
ComprehensionKind: TypeAlias = OneOf["any", "all", "sum", "list", "set"]


@dataclass(frozen=True, slots=True, eq=False)
class Expression:
    """What every node is. Nodes are compared by structure and may be keys of a dict.

    The hash is computed once, when the node is made, from those of its parts: the extractor compares
    and looks up large shared trees all the time.
    """

    _hash: int = field(init=False, repr=False)
    size: int = field(init=False, repr=False)
    """How many nodes the tree has, shared ones counted as often as they stand in it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((type(self).__name__, *self.parts())))
        object.__setattr__(self, "size", 1 + sum([child.size for child in self.children()]))

    def parts(self) -> tuple[object, ...]:
        """What the node is made of, in the order of its constructor."""
        return ()

    def children(self) -> tuple[Expression, ...]:
        """The direct sub-expressions, left to right."""
        return ()

    def walk(self) -> Iterator[Expression]:
        """This node and all below it, parents first. Iterative, so that depth is no limit."""
        stack: list[Expression] = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children()))

    def distinct(self) -> Iterator[Expression]:
        """Every different node of the tree once, parents first."""
        seen: set[Expression] = set()
        stack: list[Expression] = [self]
        while stack:
            node = stack.pop()
            if node not in seen:
                seen.add(node)
                yield node
                stack.extend(reversed(node.children()))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Expression) or self._hash != other._hash:
            return False
        # Iterative like `walk`: two equal trees may be deeper than Python's stack.
        pairs: list[tuple[object, object]] = [(self, other)]
        while pairs:
            left, right = pairs.pop()
            if left is right:
                continue
            if type(left) is not type(right):
                return False
            if isinstance(left, Expression) and isinstance(right, Expression):
                if left._hash != right._hash:
                    return False
                left, right = left.parts(), right.parts()
            if isinstance(left, tuple) and isinstance(right, tuple):
                if len(left) != len(right):
                    return False
                pairs.extend(zip(left, right, strict=True))
            elif left != right:
                return False
        return True

    def __reduce__(self) -> tuple[type[Expression], tuple[object, ...]]:
        # Made anew where it is unpickled: hashes of text differ from process to process.
        return type(self), tuple(getattr(self, part.name) for part in fields(self) if part.init)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Literal(Expression):
    """A scalar written down. `1`, `1.0` and `True` are three literals, though Python calls them equal."""

    value: Scalar

    def parts(self) -> tuple[object, ...]:
        # As text, `0.0` differs from `-0.0`, and NaN is like itself.
        value = repr(self.value) if isinstance(self.value, float) else self.value
        return (type(self.value).__name__, value)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Name(Expression):
    """A variable by its dotted path: `tp_size`, `gpu.is_sm100`, `env.SGLANG_X`, `given.tp_size`."""

    path: str

    def parts(self) -> tuple[object, ...]:
        return (self.path,)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Unknown(Expression):
    """A value that extraction could not follow; `site` (file:line) and `cause` say where and why."""

    site: str
    cause: str = ""

    def parts(self) -> tuple[object, ...]:
        return (self.site, self.cause)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Not(Expression):
    """True where the operand is falsy."""

    operand: Expression

    def parts(self) -> tuple[object, ...]:
        return (self.operand,)

    def children(self) -> tuple[Expression, ...]:
        return (self.operand,)


@final
@dataclass(frozen=True, slots=True, eq=False)
class And(Expression):
    """Two or more operands; as in Python, the value is the first falsy one or the last."""

    operands: tuple[Expression, ...]

    def parts(self) -> tuple[object, ...]:
        return self.operands

    def children(self) -> tuple[Expression, ...]:
        return self.operands


@final
@dataclass(frozen=True, slots=True, eq=False)
class Or(Expression):
    """Two or more operands; as in Python, the value is the first truthy one or the last."""

    operands: tuple[Expression, ...]

    def parts(self) -> tuple[object, ...]:
        return self.operands

    def children(self) -> tuple[Expression, ...]:
        return self.operands


@final
@dataclass(frozen=True, slots=True, eq=False)
class Comparison(Expression):
    """One comparison of two operands; `a < b < c` is the conjunction of two."""

    operator: ComparisonOperator
    left: Expression
    right: Expression

    def parts(self) -> tuple[object, ...]:
        return (self.operator, self.left, self.right)

    def children(self) -> tuple[Expression, ...]:
        return (self.left, self.right)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Arithmetic(Expression):
    """One binary operation on numbers, strings, lists or sets."""

    operator: ArithmeticOperator
    left: Expression
    right: Expression

    def parts(self) -> tuple[object, ...]:
        return (self.operator, self.left, self.right)

    def children(self) -> tuple[Expression, ...]:
        return (self.left, self.right)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Negative(Expression):
    """The number with its sign changed. `-1` is a literal, `-x` is this."""

    operand: Expression

    def parts(self) -> tuple[object, ...]:
        return (self.operand,)

    def children(self) -> tuple[Expression, ...]:
        return (self.operand,)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Conditional(Expression):
    """`then if test else otherwise`."""

    test: Expression
    then: Expression
    otherwise: Expression

    def parts(self) -> tuple[object, ...]:
        return (self.test, self.then, self.otherwise)

    def children(self) -> tuple[Expression, ...]:
        return (self.then, self.test, self.otherwise)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Call(Expression):
    """One of the language's own pure functions, by name (see `functions`)."""

    function: str
    arguments: tuple[Expression, ...]

    def parts(self) -> tuple[object, ...]:
        return (self.function, *self.arguments)

    def children(self) -> tuple[Expression, ...]:
        return self.arguments


@final
@dataclass(frozen=True, slots=True, eq=False)
class Item(Expression):
    """`value[index]`: an element of a list, or the value of a key; an error where there is none."""

    value: Expression
    index: Expression

    def parts(self) -> tuple[object, ...]:
        return (self.value, self.index)

    def children(self) -> tuple[Expression, ...]:
        return (self.value, self.index)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Collection(Expression):
    """A tuple, list or set written down element by element."""

    kind: CollectionKind
    elements: tuple[Expression, ...]

    def parts(self) -> tuple[object, ...]:
        return (self.kind, *self.elements)

    def children(self) -> tuple[Expression, ...]:
        return self.elements


@final
@dataclass(frozen=True, slots=True, eq=False)
class Mapping(Expression):
    """A dict written down; `keys[i]` goes with `values[i]`."""

    keys: tuple[Expression, ...]
    values: tuple[Expression, ...]

    def parts(self) -> tuple[object, ...]:
        return (self.keys, self.values)

    def children(self) -> tuple[Expression, ...]:
        return tuple(node for pair in zip(self.keys, self.values, strict=True) for node in pair)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Comprehension(Expression):
    """`any(element for variable in iterable if condition)`, or all, sum, or a list or set of them.

    `variable` is a plain identifier, readable as a `Name` inside `element` and `condition` alone; it
    hides any other name of that spelling.
    """

    kind: ComprehensionKind
    element: Expression
    variable: str
    iterable: Expression
    condition: Expression | None = None

    def parts(self) -> tuple[object, ...]:
        return (self.kind, self.element, self.variable, self.iterable, self.condition)

    def children(self) -> tuple[Expression, ...]:
        inner = (self.element, self.iterable)
        return inner if self.condition is None else (*inner, self.condition)


TRUE = Literal(True)
FALSE = Literal(False)
NONE = Literal(None)
