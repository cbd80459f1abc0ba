"""Expressions as English: clauses for conditions, noun phrases for values. Knows no flag by itself.

A sentence is made from the form of a condition in which people say it (`readable`). What names are called
is for the caller to say, and may depend on what is said of them: "--lora-paths is not given",
"the GPU is an H100". What has no words of its own is shown as the language writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final, TypeAlias

from constraints.expression.english import Clause, enumerated, joined, listed, shown
from constraints.expression.forms import is_boolean
from constraints.expression.readable import readable
from constraints.expression.syntax import (
    FALSE,
    NONE,
    TRUE,
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
from constraints.expression.text import ANY, ATOM, NEGATIVE, OPERATORS, text
from constraints.expression.wording import (
    AGAINST_LITERALS,
    AGAINST_OTHERS,
    CALL_PREDICATES,
    CALL_TERMS,
    EXTREMES,
    LENGTHS,
    NUMERIC,
    PREDICATES,
    TYPE_WORDS,
    VARIABLE_PREDICATES,
    Statement,
)

NamePhrase: TypeAlias = Callable[[str], str]
"""From a name's path to what it is called: `--tp-size`, "the GPU's memory in MiB"."""

NameStatement: TypeAlias = Callable[[str, Statement], "str | None"]
"""From a name's path and what is said of it to the predicate, "is on"; None for the usual one."""

WORDS: Final = 1
"""How tightly several words hold together: less than anything with an operator, more than "a if b"."""

MAX_DEPTH: Final = 60
"""Deeper conditions make no sentence that anybody could follow, and are shown as text."""


def phrase(
    condition: Expression, name_phrase: NamePhrase, name_statement: NameStatement | None = None
) -> str:
    """A clause that says that the condition holds; without a full stop, and beginning in small letters.

    Args:
        condition: an expression of which the truth counts.
        name_phrase: what names are called.
        name_statement: predicates for names of which nothing is said but a `Statement`.
    """
    if _is_deep(condition):
        return f"`{text(condition)}` holds"
    return _Phrasing(name_phrase, name_statement).clause(readable(condition)).text


def value_phrase(
    expression: Expression, name_phrase: NamePhrase, name_statement: NameStatement | None = None
) -> str:
    """A noun phrase for the value of an expression, "--tp-size // 2"; arguments as for `phrase`."""
    if _is_deep(expression):
        return f"`{text(expression)}`"
    return _Phrasing(name_phrase, name_statement).term(expression, ANY)


def _is_deep(expression: Expression) -> bool:
    level: tuple[Expression, ...] = (expression,)
    for _ in range(MAX_DEPTH):
        level = tuple(child for node in level for child in node.children())
        if not level:
            return False
    return True


class _Phrasing:
    """What names are called, and the variables of the comprehensions that a phrase is inside of."""

    def __init__(self, name_phrase: NamePhrase, name_statement: NameStatement | None) -> None:
        self._name_phrase = name_phrase
        self._name_statement = name_statement
        self._variables: list[str] = []

    # Conditions, in the form that `readable` gives them.

    def clause(self, node: Expression) -> Clause:
        """A clause that says that the condition holds."""
        if isinstance(node, Not):
            return self._stated(node.operand, holds=False)
        if isinstance(node, And | Or):
            clauses = [self.clause(operand) for operand in node.operands]
            return joined(clauses, "and" if isinstance(node, And) else "or")
        if isinstance(node, Comparison):
            return self._comparison(node)
        if isinstance(node, Conditional):
            test, then, otherwise = map(self.clause, (node.test, node.then, node.otherwise))
            return Clause(
                "", f"if {test.text} then {then.text}, otherwise {otherwise.text}", is_loose=True, levels=1
            )
        if isinstance(node, Comprehension) and node.kind in {"any", "all"}:
            return self._quantified(node)
        return self._stated(node, holds=True)

    def _stated(self, node: Expression, *, holds: bool) -> Clause:
        """That something is true, or false, which is neither a comparison nor made of other conditions."""
        if isinstance(node, Name):
            return self._statement(node, "true" if holds else "false")
        if isinstance(node, Literal):
            return Clause("", "always" if bool(node.value) is holds else "never")
        if isinstance(node, Unknown):
            verb = "holds" if holds else "does not hold"
            return Clause(f"a condition that could not be followed ({node.site})", verb)
        if isinstance(node, Arithmetic):
            if node.operator == "%":
                return self._multiple(node, holds=not holds)
            return Clause(self.term(node), "is not 0" if holds else "is 0")
        if isinstance(node, Call):
            return self._called(node, holds=holds)
        return Clause(self.term(node), "is set" if holds else "is not set")

    def _statement(self, node: Name, statement: Statement) -> Clause:
        predicate = None
        if node.path in self._variables:
            predicate = VARIABLE_PREDICATES.get(statement)
        elif self._name_statement is not None:
            predicate = self._name_statement(node.path, statement)
        return Clause(self.term(node), predicate or PREDICATES[statement])

    def _multiple(self, node: Arithmetic, *, holds: bool) -> Clause:
        predicate = "is a multiple of" if holds else "is not a multiple of"
        return Clause(self.term(node.left), f"{predicate} {self.term(node.right)}")

    def _called(self, node: Call, *, holds: bool) -> Clause:
        name, arguments = node.function, node.arguments
        if name == "has" and isinstance(arguments[0], Name):
            return self._statement(arguments[0], "present" if holds else "absent")
        if name == "crashes":
            return Clause(f"computing {self.term(arguments[0])}", "fails" if holds else "does not fail")
        if name == "is_instance":
            types = listed([TYPE_WORDS[str(each)] for each in _scalars(arguments[1])], "or")
            return Clause(self.term(arguments[0]), f"is {types}" if holds else f"is not {types}")
        if name in CALL_PREDICATES:
            subject, positive, negative = CALL_PREDICATES[name]
            rest = [each for index, each in enumerate(arguments) if index != subject]
            words = [self._alternatives(each) for each in rest]
            if name == "version_at_least":
                words = [word.strip("'") for word in words]
            return Clause(self.term(arguments[subject]), (positive if holds else negative).format(*words))
        if name in NUMERIC:
            return Clause(self.term(node), "is not 0" if holds else "is 0")
        if name == "len":
            return Clause(self.term(arguments[0]), "is not empty" if holds else "is empty")
        return Clause(self.term(node), "is set" if holds else "is not set")

    def _alternatives(self, node: Expression) -> str:
        if isinstance(node, Collection):
            return listed([self.term(each) for each in node.elements], "or")
        return self.term(node)

    def _comparison(self, node: Comparison) -> Clause:
        operator, left, right = node.operator, node.left, node.right
        if operator in {"in", "not in"}:
            return self._membership(node)
        is_equality = operator in {"==", "!=", "is", "is not"}
        holds = operator in {"==", "is"}
        if is_equality and isinstance(right, Literal):
            if right.value is None:
                return self._none(left, holds=holds)
            if isinstance(right.value, bool):
                return self._boolean(left, holds=holds is right.value)
            if right.value == 0 and isinstance(left, Arithmetic) and left.operator == "%":
                return self._multiple(left, holds=holds)
        if is_equality and _is_empty(right):
            return Clause(self.term(left), "is empty" if holds else "is not empty")
        emptiness = _length_says(node)
        if emptiness is not None and isinstance(left, Call):
            return Clause(self.term(left.arguments[0]), "is empty" if emptiness else "is not empty")
        subject, suffix = self._any_case(left, right)
        words = AGAINST_LITERALS if _is_written_down(right) else AGAINST_OTHERS
        return Clause(subject, f"{words[operator]} {self.term(right)}{suffix}")

    def _none(self, subject: Expression, *, holds: bool) -> Clause:
        if isinstance(subject, Name):
            return self._statement(subject, "none" if holds else "not none")
        return Clause(self.term(subject), PREDICATES["none" if holds else "not none"])

    def _boolean(self, subject: Expression, *, holds: bool) -> Clause:
        if isinstance(subject, Name) or is_boolean(subject):
            return self.clause(readable(subject, holds=holds))
        return Clause(self.term(subject), f"is {shown(holds)}")

    def _any_case(self, left: Expression, right: Expression) -> tuple[str, str]:
        """What is compared, and what to add where that is done in lower or upper case."""
        is_folded = isinstance(left, Call) and left.function in {"lower", "upper"}
        if isinstance(left, Call) and is_folded and _is_written_down(right):
            return self.term(left.arguments[0]), " in any letter case"
        return self.term(left), ""

    def _membership(self, node: Comparison) -> Clause:
        holds = node.operator == "in"
        left, right = node.left, node.right
        if isinstance(right, Collection | Mapping):
            elements = right.elements if isinstance(right, Collection) else right.keys
            if isinstance(left, Literal):
                subject = f"{'one' if holds else 'none'} of {listed([self.term(e) for e in elements], 'and')}"
                return Clause(subject, f"is {self.term(left)}", is_loose=True)
            subject, suffix = self._any_case(left, right)
            return Clause(
                subject, f"{self._among(elements, holds=holds)}{suffix}", is_loose=len(elements) > 1
            )
        if isinstance(right, Literal):
            return Clause(self.term(left), f"is {'' if holds else 'not '}part of {self.term(right)}")
        subject, suffix = self._any_case(right, left)
        return Clause(subject, f"{'contains' if holds else 'does not contain'} {self.term(left)}{suffix}")

    def _among(self, elements: Sequence[Expression], *, holds: bool) -> str:
        words = [self.term(each) for each in elements if each != NONE]
        if len(words) > 2:
            rest = f"{'one' if holds else 'none'} of {enumerated(words)}"
        elif holds:
            rest = listed(words, "or")
        else:
            rest = f"neither {words[0]} nor {words[1]}" if len(words) == 2 else f"not {listed(words, 'or')}"
        if len(words) == len(elements):
            return f"is {rest}" if words else "is one of none" if holds else "is not one of none"
        none = PREDICATES["none" if holds else "not none"]
        return f"{none} {'or' if holds else 'and'} {rest}" if words else none

    def _quantified(self, node: Comprehension) -> Clause:
        """`any` or `all`: "some value of --xs is 1", "no value of --xs is 1", "for every x of …, …"."""
        is_any = node.kind == "any"
        element = node.element
        denies = isinstance(element, Not) or (
            isinstance(element, Comparison) and element.operator in {"!=", "not in", "is not"}
        )
        is_none = denies and not is_any
        inner = self._inside(node, readable(element, holds=False) if is_none else element)
        whole = self.term(node.iterable)
        if isinstance(node.iterable, Collection):
            whole = listed([self.term(each) for each in node.iterable.elements], "and")
        if node.condition is None and inner.subject == node.variable:
            if isinstance(node.iterable, Collection):
                subject = f"{'none' if is_none else 'one' if is_any else 'each'} of {whole}"
            else:
                subject = f"{'no' if is_none else 'some' if is_any else 'every'} value of {whole}"
            return Clause(subject, inner.predicate, is_loose=inner.is_loose)
        quantifier = "no" if is_none else "some" if is_any else "every"
        such = "" if node.condition is None else f" where {self._inside(node, node.condition).text}"
        return Clause("", f"for {quantifier} {node.variable} in {whole}{such}, {inner.text}", is_loose=True)

    def _inside(self, node: Comprehension, condition: Expression) -> Clause:
        self._variables.append(node.variable)
        clause = self.clause(condition)
        self._variables.pop()
        return clause

    # Values.

    def term(self, node: Expression, least: int = WORDS) -> str:
        """A noun phrase for the value, in brackets if it does not hold together as tightly as `least`."""
        binding, words = self._TERMS[type(node)](self, node)
        return words if binding >= least else f"({words})"

    def _literal(self, node: Literal) -> tuple[int, str]:
        return ATOM, shown(node.value)

    def _name(self, node: Name) -> tuple[int, str]:
        words = node.path if node.path in self._variables else self._name_phrase(node.path)
        return WORDS if " " in words else ATOM, words

    def _unknown(self, node: Unknown) -> tuple[int, str]:
        return WORDS, f"a value that could not be followed ({node.site})"

    def _whether(self, node: Expression) -> tuple[int, str]:
        return ANY, f"whether {self.clause(readable(node)).text}"

    def _junction(self, node: And | Or) -> tuple[int, str]:
        if is_boolean(node):
            return self._whether(node)
        first, rest = node.operands[0], node.operands[1:]
        last = rest[0] if len(rest) == 1 else type(node)(rest)
        if isinstance(node, And):
            return self._conditional(Conditional(first, last, FALSE if is_boolean(first) else first))
        if is_boolean(first):
            return self._conditional(Conditional(first, TRUE, last))
        return ANY, f"{self.term(first)}, or if that is not set {self.term(last, ANY)}"

    def _conditional(self, node: Conditional) -> tuple[int, str]:
        test = self.clause(readable(node.test)).text
        then, otherwise = self.term(node.then), self.term(node.otherwise, ANY)
        return ANY, f"{then} if {test}, otherwise {otherwise}"

    def _arithmetic(self, node: Arithmetic) -> tuple[int, str]:
        binding = OPERATORS[node.operator]
        left, right = self.term(node.left, binding), self.term(node.right, binding + 1)
        return binding, f"{left} {node.operator} {right}"

    def _negative(self, node: Negative) -> tuple[int, str]:
        return NEGATIVE, f"-({self.term(node.operand)})"

    def _call(self, node: Call) -> tuple[int, str]:
        name = node.function
        if is_boolean(node):
            return self._whether(node)
        words = [self.term(argument) for argument in node.arguments]
        if name in {"min", "max"}:
            return WORDS, f"the {EXTREMES[name][len(words) == 2]} of {listed(words, 'and')}"
        template = CALL_TERMS.get((name, len(words)))
        if template is None:
            return ATOM, f"{name}({', '.join(words)})"
        return WORDS if " " in template else ATOM, template.format(*words)

    def _item(self, node: Item) -> tuple[int, str]:
        value = self.term(node.value)
        if node.index == Literal(0):
            return WORDS, f"the first of {value}"
        if node.index == Literal(-1):
            return WORDS, f"the last of {value}"
        return WORDS, f"{self.term(node.index)} of {value}"

    def _collection(self, node: Collection) -> tuple[int, str]:
        words = ", ".join(self.term(each) for each in node.elements)
        return ATOM, {"list": f"[{words}]", "set": f"{{{words}}}"}.get(node.kind, f"({words})")

    def _mapping(self, node: Mapping) -> tuple[int, str]:
        pairs = zip(node.keys, node.values, strict=True)
        return ATOM, f"{{{', '.join(f'{self.term(key)}: {self.term(value)}' for key, value in pairs)}}}"

    def _comprehension(self, node: Comprehension) -> tuple[int, str]:
        if node.kind in {"any", "all"}:
            return self._whether(node)
        whole = self.term(node.iterable)
        self._variables.append(node.variable)
        element = self.term(node.element)
        such = "" if node.condition is None else f" where {self.clause(readable(node.condition)).text}"
        self._variables.pop()
        kind = {"sum": "the sum of ", "set": "the distinct "}.get(node.kind, "")
        return ANY, f"{kind}{element} for each {node.variable} in {whole}{such}"

    _TERMS: ClassVar[dict[type[Expression], Callable[[_Phrasing, Any], tuple[int, str]]]] = {
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


def _is_empty(node: Expression) -> bool:
    if isinstance(node, Collection):
        return not node.elements
    return node in (Literal(""), Mapping((), ()))


def _is_written_down(node: Expression) -> bool:
    if isinstance(node, Collection):
        return all(map(_is_written_down, node.elements))
    return isinstance(node, Literal)


def _length_says(node: Comparison) -> bool | None:
    """Whether a comparison of a length says that it is 0 (True) or is not (False); None for others."""
    if not (isinstance(node.left, Call) and node.left.function == "len" and isinstance(node.right, Literal)):
        return None
    return LENGTHS.get((node.operator, node.right.value))


def _scalars(node: Expression) -> list[object]:
    nodes = node.elements if isinstance(node, Collection) else (node,)
    return [each.value for each in nodes if isinstance(each, Literal)]
