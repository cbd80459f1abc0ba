from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.repair.budget import Budget, OutOfBudgetError
from solver.repair.candidates import flag_set
from solver.repair.conflicts import Nogood
from solver.repair.subproblem import Dead, solve


def no_more() -> None:
    """No budget."""


def nogood(**when: int) -> Nogood:
    """`f1=0, f3=2` as a nogood."""
    pairs = tuple(sorted((int(flag[1:]), value) for flag, value in when.items()))
    return Nogood(pairs, flag_set(flag for flag, _ in pairs), 0, "r", frozenset())


@st.composite
def problems(draw: st.DrawFn) -> tuple[dict[int, list[int]], list[Nogood]]:
    options = {
        flag: draw(st.lists(st.integers(0, 3), min_size=1, max_size=4, unique=True))
        for flag in range(draw(st.integers(1, 5)))
    }
    flags = st.lists(st.sampled_from(sorted(options)), min_size=2, max_size=3, unique=True)
    count = draw(st.integers(0, 25)) if len(options) > 1 else 0
    scopes = [draw(flags) for _ in range(count)]
    return options, [nogood(**{f"f{flag}": draw(st.integers(0, 3)) for flag in scope}) for scope in scopes]


def refused(values: dict[int, int], nogoods: list[Nogood]) -> bool:
    return any(each.covers(values, flag_set(values)) for each in nogoods)


@given(problems())
def test_a_solution_meets_no_nogood_and_dead_flags_have_none(problem):
    options, nogoods = problem
    found = solve(options, nogoods, no_more)
    if not isinstance(found, Dead):
        assert all(found[flag] in candidates for flag, candidates in options.items())
        assert not refused(dict(found), nogoods)
        return
    for component in found.components:
        inside = [each for each in nogoods if not each.scope & ~flag_set(component)]
        rows = product(*(options[flag] for flag in component))
        assert all(refused(dict(zip(component, row, strict=True)), inside) for row in rows)


@given(problems(), st.data())
def test_a_solution_lies_outside_every_box(problem, data):
    options, nogoods = problem
    box = {flag: data.draw(st.lists(st.sampled_from(options[flag]), min_size=1)) for flag in options}
    found = solve(options, nogoods, no_more, outside=[box])
    left = [
        values
        for row in product(*options.values())
        if not refused(values := dict(zip(options, row, strict=True)), nogoods)
        and any(values[flag] not in box[flag] for flag in options)
    ]
    assert isinstance(found, Dead) if not left else found in left


def test_best_candidates_come_first():
    options = {0: [2, 0], 1: [1, 0], 2: [3, 1]}
    assert solve(options, [], no_more) == {0: 2, 1: 1, 2: 3}
    assert solve(options, [nogood(f0=2, f1=1)], no_more) == {0: 2, 1: 0, 2: 3}


def test_components_that_fail_are_named_apart():
    options = {flag: [0] for flag in range(6)}
    found = solve(options, [nogood(f0=0, f3=0), nogood(f4=0, f5=0), nogood(f1=0, f2=1)], no_more)
    assert found == Dead(((0, 3), (4, 5)))


def test_a_search_ends_inside_the_library_when_the_budget_does():
    options = {flag: list(range(4)) for flag in range(8)}
    everything = [nogood(f0=a, f7=b) for a in range(4) for b in range(4)]
    everything += [nogood(**{f"f{a}": 0, f"f{a + 1}": 0}) for a in range(7)]
    with pytest.raises(OutOfBudgetError):
        solve(options, everything, Budget(nodes=5).spend)
