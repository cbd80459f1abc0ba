"""What becomes of a command: verdicts, violations with their reasons, rewrites, what is undecided."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from constraints.errors import FactError, LaunchNotFound, UnknownRelease, UnreadableInput
from constraints.expression.values import MISSING
from solver import Report, Verdict, check, read_launch
from tests import toy

LAUNCH = "python -m sglang.launch_server --model-path m"
H100 = {"gpu.sm": 90, "gpu.memory_mib": 81559, "gpu.is_cuda": True}
LLAMA = {
    "model.architecture": "LlamaForCausalLM",
    "model.config.num_experts": MISSING,
    "model.config.num_attention_heads": 32,
}
RETRACTION = "--retraction-backup host_pool --disaggregation-mode decode"


def checked(flags: str = "", **said: Any) -> Report:
    return check(f"{LAUNCH} {flags}", catalog=toy.catalog(), **said)


def codes(report: Report) -> list[str]:
    return [violation.code for violation in report.violations]


@pytest.mark.parametrize("flags", ["", "--tp 8", "--tp-size 2 --dp-size 2", "--chunked-prefill-size 4096"])
def test_a_plain_command_is_accepted_whatever_is_not_said(flags):
    report = checked(flags)
    assert report.verdict is Verdict.ACCEPTED
    assert not report.violations
    assert not report.undecided


def test_a_command_may_be_text_words_or_a_launch():
    texts = f"{LAUNCH} --tp 0"
    for source in (texts, texts.split(), tuple(texts.split()), read_launch(texts)):
        assert codes(check(source, catalog=toy.catalog())) == ["TOY0001"]


def test_all_violations_are_reported_not_the_first_alone():
    report = checked("--retraction-backup host_pool --dcp-size 2 --tp 3")
    assert report.verdict is Verdict.REFUSED
    assert codes(report) == ["TOY0014", "TOY0015", "TOY0016"]


def test_a_violation_says_where_why_and_in_english():
    (violation,) = checked(f"{RETRACTION} --tp 2 --dcp-size 2").violations
    assert violation.kind == "rule"
    assert violation.at == "hooks/cache.py:10"
    assert violation.function == "check_retraction"
    assert violation.exception == "ValueError"
    assert violation.certainty == "certain"
    assert violation.message == "--retraction-backup is host_pool and --dcp-size is greater than 1"
    assert violation.flags == ("dcp_size", "retraction_backup")


def test_a_reason_holds_what_was_given_with_its_place_and_what_was_left_at_its_default():
    (violation,) = checked("--retraction-backup host_pool").violations
    given, default = violation.reason.causes
    assert (given.name, given.kind, given.value) == ("retraction_backup", "given", "host_pool")
    assert given.spelling == "--retraction-backup"
    assert given.place is not None
    assert given.place.column == len(LAUNCH) + 2
    assert (default.name, default.kind, default.value) == ("disaggregation_mode", "default", "null")
    assert default.place is None


def test_a_reason_holds_facts_and_what_the_engine_chose_on_the_way():
    mla = {"gpu.sm": 100, "model.architecture": "DeepseekV3ForCausalLM"}
    (violation,) = checked("--kv-cache-dtype bfloat16", facts=mla).violations
    assert [(cause.name, cause.kind) for cause in violation.reason.causes] == [
        ("kv_cache_dtype", "given"),
        ("attention_backend", "default"),
        ("gpu.sm", "fact"),
        ("model.architecture", "fact"),
    ]
    (choice,) = violation.reason.choices
    assert (choice.variable, choice.value) == ("attention_backend", "trtllm_mla")
    assert choice.at == "hooks/attention.py:12"


def test_only_the_side_of_a_disjunction_that_holds_is_told():
    (violation,) = checked("--dp-size 0").violations
    assert violation.message == "--dp-size is less than 1"


def test_a_named_value_is_written_out():
    (violation,) = checked("--tp 3", facts=LLAMA).violations
    assert "--tp // --attn-dp-size" in violation.message or "attn_dp_size" in violation.message


def test_a_flag_is_called_as_it_was_written():
    (violation,) = checked("--tp=0").violations
    assert violation.message == "--tp is less than 1"


def test_a_crash_of_the_engine_is_a_refusal_with_the_error_it_ends_in():
    (violation,) = checked("--nnodes 0").violations
    assert violation.kind == "crash"
    assert violation.exception == "ZeroDivisionError"
    assert "--nnodes" in violation.message
    assert violation.flags[0] == "nnodes"


def test_a_crash_that_follows_from_an_earlier_violation_is_left_out():
    assert codes(checked("--enable-dp-attention --dp-size 0")) == ["TOY0002"]


def test_what_the_parser_refuses_is_a_violation_and_the_rules_still_count():
    report = checked("--tpp 8 --attention-backend fa4 --dcp-size 2 --retraction-backup host_pool")
    assert codes(report) == ["ARG005", "ARG001", "TOY0014", "TOY0015", "TOY0016"]
    choice, unknown, *_ = report.violations
    assert unknown.kind == choice.kind == "argument"
    assert unknown.suggestion == "--tp"
    assert choice.flags == ("attention_backend",)


def test_a_rewrite_says_what_becomes_of_a_flag_and_which_step_did_it():
    experts = {"model.config.num_experts": 8}
    (rewrite,) = checked("--moe-a2a-backend deepep --tp 4 --ep 2", facts=experts).rewrites
    assert (rewrite.flag, rewrite.given, rewrite.final) == ("ep_size", 2, 4)
    assert rewrite.at == "hooks/moe.py:11"
    assert rewrite.why == "--moe-a2a-backend is deepep"


def test_a_flag_that_comes_out_as_given_is_no_rewrite():
    experts = {"model.config.num_experts": 8}
    assert checked("--moe-a2a-backend deepep --tp 4 --ep 4", facts=experts).rewrites == ()


def test_a_choice_that_hangs_on_an_unknown_machine_is_no_matter_for_that_command():
    assert checked("--attention-backend fa3").verdict is Verdict.ACCEPTED


def test_a_rule_that_only_the_flags_bring_in_is_undecided_without_its_facts():
    report = checked("--moe-a2a-backend deepep --tp 4 --ep 4")
    assert report.verdict is Verdict.DEPENDS
    undecided = {each.code: each for each in report.undecided}
    assert undecided["TOY0008"].missing == ("model.config.num_experts",)
    assert undecided["TOY0008"].at == "hooks/moe.py:14"
    assert undecided["TOY0008"].flags == ("ep_size",)


def test_a_rule_that_was_not_understood_is_undecided_where_the_flags_lead_there():
    report = checked("--quantization mxfp4")
    assert [(each.code, each.missing) for each in report.undecided] == [("TOY0023", ())]
    assert checked("--quantization fp8").verdict is Verdict.ACCEPTED


def test_a_flag_whose_value_is_not_known_is_what_is_missing():
    report = checked("--tp $TP")
    assert ("TOY0001", ("tp_size",)) in [(each.code, each.missing) for each in report.undecided]
    assert report.verdict is Verdict.DEPENDS


def test_facts_decide():
    assert checked("--moe-a2a-backend deepep --tp 4", facts=LLAMA).verdict is Verdict.REFUSED
    experts = {"model.config.num_experts": 8}
    assert checked("--moe-a2a-backend deepep --tp 4", facts=experts | H100).verdict is Verdict.ACCEPTED


def test_a_warning_that_every_command_gets_is_not_worth_a_notice():
    facts = {"model.config.num_experts": MISSING}
    notices = checked("--enable-dp-attention --dp 8 --tp 8", facts=facts).notices
    assert [notice.code for notice in notices] == ["TOYN001"]
    assert notices[0].kind == "engine"
    assert notices[0].message == (
        "--enable-dp-attention is on, --moe-a2a-backend is 'none', and --dp is greater than 4"
    )
    assert checked().notices == ()


def test_the_reading_of_the_words_has_notices_of_its_own():
    notices = checked("--tp 2 --tp 4").notices
    assert [(notice.kind, notice.flags) for notice in notices] == [("argument", ("tp_size",))]


def test_codes_can_be_ignored():
    report = checked(f"{RETRACTION} --tp 2 --dcp-size 2", ignore={"TOY0014"})
    assert report.verdict is Verdict.ACCEPTED


def test_variables_of_the_command_win_over_others():
    report = check(f"TOY_GRAPHS=0 {LAUNCH}", catalog=toy.catalog(), env={"TOY_GRAPHS": "1"})
    assert report.world.sources["env.TOY_GRAPHS"] == "0"


def test_a_fact_that_no_rule_reads_is_refused_with_the_nearest():
    with pytest.raises(FactError) as caught:
        checked(facts={"gpu.smm": 90})
    assert "gpu.sm" in caught.value.reason


def test_machines_of_an_engine_that_nobody_knows_are_refused():
    with pytest.raises(FactError):
        checked(gpu="h100")


@pytest.mark.parametrize(
    ("source", "error"),
    [("ls -l", LaunchNotFound), ("", UnreadableInput), ("python 'unclosed", UnreadableInput)],
)
def test_what_is_no_launch_is_an_error(source, error):
    with pytest.raises(error):
        check(source, catalog=toy.catalog())


def test_an_unknown_release_is_an_error_that_names_the_nearest():
    with pytest.raises(UnknownRelease) as caught:
        check(LAUNCH, release="99.0")
    assert caught.value.nearest is not None


def test_a_report_is_plain_json_and_the_same_in_every_process():
    command = f"{LAUNCH} --dcp-size 2 --tp 3 --retraction-backup host_pool --moe-a2a-backend deepep --ep 4"
    program = (
        "import json; from tests import toy; from solver import check;"
        f"print(json.dumps(check({command!r}, catalog=toy.catalog()).to_dict()))"
    )

    def output(hash_seed: str) -> bytes:
        environment = {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        words = [sys.executable, "-c", program]
        return subprocess.run(words, capture_output=True, check=True, env=environment).stdout

    outputs = {output(hash_seed) for hash_seed in "123"}
    assert len(outputs) == 1
    assert json.loads(outputs.pop())["verdict"] == "refused"


def test_reports_of_the_same_command_are_equal():
    assert checked("--tp 0") == checked("--tp 0")


def test_threads_may_check_at_the_same_time():
    flags = [
        f"--tp {tp} --dcp-size {dcp} --retraction-backup host_pool" for tp in (1, 2, 3) for dcp in (1, 2)
    ] * 8
    expected = [checked(each).to_dict() for each in flags]
    with ThreadPoolExecutor(8) as pool:
        assert [report.to_dict() for report in pool.map(checked, flags)] == expected


def test_a_configuration_file_that_is_not_here_leaves_the_verdict_open():
    report = checked("--config nowhere.yaml")
    assert report.verdict is Verdict.DEPENDS
    [open_] = report.undecided
    assert (open_.code, open_.flags, open_.missing) == ("ARG105", ("config",), ())
    assert "nowhere.yaml is not here" in open_.message
    assert checked("--config nowhere.yaml", ignore={"ARG105"}).verdict is Verdict.ACCEPTED


def test_what_is_odd_about_the_way_a_command_is_written_is_a_notice():
    launch = read_launch(f"{LAUNCH}\n  --tp 2\n")
    [notice] = check(launch, catalog=toy.catalog()).notices
    assert (notice.code, notice.kind) == ("ARG201", "argument")
    assert "line 2" in notice.message
