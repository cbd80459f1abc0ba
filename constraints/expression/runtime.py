"""What the source made by `compile` calls: the language's functions, and those that notice poison."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from constraints.expression.functions import FUNCTIONS, multiply, ordered, power, remainder
from constraints.expression.values import MISSING, POISON, Touched, Value


def known(value: Value) -> Value:
    """The value itself. Raises `Touched` for poison."""
    if value.__class__ in POISON:
        raise Touched
    return value


def unknown() -> Value:
    """Always raises `Touched`."""
    raise Touched


def contains(element: Value, container: Value) -> bool:
    """`element in container`, also where the container is an empty list and would not look."""
    return known(element) in container


def item(value: Value, index: Value) -> Value:
    """`value[index]`."""
    return value[index]


def has(value: Value) -> bool:
    """Whether the value is not `MISSING`. Raises `Touched` for other poison."""
    return value is not MISSING and known(value) is value


def crashes(compute: Callable[[], Value]) -> bool:
    """False, or `Touched` where computing raises: only `evaluate` can tell a fault from poison."""
    try:
        compute()
    except Exception:  # noqa: BLE001 - any of them may be either
        raise Touched from None
    return False


NAMESPACE: Final[Mapping[str, Any]] = {
    **{name: function.apply for name, function in FUNCTIONS.items()},
    "multiply": multiply,
    "power": power,
    "remainder": remainder,
    "ordered": ordered,
    "known": known,
    "unknown": unknown,
    "contains": contains,
    "item": item,
    "has": has,
    "crashes": crashes,
    "MISSING": MISSING,
    "__builtins__": {},
}
"""The globals that the source reads. No builtins are within reach."""
