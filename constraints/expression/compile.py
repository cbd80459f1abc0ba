"""Expressions to Python source: a quick way to the values that `evaluate` gives. Runs nothing.

The source computes on ordinary values as fast as hand-written Python, and raises wherever it meets poison
(`values`) or whatever `evaluate` would call a fault; who runs it then asks `evaluate`. Most operations
raise on poison by themselves. Where Python would not notice it, as an element of a list or beside `is`,
the source says `known(…)`.

It is made from the tree alone: the only text in it that comes from outside are literals in the form of
`repr`, and what `name_source` gives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, TypeAlias

from constraints.expression.functions import METHODS
from constraints.expression.runtime import NAMESPACE
from constraints.expression.syntax import (
    And,
    Arithmetic,
    Call,
    Collection,
    Comparison,
    Comprehension,
    Conditional,
    Expression,
    Item,
    Literal,
    Mapping,
    Name,
    Negative,
    Not,
    Or,
    Unknown,
)
from constraints.expression.text import (
    AND,
    ANY,
    ATOM,
    COMPARISON,
    CONDITIONAL,
    NEGATIVE,
    NOT,
    OPERAND,
    OPERATORS,
    OR,
    literal_binding,
    literal_text,
)

__all__ = ["NAMESPACE", "python_source"]

NameSource: TypeAlias = Callable[[str], str]
"""From a name's path to source that reads its value: a name or a subscription, such as `v[12]`."""

MAX_DEPTH: Final = 1000
"""Deeper expressions have no fast path: Python could not compile it."""
MAX_BRACKETS: Final = 150
"""How deep brackets may nest in the source; Python takes 200, and the caller has some of its own."""
SMALL: Final = 4
"""Up to this many literals, looking through them one by one is as quick as by hash."""


def python_source(expression: Expression, name_source: NameSource) -> str:
    """Source of one Python expression, to be compiled in brackets where `NAMESPACE` is the globals.

    Evaluated, it gives the value that `evaluate` gives, and never poison; or it raises some Exception
    (`Touched` for poison and limits). The source of a tree too deep to compile always raises.

    Args:
        expression: any tree.
        name_source: must not use names in `NAMESPACE` or ones that start with `local_`.
    """
    out: list[str] = []
    brackets = 0
    root = _Part(expression, ANY, frozenset(), 0)
    waiting: list[_Piece] = [*reversed(_known(root))]
    writer = _Writer(name_source)
    while waiting:
        piece = waiting.pop()
        if isinstance(piece, str):
            brackets += piece.count("(") + piece.count("[") + piece.count("{")
            brackets -= piece.count(")") + piece.count("]") + piece.count("}")
            if brackets > MAX_BRACKETS:
                return _NO_FAST_PATH
            out.append(piece)
        elif isinstance(piece, _Word):
            out.append(piece.text)
        else:
            if piece.depth > MAX_DEPTH:
                return _NO_FAST_PATH
            binding, pieces = writer.write(piece)
            if binding < piece.least:
                pieces = ("(", *pieces, ")")
            waiting.extend(reversed(pieces))
    return "".join(out)


_NO_FAST_PATH: Final = "unknown()"


@dataclass(frozen=True, slots=True)
class _Part:
    """An expression within the source.

    Attributes:
        node: the expression.
        least: how tightly it must bind to stand there without brackets.
        variables: the variables of comprehensions around it.
        depth: how many expressions it is in.
    """

    node: Expression
    least: int
    variables: frozenset[str]
    depth: int

    def inner(self, node: Expression, least: int) -> _Part:
        return _Part(node, least, self.variables, self.depth + 1)


@dataclass(frozen=True, slots=True)
class _Word:
    """Finished source of a name or literal, whose brackets are its own affair."""

    text: str


_Piece: TypeAlias = str | _Word | _Part
_Written: TypeAlias = tuple[int, Sequence[_Piece]]


def _known(part: _Part) -> tuple[_Piece, ...]:
    """The part so that poison is noticed even where nothing is done with it."""
    if _may_be_poison(part):
        return "known(", replace(part, least=ANY), ")"
    return (part,)


def _may_be_poison(part: _Part) -> bool:
    """Whether the value of the part's source can be poison; if not, computing it raises."""
    waiting = [part.node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Name):
            if node.path not in part.variables:
                return True
        elif isinstance(node, Conditional):
            waiting += node.then, node.otherwise
        elif isinstance(node, And | Or):
            waiting += node.operands[-1:]
        elif isinstance(node, Call) and node.function == "default":
            return True
    return False


def _are_literals(nodes: Sequence[Expression]) -> bool:
    """Whether all are literals, and no NaN, which is unlike itself."""
    return all(isinstance(node, Literal) and node.value == node.value for node in nodes)


def _separated(pieces: Sequence[Sequence[_Piece]], separator: str) -> list[_Piece]:
    result: list[_Piece] = []
    for piece in pieces:
        result += [separator, *piece]
    return result[1:]


class _Writer:
    """How each kind of node is written. Keeps nothing but where names are read from."""

    def __init__(self, name_source: NameSource) -> None:
        self._name_source = name_source

    def write(self, part: _Part) -> _Written:
        """The pieces that the part's source consists of, and how tightly they bind together."""
        return self._WRITERS[type(part.node)](self, part.node, part)

    def _literal(self, node: Literal, _: _Part) -> _Written:
        return literal_binding(node.value), (_Word(literal_text(node.value)),)

    def _name(self, node: Name, part: _Part) -> _Written:
        if node.path in part.variables:
            return ATOM, (f"local_{node.path}",)
        return ATOM, (_Word(self._name_source(node.path)),)

    def _unknown(self, _: Unknown, __: _Part) -> _Written:
        return ATOM, ("unknown()",)

    def _not(self, node: Not, part: _Part) -> _Written:
        return NOT, ("not ", part.inner(node.operand, NOT))

    def _and(self, node: And, part: _Part) -> _Written:
        return AND, _separated([[part.inner(each, NOT)] for each in node.operands], " and ")

    def _or(self, node: Or, part: _Part) -> _Written:
        return OR, _separated([[part.inner(each, AND)] for each in node.operands], " or ")

    def _comparison(self, node: Comparison, part: _Part) -> _Written:
        if node.operator in {"is", "is not"}:
            return self._identity(node, part)
        left = part.inner(node.left, OPERAND)
        right: Sequence[_Piece] = (part.inner(node.right, OPERAND),)
        if node.operator in {"in", "not in"}:
            looks = isinstance(node.right, Literal)
            if isinstance(node.right, Collection):
                looks = bool(node.right.elements)
                if looks and _are_literals(node.right.elements):
                    right = self._constants(node.right, part)
            if not looks and _may_be_poison(left):
                call = "contains(", replace(left, least=ANY), ", ", part.inner(node.right, ANY), ")"
                return (ATOM, call) if node.operator == "in" else (NOT, ("not ", *call))
        return COMPARISON, (left, f" {node.operator} ", *right)

    def _constants(self, node: Collection, part: _Part) -> Sequence[_Piece]:
        """A collection of literals to look something up in; Python builds it once, when it compiles."""
        elements = [[part.inner(each, ANY)] for each in node.elements]
        if node.kind == "set" or len(elements) > SMALL:
            return ("{", *_separated(elements, ", "), "}")
        return ("(", *_separated(elements, ", "), ",)" if len(elements) == 1 else ")")

    def _identity(self, node: Comparison, part: _Part) -> _Written:
        left = part.inner(node.left, OPERAND)
        if isinstance(node.left, Name) and node.right == Literal(None):
            # Only None equals None, and `==` notices poison where `is` does not.
            operator = "==" if node.operator == "is" else "!="
            return COMPARISON, (left, f" {operator} None")
        known = "known(", replace(left, least=ANY), ")"
        return COMPARISON, (*known, f" {node.operator} ", part.inner(node.right, OPERAND))

    def _arithmetic(self, node: Arithmetic, part: _Part) -> _Written:
        binding = OPERATORS[node.operator]
        right: Sequence[_Piece] = (part.inner(node.right, binding + 1),)
        is_formatting = isinstance(node.left, Literal) and isinstance(node.left.value, str)
        if node.operator == "%":
            # If the left side is text, Python formats it with the right one, and would with poison too.
            right = _known(part.inner(node.right, binding + 1))
        if node.operator in {"*", "**"} or (node.operator == "%" and is_formatting):
            return ATOM, (f"{_LIMITED[node.operator]}(", part.inner(node.left, ANY), ", ", *right, ")")
        return binding, (part.inner(node.left, binding), f" {node.operator} ", *right)

    def _negative(self, node: Negative, part: _Part) -> _Written:
        return NEGATIVE, ("-", part.inner(node.operand, NEGATIVE))

    def _conditional(self, node: Conditional, part: _Part) -> _Written:
        then, test = part.inner(node.then, OR), part.inner(node.test, OR)
        return CONDITIONAL, (then, " if ", test, " else ", part.inner(node.otherwise, CONDITIONAL))

    def _call(self, node: Call, part: _Part) -> _Written:
        arguments = [part.inner(argument, ANY) for argument in node.arguments]
        if node.function == "default":
            name, fallback = (replace(each, least=OR) for each in arguments)
            return CONDITIONAL, (fallback, " if ", name, " is MISSING else ", name)
        if node.function == "has":
            return ATOM, ("has(", arguments[0], ")")
        if node.function == "crashes":
            return ATOM, ("crashes(lambda: ", *_known(arguments[0]), ")")
        first = node.arguments[0] if node.arguments else None
        if node.function in METHODS and not isinstance(first, Literal):
            rest = _separated([_known(each) for each in arguments[1:]], ", ")
            return ATOM, (replace(arguments[0], least=ATOM), f".{node.function}(", *rest, ")")
        notices = node.function in _NOTICING
        written = _separated([[each] if notices else _known(each) for each in arguments], ", ")
        return ATOM, (f"{node.function}(", *written, ")")

    def _item(self, node: Item, part: _Part) -> _Written:
        index = part.inner(node.index, ANY)
        if isinstance(node.value, Name | Call | Item):
            return ATOM, (part.inner(node.value, ATOM), "[", index, "]")
        # Python's compiler warns of subscripts that cannot work, such as `5[0]`.
        return ATOM, ("item(", part.inner(node.value, ANY), ", ", index, ")")

    def _collection(self, node: Collection, part: _Part) -> _Written:
        elements = [part.inner(each, ANY) for each in node.elements]
        if node.kind == "set":
            written = _separated([[each] for each in elements], ", ")
            return ATOM, ("{", *written, "}") if written else ("set()",)
        written = _separated([_known(each) for each in elements], ", ")
        if node.kind == "list":
            return ATOM, ("[", *written, "]")
        return ATOM, ("(", *written, ",)" if len(elements) == 1 else ")")

    def _mapping(self, node: Mapping, part: _Part) -> _Written:
        pairs = [
            [part.inner(key, ANY), ": ", *_known(part.inner(value, ANY))]
            for key, value in zip(node.keys, node.values, strict=True)
        ]
        return ATOM, ("{", *_separated(pairs, ", "), "}")

    def _comprehension(self, node: Comprehension, part: _Part) -> _Written:
        inside = replace(part, variables=part.variables | {node.variable})
        element: Sequence[_Piece] = (inside.inner(node.element, ANY),)
        opening, closing = f"{node.kind}(", ")"
        if node.kind == "list":
            opening, closing = "[", "]"
            element = _known(inside.inner(node.element, ANY))
        elif node.kind == "set":
            opening, closing = "{", "}"
        iterable: Sequence[_Piece] = ("ordered(", part.inner(node.iterable, ANY), ")")
        if isinstance(node.iterable, Collection) and node.iterable.kind != "set":
            iterable = (part.inner(node.iterable, OR),)
        condition = () if node.condition is None else (" if ", inside.inner(node.condition, OR))
        variable = f" for local_{node.variable} in "
        return ATOM, (opening, *element, variable, *iterable, *condition, closing)

    _WRITERS: ClassVar[dict[type[Expression], Callable[[_Writer, Any, _Part], _Written]]] = {
        Literal: _literal,
        Name: _name,
        Unknown: _unknown,
        Not: _not,
        And: _and,
        Or: _or,
        Comparison: _comparison,
        Arithmetic: _arithmetic,
        Negative: _negative,
        Conditional: _conditional,
        Call: _call,
        Item: _item,
        Collection: _collection,
        Mapping: _mapping,
        Comprehension: _comprehension,
    }


_LIMITED: Final = {"*": "multiply", "**": "power", "%": "remainder"}
"""Operators that may ask for more than there is, and the functions that say no."""

_NOTICING: Final = frozenset(
    {"len", "min", "max", "sorted", "any", "all", "list", "tuple", "set", "int", "float", "bool"}
    | {"abs", "round", "floor", "ceil", "sqrt", "log2", "gcd"}
)
"""Functions that raise on poison in any argument; for others it is looked for in each."""
