"""What a report is made of, whatever its format: answers to one question about one or several launches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from constraints.vocabulary import Flag
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
        flags_of: the flags of a release, by field name.
        verbose: whether the reader asked for all there is; only formats made for people heed it.
    """

    entries: tuple[Entry, ...]
    problems: tuple[Problem, ...]
    flags_of: Callable[[str], Mapping[str, Flag]]
    verbose: bool = False

    def spelling(self, release: str, flag: str) -> str:
        """How a flag of a release is written: `tp_size` as `--tp-size`."""
        known = self.flags_of(release).get(flag)
        return flag if known is None else known.spelling

    def must_be_given(self, release: str, flag: str) -> bool:
        """Whether the release starts with no command without the flag."""
        known = self.flags_of(release).get(flag)
        return known is not None and any(option.required for option in known.options)


def spelling_as_written(report: Report, document: Document) -> Callable[[str], str]:
    """What writes a flag by its field name: as the command does if a reason shows it, else as preferred."""
    causes = (cause for violation in report.violations for cause in violation.reason.causes)
    written = {cause.name: cause.spelling for cause in causes if cause.kind == "given"}
    return lambda flag: written.get(flag) or document.spelling(report.release, flag)
