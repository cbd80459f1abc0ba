"""What the questions about a change of flags answer with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from solver.answers.base import Answer
from solver.answers.report import Verdict

if TYPE_CHECKING:
    from constraints.vocabulary import Value
    from solver.answers.findings import Undecided, Violation
    from solver.answers.fixes import SuggestedFix
    from solver.answers.report import Report


@dataclass(frozen=True, slots=True)
class FinalValue(Answer):
    """A flag that the engine ends up with another value of: with the command as it was, and as changed."""

    flag: str
    before: Value
    after: Value


@dataclass(frozen=True, slots=True)
class WhatIf(Answer):
    """What changes when a command is changed.

    Attributes:
        before, after: the checks of both.
        newly_broken, newly_mended: violations of one that are not in the other.
        final_values: flags whose final value differs, by name.
        further: the smallest changes that mend what is still broken, with the changes asked for held
            fast; None where nothing is.
        words, command: the changed command.
    """

    before: Report
    after: Report
    newly_broken: tuple[Violation, ...]
    newly_mended: tuple[Violation, ...]
    final_values: tuple[FinalValue, ...]
    further: SuggestedFix | None
    words: tuple[str, ...]
    command: str


@dataclass(frozen=True, slots=True)
class Possibility(Answer):
    """What becomes of the command with one value of a flag."""

    value: Value
    verdict: Verdict
    violations: tuple[Violation, ...] = ()
    undecided: tuple[Undecided, ...] = ()


@dataclass(frozen=True, slots=True)
class AllowedValues(Answer):
    """Which values a flag may take, all other flags as they are.

    Attributes:
        flag: its field name.
        possibilities: the candidate values in order of preference; for numbers, the values at which
            some rule may change its mind.
    """

    flag: str
    possibilities: tuple[Possibility, ...]

    @property
    def values(self) -> tuple[Value, ...]:
        """The candidates that no rule refuses."""
        return tuple(each.value for each in self.possibilities if each.verdict is not Verdict.REFUSED)
