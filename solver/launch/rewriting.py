"""Applies changes of flags to a launch: to its words, and to the text that it stands in.

Only the words that change are touched; every other character stays as it was.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from constraints.domain import accepts, reads_as_option, spell, takes_no_word, write_words
from constraints.vocabulary import Flag, Value
from solver.launch.arguments import Arguments, GivenFlag
from solver.launch.quoting import joined, quoted
from solver.launch.words import Launch, Word


@dataclass(frozen=True, slots=True)
class Verbatim:
    """A value that is written as it stands: a placeholder such as `<PATH>`."""

    text: str


@dataclass(frozen=True, slots=True)
class WordEdit:
    """Puts other words in the place of some.

    Attributes:
        words: the indices in `Arguments.words` of the words that go.
        replacement: the words that come, none to take out.
    """

    words: tuple[int, ...]
    replacement: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A changed command.

    Attributes:
        words: all its words, those before the flags included.
        text: the text that it stands in, changed; for words in no text, the words as a shell command.
        unapplied: flags that cannot be changed here, as they are given in another file.
    """

    words: tuple[str, ...]
    text: str
    unapplied: tuple[str, ...] = ()


def rewrite(
    launch: Launch,
    arguments: Arguments,
    flags: Mapping[str, Flag],
    *,
    set_to: Mapping[str, Value] | None = None,
    unset: Collection[str] = (),
    edits: Sequence[WordEdit] = (),
) -> Rewritten:
    """The launch with flags set or taken out.

    Args:
        launch: a command.
        arguments: what the parser made of it.
        flags: the release's flags by field name.
        set_to: new values by field name; `Verbatim` for one that is not known. A flag that is given keeps its
            spelling, one that is not comes last.
        unset: the fields whose flags are taken out, with their values, wherever they occur.
        edits: further words to replace, such as a misspelt flag.

    Raises:
        ValueError: no words give a flag the value asked for.
    """
    added: list[str] = []
    unapplied: list[str] = []
    edits = list(edits)
    for name in unset:
        given = arguments.given.get(name)
        if given is not None:
            indices = (*given.earlier, *given.words)
            edits.append(
                WordEdit(tuple(index for index in indices if _is_here(launch, arguments.words[index])))
            )
            if len(edits[-1].words) < len(indices) and not _only_synthetic(launch, arguments, indices):
                unapplied.append(name)
    for name, value in (set_to or {}).items():
        given = arguments.given.get(name)
        if given is not None and _is_here(launch, arguments.words[given.words[-1]]):
            edits.append(_with_value(arguments, flags[name], given, value))
        else:
            added += _spelled(flags[name], value)
    return _applied(launch, arguments, edits, added, unapplied)


def _with_value(arguments: Arguments, flag: Flag, given: GivenFlag, value: Value) -> WordEdit:
    """Keeps the flag as it is spelt, and its `=`, where its option can take the value."""
    option = given.option
    written = arguments.words[given.words[0]]
    values: tuple[str, ...] | None = None
    if option is not None and not takes_no_word(option) and option.action != "store_const":
        if isinstance(value, Verbatim):
            values = (value.text,)
        elif accepts(option, value):
            values = write_words(option, value)
    if values is None:
        return WordEdit(given.words, _spelled(flag, value))
    if written.place is None:
        # The model of `sglang serve MODEL`.
        return WordEdit(given.words[1:], values)
    name, equals, _ = written.text.partition("=")
    if len(values) == 1 and (equals or reads_as_option(values[0])):
        return WordEdit(given.words, (f"{name}={values[0]}",))
    return WordEdit(given.words, (name, *values))


def _spelled(flag: Flag, value: Value) -> tuple[str, ...]:
    if isinstance(value, Verbatim):
        return flag.spelling, value.text
    words = spell(flag, value)
    if words is None:
        raise ValueError(f"no words give {flag.name} the value {value!r}")
    return words


def _is_here(launch: Launch, word: Word) -> bool:
    """Whether a word stands where the launch does, and not in a configuration file."""
    return word.place is not None and word.place.file == launch.place.file


def _only_synthetic(launch: Launch, arguments: Arguments, indices: Sequence[int]) -> bool:
    return all(
        arguments.words[index].place is None or _is_here(launch, arguments.words[index]) for index in indices
    )


def _applied(
    launch: Launch,
    arguments: Arguments,
    edits: Sequence[WordEdit],
    added: Sequence[str],
    unapplied: Sequence[str],
) -> Rewritten:
    positions = {id(word): position for position, word in enumerate(launch.words)}
    changed: dict[int, tuple[str, ...]] = {}
    for edit in edits:
        here = [
            positions[id(word)] for index in edit.words if id(word := arguments.words[index]) in positions
        ]
        _replace(launch, here, edit.replacement, changed)
    texts = [word.text for word in launch.prefix]
    for position, word in enumerate(launch.words):
        texts += changed.get(position, (word.text,))
    texts += added
    if launch.text is None:
        words = [*launch.prefix, *launch.words]
        unknown = {word.text for word in words if not word.known}
        return Rewritten(tuple(texts), joined(texts, unknown), tuple(unapplied))
    return Rewritten(tuple(texts), _text(launch, launch.text, changed, added), tuple(unapplied))


def _replace(
    launch: Launch, here: list[int], words: tuple[str, ...], changed: dict[int, tuple[str, ...]]
) -> None:
    """Notes which word becomes which, so that a word that stays the same is not touched."""
    for number, position in enumerate(here):
        last = number == len(here) - 1
        new = words[number:] if last else words[number : number + 1]
        if new != (launch.words[position].text,) or not launch.words[position].known:
            changed[position] = new


def _text(launch: Launch, text: str, changed: Mapping[int, tuple[str, ...]], added: Sequence[str]) -> str:
    """The text with the words changed in their places."""
    spans: list[tuple[int, int, str]] = []
    by_place: dict[tuple[int, int], list[int]] = {}
    for position, word in enumerate(launch.words):
        if word.place is not None:
            by_place.setdefault((word.place.start, word.place.end), []).append(position)
    is_list = launch.syntax == "json" and not launch.quotes
    separator, gap = (", ", _JSON_GAP) if is_list else (" ", _SHELL_GAP)
    for (start, end), positions in by_place.items():
        if not any(position in changed for position in positions):
            continue
        # Words that come from one variable stand in one place: then all are written out.
        new = [
            text for position in positions for text in changed.get(position, (launch.words[position].text,))
        ]
        if new:
            spans.append(
                (start, end, separator.join(quoted(each, launch.syntax, launch.quotes) for each in new))
            )
        elif launch.prefix or any(changed.get(position, "kept") for position in range(positions[0])):
            spans.append((_gap_start(text, start, gap), end, ""))
        else:
            # Nothing stands before it: the blanks behind it go with it.
            behind = re.compile(f"{gap}+").match(text, end)
            spans.append((start, behind.end() if behind else end, ""))
    if added:
        at, before = _end(launch, text, separator, gap)
        written = separator.join(quoted(each, launch.syntax, launch.quotes) for each in added)
        spans.append((at, at, before + written))
    result: list[str] = []
    position = 0
    for start, end, replacement in sorted(spans, key=lambda span: (span[0], span[1])):
        result += (text[position : max(position, start)], replacement)
        position = max(position, end)
    return "".join((*result, text[position:]))


_SHELL_GAP = r"(?:[ \t]|[\\`]\r?\n|\r?\n)"
_JSON_GAP = r"[ \t\r\n,]"
"""What may stand between two words of a command; patterns for one piece of it."""

LONGEST_GAP = 400
"""How many characters of it are taken out with a word."""


def _gap_start(text: str, start: int, gap: str) -> int:
    """Where the blanks before a word begin, its continued line break among them."""
    match = re.compile(rf"{gap}+\Z").search(text, max(0, start - LONGEST_GAP), start)
    return start if match is None else match.start()


def _end(launch: Launch, text: str, separator: str, gap: str) -> tuple[int, str]:
    """Where a further flag goes, and what to put before it: the same as before the last flag."""
    words = [*launch.prefix, *launch.words]
    places = [word.place for word in words if word.place is not None]
    if not places:
        return len(text), separator
    last = places[-1]
    for before, word in zip(reversed(words[:-1]), reversed(words), strict=False):
        if word.text.startswith("--") and word.place is not None and before.place is not None:
            between = text[before.place.end : word.place.start]
            return last.end, between if re.fullmatch(f"{gap}+", between) else separator
    return last.end, separator
