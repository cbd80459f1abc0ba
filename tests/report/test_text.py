import dataclasses
import re

import pytest

from solver.answers import Verdict
from solver.report import render
from solver.report.document import Entry
from solver.report.ink import Ink
from tests.report.examples import DOCUMENTS, FIX, REFUSED, UNDECIDED, VIOLATION, document, report


def full(name: str, *, coloured: bool = False) -> str:
    return render(DOCUMENTS[name], Ink(coloured), output_format="full")


def test_an_accepted_command_takes_two_lines() -> None:
    lines = full("accepted").splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("accepted")
    assert "the newest catalog" in lines[1]
    assert "--gpu" in lines[1]
    assert "--model-config" in lines[1]


def test_a_violation_says_what_why_and_where() -> None:
    text = full("refused")
    assert "SGL0123" in text
    assert VIOLATION.at in text
    assert VIOLATION.function in text
    assert "--dcp-size 2" in text
    assert "--pp-size 1 (default)" not in text
    assert "--pp-size 1 (default)" in full("refused, verbose")
    assert "--model-path m" not in text
    assert "--model-path m" in full("refused, verbose")
    assert "gpu.sm = 90" in text
    assert "perhaps" in text


def test_only_a_verbose_report_shows_conditions_choices_and_rewritten_values() -> None:
    short, long = full("refused"), full("refused, verbose")
    for part in ("dcp_size > 1", "SGLang sets page_size to 64", "becomes 2048", "ValueError"):
        assert part not in short
        assert part in " ".join(long.split())
    assert "--chunked-prefill-size" in short


def test_an_open_question_names_the_facts_and_the_options_that_tell_them() -> None:
    assert "Not decided without --gpu, --model-config" in full("depends")
    assert "gpu.is_sm100, model.is_mla (--gpu, --model-config)" in full("depends, verbose")


def test_open_questions_are_counted_beside_a_violation_and_listed_up_to_a_point_without() -> None:
    many = (UNDECIDED,) * 8
    refused = report(verdict=Verdict.REFUSED, violations=(VIOLATION,), undecided=many)
    text = render(document(Entry("x", refused)), Ink(), output_format="full")
    assert "8 more rules could not be decided without --gpu, --model-config" in text
    assert text.count("SGL0300") == 0
    depends = report(verdict=Verdict.DEPENDS, undecided=many)
    text = render(document(Entry("x", depends)), Ink(), output_format="full")
    assert text.count("SGL0300") == 5
    assert "3 more; not decided" in text


def test_the_engines_own_warnings_are_shown_when_verbose() -> None:
    assert "radix cache is off" not in full("depends")
    assert "SGLang warns, since radix cache is off" in full("depends, verbose")
    assert "--tp is short for --tp-size" in full("depends")


def test_each_fix_shows_its_changes_and_the_whole_command() -> None:
    text = full("fix")
    assert "no smaller change mends it" in text
    assert "change --dcp-size 2 to 1   (mends with any integer in -4..1, auto or not given)" in text
    assert "remove --dcp-size 2   (or set it to 1 or auto)" in text
    assert "remove --dcp-size 2\n" in text
    assert "add --enable-prefill-cp" in text
    for each in FIX.repairs:
        assert f"     {each.command}\n" in text


def test_misspelt_flags_put_right_are_part_of_a_fix() -> None:
    text = full("respelt")
    assert "write --dcp-size for --dcp-sise" in text
    assert "remove --gone" in text
    assert "1 way of several; not proven smallest" in text
    assert "can't be decided" in text


def test_what_cannot_be_mended_is_said_not_hidden() -> None:
    assert "No change of flags mends this command" in full("no fix")
    assert "SGL0123 stands whatever flags are changed" in full("no fix")
    assert "--timeout" in full("gave up")


def test_an_argument_without_a_likely_meaning_is_left_to_the_reader() -> None:
    assert "Correct the arguments that are wrong" in full("unread")


def test_nothing_to_mend_is_not_worth_a_word() -> None:
    assert "fix" not in full("nothing to mend")


def test_many_variables_are_counted_not_listed() -> None:
    assert "GPU h100; SGLANG_A=1, SGLANG_B=1, 2 more;" in full("unread")


def test_a_change_shows_what_it_mends_breaks_and_leads_to() -> None:
    text = full("what if")
    assert "Mends SGL0123." in text
    assert "Breaks 1 rule:" in text
    assert "--dcp-size  2 -> 1" in text
    assert "with the changes asked for kept" in text


def test_each_possible_value_is_shown_with_the_rules_against_it() -> None:
    text = full("allowed")
    assert "fine     --dcp-size 1" in text
    assert "refused  --dcp-size 2  (SGL0123)" in text
    assert "depends  --dcp-size not given" in text


def test_several_launches_are_named_and_counted() -> None:
    text = full("several")
    assert "a.sh\naccepted" in text
    assert "b.sh\nrefused" in text
    assert text.endswith("3 launches: 1 accepted, 1 refused, 1 unreadable\n")


@pytest.mark.parametrize("name", [*DOCUMENTS])
def test_colour_adds_nothing_but_colour(name: str) -> None:
    coloured = full(name, coloured=True)
    assert "\x1b[" not in full(name)
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == full(name)


def test_the_words_that_a_fix_changes_stand_out() -> None:
    assert "\x1b[1;32m1\x1b[0m" in full("fix", coloured=True)
    assert "\x1b[1;32m--enable-prefill-cp\x1b[0m" in full("fix", coloured=True)


@pytest.mark.parametrize("name", [*DOCUMENTS])
def test_lines_have_no_trailing_blanks_and_sentences_are_wrapped(name: str) -> None:
    for line in full(name).splitlines():
        assert line == line.rstrip()
        assert len(line) <= 100 or "sglang.launch_server" in line


def test_a_command_cannot_drive_the_terminal() -> None:
    evil = dataclasses.replace(VIOLATION, message="--x is \x1b[2J\x07")
    refused = report(verdict=Verdict.REFUSED, violations=(evil,))
    text = render(document(Entry("a\x1b.sh", refused), Entry("b", refused)), Ink(), output_format="full")
    assert "\x1b" not in text
    assert "\\x1b[2J\\x07" in text


def test_concise_has_one_line_a_finding() -> None:
    entry = Entry("a.sh", REFUSED, fix=FIX)
    lines = render(document(entry), Ink(), output_format="concise").splitlines()
    assert lines[0].startswith("a.sh: SGL0123 --disaggregation")
    assert lines[0].endswith(f"[{VIOLATION.at}]")
    assert lines[2] == "a.sh: fix 1: change --dcp-size to 1"
    assert lines[4] == "a.sh: fix 3: remove --dcp-size 2, add --enable-prefill-cp"
    assert len(lines) == 5


def test_concise_is_silent_where_all_is_well() -> None:
    assert render(DOCUMENTS["accepted"], Ink(), output_format="concise") == ""
