"""What SGLang's own argument parser makes of the words of a launch: values, and what it refuses.

Follows argparse as of Python 3.11: abbreviations, `--flag=value`, greedy lists, negative numbers, `--`.
Collects every problem, where argparse stops at the first; whether there is one is the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from constraints.domain import takes_many_words
from constraints.expression.values import UNKNOWN
from constraints.parsers import BadWord, parser
from constraints.vocabulary import Flag, Value
from solver.launch.arguments import ArgumentNotice, ArgumentProblem, Arguments, GivenFlag, Outcome
from solver.launch.flag_index import Entry, FlagIndex
from solver.launch.flag_words import WrittenFlag, flag_words
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
        self._searches = 0
        self._ambiguous: Mapping[int, ArgumentProblem] = {}
        self._words = launch.words
        if launch.form == "serve":
            self._words = _served(self._words)
        if any(word.text == "--config" for word in self._words):
            self._merge(launch)

    def arguments(self) -> Arguments:
        found = flag_words(self._index, self._words)
        self._problems += found.problems.values()
        self._notices += found.notices
        self._ambiguous = found.problems
        self._consume(found.written)
        self._check_required()
        return Arguments(
            self._given,
            (*self._problems, *self._extra),
            tuple(sorted(self._notices, key=lambda notice: notice.words[:1] or (len(self._words),))),
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

    # --- flags and their values

    def _consume(self, classified: Sequence[WrittenFlag | None]) -> None:
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

    def _unknown_flag(self, position: int, written: WrittenFlag, last: int) -> int:
        """A flag that the release does not have takes the words after it along."""
        words = tuple(range(position, last))
        word = self._words[position]
        if not word.known and written.joined is None and word.unknown_from < len(written.spelling):
            self._open_ended = True
            self._notice("ARG104", None, words, f"the name of the flag {word.text} is not known")
            return last
        if position in self._ambiguous:
            # Its values go with it.
            problem = self._ambiguous[position]
            self._problems[self._problems.index(problem)] = replace(problem, words=words)
            return last
        name = written.spelling.partition("=")[0]
        alternatives = self._nearest(name)
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

    def _nearest(self, name: str) -> tuple[str, ...]:
        """The spellings nearest to a name; none after the first names: each search takes its time."""
        self._searches += 1
        if self._searches > _SEARCHES:
            return ()
        from solver.launch.spelling import nearest_flags

        return nearest_flags(name, self._index.entries)

    def _joined_value(self, position: int, written: WrittenFlag, entry: Entry, joined: Word) -> None:
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

    def _following_values(self, position: int, written: WrittenFlag, entry: Entry, last: int) -> int:
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

    def _take(
        self, entry: Entry, written: WrittenFlag, indices: tuple[int, ...], words: Sequence[Word]
    ) -> None:
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

    def _take_without_value(self, entry: Entry, written: WrittenFlag, indices: tuple[int, ...]) -> None:
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
        self, entry: Entry, written: WrittenFlag, indices: tuple[int, ...], value: Value, *, unknown: bool
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
        self, entry: Entry, written: WrittenFlag, indices: tuple[int, ...], word: Word, error: BadWord
    ) -> None:
        wanted = parser(entry.option.type).accepts
        message = f"{written.spelling} wants {wanted}: {_shown(word.text)} {error.reason}"
        outcome: Outcome = "crash" if error.crashes else "usage"
        self._problems.append(ArgumentProblem("ARG004", entry.flag.name, indices, message, outcome=outcome))

    def _bad_choice(self, entry: Entry, written: WrittenFlag, indices: tuple[int, ...], word: Word) -> None:
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
        written: WrittenFlag,
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


_SEARCHES = 20
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
