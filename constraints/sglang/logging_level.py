"""The check that SGLang makes by accident before it reads anything else: whether a log level exists.

Between parsing arguments and making its record, `prepare_server_args` looks the level up as an attribute of
Python's `logging`. That is no step of the resolution, and is found here by its form.
"""

from __future__ import annotations

import ast
import logging
from collections.abc import Iterator
from typing import Final, NamedTuple

from constraints.expression.syntax import Call, Collection, Comparison, Expression, Literal, Name

LEVELS: Final = tuple(
    sorted(name for name in vars(logging) if name.isupper() and isinstance(getattr(logging, name), int))
)
"""The names of levels that Python's logging has."""

_FUNCTION: Final = "prepare_server_args"


class LevelCheck(NamedTuple):
    """A place where a level is looked up.

    Attributes:
        line: of the source, counted from 1.
        function: the one around it.
        fails: the condition under which there is no such level.
        exception: the type of what is raised then.
    """

    line: int
    function: str
    fails: Expression
    exception: str


def level_checks(tree: ast.Module) -> Iterator[LevelCheck]:
    """The look-ups `getattr(logging, args.FLAG.upper())` in the function that parses the arguments."""
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and function.name == _FUNCTION:
            for node in ast.walk(function):
                flag = _flag_looked_up(node)
                if isinstance(node, ast.Call) and flag is not None:
                    level = Call("upper", (Name(f"given.{flag}"),))
                    known = Collection("tuple", tuple(map(Literal, LEVELS)))
                    fails = Comparison("not in", level, known)
                    yield LevelCheck(node.lineno, _FUNCTION, fails, "AttributeError")


def _flag_looked_up(node: ast.AST) -> str | None:
    match node:
        case ast.Call(
            func=ast.Name("getattr"),
            args=[
                ast.Name("logging"),
                ast.Call(func=ast.Attribute(ast.Attribute(_, flag), "upper"), args=[], keywords=[]),
            ],
            keywords=[],
        ):
            return flag
    return None
