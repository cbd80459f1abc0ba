"""Where reports go: standard output, or a file; in colour or not. Standard error is for all else."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from solver.cli.misuse import Misuse
from solver.report.ink import Ink, harmless, wants_colour

if TYPE_CHECKING:
    from solver.cli.options import Options

_LONGEST_WORD = 200
_LONGEST_ERROR = 480


def ink_for(options: Options) -> Ink:
    """Whether the report is in colour, where these options send it."""
    to_terminal = options.output_file is None and sys.stdout.isatty()
    return Ink(wants_colour(options.color, is_terminal=to_terminal, environ=os.environ))


def write_report(text: str, options: Options) -> None:
    """Writes a whole report.

    Raises:
        Misuse: the file can't be written.
    """
    if options.output_file is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        with open(  # noqa: PTH123  pathlib is not needed here, and costs a start-up
            options.output_file, "w", encoding="utf-8", errors="backslashreplace", newline="\n"
        ) as file:
            file.write(text)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Misuse(f"--output-file: {options.output_file!r} can't be written: {reason}") from None


def write_error(message: str) -> None:
    """One line on standard error."""
    words = [_shortened(word, _LONGEST_WORD) for word in harmless(" ".join(message.split())).split(" ")]
    line = _shortened(" ".join(words), _LONGEST_ERROR)
    sys.stderr.write(f"flagfit: {line}\n")


def _shortened(text: str, most: int) -> str:
    """The text without its middle where it is too long: what is wrong often stands at the end."""
    if len(text) <= most:
        return text
    tail = most // 3
    return f"{text[: most - tail - 1]}…{text[-tail:]}"
