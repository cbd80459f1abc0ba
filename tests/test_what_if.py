"""What a change would do, and which values a flag may take."""

from __future__ import annotations

from typing import Any

import pytest

from constraints.errors import FlagError
from solver import AllowedValues, Verdict, WhatIf, allowed, check, what_if
from solver.questions.what_if import value_of
from solver.repair import NOT_GIVEN
from tests import toy

LAUNCH = "python -m sglang.launch_server --model-path m"
WORLD = {"gpu.sm": 90, "gpu.memory_mib": 81559, "gpu.is_cuda": True, "model.architecture": "LlamaForCausalLM"}
RETRACTION = "--retraction-backup host_pool --disaggregation-mode decode"


def asked(flags: str, **said: Any) -> WhatIf:
    said.setdefault("facts", WORLD)
    return what_if(f"{LAUNCH} {flags}", catalog=toy.catalog(), **said)


def possible(flag: str, flags: str = "", **said: Any) -> AllowedValues:
    said.setdefault("facts", WORLD)
    return allowed(flag, f"{LAUNCH} {flags}", catalog=toy.catalog(), **said)


def codes(violations) -> list[str]:
    return [violation.code for violation in violations]


def test_a_change_may_break_what_was_fine():
    answer = asked(f"{RETRACTION} --tp 2", set={"dcp_size": 2})
    assert answer.before.verdict is Verdict.ACCEPTED
    assert answer.after.verdict is Verdict.REFUSED
    assert codes(answer.newly_broken) == ["TOY0014"]
    assert answer.newly_mended == ()
    assert answer.command == f"{LAUNCH} {RETRACTION} --tp 2 --dcp-size 2"


def test_a_change_may_mend_what_was_broken():
    answer = asked(f"{RETRACTION} --tp 2 --dcp-size 2", unset={"retraction_backup"})
    assert answer.after.verdict is Verdict.ACCEPTED
    assert codes(answer.newly_mended) == ["TOY0014"]
    assert answer.further is None
    assert answer.command == f"{LAUNCH} --disaggregation-mode decode --tp 2 --dcp-size 2"


def test_what_stays_broken_is_neither():
    answer = asked("--retraction-backup host_pool --dcp-size 2 --tp 2", set={"disaggregation_mode": "decode"})
    assert codes(answer.newly_mended) == ["TOY0015"]
    assert answer.newly_broken == ()
    assert codes(answer.after.violations) == ["TOY0014"]


def test_further_changes_leave_the_change_alone():
    answer = asked(f"{RETRACTION} --tp 2", set={"dcp_size": 2})
    assert answer.further is not None
    assert [repair.command for repair in answer.further.repairs] == [
        f"{LAUNCH} --disaggregation-mode decode --tp 2 --dcp-size 2"
    ]
    kept = asked(f"{RETRACTION} --tp 2", set={"dcp_size": 2}, keep={"retraction_backup"})
    assert kept.further is not None
    assert kept.further.status == "none-exists"


def test_final_values_that_differ_are_told_also_of_flags_that_were_not_touched():
    answer = asked("", set={"speculative_algorithm": "EAGLE"})
    assert {each.flag: (each.before, each.after) for each in answer.final_values} == {
        "speculative_algorithm": (None, "EAGLE"),
        "speculative_num_steps": (None, 5),
        "speculative_num_draft_tokens": (None, 6),
        "max_running_requests": (None, 48),
    }


def test_the_answer_is_that_of_checking_the_changed_command():
    answer = asked("--tp 2 --dcp-size 2", set={"tp_size": 3, "retraction_backup": "host_pool"})
    again = check(answer.command, catalog=toy.catalog(), facts=WORLD)
    assert answer.after.verdict is again.verdict
    assert codes(answer.after.violations) == codes(again.violations)
    assert [violation.message for violation in answer.after.violations] != []


def test_changing_a_flag_that_the_parser_refuses_puts_it_right():
    answer = asked("--attention-backend fa33", set={"attention_backend": "triton"})
    assert codes(answer.newly_mended) == ["ARG005"]
    assert answer.after.verdict is Verdict.ACCEPTED


def test_text_is_read_as_on_a_command_line():
    flags = toy.catalog().flags
    assert value_of(flags, "tp_size", "8") == 8
    assert value_of(flags, "tp_size", 8) == 8
    assert value_of(flags, "attention_backend", "fa3") == "fa3"
    assert value_of(flags, "enable_lora", "true") is True
    assert value_of(flags, "enable_lora", "false") is NOT_GIVEN
    assert value_of(flags, "enable_lora", False) is NOT_GIVEN
    assert value_of(flags, "lora_paths", "a 'b c'") == ["a", "b c"]
    assert value_of(flags, "mem_fraction_static", "0.5") == 0.5


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("tp_size", "eight"),
        ("tp_size", 1.5),
        ("tp_sice", 8),
        ("attention_backend", "fa33"),
        ("enable_lora", "perhaps"),
    ],
)
def test_a_value_that_no_words_give_is_an_error(flag, value):
    with pytest.raises(FlagError) as caught:
        asked("", set={flag: value})
    assert caught.value.flag == flag


def test_an_unknown_flag_names_the_nearest():
    with pytest.raises(FlagError) as caught:
        asked("", unset={"tp_sice"})
    assert "tp_size" in caught.value.reason
    with pytest.raises(FlagError):
        possible("tp_sice")


def test_the_values_that_a_flag_may_take_and_what_stands_against_the_others():
    answer = possible("attention_backend", "--kv-cache-dtype bfloat16")
    verdicts = {each.value: each.verdict for each in answer.possibilities}
    assert verdicts == {
        NOT_GIVEN: Verdict.ACCEPTED,
        "fa3": Verdict.ACCEPTED,
        "triton": Verdict.ACCEPTED,
        "flashinfer": Verdict.ACCEPTED,
        "trtllm_mla": Verdict.REFUSED,
    }
    assert answer.values == (NOT_GIVEN, "fa3", "triton", "flashinfer")
    refused = next(each for each in answer.possibilities if each.value == "trtllm_mla")
    assert codes(refused.violations) == ["TOY0011", "TOY0012"]


def test_numbers_are_tried_where_some_rule_may_change_its_mind():
    answer = possible("dcp_size", "--tp 8")
    verdicts = {each.value: each.verdict for each in answer.possibilities}
    assert verdicts[NOT_GIVEN] is Verdict.ACCEPTED
    assert all(verdicts[size] is Verdict.ACCEPTED for size in (2, 4, 8))
    refused = possible("dcp_size", f"{RETRACTION} --tp 8")
    assert {each.value for each in refused.possibilities if each.verdict is Verdict.REFUSED} >= {2, 4, 8}


def test_the_present_value_comes_first():
    assert possible("dcp_size", "--tp 8 --dcp-size 4").possibilities[0].value == 4
    assert possible("dcp_size").possibilities[0].value is NOT_GIVEN
