"""Which words of a command name flags, by argparse's rules: exact, joined to a value, or abbreviated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from constraints.domain import NEGATIVE_NUMBER
from solver.launch.arguments import ArgumentNotice, ArgumentProblem
from solver.launch.flag_index import Entry, FlagIndex
from solver.launch.words import Word


@dataclass(frozen=True, slots=True)
class WrittenFlag:
    """A word that stands for a flag.

    Attributes:
        entry: what it names; None for a flag that the release does not have, or that could be several.
        spelling: the flag's own spelling; as it is written, where there is none.
        joined: the value behind it in the same word, if any.
    """

    entry: Entry | None
    spelling: str
    joined: Word | None = None


@dataclass(frozen=True, slots=True)
class FlagWords:
    """What the words of a command are.

    Attributes:
        written: for each word the flag that it names; None for a value.
        problems: abbreviations that could mean several flags, by the position of the word.
        notices: abbreviations.
    """

    written: tuple[WrittenFlag | None, ...]
    problems: dict[int, ArgumentProblem]
    notices: tuple[ArgumentNotice, ...]


def flag_words(index: FlagIndex, words: Sequence[Word]) -> FlagWords:
    """Tells flags from values. All that follows `--` is a value."""
    entries = index.entries
    written: list[WrittenFlag | None] = []
    problems: dict[int, ArgumentProblem] = {}
    notices: list[ArgumentNotice] = []
    values_only = False
    for position, word in enumerate(words):
        text = word.text
        if values_only or not text or text[0] != "-":
            written.append(None)
        elif word.known and text in entries:
            written.append(WrittenFlag(entries[text], text))
        elif text == "--":
            values_only = True
            written.append(None)
        else:
            found = _looked_up(index, word)
            if isinstance(found, _Ambiguous):
                problems[position] = _problem(found, position)
                found = WrittenFlag(None, found.name, found.joined)
            elif found is not None and found.entry is not None and not text.startswith(found.spelling):
                notices.append(_notice(found, text.partition("=")[0], position))
            written.append(found)
    return FlagWords(tuple(written), problems, tuple(notices))


@dataclass(frozen=True, slots=True)
class _Ambiguous:
    """A word that could name any of several flags."""

    name: str
    spellings: tuple[str, ...]
    joined: Word | None


def _looked_up(index: FlagIndex, word: Word) -> WrittenFlag | _Ambiguous | None:
    """What a word with a leading hyphen names that is no spelling by itself."""
    text = word.text
    if len(text) == 1:
        return None
    name, equals, _ = text.partition("=")
    if not word.known and word.unknown_from <= len(name):
        return WrittenFlag(None, text) if text.startswith("--") else None
    joined = _behind(word, len(name) + 1) if equals else None
    if equals and name in index.entries:
        return WrittenFlag(index.entries[name], name, joined)
    if text[1] == "-":
        found = index.starting_with(name)
    else:
        # A one-letter flag may have its value, or other one-letter flags, right behind it.
        found = index.starting_with(text)
        if text[:2] in index.entries and text[:2] not in found:
            found.append(text[:2])
            joined = _behind(word, 2)
            name = text[:2]
    if len(found) > 1:
        return _Ambiguous(name, tuple(found), joined)
    if found:
        return WrittenFlag(index.entries[found[0]], found[0], joined)
    is_number = NEGATIVE_NUMBER.match(text) and not index.has_negative_numbers
    return None if is_number or " " in text else WrittenFlag(None, text)


def _behind(word: Word, start: int) -> Word:
    """The value behind a flag's name in the same word."""
    return Word(word.text[start:], word.place, word.known, max(0, word.unknown_from - start))


def _problem(found: _Ambiguous, position: int) -> ArgumentProblem:
    shown = ", ".join(found.spellings[:4])
    if len(found.spellings) > 4:
        shown += f" and {len(found.spellings) - 4} more"
    message = f"{found.name} could be {shown}"
    return ArgumentProblem("ARG002", None, (position,), message, None, found.spellings)


def _notice(found: WrittenFlag, name: str, position: int) -> ArgumentNotice:
    flag = None if found.entry is None else found.entry.flag.name
    message = f"{name} is short for {found.spelling}"
    return ArgumentNotice("ARG102", flag, (position,), message, found.spelling)
