import re
import shlex
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraints.errors import LaunchNotFound, UnreadableInput
from solver.launch import read_launch, read_launches
from solver.launch.shell import read_shell

SERVER = "python -m sglang.launch_server"


def texts(source: str) -> list[str]:
    return [word.text for word in read_launch(source).words]


# The grammar of bash that is used takes a bare `==` for an operator, and drops `\\ ` at the start of a word.
_PLAIN = st.text("ab1-=./{}\"' :,$\\<>#~*&;|\t\n", max_size=6).filter(
    lambda text: text not in ("==", "=~") and not re.search("<[ab]|{{", text)
)


@given(st.lists(_PLAIN, max_size=6))
def test_words_quoted_by_shlex_are_read_as_they_were(words: list[str]) -> None:
    (command,) = read_shell(shlex.join(["cmd", *words]))
    assert [word.text for word in command.words] == ["cmd", *words]


def _is_simple(text: str) -> bool:
    """Whether shlex, which knows no continuation, can be asked about a text once these are taken out."""
    return (
        "==" not in text and not re.search(r"\s\\[ \t]|\\\\\n", text) and not ("'" in text and "\\\n" in text)
    )


_TEXT = st.text("ab '\"\\\n\t=", max_size=24).map(lambda text: f"cmd {text}").filter(_is_simple)


@given(_TEXT)
def test_simple_text_is_cut_into_the_words_that_shlex_cuts_it_into(text: str) -> None:
    try:
        expected = shlex.split(text.replace("\\\n", ""))
    except ValueError:
        return
    if "\n" in text.replace("\\\n", "").strip() or text.rstrip(" \t\n").endswith("\\"):
        return
    try:
        commands = read_shell(text)
    except UnreadableInput:
        return
    if commands[0].broken_at is None and not any(each.code == "ARG202" for each in commands[0].remarks):
        assert [word.text for word in commands[0].words] == expected


@given(st.text("ab '\"\\\n$(){}<>|&;#`[]*é", max_size=30))
def test_no_text_ends_in_anything_but_a_reading_or_a_reasoned_refusal(text: str) -> None:
    with suppress(UnreadableInput, LaunchNotFound):
        read_launches(f"{SERVER} {text}")


@given(st.text(max_size=40))
def test_any_text_at_all_is_read_or_refused(text: str) -> None:
    with suppress(UnreadableInput, LaunchNotFound):
        read_launches(text)


@given(st.lists(st.sampled_from(["--tp", "'a b'", '"c $D"', "$X", "\\\n", "--x=1", "é", "<m>"]), max_size=8))
def test_the_place_of_a_word_is_where_it_is_written(parts: list[str]) -> None:
    source = " ".join([SERVER, *parts])
    for word in read_launch(source).words:
        place = word.place
        assert place is not None
        assert source[place.start : place.end].strip("'\"") == word.text
        line = source[: place.start].count("\n") + 1
        assert (place.line, place.column) == (line, place.start - source.rfind("\n", 0, place.start))


@pytest.mark.parametrize(
    ("command", "form"),
    [
        ("python3 -m sglang.launch_server --tp 2", "module"),
        ("/opt/venv/bin/python3.11 -u -m sglang.launch_server --tp 2", "module"),
        ("python -X dev -m sglang.launch_server --tp 2", "module"),
        ("$PYTHON -m sglang.launch_server --tp 2", "module"),
        ("python3 /sgl/sglang/launch_server.py --tp 2", "module"),
        ("sglang serve --tp 2", "serve"),
        ("uv run sglang serve --tp 2", "serve"),
        ("nohup numactl -N 0 python -m sglang.launch_server --tp 2 > log 2>&1 &", "module"),
        ("srun --gres=gpu:8 python -m sglang.launch_server --tp 2 | tee log", "module"),
        ("cd /srv && exec python -m sglang.launch_server --tp 2", "module"),
        ("docker run --gpus all -it image:v1 python3 -m sglang.launch_server --tp 2", "module"),
        ("bash -lc 'source venv; sglang serve --tp 2'", "serve"),
        ("ssh host \"sh -c 'sglang serve --tp 2'\"", "serve"),
        ("if true; then\n  sglang serve --tp 2\nfi", "serve"),
        ('["python3", "-m", "sglang.launch_server", "--tp", "2"]', "module"),
        ('["sh", "-c", "exec sglang serve --tp 2"]', "serve"),
        ("$ sglang serve --tp 2", "serve"),
        ("root@box:/work# sglang serve --tp 2", "serve"),
        ("--tp 2", "flags"),
    ],
)
def test_a_launcher_is_found_behind_whatever_wraps_it(command: str, form: str) -> None:
    launch = read_launch(command)
    assert (launch.form, [word.text for word in launch.words]) == (form, ["--tp", "2"])


def test_words_are_read_like_a_text() -> None:
    launch = read_launch(["A=1", "env", "B=2", "python", "-m", "sglang.launch_server", "--host", "a b"])
    assert [word.text for word in launch.words] == ["--host", "a b"]
    assert launch.environment == {"A": "1", "B": "2"}


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("ls -l", "starts no SGLang server"),
        ("python -m dynamo.sglang --model m", "dynamo.sglang"),
        ("sglang serve m --model-type diffusion", "diffusion"),
        ("# sglang serve m", "starts no SGLang server"),
        (["ls"], "starts no SGLang server"),
    ],
)
def test_a_command_that_starts_no_server_is_refused_with_what_it_does(source: Any, reason: str) -> None:
    with pytest.raises(LaunchNotFound, match=reason):
        read_launch(source)


@pytest.mark.parametrize(
    "source",
    ["", " \n", f"{SERVER} --host 'x", f'{SERVER} --extra "{{', f"{SERVER}\0", [], ["a\0"], "a" * 1_000_001],
)
def test_what_cannot_be_read_is_refused(source: Any) -> None:
    with pytest.raises(UnreadableInput):
        read_launch(source)


def test_an_open_quote_is_refused_where_it_begins() -> None:
    with pytest.raises(UnreadableInput) as refused:
        read_launch(f"{SERVER} \\\n  --host 'x")
    assert (refused.value.line, refused.value.column) == (2, 10)


def test_deep_nesting_is_refused_and_does_not_exhaust_the_stack() -> None:
    with pytest.raises(UnreadableInput, match="nested"):
        read_launch("(" * 5000 + f"{SERVER} $X" + ")" * 5000)


def test_a_comment_between_continued_lines_is_remarked_and_read_over() -> None:
    launch = read_launch(f"{SERVER} --tp 2 \\\n  # --fast \\\n  --host a\n")
    assert [word.text for word in launch.words] == ["--tp", "2", "--host", "a"]
    assert [(remark.code, remark.place.line) for remark in launch.remarks] == [("ARG201", 3)]


def test_a_blank_behind_a_backslash_is_remarked_and_read_over() -> None:
    launch = read_launch(f"{SERVER} --tp 2 \\ \n  --host a \\  # the host\n  --fast")
    assert [word.text for word in launch.words] == ["--tp", "2", "--host", "a", "--fast"]
    assert [(remark.code, remark.place.line) for remark in launch.remarks] == [("ARG202", 1), ("ARG202", 2)]


def test_a_backslash_at_the_very_end_is_no_matter() -> None:
    assert texts(f"{SERVER} --tp 2 \\\n") == ["--tp", "2"]


def test_windows_line_ends_continue_lines_too() -> None:
    assert texts(f"{SERVER} \\\r\n  --tp 2 \\\r\n  --fast\r\n") == ["--tp", "2", "--fast"]


def test_powershell_continues_lines_with_a_backtick() -> None:
    assert texts("sglang serve `\n  --tp 2 `\n  --fast\n") == ["--tp", "2", "--fast"]


def test_variables_with_literal_values_are_filled_in() -> None:
    source = f'MODEL="org/a b"\nTP=4\n{SERVER} --model "$MODEL" --tp ${{TP}} --host ${{HOST:-0.0.0.0}}'
    assert texts(source) == ["--model", "org/a b", "--tp", "4", "--host", "0.0.0.0"]


def test_an_unquoted_variable_may_be_several_words_and_a_quoted_one_is_not() -> None:
    source = f'ARGS="--tp 2  --fast"\n{SERVER} $ARGS --host "$ARGS"'
    assert texts(source) == ["--tp", "2", "--fast", "--host", "--tp 2  --fast"]


def test_arrays_are_filled_in_word_by_word() -> None:
    source = f"ARGS=(--tp 2 --host 'a b')\nARGS+=(--fast)\n{SERVER} \"${{ARGS[@]}}\""
    assert texts(source) == ["--tp", "2", "--host", "a b", "--fast"]


@pytest.mark.parametrize(
    "expansion", ["$X", "${X}", "$(cat x)", "`cat x`", "$((1 + 2))", "$1", "${X%y}", "{{ .x }}", "<x>"]
)
def test_other_expansions_are_not_known(expansion: str) -> None:
    (_, word) = read_launch(f"{SERVER} --tp {expansion}").words
    assert (word.text, word.known) == (expansion, False)


def test_what_stands_before_an_unknown_part_is_kept() -> None:
    (word,) = read_launch(f"{SERVER} --host=a$X").words
    assert (word.text, word.known, word.unknown_from) == ("--host=a$X", False, 8)


@pytest.mark.parametrize(
    "script",
    [
        "if x; then TP=2; fi\n{} --tp $TP",
        "TP=1\nfor TP in 1 2; do :; done\n{} --tp $TP",
        "TP=1\nread TP\n{} --tp $TP",
        'TP=1\n[ -n "$B" ] && TP=2\n{} --tp $TP',
        "TP=$(nproc)\n{} --tp $TP",
        "TP=1\nunset TP\n{} --tp $TP",
        "(TP=1)\n{} --tp $TP",
    ],
)
def test_a_variable_that_may_have_another_value_is_not_known(script: str) -> None:
    launch = read_launches(script.format(SERVER))[-1]
    assert not launch.words[1].known


def test_a_variable_set_in_a_function_is_known_there() -> None:
    assert texts(f"run() {{\n  local TP=2\n  {SERVER} --tp $TP\n}}") == ["--tp", "2"]


def test_the_environment_is_what_is_exported_and_set_in_front() -> None:
    launch = read_launch(f"A=0\nexport B=1 C=$D\nE=2 env -u B F=3 {SERVER} --tp 2")
    assert launch.environment == {"E": "2", "F": "3"}
    assert launch.unknown_environment == {"C"}


def test_env_sets_variables() -> None:
    assert read_launch(f"export B=1\nenv A=1 {SERVER} --tp 2").environment == {"A": "1", "B": "1"}


def test_a_container_gets_the_variables_that_it_is_given() -> None:
    launch = read_launch(f"export A=1 B=2\ndocker run -e A --env C=3 --env=D=4 image {SERVER} --tp 2")
    assert launch.environment == {"A": "1", "C": "3", "D": "4"}


def test_redirections_are_no_words_and_may_stand_between_them() -> None:
    assert texts(f"{SERVER} --tp 2 > log --fast 2>&1") == ["--tp", "2", "--fast"]


def test_every_launch_of_a_script_is_found() -> None:
    source = f"{SERVER} --tp 1 &\n{SERVER} --tp 2 &\nwait"
    assert [launch.words[1].text for launch in read_launches(source)] == ["1", "2"]


def test_a_command_in_an_array_that_is_run_later_is_one_launch() -> None:
    assert len(read_launches(f'COMMAND=({SERVER} --tp 2)\n"${{COMMAND[@]}}"')) == 1


def test_a_command_in_a_variable_is_a_launch() -> None:
    launch = read_launch(f'COMMAND="{SERVER} --tp 2 --host $X"\neval $COMMAND')
    assert [word.text for word in launch.words] == ["--tp", "2", "--host", "$X"]


def test_the_place_of_a_word_within_quotes_is_its_place_in_the_whole_text() -> None:
    source = f'sh -c "{SERVER} --host \\"a b\\" --tp 2"'
    places = [word.place for word in read_launch(source).words if word.place is not None]
    written = [source[place.start : place.end] for place in places]
    assert written == ["--host", '\\"a b\\"', "--tp", "2"]


def test_unquoted_braces_are_remarked_as_the_shell_expands_them() -> None:
    launch = read_launch(f'{SERVER} --extra {{"a":1,"b":2}}')
    assert not launch.words[1].known
    assert [remark.code for remark in launch.remarks] == ["ARG203"]


def test_something_left_out_may_be_any_words() -> None:
    (word,) = read_launch(f"{SERVER} ...").words
    assert word.splits
    assert not word.known
