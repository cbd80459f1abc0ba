from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.repair import NOT_GIVEN, Allowed, Changes, Domain, Range, find_repairs

Test = Callable[[Mapping[str, Any]], bool]


@dataclass
class Numbers:
    """Flags with numbers for values. A rule is a function of all values that is true where it refuses."""

    given: Mapping[str, Any]
    domains: Mapping[str, Domain]
    rules: tuple[Test, ...]

    def present(self, flag: str) -> object:
        return self.given[flag]

    def can_change(self, flag: str) -> bool:
        return flag in self.domains

    def domain(self, flag: str) -> Domain:
        return self.domains[flag]

    def cost(self, _flag: str) -> int:
        return 0

    def broken(self, changes: Changes) -> list[int]:
        values = {**self.given, **changes}
        return [index for index, rule in enumerate(self.rules) if rule(values)]

    def reason(self, _rule: object, _changes: Changes) -> frozenset[str]:
        return frozenset(self.domains)


def allowed(domain: Domain, refuses: Callable[[Any], bool], present: object = NOT_GIVEN) -> Allowed:
    """What is said of one flag."""
    instance = Numbers({"x": present}, {"x": domain}, (lambda values: refuses(values["x"]),))
    (repair,) = find_repairs(instance).repairs
    assert repair.independent
    return repair.changes[0].allowed


def integers(*values: object, moduli: tuple[int, ...] = ()) -> Domain:
    return Domain(values, "integer", moduli)


def test_what_lies_between_numbers_that_mend_is_claimed_after_probes():
    at_most_64 = allowed(integers(1, 64, 65, 1000, NOT_GIVEN), lambda x: x is NOT_GIVEN or x > 64)
    assert at_most_64 == Allowed(ranges=(Range(1, 64),))
    assert at_most_64.phrase() == "any integer in 1..64"


@pytest.mark.parametrize("left_out", [2, 3, 33, 63])
def test_a_number_left_out_between_two_is_found_by_a_probe(left_out):
    assert allowed(integers(1, 64), lambda x: x in {NOT_GIVEN, left_out}) == Allowed(values=(1, 64))


def test_the_present_value_is_never_claimed():
    found = allowed(integers(1, 9, 64), lambda x: x == 7, present=7)
    assert found.values == (1,)
    assert found.ranges == (Range(9, 64),)


def test_multiples_are_claimed_where_other_numbers_do_not_mend():
    domain = integers(4, 8, 16, 64, 5, 6, 63, moduli=(4,))
    found = allowed(domain, lambda x: x is NOT_GIVEN or x % 4 != 0)
    assert found == Allowed(ranges=(Range(4, 64, multiple_of=4),))
    assert found.phrase() == "any multiple of 4 in 4..64"


def test_one_is_no_reason_not_to_claim_multiples():
    domain = integers(1, 8, 16, 24, 7, 9, moduli=(8,))
    found = allowed(domain, lambda x: x is NOT_GIVEN or (x != 1 and x % 8 != 0))
    assert found == Allowed(values=(1,), ranges=(Range(8, 24, multiple_of=8),))
    assert found.phrase() == "any multiple of 8 in 8..24 or 1"


def test_a_small_modulus_is_probed_over_its_whole_period():
    # Only one residue in seven is refused, and neither end nor the middle has it.
    assert allowed(integers(0, 70, moduli=(7,)), lambda x: x is NOT_GIVEN or x % 7 == 4).ranges == ()


def test_a_multiple_of_a_large_modulus_is_probed():
    domain = integers(1, 10_000, moduli=(2048,))
    assert allowed(domain, lambda x: x is NOT_GIVEN or x % 2048 == 0).ranges == ()
    assert allowed(domain, lambda x: x is NOT_GIVEN) == Allowed(ranges=(Range(1, 10_000),))


def test_numbers_that_are_not_whole_are_claimed_between_two_that_mend():
    domain = Domain((0.5, 0.9, 0.95, 1.0), "number")
    found = allowed(domain, lambda x: x is NOT_GIVEN or x >= 0.95)
    assert found == Allowed(ranges=(Range(0.5, 0.9, integer=False),))
    assert found.phrase() == "any number in 0.5..0.9"


def test_two_whole_numbers_in_a_row_are_named():
    assert allowed(integers(3, 4), lambda x: x is NOT_GIVEN) == Allowed(values=(3, 4))


def test_true_is_no_number():
    assert allowed(integers(0, True, 5), lambda x: x is NOT_GIVEN) == Allowed((True,), (Range(0, 5),))
    assert True not in Range(0, 5)
    assert 2.5 not in Range(0, 5)


@st.composite
def rules_on_one_number(draw: st.DrawFn) -> tuple[int, Domain, Callable[[object], bool]]:
    """A present value that is refused, break-points, and a rule that keeps to them."""
    low = draw(st.integers(0, 40))
    high = draw(st.integers(low, 400))
    modulus = draw(st.integers(1, 60))
    multiples = st.sampled_from([frozenset(), {0}, frozenset(range(1, modulus))])
    residues = draw(multiples if modulus > 8 else st.frozensets(st.integers(0, modulus - 1)))
    exceptions = draw(st.frozensets(st.integers(0, 400), max_size=4))

    def refuses(x: object) -> bool:
        return not isinstance(x, int) or not low <= x <= high or x % modulus in residues or x in exceptions

    present = draw(st.integers(0, 500).filter(refuses))
    near = {low, high, *exceptions, draw(st.integers(1, 20)) * modulus, draw(st.integers(0, 450))}
    points = {each + step for each in near for step in (-1, 0, 1)} - {present}
    values = draw(st.permutations(sorted(points)))
    return present, Domain((NOT_GIVEN, *values), "integer", (modulus,)), refuses


@given(rules_on_one_number())
def test_every_number_in_a_claimed_range_mends(drawn):
    present, domain, refuses = drawn
    instance = Numbers({"x": present}, {"x": domain}, (lambda values: refuses(values["x"]),))
    for repair in find_repairs(instance).repairs:
        found = repair.changes[0].allowed
        for value in domain.values:
            assert found.admits(value) == (not refuses(value))
        for each in found.ranges:
            assert not any(
                refuses(value) for value in range(int(each.low), int(each.high) + 1) if value in each
            )


@given(st.integers(0, 50), st.integers(0, 500), st.integers(0, 60))
def test_without_divisibility_the_whole_of_what_mends_is_claimed(low, width, present):
    high = low + width
    if low <= present <= high:
        return
    domain = integers(*sorted({low - 1, low, high, high + 1, low + width // 3} - {present}))
    found = allowed(domain, lambda x: x is NOT_GIVEN or not low <= x <= high, present)
    assert found.admits(low)
    assert found.admits(high)
    assert width < 2 or found == Allowed(ranges=(Range(low, high),))


def test_the_range_of_each_flag_holds_with_the_other_as_it_is_written():
    domain = integers(1, 2, 3, 4, 8)
    instance = Numbers(
        {"tp": 6, "dp": 7},
        {"tp": domain, "dp": domain},
        (lambda v: v["tp"] == 6, lambda v: v["dp"] == 7, lambda v: v["tp"] % v["dp"] != 0),
    )
    first, *others = find_repairs(instance, alternatives=10).repairs
    assert [(each.flag, each.after, each.allowed.phrase()) for each in first.changes] == [
        ("dp", 1, "1"),
        ("tp", 1, "any integer in 1..4 or 8"),
    ]
    assert [[each.allowed.phrase() for each in repair.changes] for repair in others] == [
        ["1 or 2", "2, 4 or 8"],
        ["1 or 3", "3"],
        ["1, 2 or 4", "4 or 8"],
        ["1, 2, 4 or 8", "8"],
    ]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Allowed((1, "auto"), not_given=True), "1, auto or not given"),
        (Allowed(("a", "b"), anything_else=True), "any other value"),
        (Allowed(("a", "b"), not_given=True, anything_else=True), "anything else"),
        (Allowed(("a",), anything_else=True), "a"),
        (
            Allowed((7,), (Range(1, 4), Range(8, 64, multiple_of=8))),
            "any integer in 1..4, any multiple of 8 in 8..64 or 7",
        ),
    ],
)
def test_what_is_allowed_reads_as_english(value, words):
    assert value.phrase() == words
