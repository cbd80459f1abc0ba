import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from solver.launch import Arguments, Launch, parse_arguments, read_launch
from solver.launch.words import words_of
from tests.launch.engine import FLAGS

Merge: TypeAlias = Callable[..., Arguments]


@pytest.fixture
def merged(tmp_path: Path) -> Merge:
    """What the parser makes of a configuration file with some words around it."""

    def merge(content: str, *words: str, name: str = "c.yaml") -> Arguments:
        (tmp_path / name).write_text(content)
        return parse_arguments(FLAGS, Launch(words_of(["--config", str(tmp_path / name), *words])))

    return merge


def values(arguments: Arguments) -> dict[str, Any]:
    assert not arguments.problems
    return {name: flag.value for name, flag in arguments.given.items()}


def test_a_file_gives_flags_of_every_kind(merged: Merge) -> None:
    content = """
        model-path: org/model
        tp-size: 8
        mem-fraction: 0.8
        context-length: 25.6k
        trust-remote-code: true
        fast: false
        buckets: [1, 2]
        extra: {a: [1]}
        host: "yes"
    """
    assert values(merged(content)) == {
        "model_path": "org/model",
        "tp_size": 8,
        "mem_fraction": 0.8,
        "context_length": 25600,
        "trust_remote_code": True,
        "buckets": [1, 2],
        "extra": {"a": [1]},
        "host": "yes",
    }


def test_the_command_line_wins_over_the_file(merged: Merge) -> None:
    arguments = merged("tp-size: 8\nhost: a", "--tp", "4")
    assert values(arguments) == {"tp_size": 4, "host": "a"}


def test_a_flag_from_a_file_has_its_place_there(merged: Merge) -> None:
    arguments = merged("host: a\ntp-size: 8")
    flag = arguments.given["tp_size"]
    places = [str(arguments.words[index].place) for index in flag.words]
    assert [place.rpartition("/")[2] for place in places] == ["c.yaml:2:1", "c.yaml:2:10"]


def test_scalars_are_those_of_yaml_1_1(merged: Merge) -> None:
    arguments = merged("tp-size: 0x10\npp-size: 010\nmem-fraction: 1e-1\nfast: on\nhost: 1:30")
    assert values(arguments) == {"tp_size": 16, "pp_size": 8, "mem_fraction": 0.1, "fast": True, "host": "90"}


def test_an_underscore_in_a_key_is_no_flag(merged: Merge) -> None:
    (problem,) = merged("tp_size: 8").problems
    assert (problem.code, problem.suggestion) == ("ARG001", "--tp-size")


def test_an_empty_list_or_file_gives_nothing(merged: Merge) -> None:
    assert values(merged("buckets: []")) == {}
    assert values(merged("")) == {}


@pytest.mark.parametrize(
    "content", ["enable-lora: true", "lora-paths: [a]", "no-graph: true", "- a", "a: [", "1: 2", "text"]
)
def test_a_file_that_the_engine_cannot_merge_is_a_problem(merged: Merge, content: str) -> None:
    arguments = merged(content)
    assert [problem.code for problem in arguments.problems] == ["ARG011"]
    assert arguments.outcome == "crash"


def test_a_file_of_another_kind_is_a_problem(merged: Merge) -> None:
    assert merged("", name="c.json").problems[0].code == "ARG011"


@pytest.mark.parametrize("words", [["--config"], ["--config", "a.yaml", "--config", "b.yaml"]])
def test_one_file_must_be_named(words: list[str]) -> None:
    assert parse_arguments(FLAGS, Launch(words_of(words))).problems[0].code == "ARG011"


@pytest.mark.parametrize("file", ["nowhere.yaml", "$CONFIG"])
def test_a_file_that_is_not_here_may_hold_any_flag(file: str) -> None:
    arguments = parse_arguments(FLAGS, read_launch(f"sglang serve --config {file} --tp 2"))
    assert not arguments.problems
    assert arguments.open_ended
    assert "ARG105" in [notice.code for notice in arguments.notices]
    assert arguments.given["tp_size"].value == 2


def test_a_file_is_also_looked_for_beside_the_command(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("tp-size: 8")
    launch = read_launch("sglang serve m --config c.yaml", file=str(tmp_path / "run.sh"))
    assert parse_arguments(FLAGS, launch).given["tp_size"].value == 8


def test_a_file_behind_an_equals_sign_is_not_read_by_the_engine(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("tp-size: 8")
    arguments = parse_arguments(FLAGS, Launch(words_of([f"--config={tmp_path / 'c.yaml'}"])))
    assert "tp_size" not in arguments.given
    assert "ARG106" in [notice.code for notice in arguments.notices]


def test_aliases_do_not_make_a_file_endless(merged: Merge) -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 40)]
    assert merged("\n".join(lines)).problems[0].code == "ARG011"


@pytest.mark.parametrize(
    "content",
    ["tp-size: &a [*a]", "extra: &a {b: *a}", "&a [*a]", f"tp-size: {'9' * 6000}", f"port: 0x{'9' * 6000}"],
)
def test_what_has_no_end_is_one_wrong_argument(content: str, merged: Merge) -> None:
    [problem] = [each for each in merged(content, "--model-path", "m").problems if each.code == "ARG011"]
    assert "c.yaml: " in problem.message
    assert len(problem.message) < 300


def test_a_named_pipe_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "c.yaml"
    os.mkfifo(pipe)
    arguments = parse_arguments(FLAGS, Launch(words_of(["--config", str(pipe)])))
    assert ["is not a regular file" in each.message for each in arguments.notices] == [True]


def test_a_key_that_is_a_list_is_no_key(merged: Merge) -> None:
    assert merged("extra: {[a]: 1}").problems[0].code == "ARG011"


def test_a_long_name_is_shortened() -> None:
    for name in ("x" * 5000 + ".yaml", "x" * 5000):
        arguments = parse_arguments(FLAGS, Launch(words_of(["--config", name])))
        messages = [each.message for each in arguments.notices]
        messages += [each.message for each in arguments.problems]
        assert any("xxx" in message for message in messages)
        assert max(map(len, messages)) < 300
