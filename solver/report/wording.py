"""Values and options as people write them on a command line. No sentences: those come with the answers."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING

from constraints.expression.values import MISSING, UNKNOWN, Fault

if TYPE_CHECKING:
    from constraints.vocabulary import Value
    from solver.answers import Cause

_LONGEST = 120


def value_text(value: Value) -> str:
    """One value: as a shell word where it is one, else as JSON; what is no value, in words: `not given`."""
    if value is UNKNOWN:
        return "(not known)"
    if value is MISSING:
        return "(absent)"
    if isinstance(value, Fault):
        return f"({value.kind})"
    if isinstance(value, str):
        return shlex.quote(value)
    if isinstance(value, list | tuple) and all(isinstance(each, str | int | float) for each in value):
        return " ".join(value_text(each) for each in value)
    if isinstance(value, Mapping | list | tuple):
        import json

        return shlex.quote(json.dumps(value, default=str))
    return str(value)


def option_text(spelling: str, value: Value) -> str:
    """A flag with its value, as it would stand on a command line; a switch stands alone."""
    if value is True:
        return spelling
    text = value_text(value)
    return f"{spelling} {text}" if text else spelling


def cause_text(cause: Cause) -> str:
    """A leaf of a reason: `--dcp-size 2`, `--pp-size 1 (default)`, `gpu.sm = 90`."""
    if cause.kind == "fact":
        return shortened(f"{cause.name} = {value_text(cause.value)}")
    text = shortened(option_text(cause.spelling, cause.value))
    if cause.kind == "given":
        return text
    if cause.value is False or cause.value is None:
        return f"{cause.spelling} not given"
    return f"{text} (default)"


def shortened(text: str) -> str:
    """The text, cut in the middle where it is too long to read."""
    return text if len(text) <= _LONGEST else f"{text[:80]} … {text[-36:]}"


def counted(count: int, singular: str, plural: str = "") -> str:
    """`1 rule`, `2 rules`."""
    return f"{count} {singular if count == 1 else plural or singular + 's'}"
