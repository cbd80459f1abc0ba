"""What the questions answer with: frozen records, each with a `to_dict()`; nothing here computes an answer.

Sentences stand beside the data that they say, never instead of it. `check`, `suggest_fix` and `what_if`
make these records; `report` prints them. Names are imported when they are first used: making so many classes
takes longer than checking a command.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from solver.answers.base import Answer, plain
    from solver.answers.changes import AllowedValues, FinalValue, Possibility, WhatIf
    from solver.answers.findings import (
        Cause,
        Certainty,
        Choice,
        LeafKind,
        Reason,
        Remark,
        Rewrite,
        Undecided,
        Violation,
        ViolationKind,
    )
    from solver.answers.fixes import Applicability, Repair, Respelling, SearchStatus, SuggestedFix
    from solver.answers.report import Report, Verdict, World

__all__ = [
    "AllowedValues",
    "Answer",
    "Applicability",
    "Cause",
    "Certainty",
    "Choice",
    "FinalValue",
    "LeafKind",
    "Possibility",
    "Reason",
    "Remark",
    "Repair",
    "Report",
    "Respelling",
    "Rewrite",
    "SearchStatus",
    "SuggestedFix",
    "Undecided",
    "Verdict",
    "Violation",
    "ViolationKind",
    "WhatIf",
    "World",
    "plain",
]

_HOMES = {
    "base": "Answer plain",
    "report": "Report Verdict World",
    "findings": "Cause Certainty Choice LeafKind Reason Remark Rewrite Undecided Violation ViolationKind",
    "fixes": "Applicability Repair Respelling SearchStatus SuggestedFix",
    "changes": "AllowedValues FinalValue Possibility WhatIf",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value
