"""Sets of names each of which suffices for something: which are cheap, and what suffices for several things.

Exact as long as there are few alternatives; of many the dearest are dropped, so that time stays bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Final, TypeAlias

Cost: TypeAlias = Callable[[str], int]
"""How much one would rather do without a name, at least 0."""

NameSets: TypeAlias = tuple[frozenset[str], ...]
"""One or more sets, the cheapest first, none of which contains another."""

NOTHING: Final[NameSets] = (frozenset(),)
"""What suffices for something that rests on no name."""

KEPT: Final = 4
"""How many alternatives are kept. Of more, a dearer one might turn out to share names with something else."""


class Alternatives:
    """Puts alternatives together under one notion of cost, which it asks for once a name."""

    def __init__(self, cost: Cost) -> None:
        self._cost = cost
        self._costs: dict[str, int] = {}

    def for_all(self, things: Iterable[NameSets]) -> NameSets:
        """What suffices for all of several things."""
        sets = NOTHING
        for each in things:
            if each is NOTHING:
                continue
            if len(sets) == len(each) == 1:
                sets = (sets[0] | each[0],)
            else:
                sets = self._cheapest(left | right for left, right in product(sets, each))
        return sets

    def for_one(self, things: Sequence[NameSets]) -> NameSets:
        """What suffices for one of several things; `things` is not empty."""
        if len(things) == 1 and len(things[0]) == 1:
            return things[0]
        return self._cheapest(names for sets in things for names in sets)

    def _cheapest(self, sets: Iterable[frozenset[str]]) -> NameSets:
        kept: list[frozenset[str]] = []
        for names in sorted(dict.fromkeys(sets), key=self._price):
            if not any(other <= names for other in kept):
                kept.append(names)
                if len(kept) == KEPT:
                    break
        return tuple(kept)

    def _price(self, names: frozenset[str]) -> tuple[int, int]:
        costs = self._costs
        for name in names:
            if name not in costs:
                costs[name] = self._cost(name)
        return sum(costs[name] for name in names), len(names)
