"""Launch commands: reading their words, what the engine's parser makes of these, and writing them changed.

Nothing is ever executed or expanded by a shell.
"""

from __future__ import annotations

from solver.launch.arguments import ArgumentNotice, ArgumentProblem, Arguments, GivenFlag
from solver.launch.argv import parse_arguments
from solver.launch.flag_index import FlagIndex
from solver.launch.read import read_launch, read_launches
from solver.launch.rewrite import Rewritten, Verbatim, WordEdit, rewrite
from solver.launch.words import Launch, LaunchRemark, Place, Word

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
