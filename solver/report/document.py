"""What a report is made of, whatever its format: answers to one question about one or several launches."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from solver.answers import AllowedValues, Report, SuggestedFix, WhatIf


class Entry(NamedTuple):
    """One launch and what was asked about it.

    Attributes:
        name: where the launch was found: a path, `command line` or `standard input`.
        report: the check of the command as it is.
        fix: the smallest fixes, where they were asked for.
        change: what a change would do, where that was asked.
        allowed: which values flags may take, where that was asked.
    """

    name: str
    report: Report
    fix: SuggestedFix | None = None
    change: WhatIf | None = None
    allowed: AllowedValues | None = None


class Problem(NamedTuple):
    """A source that no launch could be read from, and why in one line."""

    name: str
    message: str


class Document(NamedTuple):
    """Everything that one report shows.

    Attributes:
        entries: the launches, in the order of their sources.
        problems: the sources that could not be read, in order.
        spelling: how a flag of a release is written, `("0.5.23", "tp_size") -> "--tp-size"`.
        verbose: whether the reader asked for all there is; only formats made for people heed it.
    """

    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...]
    spelling: Callable[[str, str], str]
    verbose: bool = False


def spelling_as_written(report: Report, document: Document) -> Callable[[str], str]:
    """What writes a flag by its field name: as the command does if a reason shows it, else as preferred."""
    causes = (cause for violation in report.violations for cause in violation.reason.causes)
    written = {cause.name: cause.spelling for cause in causes if cause.kind == "given"}
    return lambda flag: written.get(flag) or document.spelling(report.release, flag)
