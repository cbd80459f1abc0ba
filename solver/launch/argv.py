"""What SGLang's own argument parser makes of the words of a launch: values, and what it refuses.

Follows argparse as of Python 3.11: abbreviations, `--flag=value`, greedy lists, negative numbers, `--`.
Collects every problem, where argparse stops at the first; whether there is one is the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from constraints.catalog import Flag, Value
from constraints.domain import NEGATIVE_NUMBER, BadWord, parser, takes_many_words
from constraints.expression.values import UNKNOWN
from solver.launch.arguments import ArgumentNotice, ArgumentProblem, Arguments, GivenFlag, Outcome
from solver.launch.flag_index import Entry, FlagIndex
from solver.launch.words import Launch, Word


def parse_arguments(flags: Mapping[str, Flag] | FlagIndex, launch: Launch) -> Arguments:
    """The flags that a launch gives, as SGLang's parser reads its words.

    Args:
        flags: the flags of a release by field name; an index of them is kept while the same object is used.
        launch: a command; where its form is `flags`, flags that must be given may be missing.
    """
    index = flags if isinstance(flags, FlagIndex) else _index(flags)
    return _Parse(index, launch).arguments()


_recent: list[FlagIndex] = []
_RECENT_LIMIT = 4


def _index(flags: Mapping[str, Flag]) -> FlagIndex:
    for index in _recent:
        if index.flags is flags:
            return index
    index = FlagIndex(flags)
    _recent[:] = [index, *_recent[: _RECENT_LIMIT - 1]]
    return index


@dataclass(frozen=True, slots=True)
class _Written:
    """A word that stands for a flag: what it names, and the value joined to it, if any."""

    entry: Entry | None
    spelling: str
    joined: Word | None = None


class _Parse:
    """One reading of one launch's words."""

    def __init__(self, index: FlagIndex, launch: Launch) -> None:
        self._index = index
        self._fragment = launch.form == "flags"
        self._problems: list[ArgumentProblem] = []
        self._notices: list[ArgumentNotice] = []
        self._given: dict[str, GivenFlag] = {}
        self._seen: set[str] = set()
        self._extra: list[ArgumentProblem] = []
        self._open_ended = False
        self._words = launch.words
        if launch.form == "serve":
            self._words = _served(self._words)
        if any(word.text == "--config" for word in self._words):
            self._merge(launch)

    def arguments(self) -> Arguments:
        self._consume(self._classified())
        self._check_required()
        return Arguments(
            self._given,
            (*self._problems, *self._extra),
            tuple(self._notices),
            self._words,
            self._open_ended,
        )

    def _merge(self, launch: Launch) -> None:
        from solver.launch.config_file import merged

        result = merged(self._index, self._words, launch.place.file)
        self._words = result.words
        self._problems += result.problems
        self._notices += result.notices
        self._open_ended = result.open_ended

    # --- which words are flags

    def _classified(self) -> list[_Written | None]:
        """For each word the flag that it names; None for a value. All that follows `--` is a value."""
        entries = self._index.entries
        classified: list[_Written | None] = []
        values_only = False
        for position, word in enumerate(self._words):
            text = word.text
            if values_only or not text or text[0] != "-":
                classified.append(None)
            elif word.known and text in entries:
                classified.append(_Written(entries[text], text))
            elif text == "--":
                values_only = True
                classified.append(None)
            else:
                classified.append(self._looked_up(position, word))
        return classified

    def _looked_up(self, position: int, word: Word) -> _Written | None:
        """What a word with a leading hyphen names that is no spelling by itself."""
        text = word.text
        if len(text) == 1:
            return None
        name, equals, _ = text.partition("=")
        if not word.known and word.unknown_from <= len(name):
            return _Written(None, text) if text.startswith("--") else None
        joined = _joined(word, len(name) + 1) if equals else None
        if equals and name in self._index.entries:
            return _Written(self._index.entries[name], name, joined)
        if text[1] == "-":
            found = self._index.starting_with(name)
        else:
            # A one-letter flag may have its value, or other one-letter flags, right behind it.
            found = self._index.starting_with(text)
            if text[:2] in self._index.entries and text[:2] not in found:
                found.append(text[:2])
                joined = _joined(word, 2)
                name = text[:2]
        if len(found) > 1:
            self._ambiguous(position, name, found)
            return _Written(None, name, joined)
        if found:
            entry = self._index.entries[found[0]]
            if name != found[0]:
                self._notice(
                    "ARG102", entry.flag, (position,), f"{name} is short for {found[0]}", suggestion=found[0]
                )
            return _Written(entry, found[0], joined)
        if NEGATIVE_NUMBER.match(text) and not self._index.has_negative_numbers:
            return None
        if " " in text:
            return None
        return _Written(None, text)

    def _ambiguous(self, position: int, name: str, found: Sequence[str]) -> None:
        shown = ", ".join(found[:4]) + (f" and {len(found) - 4} more" if len(found) > 4 else "")
        self._problems.append(
            ArgumentProblem("ARG002", None, (position,), f"{name} could be {shown}", None, tuple(found))
        )

    # --- flags and their values

    def _consume(self, classified: list[_Written | None]) -> None:
        total = len(classified)
        position = 0
        while position < total:
            written = classified[position]
            if written is None:
                position = self._stray(position)
                continue
            last = position + 1
            while last < total and classified[last] is None and self._words[last].text != "--":
                last += 1
            if written.entry is None:
                position = self._unknown_flag(position, written, last)
            elif written.joined is not None:
                self._joined_value(position, written, written.entry, written.joined)
                position += 1
            else:
                position = self._following_values(position, written, written.entry, last)

    def _stray(self, position: int) -> int:
        """A word that no flag takes. Unknown words may hold anything, flags included."""
        word = self._words[position]
        if not word.known and (word.unknown_from == 0 or word.splits):
            self._open_ended = True
            self._notice(
                "ARG104", None, (position,), f"{word.text} may hold further flags, which are not known"
            )
        else:
            self._extra.append(
                ArgumentProblem("ARG007", None, (position,), f"{_shown(word.text)} belongs to no flag")
            )
        return position + 1

    def _unknown_flag(self, position: int, written: _Written, last: int) -> int:
        """A flag that the release does not have takes the words after it along."""
        words = tuple(range(position, last))
        word = self._words[position]
        if not word.known and written.joined is None and word.unknown_from < len(written.spelling):
            self._open_ended = True
            self._notice("ARG104", None, words, f"the name of the flag {word.text} is not known")
            return last
        if self._problems and self._problems[-1].words == (position,) and self._problems[-1].code == "ARG002":
            ambiguous = self._problems.pop()
            self._problems.append(
                ArgumentProblem("ARG002", None, words, ambiguous.message, None, ambiguous.alternatives)
            )
            return last
        name = written.spelling.partition("=")[0]
        from solver.launch.spelling import nearest_flags

        alternatives = nearest_flags(name, self._index.entries)
        self._extra.append(
            ArgumentProblem(
                "ARG001",
                None,
                words,
                f"there is no flag {_shown(name)}",
                alternatives[0] if alternatives else None,
                alternatives,
            )
        )
        return last

    def _joined_value(self, position: int, written: _Written, entry: Entry, joined: Word) -> None:
        least, most = entry.bounds
        if most == 0:
            self._refuse("ARG006", entry, written, (position,), f"{written.spelling} takes no value")
            return
        if least > 1:
            self._refuse(
                "ARG003",
                entry,
                written,
                (position,),
                f"{written.spelling} wants {least} values, each its own word",
            )
            return
        # argparse takes `--` out of any flag's values, and a flag that wants one receives an empty list.
        words = () if joined.text == "--" else (joined,)
        self._take(entry, written, (position,), words)

    def _following_values(self, position: int, written: _Written, entry: Entry, last: int) -> int:
        least, most = entry.bounds
        available = last - position - 1
        if available < least:
            wanted = "a value" if least == 1 else f"{least} values"
            self._refuse(
                "ARG003", entry, written, tuple(range(position, last)), f"{written.spelling} wants {wanted}"
            )
            return last
        stop = position + 1 + min(available, most)
        if most != 1 or available > 1:
            stop = self._before_flags(position + 1 + least, stop)
        indices = tuple(range(position, stop))
        self._take(entry, written, indices, self._words[position + 1 : stop])
        return stop

    def _before_flags(self, first: int, stop: int) -> int:
        """Where a list of values ends: an unquoted `$ARGS` behind it may be flags, and is not among them."""
        for position in range(first, stop):
            if self._words[position].splits:
                return position
        return stop

    def _take(self, entry: Entry, written: _Written, indices: tuple[int, ...], words: Sequence[Word]) -> None:
        """The flag receives these words."""
        flag, option = entry.flag, entry.option
        if option.deprecated:
            hint = f"; use {option.replacement}" if option.replacement else ""
            self._notice(
                "ARG101",
                flag,
                indices,
                f"{written.spelling} is deprecated{hint}",
                suggestion=option.replacement,
            )
        if option.action == "custom" and option.type in _WITHOUT_EFFECT:
            self._take_without_value(entry, written, indices)
            return
        if option.type == "config_file" and not written.joined:
            # Only an exact `--config` is merged, and then it is not here any more.
            self._notice("ARG106", flag, indices, f"{written.spelling} is read and then not used")
        elif option.type == "config_file":
            self._notice(
                "ARG106",
                flag,
                indices,
                "the engine reads a configuration file only after `--config` with a space, not `--config=`",
                suggestion="--config",
            )
        values: list[Value] = []
        bad = False
        unknown = False
        read = None if entry.bounds[1] == 0 else parser(option.type).read
        for word in words:
            if not word.known:
                unknown = True
                continue
            try:
                value = read(word.text) if read is not None else None
            except BadWord as error:
                bad = True
                self._bad_value(entry, written, indices, word, error)
                continue
            if option.choices is not None and value not in option.choices:
                bad = True
                self._bad_choice(entry, written, indices, word)
                continue
            values.append(value)
        result: Value = UNKNOWN if unknown or bad else _combined(entry, values)
        self._give(entry, written, indices, result, unknown=unknown or bad)

    def _take_without_value(self, entry: Entry, written: _Written, indices: tuple[int, ...]) -> None:
        self._seen.add(entry.flag.name)
        match entry.option.type:
            case "help":
                message = f"{written.spelling} prints a help text and starts no server"
                self._problems.append(ArgumentProblem("ARG010", entry.flag.name, indices, message))
            case "retired":
                replacement = entry.option.replacement
                hint = f"; use {replacement}" if replacement else ""
                self._problems.append(
                    ArgumentProblem(
                        "ARG009",
                        entry.flag.name,
                        indices,
                        f"{written.spelling} is no longer supported{hint}",
                        replacement,
                        (replacement,) if replacement else (),
                    )
                )

    def _give(
        self, entry: Entry, written: _Written, indices: tuple[int, ...], value: Value, *, unknown: bool
    ) -> None:
        name = entry.flag.name
        self._seen.add(name)
        before = self._given.get(name)
        earlier: tuple[int, ...] = ()
        if before is not None:
            earlier = (*before.earlier, *before.words)
            if entry.option.action == "append":
                if not unknown and not before.unknown:
                    value = [*before.value, *value]
            else:
                self._notice(
                    "ARG103",
                    entry.flag,
                    indices,
                    f"{written.spelling} is given more than once; the last one counts",
                )
        self._given[name] = GivenFlag(name, value, written.spelling, indices, unknown, earlier, entry.option)

    def _bad_value(
        self, entry: Entry, written: _Written, indices: tuple[int, ...], word: Word, error: BadWord
    ) -> None:
        wanted = parser(entry.option.type).accepts
        message = f"{written.spelling} wants {wanted}: {_shown(word.text)} {error.reason}"
        outcome: Outcome = "crash" if error.crashes else "usage"
        self._problems.append(ArgumentProblem("ARG004", entry.flag.name, indices, message, outcome=outcome))

    def _bad_choice(self, entry: Entry, written: _Written, indices: tuple[int, ...], word: Word) -> None:
        from solver.launch.spelling import nearest_choices

        choices = [str(choice) for choice in entry.option.choices or ()]
        alternatives = nearest_choices(word.text, choices)
        shown = (
            ", ".join(choices)
            if len(choices) <= 8
            else f"{', '.join(choices[:6])} and {len(choices) - 6} more"
        )
        self._problems.append(
            ArgumentProblem(
                "ARG005",
                entry.flag.name,
                indices,
                f"{written.spelling} cannot be {_shown(word.text)}; it is one of {shown}",
                alternatives[0] if alternatives else None,
                alternatives,
            )
        )

    def _refuse(
        self,
        code: str,
        entry: Entry,
        written: _Written,
        indices: tuple[int, ...],
        message: str,
    ) -> None:
        """A flag that is there but whose value cannot be had."""
        self._problems.append(ArgumentProblem(code, entry.flag.name, indices, message))
        if not (entry.option.action == "custom" and entry.option.type in _WITHOUT_EFFECT):
            self._give(entry, written, indices, UNKNOWN, unknown=True)

    def _check_required(self) -> None:
        for flag in self._index.required:
            if flag.name in self._seen or self._open_ended:
                continue
            message = f"{flag.spelling} must be given"
            if self._fragment:
                self._notice("ARG107", flag, (), message)
            else:
                self._problems.append(ArgumentProblem("ARG008", flag.name, (), message))

    def _notice(
        self,
        code: str,
        flag: Flag | None,
        words: tuple[int, ...],
        message: str,
        suggestion: str | None = None,
    ) -> None:
        self._notices.append(ArgumentNotice(code, flag.name if flag else None, words, message, suggestion))


_WITHOUT_EFFECT = frozenset({"help", "ignored", "retired"})


def _combined(entry: Entry, values: list[Value]) -> Value:
    """The value that an option gives for the values of its words."""
    option = entry.option
    if option.action == "boolean":
        return not entry.negated
    if option.action == "store_const":
        return option.const
    if entry.bounds[1] == 0:
        return True
    if takes_many_words(option):
        return [values] if option.action == "append" else values
    value = values[0] if values else option.const if option.nargs == "?" else []
    return [value] if option.action == "append" else value


def _joined(word: Word, start: int) -> Word:
    """The value behind a flag's name in the same word."""
    return Word(word.text[start:], word.place, word.known, max(0, word.unknown_from - start))


def _served(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The words of `sglang serve` as its parser gets them: the model named, no choice of a backend."""
    kept: list[Word] = []
    remaining = iter(words)
    for word in remaining:
        if word.text == "--model-type":
            next(remaining, None)
        elif not word.text.startswith("--model-type="):
            kept.append(word)
    if kept and not kept[0].text.startswith("-"):
        kept.insert(0, Word("--model-path"))
    return tuple(kept)


def _shown(text: str) -> str:
    """A word as it can stand in a message: quoted, and not too long."""
    return repr(text if len(text) <= 60 else text[:57] + "...")
