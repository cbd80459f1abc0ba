"""From nodes to what a person reads: leaves with their names and places, conditions as sentences.

`reason` finds which leaves suffice. Here a condition is cut down to the part that mattered, named values in
it are written out, and the result is said in English.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Final, final

from constraints.expression.evaluate import truth
from constraints.expression.forms import free_names
from constraints.expression.phrase import phrase, phrase_of_all, value_phrase
from constraints.expression.syntax import TRUE, And, Conditional, Expression, Name, Not, Or
from constraints.expression.values import UNKNOWN, Fault
from constraints.expression.wording import VARIABLE_PREDICATES, Statement
from constraints.vocabulary import Value
from solver.answers import Cause, Choice, LeafKind, Reason
from solver.identity import Identity
from solver.launch import Place
from solver.program import ALWAYS, Kind, Program, Terms, bits
from solver.reason import Costs, Reasons
from solver.stepping import condition_of

if TYPE_CHECKING:
    from solver.case import Case

_MAX_PARTS_WRITTEN_OUT = 12
"""A named value of more parts is called by its name in a sentence."""

_MAX_DEPTH_WRITTEN_OUT = 6
"""How deep named values are followed into those that they are made of."""

_MAX_BLOCKS_TOLD = 3
"""Around a rule that stands deeper, its own condition is told alone; the reason has the rest."""

_KINDS: Final[tuple[LeafKind, ...]] = ("given", "default", "fact")


_FACT, _GIVEN, _DEFAULT = 2, 4, 5
"""What a leaf costs in a reason that is read: facts say most, and flags given more than flags left alone."""


def explainer_of(case: Case) -> Explainer:
    """Explains what the engine resolves of a command."""
    program = case.program
    touched = {*case.given, *case.unset, *case.arguments.given} & program.leaf_of_flag.keys()
    reasons = Reasons(
        case.resolution,
        _costs(program, case.given),
        base=_base_reasons(Identity(case.base)),
        different=sum(1 << program.leaf_of_flag[name] for name in touched),
    )
    return Explainer(case, reasons)


def _costs(program: Program, given: Iterable[str]) -> Costs:
    facts = sum(1 << leaf for leaf in program.leaf_of_fact.values())
    flags = sum(1 << program.leaf_of_flag[name] for name in given)
    return Costs(((facts, _FACT), (flags, _GIVEN)), _DEFAULT)


@lru_cache(maxsize=32)
def _base_reasons(base: Identity) -> Reasons:
    return Reasons(base.of, _costs(base.of.program, ()))


@final
class Explainer:
    """Says why, for one case.

    Args:
        case: the command, for spellings and places, and its resolution.
        reasons: where leaves that suffice are found.
    """

    def __init__(self, case: Case, reasons: Reasons) -> None:
        self._case: Final = case
        self._resolution: Final = case.resolution
        self._program: Final = case.program
        self._reasons: Final = reasons

    def reason(self, node: int) -> Reason:
        """A small set of leaves that suffices for the node's value, and what was chosen on the way."""
        causes = sorted(
            (self._cause(leaf) for leaf in bits(self._reasons.leaves(node))),
            key=lambda cause: (_KINDS.index(cause.kind), cause.name),
        )
        chain = (each for each in self._reasons.chain(node) if each != node)
        return Reason(tuple(causes), tuple(self._choice(each) for each in chain if self._has_chosen(each)))

    def flags(self, node: int) -> tuple[str, ...]:
        """The flags of that reason, those given first."""
        return self.reason(node).flags

    def missing(self, node: int) -> tuple[str, ...]:
        """What would decide a node that is unknown: facts, and flags that could not be read, by name."""
        return tuple(sorted(self._program.names[leaf] for leaf in bits(self._case.unknowns.leaves(node))))

    def message(self, node: int) -> str:
        """What holds at a rule, a notice or a set, in English; what fails, where something does."""
        fault = self._resolution.values[node]
        if isinstance(fault, Fault):
            return self._crash(node, fault)
        speaking = self._speaking(node)
        terms = self._program.terms(speaking)
        own = (self._relevant(terms.when, terms, 0), self._name_phrase(speaking))
        told = {phrase(*each, self._statement): each for each in (*self._entered(speaking), own)}
        return phrase_of_all([*told.values()], self._statement)

    def condition(self, node: int) -> Expression:
        """The condition that matters at a node: its own, or that of the nearest block with one."""
        return self._program.terms(self._speaking(node)).when

    def _entered(self, node: int) -> list[tuple[Expression, Callable[[str], str]]]:
        """What holds of the blocks around a node, outermost first.

        Of the nearest one, what it says of flags; of the others, what would not hold in a bare command.
        """
        program = self._program
        told: list[tuple[Expression, Callable[[str], str]]] = []
        is_nearest = True
        while (node := program.guards[node]) != ALWAYS:
            terms = program.terms(node)
            parts = terms.when.operands if isinstance(terms.when, And) else (terms.when,)
            says = self._asks_flags if is_nearest else self._holds_by_flags
            needed = [each for each in parts if each != TRUE and says(each, terms)]
            is_nearest = is_nearest and terms.when == TRUE
            told += [(self._relevant(each, terms, 0), self._name_phrase(node)) for each in reversed(needed)]
        return told[::-1] if len(told) <= _MAX_BLOCKS_TOLD else []

    def _asks_flags(self, condition: Expression, terms: Terms) -> bool:
        """Whether a condition asks for flags by name, or holds because of some."""
        names = {path.removeprefix("given.") for path in free_names(condition)} & self._program.flags.keys()
        return not names.issubset(self._program.required) or self._holds_by_flags(condition, terms)

    def _holds_by_flags(self, condition: Expression, terms: Terms) -> bool:
        """Whether a condition would not hold in a bare command."""
        values = self._case.base.values
        return truth(condition, lambda path: values[terms.producers[path]]) is not True

    def _speaking(self, node: int) -> int:
        while self._program.terms(node).when == TRUE and self._program.guards[node] != ALWAYS:
            node = self._program.guards[node]
        return node

    def _crash(self, node: int, fault: Fault) -> str:
        detail = f" ({fault.detail})" if fault.detail else ""
        origin, expression = self._failing(node)
        what = value_phrase(expression, self._name_phrase(origin))
        return f"{what} can't be computed: {fault.kind}{detail}"

    def _failing(self, node: int) -> tuple[int, Expression]:
        """The smallest expression that fails, and the node that it is in."""
        program, values = self._program, self._resolution.values
        terms = program.terms(node)
        condition = condition_of(program, node, terms, values)
        found = terms.when if isinstance(condition, Fault) or terms.value is None else terms.value
        while True:
            inner = next((each for each in found.children() if self._fails(each, terms)), None)
            if inner is not None:
                found = inner
                continue
            producer = terms.producers.get(found.path) if isinstance(found, Name) else None
            if producer is None or not isinstance(values[producer], Fault):
                return node, found
            return self._failing(producer)

    def _fails(self, expression: Expression, terms: Terms) -> bool:
        if not free_names(expression) <= terms.producers.keys():
            return False  # what is said of each element says nothing by itself
        values = self._resolution.values
        return isinstance(truth(expression, lambda path: values[terms.producers[path]]), Fault)

    def _relevant(self, condition: Expression, terms: Terms, depth: int) -> Expression:
        """The part of a condition that decides it: of a true `or` one side, of a false `and` one."""
        if isinstance(condition, Not):
            return Not(self._relevant(condition.operand, terms, depth))
        if isinstance(condition, (And, Or)):
            return self._relevant_operands(condition, terms, depth)
        if isinstance(condition, Conditional):
            return self._relevant_branch(condition, terms, depth)
        if isinstance(condition, Name) and depth < _MAX_DEPTH_WRITTEN_OUT:
            return self._written_out(condition, terms, depth)
        return condition

    def _relevant_operands(self, condition: And | Or, terms: Terms, depth: int) -> Expression:
        whole = self._truth(condition, terms)
        if whole is UNKNOWN or isinstance(whole, Fault):
            return condition
        if whole is isinstance(condition, And):
            operands = tuple(self._relevant(each, terms, depth) for each in condition.operands)
            return And(operands) if isinstance(condition, And) else Or(operands)
        deciding = [each for each in condition.operands if self._truth(each, terms) is whole]
        used = self._reasons.names(condition, terms)
        chosen = next((each for each in deciding if self._reasons.names(each, terms) <= used), deciding[0])
        return self._relevant(chosen, terms, depth)

    def _relevant_branch(self, condition: Conditional, terms: Terms, depth: int) -> Expression:
        test = self._truth(condition.test, terms)
        if test is UNKNOWN or isinstance(test, Fault):
            return condition
        told = self._relevant(condition.test, terms, depth)
        branch = self._relevant(condition.then if test else condition.otherwise, terms, depth)
        return And((told if test else Not(told), branch))

    def _written_out(self, name: Name, terms: Terms, depth: int) -> Expression:
        """A named value as what it is made of, if that is short."""
        producer = terms.producers.get(name.path)
        if producer is None or self._program.kinds[producer] != Kind.LET:
            return name
        inner = self._program.terms(producer)
        if inner.value is None:
            return name
        told = self._relevant(inner.value, inner, depth + 1)
        return told if told.size <= _MAX_PARTS_WRITTEN_OUT else name

    def _truth(self, expression: Expression, terms: Terms) -> Value:
        values = self._resolution.values
        return truth(expression, lambda path: values[terms.producers[path]])

    def _name_phrase(self, node: int) -> Callable[[str], str]:
        return lambda path: self._called(path, self._program.terms(node), 0)

    def _called(self, path: str, terms: Terms, depth: int) -> str:
        """What a name is called: a flag as it was written, a named value as what it is made of, if short."""
        flag = path.removeprefix("given.")
        if flag in self._program.flags:
            return self.spelling(flag)
        producer = terms.producers.get(path, 0)
        if self._program.kinds[producer] != Kind.LET or depth >= _MAX_DEPTH_WRITTEN_OUT:
            return path
        inner = self._program.terms(producer)
        if inner.value is None or inner.value.size > _MAX_PARTS_WRITTEN_OUT:
            return path
        told = value_phrase(inner.value, lambda each: self._called(each, inner, depth + 1))
        return told if isinstance(inner.value, Name) else f"({told})"

    def _statement(self, path: str, statement: Statement) -> str | None:
        """What is said of a name's truth: only flags and facts that are on or off are said to be that."""
        flag = self._program.flags.get(path.removeprefix("given."))
        if statement not in {"true", "false"} or (flag is not None and isinstance(flag.default, bool)):
            return None
        if flag is not None:
            return VARIABLE_PREDICATES[statement]
        return None if path in self._program.leaf_of_fact else f"is {statement}"

    def spelling(self, flag: str) -> str:
        """A flag as it was written, else its preferred spelling."""
        written = self._case.written(flag)
        return self._program.flags[flag].spelling if written is None else written.spelling

    def _cause(self, leaf: int) -> Cause:
        name, value = self._program.names[leaf], self._resolution.values[leaf]
        if name not in self._program.leaf_of_flag or self._program.leaf_of_flag[name] != leaf:
            return Cause(name, "fact", value, name)
        kind: LeafKind = "given" if name in self._case.given else "default"
        return Cause(name, kind, value, self.spelling(name), self.place(name))

    def place(self, flag: str) -> Place | None:
        """Where a flag was written; None where it was not."""
        written = self._case.written(flag)
        if written is None or not written.words:
            return None
        return self._case.arguments.words[written.words[0]].place

    def _has_chosen(self, node: int) -> bool:
        program, values = self._program, self._resolution.values
        if program.kinds[node] != Kind.SET:
            return False
        return condition_of(program, node, program.terms(node), values) is True

    def _choice(self, node: int) -> Choice:
        program = self._program
        when = program.terms(node).when
        return Choice(
            program.names[node],
            self._resolution.values[node],
            program.places[node],
            program.functions[node],
            None if when == TRUE else when,
        )
