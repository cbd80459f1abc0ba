"""What a search for fixes answers with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from solver.answers.base import Answer

if TYPE_CHECKING:
    from solver.answers.findings import Violation
    from solver.answers.report import Report
    from solver.launch import Place
    from solver.repair import Change

SearchStatus: TypeAlias = Literal["nothing-to-mend", "found", "none-exists", "gave-up"]
Applicability: TypeAlias = Literal["machine-applicable", "maybe-incorrect", "has-placeholders"]


@dataclass(frozen=True, slots=True)
class Respelling(Answer):
    """A word that is no flag of the release, and what goes in its place; nothing, where it is to go."""

    before: str
    after: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Repair(Answer):
    """One way to mend a command.

    Attributes:
        changes: what to change, each with the widest set of values that mends.
        respellings: misspelt flags put right, and words without a meaning taken out.
        cost: preference weight; lower is likelier to be what the user wants.
        applicability: whether it may be applied as it stands.
        words: the whole command changed, word by word; placeholders as `<…>`.
        command: the same as text, all else as it was written.
    """

    changes: tuple[Change, ...]
    cost: int
    applicability: Applicability
    words: tuple[str, ...]
    command: str
    respellings: tuple[Respelling, ...] = ()


@dataclass(frozen=True, slots=True)
class SuggestedFix(Answer):
    """The smallest repairs of a command.

    Attributes:
        report: the check of the command as it is.
        status: nothing to mend, repairs found, a proof that there are none, or the budget ran out.
        size: how many flags the repairs change, respellings among them; 0 where nothing is to mend, None
            where none was found.
        proven_smallest: whether it is proven that no smaller set of changes mends.
        repairs: of that size, cheapest first.
        complete: whether these are all of that size.
        at_least: proven: every repair changes at least so many flags.
        unmendable: where there is no repair, violations for which facts alone, or flags that must not
            change, suffice.
        leaves_undecided: whether the repairs leave rules undecided that the command decides: there are
            none that do not.
    """

    report: Report
    status: SearchStatus
    size: int | None
    proven_smallest: bool
    repairs: tuple[Repair, ...] = ()
    complete: bool = False
    at_least: int = 0
    unmendable: tuple[Violation, ...] = ()
    leaves_undecided: bool = False
