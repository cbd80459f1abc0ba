"""Some repair, quickly, where the exact search ran out of budget: a walk, then undoing what is needless.

Min-conflicts (Minton et al., 1992) over the flags that reasons name. Promises nothing about size.
"""

from __future__ import annotations

from collections.abc import Iterator

from solver.repair.candidates import Assignment, Space
from solver.repair.protocol import Rule


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
    here: Assignment = {}
    visited = {frozenset(here.items())}
    while broken := space.broken(here):
        step = next(filter(None, (_step(space, here, rule, visited) for rule in broken)), None)
        if step is None:
            return None
        here = step
        visited.add(frozenset(here.items()))
    return here


def _step(
    space: Space, here: Assignment, rule: Rule, visited: set[frozenset[tuple[int, int]]]
) -> Assignment | None:
    """The best neighbour on the way to mending one rule; None where all were visited."""
    best: tuple[tuple[int, int, int], Assignment] | None = None
    for there in _neighbours(space, here, rule):
        if frozenset(there.items()) not in visited:
            score = (len(space.broken(there)), len(there), sum(space.costs[flag] for flag in there))
            if best is None or score < best[0]:
                best = score, there
    return None if best is None else best[1]


def _neighbours(space: Space, here: Assignment, rule: Rule) -> Iterator[Assignment]:
    """Assignments that differ in one flag of the rule's reason."""
    for name in sorted(space.reason(rule, here)):
        flag = space.number(name)
        if flag is None:
            continue
        if flag in here:
            yield {other: value for other, value in here.items() if other != flag}
        for value in space.candidates(flag):
            if here.get(flag) != value:
                yield {**here, flag: value}


def _smaller(space: Space, found: Assignment) -> Assignment | None:
    """The repair with one change undone, the dearest that can be."""
    for flag in sorted(found, key=lambda flag: (-space.costs[flag], flag)):
        without = {other: value for other, value in found.items() if other != flag}
        if not space.broken(without):
            return without
    return None
