import io
import os
import sys
from pathlib import Path

import pytest

from constraints.errors import UnreadableInput
from solver.cli.commands import Invocation
from solver.cli.inputs import MAX_BYTES, sources
from solver.cli.misuse import Misuse

COMMAND = "python -m sglang.launch_server --model-path m"


def invocation(*operands: str, words: tuple[str, ...] | None = None) -> Invocation:
    return Invocation("check", operands, words, {})


def pipe(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_words_after_the_dashes_are_the_launch() -> None:
    words = tuple(COMMAND.split())
    assert list(sources(invocation(words=words))) == [("command line", words)]


def test_no_words_after_the_dashes_are_misuse() -> None:
    with pytest.raises(Misuse, match="no words"):
        list(sources(invocation(words=())))


def test_a_word_before_the_dashes_is_misuse() -> None:
    with pytest.raises(Misuse, match="not both"):
        list(sources(invocation("launch.sh", words=("python",))))


def test_files_are_read_in_order_and_each_unreadable_one_is_told(tmp_path: Path) -> None:
    good = tmp_path / "good.sh"
    good.write_text(COMMAND)
    missing = tmp_path / "missing.sh"
    read = list(sources(invocation(str(good), str(missing), str(tmp_path))))
    assert read[0] == (str(good), COMMAND)
    assert [type(source) for _, source in read[1:]] == [UnreadableInput, UnreadableInput]
    assert "no such file" in str(read[1][1])


def test_a_command_in_quotes_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert list(sources(invocation(COMMAND))) == [("command line", COMMAND)]
    Path("my launch.sh").write_text(COMMAND)
    assert list(sources(invocation("my launch.sh"))) == [("my launch.sh", COMMAND)]


@pytest.mark.parametrize("operands", [(), ("-",)])
def test_standard_input_is_read(operands: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    pipe(monkeypatch, COMMAND.encode())
    assert list(sources(invocation(*operands))) == [("standard input", COMMAND)]


def test_nobody_is_kept_waiting_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe(monkeypatch, b"")
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    with pytest.raises(Misuse, match="no launch command"):
        list(sources(invocation()))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"python\n-m \0 sglang", ":2: it is binary"),
        (b"python\n\n--model-path \xff\xfe", ":3: it is not UTF-8"),
        (b"x" * (MAX_BYTES + 1), "longer than"),
    ],
)
def test_what_is_no_text_is_unreadable(content: bytes, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "launch.sh"
    path.write_bytes(content)
    [(name, source)] = sources(invocation(str(path)))
    assert name == str(path)
    assert reason in str(source)


def test_a_byte_order_mark_is_no_part_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "launch.sh"
    path.write_bytes(b"\xef\xbb\xbf" + COMMAND.encode())
    assert list(sources(invocation(str(path)))) == [(str(path), COMMAND)]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe_is_refused_since_nobody_may_ever_write_to_it(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    [(_, source)] = sources(invocation(str(path)))
    assert str(source) == f"{path}: is not a regular file"


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="needs named descriptors")
def test_a_pipe_that_a_shell_substitutes_is_read() -> None:
    reading, writing = os.pipe()
    os.write(writing, COMMAND.encode())
    os.close(writing)
    path = f"/dev/fd/{reading}"
    assert list(sources(invocation(path))) == [(path, COMMAND)]
    os.close(reading)
