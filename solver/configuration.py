"""A command as the repair search sees it: flags to change, what to, at what cost, and what that breaks.

Implements `solver.repair.Constraints` over a resolution. Searches nothing, and writes no command.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

from constraints.domain import candidate_values, takes_many_words
from constraints.expression.values import UNKNOWN, is_known, same
from constraints.vocabulary import Value
from solver.break_points import break_points
from solver.case import Case, different_leaves
from solver.launch import ArgumentProblem
from solver.program import Leaves, Program
from solver.reason import Costs, Reasons
from solver.repair import NOT_GIVEN, Changes, Domain, Placeholder
from solver.resolution import Resolution
from solver.undecided import Telling
from solver.unknown import Unknowns
from solver.worlds import held_flags

Rule: TypeAlias = tuple[str, int]
"""`("argument", i)` for the i-th problem of the arguments; `("rule", node)` and `("undecided", node)`."""

_MAX_CANDIDATES = 40
"""Of a flag with more break-points, the values nearest to the present one are tried."""

_GIVEN_AND_NAMED, _GIVEN, _NAMED, _FAR = 0, 20, 50, 100
"""What changing a flag costs, beside the engine's own weights: least for what the user gave and a broken rule
names; then what was given and counts on the way; then adding a flag that a broken rule names; most for adding
one far up the derivation."""


class Configuration:
    """The present configuration of a case.

    Args:
        case: the command.
        keep: flags that must not change, by field name.
        ignore: codes of rules that don't count.
        may_leave_undecided: whether rules that are undecided only after a change don't count either.
    """

    def __init__(
        self,
        case: Case,
        *,
        keep: Collection[str] = (),
        ignore: Collection[str] = (),
        may_leave_undecided: bool = False,
    ) -> None:
        self._case = case
        self._program: Program = case.program
        self._keep = frozenset(keep)
        codes = enumerate(self._program.codes)
        self._ignored = frozenset(node for node, code in codes if code and code in ignore)
        self._ignored_codes = frozenset(ignore)
        self._may_leave_undecided = may_leave_undecided
        self._last: tuple[dict[str, Value], Resolution] = ({}, case.resolution)

    def present(self, flag: str) -> Value:
        value = self._case.given.get(flag, NOT_GIVEN)
        written = self._case.written(flag)
        if value is not UNKNOWN or written is None:
            return value
        return " ".join(self._case.arguments.words[index].text for index in written.words[1:])

    def can_change(self, flag: str) -> bool:
        return flag in self._changeable

    def domain(self, flag: str) -> Domain:
        if flag not in self._changeable:
            return Domain(())
        described, is_given = self._program.flags[flag], flag in self._case.given
        points = break_points(self._case.resolution, flag)
        literals: list[Value] = [*self._suggested(flag), described.default, *points.values]
        if any(option.type == "float" for option in described.options):
            literals += (float(each) for each in points.values if isinstance(each, int))
        candidates = candidate_values(described, literals)
        values = [value for value in candidates.values if self._is_change(flag, value)]
        if candidates.kind == "number":
            values += between(values)
        if candidates.kind in {"integer", "number"}:
            values = self._nearest(flag, values)
        if is_given and candidates.removable and self._is_all_here(flag):
            values.insert(0, NOT_GIVEN)
        if candidates.kind == "text" and candidates.placeholder:
            values.append(Placeholder(candidates.placeholder))
        values.sort(key=lambda value: value not in self._suggested(flag))
        moduli = tuple(each for each in points.moduli if each > 1)
        return Domain(tuple(values), candidates.kind, moduli)

    def cost(self, flag: str) -> int:
        is_given, is_named = flag in self._case.given, flag in self._named
        if is_given:
            cost = _GIVEN_AND_NAMED if is_named else _GIVEN
        else:
            cost = _NAMED if is_named else _FAR
        return cost + _weight(self._program, flag)

    def broken(self, changes: Changes) -> Sequence[Rule]:
        rules: list[Rule] = [
            ("argument", index)
            for index, problem in enumerate(self._case.arguments.problems)
            if problem.flag not in changes and problem.code not in self._ignored_codes
        ]
        resolution = self._changed(changes)
        rules += (("rule", node) for node in resolution.broken if node not in self._ignored)
        if not rules and not self._may_leave_undecided:
            rules += (("undecided", node) for node in self._newly_undecided(resolution))
        return rules

    def reason(self, rule: Hashable, changes: Changes) -> frozenset[str]:
        kind, number = rule if isinstance(rule, tuple) else ("rule", rule)
        if kind == "argument":
            problem: ArgumentProblem = self._case.arguments.problems[number]
            return frozenset(() if problem.flag is None else (problem.flag,))
        different = sum(1 << self._program.leaf_of_flag[flag] for flag in changes)
        reasons = Reasons(
            self._changed(changes), self._costs(changes), base=self._reasons, different=different
        )
        if kind == "rule":
            return self._program.flags_of(reasons.leaves(number))
        return self._program.flags_of(reasons.leaves(number) | self._program.near[number])

    def _changed(self, changes: Changes) -> Resolution:
        """The resolution of the changed configuration; the last one is kept, as reasons are asked of it."""
        last, resolution = self._last
        if last.keys() == changes.keys() and all(last[flag] is value for flag, value in changes.items()):
            return resolution
        values = {
            flag: stand_in(self._case, flag, value)
            for flag, value in changes.items()
            if value is not NOT_GIVEN
        }
        dropped = [flag for flag, value in changes.items() if value is NOT_GIVEN]
        resolution = self._case.resolution.with_given(values, dropped=dropped)
        self._last = (dict(changes), resolution)
        return resolution

    def _newly_undecided(self, resolution: Resolution) -> list[int]:
        fresh = [node for node in resolution.undecided if node not in self._undecided | self._ignored]
        if not fresh:
            return []
        given = different_leaves(self._program, resolution.given)
        telling = Telling(resolution, Unknowns(resolution), self._case.base, given, self._case.unsaid)
        return [node for node in fresh if telling.flags(node)]

    @cached_property
    def _undecided(self) -> frozenset[int]:
        """The rules that the command leaves undecided, those that say nothing left out."""
        telling = self._case.telling()
        return frozenset(node for node in self._case.resolution.undecided if telling.flags(node))

    @cached_property
    def _changeable(self) -> frozenset[str]:
        """The flags with an option, without those to keep: what must be given, as the model, is kept too."""
        wrong = {problem.flag for problem in self._case.arguments.problems}
        held = held_flags(self._program, self._case.given)
        return frozenset(
            name
            for name, flag in self._program.flags.items()
            if flag.options
            and name not in self._keep
            and name not in held
            and (name in wrong or not any(option.required for option in flag.options))
        )

    @cached_property
    def _reasons(self) -> Reasons:
        """Reasons in the present configuration."""
        return Reasons(self._case.resolution, self._costs(()))

    @cached_property
    def _named(self) -> frozenset[str]:
        """The flags that the rules broken now name, themselves or through named values."""
        near = self._program.near
        leaves = 0
        for node in self._case.resolution.broken:
            leaves |= near[node]
        wrong = {problem.flag for problem in self._case.arguments.problems if problem.flag is not None}
        return self._program.flags_of(leaves) | wrong

    @cached_property
    def _fixed_leaves(self) -> Leaves:
        """The leaves that no repair can change."""
        leaves = sum(1 << leaf for leaf in self._program.leaf_of_fact.values())
        for name, leaf in self._program.leaf_of_flag.items():
            if name not in self._changeable:
                leaves |= 1 << leaf
        return leaves

    def _costs(self, changes: Iterable[str]) -> Costs:
        changed = sum(1 << self._program.leaf_of_flag[flag] for flag in changes)
        given = sum(1 << self._program.leaf_of_flag[flag] for flag in self._case.given)
        return Costs(((self._fixed_leaves, 0), (changed, 1), (given, 20)), 30)

    def _suggested(self, flag: str) -> tuple[Value, ...]:
        problems = self._case.arguments.problems
        return tuple(
            each.suggestion for each in problems if each.flag == flag and each.suggestion is not None
        )

    def _is_change(self, flag: str, value: Value) -> bool:
        """Whether a value is another one than the flag has now."""
        return not same(self._case.given.get(flag, self._program.flags[flag].default), value)

    def _is_all_here(self, flag: str) -> bool:
        """Whether the flag's words all stand in the command, so that it can be taken out."""
        words, here = self._case.arguments.words, self._case.launch.place.file
        written = self._case.written(flag)
        if written is None:
            return True
        places = (words[index].place for index in (*written.earlier, *written.words))
        return all(place is None or place.file == here for place in places)

    def _nearest(self, flag: str, values: Iterable[Value]) -> list[Value]:
        """Numbers by their distance from the present value, or from the default."""
        present = self._case.resolution.values[self._program.leaf_of_flag[flag]]
        origin = present if is_known(present) and isinstance(present, (int, float)) else 0
        numbers = [value for value in values if isinstance(value, (int, float))]
        return sorted(numbers, key=lambda value: (abs(value - origin), value))[:_MAX_CANDIDATES]


def stand_in(case: Case, flag: str, value: Value) -> Value:
    """The value itself; for a placeholder, text that equals no other, or UNKNOWN for other types."""
    if not isinstance(value, Placeholder):
        return value
    option = case.program.flags[flag].options[0]
    if option.type not in {"str", "nullable_str", "lora_paths"}:
        return UNKNOWN
    return [str(value)] if takes_many_words(option) else str(value)


def between(values: Iterable[Value]) -> list[float]:
    """Numbers between and beyond some break-points: rules may allow these, and not the points."""
    points = sorted(value for value in values if isinstance(value, (int, float)))
    if not points:
        return []
    middles = [(low + high) / 2 for low, high in pairwise(points) if low < high]
    return [points[0] - 1.0, *middles, points[-1] + 1.0]


def _weight(program: Program, flag: str) -> int:
    """What the engine's adapter says about changing a flag."""
    if program.engine != "sglang":
        return 0
    from constraints.sglang.preferences import weight_of

    return weight_of(flag)
