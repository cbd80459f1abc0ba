"""The smallest repairs of a configuration, with proof: the search itself.

Implicit hitting sets: take a cheapest set of flags that satisfies all conflicts known; try to mend with new
values for exactly these; where that fails, the failure is a new conflict. The first set that mends is a
smallest one, since every smaller one was refuted. Going on gives all of that size. (Davies & Bacchus, 2011,
for MaxSAT; the conflicts are Reiter's, 1987.) Smallest and all are meant over the candidate values.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from time import monotonic

from solver.repair.answers import (
    Allowed,
    Applicability,
    Change,
    NoRepair,
    Repair,
    RepairSearch,
    Statistics,
    Status,
    Stop,
)
from solver.repair.attempt import attempt, attempt_outside
from solver.repair.budget import Budget, OutOfBudgetError
from solver.repair.candidates import Assignment, FlagSet, Space, flag_set, numbers
from solver.repair.conflicts import Conflict, Nogoods
from solver.repair.hitting_sets import CHANGE, HittingSet, HittingSets
from solver.repair.protocol import NOT_GIVEN, Constraints, Placeholder
from solver.repair.ranges import describe, independent, mending
from solver.repair.rescue import rescue
from solver.repair.subproblem import Box

_PROOF_SHARE: float = 0.75
"""Of the time, how much finding sets of flags may take; the rest is for their values, or for a rescue."""


def find_repairs(
    constraints: Constraints,
    *,
    keep: Collection[str] = (),
    max_changes: int | None = None,
    alternatives: int = 5,
    timeout_seconds: float | None = None,
    node_limit: int | None = None,
) -> RepairSearch:
    """The repairs that change the fewest flags; of these, those of the least preference weight first.

    Deterministic, unless time runs out. An interrupt from the keyboard ends the search like a budget does,
    and what was found until then is the answer.

    Args:
        constraints: the present configuration and its rules.
        keep: flags that must not change.
        max_changes: larger repairs are not wanted; at least 1.
        alternatives: how many repairs to give at most; at least 1. Different sets of flags come before
            different values of the same flags.
        timeout_seconds: after which to answer with what there is, at least 0.
        node_limit: the same as a count of evaluations, branchings and tests: for finding sets of flags, and
            once more for their values.

    Raises:
        ValueError: a number is out of its range.
    """
    if alternatives < 1 or (max_changes is not None and max_changes < 1):
        raise ValueError("alternatives and max_changes must be at least 1")
    if (timeout_seconds or 0) < 0 or (node_limit or 0) < 0:
        raise ValueError("timeout_seconds and node_limit must not be negative")
    started = monotonic()
    budget = Budget()
    search = _Search(Space(constraints, keep=keep, budget=budget), max_changes, alternatives)

    def phase(work: Callable[[], None], share: float) -> None:
        deadline = None if timeout_seconds is None else started + share * timeout_seconds
        budget.renew(deadline=deadline, nodes=node_limit)
        try:
            work()
        except OutOfBudgetError as out:
            search.stopped = search.stopped or out.reason

    try:
        phase(search.prove, _PROOF_SHARE)
        phase(search.describe, 1.0)
    except KeyboardInterrupt:
        search.stopped = "interrupt"
    return search.outcome()


@dataclass(slots=True)
class _Mended:
    """A repair as it is found, and what is known of it so far."""

    price: int
    values: Assignment
    box: Box = field(default_factory=dict)
    allowed: dict[int, Allowed] = field(default_factory=dict)
    independent: bool = False


class _Search:
    """The state of one search. Every phase leaves it such that `outcome` tells the truth at any moment."""

    def __init__(self, space: Space, max_changes: int | None, alternatives: int) -> None:
        self.stopped: Stop | None = None
        self._space = space
        self._known = Nogoods()
        self._conflicts = HittingSets(space.costs, space.budget)
        self._max_changes = max_changes
        self._alternatives = alternatives
        # One more than is given tells whether that is all.
        self._wanted = alternatives + 1
        self._found: list[_Mended] = []
        self._settled: set[FlagSet] = set()
        self._attempts = 0
        self._at_least = 0
        self._nothing_to_mend = False
        self._all_sets_tried = False
        self._all_values_tried = False
        self._obstacle: NoRepair | None = None

    def prove(self) -> None:
        """Find sets of flags that mend, from the smallest on, each with values."""
        if not self._space.broken({}):
            self._nothing_to_mend = True
            return
        for rule in self._space.broken({}):
            self._conflicts.add(self._known.learn(self._space, {}, rule).as_conflict())
        found: list[FlagSet] = []
        while len(found) < self._wanted:
            least = self._conflicts.least(besides=found)
            if least is None or (found and least.size > self._at_least):
                self._all_sets_tried = True
                break
            self._at_least = least.size
            if self._max_changes is not None and least.size > self._max_changes:
                self._all_sets_tried = True
                return
            values = self._attempt(least)
            if values is not None:
                found.append(least.flags)
                self._found.append(_Mended(least.price, values))
        if not found:
            self._obstacle = self._no_repair(self._conflicts.contradiction())

    def _attempt(self, candidate: HittingSet) -> Assignment | None:
        """Values for the flags, or more conflicts.

        Parts that no conflict links are tried apart first, as few flags are evaluated faster than many. Where
        one fails for want of another, the conflict that comes of it makes them one part, to be tried again.
        """
        if len(candidate.parts) > 1:
            unsettled = [part for part in candidate.parts if part not in self._settled]
            self._settled.update([part for part in unsettled if self._values(part) is not None])
            if not self._settled.issuperset(unsettled):
                return None
        return self._values(candidate.flags)

    def _values(self, flags: FlagSet) -> Assignment | None:
        self._attempts += 1
        answer = attempt(flags, self._space, self._known)
        if not isinstance(answer, list):
            return answer
        for each in answer:
            self._conflicts.add(each)
        return None

    def describe(self) -> None:
        """Find all values of the sets found; where there is none, some repair of any size."""
        if not self._found and not self._all_sets_tried:
            self._rescue()
        for mended in self._found[: self._alternatives]:
            self._widen(mended)
        self._all_values_tried = all(self._other_values(mended) for mended in tuple(self._found))

    def outcome(self) -> RepairSearch:
        """What is known by now."""
        shown = self._found[: self._alternatives]
        size = 0 if self._nothing_to_mend else len(shown[0].values) if shown else None
        complete = self._all_sets_tried and self._all_values_tried and bool(shown) and shown == self._found
        proven = size is not None and size == self._at_least
        repairs = sorted(
            (self._repair(each, only=complete and len(shown) == 1) for each in shown),
            key=lambda repair: (repair.cost, [change.flag for change in repair.changes]),
        )
        return RepairSearch(
            status=self._status(),
            size=size,
            at_least=self._at_least,
            proven_smallest=proven,
            complete=complete or self._nothing_to_mend,
            repairs=tuple(repairs),
            obstacle=self._obstacle,
            stopped=self.stopped,
            statistics=Statistics(self._space.evaluations, self._attempts, len(self._conflicts)),
        )

    def _status(self) -> Status:
        if self._nothing_to_mend:
            return "nothing-to-mend"
        if self._found:
            return "found"
        return "none-exists" if self._all_sets_tried else "gave-up"

    def _widen(self, mended: _Mended) -> None:
        """Find what else the changed flags may be, each while the others are as they are."""
        mended.box = mending(self._space, self._known, mended.values)
        mended.independent = independent(self._space, self._known, mended.box)
        for flag, candidates in mended.box.items():
            mended.allowed[flag] = describe(self._space, mended.values, flag, candidates)

    def _other_values(self, mended: _Mended) -> bool:
        """Find repairs of the same flags with values that no repair found admits; whether those are all."""
        flags = flag_set(mended.values)
        boxes = [each.box for each in self._found if each.box and flag_set(each.values) == flags]
        # All values of a single flag are in its box.
        while len(mended.values) > 1:
            if len(self._found) == self._wanted:
                return False
            values = attempt_outside(flags, self._space, self._known, boxes)
            if values is None:
                break
            other = _Mended(mended.price, values)
            self._found.append(other)
            self._widen(other)
            boxes.append(other.box)
        return True

    def _rescue(self) -> None:
        for values in rescue(self._space):
            if self._max_changes is None or len(values) <= self._max_changes:
                price = sum(CHANGE + self._space.costs[flag] for flag in values)
                self._found = [_Mended(price, values)]

    def _no_repair(self, conflicts: list[Conflict]) -> NoRepair:
        nogoods = [nogood for each in conflicts for nogood in each.nogoods]
        flags = {flag for each in conflicts for flag in numbers(each.scope | each.hit)}
        fixed = {flag for flag in flags if not self._space.candidates(flag)}
        pinned = {name for nogood in nogoods for name in nogood.pinned}
        pinned.update(self._space.names[flag] for flag in fixed)
        return NoRepair(
            rules=tuple(dict.fromkeys(nogood.rule for nogood in nogoods)),
            pinned=tuple(sorted(pinned)),
            flags=tuple(sorted(self._space.names[flag] for flag in flags - fixed)),
        )

    def _repair(self, mended: _Mended, *, only: bool) -> Repair:
        changes = sorted((self._change(mended, flag) for flag in mended.values), key=lambda each: each.flag)
        applicability: Applicability = "maybe-incorrect"
        if any(isinstance(change.after, Placeholder) for change in changes):
            applicability = "has-placeholders"
        elif only and all(change.allowed.single for change in changes):
            applicability = "machine-applicable"
        return Repair(tuple(changes), mended.price % CHANGE, applicability, mended.independent)

    def _change(self, mended: _Mended, flag: int) -> Change:
        before = self._space.present(flag)
        after = self._space.value(flag, mended.values[flag])
        removed = after is NOT_GIVEN
        alone = Allowed(() if removed else (after,), not_given=removed)
        return Change(
            flag=self._space.names[flag],
            action="remove" if removed else "add" if before is NOT_GIVEN else "set",
            before=before,
            after=after,
            allowed=mended.allowed.get(flag, alone),
        )
