import pytest

from solver.cli.commands import COMMANDS
from solver.cli.misuse import Misuse
from solver.cli.options import OPTIONS, Options, Raw, read_options


def test_every_option_of_every_command_is_in_the_table() -> None:
    for command in COMMANDS.values():
        assert set(command.options) <= set(OPTIONS)


def test_every_option_belongs_to_a_command() -> None:
    assert {name for command in COMMANDS.values() for name in command.options} == set(OPTIONS)


def test_options_not_given_keep_their_defaults() -> None:
    assert read_options(OPTIONS, {}, {}) == Options()


def test_texts_become_values() -> None:
    raw: Raw = {"timeout": "0.5", "alternatives": "3", "env": ("A=1", "B=x=y", "C="), "verbose": True}
    options = read_options(OPTIONS, raw, {})
    assert options.timeout == 0.5
    assert options.alternatives == 3
    assert options.env == (("A", "1"), ("B", "x=y"), ("C", ""))
    assert options.verbose


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("timeout", "soon"),
        ("timeout", "0"),
        ("timeout", "nan"),
        ("timeout", "inf"),
        ("timeout", "-1"),
        ("alternatives", "0"),
        ("alternatives", "1.5"),
        ("alternatives", "²"),
        ("max_changes", "9" * 5000),
        ("output_format", "yaml"),
        ("color", "red"),
    ],
)
def test_a_text_that_an_option_does_not_take_is_refused_with_its_name(name: str, text: str) -> None:
    with pytest.raises(Misuse, match=OPTIONS[name].spellings[0]):
        read_options([name], {name: text}, {})


@pytest.mark.parametrize("text", ["A", "=1", " =1", ""])
def test_an_environment_variable_needs_a_name_and_a_value(text: str) -> None:
    with pytest.raises(Misuse, match="NAME=VALUE"):
        read_options(["env"], {"env": (text,)}, {})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8", 8),
        ("true", True),
        ("null", None),
        ("H100", "H100"),
        ("[9, 0]", [9, 0]),
        ("", ""),
        ("[" * 9999, "[" * 9999),
    ],
)
def test_a_fact_is_json_or_else_text(text: str, value: object) -> None:
    assert read_options(["fact"], {"fact": (f"gpu.x={text}",)}, {}).fact == (("gpu.x", value),)


def test_a_variable_stands_in_for_an_option_not_given() -> None:
    environ = {"FLAGFIT_GPU": "h100", "FLAGFIT_IGNORE": "SGL0001,SGL0002 SGL0003", "FLAGFIT_TIMEOUT": ""}
    options = read_options(OPTIONS, {}, environ)
    assert options.gpu == "h100"
    assert options.ignore == ("SGL0001", "SGL0002", "SGL0003")
    assert options.timeout == Options().timeout
    assert read_options(OPTIONS, {"gpu": "b200"}, environ).gpu == "b200"


def test_a_wrong_variable_is_named_in_the_error() -> None:
    with pytest.raises(Misuse, match="FLAGFIT_TIMEOUT: 'soon'"):
        read_options(["timeout"], {}, {"FLAGFIT_TIMEOUT": "soon"})


def test_a_command_heeds_no_variable_of_an_option_that_it_does_not_have() -> None:
    assert read_options(["release"], {}, {"FLAGFIT_TIMEOUT": "soon"}) == Options()
