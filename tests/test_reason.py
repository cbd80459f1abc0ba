"""Reasons: what is in one suffices, whatever becomes of all the rest."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings

from constraints.expression.values import MISSING, UNKNOWN, Fault, is_known, same
from solver.program import Kind, Program
from solver.program_cache import make_executable
from solver.reason import Costs, Reasons
from solver.resolution import Resolution
from tests import random_catalogs as any_
from tests import toy

EVEN = Costs((), 1)


def leaf_names(program: Program, leaves: int) -> set[str]:
    return {program.names[leaf] for leaf in range(program.leaf_count) if leaves >> leaf & 1}


def reason(resolution: Resolution, code: str) -> set[str]:
    node = resolution.program.codes.index(code)
    return leaf_names(resolution.program, Reasons(resolution, EVEN).leaves(node))


def kept_its_word(before: Any, after: Any, *, truth_alone: bool) -> bool:
    """Whether a reason kept what it promises: the value, or its truth; or something crashed."""
    if isinstance(after, Fault) or same(before, after):
        return True
    return truth_alone and is_known(before) and is_known(after) and bool(before) == bool(after)


H100 = {"gpu.sm": 90, "gpu.memory_mib": 81559, "gpu.is_cuda": True}
MLA = {"model.architecture": "DeepseekV3ForCausalLM", "model.config.num_experts": 256}


def test_of_a_conjunction_all_is_needed_and_no_more():
    resolution = toy.executable().resolve({}, {"retraction_backup": "host_pool", "dcp_size": 2, "tp_size": 4})
    assert reason(resolution, "TOY0014") == {"retraction_backup", "dcp_size"}


def test_of_a_disjunction_one_side_suffices():
    resolution = toy.executable().resolve({}, {"pp_size": 0, "dp_size": 0})
    assert reason(resolution, "TOY0002") in ({"pp_size"}, {"dp_size"})


def test_a_rule_in_a_block_rests_on_the_block_too():
    flags = {"enable_dp_attention": True, "tp_size": 4, "dp_size": 3}
    assert reason(toy.executable().resolve({}, flags), "TOY0004") == {
        "enable_dp_attention",
        "tp_size",
        "dp_size",
    }


def test_a_reason_goes_through_the_step_that_chose_the_value():
    flags = {"kv_cache_dtype": "bfloat16"}
    resolution = toy.executable().resolve(H100 | MLA | {"gpu.sm": 100}, flags)
    assert reason(resolution, "TOY0012") == {
        "attention_backend",  # left at its default, so that one was chosen
        "kv_cache_dtype",
        "model.architecture",
        "gpu.sm",
    }


def test_a_reason_holds_the_writers_that_did_not_take_effect():
    flags = {"chunked_prefill_size": 100, "page_size": 64}
    found = reason(toy.executable().resolve(H100 | MLA, flags), "TOY0013")
    assert {"chunked_prefill_size", "page_size"} < found
    assert found - {"chunked_prefill_size", "page_size"} <= {"enable_dp_attention", "dp_size"}


def test_the_reason_of_a_crash_is_what_makes_it_crash():
    assert reason(toy.executable().resolve({}, {"nnodes": 0}), "TOY0003") >= {"nnodes"}


def test_of_two_sides_the_cheaper_is_taken():
    resolution = toy.executable().resolve({}, {"pp_size": 0, "dp_size": 0})
    program = resolution.program
    node = program.codes.index("TOY0002")
    for flag in ("pp_size", "dp_size"):
        dear = Costs(((1 << program.leaf_of_flag[flag], 10),), 1)
        other = ({"pp_size", "dp_size"} - {flag}).pop()
        assert leaf_names(program, Reasons(resolution, dear).leaves(node)) == {other}


def test_the_chain_holds_the_steps_in_between():
    resolution = toy.executable().resolve(H100 | MLA | {"gpu.sm": 100}, {"kv_cache_dtype": "bfloat16"})
    program = resolution.program
    node = program.codes.index("TOY0012")
    chain = Reasons(resolution, EVEN).chain(node)
    assert chain[-1] == node
    assert "attention_backend" in [program.names[each] for each in chain if program.kinds[each] == Kind.SET]


def test_a_long_way_down_needs_no_deep_stack():
    from constraints.catalog import Catalog, Flag, Let, Refuse, Release
    from constraints.expression.parse import parse

    steps = [Let("", "", "x0", parse("a and b"))]
    steps += [Let("", "", f"x{i}", parse(f"x{i - 1} or not x{i - 1}")) for i in range(1, 2000)]
    rule = Refuse("", "", when=parse("x1999 and a"))
    flags = {name: Flag(name, "bool", default=True) for name in "ab"}
    deep = Catalog(Release("toy", "deep"), flags, {}, (*steps, rule))
    resolution = make_executable(deep).resolve({}, {})
    assert leaf_names(resolution.program, Reasons(resolution, EVEN).leaves(resolution.broken[0])) == {
        "a",
        "b",
    }


@settings(max_examples=200)
@given(toy.worlds(), toy.configurations(), toy.worlds(), toy.configurations())
def test_a_reason_suffices(facts, flags, other_facts, other_flags):
    resolution = toy.executable().resolve(facts, flags)
    check_sufficient(resolution, Reasons(resolution, EVEN), facts, other_facts, other_flags)


@settings(max_examples=60)
@given(any_.catalogs, any_.worlds, any_.configurations, any_.worlds, any_.configurations)
def test_a_reason_in_any_catalog_suffices(catalog, facts, flags, other_facts, other_flags):
    resolution = make_executable(catalog).resolve(facts, flags)
    check_sufficient(resolution, Reasons(resolution, EVEN), facts, other_facts, other_flags)


@settings(max_examples=200)
@given(toy.worlds(), toy.configurations(), toy.configurations(), toy.worlds(), toy.configurations())
def test_what_was_found_before_a_change_suffices_after_it(facts, flags, changes, other_facts, other_flags):
    before = toy.executable().resolve(facts, flags)
    after = before.with_given(changes)
    different = sum(1 << before.program.leaf_of_flag[flag] for flag in changes)
    reasons = Reasons(after, EVEN, base=Reasons(before, EVEN), different=different)
    check_sufficient(after, reasons, facts, other_facts, other_flags)


def check_sufficient(resolution, reasons, facts, other_facts, other_flags):
    """Keeps what is in each node's reason, changes the rest, and looks at the node again."""
    program, flags = resolution.program, resolution.given
    for node in range(program.leaf_count, len(program.kinds)):
        if resolution.values[node] is UNKNOWN:
            continue
        kept = leaf_names(program, reasons.leaves(node))
        mixed_facts = {name: (facts if name in kept else other_facts)[name] for name in facts}
        mixed_flags = {name: value for name, value in other_flags.items() if name not in kept}
        mixed_flags |= {name: value for name, value in flags.items() if name in kept}
        after = resolution.executable.resolve(mixed_facts, mixed_flags).values[node]
        if after is MISSING and program.kinds[node] == Kind.LET:
            continue  # the block that its readers are in is not entered
        truth_alone = bool(program.truths[node])
        assert kept_its_word(resolution.values[node], after, truth_alone=truth_alone), program.names[node]
