import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraints.catalog import Flag, Option
from constraints.domain import Candidates, accepts, candidate_values, distinct, read_words, spell, write_words
from constraints.errors import CatalogError
from constraints.parsers import BadWord, parser


@pytest.mark.parametrize(
    ("name", "word", "value"),
    [
        ("str", "", ""),
        ("int", "1_000", 1000),
        ("int", " 8 ", 8),
        ("int", "-1", -1),
        ("int", "٣", 3),
        ("float", "1e-5", 1e-5),
        ("float", "inf", math.inf),
        ("float", "8", 8.0),
        ("truthy", "False", True),
        ("truthy", "", False),
        ("human_readable_int", "25.6k", 25600),
        ("human_readable_int", " 1Mi ", 1 << 20),
        ("human_readable_int", "1_000", 1000),
        ("human_readable_int", "-5", -5),
        ("nullable_str", "None", None),
        ("nullable_str", "", None),
        ("nullable_str", "null", "null"),
        ("json", '{"a": [1, 2.5, null]}', {"a": [1, 2.5, None]}),
        ("json", "7", 7),
        ("json_list", '["a"]', ["a"]),
        ("json_list", "18446744073709551616", 18446744073709551616.0),
        ("json_sections decode:bs,backend prefill:bs", '{"decode": {"bs": [1]}}', {"decode": {"bs": [1]}}),
        ("lora_paths", " name=path ", "name=path"),
        ("lora_paths", '{"lora_name": "a", "lora_path": "b"}', {"lora_name": "a", "lora_path": "b"}),
    ],
)
def test_a_word_becomes_the_value_that_the_engine_makes_of_it(name: str, word: str, value: Any) -> None:
    result = parser(name).read(word)
    assert (result, type(result)) == (value, type(value))


@pytest.mark.parametrize(
    ("name", "word"),
    [
        *[("int", word) for word in ("", "x", "1.5", "0x10", "1__0", "9" * 5000)],
        *[("float", word) for word in ("", "x", "1,5")],
        *[("human_readable_int", word) for word in ("", "1.5Ki", "1K", "1 k", "k")],
        *[("json", word) for word in ("", "{x}", "'a'", "[1,]", "[" * 100_000)],
        *[("json_list", word) for word in ("", "NaN", "[1e400]", '"\\ud800"', "[" * 100_000)],
        *[
            ("json_sections decode:bs", word)
            for word in ("[]", '{"x": {}}', '{"decode": 1}', '{"decode": {"x": 1}}')
        ],
    ],
)
def test_a_word_that_the_engine_refuses_is_refused(name: str, word: str) -> None:
    with pytest.raises(BadWord) as refused:
        parser(name).read(word)
    assert not refused.value.crashes


@pytest.mark.parametrize("word", ["{x}", '{"lora_name": "a"}'])
def test_a_malformed_adapter_is_said_to_crash_the_engine(word: str) -> None:
    with pytest.raises(BadWord) as refused:
        parser("lora_paths").read(word)
    assert refused.value.crashes


def test_not_a_number_is_a_number() -> None:
    assert math.isnan(parser("float").read("nan"))


def test_a_parser_that_is_not_described_is_an_error_of_the_catalog() -> None:
    with pytest.raises(CatalogError):
        parser("some.other.function")


def test_choices_are_compared_after_conversion() -> None:
    option = Option(("--x",), type="int", choices=(16, 32))
    assert read_words(option, [" 16 "]) == 16
    with pytest.raises(BadWord):
        read_words(option, ["8"])


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=4,
)
_OPTIONS = {
    "int": (Option(("--x",), type="int"), st.integers()),
    "float": (Option(("--x",), type="float"), st.floats(allow_nan=False)),
    "str": (Option(("--x",)), st.text()),
    "size": (Option(("--x",), type="human_readable_int"), st.integers()),
    "json": (Option(("--x",), type="json"), _JSON),
    "list": (Option(("--x",), type="int", nargs="+"), st.lists(st.integers(), min_size=1)),
    "none or more": (Option(("--x",), nargs="*"), st.lists(st.text())),
    "pair": (Option(("--x",), type="int", nargs=2), st.lists(st.integers(), min_size=2, max_size=2)),
    "perhaps": (Option(("--x",), nargs="?", const=""), st.text()),
    "choice": (Option(("--x",), choices=("a", "b")), st.sampled_from(["a", "b"])),
    "alone": (Option(("--x",), "store_true"), st.just(True)),
    "constant": (Option(("--x",), "store_const", const="low"), st.just("low")),
    "word for a constant": (Option(("--x",), "store_const", choices=("on",), const=True), st.just(True)),
}


@pytest.mark.parametrize("kind", _OPTIONS)
@given(data=st.data())
def test_a_value_written_is_read_again(kind: str, data: st.DataObject) -> None:
    option, values = _OPTIONS[kind]
    value = data.draw(values)
    words = write_words(option, value)
    assert words is not None
    assert read_words(option, words) == value
    assert accepts(option, value)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        (Option(("--x",), type="int"), "a"),
        (Option(("--x",), type="int"), True),
        (Option(("--x",), type="int"), None),
        (Option(("--x",), type="int"), 1.5),
        (Option(("--x",)), 1),
        (Option(("--x",)), None),
        (Option(("--x",), choices=("a",)), "b"),
        (Option(("--x",), "store_true"), False),
        (Option(("--x",), type="int", nargs="+"), []),
        (Option(("--x",), type="int", nargs=2), [1]),
        (Option(("-h",), "custom", "help"), True),
    ],
)
def test_a_value_that_no_words_give_is_not_accepted(option: Option, value: Any) -> None:
    assert not accepts(option, value)


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        (Option(("--x",), "store_true"), True, ("--x",)),
        (Option(("--x",), "boolean"), True, ("--x",)),
        (Option(("--x",), "boolean"), False, ("--no-x",)),
        (Option(("--x", "--y"), type="int"), -1, ("--x", "-1")),
        (Option(("--x",)), "-y", ("--x=-y",)),
        (Option(("--x",)), "-y z", ("--x", "-y z")),
        (Option(("--x",), type="float"), -1e-05, ("--x=-1e-05",)),
        (Option(("--x",), type="json"), {"a": 1}, ("--x", '{"a": 1}')),
        (Option(("--x",), type="nullable_str"), None, ("--x", "None")),
        (Option(("--x",), type="int", nargs="+"), [1, 2], ("--x", "1", "2")),
        (Option(("--x",), type="int"), "a", None),
    ],
)
def test_a_flag_is_spelt_so_that_the_parser_reads_the_value(
    option: Option, value: Any, words: tuple[str, ...] | None
) -> None:
    assert spell(Flag("x", "str", options=(option,)), value) == words


def test_a_deprecated_spelling_is_the_last_resort() -> None:
    old = Option(("--old",), type="int", deprecated=True)
    assert spell(Flag("x", "int", options=(old, Option(("--x",), type="int"))), 1) == ("--x", "1")
    assert spell(Flag("x", "int", options=(old,)), 1) == ("--old", "1")


def flag(**option: Any) -> Flag:
    return Flag("x", "str", options=(Option(("--x",), **option),))


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [
        (candidate_values(flag(choices=("a", "b")), ["c"]), Candidates(("a", "b"), "choice", removable=True)),
        (candidate_values(flag(action="store_true")), Candidates((True,), "choice", removable=True)),
        (candidate_values(flag(action="boolean")), Candidates((True, False), "choice", removable=True)),
        (candidate_values(flag(type="int", choices=(1, 2))), Candidates((1, 2), "choice", removable=True)),
        (
            candidate_values(flag(type="int"), [8, "x", 8, True, None, 4]),
            Candidates((8, 4), "integer", removable=True, placeholder="NUMBER"),
        ),
        (candidate_values(flag(required=True)), Candidates((), "text", removable=False, placeholder="TEXT")),
        (candidate_values(flag(type="json")), Candidates((), "text", removable=True, placeholder="JSON")),
        (candidate_values(flag(action="custom", type="retired")), Candidates((), "choice", removable=True)),
        (candidate_values(Flag("x", "int")), Candidates((), "choice", removable=True)),
    ],
)
def test_the_candidates_of_a_flag_can_all_be_given(candidates: Candidates, expected: Candidates) -> None:
    assert candidates == expected


def test_a_whole_number_among_break_points_is_a_number_for_a_number_flag() -> None:
    assert candidate_values(flag(type="float"), [1, 0.5]).values == (1.0, 0.5)


@pytest.mark.parametrize(
    ("name", "placeholder"), [("draft_model_path", "PATH"), ("api_key", "KEY"), ("x", "TEXT")]
)
def test_a_text_that_only_the_user_knows_is_named_by_the_flag(name: str, placeholder: str) -> None:
    assert candidate_values(Flag(name, "str", options=(Option(("--x",)),))).placeholder == placeholder


def test_values_that_differ_in_type_alone_are_distinct() -> None:
    assert [repr(value) for value in distinct([1, True, 1.0, 1, True])] == ["1", "True", "1.0"]


def test_json_is_written_so_that_any_reader_reads_it() -> None:
    (word,) = write_words(Option(("--x",), type="json"), {"é": [None, True]}) or ()
    assert json.loads(word) == {"é": [None, True]}
