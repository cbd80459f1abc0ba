"""The quick reader and the grammar read the same."""

from hypothesis import example, given
from hypothesis import strategies as st

from solver.cli.commands import COMMANDS, Invocation
from solver.cli.grammar import read_with_typer
from solver.cli.misuse import Misuse
from solver.cli.options import OPTIONS
from solver.cli.plain import read_plain

_SPELLINGS = sorted({spelling for row in OPTIONS.values() for spelling in row.spellings})
_WORDS = st.one_of(
    st.sampled_from(_SPELLINGS),
    st.sampled_from(
        ["-", "--", "", "a", "b=c", "--gpu=h100", "--gpu=", "-v=1", "--verbose=1", "--gp", "--no-v", "-vv"]
    ),
    st.text("ab-= \n", max_size=6),
)
_NAMES = st.sampled_from([*COMMANDS, "catalog", "chekc", "--verbose"])


@given(_NAMES, st.lists(_WORDS, max_size=8))
@example("check", ["--gpu", "h100", "launch.sh", "--", "python", "--gpu"])
@example("what-if", ["--set", "a=1", "--set=b=2", "-"])
@example("check", ["--gpu", "a", "--gpu", "b"])
@example("check", ["--release", "--", "a"])
def test_what_is_read_without_typer_is_what_typer_reads(command: str, words: list[str]) -> None:
    arguments = [command, *words]
    read = read_plain(arguments)
    if read is not None:
        assert read == read_with_typer(arguments)


@given(_NAMES, st.lists(_WORDS, max_size=8))
def test_any_words_are_read_or_refused_in_one_line(command: str, words: list[str]) -> None:
    try:
        read = read_with_typer([*command.split(), *words])
    except Misuse as error:
        lines = str(error).splitlines()
    else:
        lines = [repr(read)]
        assert isinstance(read, Invocation) or read == 0
    assert len(lines) == 1


def test_the_usual_check_is_read_without_typer() -> None:
    arguments = [
        "check",
        "--gpu",
        "h100",
        "--model-config=m.json",
        "--",
        "python",
        "-m",
        "sglang.launch_server",
    ]
    assert read_plain(arguments) == Invocation(
        "check",
        (),
        ("python", "-m", "sglang.launch_server"),
        {"gpu": "h100", "model_config": "m.json"},
    )


def test_what_follows_the_first_dashes_is_never_an_option_of_flagfit() -> None:
    read = read_with_typer(["check", "-v", "--", "serve", "--", "--gpu", "--help"])
    assert read == Invocation("check", (), ("serve", "--", "--gpu", "--help"), {"verbose": True})


def test_flags_can_be_asked_about_by_their_spelling() -> None:
    for arguments in (["explain", "--dcp-size", "-v"], ["explain", "-v", "--", "--dcp-size"]):
        assert read_with_typer(arguments) == Invocation("explain", ("--dcp-size",), None, {"verbose": True})


def test_commands_in_groups_are_read() -> None:
    assert read_with_typer(["catalog", "list", "--output-format", "json"]) == Invocation(
        "catalog list", (), None, {"output_format": "json"}
    )
