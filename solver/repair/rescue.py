"""Some repair, quickly, where the exact search ran out of budget: a walk, then undoing what is needless.

Min-conflicts (Minton et al., 1992) over the flags that reasons name. Promises nothing about size.
"""

from __future__ import annotations

from collections.abc import Iterator

from solver.repair.candidates import Assignment, Space


def rescue(space: Space) -> Iterator[Assignment]:
    """Repairs, each a subset of the one before, until nothing more can be undone.

    None where the walk ends without one. Raises `OutOfBudgetError` where the space's budget ends.
    """
    found = _walk(space)
    while found is not None:
        yield found
        found = _smaller(space, found)


def _walk(space: Space) -> Assignment | None:
    """Steps of one flag each, to the neighbour that breaks the fewest rules and was not visited yet."""
    here: dict[int, int] = {}
    visited = {frozenset(here.items())}
    while broken := space.broken(here):
        best: tuple[tuple[int, int, int], dict[int, int]] | None = None
        for there in _neighbours(space, here, broken[0]):
            mark = frozenset(there.items())
            if mark in visited:
                continue
            score = (len(space.broken(there)), len(there), sum(space.costs[flag] for flag in there))
            if best is None or score < best[0]:
                best = score, there
        if best is None:
            return None
        here = best[1]
        visited.add(frozenset(here.items()))
    return here


def _neighbours(space: Space, here: Assignment, rule: object) -> Iterator[dict[int, int]]:
    """Assignments that differ in one flag of the rule's reason."""
    for name in sorted(space.reason(rule, here)):
        flag = space.number(name)
        if flag is None:
            continue
        if flag in here:
            yield {other: value for other, value in here.items() if other != flag}
        for value in range(len(space.domains[flag].values)):
            if here.get(flag) != value:
                yield {**here, flag: value}


def _smaller(space: Space, found: Assignment) -> Assignment | None:
    """The repair with one change undone, the dearest that can be."""
    for flag in sorted(found, key=lambda flag: (-space.costs[flag], flag)):
        without = {other: value for other, value in found.items() if other != flag}
        if not space.broken(without):
            return without
    return None
