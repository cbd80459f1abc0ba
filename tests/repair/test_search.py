from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver.repair import NOT_GIVEN, Changes, Domain, Placeholder, RepairSearch, find_repairs
from tests.repair.instances import Instance, Rule, all_repairs, assignment, large, small, word
from tests.repair.maxsat import optimum

SEEDS = st.integers(0, 10**9)


def cost(instance: Instance, repair: dict[str, int]) -> int:
    return sum(instance.cost(flag) for flag in repair)


def check_against_brute_force(seed: int) -> None:
    instance = small(seed)
    expected = all_repairs(instance)
    found = find_repairs(instance, alternatives=10_000)
    assert found.stopped is None
    if not expected:
        assert (found.status, found.size, found.repairs) == ("none-exists", None, ())
        return
    assert found.proven_smallest
    assert found.size == len(expected[0])
    assert found.status == ("found" if found.size else "nothing-to-mend")
    if found.size == 0:
        return
    assert found.complete
    costs = [repair.cost for repair in found.repairs]
    assert costs == sorted(costs)
    assert costs[0] == min(cost(instance, each) for each in expected)
    sets = {frozenset(change.flag for change in repair.changes) for repair in found.repairs}
    assert sets == {frozenset(each) for each in expected}
    for repair in found.repairs:
        assert repair.cost == cost(instance, dict.fromkeys(assignment(repair), 0))
        check_allowed(instance, found)
    for each in expected:
        assert any(
            set(each) == {change.flag for change in repair.changes}
            and all(change.allowed.admits(word(each[change.flag])) for change in repair.changes)
            for repair in found.repairs
        )


def check_allowed(instance: Instance, found: RepairSearch) -> None:
    """Every value that a repair allows mends, and no other candidate does."""
    for repair in found.repairs:
        assert not instance.broken(assignment(repair))
        for change in repair.changes:
            assert change.before == instance.present(change.flag)
            assert change.allowed.admits(change.after)
            for value in instance.domain(change.flag).values:
                mends = not instance.broken({**assignment(repair), change.flag: value})
                assert mends == change.allowed.admits(value)
        if repair.independent:
            values = [
                [value for value in instance.domain(change.flag).values if change.allowed.admits(value)]
                for change in repair.changes
            ]
            flags = [change.flag for change in repair.changes]
            assert not any(instance.broken(dict(zip(flags, row, strict=True))) for row in product(*values))


@given(SEEDS)
@settings(max_examples=150, deadline=None)
def test_small_configurations_get_all_smallest_repairs(seed):
    check_against_brute_force(seed)


@pytest.mark.slow
@given(SEEDS)
@settings(max_examples=2_000, deadline=None)
def test_many_small_configurations_get_all_smallest_repairs(seed):
    check_against_brute_force(seed)


class Terse(Instance):
    """Names one broken rule and leaves out the others."""

    def broken(self, changes: Changes) -> list[str]:
        return super().broken(changes)[-1:]


@given(SEEDS)
@settings(max_examples=150, deadline=None)
def test_one_broken_rule_at_a_time_is_enough(seed):
    full = small(seed)
    terse = Terse(full.sizes, full.given, full.rules, full.derived, full.costs, full.fixed)
    expected, found = find_repairs(full, alternatives=99), find_repairs(terse, alternatives=99)
    assert (found.status, found.size, found.complete) == (expected.status, expected.size, expected.complete)
    assert [(each.cost, {change.flag for change in each.changes}) for each in found.repairs] == [
        (each.cost, {change.flag for change in each.changes}) for each in expected.repairs
    ]


def check_against_maxsat(seed: int) -> None:
    instance = large(seed)
    found = find_repairs(instance, alternatives=3)
    assert found.proven_smallest
    assert (found.size, found.repairs[0].cost) == optimum(instance)
    check_allowed(instance, found)


@pytest.mark.parametrize("seed", range(8))
def test_a_catalog_sized_configuration_gets_a_repair_as_small_as_by_maxsat(seed):
    check_against_maxsat(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1_000, 1_250))
def test_catalog_sized_configurations_get_repairs_as_small_as_by_maxsat(seed):
    check_against_maxsat(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_kept_flags_stay_and_the_repair_is_smallest_without_them(seed):
    instance = large(seed)
    kept = {change.flag for change in find_repairs(instance).repairs[0].changes[:2]}
    found = find_repairs(instance, keep=kept)
    expected = optimum(replace(instance, fixed=frozenset(kept)))
    assert (found.repairs and (found.size, found.repairs[0].cost)) == (expected or ())
    assert not any(change.flag in kept for repair in found.repairs for change in repair.changes)


@given(SEEDS)
@settings(max_examples=150, deadline=None)
def test_the_rules_of_an_obstacle_alone_leave_no_repair(seed):
    instance = small(seed)
    found = find_repairs(instance)
    assert (found.obstacle is not None) == (found.status == "none-exists")
    if found.obstacle is None:
        return
    rules = tuple(rule for rule in instance.rules if rule.name in found.obstacle.rules)
    assert not all_repairs(replace(instance, rules=rules))
    assert instance.fixed.issuperset(found.obstacle.pinned)
    # Only what it names has to stay as it is for that.
    assert not all_repairs(replace(instance, rules=rules, fixed=frozenset(found.obstacle.pinned)))


@given(SEEDS, st.integers(0, 200))
@settings(max_examples=150, deadline=None)
def test_a_node_limit_never_makes_a_claim_untrue(seed, nodes):
    instance = small(seed)
    expected = all_repairs(instance)
    found = find_repairs(instance, node_limit=nodes)
    for repair in found.repairs:
        assert not instance.broken(assignment(repair))
        assert len(repair.changes) == found.size
    if expected:
        assert found.status != "none-exists"
        assert found.at_least <= len(expected[0])
        assert found.size is None or found.size >= len(expected[0])
        assert not found.proven_smallest or found.size == len(expected[0])
        assert not found.complete or found.stopped is None or found.size == 0
    else:
        assert found.status in {"none-exists", "gave-up"}
    assert (found.status == "gave-up") <= (found.stopped == "nodes")


@pytest.mark.parametrize("seed", [35, 48, 63, 88])
def test_where_proof_is_too_dear_some_repair_is_found(seed):
    instance = large(seed)
    exact = find_repairs(instance, alternatives=1)
    found = find_repairs(instance, node_limit=400)
    assert (found.status, found.stopped) == ("found", "nodes")
    assert not instance.broken(assignment(found.repairs[0]))
    assert found.size is not None
    assert exact.size is not None
    assert 1 < found.at_least <= exact.size <= found.size
    assert found.proven_smallest == (found.size == found.at_least)
    assert not found.complete


def test_repairs_larger_than_wanted_are_not_given():
    instance = next(each for each in map(small, range(10_000)) if find_repairs(each).size == 3)
    found = find_repairs(instance, max_changes=2)
    assert (found.status, found.at_least, found.obstacle) == ("none-exists", 3, None)
    assert find_repairs(instance, max_changes=3) == find_repairs(instance)


def test_at_most_as_many_repairs_as_asked_for_are_given():
    instance = next(
        each for each in map(small, range(10_000)) if len(find_repairs(each, alternatives=99).repairs) == 4
    )
    everything = find_repairs(instance, alternatives=4)
    assert everything.complete
    fewer = find_repairs(instance, alternatives=3)
    assert len(fewer.repairs) == 3
    assert not fewer.complete


@pytest.mark.parametrize(
    "wrong", [{"alternatives": 0}, {"max_changes": 0}, {"timeout_seconds": -1}, {"node_limit": -1}]
)
def test_limits_out_of_range_are_refused(wrong):
    with pytest.raises(ValueError, match="must"):
        find_repairs(small(0), **wrong)


class Delayed(Instance):
    """Evaluations that take a while, and at some point an interrupt."""

    seconds = 0.0
    left = 10**9

    def broken(self, changes: Changes) -> list[str]:
        self.__dict__["left"] = self.left - 1
        if self.left <= 0:
            raise KeyboardInterrupt
        time.sleep(self.seconds)
        return super().broken(changes)


def delayed(instance: Instance, **how: float) -> Delayed:
    result = Delayed(
        instance.sizes, instance.given, instance.rules, instance.derived, instance.costs, instance.fixed
    )
    result.__dict__.update(how)
    return result


@pytest.mark.parametrize("timeout_seconds", [0.0, 0.15, 0.4])
def test_the_answer_comes_when_time_is_up(timeout_seconds):
    instance = delayed(large(48), seconds=0.004)
    started = time.monotonic()
    found = find_repairs(instance, timeout_seconds=timeout_seconds)
    assert time.monotonic() - started < 1.1 * timeout_seconds + 0.02
    assert found.stopped == "time"
    assert not found.proven_smallest


@pytest.mark.parametrize("evaluations", [1, 2, 30, 150, 300])
def test_an_interrupt_is_answered_with_what_was_found(evaluations):
    found = find_repairs(delayed(large(35), left=evaluations), alternatives=50)
    assert found.stopped == "interrupt"
    assert not found.complete
    assert all(not large(35).broken(assignment(repair)) for repair in found.repairs)
    assert found.proven_smallest == bool(found.repairs) == (evaluations >= 150)


def table(*rules: tuple[tuple[str, ...], set[tuple[int, ...]]], **given: int) -> Instance:
    """Two values a flag."""
    return Instance(
        sizes=dict.fromkeys(given, 2),
        given=given,
        rules=tuple(Rule(f"r{index}", scope, frozenset(rows)) for index, (scope, rows) in enumerate(rules)),
    )


def test_the_only_repair_is_machine_applicable():
    found = find_repairs(table((("a",), {(1,)}), a=1))
    (repair,) = found.repairs
    assert repair.applicability == "machine-applicable"
    (change,) = repair.changes
    assert (change.flag, change.action, change.before, change.after) == ("a", "remove", 1, NOT_GIVEN)
    assert (change.allowed.phrase(), repair.independent) == ("not given", True)


def test_one_of_two_repairs_may_be_incorrect():
    found = find_repairs(table((("a", "b"), {(1, 0)}), a=1, b=0))
    assert [repair.applicability for repair in found.repairs] == ["maybe-incorrect"] * 2
    assert [repair.changes[0].action for repair in found.repairs] == ["remove", "add"]
    assert found.complete
    (first,) = find_repairs(table((("a", "b"), {(1, 0)}), a=1, b=0), alternatives=1).repairs
    assert first == found.repairs[0]


def test_an_obstacle_names_the_kept_flags_and_the_rules():
    instance = table((("a", "b"), {(1, 0)}), (("b",), {(1,)}), (("c",), {(1,)}), a=1, b=0, c=1)
    found = find_repairs(instance, keep={"a"})
    assert found.obstacle is not None
    assert (found.obstacle.rules, found.obstacle.pinned) == (("r0", "r1"), ("a",))
    assert found.obstacle.flags == ("b",)


def test_values_that_only_go_together_are_repairs_of_their_own():
    # Present (0, 0); only (1, 1) and (2, 2) are good.
    good = {(1, 1), (2, 2)}
    rows = frozenset(row for row in product(range(3), repeat=2) if row not in good)
    instance = Instance({"a": 3, "b": 3}, {"a": 0, "b": 0}, (Rule("equal", ("a", "b"), rows),))
    found = find_repairs(instance)
    assert found.complete
    assert [[each.after for each in repair.changes] for repair in found.repairs] == [
        [word(1), word(1)],
        [word(2), word(2)],
    ]
    # There is but one value each, the other being as it is.
    assert [repair.independent for repair in found.repairs] == [True, True]
    assert [repair.applicability for repair in found.repairs] == ["maybe-incorrect"] * 2


class OneFlag:
    """A flag with a domain of one's choice; what is broken is told by a function."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain

    def present(self, _flag: str) -> object:
        return NOT_GIVEN

    def can_change(self, _flag: str) -> bool:
        return True

    def domain(self, _flag: str) -> Domain:
        return self._domain

    def cost(self, _flag: str) -> int:
        return 1

    def broken(self, changes: Changes) -> list[str]:
        return [] if changes else ["missing"]

    def reason(self, _rule: object, _changes: Changes) -> frozenset[str]:
        return frozenset(["model_path"])


def test_what_only_the_user_knows_is_a_placeholder():
    found = find_repairs(OneFlag(Domain((Placeholder("PATH"),), "text")))
    (repair,) = found.repairs
    assert repair.applicability == "has-placeholders"
    assert repair.to_dict()["changes"][0] == {
        "flag": "model_path",
        "action": "add",
        "before": None,
        "after": "<PATH>",
        "allowed": {"values": ["<PATH>"], "ranges": [], "not_given": False, "anything_else": True},
    }


def run(code: str, **environment: str) -> str:
    result = subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": ":".join(sys.path), **environment},
    )
    return result.stdout


def test_the_answer_is_the_same_in_every_process():
    code = (
        "import json; from tests.repair.instances import large, small\n"
        "from solver.repair import find_repairs\n"
        "for instance in [*map(large, range(6)), *map(small, range(40))]:\n"
        "    found = find_repairs(instance)\n"
        "    print(json.dumps([repair.to_dict() for repair in found.repairs]), found.obstacle)"
    )
    answers = {run(code, PYTHONHASHSEED=seed) for seed in ("0", "1", "2", "77")}
    assert len(answers) == 1
    assert json.loads(answers.pop().splitlines()[0].rpartition(" ")[0])


def test_the_libraries_are_loaded_only_where_values_of_several_flags_hang_together():
    code = (
        "import sys; from tests.repair.instances import Instance, Rule\n"
        "from solver.repair import find_repairs\n"
        "one = Instance({'a': 2}, {'a': 1}, (Rule('r', ('a',), frozenset([(1,)])),))\n"
        "assert find_repairs(one).repairs\n"
        "print(sorted({'constraint', 'networkx'} & set(sys.modules)))"
    )
    assert run(code) == "[]\n"
