"""Expressions as English: clauses for conditions, noun phrases for values. Knows no flag by itself.

A sentence is made from the form of a condition in which people say it (`readable`). What names are called
is for the caller to say, and may depend on what is said of them: "--lora-paths is not given",
"the GPU is an H100". What has no words of its own is shown as the language writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from constraints.expression.english import Clause, enumerated, joined, listed, shared, shown
from constraints.expression.forms import is_boolean
from constraints.expression.nouns import Nouns, is_empty
from constraints.expression.readable import readable
from constraints.expression.syntax import (
    NONE,
    And,
    Arithmetic,
    Call,
    Collection,
    Comparison,
    Comprehension,
    Conditional,
    Expression,
    Literal,
    Mapping,
    Name,
    Not,
    Or,
    Unknown,
)
from constraints.expression.text import text
from constraints.expression.wording import (
    ABSENCE,
    AGAINST_LITERALS,
    AGAINST_OTHERS,
    CALL_PREDICATES,
    LENGTHS,
    NUMERIC,
    PREDICATES,
    TYPE_WORDS,
    VARIABLE_PREDICATES,
    VERBATIM,
    Statement,
)

NamePhrase: TypeAlias = Callable[[str], str]
"""From a name's path to what it is called: `--tp-size`, "the GPU's memory in MiB"."""

NameStatement: TypeAlias = Callable[[str, Statement], "str | None"]
"""From a name's path and what is said of it to the predicate, "is on"; None for the usual one."""

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
    return phrase_of_all([(condition, name_phrase)], name_statement)


def phrase_of_all(
    conditions: Sequence[tuple[Expression, NamePhrase]], name_statement: NameStatement | None = None
) -> str:
    """A clause that says that all of the conditions hold, each with names of its own; as `phrase`."""
    clauses = []
    for condition, name_phrase in conditions:
        if _is_deep(condition):
            clauses.append(Clause(f"`{text(condition)}`", "holds"))
        else:
            clauses.append(_Phrasing(name_phrase, name_statement).clause(readable(condition)))
    return joined(clauses, "and").text


def value_phrase(
    expression: Expression, name_phrase: NamePhrase, name_statement: NameStatement | None = None
) -> str:
    """A noun phrase for the value of an expression, "--tp-size // 2"; arguments as for `phrase`."""
    if _is_deep(expression):
        return f"`{text(expression)}`"
    return _Phrasing(name_phrase, name_statement).nouns.of_computation(expression)


def _is_deep(expression: Expression) -> bool:
    level: tuple[Expression, ...] = (expression,)
    for _ in range(MAX_DEPTH):
        level = tuple(child for node in level for child in node.children())
        if not level:
            return False
    return True


class _Phrasing:
    """What is said of names alone; what they are called is for `nouns`."""

    def __init__(self, name_phrase: NamePhrase, name_statement: NameStatement | None) -> None:
        self._name_statement = name_statement
        self.nouns = Nouns(name_phrase, self.clause)

    def clause(self, node: Expression) -> Clause:
        """A clause that says that the condition, in the form that `readable` gives it, holds."""
        if isinstance(node, Not):
            return self._stated(node.operand, holds=False)
        if isinstance(node, And | Or):
            clauses = [self.clause(operand) for operand in node.operands]
            return joined(clauses, "and" if isinstance(node, And) else "or")
        if isinstance(node, Comparison):
            return self._comparison(node)
        if isinstance(node, Conditional):
            test, then, otherwise = map(self.clause, (node.test, node.then, node.otherwise))
            words = f"if {test.text} then {then.text}, otherwise {otherwise.text}"
            return Clause("", words, levels=2, is_loose=True)
        if isinstance(node, Comprehension) and node.kind in {"any", "all"}:
            return self._quantified(node)
        return self._stated(node, holds=True)

    def _stated(self, node: Expression, *, holds: bool) -> Clause:
        """That something is true, or false, which is neither a comparison nor made of other conditions."""
        name = _name_or_default(node)
        if name is not None:
            return self._statement(name, "true" if holds else "false")
        if isinstance(node, Literal):
            return Clause("", "always" if bool(node.value) is holds else "never")
        if isinstance(node, Unknown):
            verb = "holds" if holds else "does not hold"
            return Clause(f"a condition that could not be followed ({node.site})", verb)
        if isinstance(node, Arithmetic):
            if node.operator == "%":
                return self._multiple(node, holds=not holds)
            return Clause(self.nouns.of(node), "is not 0" if holds else "is 0")
        if isinstance(node, Call):
            return self._called(node, holds=holds)
        return Clause(self.nouns.of(node), "is set" if holds else "is not set")

    def _statement(self, node: Name, statement: Statement) -> Clause:
        return Clause(self.nouns.of(node), self._predicate(node, statement))

    def _predicate(self, node: Expression, statement: Statement) -> str:
        predicate = None
        name = _name_or_default(node)
        if name is not None and name.path in self.nouns.variables:
            predicate = VARIABLE_PREDICATES.get(statement)
        elif name is not None and self._name_statement is not None:
            predicate = self._name_statement(name.path, statement)
        return predicate or PREDICATES[statement]

    def _multiple(self, node: Arithmetic, *, holds: bool) -> Clause:
        predicate = "is a multiple of" if holds else "is not a multiple of"
        return Clause(self.nouns.of(node.left), f"{predicate} {self.nouns.of(node.right)}")

    def _called(self, node: Call, *, holds: bool) -> Clause:
        name, arguments = node.function, node.arguments
        if name == "has" and isinstance(arguments[0], Name):
            return self._statement(arguments[0], "present" if holds else "absent")
        if name == "crashes":
            asked = arguments[0]
            what = self.nouns.whether(asked) if is_boolean(asked) else self.nouns.of_computation(asked)
            return Clause(f"computing {what}", "fails" if holds else "does not fail")
        if name == "is_instance":
            types = listed([TYPE_WORDS[str(each)] for each in _scalars(arguments[1])], "or")
            return Clause(self.nouns.of(arguments[0]), f"is {types}" if holds else f"is not {types}")
        if name in CALL_PREDICATES:
            subject, positive, negative = CALL_PREDICATES[name]
            rest = [each for index, each in enumerate(arguments) if index != subject]
            words = [self._alternatives(each) for each in rest]
            if name in VERBATIM:
                words = [
                    VERBATIM[name](each.value) if isinstance(each, Literal) else word
                    for each, word in zip(rest, words, strict=True)
                ]
            return Clause(self.nouns.of(arguments[subject]), (positive if holds else negative).format(*words))
        if name in NUMERIC:
            return Clause(self.nouns.of(node), "is not 0" if holds else "is 0")
        if name in ABSENCE:
            return Clause(self.nouns.of(arguments[0]), f"is {'not ' if holds else ''}{ABSENCE[name]}")
        return Clause(self.nouns.of(node), "is set" if holds else "is not set")

    def _alternatives(self, node: Expression) -> str:
        if isinstance(node, Collection):
            return listed(self.nouns.of_each(node.elements), "or")
        return self.nouns.of(node)

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
        if is_equality and is_empty(right):
            return Clause(self.nouns.of(left), "is empty" if holds else "is not empty")
        emptiness = _length_says(node)
        if emptiness is not None and isinstance(left, Call):
            return Clause(self.nouns.of(left.arguments[0]), "is empty" if emptiness else "is not empty")
        subject, suffix = self._any_case(left, right)
        words = AGAINST_LITERALS if _is_written_down(right) else AGAINST_OTHERS
        return Clause(subject, f"{words[operator]} {self.nouns.of(right)}{suffix}")

    def _none(self, subject: Expression, *, holds: bool) -> Clause:
        return Clause(self.nouns.of(subject), self._predicate(subject, "none" if holds else "not none"))

    def _boolean(self, subject: Expression, *, holds: bool) -> Clause:
        if isinstance(subject, Name) or is_boolean(subject):
            return self.clause(readable(subject, holds=holds))
        return Clause(self.nouns.of(subject), f"is {shown(holds)}")

    def _any_case(self, left: Expression, right: Expression) -> tuple[str, str]:
        """What is compared, and what to add where that is done in lower or upper case."""
        is_folded = isinstance(left, Call) and left.function in {"lower", "upper"}
        if isinstance(left, Call) and is_folded and _is_written_down(right):
            return self.nouns.of(left.arguments[0]), " in any letter case"
        return self.nouns.of(left), ""

    def _membership(self, node: Comparison) -> Clause:
        holds = node.operator == "in"
        left, right = node.left, node.right
        if isinstance(right, Collection | Mapping):
            elements = right.elements if isinstance(right, Collection) else right.keys
            if isinstance(left, Literal):
                subject = f"{'one' if holds else 'none'} of {listed(self.nouns.of_each(elements), 'and')}"
                return Clause(subject, f"is {self.nouns.of(left)}", is_loose=True)
            subject, suffix = self._any_case(left, right)
            return Clause(
                subject, f"{self._among(left, elements, holds=holds)}{suffix}", is_loose=len(elements) > 1
            )
        if isinstance(right, Literal):
            return Clause(self.nouns.of(left), f"is {'' if holds else 'not '}part of {self.nouns.of(right)}")
        subject, suffix = self._any_case(right, left)
        return Clause(subject, f"{'contains' if holds else 'does not contain'} {self.nouns.of(left)}{suffix}")

    def _among(self, subject: Expression, elements: Sequence[Expression], *, holds: bool) -> str:
        words = self.nouns.of_each([each for each in elements if each != NONE])
        if len(words) > 2:
            predicate = f"is {'one' if holds else 'none'} of {enumerated(words)}"
        elif holds:
            predicate = f"is {listed(words, 'or')}"
        else:
            predicate = (
                f"is neither {words[0]} nor {words[1]}" if len(words) == 2 else f"is not {''.join(words)}"
            )
        if len(words) == len(elements):
            return predicate
        none = self._predicate(subject, "none" if holds else "not none")
        return shared([none, predicate], "or" if holds else "and", is_loose=False) if words else none

    def _quantified(self, node: Comprehension) -> Clause:
        """`any` or `all`: "some value of --xs is 1", "no value of --xs is 1", "for every x of …, …"."""
        is_any = node.kind == "any"
        element = node.element
        denies = isinstance(element, Not) or (
            isinstance(element, Comparison) and element.operator in {"!=", "not in", "is not"}
        )
        is_none = denies and not is_any
        inner = self._inside(node, readable(element, holds=False) if is_none else element)
        whole = self.nouns.of_iterable(node.iterable)
        if isinstance(node.iterable, Collection):
            whole = listed(self.nouns.of_each(node.iterable.elements), "and")
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
        self.nouns.variables.append(node.variable)
        clause = self.clause(condition)
        self.nouns.variables.pop()
        return clause


def _name_or_default(node: Expression) -> Name | None:
    """The name, also of `default(NAME, None)` and others whose fallback is nothing, which say no more."""
    if isinstance(node, Call) and node.function == "default":
        fallback = node.arguments[1]
        is_nothing = is_empty(fallback) or (isinstance(fallback, Literal) and not fallback.value)
        return _name_or_default(node.arguments[0]) if is_nothing else None
    return node if isinstance(node, Name) else None


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
