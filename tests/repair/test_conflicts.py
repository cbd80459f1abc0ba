from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from solver.repair.budget import Budget
from solver.repair.candidates import Space, flag_set, numbers
from solver.repair.conflicts import Nogoods, shrink
from tests.repair.instances import Instance, Rule, small

NUMBERS = st.lists(st.integers(0, 11), unique=True, min_size=1)


@given(NUMBERS, st.lists(st.frozensets(st.integers(0, 11), max_size=5), min_size=1), st.randoms())
def test_what_is_kept_suffices_and_nothing_of_it_can_go(flags, enough, random):
    enough.append(frozenset(random.sample(flags, random.randint(0, len(flags)))))
    asked = []

    def suffices(some: int) -> bool:
        asked.append(some)
        return any(not flag_set(each) & ~some for each in enough)

    kept = shrink(flags, suffices)
    assert not kept & ~flag_set(flags)
    assert suffices(kept)
    assert not any(suffices(kept & ~(1 << flag)) for flag in numbers(kept))


def test_a_few_of_many_are_found_with_few_questions():
    asked = []

    def suffices(some: int) -> bool:
        asked.append(some)
        return not flag_set([17, 90]) & ~some

    assert shrink(range(128), suffices) == flag_set([17, 90])
    assert len(asked) < 35


def test_sets_of_flags_are_bits():
    assert list(numbers(flag_set([5, 0, 64]))) == [0, 5, 64]


@given(st.integers(0, 10**9), st.data())
def test_a_nogood_refuses_only_what_is_refused(seed, data):
    instance = small(seed)
    space = Space(instance, keep=(), budget=Budget())
    known = Nogoods()
    for _ in range(4):
        flags = [flag for flag in map(space.number, instance.sizes) if flag is not None]
        values = {flag: data.draw(st.integers(-1, len(space.candidates(flag)) - 1)) for flag in flags}
        assignment = {flag: value for flag, value in values.items() if value >= 0}
        if known.refuse(assignment):
            assert space.broken(assignment)
        for rule in known.unexplained(space, assignment):
            nogood = known.learn(space, assignment, rule)
            assert nogood.covers(assignment, flag_set(assignment))
        assert known.unexplained(space, assignment) == []


def test_only_flags_that_can_change_are_numbered():
    rules = (Rule("r", ("a", "b", "c"), frozenset([(1, 1, 1)])),)
    instance = Instance(dict.fromkeys("abc", 2), dict.fromkeys("abc", 1), rules, fixed=frozenset("b"))
    space = Space(instance, keep=("c",), budget=Budget())
    nogood = Nogoods().learn(space, {}, "r")
    assert space.names == ["a"]
    assert (nogood.held, nogood.pinned) == (0b1, frozenset({"b", "c"}))
