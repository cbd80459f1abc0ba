"""Nogoods, the conflicts that follow from them, and how a conflict is shrunk. Evaluates nothing.

A *nogood* is what one broken rule teaches: these flags at these new values, those at their present ones, and
something is broken, whatever all other flags are. A *conflict* is a set of nogoods with the values taken
out: where all of some flags change, one of some others must change too. Without flags in its first half it
is Reiter's conflict set (A Theory of Diagnosis from First Principles, 1987), and every repair hits it; with
them it is the same under an assumption, which keeps it small where the refusal is due to a new value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from solver.repair.candidates import Assignment, FlagSet, Space, flag_set
from solver.repair.protocol import Rule


@dataclass(frozen=True, slots=True)
class Nogood:
    """A configuration is refused if it has the values of `when` and the present ones of `held` and `pinned`.

    Attributes:
        when: flag number and candidate number, ascending.
        scope: the flags of `when`.
        held: flags that could change and do not.
        rule: the rule that refuses.
        pinned: names of flags that can't change.
    """

    when: tuple[tuple[int, int], ...]
    scope: FlagSet
    held: FlagSet
    rule: Rule
    pinned: frozenset[str]

    @property
    def flags(self) -> FlagSet:
        """All flags that the refusal hangs on and that can change."""
        return self.scope | self.held

    def covers(self, assignment: Assignment, changed: FlagSet) -> bool:
        """Whether it refuses this configuration; `changed` are the flags of the assignment."""
        return not self.held & changed and not self.scope & ~changed and self.when_is_in(assignment)

    def when_is_in(self, assignment: Assignment) -> bool:
        """Whether the assignment, which has all flags of `scope`, gives them the values of `when`."""
        return all(assignment[flag] == value for flag, value in self.when)

    def as_conflict(self) -> Conflict:
        """The conflict that it is on its own, where `when` is empty."""
        return Conflict(0, self.held, (self,))


@dataclass(frozen=True, slots=True)
class Conflict:
    """Every repair that changes all flags of `scope` changes one of `hit` too.

    Attributes:
        scope: empty for a conflict that every repair must hit.
        hit: empty where no repair changes all of `scope`.
        nogoods: what it follows from; every combination of candidates of `scope` meets one of them.
    """

    scope: FlagSet
    hit: FlagSet
    nogoods: tuple[Nogood, ...]


class Nogoods:
    """All nogoods learnt so far, found by the rule they come from and by the flags they speak of."""

    __slots__ = ("_by_first", "_by_rule")

    def __init__(self) -> None:
        self._by_rule: dict[Rule, list[Nogood]] = {}
        self._by_first: dict[int, list[Nogood]] = {}

    def unexplained(self, space: Space, assignment: Assignment) -> list[Rule]:
        """The rules that the configuration breaks without that a known nogood says so."""
        changed = flag_set(assignment)
        return [
            rule
            for rule in space.broken(assignment)
            if not any(nogood.covers(assignment, changed) for nogood in self._by_rule.get(rule, ()))
        ]

    def learn(self, space: Space, assignment: Assignment, rule: Rule) -> Nogood:
        """Why the configuration breaks the rule."""
        nogood = _nogood(space, rule, assignment)
        self._by_rule.setdefault(rule, []).append(nogood)
        if nogood.when:
            self._by_first.setdefault(nogood.when[0][0], []).append(nogood)
        return nogood

    def about(self, flags: Sequence[int]) -> Iterator[Nogood]:
        """Those that may refuse a configuration in which exactly these flags change."""
        changed = flag_set(flags)
        for flag in flags:
            for nogood in self._by_first.get(flag, ()):
                if not nogood.scope & ~changed and not nogood.held & changed:
                    yield nogood

    def refuse(self, assignment: Assignment) -> bool:
        """Whether a known nogood refuses the configuration."""
        changed = flag_set(assignment)
        return any(
            nogood.covers(assignment, changed)
            for flag in assignment
            for nogood in self._by_first.get(flag, ())
        )


def _nogood(space: Space, rule: Rule, assignment: Assignment) -> Nogood:
    when = []
    held = []
    pinned = []
    for name in sorted(space.reason(rule, assignment)):
        flag = space.number(name)
        if flag is None:
            pinned.append(name)
        elif flag in assignment:
            when.append((flag, assignment[flag]))
        else:
            held.append(flag)
    when.sort()
    scope = flag_set(flag for flag, _ in when)
    return Nogood(tuple(when), scope, flag_set(held), rule, frozenset(pinned))


def shrink(flags: Sequence[int], suffices: Callable[[FlagSet], bool]) -> FlagSet:
    """A minimal subset that suffices; of several, one that keeps those early in the order.

    QuickXPlain: Junker, Preferred Explanations and Relaxations for Over-Constrained Problems, 2004. With n
    flags of which k are kept, about 2 k log(n / k) + 2 k calls.

    Args:
        flags: numbers that together suffice.
        suffices: asked about sets of them; where it holds of a set, it must hold of every larger one.
    """

    def kept(given: FlagSet, *, fresh: bool, among: Sequence[int]) -> FlagSet:
        if fresh and suffices(given):
            return 0
        if len(among) == 1:
            return 1 << among[0]
        middle = len(among) // 2
        first, second = among[:middle], among[middle:]
        later = kept(given | flag_set(first), fresh=True, among=second)
        return later | kept(given | later, fresh=bool(later), among=first)

    return kept(0, fresh=True, among=flags) if flags else 0
