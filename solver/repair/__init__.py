"""The smallest repair of a configuration: the fewest flags to change, and to what, so that no rule is broken.

Knows nothing of any engine, of how rules are written or evaluated: see `protocol.Constraints`.
"""

from solver.repair.answers import Allowed, Change, NoRepair, Range, Repair, RepairSearch, Statistics
from solver.repair.protocol import NOT_GIVEN, Changes, Constraints, Domain, NotGiven, Placeholder, Rule
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
