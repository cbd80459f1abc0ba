"""Values as noun phrases: "--tp-size // 2", "the length of --xs", "--a or else --b".

The half of `phrase` that makes no clauses; where a value hangs on a condition, that is a clause that the
other half makes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

from constraints.expression.english import Clause, listed, shown
from constraints.expression.forms import is_boolean
from constraints.expression.readable import SEARCHES, readable
from constraints.expression.syntax import (
    FALSE,
    NONE,
    TRUE,
    And,
    Arithmetic,
    Call,
    Collection,
    Comparison,
    ComparisonOperator,
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
from constraints.expression.text import ANY, ATOM, NEGATIVE, OPERATORS
from constraints.expression.wording import CALL_TERMS, EXTREMES, ORDINALS

WORDS: Final = 1
"""How tightly several words hold together: less than anything with an operator, more than "a if b"."""


class Nouns:
    """What names are called, and the variables of the comprehensions that a phrase is inside of.

    Args:
        name_phrase: what names are called.
        clause: a clause that says that a condition, in the form that `readable` gives it, holds.
    """

    def __init__(self, name_phrase: Callable[[str], str], clause: Callable[[Expression], Clause]) -> None:
        self._name_phrase = name_phrase
        self._clause = clause
        self.variables: list[str] = []

    def of(self, node: Expression, least: int = WORDS) -> str:
        """A noun phrase for the value, in brackets if it does not hold together as tightly as `least`."""
        binding, words = self._WRITERS[type(node)](self, node)
        return words if binding >= least else f"({words})"

    def of_each(self, nodes: Sequence[Expression]) -> list[str]:
        """Noun phrases for several values."""
        return [self.of(node) for node in nodes]

    def of_computation(self, node: Expression) -> str:
        """A noun phrase for a value as something computed: a conversion is said, which `of` may leave out."""
        is_conversion = isinstance(node, Call) and node.function in _CONVERSIONS and len(node.arguments) == 1
        if isinstance(node, Call) and is_conversion and not isinstance(node.arguments[0], Literal):
            return CALL_TERMS[node.function, 1].format(self.of(node.arguments[0]))
        return self.of(node, ANY)

    def of_iterable(self, node: Expression) -> str:
        """A noun phrase for what a comprehension goes through, where nothing empty need be said."""
        if isinstance(node, Conditional) and node.test == node.then and is_empty(node.otherwise):
            node = node.then
        if isinstance(node, Or) and len(node.operands) == 2 and is_empty(node.operands[1]):
            node = node.operands[0]
        return self.of(node)

    def whether(self, node: Expression) -> str:
        """For a value that is True or False: "whether A is greater than 1"."""
        clause = self._clause(readable(node))
        return f"whether {f'({clause.text})' if clause.conjunction else clause.text}"

    def _literal(self, node: Literal) -> tuple[int, str]:
        return ATOM, shown(node.value)

    def _name(self, node: Name) -> tuple[int, str]:
        words = node.path if node.path in self.variables else self._name_phrase(node.path)
        return WORDS if " " in words else ATOM, words

    def _unknown(self, node: Unknown) -> tuple[int, str]:
        return WORDS, f"a value that could not be followed ({node.site})"

    def _whether(self, node: Expression) -> tuple[int, str]:
        return ANY, self.whether(node)

    def _junction(self, node: And | Or) -> tuple[int, str]:
        if is_boolean(node):
            return self._whether(node)
        first, rest = node.operands[0], node.operands[1:]
        last = rest[0] if len(rest) == 1 else type(node)(rest)
        if isinstance(node, And):
            return self._conditional(Conditional(first, last, FALSE if is_boolean(first) else first))
        if is_boolean(first):
            return self._conditional(Conditional(first, TRUE, last))
        return ANY, f"{self.of(first)} or else {self.of(last, ANY)}"

    def _conditional(self, node: Conditional) -> tuple[int, str]:
        is_none: list[Expression] = [Comparison(operator, node.otherwise, NONE) for operator in _IS]
        is_given: list[Expression] = [Comparison(operator, node.then, NONE) for operator in _IS_NOT]
        if node.test in is_none:
            return ANY, f"{self.of(node.otherwise)} or else {self.of(node.then, ANY)}"
        then, otherwise = self.of(node.then), self.of(node.otherwise, ANY)
        if node.test == node.then or node.test in is_given:
            return ANY, f"{then} or else {otherwise}"
        test = self._clause(readable(node.test))
        return ANY, f"{then} if {f'({test.text})' if test.levels > 1 else test.text}, otherwise {otherwise}"

    def _arithmetic(self, node: Arithmetic) -> tuple[int, str]:
        binding = OPERATORS[node.operator]
        return binding, f"{self.of(node.left, binding)} {node.operator} {self.of(node.right, binding + 1)}"

    def _negative(self, node: Negative) -> tuple[int, str]:
        return NEGATIVE, f"-({self.of(node.operand)})"

    def _call(self, node: Call) -> tuple[int, str]:
        name, arguments = node.function, node.arguments
        if is_boolean(node):
            return self._whether(node)
        if name == "default" and arguments[1] == NONE:
            return self._WRITERS[type(arguments[0])](self, arguments[0])
        while name == "slice" and len(arguments) > 2 and arguments[-1] == NONE:
            arguments = arguments[:-1]
        words = self.of_each(arguments)
        if name == "str" and isinstance(arguments[0], Literal):
            return ATOM, shown(str(arguments[0].value))
        if name in _CONVERSIONS and len(words) == 1 and isinstance(arguments[0], _UNCHANGED):
            return WORDS if " " in words[0] else ATOM, words[0]
        if name in EXTREMES:
            return WORDS, f"the {EXTREMES[name][len(words) == 2]} of {listed(words, 'and')}"
        template = CALL_TERMS.get((name, len(words)))
        if template is None:
            return ATOM, f"{name}({', '.join(words)})"
        words = [template.format(*words)]
        return WORDS if " " in words[0] else ATOM, words[0]

    def _item(self, node: Item) -> tuple[int, str]:
        index = node.index.value if isinstance(node.index, Literal) else None
        if isinstance(node.value, Call) and node.value.function in SEARCHES:
            return WORDS, f"group {self.of(node.index)} of {self.of(node.value)}"
        if isinstance(index, int) and index in ORDINALS:
            return WORDS, f"the {ORDINALS[index]} of {self.of(node.value)}"
        return WORDS, f"{self.of(node.index)} of {self.of(node.value)}"

    def _collection(self, node: Collection) -> tuple[int, str]:
        words = ", ".join(self.of_each(node.elements))
        return ATOM, {"list": f"[{words}]", "set": f"{{{words}}}"}.get(node.kind, f"({words})")

    def _mapping(self, node: Mapping) -> tuple[int, str]:
        pairs = zip(self.of_each(node.keys), self.of_each(node.values), strict=True)
        return ATOM, f"{{{', '.join(f'{key}: {value}' for key, value in pairs)}}}"

    def _comprehension(self, node: Comprehension) -> tuple[int, str]:
        if node.kind in {"any", "all"}:
            return self._whether(node)
        whole = self.of_iterable(node.iterable)
        self.variables.append(node.variable)
        element = self.of(node.element)
        such = "" if node.condition is None else f" where {self._clause(readable(node.condition)).text}"
        self.variables.pop()
        kind = {"sum": "the sum of ", "set": "the distinct "}.get(node.kind, "")
        if element != node.variable:
            return ANY, f"{kind}{element} for each {node.variable} in {whole}{such}"
        if such:
            return ANY, f"{kind}{node.variable} in {whole}{such}"
        if node.kind == "list":
            return WORDS if " " in whole else ATOM, whole
        return WORDS, f"{kind}{'values of ' if node.kind == 'set' else ''}{whole}"

    _WRITERS: ClassVar[dict[type[Expression], Callable[[Nouns, Any], tuple[int, str]]]] = {
        Literal: _literal,
        Name: _name,
        Unknown: _unknown,
        Not: _whether,
        And: _junction,
        Or: _junction,
        Comparison: _whether,
        Conditional: _conditional,
        Arithmetic: _arithmetic,
        Negative: _negative,
        Call: _call,
        Item: _item,
        Collection: _collection,
        Mapping: _mapping,
        Comprehension: _comprehension,
    }


_IS: Final[tuple[ComparisonOperator, ...]] = ("is", "==")
_IS_NOT: Final[tuple[ComparisonOperator, ...]] = ("is not", "!=")
_CONVERSIONS: Final = frozenset({"int", "float", "str"})
_UNCHANGED: Final = (Name, Literal, Item)
"""Where a conversion of one of these changes the value, no reader of a sentence wants to know."""


def is_empty(node: Expression) -> bool:
    """Whether a literal or collection is the empty one of its kind."""
    if isinstance(node, Collection):
        return not node.elements
    return node in (Literal(""), Mapping((), ()))
