"""A key for caches that stands for one object, whatever the object is equal to."""

from __future__ import annotations

from typing import Any, final


@final
class Identity:
    """Equal to another one of the same object alone. Keeps the object alive."""

    __slots__ = ("of",)

    def __init__(self, of: Any) -> None:
        self.of = of

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and other.of is self.of

    def __hash__(self) -> int:
        return id(self.of)
