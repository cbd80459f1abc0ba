"""What the repair search answers with: frozen records of flags, values and rules. Computes nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from constraints.vocabulary import Value
from solver.repair.protocol import NOT_GIVEN, Placeholder, Rule

Action: TypeAlias = Literal["set", "remove", "add"]
Applicability: TypeAlias = Literal["machine-applicable", "maybe-incorrect", "has-placeholders"]
Status: TypeAlias = Literal["nothing-to-mend", "found", "none-exists", "gave-up"]
Stop: TypeAlias = Literal["time", "nodes", "interrupt"]


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from `low` to `high`, both included.

    Attributes:
        low, high: int for a range of integers, else float or int.
        integer: whether only integers are meant.
        multiple_of: only multiples of this; 1 for all integers.
    """

    low: float
    high: float
    integer: bool = True
    multiple_of: int = 1

    def __contains__(self, value: object) -> bool:
        if isinstance(value, bool) or not isinstance(value, int if self.integer else (int, float)):
            return False
        return self.low <= value <= self.high and (not self.integer or value % self.multiple_of == 0)

    def __str__(self) -> str:
        if not self.integer:
            return f"any number in {self.low}..{self.high}"
        if self.multiple_of > 1:
            return f"any multiple of {self.multiple_of} in {self.low}..{self.high}"
        return f"any integer in {self.low}..{self.high}"

    def to_dict(self) -> dict[str, Any]:
        """Its fields by name."""
        return {
            "low": self.low,
            "high": self.high,
            "integer": self.integer,
            "multiple_of": self.multiple_of,
        }


@dataclass(frozen=True, slots=True)
class Allowed:
    """The widest set of values of one changed flag that mends, the other changes as the repair has them.

    Attributes:
        values: single values, best first; those in a range and `NOT_GIVEN` are left out.
        ranges: of numbers, ascending.
        not_given: whether leaving the flag out mends.
        anything_else: whether every candidate mends: any value that is not the present one.
    """

    values: tuple[Value, ...] = ()
    ranges: tuple[Range, ...] = ()
    not_given: bool = False
    anything_else: bool = False

    def admits(self, value: Value) -> bool:
        """Whether the value is among these. Of `anything_else` only what is listed counts."""
        if value is NOT_GIVEN:
            return self.not_given
        listed = any(type(each) is type(value) and each == value for each in self.values)
        return listed or any(value in each for each in self.ranges)

    @property
    def single(self) -> bool:
        """Whether there is no choice."""
        return not self.ranges and len(self.values) + self.not_given == 1

    def phrase(self, show: Callable[[Value], str] = str) -> str:
        """In English: `any integer in 1..8, auto or not given`. `show` writes one value."""
        if self.anything_else and not self.single:
            return "anything else" if self.not_given else "any other value"
        parts = [str(each) for each in self.ranges]
        parts += [show(each) for each in self.values]
        parts += ["not given"] if self.not_given else []
        return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"

    def to_dict(self) -> dict[str, Any]:
        """Its fields by name as JSON values; placeholders as `<HINT>`."""
        return {
            "values": [_plain(each) for each in self.values],
            "ranges": [each.to_dict() for each in self.ranges],
            "not_given": self.not_given,
            "anything_else": self.anything_else,
        }


@dataclass(frozen=True, slots=True)
class Change:
    """One flag changed.

    Attributes:
        flag: its name.
        action: `remove` it, `add` it, or `set` it to another value.
        before, after: its values; `NOT_GIVEN` where it is not in the command, a `Placeholder` where only the
            user knows what to put.
        allowed: everything that `after` may be.
    """

    flag: str
    action: Action
    before: Value
    after: Value
    allowed: Allowed

    def to_dict(self) -> dict[str, Any]:
        """Its fields by name as JSON values; a value that is not given is null, as `action` tells."""
        return {
            "flag": self.flag,
            "action": self.action,
            "before": _plain(self.before),
            "after": _plain(self.after),
            "allowed": self.allowed.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Repair:
    """Changes after which no rule is broken.

    Attributes:
        changes: by flag name.
        cost: their total preference weight.
        applicability: `machine-applicable` only where this is proven to be the one smallest repair, and it
            leaves no choice of value.
        independent: whether every combination of the allowed candidates is known to mend; where it is not,
            `allowed` of each change holds with the other changes as they are written here.
    """

    changes: tuple[Change, ...]
    cost: int
    applicability: Applicability
    independent: bool

    def to_dict(self) -> dict[str, Any]:
        """Its fields by name as JSON values."""
        return {
            "changes": [each.to_dict() for each in self.changes],
            "cost": self.cost,
            "applicability": self.applicability,
            "independent": self.independent,
        }


@dataclass(frozen=True, slots=True)
class NoRepair:
    """Why nothing mends: whatever becomes of the other flags, one of these rules is broken.

    Attributes:
        rules: a minimal set of conflicts rests on these; without any one of the conflicts, the proof fails.
        pinned: flags that these rules hang on and that must not change: kept, or without another value.
        flags: flags whose every change was tried, by name.
    """

    rules: tuple[Rule, ...]
    pinned: tuple[str, ...]
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a search cost.

    Attributes:
        evaluations: configurations evaluated.
        attempts: sets of flags tried.
        conflicts: conflicts known at the end.
    """

    evaluations: int = 0
    attempts: int = 0
    conflicts: int = 0


@dataclass(frozen=True, slots=True)
class RepairSearch:
    """The outcome of a search.

    Attributes:
        status: nothing to mend, repairs found, proof that none exists (of at most `max_changes`), or gave up.
        size: how many flags each repair changes; 0 where nothing is to mend, None where none was found.
        at_least: proven: every repair changes at least so many flags.
        proven_smallest: whether `size` is the least there is, over all candidates of all flags.
        complete: whether `repairs` holds every repair of that size.
        repairs: least cost first.
        obstacle: for `none-exists`, why; None if there are repairs of more than `max_changes` flags, perhaps.
        stopped: what ended the search early; None if it ran to its end.
    """

    status: Status
    size: int | None
    at_least: int
    proven_smallest: bool
    complete: bool
    repairs: tuple[Repair, ...] = ()
    obstacle: NoRepair | None = None
    stopped: Stop | None = None
    statistics: Statistics = field(default_factory=Statistics, compare=False)


def _plain(value: Value) -> Any:
    """A value as JSON has it."""
    if value is NOT_GIVEN:
        return None
    return str(value) if isinstance(value, Placeholder) else value
