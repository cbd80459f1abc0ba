"""Colour, used with restraint: five meanings, and nothing where colour is off. Decides nothing else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

_FLAG = r"(?<![\w-])--?[a-z][a-z0-9-]*"
_CONTROL = {code: f"\\x{code:02x}" for code in (*range(9), *range(0x0B, 0x20), *range(0x7F, 0xA0))}

WIDTH = 100
"""Sentences are wrapped here, whatever the terminal, so that the same input gives the same bytes."""


class Ink(NamedTuple):
    """Writes text in colour, or as it is.

    Attributes:
        coloured: whether terminal colour codes are wanted.
    """

    coloured: bool = False

    def good(self, text: str) -> str:
        return self._dye("1;32", text)

    def bad(self, text: str) -> str:
        return self._dye("1;31", text)

    def unsure(self, text: str) -> str:
        return self._dye("1;33", text)

    def strong(self, text: str) -> str:
        return self._dye("1", text)

    def faint(self, text: str) -> str:
        return self._dye("2", text)

    def flags(self, text: str) -> str:
        """The text with every `--flag` in it made strong."""
        return re.sub(_FLAG, lambda match: self.strong(match[0]), text)

    def _dye(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.coloured and text else text


def wants_colour(when: str, *, is_terminal: bool, environ: Mapping[str, str]) -> bool:
    """Whether to colour.

    Args:
        when: `always`, `never` or `auto`.
        is_terminal: whether the report goes to one.
        environ: `NO_COLOR` (https://no-color.org) and `FORCE_COLOR` are read where `when` is `auto`, and
            `TERM`, which is `dumb` for a terminal without colours.
    """
    if when != "auto":
        return when == "always"
    if environ.get("NO_COLOR"):
        return False
    return bool(environ.get("FORCE_COLOR")) or (is_terminal and environ.get("TERM") != "dumb")


def harmless(text: str) -> str:
    """The text with control characters shown as escapes, so that a command can't drive the terminal."""
    return text.translate(_CONTROL)
