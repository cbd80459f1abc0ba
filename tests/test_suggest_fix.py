"""The smallest changes that mend a command: they do, none is smaller, and they are what one would do."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import SuggestedFix, Verdict, check, suggest_fix
from solver.case import case_of
from solver.configuration import Configuration
from solver.launch import rewrite
from solver.repair import NOT_GIVEN, Placeholder
from tests import toy

LAUNCH = "python -m sglang.launch_server --model-path m"
WORLD = {
    "gpu.sm": 90,
    "gpu.memory_mib": 81559,
    "gpu.is_cuda": True,
    "model.architecture": "LlamaForCausalLM",
    "model.config.num_experts": 8,
    "model.config.num_attention_heads": 32,
}


def fixed(flags: str, **said: Any) -> SuggestedFix:
    said.setdefault("facts", WORLD)
    return suggest_fix(f"{LAUNCH} {flags}", catalog=toy.catalog(), timeout=None, **said)


def commands(answer: SuggestedFix) -> list[str]:
    return [repair.command.removeprefix(LAUNCH).strip() for repair in answer.repairs]


def test_what_is_accepted_needs_no_fix():
    answer = fixed("--tp 8")
    assert (answer.status, answer.size, answer.repairs) == ("nothing-to-mend", 0, ())
    assert answer.proven_smallest


def test_every_smallest_fix_is_given_dropping_or_changing_what_was_given_first():
    answer = fixed("--retraction-backup host_pool --disaggregation-mode decode --tp 2 --dcp-size 2")
    assert (answer.status, answer.size, answer.proven_smallest) == ("found", 1, True)
    assert commands(answer) == [
        "--retraction-backup host_pool --disaggregation-mode decode --tp 2",
        "--disaggregation-mode decode --tp 2 --dcp-size 2",
    ]


def test_a_change_says_what_it_is_and_all_that_it_may_be():
    answer = fixed("--enable-dp-attention --dp-size 3 --tp 8")
    changes = {each.flag: each for repair in answer.repairs for each in repair.changes}
    assert answer.size == 1
    assert (changes["dp_size"].action, changes["dp_size"].before) == ("remove", 3)
    assert (changes["enable_dp_attention"].action, changes["enable_dp_attention"].before) == ("remove", True)
    allowed = changes["dp_size"].allowed
    assert [allowed.admits(size) for size in (1, 2, 4, 5, 8)] == [True, True, True, False, True]
    assert allowed.admits(NOT_GIVEN)


def test_several_violations_may_be_mended_by_one_change():
    answer = fixed("--retraction-backup host_pool --tp 2 --dcp-size 2")
    assert commands(answer) == ["--tp 2 --dcp-size 2"]
    assert answer.repairs[0].applicability == "machine-applicable"


def test_a_fix_breaks_no_other_rule():
    answer = fixed("--attention-backend trtllm_mla --kv-cache-dtype bfloat16")
    for repair in answer.repairs:
        assert check(repair.command, catalog=toy.catalog(), facts=WORLD).verdict is Verdict.ACCEPTED


def test_a_kept_flag_is_not_changed():
    flags = "--retraction-backup host_pool --disaggregation-mode decode --tp 2 --dcp-size 2"
    answer = fixed(flags, keep={"dcp_size"})
    assert commands(answer) == ["--disaggregation-mode decode --tp 2 --dcp-size 2"]
    answer = fixed(flags, keep={"dcp_size", "retraction_backup"})
    assert answer.status == "none-exists"
    assert [violation.code for violation in answer.unmendable] == ["TOY0014"]


def test_the_model_is_never_changed():
    answer = fixed("--speculative-algorithm EAGLE --pp-size 2")
    assert all(change.flag != "model_path" for repair in answer.repairs for change in repair.changes)


def test_what_facts_alone_refuse_nothing_mends():
    facts = WORLD | {"env.TOY_MARGIN": 1000}
    answer = fixed("--cuda-graph-max-bs 8", facts=facts, keep={"cuda_graph_max_bs", "disable_cuda_graph"})
    assert answer.status == "none-exists"
    assert answer.unmendable


def test_a_value_that_only_the_user_knows_is_a_placeholder():
    answer = fixed("--enable-lora", keep={"enable_lora"})
    (first, *_) = answer.repairs
    assert first.applicability == "has-placeholders"
    assert "--lora-paths '<" in first.command


def test_a_misspelt_flag_is_put_right_first():
    answer = fixed("--tpp 4 --dp-size 4")
    (repair,) = answer.repairs
    assert answer.size == 1
    assert [(each.before, each.after) for each in repair.respellings] == [("--tpp", "--tp")]
    assert repair.command == f"{LAUNCH} --tp 4 --dp-size 4"
    assert repair.changes == ()


def test_a_misspelt_flag_counts_among_the_changes():
    answer = fixed("--tpp 2 --dcp-size 2 --retraction-backup host_pool --disaggregation-mode decode")
    assert answer.size == 2
    assert all(len(repair.changes) == 1 and len(repair.respellings) == 1 for repair in answer.repairs)
    assert "--tp 2 --dcp-size 2 --disaggregation-mode decode" in commands(answer)


def test_a_choice_that_does_not_exist_becomes_the_nearest():
    answer = fixed("--attention-backend fa33")
    change = answer.repairs[0].changes[0]
    assert (change.flag, change.after) == ("attention_backend", "fa3")


def test_a_value_of_the_wrong_kind_is_mended():
    answer = fixed("--tp eight")
    assert answer.status == "found"
    assert {change.flag for repair in answer.repairs for change in repair.changes} == {"tp_size"}
    json_ready = answer.to_dict()
    assert json_ready["repairs"][0]["changes"][0]["before"] == "eight"


def test_a_missing_model_is_a_placeholder():
    answer = suggest_fix("python -m sglang.launch_server --tp 2", catalog=toy.catalog(), facts=WORLD)
    (repair,) = answer.repairs
    assert repair.applicability == "has-placeholders"
    assert "--model-path '<PATH>'" in repair.command


def test_a_word_without_a_flag_can_not_be_mended():
    answer = fixed("--tp 2 stray")
    assert answer.status == "none-exists"


def test_fixes_that_are_too_large_are_not_wanted():
    pairs = ("--retraction-backup host_pool --dcp-size 2", "--speculative-algorithm EAGLE --pp-size 2")
    flags = " ".join((*pairs, "--tp 3 --nnodes 2"))
    assert fixed(flags).size == 3
    assert fixed(flags, max_changes=2).status == "none-exists"
    assert fixed(flags, max_changes=2).at_least == 3
    assert fixed("--tpp 2 --dcp-size 3", max_changes=1).status == "none-exists"


def test_ignored_codes_are_not_mended():
    answer = fixed("--retraction-backup host_pool --dcp-size 2 --tp 2", ignore={"TOY0014", "TOY0015"})
    assert answer.status == "nothing-to-mend"


def test_a_fix_is_found_also_where_every_one_leaves_something_undecided():
    facts = {"gpu.sm": 75}
    flags = "--attention-backend fa3 --moe-a2a-backend deepep --ep 3 --tp 2"
    answer = fixed(flags, facts=facts)
    assert answer.status == "found"


@pytest.mark.parametrize("number", [{"alternatives": 0}, {"max_changes": 0}, {"timeout": -1.0}])
def test_a_number_out_of_its_range_is_an_error(number):
    with pytest.raises(ValueError, match="must"):
        suggest_fix(f"{LAUNCH} --tp 0", catalog=toy.catalog(), **number)


def test_the_rest_of_the_command_stays_as_it_was_written():
    start = "TOY_GRAPHS=1  python3 -m sglang.launch_server \\\n  --model-path 'm' "
    answer = suggest_fix(f"{start}\\\n  --tp  0 \\\n  --dp-size 1 # why", catalog=toy.catalog(), facts=WORLD)
    assert answer.repairs[0].command == f"{start}\\\n  --dp-size 1 # why"


@settings(max_examples=60)
@given(toy.worlds(), toy.configurations())
def test_every_fix_of_any_configuration_mends_it(facts, flags):
    launch = command_of(flags)
    answer = suggest_fix(launch, catalog=toy.catalog(), facts=facts, timeout=None, alternatives=4)
    for repair in answer.repairs:
        placeholders = [each for each in repair.changes if isinstance(each.after, Placeholder)]
        report = check(repair.words, catalog=toy.catalog(), facts=facts)
        before = {each.code for each in answer.report.undecided}
        assert placeholders or report.verdict is not Verdict.REFUSED, (launch, repair.command)
        assert placeholders or answer.leaves_undecided or {each.code for each in report.undecided} <= before


@settings(max_examples=40)
@given(toy.worlds(), toy.configurations())
def test_no_single_candidate_mends_what_is_said_to_need_more(facts, flags):
    case = case_of(command_of(flags), catalog=toy.catalog(), facts=facts)
    answer = suggest_fix(command_of(flags), catalog=toy.catalog(), facts=facts, timeout=None)
    configuration = Configuration(case)
    names = [name for name in case.program.flags if case.program.flags[name].options]
    singles = [(name, value) for name in names for value in configuration.domain(name).values]
    mends = [(name, value) for name, value in singles if not configuration.broken({name: value})]
    if answer.status == "nothing-to-mend":
        return
    assert (answer.size == 1) == bool(mends)
    if answer.size == 1 and answer.complete:
        found = {each.flag for repair in answer.repairs for each in repair.changes}
        assert found == {name for name, _ in mends}


@settings(max_examples=60)
@given(toy.worlds(), toy.configurations(), st.data())
def test_a_conflict_stands_whatever_the_other_flags_are(facts, flags, data):
    case = case_of(command_of(flags), catalog=toy.catalog(), facts=facts)
    configuration = Configuration(case)
    names = sorted(name for name in case.program.flags if configuration.domain(name).values)

    def draw_changes(allowed: list[str]) -> dict[str, Any]:
        chosen = data.draw(st.lists(st.sampled_from(allowed), max_size=4, unique=True)) if allowed else []
        values = {name: configuration.domain(name).values for name in chosen}
        return {name: values[name][data.draw(st.integers(0, len(values[name]) - 1))] for name in chosen}

    changes = draw_changes(names)
    broken = configuration.broken(changes)
    if not broken:
        return
    rule = data.draw(st.sampled_from(list(broken)))
    conflict = configuration.reason(rule, changes)
    others = draw_changes([name for name in names if name not in conflict])
    kept = {name: value for name, value in changes.items() if name in conflict}
    assert configuration.broken(kept | others), (rule, conflict, changes, others)


def command_of(flags: dict[str, Any]) -> list[str]:
    """Words that give these flags, as far as words can."""
    case = case_of(LAUNCH, catalog=toy.catalog())
    wanted = {}
    for name, value in flags.items():
        try:
            rewrite(case.launch, case.arguments, case.program.flags, set_to={name: value})
        except ValueError:
            continue
        wanted[name] = value
    return list(rewrite(case.launch, case.arguments, case.program.flags, set_to=wanted).words)


def test_every_pair_of_flags_that_mends_is_found():
    first_pair = "--speculative-algorithm EAGLE --pp-size 2"
    second_pair = "--retraction-backup host_pool --disaggregation-mode decode --dcp-size 2 --tp 2"
    flags = f"{first_pair} {second_pair}"
    answer = fixed(flags, alternatives=50)
    case = case_of(f"{LAUNCH} {flags}", catalog=toy.catalog(), facts=WORLD)
    configuration = Configuration(case)
    named = sorted(case.given.keys() - {"model_path"})
    pairs = set()
    for first, second in product(named, named):
        if first < second:
            values = product(configuration.domain(first).values, configuration.domain(second).values)
            if any(not configuration.broken({first: a, second: b}) for a, b in values):
                pairs.add((first, second))
    assert answer.size == 2
    found = {tuple(sorted(change.flag for change in repair.changes)) for repair in answer.repairs}
    assert found == pairs
