"""The words of a launch command, each with its place, and the launch that they make. Parses nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Syntax: TypeAlias = Literal["words", "shell", "json"]
"""How a command is written: as words in no text, as a shell command, as a JSON list of strings."""

Form: TypeAlias = Literal["flags", "module", "serve"]
"""What starts the engine: nothing (flags alone), `python -m sglang.launch_server`, or `sglang serve`."""


MENTION = re.compile(r"sglang\.launch_server|sglang\s+serve|sglang/launch_server\.py")
"""What a text that starts an engine holds somewhere."""

WORDS = "<words>"
"""The name of a command that was given as words, in no text."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in a text.

    Attributes:
        file: the file's path, `<command>` for a text of no file, `<words>` for words that were given as such.
        line, column: counted from 1, in characters. For words given as such, the column is the word's number.
        start, end: offsets in characters of the text, the end excluded; -1 where there is no text.
    """

    file: str
    line: int
    column: int
    start: int = -1
    end: int = -1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"

    def to_dict(self) -> dict[str, Any]:
        """File, line and column."""
        return {"file": self.file, "line": self.line, "column": self.column}


@dataclass(frozen=True, slots=True)
class Word:
    """One word as the program would receive it.

    Attributes:
        text: the word, quoting undone and variables with known values filled in. Of an unknown part, what
            was written: `$PORT`.
        place: where it stands; None for a word that nobody wrote.
        known: whether all of the text is known.
        unknown_from: where the first unknown part begins in `text`, for a word that is not known.
        splits: whether it may be any number of words, none included: an unquoted `$ARGS`, `"${ARGS[@]}"`.
    """

    text: str
    place: Place | None = None
    known: bool = True
    unknown_from: int = 0
    splits: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The text, the place, and whether it is known."""
        place = None if self.place is None else self.place.to_dict()
        return {"text": self.text, "place": place, "known": self.known}


@dataclass(frozen=True, slots=True)
class LaunchRemark:
    """Something odd about the way a command is written, which its words alone do not show.

    Attributes:
        code: see `REMARKS`.
        message: what is odd, a sentence without a full stop.
        place: where.
    """

    code: str
    message: str
    place: Place


REMARKS = {
    "ARG201": "a line of flags that a shell takes for a command of its own; it is read with the one before",
    "ARG202": "a backslash with blanks behind it, which continues no line; it is read as if it did",
    "ARG203": "braces outside quotes, which a shell expands",
}


@dataclass(frozen=True, slots=True)
class Launch:
    """One command that starts an engine.

    Attributes:
        words: what follows the launcher: the flags, their values, and for `serve` the model.
        environment: the variables that it is started with, as far as they are written there and known.
        unknown_environment: variables that are written there without a value that is known.
        place: where the command begins.
        text: the text that the places refer to; None for words given as such.
        syntax: how it is written in the text.
        form: what starts the engine.
        prefix: the words before the flags: wrappers, the interpreter, the launcher; where there is no text,
            also assignments.
        name: what to call it among several: a service, a container.
        quotes: the quotes around the command in `text`, outermost first: `sh -c "…"` has one pair.
        remarks: what is odd about the way it is written.
    """

    words: tuple[Word, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    unknown_environment: frozenset[str] = frozenset()
    place: Place = Place(WORDS, 1, 1)
    text: str | None = None
    syntax: Syntax = "words"
    form: Form = "flags"
    prefix: tuple[Word, ...] = ()
    name: str = ""
    quotes: tuple[str, ...] = ()
    remarks: tuple[LaunchRemark, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """What was read, as plain values; the text itself is left out."""
        return {
            "name": self.name,
            "place": self.place.to_dict(),
            "form": self.form,
            "prefix": [word.text for word in self.prefix],
            "words": [word.text for word in self.words],
            "environment": dict(sorted(self.environment.items())),
            "unknown_environment": sorted(self.unknown_environment),
        }


_PLACEHOLDER = re.compile(
    r"\$\{|\$\(|\$[A-Za-z_]"  # a variable of a shell or of Kubernetes
    r"|\{\{"  # a template
    r"|<[A-Za-z][\w ./:-]*>"  # <model-path>
)
_LEFT_OUT = re.compile(
    r"\.\.\.|…|\[(?:\.\.\.|…|(?:\w+ )?(?:args|arguments|options|flags)(?: \.\.\.)?)\]", re.IGNORECASE
)


def placeholder_at(text: str) -> int | None:
    """Where in a word a part begins that somebody is yet to fill in; None where there is none.

    Takes variables for such, so it is for words whose expansions were not carried out.
    """
    match = _PLACEHOLDER.search(text)
    return None if match is None else match.start()


def is_left_out(text: str) -> bool:
    """Whether a word stands for any number of words that were left out: `...`, `[options]`."""
    return _LEFT_OUT.fullmatch(text) is not None


def words_of(texts: Sequence[str]) -> tuple[Word, ...]:
    """Words that were given as such, numbered from 1. They are what the program receives: `$X` is `$X`."""
    return tuple(Word(text, Place(WORDS, 1, number)) for number, text in enumerate(texts, start=1))
