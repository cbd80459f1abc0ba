"""What every answer can do: say itself in plain JSON values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from enum import Enum
from math import isfinite
from typing import Any


class Answer:
    """What every record here can do: say itself in plain JSON values."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Its fields by name as JSON values, the same for the same answer in every process."""
        return {each.name: plain(getattr(self, each.name)) for each in fields(self)}  # type: ignore[arg-type]


def plain(value: object) -> Any:
    """A value as JSON can hold it: sets sorted, tuples as lists, expressions as text.

    What is no JSON value (not known, an error met while evaluating) becomes a dict that says so.
    """
    if value is None or (isinstance(value, (bool, int, str)) and not isinstance(value, Enum)):
        return value
    from constraints.expression.values import MISSING, UNKNOWN, Fault

    if value is UNKNOWN:
        return {"unknown": True}
    if value is MISSING:
        return {"missing": True}
    if isinstance(value, Fault):
        return {"error": value.kind, "detail": value.detail}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted((plain(each) for each in value), key=repr)
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, float):
        return value if isfinite(value) else repr(value)
    from constraints.expression.syntax import Expression

    if isinstance(value, Expression):
        from constraints.expression.text import text

        return text(value)
    to_dict = getattr(value, "to_dict", None)
    return plain(to_dict()) if to_dict is not None else str(value)
