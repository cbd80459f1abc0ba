"""Reads the commands of a shell text: their words with exact places, variables with literal values filled in.

Nothing is run or expanded by a shell. Plain commands are read here; whatever else a shell offers is read by
`solver.launch.shell_tree`, whose parser is loaded only then.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from constraints.errors import UnreadableInput
from solver.launch.words import LaunchRemark, Place, Word, is_left_out

COMMAND = "<command>"
"""The name of a text that comes from no file."""

LIMIT_CHARACTERS = 1_000_000
"""No script that launches a server is a hundredth as long."""


@dataclass(frozen=True, slots=True)
class ShellCommand:
    """One simple command.

    Attributes:
        words: its words without the assignments before it and without redirections.
        environment: what is set in front of it, and where it may start an engine, what was exported before.
        variables: where it may start an engine, the shell's variables with known values.
        remarks: what is odd about the way it is written.
        broken_at: where in it something could not be read, such as a quote that is not closed.
    """

    words: tuple[Word, ...]
    environment: Mapping[str, Word]
    place: Place
    variables: Mapping[str, Word] = field(default_factory=dict)
    remarks: tuple[LaunchRemark, ...] = ()
    broken_at: Place | None = None


class Source:
    """A text and the places in it. One within quotes of another knows where it stands in the outermost.

    Args:
        text: the text that is read.
        file: its name.
        escapes: by whose rules a backslash in double quotes is undone.
        outermost: the text around it, with the span in it of every character of `text`.
    """

    def __init__(
        self,
        text: str,
        file: str = COMMAND,
        *,
        escapes: Literal["shell", "json"] = "shell",
        outermost: tuple[Source, Sequence[tuple[int, int]]] | None = None,
    ) -> None:
        self.text = text
        self.file = file
        self.outermost = self if outermost is None else outermost[0]
        self._spans = None if outermost is None else outermost[1]
        self.escapes = escapes
        self._lines: list[int] | None = None

    def place(self, start: int, end: int) -> Place:
        """The place of `text[start:end]` in the outermost text."""
        if self._spans is not None:
            if not self._spans:
                return self.outermost.place(0, 0)
            first = self._spans[min(start, len(self._spans) - 1)]
            last = self._spans[min(max(start, end - 1), len(self._spans) - 1)]
            return self.outermost.place(first[0], last[1])
        if self._lines is None:
            self._lines = [0, *(match.end() for match in re.finditer("\n", self.text))]
        line = bisect_right(self._lines, start)
        return Place(self.file, line, start - self._lines[line - 1] + 1, start, end)

    def within(self, place: Place) -> tuple[Source, str] | None:
        """The text within the quotes at a place, and the quote; None where it is not just one pair."""
        start, end = place.start, place.end
        if self._spans is not None:
            start = bisect_left(self._spans, (place.start, 0))
            end = bisect_left(self._spans, (place.end, 0))
        written = self.text[start:end]
        match = _ONE_PAIR.fullmatch(written)
        if match is None:
            return None
        quote = written[0]
        characters: list[str] = []
        spans: list[tuple[int, int]] = []
        for piece in _PIECE[quote, self.escapes].finditer(written, 1, len(written) - 1):
            character = _piece_text(piece.group(), quote, self.escapes)
            first, last = start + piece.start(), start + piece.end()
            span = (first, last) if self._spans is None else (self._spans[first][0], self._spans[last - 1][1])
            characters.append(character)
            spans.extend([span] * len(character))
        inner = Source("".join(characters), self.file, outermost=(self.outermost, spans))
        return inner, quote


# A single quote within single quotes is written `'\\''` or `'"'"'`, which closes and opens them again.
_ONE_PAIR = re.compile(r"""'(?:[^']|'\\''|'"'"')*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
_PIECE = {
    ("'", "shell"): re.compile(r"""'\\''|'"'"'|.""", re.DOTALL),
    ('"', "shell"): re.compile(r"\\[$`\"\\\n]|.", re.DOTALL),
    ('"', "json"): re.compile(r"\\u[0-9A-Fa-f]{4}|\\.|.", re.DOTALL),
}


def _piece_text(written: str, quote: str, escapes: str) -> str:
    """What one character or one escape within quotes stands for."""
    if len(written) == 1:
        return written
    if quote == "'":
        return quote
    if escapes == "json":
        import json

        return str(json.loads(f'"{written}"'))
    return "" if written[1] == "\n" else written[1]


def read_shell(
    text: str, file: str = COMMAND, variables: Mapping[str, Word] | None = None
) -> tuple[ShellCommand, ...]:
    """The simple commands of a shell text, in the order in which they are written.

    Args:
        text: a command or a whole script.
        file: the name that places get.
        variables: shell variables that are known already.

    Raises:
        UnreadableInput: it is empty, too large, holds a NUL, or its quotes do not match.
    """
    check_text(text, file)
    return read_source(Source(text, file), variables or {})


def read_source(source: Source, variables: Mapping[str, Word]) -> tuple[ShellCommand, ...]:
    """The simple commands of a text that may lie within another one. Raises as `read_shell` does."""
    words = _plain_words(source)
    if words is not None:
        return (_plain_command(source, words, variables),) if words else ()
    from solver.launch.shell_tree import read_tree

    return read_tree(source, variables)


def check_text(text: str, file: str) -> None:
    """Refuses what cannot be a text with commands.

    Raises:
        UnreadableInput: it is empty, too large, or holds a NUL.
    """
    if not text.strip():
        raise UnreadableInput(file, "it is empty")
    if len(text) > LIMIT_CHARACTERS:
        raise UnreadableInput(file, f"it is longer than {LIMIT_CHARACTERS} characters")
    nul = text.find("\0")
    if nul >= 0:
        place = Source(text, file).place(nul, nul + 1)
        raise UnreadableInput(file, "it is no text: it holds a NUL", place.line, place.column)


_PLAIN = r"[A-Za-z0-9_./:,@%+=^-]"
_TOKEN = re.compile(
    rf"(?P<gap>(?:[ \t]|\\\n)+)|(?P<word>(?:{_PLAIN}|'[^'\n]*'|\"[^\"\\$`\n]*\")+)",
)
_QUOTED = re.compile(r"'([^'\n]*)'|\"([^\"\n]*)\"")
_TEMPLATE = re.compile(r"\{\{|<[A-Za-z]")


def _plain_words(source: Source) -> list[Word] | None:
    """The words of a command that holds quotes and continuations at most; None where it holds more."""
    text = source.text.strip(" \t\r\n")
    start = source.text.find(text)
    position = start
    end = start + len(text)
    words: list[Word] = []
    while position < end:
        match = _TOKEN.match(source.text, position, end)
        if match is None:
            return None
        if match.lastgroup == "word":
            written = match.group()
            unquoted = written
            if "'" in written or '"' in written:
                unquoted = _QUOTED.sub(lambda quoted: quoted.group(1) or quoted.group(2) or "", written)
                if _TEMPLATE.search(unquoted):
                    return None
            place = source.place(match.start(), match.end())
            known = not is_left_out(unquoted)
            words.append(Word(unquoted, place, known, splits=not known))
        elif " " not in match.group() and "\t" not in match.group():
            # A continuation alone does not end a word.
            return None
        position = match.end()
    return words


ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=", re.ASCII)


def _plain_command(source: Source, words: list[Word], variables: Mapping[str, Word]) -> ShellCommand:
    environment: dict[str, Word] = {}
    first = 0
    for word in words:
        match = ASSIGNMENT.match(word.text)
        if match is None or not source.text.startswith(match.group(), word.place.start if word.place else 0):
            break
        environment[match.group(1)] = Word(word.text[match.end() :], word.place)
        first += 1
    place = words[0].place or source.place(0, 0)
    return ShellCommand(tuple(words[first:]), environment, place, variables)
