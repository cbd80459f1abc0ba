from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from solver.repair.budget import Budget
from solver.repair.candidates import FlagSet, flag_set
from solver.repair.conflicts import Conflict
from solver.repair.hitting_sets import HittingSet, HittingSets

FLAGS = range(7)

SETS = st.frozensets(st.sampled_from(FLAGS), max_size=4).map(flag_set)
COSTS = st.lists(st.integers(0, 3), min_size=len(FLAGS), max_size=len(FLAGS))


@st.composite
def conflicts(draw: st.DrawFn) -> Conflict:
    hit = draw(SETS)
    scope = draw(st.just(0) | SETS) & ~hit
    return Conflict(scope, hit, ())


def satisfies(flags: FlagSet, conflict: Conflict) -> bool:
    return bool(conflict.scope & ~flags or conflict.hit & flags)


def expected(given_conflicts: list[Conflict], costs: list[int]) -> list[tuple[tuple[int, int], FlagSet]]:
    """By brute force, every set that satisfies all, with size and cost, ascending."""
    sets = [flag_set(some) for size in range(len(FLAGS) + 1) for some in combinations(FLAGS, size)]
    return sorted(
        ((flags.bit_count(), sum(costs[flag] for flag in FLAGS if flags >> flag & 1)), flags)
        for flags in sets
        if all(satisfies(flags, each) for each in given_conflicts)
    )


def rank(found: HittingSet, costs: list[int]) -> tuple[int, int]:
    return found.size, sum(costs[flag] for flag in FLAGS if found.flags >> flag & 1)


@given(st.lists(conflicts(), max_size=8), COSTS)
def test_the_least_set_stays_least_as_conflicts_are_added(some, costs):
    sets = HittingSets(costs, Budget())
    for count, conflict in enumerate(some, start=1):
        sets.add(conflict)
        found = sets.least()
        least = expected(some[:count], costs)
        assert (found and rank(found, costs)) == (least[0][0] if least else None)
        assert found is None or all(satisfies(found.flags, each) for each in some[:count])
    assert len(sets) == len(some)


@given(st.lists(conflicts(), max_size=8), COSTS)
def test_all_sets_of_the_least_size_come_first_and_by_cost(some, costs):
    sets = HittingSets(costs, Budget())
    for conflict in some:
        sets.add(conflict)
    every = expected(some, costs)
    smallest = [(key, flags) for key, flags in every if key[0] == every[0][0][0]]
    found: list[FlagSet] = []
    for key, _ in smallest:
        following = sets.least(besides=found)
        assert following is not None
        assert rank(following, costs) == key
        found.append(following.flags)
    assert sorted(found) == sorted(flags for _, flags in smallest)
    larger = sets.least(besides=found)
    assert larger is None or not smallest or larger.size > smallest[0][0][0]


@given(st.lists(conflicts(), max_size=10), COSTS)
def test_a_contradiction_is_minimal(some, costs):
    sets = HittingSets(costs, Budget())
    for conflict in some:
        sets.add(conflict)
    contradiction = sets.contradiction()
    assert bool(contradiction) == (not expected(some, costs))
    for index in range(len(contradiction)):
        assert expected(contradiction[:index] + contradiction[index + 1 :], costs)
    assert not contradiction or not expected(contradiction, costs)


def test_what_conflicts_do_not_link_is_a_part_of_its_own():
    sets = HittingSets([0] * 6, Budget())
    for hit in ([0, 1], [1, 2], [3, 4]):
        sets.add(Conflict(0, flag_set(hit), ()))
    found = sets.least()
    assert found is not None
    assert found.parts == (flag_set([1]), flag_set([3]))
    sets.add(Conflict(flag_set([3]), flag_set([2]), ()))
    joined = sets.least()
    assert joined is not None
    assert joined.parts == (flag_set([1, 4]),)
