"""Where launch commands come from: the words after `--`, files, one quoted word, standard input.

Reads bytes and says what can't be read; what a command means is `solver.launch`'s.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from constraints.errors import UnreadableInput
from constraints.user_files import read_start
from solver.cli.commands import Invocation
from solver.cli.misuse import Misuse

MAX_BYTES = 1_000_000
"""No launch command is a hundredth as long."""

STANDARD_INPUT = "standard input"
COMMAND_LINE = "command line"


def sources(invocation: Invocation) -> Iterator[tuple[str, str | tuple[str, ...] | UnreadableInput]]:
    """Each source by its name: its text, its words, or why it can't be read.

    Args:
        invocation: its words after `--` are one source; each operand is a file, `-`, or a whole command
            quoted as one word; without any of these, standard input is read.

    Raises:
        Misuse: there is no source, or the words after `--` are none.
    """
    if invocation.words is not None:
        if invocation.operands:
            raise Misuse(
                f"{invocation.operands[0]!r} stands before `--`: give files or a command after `--`, not both"
            )
        if not invocation.words:
            raise Misuse("no words after `--`: put the launch command there")
        yield COMMAND_LINE, invocation.words
        return
    operands = invocation.operands or _standard_input_if_piped(invocation)
    for operand in operands:
        if not operand.strip():
            raise Misuse(f"{operand!r} is no file and no launch command")
        name = STANDARD_INPUT if operand == "-" else operand
        try:
            if operand == "-":
                yield name, _decoded(sys.stdin.buffer.read(MAX_BYTES + 1), name)
            elif any(each.isspace() for each in operand) and not os.path.lexists(operand):
                yield COMMAND_LINE, operand
            else:
                yield name, _decoded(_bytes(operand), name)
        except UnreadableInput as error:
            yield name, error


def _standard_input_if_piped(invocation: Invocation) -> tuple[str, ...]:
    if sys.stdin is None or sys.stdin.isatty():
        raise Misuse(
            f"no launch command: `flagfit {invocation.command} -- python -m sglang.launch_server …` or "
            f"`flagfit {invocation.command} FILE`"
        )
    return ("-",)


def _bytes(path: str) -> bytes:
    try:
        return read_start(path, MAX_BYTES)
    except FileNotFoundError:
        raise UnreadableInput(path, "there is no such file; a launch command stands after `--`") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableInput(path, reason[:1].lower() + reason[1:]) from None


def _decoded(source: bytes, name: str) -> str:
    if len(source) > MAX_BYTES:
        raise UnreadableInput(name, f"it is longer than {MAX_BYTES} bytes, which no launch command is")
    if b"\0" in source:
        raise UnreadableInput(name, "it is binary, not text", source.count(b"\n", 0, source.index(b"\0")) + 1)
    try:
        return source.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        raise UnreadableInput(name, "it is not UTF-8 text", line) from None
