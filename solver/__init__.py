"""Questions asked of a catalog: the public API. Names are imported when they are first used.

`check` needs neither the repair search nor a graph library, so importing this package loads none of them.
The questions are modules of `solver.questions`, not of this package: a module `solver.check` would hide
the function of that name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from constraints.errors import (
        CatalogError,
        FactError,
        FlagError,
        FlagfitError,
        LaunchNotFound,
        UnknownRelease,
        UnreadableInput,
    )
    from constraints.store import load_catalog, releases
    from solver.answers import (
        AllowedValues,
        Cause,
        Choice,
        FinalValue,
        Possibility,
        Reason,
        Remark,
        Repair,
        Report,
        Respelling,
        Rewrite,
        SuggestedFix,
        Undecided,
        Verdict,
        Violation,
        WhatIf,
        World,
    )
    from solver.launch import Launch, read_launch
    from solver.questions.check import check
    from solver.questions.suggest_fix import suggest_fix
    from solver.questions.what_if import allowed, what_if

__all__ = [
    "AllowedValues",
    "CatalogError",
    "Cause",
    "Choice",
    "FactError",
    "FinalValue",
    "FlagError",
    "FlagfitError",
    "Launch",
    "LaunchNotFound",
    "Possibility",
    "Reason",
    "Remark",
    "Repair",
    "Report",
    "Respelling",
    "Rewrite",
    "SuggestedFix",
    "Undecided",
    "UnknownRelease",
    "UnreadableInput",
    "Verdict",
    "Violation",
    "WhatIf",
    "World",
    "allowed",
    "check",
    "load_catalog",
    "read_launch",
    "releases",
    "suggest_fix",
    "what_if",
]

_HOMES = {
    "constraints.errors": (
        "CatalogError FactError FlagError FlagfitError LaunchNotFound UnknownRelease UnreadableInput"
    ),
    "constraints.store": "load_catalog releases",
    "solver.answers": (
        "AllowedValues Cause Choice FinalValue Possibility Reason Remark Repair Report Respelling Rewrite "
        "SuggestedFix Undecided Verdict Violation WhatIf World"
    ),
    "solver.questions.check": "check",
    "solver.launch": "Launch read_launch",
    "solver.questions.suggest_fix": "suggest_fix",
    "solver.questions.what_if": "allowed what_if",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
