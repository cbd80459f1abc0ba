import json
import shlex
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from solver.launch import Rewritten, Verbatim, WordEdit, parse_arguments, read_launch, read_launches, rewrite
from tests.launch.engine import FLAGS

SERVER = "python -m sglang.launch_server"


def rewritten(
    source: Any,
    *,
    set_to: Mapping[str, Any] | None = None,
    unset: Collection[str] = (),
    edits: Sequence[WordEdit] = (),
) -> Rewritten:
    launch = read_launch(source)
    return rewrite(launch, parse_arguments(FLAGS, launch), FLAGS, set_to=set_to, unset=unset, edits=edits)


def text(source: Any, **changes: Any) -> str:
    return rewritten(source, **changes).text


SCRIPT = """\
#!/bin/bash
export A=1   # kept

exec python3  -m sglang.launch_server \\
    --model-path "my model" \\
    --tp 8   --trust-remote-code \\
    --extra '{"a": 1}' \\
    --buckets 1 2 4 > "$LOG" 2>&1 &
wait
"""


def test_setting_a_value_changes_that_word_alone() -> None:
    assert text(SCRIPT, set_to={"tp_size": 4}) == SCRIPT.replace("--tp 8", "--tp 4")


def test_a_value_keeps_its_equals_sign() -> None:
    assert text(f"{SERVER} --tp=8 --fast", set_to={"tp_size": 4}) == f"{SERVER} --tp=4 --fast"


def test_removing_a_flag_takes_its_values_and_the_blanks_before_it() -> None:
    assert text(SCRIPT, unset=["tp_size"]) == SCRIPT.replace("    --tp 8   --trust", "    --trust").replace(
        '"my model" \\\n    --trust', '"my model"   --trust'
    )


def test_removing_the_only_flag_of_a_line_removes_the_line() -> None:
    assert text(SCRIPT, unset=["extra"]) == SCRIPT.replace("    --extra '{\"a\": 1}' \\\n", "")


def test_removing_a_flag_removes_all_its_occurrences() -> None:
    assert (
        text(f"{SERVER} --tp 1 --fast --tp-size=2 --host a", unset=["tp_size"]) == f"{SERVER} --fast --host a"
    )


def test_adding_a_flag_follows_the_way_the_last_one_is_written() -> None:
    added = text(SCRIPT, set_to={"backend": "fa3"})
    assert added == SCRIPT.replace("--buckets 1 2 4 >", "--buckets 1 2 4 \\\n    --backend fa3 >")


def test_adding_a_flag_to_a_line_adds_it_to_the_line() -> None:
    assert text(f"{SERVER} --tp 2 | tee log", set_to={"fast": True}) == f"{SERVER} --tp 2 --fast | tee log"


def test_a_list_is_changed_element_by_element() -> None:
    source = f"{SERVER} --buckets 1 2 4 --fast"
    assert text(source, set_to={"buckets": [1, 3]}) == f"{SERVER} --buckets 1 3 --fast"
    assert text(source, set_to={"buckets": [1, 2, 4, 8]}) == f"{SERVER} --buckets 1 2 4 8 --fast"


def test_a_flag_with_a_no_form_is_switched() -> None:
    assert (
        text(f"{SERVER} --enable-lora --tp 2", set_to={"enable_lora": False})
        == f"{SERVER} --no-enable-lora --tp 2"
    )


def test_a_negative_value_that_reads_as_a_flag_is_joined() -> None:
    assert text(f"{SERVER} --host a", set_to={"host": "-x"}) == f"{SERVER} --host=-x"
    assert text(f"{SERVER} --tp 1", set_to={"tp_size": -1}) == f"{SERVER} --tp -1"


def test_json_is_quoted_readably() -> None:
    assert (
        text(f"{SERVER} --fast", set_to={"extra": {"a": [1]}})
        == f"""{SERVER} --fast --extra '{{"a": [1]}}'"""
    )


def test_the_model_of_serve_is_changed_in_its_place() -> None:
    assert text("sglang serve org/a --tp 2", set_to={"model_path": "org/b"}) == "sglang serve org/b --tp 2"


def test_a_placeholder_is_written_as_it_stands() -> None:
    assert rewritten(f"{SERVER} --fast", set_to={"host": Verbatim("<HOST>")}).words[-2:] == (
        "--host",
        "<HOST>",
    )


def test_a_misspelt_flag_is_replaced_where_it_stands() -> None:
    edit = WordEdit((0,), ("--tensor-parallel-size",))
    assert text(f"{SERVER} --tensor-parallel-sise 2", edits=[edit]) == f"{SERVER} --tensor-parallel-size 2"


def test_the_first_of_flags_alone_leaves_no_blank_behind() -> None:
    assert text("--tp 2 --fast", unset=["tp_size"]) == "--fast"
    assert text('["--tp", "2", "--fast"]', unset=["tp_size"]) == '["--fast"]'


def test_a_comma_of_a_value_is_no_separator() -> None:
    assert text(f"{SERVER} --host a, --tp 2 --fast", unset=["tp_size"]) == f"{SERVER} --host a, --fast"


def test_a_json_list_stays_one() -> None:
    source = '["python3", "-m", "sglang.launch_server",\n "--tp", "2",\n "--host", "a b"]'
    changed = rewritten(source, set_to={"fast": True, "host": 'c"d'}, unset=["tp_size"])
    assert json.loads(changed.text) == list(changed.words)
    assert changed.text == '["python3", "-m", "sglang.launch_server",\n "--host", "c\\"d",\n "--fast"]'


@pytest.mark.parametrize(
    "source",
    [
        f"sh -c '{SERVER} --host a --tp 2'",
        f'sh -c "{SERVER} --host a --tp 2"',
        f"ssh box \"sh -c '{SERVER} --host a --tp 2'\"",
        f'["sh", "-c", "{SERVER} --host a --tp 2"]',
    ],
)
@pytest.mark.parametrize("value", ["b", "b'c", "b c", 'b"c', "b$c", "b\\c"])
def test_a_command_within_quotes_stays_within_them(source: Any, value: Any) -> None:
    changed = rewritten(source, set_to={"host": value})
    words = read_launch(changed.text).words
    assert [word.text for word in words] == ["--host", value, "--tp", "2"]


def test_a_variable_that_is_several_words_is_written_out_where_one_of_them_changes() -> None:
    source = f'ARGS="--tp 2 --fast"\n{SERVER} $ARGS --host a'
    assert text(source, set_to={"tp_size": 4}) == f'ARGS="--tp 2 --fast"\n{SERVER} --tp 4 --fast --host a'


def test_a_variable_is_replaced_by_the_value_where_it_is_used() -> None:
    source = f"TP=2\n{SERVER} --tp $TP"
    assert text(source, set_to={"tp_size": 4}) == f"TP=2\n{SERVER} --tp 4"


def test_an_element_of_an_array_is_changed_in_the_array() -> None:
    source = f'ARGS=(--tp 2\n  --fast)\n{SERVER} "${{ARGS[@]}}"'
    assert text(source, set_to={"tp_size": 4}) == source.replace("--tp 2", "--tp 4")


def test_words_in_no_text_come_out_as_a_command() -> None:
    changed = rewritten(["A=1", *SERVER.split(), "--host", "a b", "--tp", "$TP"], set_to={"fast": True})
    assert changed.text == f"A=1 {SERVER} --host 'a b' --tp '$TP' --fast"


def test_a_flag_in_a_configuration_file_is_overridden_but_cannot_be_taken_out(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("tp-size: 8\n")
    source = f"{SERVER} --model-path m --config {tmp_path}/c.yaml"
    assert text(source, set_to={"tp_size": 4}) == f"{source} --tensor-parallel-size 4"
    assert rewritten(source, unset=["tp_size"]).unapplied == ("tp_size",)


def test_a_value_that_no_words_give_is_an_error_of_the_caller() -> None:
    with pytest.raises(ValueError, match="tp_size"):
        rewritten(f"{SERVER} --tp 1", set_to={"tp_size": "x"})


_VALUES = {
    "tp_size": st.integers(-5, 64),
    "host": st.text("ab -'\"$\\=x", min_size=1, max_size=6),
    "fast": st.just(True),
    "enable_lora": st.booleans(),
    "extra": st.dictionaries(st.text("a'", max_size=2), st.integers(0, 3), max_size=2),
    "buckets": st.lists(st.integers(0, 9), min_size=1, max_size=3),
    "modules": st.lists(st.sampled_from(["q_proj", "k_proj"]), max_size=2),
    "backend": st.sampled_from(["fa3", "triton"]),
}
_CHANGES = st.fixed_dictionaries(
    {}, optional={name: st.one_of(st.none(), values) for name, values in _VALUES.items()}
)
_PARTS = st.permutations([
    *("--tp 2", "--tp=3", "--host 'a b'", '--host="c"', "--fast", "--no-enable-lora", "--extra '{}'"),
    *("--buckets 1 2 3", "--backend fa3", "--mem-fraction 0.5", "--model m"),
])  # fmt: skip
_GAPS = st.lists(st.sampled_from([" ", "  ", " \\\n  "]), min_size=11, max_size=11)


@examples(_PARTS, st.integers(0, 11), _GAPS, _CHANGES)
def test_a_changed_command_reads_back_as_what_was_asked_for(
    parts: list[str], count: int, gaps: list[str], changes: Any
) -> None:
    source = (
        f"echo\n{SERVER}"
        + "".join(gap + part for gap, part in zip(gaps, parts[:count], strict=False))
        + " # end\n"
    )
    launch = read_launch(source)
    before = parse_arguments(FLAGS, launch)
    set_to = {name: value for name, value in changes.items() if value is not None}
    unset = [name for name, value in changes.items() if value is None]
    changed = rewrite(launch, before, FLAGS, set_to=set_to, unset=unset)
    (again,) = read_launches(changed.text)
    after = parse_arguments(FLAGS, again)
    assert tuple(word.text for word in (*again.prefix, *again.words)) == changed.words
    kept = {name: flag.value for name, flag in before.given.items() if name not in changes}
    assert {name: flag.value for name, flag in after.given.items()} == kept | set_to
    assert changed.text.startswith(f"echo\n{SERVER}")
    assert changed.text.endswith(" # end\n")


@examples(st.lists(st.text(max_size=5).filter(lambda text: "\0" not in text), max_size=4))
def test_joined_words_are_split_again_by_shlex(words: list[str]) -> None:
    from solver.launch.quoting import joined

    assert shlex.split(joined(words)) == words
