"""The search's view of a configuration: flags and candidate values by number, evaluation by candidates.

Values may be lists, and `True == 1`; numbers are safe to hash and to compare, and sets of flags become
the bits of an int. Nothing here chooses a candidate.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from constraints.vocabulary import Value
from solver.repair.budget import Budget
from solver.repair.protocol import Constraints, Domain, Rule

FlagSet: TypeAlias = int
"""A set of flags: bit i for the flag of number i."""

Assignment: TypeAlias = Mapping[int, int]
"""Flag number to number of its new value in its domain. Other flags keep their present value."""


def numbers(flags: FlagSet) -> Iterator[int]:
    """The numbers of the flags in a set, ascending."""
    while flags:
        low = flags & -flags
        yield low.bit_length() - 1
        flags ^= low


def flag_set(flags: Iterable[int]) -> FlagSet:
    """The set of these flags."""
    result = 0
    for flag in flags:
        result |= 1 << flag
    return result


class Space:
    """Flags get their numbers as reasons name them: only those near a broken rule are ever looked at.

    Attributes:
        names, costs: by flag number.
    """

    __slots__ = ("_broken", "_constraints", "_domains", "_keep", "_numbers", "budget", "costs", "names")

    def __init__(self, constraints: Constraints, *, keep: Collection[str], budget: Budget) -> None:
        self._constraints = constraints
        self._keep = frozenset(keep)
        self._numbers: dict[str, int | None] = {}
        self._domains: dict[int, Domain] = {}
        self._broken: dict[tuple[tuple[int, int], ...], Sequence[Rule]] = {}
        self.budget = budget
        self.names: list[str] = []
        self.costs: list[int] = []

    @property
    def evaluations(self) -> int:
        """How many configurations of candidates were evaluated."""
        return len(self._broken)

    def number(self, name: str) -> int | None:
        """The flag's number; None where it can't change."""
        if name in self._numbers:
            return self._numbers[name]
        number = None
        if name not in self._keep and self._constraints.can_change(name):
            number = len(self.names)
            self.names.append(name)
            self.costs.append(self._constraints.cost(name))
        self._numbers[name] = number
        return number

    def domain(self, flag: int) -> Domain:
        """What the flag can be changed to, remembered."""
        known = self._domains.get(flag)
        if known is None:
            known = self._domains[flag] = self._constraints.domain(self.names[flag])
        return known

    def candidates(self, flag: int) -> range:
        """The numbers of its values there, best first."""
        return range(len(self.domain(flag).values))

    def present(self, flag: int) -> Value:
        """The flag's present value."""
        return self._constraints.present(self.names[flag])

    def value(self, flag: int, candidate: int) -> Value:
        """A candidate by its number."""
        return self.domain(flag).values[candidate]

    def changes(self, assignment: Assignment) -> dict[str, Value]:
        """The assignment in the words of `Constraints`."""
        return {self.names[flag]: self.value(flag, candidate) for flag, candidate in assignment.items()}

    def broken(self, assignment: Assignment) -> Sequence[Rule]:
        """The rules that stand against a configuration, remembered."""
        key = tuple(sorted(assignment.items()))
        known = self._broken.get(key)
        if known is None:
            self.budget.spend()
            known = self._broken[key] = self._constraints.broken(self.changes(assignment))
        return known

    def mends(self, assignment: Assignment, flag: int, value: Value) -> bool:
        """Whether no rule is broken with any value, candidate or not, for one flag of the assignment."""
        self.budget.spend()
        return not self._constraints.broken({**self.changes(assignment), self.names[flag]: value})

    def reason(self, rule: Rule, assignment: Assignment) -> frozenset[str]:
        """Flags that suffice for the rule to be broken, those that can't change included."""
        self.budget.spend()
        return self._constraints.reason(rule, self.changes(assignment))
