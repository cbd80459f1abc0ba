"""The sets of flags that satisfy all conflicts, least first. Knows no values and no rules.

This is the master problem of an implicit hitting set search (Davies & Bacchus, Solving MAXSAT by Solving a
Sequence of Simpler SAT Instances, 2011; Ignatiev et al., Smallest MUS Extraction with Minimal Hitting Set
Dualization, 2015), solved by best-first search that branches over one conflict at a time. The bound is the
price of disjoint conflicts. Conflicts without common flags are solved apart and their sets combined.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

from solver.repair.budget import Budget
from solver.repair.candidates import FlagSet, numbers
from solver.repair.conflicts import Conflict, shrink

CHANGE: int = 1 << 40
"""The price of a change, before its preference weight: sums of prices compare size first, weight second."""


@dataclass(frozen=True, slots=True)
class HittingSet:
    """Flags that satisfy all conflicts.

    Attributes:
        price: of all of them.
        parts: for each group of conflicts that hang together, the flags that satisfy it.
    """

    price: int
    parts: tuple[FlagSet, ...]

    @property
    def flags(self) -> FlagSet:
        """All of them. No two parts share one."""
        return sum(self.parts)

    @property
    def size(self) -> int:
        """How many they are."""
        return self.price // CHANGE


class HittingSets:
    """Conflicts, and the sets that satisfy them."""

    __slots__ = ("_budget", "_costs", "_parts")

    def __init__(self, costs: Sequence[int], budget: Budget) -> None:
        """`costs` are the preference weights by flag number; it may grow while conflicts are added."""
        self._costs = costs
        self._budget = budget
        self._parts: list[_Part] = []

    def __len__(self) -> int:
        return sum(len(part.conflicts) for part in self._parts)

    def add(self, conflict: Conflict) -> None:
        """From now on, satisfy this conflict too."""
        flags = conflict.scope | conflict.hit
        touched = [part for part in self._parts if part.flags & flags]
        if len(touched) == 1:
            touched[0].add(conflict)
            return
        joined = _Part(self._costs, self._budget)
        for part in touched:
            for each in part.conflicts:
                joined.add(each)
        joined.add(conflict)
        self._parts = [*(part for part in self._parts if part not in touched), joined]

    def least(self, *, besides: Collection[FlagSet] = ()) -> HittingSet | None:
        """A cheapest set that satisfies all conflicts and is not in `besides`; None where there is none."""
        return next((found for found in self._ascending() if found.flags not in besides), None)

    def contradiction(self) -> list[Conflict]:
        """Conflicts that no set of flags satisfies together, a minimal choice; empty where there are none."""
        for part in self._parts:
            if part.ranked(0) is None:
                return self._minimal(part.conflicts)
        return []

    def _minimal(self, conflicts: list[Conflict]) -> list[Conflict]:
        def contradict(some: int) -> bool:
            part = _Part(self._costs, self._budget)
            for each in numbers(some):
                part.add(conflicts[each])
            return part.ranked(0) is None

        return [conflicts[each] for each in numbers(shrink(range(len(conflicts)), contradict))]

    def _ascending(self) -> Iterator[HittingSet]:
        """All unions of one set of each part, by ascending price."""
        start = (0,) * len(self._parts)
        heap = [(0, start)]
        seen = {start}
        while heap:
            self._budget.spend()
            _, ranks = heappop(heap)
            chosen = [part.ranked(rank) for part, rank in zip(self._parts, ranks, strict=True)]
            sets = [each for each in chosen if each is not None]
            if len(sets) < len(chosen):
                return
            price = sum(each[0] for each in sets)
            yield HittingSet(price, tuple(each[1] for each in sets))
            for index, (part, here) in enumerate(zip(self._parts, sets, strict=True)):
                following = (*ranks[:index], ranks[index] + 1, *ranks[index + 1 :])
                there = part.ranked(following[index])
                if there is not None and following not in seen:
                    seen.add(following)
                    heappush(heap, (price - here[0] + there[0], following))


class _Branch(NamedTuple):
    """Sets that hold all flags of `chosen` and none of `given_up`. Sorts by promise, the best first.

    Attributes:
        bound: no set of the branch that satisfies all conflicts has a lower price.
        pending: how many conflicts are left to satisfy; of equal bounds, fewer first, so that a set is
            reached straight away.
        serial: makes the order total.
        price: of the flags chosen.
    """

    bound: int
    pending: int
    serial: int
    price: int
    chosen: FlagSet
    given_up: FlagSet


class _Part:
    """Conflicts that hang together, and the sets that satisfy them, as far as they were asked for.

    Every set lies in one branch. A new conflict can only raise bounds, so that the branches stay when one is
    added, and what was done for the conflicts before is not done again.
    """

    __slots__ = ("_branches", "_budget", "_cheapest", "_costs", "_ranked", "_serial", "conflicts", "flags")

    def __init__(self, costs: Sequence[int], budget: Budget) -> None:
        self.flags: FlagSet = 0
        self.conflicts: list[Conflict] = []
        self._costs = costs
        self._budget = budget
        self._serial = count()
        self._branches = [_Branch(0, 0, next(self._serial), 0, 0, 0)]
        self._ranked: list[_Branch] = []
        self._cheapest: dict[FlagSet, int] = {}

    def add(self, conflict: Conflict) -> None:
        """Satisfy one more."""
        self.flags |= conflict.scope | conflict.hit
        self.conflicts.append(conflict)
        for branch in self._ranked:
            heappush(self._branches, branch)
        self._ranked.clear()

    def ranked(self, rank: int) -> tuple[int, FlagSet] | None:
        """Price and flags of the set of this rank, the cheapest being 0; None where there are fewer."""
        while len(self._ranked) <= rank:
            if not self._branches:
                return None
            self._budget.spend()
            branch = heappop(self._branches)
            left = self._left(branch.chosen, branch.given_up)
            if left is None:
                continue
            bound = branch.price + self._least_price(left)
            if bound > branch.bound:
                heappush(self._branches, branch._replace(bound=bound, pending=len(left)))
            elif left:
                self._split(branch, left[0])
            else:
                self._ranked.append(branch)
        return self._ranked[rank].price, self._ranked[rank].chosen

    def _split(self, branch: _Branch, conflict: FlagSet) -> None:
        """Choose the first flag of the conflict; give up the first and choose the second; and so on.

        No set is in two of these, and each that satisfies the conflict is in one (Reiter, 1987).
        """
        given_up = branch.given_up
        for flag in sorted(numbers(conflict), key=lambda flag: (self._costs[flag], flag)):
            chosen = branch.chosen | 1 << flag
            left = self._left(chosen, given_up)
            if left is not None:
                price = branch.price + CHANGE + self._costs[flag]
                bound = max(branch.bound, price + self._least_price(left))
                heappush(
                    self._branches, _Branch(bound, len(left), next(self._serial), price, chosen, given_up)
                )
            given_up |= 1 << flag

    def _left(self, chosen: FlagSet, given_up: FlagSet) -> list[FlagSet] | None:
        """For each conflict not satisfied the flags left to choose from, fewest first.

        None where one can't be satisfied any more.
        """
        left = []
        for conflict in self.conflicts:
            if not conflict.scope & ~chosen and not conflict.hit & chosen:
                flags = conflict.hit & ~given_up
                if not flags:
                    return None
                left.append(flags)
        left.sort(key=int.bit_count)
        return left

    def _least_price(self, left: list[FlagSet]) -> int:
        """What satisfying these costs at least: disjoint ones need a flag each."""
        price = 0
        met = 0
        for flags in left:
            if not flags & met:
                met |= flags
                price += self._price_of_one(flags)
        return price

    def _price_of_one(self, flags: FlagSet) -> int:
        price = self._cheapest.get(flags)
        if price is None:
            price = self._cheapest[flags] = CHANGE + min(self._costs[flag] for flag in numbers(flags))
        return price
