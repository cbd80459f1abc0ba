"""What evaluation deals in beside ordinary values: the unknown, the missing, and the failed.

These three are *poison*: whatever is done with one of them (an operation, a comparison, a test for
truth, a lookup) raises `Touched`. So code that was written for ordinary values can be run on them
without a check at every step: either it did not need the poisoned value, or it says so. Ask about
poison by `is`, `isinstance` or `is_known`, and compare values that may be poison by `same`.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn, TypeAlias, final

Value: TypeAlias = Any
"""None, bool, int, float, str, or a list, tuple, dict, set or frozenset of such; or poison."""


class Touched(Exception):
    """The answer cannot be had this way: poison was touched, or a limit on resources was met."""


class Poison:
    """A value that lets nothing be done with it."""

    __slots__ = ()

    def _touched(self, *_: object) -> NoReturn:
        raise Touched

    def __getattr__(self, name: str) -> NoReturn:
        # copy, pickle and inspect look for optional double-underscore names and must be told "none".
        raise AttributeError(name) if name.startswith("__") else Touched

    __bool__ = __len__ = __iter__ = __contains__ = __getitem__ = _touched
    __hash__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _touched
    __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __mod__ = __pow__ = _touched
    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __rpow__ = _touched
    __or__ = __and__ = __xor__ = __ror__ = __rand__ = __rxor__ = _touched
    __neg__ = __abs__ = __int__ = __float__ = __index__ = __round__ = __floor__ = __ceil__ = _touched
    __reversed__ = __call__ = _touched


@final
class Unknown(Poison):
    """The class of `UNKNOWN`: a value that nobody has said."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNKNOWN"

    def __reduce__(self) -> str:
        return "UNKNOWN"


@final
class Missing(Poison):
    """The class of `MISSING`: what is known not to exist, such as a key that config.json lacks."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "MISSING"

    def __reduce__(self) -> str:
        return "MISSING"


@final
class Fault(Poison):
    """Evaluation failed, as Python would have.

    Attributes:
        kind: the name of Python's exception, `ZeroDivisionError`.
        detail: its message.
    """

    __slots__ = ("detail", "kind")

    def __init__(self, kind: str, detail: str = "") -> None:
        self.kind: Final = kind
        self.detail: Final = detail

    def __repr__(self) -> str:
        return f"Fault({self.kind!r}, {self.detail!r})"

    def __reduce__(self) -> tuple[type[Fault], tuple[str, str]]:
        return Fault, (self.kind, self.detail)


UNKNOWN: Final = Unknown()
MISSING: Final = Missing()
POISON: Final = frozenset({Unknown, Missing, Fault})


def is_known(value: Value) -> bool:
    """Whether `value` is an ordinary value."""
    return value.__class__ not in POISON


def same(left: Value, right: Value) -> bool:
    """Whether two values cannot be told apart: `1`, `1.0` and `True` can, two NaNs cannot.

    Never raises; `UNKNOWN` is the same as itself, and two faults are the same if their parts are.
    """
    if left is right:
        return True
    if left.__class__ is not right.__class__:
        return False
    if isinstance(left, Fault):
        return (left.kind, left.detail) == (right.kind, right.detail)
    if isinstance(left, float):
        return repr(left) == repr(right)
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return same(list(left.items()), list(right.items()))
    if isinstance(left, set | frozenset):
        return left == right and {(type(e).__name__, e) for e in left} == {
            (type(e).__name__, e) for e in right
        }
    return bool(left == right)
