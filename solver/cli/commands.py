"""The commands, as a table: what each is called, what it takes, and which module runs it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from solver.cli.options import Raw

_WORLD = ("release", "gpu", "model_config", "model_arch", "draft_model_config", "env", "fact", "ignore")
_OUTPUT = ("output_format", "output_file", "color", "verbose")
_SEARCH = ("keep", "max_changes", "alternatives", "timeout")


class Command(NamedTuple):
    """One command.

    Attributes:
        name: its words after `flagfit`, `catalog list` among them.
        summary: one sentence for the list of commands.
        details: the rest of its help.
        operands: how the help names what stands between options and `--`; empty where nothing may.
        takes_launch: whether the words after `--` are a launch command; for others, they are operands.
        options: fields of `Options`.
        module: holds `run(invocation, options) -> int`.
        operands_may_be_flags: whether `--dcp-size` is an operand rather than a mistake.
    """

    name: str
    summary: str
    details: str
    operands: str
    takes_launch: bool
    options: tuple[str, ...]
    module: str
    operands_may_be_flags: bool = False


class Invocation(NamedTuple):
    """A command line that was read.

    Attributes:
        command: a key of `COMMANDS`.
        operands: what stood between the options.
        words: the launch command after `--`; None where there was no `--`.
        raw: the options given.
    """

    command: str
    operands: tuple[str, ...]
    words: tuple[str, ...] | None
    raw: Raw


_SOURCES = (
    "The launch command stands after `--`, in a file of shell code, in quotes as one word, or on standard "
    "input (`-`)."
)

_ROWS = (
    Command(
        "check",
        "Say whether SGLang starts with a launch command, and every rule that it breaks.",
        _SOURCES,
        "[SOURCE]...",
        True,
        (*_WORLD, *_OUTPUT),
        "solver.cli.questions",
    ),
    Command(
        "suggest-fix",
        "Find the smallest changes after which SGLang starts.",
        f"{_SOURCES} Nothing is changed: each fix is shown as a whole command, ready to paste.",
        "[SOURCE]...",
        True,
        (*_WORLD, *_SEARCH, *_OUTPUT),
        "solver.cli.questions",
    ),
    Command(
        "what-if",
        "Say what a change of flags breaks, mends and leads to.",
        f"{_SOURCES} Give at least one of --set, --unset and --allowed.",
        "[SOURCE]",
        True,
        (*_WORLD, "set", "unset", "allowed", *_SEARCH, *_OUTPUT),
        "solver.cli.questions",
    ),
    Command(
        "explain",
        "Say what a rule or a flag is: explain SGL0123, explain --dcp-size.",
        "For a rule: its condition, where SGLang enforces it, what it depends on. For a flag: how it is "
        "written, what it takes, which rules read it.",
        "CODE|FLAG...",
        False,
        ("release", *_OUTPUT),
        "solver.cli.explain",
        operands_may_be_flags=True,
    ),
    Command(
        "flags",
        "List flags; with words, those whose names or choices hold them all.",
        "",
        "[WORD]...",
        False,
        ("release", *_OUTPUT),
        "solver.cli.listing",
        operands_may_be_flags=True,
    ),
    Command(
        "rules",
        "List rules; with words, those whose code, sentence or place holds them all.",
        "",
        "[WORD]...",
        False,
        ("release", *_OUTPUT),
        "solver.cli.listing",
        operands_may_be_flags=True,
    ),
    Command(
        "catalog list",
        "List the releases that flagfit knows.",
        "",
        "",
        False,
        _OUTPUT,
        "solver.cli.catalog",
    ),
    Command(
        "catalog build",
        "Make the catalog of a release from its source: a checkout, a wheel or a version on PyPI.",
        "The catalog is written to standard output, or to --output-file. --release names the version of a "
        "source that does not say it.",
        "PATH|VERSION",
        False,
        ("release", "output_file"),
        "solver.cli.catalog",
    ),
    Command(
        "catalog verify",
        "Check catalogs: every name is known, and the command without flags is accepted.",
        "",
        "[RELEASE|PATH]...",
        False,
        _OUTPUT,
        "solver.cli.catalog",
    ),
)

COMMANDS: Mapping[str, Command] = {row.name: row for row in _ROWS}
"""The table, by name."""
