from typing import Any

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from constraints.catalog import Flag, Option
from constraints.expression.values import UNKNOWN
from solver.launch import FlagIndex, Launch, Word, parse_arguments, read_launch
from tests.launch.engine import FLAGS, RETIRED, codes, given, parsed
from tests.launch.real_argparse import real_answer, real_parser

REAL = real_parser(FLAGS)
INDEX = FlagIndex(FLAGS)

_SPELLINGS = sorted(INDEX.entries)
_VALUES = st.sampled_from([
    *("1", "2", "-1", "-1.5", "-.5", "-1e-5", "1_000", " 8 ", "nan", "1k", "25.6k", "1.5Ki", "abc", "fa3"),
    *("", "a b", "-x y", "-x", "-", "--", "=", "--=", "-h", "-hx", "-1x"),
    *("q_proj", "16", "None", "high", "x=y"),
    *('{"a": 1}', "[1, 2]", '{"decode": {"bs": 1}}', '{"prefill": {"x": 1}}', '{"lora_name": 1}', "{x}", "٣"),
])  # fmt: skip
_FLAGS = st.sampled_from(_SPELLINGS).filter(lambda spelling: spelling != "--config")
_SHORTENED = st.builds(lambda spelling, length: spelling[:length], _FLAGS, st.integers(1, 12)).filter(
    lambda spelling: spelling != "--config"
)
_WORDS = st.lists(
    st.one_of(
        _FLAGS,
        _VALUES,
        _SHORTENED,
        st.builds("{}={}".format, st.one_of(_FLAGS, _SHORTENED), _VALUES),
        st.text(max_size=6),
    ),
    max_size=8,
)


@examples(st.sampled_from([[], ["--model", "m"]]), _WORDS)
def test_what_argparse_makes_of_any_words_is_what_is_made_of_them_here(
    model: list[str], others: list[str]
) -> None:
    words = model + others
    arguments = parse_arguments(INDEX, Launch(tuple(Word(word) for word in words), form="module"))
    found = arguments.outcome or {name: flag.value for name, flag in arguments.given.items()}
    assert repr_sorted(found) == repr_sorted(real_answer(REAL, words))


def repr_sorted(answer: str | dict[str, Any]) -> str | list[tuple[str, str]]:
    """Comparable also where a value is not a number, which no value equals."""
    return (
        answer if isinstance(answer, str) else sorted((name, repr(value)) for name, value in answer.items())
    )


def test_a_value_may_stand_behind_an_equals_sign() -> None:
    assert given("--tp=4", "--extra={}") == {"model_path": "m", "tp_size": 4, "extra": {}}


def test_a_unique_beginning_stands_for_the_whole_flag_and_is_noticed() -> None:
    arguments = parsed("--model", "m", "--mem", "0.5")
    assert arguments.given["mem_fraction"].value == 0.5
    assert [(notice.code, notice.suggestion) for notice in arguments.notices] == [
        ("ARG102", "--mem-fraction")
    ]


def test_a_beginning_of_several_flags_is_refused_and_names_them() -> None:
    (problem,) = parsed("--model", "m", "--p", "2").problems
    assert (problem.code, problem.words) == ("ARG002", (2, 3))
    assert problem.alternatives == ("--pair", "--pipeline-parallel-size", "--pp-size")


def test_an_exact_spelling_wins_over_longer_ones() -> None:
    assert given("--tp", "2")["tp_size"] == 2


def test_the_last_occurrence_counts_and_the_earlier_ones_are_remembered() -> None:
    flag = parsed("--model", "m", "--tp", "2", "--fast", "--tp-size=4").given["tp_size"]
    assert (flag.value, flag.words, flag.earlier, flag.spelling) == (4, (5,), (2, 3), "--tp-size")


def test_a_flag_given_more_than_once_is_noticed() -> None:
    assert [notice.code for notice in parsed("--model", "m", "--fast", "--fast").notices] == ["ARG103"]


def test_values_of_an_appending_flag_add_up() -> None:
    assert given("--header", "a", "--header", "b")["header"] == ["a", "b"]


def test_a_negative_number_is_a_value_and_not_a_flag() -> None:
    assert given("--tp", "-1", "--buckets", "-1", "-2") == {
        "model_path": "m",
        "tp_size": -1,
        "buckets": [-1, -2],
    }


def test_a_word_with_a_space_is_a_value_even_with_a_hyphen_before_it() -> None:
    assert given("--host", "-x y")["host"] == "-x y"


def test_a_flag_without_its_value_does_not_swallow_the_next_flag() -> None:
    assert codes("--tp", "--fast") == ["ARG003"]
    assert given("--tp", "--fast")["fast"] is True


def test_all_problems_are_reported_and_not_only_the_first() -> None:
    found = codes("--tp", "x", "--backend", "y", "--fast=1", "--nope", "1", "z")
    assert found == ["ARG004", "ARG005", "ARG006", "ARG001"]


def test_a_word_that_belongs_to_no_flag_is_refused() -> None:
    assert codes("--fast", "yes") == ["ARG007"]


def test_an_unknown_flag_takes_its_values_along_and_offers_the_nearest() -> None:
    (problem,) = parsed("--model", "m", "--tensor-parallel-sise", "2", "3").problems
    assert (problem.words, problem.suggestion) == ((2, 3, 4), "--tensor-parallel-size")


def test_underscores_are_answered_with_the_right_spelling() -> None:
    (problem,) = parsed("--model", "m", "--trust_remote_code").problems
    assert (problem.code, problem.suggestion) == ("ARG001", "--trust-remote-code")


def test_a_wrong_choice_offers_the_nearest() -> None:
    (problem,) = parsed("--model", "m", "--backend", "flash_infer").problems
    assert (problem.code, problem.suggestion) == ("ARG005", "flashinfer")


def test_a_refused_value_leaves_its_flag_given_but_unknown() -> None:
    flag = parsed("--model", "m", "--tp", "x").given["tp_size"]
    assert flag.unknown
    assert flag.value is UNKNOWN


def test_a_flag_with_a_no_form_can_be_switched_off() -> None:
    assert given("--no-enable-lora")["enable_lora"] is False


def test_a_required_flag_is_missed_in_a_command() -> None:
    assert [problem.code for problem in parsed("--tp", "2").problems] == ["ARG008"]


def test_a_required_flag_is_not_missed_among_flags_alone() -> None:
    arguments = parsed("--tp", "2", form="flags")
    assert not arguments.problems
    assert [notice.code for notice in arguments.notices] == ["ARG107"]


def test_a_deprecated_spelling_is_noticed_with_what_replaces_it() -> None:
    arguments = parsed("--model", "m", "--speed", "high")
    assert arguments.given["fast"].value is True
    assert [(notice.code, notice.suggestion) for notice in arguments.notices] == [("ARG101", "--fast")]


def test_a_retired_flag_is_refused_and_an_ignored_one_is_not() -> None:
    arguments = parsed("--model", "m", "--old", "--idle", flags=RETIRED)
    assert [(problem.code, problem.suggestion) for problem in arguments.problems] == [("ARG009", "--fast")]
    assert "old" not in arguments.given
    assert "idle" not in arguments.given


def test_asking_for_help_starts_no_server() -> None:
    assert codes("--help") == ["ARG010"]


def test_a_malformed_adapter_ends_in_a_traceback_and_not_in_a_usage_message() -> None:
    arguments = parsed("--model", "m", "--lora-paths", "{x}")
    assert arguments.outcome == "crash"


def test_a_value_that_is_not_known_is_no_problem() -> None:
    launch = read_launch("sglang serve m --tp $TP --host=$HOST:1 --backend $B")
    arguments = parse_arguments(FLAGS, launch)
    assert not arguments.problems
    assert {name for name, flag in arguments.given.items() if flag.unknown} == {"tp_size", "host", "backend"}
    assert not arguments.open_ended


def test_words_that_are_not_known_may_hold_any_flag() -> None:
    arguments = parse_arguments(FLAGS, read_launch("python -m sglang.launch_server --fast $ARGS"))
    assert arguments.open_ended
    assert not arguments.problems


def test_a_list_ends_before_words_that_may_be_flags() -> None:
    arguments = parse_arguments(FLAGS, read_launch("sglang serve m --buckets 1 2 $ARGS"))
    assert arguments.given["buckets"].value == [1, 2]
    assert arguments.open_ended


def test_serve_takes_the_model_first() -> None:
    arguments = parse_arguments(FLAGS, read_launch("sglang serve org/model --tp 2"))
    assert arguments.given["model_path"].value == "org/model"
    assert [arguments.words[index].text for index in arguments.given["model_path"].words] == [
        "--model-path",
        "org/model",
    ]


def test_serve_keeps_the_choice_of_a_backend_to_itself() -> None:
    assert not parse_arguments(FLAGS, read_launch("sglang serve m --model-type llm")).problems
    assert not parse_arguments(FLAGS, read_launch("sglang serve --model-type=auto --model m")).problems


def test_an_index_is_made_once_for_the_same_flags() -> None:
    launch = Launch((Word("--fast"),))
    assert (
        parse_arguments(FLAGS, launch).given["fast"].option
        is parse_arguments(FLAGS, launch).given["fast"].option
    )


@pytest.mark.parametrize("word", ["-1", "-.5", "-10"])
def test_negative_numbers_are_flags_where_some_flag_looks_like_one(word: str) -> None:
    flags = {"n": Flag("n", "bool", options=(Option(("-1",), "store_true"),)), **FLAGS}
    real = real_parser(flags)
    arguments = parsed("--model", "m", "--tp", word, flags=flags)
    answer = real_answer(real, ["--model", "m", "--tp", word])
    assert (arguments.outcome or "ok") == (answer if isinstance(answer, str) else "ok")


def test_only_the_first_unknown_flags_get_suggestions() -> None:
    problems = parsed(*["--tp-sizes"] * 5000).problems
    unknown = [each for each in problems if each.code == "ARG001"]
    assert len(unknown) == 5000
    assert unknown[0].suggestion == "--tp-size"
    assert unknown[-1].suggestion is None
