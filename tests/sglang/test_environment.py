from collections.abc import Collection, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraints.catalog import Fact
from constraints.expression.values import UNKNOWN
from constraints.sglang.environment import Environment, environment_of, parse_variable, unknown_of

DECLARED = {
    fact.name: fact
    for fact in (
        Fact("env.SGLANG_FAST", "bool", default=True, has_default=True),
        Fact("env.SGLANG_STEPS", "int", default=4, has_default=True),
        Fact("env.SGLANG_LIST", "tuple[str]", default=["a"], has_default=True),
        Fact("env.SGLANG_OPTIONS", "json", default=None, has_default=True),
        Fact("env.SGLANG_FOLDER", "str"),
        Fact("env.SGLANG_ON_AMD", "bool", fallback="gpu.is_hip"),
        Fact("env.SGLANG_NEW", "int", default=1, has_default=True, fallback="env.SGLANG_OLD"),
        Fact("env.SGLANG_OLD", "int", default=1, has_default=True),
    )
}


def environment(
    variables: Mapping[str, str] | None = None,
    facts: Mapping[str, object] | None = None,
    unknown: Collection[str] = (),
) -> Environment:
    return Environment(
        environment_of(variables or {}),
        DECLARED,
        lambda path: (facts or {}).get(path, UNKNOWN),
        unknown_of(unknown),
    )


@pytest.mark.parametrize(
    ("type_name", "text", "value"),
    [
        ("bool", "TRUE", True),
        ("bool", "y", True),
        ("bool", "No", False),
        ("int", " 12 ", 12),
        ("int", "1_000", 1000),
        ("float", "1e-3", 0.001),
        ("str", "", ""),
        ("tuple[str]", "a, b,,c ", ("a", "b", "c")),
        ("tuple[str]", "", ()),
        ("json", '{"a": 1}', {"a": 1}),
        ("json", "", None),
    ],
)
def test_a_variable_is_parsed_as_its_field_does(type_name: str, text: str, value: object) -> None:
    assert parse_variable(type_name, text) == value


@pytest.mark.parametrize(
    ("type_name", "text"), [("bool", "on"), ("bool", ""), ("int", "1.5"), ("float", "x")]
)
def test_a_text_that_the_engine_would_not_understand_is_an_error(type_name: str, text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_variable(type_name, text)


def test_json_that_may_name_a_file_on_the_server_is_unknown() -> None:
    assert parse_variable("json", "/etc/options.json") is UNKNOWN
    assert parse_variable("something new", "1") is UNKNOWN


def test_a_variable_that_is_not_set_has_its_default() -> None:
    nothing = environment()
    assert nothing.get("env.SGLANG_FAST") is True
    assert nothing.get("env.SGLANG_LIST") == ("a",)
    assert nothing.get("env.SGLANG_FOLDER") is UNKNOWN
    assert nothing.get("env.SGLANG_NOBODY_DECLARED") is UNKNOWN


def test_a_text_that_is_not_understood_gives_the_default() -> None:
    assert environment({"SGLANG_STEPS": "many"}).get("env.SGLANG_STEPS") == 4
    assert environment({"SGLANG_ON_AMD": "many"}, {"gpu.is_hip": True}).get("env.SGLANG_ON_AMD") is True


def test_the_raw_text_and_whether_there_is_one_are_facts_too() -> None:
    given_one = environment({"SGLANG_STEPS": "many"})
    assert given_one.get("environ.SGLANG_STEPS") == "many"
    assert given_one.get("env_set.SGLANG_STEPS") is True
    assert given_one.get("environ.SGLANG_OTHER") is None
    assert given_one.get("env_set.SGLANG_OTHER") is False


def test_variables_of_the_system_are_unknown_unless_they_are_given() -> None:
    assert environment().get("environ.HOME") is UNKNOWN
    assert environment().get("env_set.PATH") is UNKNOWN
    assert environment({"HOME": "/root"}).get("environ.HOME") == "/root"


def test_a_default_may_be_a_fact_of_the_machine() -> None:
    assert environment(facts={"gpu.is_hip": True}).get("env.SGLANG_ON_AMD") is True
    assert environment().get("env.SGLANG_ON_AMD") is UNKNOWN
    assert environment({"SGLANG_ON_AMD": "0"}, {"gpu.is_hip": True}).get("env.SGLANG_ON_AMD") is False


def test_an_older_name_counts_where_the_newer_one_is_not_set() -> None:
    assert environment({"SGLANG_OLD": "7"}).get("env.SGLANG_NEW") == 7
    assert environment({"SGLANG_OLD": "7", "SGLANG_NEW": "8"}).get("env.SGLANG_NEW") == 8
    assert environment({"SGLANG_OLD": "7", "SGLANG_NEW": "x"}).get("env.SGLANG_NEW") == 1
    assert environment().get("env.SGLANG_NEW") == 1


def test_the_older_prefix_sets_the_newer_names() -> None:
    assert environment_of({"SGL_STEPS": "9", "OTHER": "x"}) == {
        "SGL_STEPS": "9",
        "SGLANG_STEPS": "9",
        "OTHER": "x",
    }
    assert environment({"SGL_STEPS": "9"}).get("env.SGLANG_STEPS") == 9


def test_a_variable_that_nobody_knows_is_unknown_in_every_way() -> None:
    doubtful = environment(unknown=["SGL_STEPS", "SGLANG_OLD"])
    for kind in ("env", "environ", "env_set"):
        assert doubtful.get(f"{kind}.SGLANG_STEPS") is UNKNOWN
    assert doubtful.get("env.SGLANG_NEW") is UNKNOWN
    assert doubtful.get("env.SGLANG_FAST") is True


@given(st.text(), st.sampled_from(["bool", "int", "float", "str", "tuple[str]", "json"]))
def test_any_text_is_a_value_or_an_error(text: str, type_name: str) -> None:
    try:
        parse_variable(type_name, text)
    except ValueError:
        assert type_name in {"bool", "int", "float"}


@given(st.dictionaries(st.from_regex(r"SGL(ANG)?_[A-Z]{1,3}", fullmatch=True), st.text(max_size=3)))
def test_renaming_twice_is_renaming_once(variables: dict[str, str]) -> None:
    once = environment_of(variables)
    assert environment_of(once) == once
