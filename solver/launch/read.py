"""Reads a launch from a command: a shell text, a JSON list of words, or words given as such."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from constraints.errors import LaunchNotFound, UnreadableInput
from solver.launch.launcher import (
    Launcher,
    are_flags,
    file_name,
    find_launcher,
    other_launcher,
    wrapped_environment,
)
from solver.launch.shell import ASSIGNMENT, COMMAND, ShellCommand, Source, check_text, read_source
from solver.launch.words import MENTION, WORDS, Form, Launch, Place, Word, placeholder_at, words_of

NESTING_LIMIT = 3
"""How many texts may lie within another: `ssh host "sh -c '…'"`."""


def read_launch(source: str | Sequence[str], *, file: str = COMMAND) -> Launch:
    """The first launch in a command.

    Args:
        source: a shell text, or the words of a command. Words that start with a flag are flags alone.
        file: the name that places in a text get.

    Raises:
        UnreadableInput: the text is empty, too large, no text, or its quotes do not match.
        LaunchNotFound: it starts no SGLang server.
    """
    for launch in read_launches(source, file=file):
        return launch
    raise AssertionError("read_launches finds one or raises")


def read_launches(source: str | Sequence[str], *, file: str = COMMAND) -> tuple[Launch, ...]:
    """All launches in a shell text or in the words of a command, at least one.

    Args and raises: as `read_launch`.
    """
    if not isinstance(source, str):
        return (_of_words(source),)
    check_text(source, file)
    if source.lstrip().startswith("["):
        words = _json_words(source, file)
        if words is not None:
            command = ShellCommand(words, {}, words[0].place or Place(file, 1, 1))
            return _found((command,), Source(source, file, escapes="json"), source)
    whole = Source(source, file)
    return _found(read_source(whole, {}), whole, source)


def _found(commands: Sequence[ShellCommand], source: Source, text: str) -> tuple[Launch, ...]:
    found = tuple(_once(_launches_of(commands, source, ())))
    if found:
        return found
    if commands and are_flags(commands[0].words):
        return (_launch(commands[0], 0, "flags", source, ()),)
    broken = [command for command in commands if command.broken_at is not None]
    if broken and (MENTION.search(text) or len(broken) == len(commands)):
        raise _unreadable(broken[0])
    raise _not_found(text, commands)


def _once(launches: Iterator[Launch]) -> Iterator[Launch]:
    """A command that an array or a variable holds and that is run later is one launch, as it is run."""
    by_place: dict[Place | None, Launch] = {}
    for launch in launches:
        by_place[launch.prefix[-1].place if launch.prefix else None] = launch
    return iter(by_place.values())


def _unreadable(command: ShellCommand) -> UnreadableInput:
    place = command.broken_at or command.place
    reason = "the command cannot be read from here on: is a quote not closed, or a bracket?"
    return UnreadableInput(place.file, reason, place.line, place.column)


def _of_words(texts: Sequence[str]) -> Launch:
    if any("\0" in text for text in texts):
        raise UnreadableInput(WORDS, "a word holds a NUL")
    words = words_of(texts)
    if not words:
        raise UnreadableInput(WORDS, "there are none")
    command = _assignments_split(ShellCommand(words, {}, Place(WORDS, 1, 1)))
    launcher = Launcher(0, "flags") if are_flags(command.words) else find_launcher(command.words)
    if launcher is not None and other_launcher(command.words) is None:
        launch = _launch(command, launcher.end, launcher.form, None, ())
        return replace(launch, prefix=words[: len(words) - len(launch.words)])
    for text in texts:
        # A word may be a whole command that was quoted: `sh -c "…"`.
        if any(character.isspace() for character in text) and (len(texts) == 1 or MENTION.search(text)):
            return read_launch(text)
    raise _not_found(" ".join(texts), (command,))


def _assignments_split(command: ShellCommand) -> ShellCommand:
    """A command with the `NAME=value` words before it taken for its environment."""
    environment: dict[str, Word] = {}
    first = 0
    for word in command.words:
        match = ASSIGNMENT.match(word.text)
        if match is None:
            break
        unknown_from = max(0, word.unknown_from - match.end())
        environment[match[1]] = Word(word.text[match.end() :], word.place, word.known, unknown_from)
        first += 1
    return ShellCommand(command.words[first:], environment, command.place, command.variables, command.remarks)


def _launches_of(
    commands: Sequence[ShellCommand], source: Source, quotes: tuple[str, ...]
) -> Iterator[Launch]:
    for command in commands:
        launcher = find_launcher(command.words)
        if launcher is not None:
            if other_launcher(command.words) is None:
                yield _launch(command, launcher.end, launcher.form, source, quotes)
        elif len(quotes) < NESTING_LIMIT:
            for word in command.words:
                yield from _nested(word, command, source, quotes)


def _nested(word: Word, command: ShellCommand, source: Source, quotes: tuple[str, ...]) -> Iterator[Launch]:
    """The launches in a text within quotes: `sh -c '…'`, `ssh host "…"`, `COMMAND="…"`."""
    if word.place is None or not MENTION.search(word.text):
        return
    inner = source.within(word.place)
    if inner is None:
        return
    within, quote = inner
    commands = read_source(within, command.variables)
    for launch in _launches_of(commands, within, (*quotes, quote)):
        environment, unknown = _environment(command, launch.prefix[:0])
        yield replace(
            launch,
            environment={**environment, **launch.environment},
            unknown_environment=(unknown - launch.environment.keys()) | launch.unknown_environment,
        )


def _launch(
    command: ShellCommand, end: int, form: Form, source: Source | None, quotes: tuple[str, ...]
) -> Launch:
    if command.broken_at is not None:
        raise _unreadable(command)
    prefix = command.words[:end]
    environment, unknown = _environment(command, prefix)
    return Launch(
        words=command.words[end:],
        environment=environment,
        unknown_environment=unknown,
        place=command.place,
        text=None if source is None else source.outermost.text,
        syntax="words" if source is None else source.outermost.escapes,
        form=form,
        prefix=prefix,
        quotes=quotes,
        remarks=command.remarks,
    )


_CONTAINERS = frozenset({"docker", "podman", "nerdctl"})


def _environment(command: ShellCommand, prefix: Sequence[Word]) -> tuple[dict[str, str], frozenset[str]]:
    """The variables that a launch gets: those with known values, and the names of the others."""
    inherited = command.environment
    variables: dict[str, Word] = dict(inherited)
    if any(file_name(word.text) in _CONTAINERS for word in prefix):
        # A container gets what it is given with `-e`, and nothing else of the shell's.
        variables = {}
    for name, value in wrapped_environment(prefix, inherited):
        if value is None:
            variables.pop(name, None)
        else:
            variables[name] = value
    known = {name: value.text for name, value in variables.items() if value.known}
    return known, frozenset(variables.keys() - known.keys())


def _json_words(text: str, file: str) -> tuple[Word, ...] | None:
    """The words of a JSON list of strings, as Docker and Kubernetes write commands; None where it is none."""
    import json

    try:
        texts = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(texts, list) or not texts or not all(isinstance(each, str) for each in texts):
        return None
    source = Source(text, file)
    words = []
    for match, word in zip(_JSON_STRING.finditer(text), texts, strict=True):
        place = source.place(match.start(), match.end())
        unknown = placeholder_at(word)
        words.append(
            Word(word, place) if unknown is None else Word(word, place, known=False, unknown_from=unknown)
        )
    return tuple(words)


def _not_found(text: str, commands: Sequence[ShellCommand]) -> LaunchNotFound:
    stripped = text.strip()
    start = stripped.splitlines()[0] if stripped else ""
    shown = start if len(start) <= 60 else start[:57] + "..."
    for command in commands:
        other = other_launcher(command.words)
        if other is not None:
            return LaunchNotFound(shown, f"it starts {other}, which has flags of its own")
    wanted = "`python -m sglang.launch_server`, `sglang serve`, or flags alone"
    return LaunchNotFound(shown, f"it starts no SGLang server: {wanted} were looked for")


_JSON_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
