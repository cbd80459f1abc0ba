"""The values at which rules change their mind: found in the rules that read a flag, near and far."""

from __future__ import annotations

from typing import Any

from solver.break_points import break_points, readers
from tests import toy

FACTS = {"model.config.num_attention_heads": 12, "model.config.num_experts": 8}


def values(flag: str, **flags: Any) -> set[Any]:
    points = break_points(toy.executable().resolve(FACTS, flags), flag)
    return {value for value in points.values if not isinstance(value, (list, dict))}


def test_numbers_in_comparisons_and_their_neighbours():
    assert {0, 1, 2} <= values("tp_size")
    assert {63, 64, 65, 31, 32, 33} <= values("page_size")


def test_choices_in_comparisons():
    assert {"decode"} <= values("disaggregation_mode")
    assert {"fa3", "trtllm_mla"} <= values("attention_backend")


def test_divisors_of_what_the_flag_divides():
    assert {1, 2, 3, 4, 6, 12} <= values("nnodes", tp_size=12)


def test_multiples_of_what_divides_the_flag():
    points = break_points(toy.executable().resolve(FACTS, {"dp_size": 4, "tp_size": 6}), "tp_size")
    assert {4, 8} <= set(points.values)
    assert 4 in points.moduli


def test_what_is_read_through_a_named_value():
    divisors = values("attn_dp_size")
    assert {1} <= divisors
    program = toy.executable().program
    rule = program.codes.index("TOY0006")
    assert rule in readers(program)["tp_size"]
    assert rule not in readers(program)["page_size"]


def test_a_flag_that_no_rule_reads_has_none():
    assert break_points(toy.executable().resolve({}, {}), "cuda_graph_config").values == ()
