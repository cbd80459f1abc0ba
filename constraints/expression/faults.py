"""From Python's exceptions to the values that stand for them."""

from __future__ import annotations

from collections.abc import Callable

from constraints.expression.values import UNKNOWN, Fault, Touched, Value


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


def missing_fault(path: str) -> Fault:
    """What reading a missing name comes to."""
    return Fault("AttributeError", f"there is no {path}")
