"""How long a search may take: a clock and a count, asked in every loop. Raises; decides nothing else."""

from __future__ import annotations

from math import inf
from time import monotonic
from typing import Literal


class OutOfBudgetError(Exception):
    """The search must end now. `reason` is what ran out."""

    def __init__(self, reason: Literal["time", "nodes"]) -> None:
        super().__init__(reason)
        self.reason: Literal["time", "nodes"] = reason


class Budget:
    """Time and nodes that are left. A node is one evaluation, one branching, or one test of a constraint."""

    __slots__ = ("_deadline", "_nodes")

    def __init__(self, *, deadline: float | None = None, nodes: int | None = None) -> None:
        self.renew(deadline=deadline, nodes=nodes)

    def renew(self, *, deadline: float | None, nodes: int | None) -> None:
        """`deadline` is a time of the monotonic clock, in seconds; None is without limit, for both."""
        self._deadline = inf if deadline is None else deadline
        self._nodes = inf if nodes is None else nodes

    def spend(self) -> None:
        """Count one node. Raises `OutOfBudgetError` where there is none left, or no time."""
        self._nodes -= 1
        if self._nodes < 0:
            raise OutOfBudgetError("nodes")
        if monotonic() >= self._deadline:
            raise OutOfBudgetError("time")
