"""From Python's exceptions to the values that stand for them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Final

from constraints.expression.values import UNKNOWN, Fault, Touched, Value

DIVISIONS: Final = frozenset({"/", "//", "%"})
"""The operators of which the right side must not be 0."""


def attempt(function: Callable[..., Value], *arguments: Value) -> Value:
    """The function's result on ordinary values; a `Fault` for what it raises, `UNKNOWN` for a limit."""
    try:
        return function(*arguments)
    except (Touched, RecursionError, MemoryError):
        return UNKNOWN
    except Exception as error:  # noqa: BLE001 - whatever Python would raise is a fault
        return fault(error)


def fault(error: Exception) -> Fault:
    """The value that stands for a Python exception."""
    return Fault(type(error).__name__, str(error))


def unknown_divided_by(divisor: Value) -> Value:
    """What is not known, divided by a value: nothing can be divided by zero."""
    is_number = divisor.__class__ is int or divisor.__class__ is float
    return attempt(operator.mod, 1, divisor) if is_number and divisor == 0 else UNKNOWN


def missing_fault(path: str) -> Fault:
    """What reading a missing name comes to."""
    return Fault("AttributeError", f"there is no {path}")
