"""The smallest repair of a configuration: the fewest flags to change, and to what, so that no rule is broken.

Knows nothing of any engine, of how rules are written or evaluated: see `protocol.Constraints`. The search is
imported when it is first used: a check needs the words of its protocol alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.repair.protocol import NOT_GIVEN, Changes, Constraints, Domain, NotGiven, Placeholder, Rule

if TYPE_CHECKING:
    from solver.repair.answers import Allowed, Change, NoRepair, Range, Repair, RepairSearch, Statistics
    from solver.repair.search import find_repairs

__all__ = [
    "NOT_GIVEN",
    "Allowed",
    "Change",
    "Changes",
    "Constraints",
    "Domain",
    "NoRepair",
    "NotGiven",
    "Placeholder",
    "Range",
    "Repair",
    "RepairSearch",
    "Rule",
    "Statistics",
    "find_repairs",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    home = "solver.repair.search" if name == "find_repairs" else "solver.repair.answers"
    return getattr(import_module(home), name)
