"""Running a catalog's steps: by graph and compiled functions, as by the plainest interpreter."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from constraints.expression.values import MISSING, UNKNOWN, Fault, same
from solver.program import Kind, cones
from solver.program_cache import make_executable
from solver.resolution import Resolution
from tests import random_catalogs as any_
from tests import toy
from tests.naive import interpret


def outcomes(resolution: Resolution) -> list[tuple[str, Any]]:
    program = resolution.program
    return [
        (program.places[node], resolution.values[node])
        for node in range(len(program.kinds))
        if program.kinds[node] == Kind.REFUSE
    ]


def codes(resolution: Resolution) -> list[str]:
    return [resolution.program.codes[node] for node in resolution.broken]


def alike(first: Any, second: Any) -> bool:
    if isinstance(first, Fault) and isinstance(second, Fault):
        return first.kind == second.kind
    return same(first, second)


@given(toy.worlds(), toy.configurations())
def test_a_resolution_comes_to_what_the_plain_meaning_says(facts, flags):
    resolution = toy.executable().resolve(facts, flags)
    expected = interpret(toy.catalog(), facts, flags)
    for (at, value), (expected_at, expected_value) in zip(
        outcomes(resolution), expected.of_rules(), strict=True
    ):
        assert at == expected_at
        assert alike(value, expected_value), (at, value, expected_value)
    for variable in resolution.program.final:
        assert alike(resolution.final(variable), expected.environment.get(variable, MISSING)), variable


@given(toy.worlds(unknown=True), toy.configurations(unknown=True))
def test_what_is_not_known_makes_nothing_but_unknown(facts, flags):
    """Where the plain meaning decides, the resolution does, alike; it may decide a little more."""
    resolution = toy.executable().resolve(facts, flags)
    expected = interpret(toy.catalog(), facts, flags)
    for (at, value), (_, expected_value) in zip(outcomes(resolution), expected.of_rules(), strict=True):
        assert expected_value is UNKNOWN or alike(value, expected_value), (at, value, expected_value)


@settings(max_examples=200)
@given(toy.worlds(), toy.configurations(), st.data())
def test_what_is_decided_holds_in_every_world_that_fits(facts, flags, data):
    hidden_facts = data.draw(st.sets(st.sampled_from(sorted(facts))))
    hidden_flags = data.draw(st.sets(st.sampled_from(sorted(flags)))) if flags else set()
    # A variable that nobody mentions has its default: it is not unknown.
    partial = {name: value for name, value in facts.items() if name not in hidden_facts or "env." in name}
    masked = {name: UNKNOWN if name in hidden_flags else value for name, value in flags.items()}
    known = toy.executable().resolve(facts, flags)
    unsure = toy.executable().resolve(partial, masked)
    for (at, value), (_, truth) in zip(outcomes(unsure), outcomes(known), strict=True):
        # Operands that a decided condition did not need may still crash.
        assert value is UNKNOWN or isinstance(truth, Fault) or alike(value, truth), (at, value, truth)


@given(
    toy.worlds(unknown=True), toy.configurations(unknown=True), toy.configurations(unknown=True), st.data()
)
def test_a_change_comes_to_the_same_as_starting_anew(facts, flags, changes, data):
    dropped = data.draw(st.sets(st.sampled_from(sorted(flags)))) if flags else set()
    changed = toy.executable().resolve(facts, flags).with_given(changes, dropped=dropped)
    after = {name: value for name, value in flags.items() if name not in dropped} | changes
    anew = toy.executable().resolve(facts, after)
    assert changed.given == anew.given
    assert all(map(same, changed.values, anew.values))
    assert changed.broken == anew.broken
    assert changed.undecided == anew.undecided
    assert changed.noticed == anew.noticed


@given(toy.worlds(), toy.configurations(), toy.configurations())
def test_a_resolution_is_not_touched_by_a_change_of_it(facts, flags, changes):
    resolution = toy.executable().resolve(facts, flags)
    before = list(resolution.values)
    resolution.with_given(changes)
    assert all(map(same, resolution.values, before))


@given(toy.worlds(), toy.configurations(), st.sampled_from(sorted(toy.catalog().flags)), st.data())
def test_a_change_reaches_only_what_depends_on_the_flag(facts, flags, flag, data):
    resolution = toy.executable().resolve(facts, flags)
    changed = resolution.with_given({flag: data.draw(toy.values(flag))})
    bit = 1 << resolution.program.leaf_of_flag[flag]
    depends = [bool(cone & bit) for cone in cones(resolution.program)]
    assert all(depends[node] for node in changed.touched)


RETRACTION = {"retraction_backup": "host_pool", "dcp_size": 2}
H100 = {"gpu.sm": 90, "gpu.memory_mib": 81559, "gpu.is_cuda": True}
LLAMA = {
    "model.architecture": "LlamaForCausalLM",
    "model.config.num_experts": MISSING,
    "model.config.num_attention_heads": 32,
}


@pytest.mark.parametrize(
    ("flags", "facts", "expected"),
    [
        ({}, {}, []),
        ({}, H100 | LLAMA, []),
        (
            {"retraction_backup": "host_pool", "dcp_size": 2, "disaggregation_mode": "decode", "tp_size": 2},
            {},
            ["TOY0014"],
        ),
        (RETRACTION, {}, ["TOY0014", "TOY0015", "TOY0016"]),
        ({"attention_backend": "fa3"}, {"gpu.sm": 100}, ["TOY0010"]),
        ({"moe_a2a_backend": "deepep", "tp_size": 8}, LLAMA, ["TOY0007", "TOY0008"]),
        # `attn_tp_size` is a division by zero as well, which its reader meets.
        ({"enable_dp_attention": True, "dp_size": 0}, LLAMA, ["TOY0002", "TOY0004", "TOY0006"]),
        ({"nnodes": 0}, {}, ["TOY0003"]),
        # The named value divides by zero; nobody asks for it where the block is not entered.
        ({"dp_size": 0}, {}, ["TOY0002"]),
        (
            {"attention_backend": "fa3", "page_size": 0, "chunked_prefill_size": 64},
            {"gpu.sm": 90},
            ["TOY0013"],
        ),
        ({"speculative_algorithm": "EAGLE", "speculative_num_draft_tokens": 3}, {}, ["TOY0019"]),
    ],
)
def test_the_rules_that_stand_against_a_configuration(flags, facts, expected):
    assert codes(toy.executable().resolve(facts, flags)) == expected


def test_the_final_value_is_the_last_one_set():
    resolution = toy.executable().resolve(
        H100 | LLAMA, {"model_path": "m", "enable_dp_attention": True, "tp_size": 8, "dp_size": 8}
    )
    assert resolution.final("served_model_name") == "m"
    assert resolution.final("chunked_prefill_size") == 1024
    assert resolution.final("attention_backend") == "fa3"
    assert resolution.final("cuda_graph_config.decode.max_bs") == 512
    assert resolution.final("attn_dp_size") == 8
    assert resolution.final("no_such_thing") is MISSING


def test_a_part_of_a_flag_is_missing_until_it_is_set():
    resolution = toy.executable().resolve({"gpu.is_cuda": False})
    assert resolution.final("cuda_graph_config.decode.max_bs") is MISSING


def test_a_fact_falls_back_on_an_older_one_before_its_default():
    def margin(facts):
        resolution = toy.executable().resolve(H100 | facts, {"tp_size": 4})
        return 512 - resolution.final("cuda_graph_config.decode.max_bs")

    assert margin({}) == 0
    assert margin({"env.TOY_OLD_MARGIN": 3}) == 3
    assert margin({"env.TOY_OLD_MARGIN": 3, "env.TOY_MARGIN": 4}) == 4


def test_an_unknown_fact_leaves_undecided_what_hangs_on_it_alone():
    resolution = toy.executable().resolve({}, {"attention_backend": "fa3"})
    undecided = [resolution.program.codes[node] for node in resolution.undecided]
    assert "TOY0010" in undecided
    assert "TOY0011" not in undecided


def test_a_flag_that_does_not_exist_can_not_be_given():
    with pytest.raises(KeyError):
        toy.executable().resolve({}, {"no_such_flag": 1})


@settings(max_examples=60)
@given(any_.catalogs, any_.worlds, any_.configurations)
def test_any_catalog_means_what_its_plain_meaning_is(catalog, facts, flags):
    resolution = make_executable(catalog).resolve(facts, flags)
    expected = interpret(catalog, facts, flags)
    for (_, value), (step_at, expected_value) in zip(outcomes(resolution), expected.of_rules(), strict=True):
        assert alike(value, expected_value), step_at
    for variable in resolution.program.final:
        assert alike(resolution.final(variable), expected.environment.get(variable, MISSING)), variable


@settings(max_examples=60)
@given(any_.catalogs, any_.worlds, any_.configurations, st.data())
def test_what_any_catalog_decides_holds_in_every_world_that_fits(catalog, facts, flags, data):
    hidden = data.draw(st.sets(st.sampled_from(sorted({*facts, *flags}))))
    partial = {name: value for name, value in facts.items() if name not in hidden}
    masked = {name: UNKNOWN if name in hidden else value for name, value in flags.items()}
    executable = make_executable(catalog)
    known = executable.resolve(facts, flags)
    unsure = executable.resolve(partial, masked)
    for (_, value), (_, truth) in zip(outcomes(unsure), outcomes(known), strict=True):
        assert value is UNKNOWN or isinstance(truth, Fault) or alike(value, truth)


@settings(max_examples=60)
@given(any_.catalogs, any_.worlds, any_.masked, any_.masked)
def test_a_change_in_any_catalog_comes_to_the_same_as_starting_anew(catalog, facts, flags, changes):
    executable = make_executable(catalog)
    changed = executable.resolve(facts, flags).with_given(changes)
    anew = executable.resolve(facts, flags | changes)
    assert all(map(same, changed.values, anew.values))
    assert changed.broken == anew.broken
