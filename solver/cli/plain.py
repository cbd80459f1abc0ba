"""Reads the plainest command lines, without loading typer. No grammar of its own: what is not plain is left.

Typer costs as much time as a whole check of a launch command. So a command line of exact option names,
each with a value that can't be taken for anything else, is read here; all else (help, errors,
shorthands, groups) is read by `grammar`. What this module reads, `grammar` reads the same: a test says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from solver.cli.commands import COMMANDS, Invocation
from solver.cli.options import OPTIONS

Split = tuple[Sequence[str], tuple[str, ...] | None]


def split_at_dashes(arguments: Sequence[str]) -> Split:
    """What stands before the first `--`, and after it (None where there is none)."""
    if "--" not in arguments:
        return arguments, None
    at = arguments.index("--")
    return arguments[:at], tuple(arguments[at + 1 :])


def read_plain(arguments: Sequence[str]) -> Invocation | None:
    """The command line read, or None where it takes a grammar to read it.

    Args:
        arguments: the words after `flagfit`.
    """
    head, words = split_at_dashes(arguments)
    command = COMMANDS.get(head[0]) if head else None
    if command is None or not command.takes_launch:
        return None
    fields = {OPTIONS[name].spellings[0]: name for name in command.options}
    given: dict[str, str | tuple[str, ...] | bool] = {}
    operands: list[str] = []
    rest = iter(head[1:])
    for word in rest:
        if not word.startswith("-") or word == "-":
            operands.append(word)
            continue
        spelling, equals, value = word.partition("=")
        name = fields.get(spelling)
        if name is None:
            return None
        if OPTIONS[name].is_switch:
            if equals:
                return None
            given[name] = True
            continue
        if not equals:
            value = next(rest, "-")
            if value.startswith("-"):
                return None
        if OPTIONS[name].repeated:
            earlier = given.get(name, ())
            given[name] = (*earlier, value) if isinstance(earlier, tuple) else (value,)
        else:
            given[name] = value
    return Invocation(command.name, tuple(operands), words, given)
