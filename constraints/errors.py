"""Every error that flagfit raises for a person to read. What went wrong is in the attributes.

All take their attributes as positional arguments and keep them in `args`, so that they survive pickling.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class FlagfitError(Exception):
    """The base of them all: `except FlagfitError` catches what a caller can do something about."""


class Position(NamedTuple):
    """A place in a text; both counted from 1, the column in characters."""

    line: int
    column: int


class ExpressionError(FlagfitError):
    """A text is not an expression of the rule language, or an expression has no text.

    Attributes:
        text: the whole text.
        position: where in it.
        reason: what is wrong there, a clause without a full stop.
    """

    def __init__(self, text: str, position: Position, reason: str) -> None:
        super().__init__(text, position, reason)
        self.text = text
        self.position = position
        self.reason = reason

    def __str__(self) -> str:
        line, column = self.position
        lines = self.text.splitlines() or [""]
        shown = lines[min(line, len(lines)) - 1]
        start = max(0, column - 60)
        excerpt = shown[start : column + 40].rstrip()
        place = f"column {column}" if len(lines) == 1 else f"line {line}, column {column}"
        return f"{self.reason} ({place})\n  {excerpt}\n  {' ' * (column - 1 - start)}^"


class CatalogError(FlagfitError):
    """A catalog, a file of rules, or the source that a catalog is made from is not as it must be.

    Attributes:
        path: the file or folder.
        reason: what is wrong, a clause without a full stop.
        line: where, counted from 1, as far as it is known.
    """

    def __init__(self, path: str, reason: str, line: int | None = None) -> None:
        super().__init__(path, reason, line)
        self.path = path
        self.reason = reason
        self.line = line

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.reason}"


class UnknownRelease(FlagfitError):
    """No catalog is on offer for the release asked for.

    Attributes:
        release: what was asked for.
        nearest: the release on offer that is most like it, if any is.
        offered: every release on offer, oldest first.
    """

    def __init__(self, release: str, nearest: str | None = None, offered: Sequence[str] = ()) -> None:
        super().__init__(release, nearest, tuple(offered))
        self.release = release
        self.nearest = nearest
        self.offered = tuple(offered)

    def __str__(self) -> str:
        if not self.offered:
            return f"there is no catalog for release {self.release}, nor for any other"
        hint = f"; the nearest is {self.nearest}" if self.nearest else ""
        return f"there is no catalog for release {self.release}{hint} (on offer: {', '.join(self.offered)})"


class UnreadableInput(FlagfitError):
    """A file or text given as input cannot be read.

    Attributes:
        path: the file, or a name for the text such as `<stdin>`.
        reason: what is wrong, a clause without a full stop.
        line, column: where, counted from 1, as far as it is known.
    """

    def __init__(self, path: str, reason: str, line: int | None = None, column: int | None = None) -> None:
        super().__init__(path, reason, line, column)
        self.path = path
        self.reason = reason
        self.line = line
        self.column = column

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.path, self.line, self.column) if part is not None)
        return f"{place}: {self.reason}"


class LaunchNotFound(FlagfitError):
    """The input was read, but starts no engine that flagfit knows.

    Attributes:
        source: the file, or the start of the text.
        reason: what was looked for and not there, a clause without a full stop.
    """

    def __init__(self, source: str, reason: str) -> None:
        super().__init__(source, reason)
        self.source = source
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.source}: {self.reason}"


class FactError(FlagfitError):
    """A fact was given a value that it cannot have.

    Attributes:
        name: the fact's dotted path, or the option that gives it.
        value: what was given.
        reason: why it cannot be, a clause without a full stop.
    """

    def __init__(self, name: str, value: object, reason: str) -> None:
        super().__init__(name, value, reason)
        self.name = name
        self.value = value
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.name} = {self.value!r}: {self.reason}"


class FlagError(FlagfitError):
    """A flag that the release does not have, or a value that the flag cannot be given.

    Attributes:
        flag: its name as it was asked for.
        value: what it was to be given; None where the flag itself is unknown.
        reason: what is wrong, a clause without a full stop.
    """

    def __init__(self, flag: str, value: object, reason: str) -> None:
        super().__init__(flag, value, reason)
        self.flag = flag
        self.value = value
        self.reason = reason

    def __str__(self) -> str:
        return (
            f"{self.flag}: {self.reason}"
            if self.value is None
            else f"{self.flag} {self.value!r}: {self.reason}"
        )
