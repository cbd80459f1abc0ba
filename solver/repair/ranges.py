"""The widest set of values for each changed flag, the others as a repair has them. Searches for no repair.

The idea is RangeFix's (Xiong, Hubaux, She & Czarnecki, Generating Range Fixes for Software Configuration,
ICSE 2012): not "set it to 4" but "any integer in 1..8". Candidates are evaluated one by one; what lies
between two numbers that mend is claimed only after probes (see `protocol.Domain`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product
from math import gcd, lcm

from solver.repair.answers import Allowed, Range
from solver.repair.candidates import Assignment, Space
from solver.repair.conflicts import Nogoods
from solver.repair.protocol import NOT_GIVEN, Domain
from solver.repair.subproblem import Box

_WHOLE_GAP: int = 4
"""A gap of at most so many integers is probed whole."""

_LONGEST_PERIOD: int = 8
"""A longer one is probed at a multiple of the modulus only."""

_COMBINATIONS: int = 32
"""Repairs of more combinations of candidates are not looked at for independence."""


def mending(space: Space, known: Nogoods, repair: Assignment) -> Box:
    """For each changed flag the candidates that mend while the others are as in the repair, best first."""

    def mends(flag: int, candidate: int) -> bool:
        if candidate == repair[flag]:
            return True
        there = {**repair, flag: candidate}
        return not known.refuse(there) and not space.broken(there)

    return {
        flag: [candidate for candidate in space.candidates(flag) if mends(flag, candidate)] for flag in repair
    }


def independent(space: Space, known: Nogoods, box: Box) -> bool:
    """Whether all combinations in the box mend. False also where there are too many to look at."""
    combinations = 1
    for candidates in box.values():
        combinations *= len(candidates)
    if combinations > _COMBINATIONS:
        return False
    assignments = (dict(zip(box, values, strict=True)) for values in product(*box.values()))
    return len(box) == 1 or not any(known.refuse(each) or space.broken(each) for each in assignments)


def describe(space: Space, repair: Assignment, flag: int, candidates: Sequence[int]) -> Allowed:
    """The candidates of one flag in few words, with what lies between numbers where probes allow."""
    domain = space.domain(flag)
    values = [domain.values[each] for each in candidates]
    ranges: tuple[Range, ...] = ()
    if domain.kind in {"integer", "number"}:
        numbers = sorted({each for each in values if _is_number(each, domain)})
        present = space.present(flag)
        failing = {each for each in (*domain.values, present) if _is_number(each, domain)} - set(numbers)
        ranges = _ranges(numbers, failing, domain, lambda value: space.mends(repair, flag, value))
    listed = [
        each
        for each in values
        if each is not NOT_GIVEN and not (_is_number(each, domain) and any(each in part for part in ranges))
    ]
    return Allowed(
        values=tuple(listed),
        ranges=ranges,
        not_given=any(each is NOT_GIVEN for each in values),
        anything_else=len(candidates) == len(domain.values) and domain.kind in {"choice", "text"},
    )


def _is_number(value: object, domain: Domain) -> bool:
    return type(value) is int or (domain.kind == "number" and type(value) is float)


def _ranges(
    good: list[float], failing: set[float], domain: Domain, mends: Callable[[float], bool]
) -> tuple[Range, ...]:
    """What may be claimed of the numbers between those that mend."""
    if domain.kind == "number":
        runs = _runs(good, failing, lambda low, high: all(map(mends, _probes_between(low, high))))
        return tuple(Range(run[0], run[-1], integer=False) for run in runs if len(run) > 1)

    def solid(step: int) -> Callable[[float, float], bool]:
        return lambda low, high: all(map(mends, _probes(int(low), int(high), step, domain.moduli)))

    runs = _runs(good, failing, solid(1))
    found = [Range(run[0], run[-1]) for run in runs if run[-1] - run[0] > 1]
    apart = [int(value) for run in runs if run[-1] - run[0] <= 1 for value in run if value > 0]
    step = 1
    while len(apart) > 2 and (step := gcd(*apart)) == 1:
        del apart[0]
    if step > 1 and len(apart) > 2:
        stops = {value for value in failing if value % step == 0}
        runs = _runs(list(apart), stops, solid(step))
        found += [Range(run[0], run[-1], multiple_of=step) for run in runs if len(run) > 2]
    return tuple(sorted(found, key=lambda each: each.low))


def _runs(
    good: list[float], failing: set[float], joined: Callable[[float, float], bool]
) -> list[list[float]]:
    """The numbers cut where one that fails lies between two neighbours, or where they are not joined."""
    runs = [good[:1]] if good else []
    for low, high in pairwise(good):
        if any(low < value < high for value in failing) or not joined(low, high):
            runs.append([])
        runs[-1].append(high)
    return runs


def _probes(low: int, high: int, step: int, moduli: tuple[int, ...]) -> Iterator[int]:
    """Multiples of `step` strictly between the two: both ends, the middle, and what moduli tell apart."""
    inside = range(low + step, high, step)
    if len(inside) <= _WHOLE_GAP:
        yield from inside
        return
    yield from (inside[0], inside[-1], inside[len(inside) // 2])
    multiples = sorted({lcm(step, modulus) for modulus in moduli})
    short = [each // step for each in multiples if each // step <= _LONGEST_PERIOD]
    yield from inside[1 : max(short, default=2)]
    for each in multiples[len(short) :]:
        yield from range(low - low % each, high, each)[1:2]


def _probes_between(low: float, high: float) -> Iterator[float]:
    """Numbers close to both ends and in the middle."""
    for share in (1 / 1024, 1 / 2, 1023 / 1024):
        yield low + (high - low) * share
