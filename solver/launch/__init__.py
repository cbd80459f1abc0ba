"""Launch commands: reading their words, what the engine's parser makes of these, and writing them changed.

Nothing is ever executed or expanded by a shell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.launch.arguments import ArgumentNotice, ArgumentProblem, Arguments, GivenFlag
from solver.launch.argv import parse_arguments
from solver.launch.flag_index import FlagIndex
from solver.launch.read import read_launch, read_launches
from solver.launch.words import Launch, LaunchRemark, Place, Word

if TYPE_CHECKING:
    from solver.launch.rewriting import Rewritten, Verbatim, WordEdit, rewrite

__all__ = [
    "ArgumentNotice",
    "ArgumentProblem",
    "Arguments",
    "FlagIndex",
    "GivenFlag",
    "Launch",
    "LaunchRemark",
    "Place",
    "Rewritten",
    "Verbatim",
    "Word",
    "WordEdit",
    "parse_arguments",
    "read_launch",
    "read_launches",
    "rewrite",
]


def __getattr__(name: str) -> object:
    # Whoever only checks a command writes none. A module called `rewrite` would hide the function.
    if name not in {"Rewritten", "Verbatim", "WordEdit", "rewrite"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from solver.launch import rewriting

    return getattr(rewriting, name)
