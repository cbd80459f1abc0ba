"""Answers made by hand, as the questions would give them, for the tests of report formats."""

from __future__ import annotations

import dataclasses
from typing import Any

from constraints.expression.parse import parse
from constraints.vocabulary import Flag, Option
from solver.answers import (
    AllowedValues,
    Cause,
    Choice,
    FinalValue,
    Possibility,
    Reason,
    Remark,
    Repair,
    Report,
    Respelling,
    Rewrite,
    SuggestedFix,
    Undecided,
    Verdict,
    Violation,
    WhatIf,
    World,
)
from solver.launch.words import Launch, words_of
from solver.repair.answers import Allowed, Change, Range
from solver.repair.protocol import NOT_GIVEN
from solver.report.document import Document, Entry, Problem

WORDS = (
    *("python", "-m", "sglang.launch_server", "--model-path", "m"),
    *("--disaggregation-mode", "decode", "--dcp-size", "2"),
    *("--disaggregation-decode-retraction-backup", "host_pool"),
)
FLAGS = {
    name: Flag(
        name, "str", options=(Option((f"--{name.replace('_', '-')}",), required=name == "model_path"),)
    )
    for name in ("model_path", "dcp_size", "chunked_prefill_size", "enable_prefill_cp")
}
LAUNCH = Launch(words_of(WORDS)[3:], form="module", prefix=words_of(WORDS)[:3])
DCP = Cause("dcp_size", "given", 2, "--dcp-size")
BACKUP = Cause(
    "disaggregation_decode_retraction_backup",
    "given",
    "host_pool",
    "--disaggregation-decode-retraction-backup",
)
VIOLATION = Violation(
    code="SGL0123",
    kind="rule",
    at="arg_groups/kv_cache_hook.py:362",
    function="check_retraction",
    condition=parse("disaggregation_decode_retraction_backup == 'host_pool' and dcp_size > 1"),
    message="--disaggregation-decode-retraction-backup is host_pool and --dcp-size is greater than 1",
    flags=("disaggregation_decode_retraction_backup", "dcp_size"),
    reason=Reason(
        causes=(
            BACKUP,
            DCP,
            Cause("model_path", "given", "m", "--model-path"),
            Cause("pp_size", "default", 1, "--pp-size"),
            Cause("gpu.sm", "fact", 90, "gpu.sm"),
        ),
        choices=(
            Choice("page_size", 64, "arg_groups/page_hook.py:10", "choose_page", parse("page_size is None")),
        ),
    ),
    exception="ValueError",
)
MISSPELT = Violation(
    code="ARG001",
    kind="argument",
    at="",
    function="",
    condition=None,
    message="--dcp-sise is no flag of SGLang 0.5.23",
    flags=(),
    reason=Reason(),
    suggestion="--dcp-size",
)
UNDECIDED = Undecided(
    code="SGL0300",
    at="arg_groups/attention_hook.py:77",
    function="check_backend",
    missing=("gpu.is_sm100", "model.is_mla"),
    flags=("attention_backend",),
    condition=parse("attention_backend == 'trtllm_mla' and not gpu.is_sm100"),
    message="--attention-backend is trtllm_mla and the GPU is not SM100",
)
REWRITE = Rewrite(
    "chunked_prefill_size",
    8192,
    2048,
    "arg_groups/memory_hook.py:40",
    "choose_chunk",
    "the GPU has little memory",
)
NOTICES = (
    Remark("ARG101", "argument", "--tp is short for --tp-size", ("tp_size",)),
    Remark(
        "SGL0900", "engine", "radix cache is off", ("disable_radix_cache",), "arg_groups/cache_hook.py:5", "f"
    ),
)


def report(**changes: Any) -> Report:
    """An accepted command, but for the changes."""
    plain = Report(
        verdict=Verdict.ACCEPTED,
        violations=(),
        rewrites=(),
        undecided=(),
        notices=(),
        release="0.5.23",
        launch=LAUNCH,
        world=World(),
        release_source="the newest catalog",
    )
    return dataclasses.replace(plain, **changes)


REFUSED = report(
    verdict=Verdict.REFUSED,
    violations=(VIOLATION, MISSPELT),
    world=World({"gpu": "h100"}),
    rewrites=(REWRITE,),
)
UNREAD = report(
    verdict=Verdict.REFUSED,
    violations=(dataclasses.replace(MISSPELT, suggestion=None),),
    world=World({"gpu": "h100", **{f"env.SGLANG_{letter}": "1" for letter in "ABCD"}}),
)
DEPENDS = report(verdict=Verdict.DEPENDS, undecided=(UNDECIDED,), notices=NOTICES)


def repair(
    *changes: Change, words: tuple[str, ...] = WORDS, respellings: tuple[Respelling, ...] = ()
) -> Repair:
    return Repair(changes, 1, "maybe-incorrect", words, " ".join(words), respellings)


SET_TO_ONE = Change(
    "dcp_size", "set", 2, 1, Allowed(values=("auto",), ranges=(Range(-4, 1),), not_given=True)
)
REMOVE = Change("dcp_size", "remove", 2, NOT_GIVEN, Allowed(not_given=True))
REMOVE_OR_SET = Change("dcp_size", "remove", 2, NOT_GIVEN, Allowed(values=(1, "auto"), not_given=True))
ADD = Change("enable_prefill_cp", "add", NOT_GIVEN, True, Allowed(values=(True,)))
FIX = SuggestedFix(
    report=REFUSED,
    status="found",
    size=1,
    proven_smallest=True,
    complete=True,
    at_least=1,
    repairs=(
        repair(SET_TO_ONE, words=(*WORDS[:8], "1", *WORDS[9:])),
        repair(REMOVE_OR_SET, words=(*WORDS[:7], *WORDS[9:])),
        repair(REMOVE, ADD, words=(*WORDS[:7], *WORDS[9:], "--enable-prefill-cp")),
    ),
)
WHAT_IF = WhatIf(
    before=REFUSED,
    after=dataclasses.replace(REFUSED, violations=(MISSPELT,)),
    newly_broken=(MISSPELT,),
    newly_mended=(VIOLATION,),
    final_values=(FinalValue("dcp_size", 2, 1),),
    further=FIX,
    words=WORDS,
    command=" ".join(WORDS),
)
ALLOWED = AllowedValues(
    "dcp_size",
    (
        Possibility(1, Verdict.ACCEPTED),
        Possibility(2, Verdict.REFUSED, (VIOLATION,)),
        Possibility(NOT_GIVEN, Verdict.DEPENDS, (), (UNDECIDED,)),
    ),
)


def document(*entries: Entry, problems: tuple[Problem, ...] = (), verbose: bool = False) -> Document:
    return Document(entries, problems, lambda _release: FLAGS, verbose)


DOCUMENTS = {
    "accepted": document(Entry("command line", report())),
    "refused": document(Entry("command line", REFUSED)),
    "refused, verbose": document(Entry("command line", REFUSED), verbose=True),
    "depends": document(Entry("command line", DEPENDS)),
    "depends, verbose": document(Entry("command line", DEPENDS), verbose=True),
    "fix": document(Entry("command line", REFUSED, fix=FIX)),
    "respelt": document(
        Entry(
            "command line",
            REFUSED,
            fix=SuggestedFix(
                REFUSED,
                "found",
                2,
                proven_smallest=False,
                repairs=(
                    repair(respellings=(Respelling("--dcp-sise", "--dcp-size"), Respelling("--gone", ""))),
                ),
                leaves_undecided=True,
            ),
        )
    ),
    "no fix": document(
        Entry(
            "command line",
            REFUSED,
            fix=SuggestedFix(REFUSED, "none-exists", None, proven_smallest=False, unmendable=(VIOLATION,)),
        )
    ),
    "gave up": document(
        Entry("command line", REFUSED, fix=SuggestedFix(REFUSED, "gave-up", None, proven_smallest=False))
    ),
    "unread": document(
        Entry(
            "command line",
            UNREAD,
            fix=SuggestedFix(UNREAD, "none-exists", None, proven_smallest=False),
        )
    ),
    "nothing to mend": document(
        Entry("x.sh", report(), fix=SuggestedFix(report(), "nothing-to-mend", 0, proven_smallest=True))
    ),
    "what if": document(Entry("command line", REFUSED, change=WHAT_IF)),
    "allowed": document(Entry("command line", REFUSED, allowed=ALLOWED)),
    "several": document(
        Entry("a.sh", report()), Entry("b.sh", REFUSED), problems=(Problem("c.sh", "c.sh: no such file"),)
    ),
    "nothing": document(problems=(Problem("c.sh", "c.sh: no such file"),)),
}
