"""The sets of flags that satisfy all conflicts, least first. Knows no values and no rules.

This is the master problem of an implicit hitting set search (Davies & Bacchus, Solving MAXSAT by Solving a
Sequence of Simpler SAT Instances, 2011; Ignatiev et al., Smallest MUS Extraction with Minimal Hitting Set
Dualization, 2015), solved by best-first search with Reiter's branching over one conflict at a time. The
bound is the cost of disjoint conflicts. Conflicts without common flags are solved apart and combined, and
what is solved is remembered until a new conflict touches it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from heapq import heappop, heappush
from itertools import count

from solver.repair.budget import Budget
from solver.repair.candidates import FlagSet, numbers
from solver.repair.conflicts import Conflict, shrink

CHANGE: int = 1 << 40
"""The price of a change, before its preference weight: sums of prices compare size first, weight second."""


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
        conflicts = [conflict]
        apart = []
        for part in self._parts:
            if part.flags & flags:
                flags |= part.flags
                conflicts = part.conflicts + conflicts
            else:
                apart.append(part)
        self._parts = [*apart, _Part(flags, conflicts, self._costs, self._budget)]

    def least(self, *, besides: Collection[FlagSet] = ()) -> tuple[int, FlagSet] | None:
        """Price and flags of a cheapest set that satisfies all conflicts and is not in `besides`.

        None where there is none.
        """
        for price, flags in self._ascending():
            if flags not in besides:
                return price, flags
        return None

    def contradiction(self) -> list[Conflict]:
        """Conflicts that no set of flags satisfies together, a minimal choice; empty where there are none."""
        for part in self._parts:
            if part.ranked(0) is None:
                return self._minimal(part.conflicts)
        return []

    def _minimal(self, conflicts: list[Conflict]) -> list[Conflict]:
        def contradict(some: int) -> bool:
            chosen = [(conflicts[each].scope, conflicts[each].hit) for each in numbers(some)]
            return next(_satisfying(chosen, self._costs, self._budget), None) is None

        return [conflicts[each] for each in numbers(shrink(range(len(conflicts)), contradict))]

    def _ascending(self) -> Iterator[tuple[int, FlagSet]]:
        """All unions of one set of each part, by ascending price."""
        start = (0,) * len(self._parts)
        heap = [(0, start)]
        seen = {start}
        while heap:
            self._budget.spend()
            _, ranks = heappop(heap)
            price = 0
            flags = 0
            for part, rank in zip(self._parts, ranks, strict=True):
                chosen = part.ranked(rank)
                if chosen is None:
                    break
                price += chosen[0]
                flags |= chosen[1]
            else:
                yield price, flags
                for index, (part, rank) in enumerate(zip(self._parts, ranks, strict=True)):
                    following = (*ranks[:index], rank + 1, *ranks[index + 1 :])
                    here, there = part.ranked(rank), part.ranked(rank + 1)
                    if here and there and following not in seen:
                        seen.add(following)
                        heappush(heap, (price - here[0] + there[0], following))


class _Part:
    """Conflicts that hang together, and the sets that satisfy them as far as they were asked for."""

    __slots__ = ("_found", "_stream", "conflicts", "flags")

    def __init__(
        self, flags: FlagSet, conflicts: list[Conflict], costs: Sequence[int], budget: Budget
    ) -> None:
        self.flags = flags
        self.conflicts = conflicts
        self._found: list[tuple[int, FlagSet]] = []
        self._stream = _satisfying([(each.scope, each.hit) for each in conflicts], costs, budget)

    def ranked(self, rank: int) -> tuple[int, FlagSet] | None:
        """Price and flags of the set of this rank, the cheapest being 0; None where there are fewer."""
        while len(self._found) <= rank:
            following = next(self._stream, None)
            if following is None:
                return None
            self._found.append(following)
        return self._found[rank]


def _satisfying(
    conflicts: list[tuple[FlagSet, FlagSet]], costs: Sequence[int], budget: Budget
) -> Iterator[tuple[int, FlagSet]]:
    """Sets of flags that satisfy all conflicts, by ascending price: all from which no flag can be left out.

    A branch has chosen some flags and given up others. Its conflicts are those whose scope is chosen and
    that are not hit yet. It splits on the one that has the fewest flags left: choose the first; give up
    the first and choose the second; and so on, so that no set is met twice.
    """
    cheapest: dict[FlagSet, int] = {}

    def price_of_one(flags: FlagSet) -> int:
        price = cheapest.get(flags)
        if price is None:
            price = cheapest[flags] = CHANGE + min(costs[flag] for flag in numbers(flags))
        return price

    def pending(chosen: FlagSet, given_up: FlagSet) -> list[FlagSet] | None:
        """What is left to choose from, fewest first; None where a conflict can't be satisfied any more."""
        left = []
        for scope, hit in conflicts:
            if not scope & ~chosen and not hit & chosen:
                flags = hit & ~given_up
                if not flags:
                    return None
                left.append(flags)
        left.sort(key=int.bit_count)
        return left

    def bound(left: list[FlagSet]) -> int:
        """What satisfying these costs at least: disjoint ones need a flag each."""
        price = 0
        met = 0
        for flags in left:
            if not flags & met:
                met |= flags
                price += price_of_one(flags)
        return price

    serial = count()
    heap: list[tuple[int, int, int, FlagSet, FlagSet, int]] = []

    def push(chosen: FlagSet, given_up: FlagSet, price: int) -> None:
        left = pending(chosen, given_up)
        if left is not None:
            # Of equal bounds the deepest first, so that a first set is reached straight away.
            heappush(heap, (price + bound(left), len(left), next(serial), chosen, given_up, price))

    push(0, 0, 0)
    while heap:
        budget.spend()
        _, _, _, chosen, given_up, price = heappop(heap)
        left = pending(chosen, given_up)
        if not left:
            yield price, chosen
            continue
        for flag in sorted(numbers(left[0]), key=lambda flag: (costs[flag], flag)):
            push(chosen | 1 << flag, given_up, price + CHANGE + costs[flag])
            given_up |= 1 << flag
