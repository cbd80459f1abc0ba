"""The functions of the rule language: pure, total in time and memory, and Python's own where it has one.

Each raises what Python would raise, and `Touched` where the result would be too large to compute. A
method of Python's is a function here, `lower(x)` for `x.lower()`. Views and iterators become lists, and
a set is gone through in a fixed order, so that no result depends on the hash seed.
"""

from __future__ import annotations

import math
import operator
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from constraints.expression.values import Touched, Value

MAX_ELEMENTS: Final = 1_000_000
"""The longest string or list that a function makes from short ones."""
MAX_POWER_BITS: Final = 10_000
"""The largest integer that a power gives."""


@dataclass(frozen=True, slots=True)
class Function:
    """One function.

    Attributes:
        apply: computes it from ordinary values.
        least, most: how many arguments it takes; `most` is None where any number is taken.
        boolean: whether its result is always True or False.
    """

    apply: Callable[..., Value]
    least: int
    most: int | None
    boolean: bool = False


def ordered(values: Iterable[Value]) -> Iterable[Value]:
    """The same elements, those of a set in an order that does not depend on the hash seed."""
    if isinstance(values, set | frozenset):
        return sorted(values, key=lambda element: (type(element).__name__, repr(element)))
    return values


def multiply(left: Value, right: Value) -> Value:
    """`left * right`, unless that repeats a string or list beyond `MAX_ELEMENTS`."""
    for repeated, times in ((left, right), (right, left)):
        is_repetition = isinstance(repeated, str | list | tuple) and isinstance(times, int)
        if is_repetition and len(repeated) * times > MAX_ELEMENTS:
            raise Touched
    return left * right


def power(left: Value, right: Value) -> Value:
    """`left ** right`, unless that is a huge integer, or no real number."""
    are_integers = isinstance(left, int) and isinstance(right, int)
    if are_integers and right > 0 and left.bit_length() * right > MAX_POWER_BITS:
        raise Touched
    result = left**right
    if isinstance(result, complex):
        raise Touched
    return result


def remainder(left: Value, right: Value) -> Value:
    """`left % right`; as in Python, formatting where `left` is text, unless a width is large."""
    if isinstance(left, str) and re.search(r"%[^a-zA-Z%]*(?:\*|\d{5})", left):
        raise Touched
    return left % right


def type_of(name: str) -> type | tuple[type, ...]:
    """The class for a type's name in `is_instance`; `Touched` for a name that is none of `TYPES`."""
    try:
        return TYPES[name]
    except KeyError:
        raise Touched from None


def version_key(version: str) -> tuple[tuple[int, ...], int, int, int]:
    """A key that orders version numbers as PEP 440 does: dev < a < b < rc < release < post.

    What follows a `+` is left out, trailing zeros do not count. Raises ValueError for other text.
    """
    match = re.fullmatch(
        r"v?(\d+(?:\.\d+)*)[-_.]?(?:(a|b|c|rc|alpha|beta|pre|preview)[-_.]?(\d*))?"
        r"(?:[-_.]?post[-_.]?(\d*))?(?:[-_.]?dev[-_.]?(\d*))?(?:\+.*)?",
        version.strip().lower(),
    )
    if match is None:
        raise ValueError(f"not a version: {version!r}")
    numbers, stage, stage_number, post, dev = match.groups()
    release = [int(number) for number in numbers.split(".")]
    while release and release[-1] == 0:
        release.pop()
    in_development = dev is not None
    if stage is not None:
        rank = {"a": 1, "b": 2}.get(stage[0], 3)
    elif in_development and post is None:
        rank = 0
    else:
        rank = 4 if post is None else 5
    number = int((post if post is not None else stage_number) or 0)
    return tuple(release), rank, number, int(dev or 0) if in_development else MAX_ELEMENTS


def _method(name: str) -> Callable[..., Value]:
    get_method = operator.attrgetter(name)

    def apply(value: Value, *arguments: Value) -> Value:
        return get_method(value)(*arguments)

    return apply


def _text(value: Value) -> str:
    return _representation(value) if isinstance(value, set | frozenset) else str(value)


def _representation(value: Value) -> str:
    if isinstance(value, set | frozenset) and value:
        inner = ", ".join(map(repr, ordered(value)))
        return f"{{{inner}}}" if isinstance(value, set) else f"frozenset({{{inner}}})"
    return repr(value)


def _list(values: Iterable[Value] = ()) -> list[Value]:
    return list(ordered(values))


def _tuple(values: Iterable[Value] = ()) -> tuple[Value, ...]:
    return tuple(ordered(values))


def _keys(mapping: dict[Value, Value]) -> list[Value]:
    return list(mapping.keys())


def _values(mapping: dict[Value, Value]) -> list[Value]:
    return list(mapping.values())


def _items(mapping: dict[Value, Value]) -> list[Value]:
    return list(mapping.items())


def _merge(first: dict[Value, Value], *others: dict[Value, Value]) -> dict[Value, Value]:
    result = {**first}
    for other in others:
        result = {**result, **other}
    return result


def _join(separator: str, parts: Iterable[str]) -> str:
    parts = _list(parts)
    if len(separator) * len(parts) > MAX_ELEMENTS:
        raise Touched
    return separator.join(parts)


def _replace(value: str, old: str, new: str, count: int = -1) -> str:
    if len(new) * (len(value) + 1) > MAX_ELEMENTS and len(new) > len(old):
        raise Touched
    return value.replace(old, new, count)


def _range(*bounds: int) -> list[int]:
    numbers = range(*bounds)
    if len(numbers) > MAX_ELEMENTS:
        raise Touched
    return list(numbers)


def _zip(*iterables: Iterable[Value]) -> list[tuple[Value, ...]]:
    return list(zip(*map(ordered, iterables), strict=False))


def _enumerate(values: Iterable[Value], start: int = 0) -> list[tuple[int, Value]]:
    return list(enumerate(ordered(values), start))


def _unique(values: Iterable[Value]) -> list[Value]:
    return list(dict.fromkeys(ordered(values)))


def _reversed(values: Value) -> list[Value]:
    return list(reversed(values))


def _slice(
    values: Value, start: int | None = None, stop: int | None = None, step: int | None = None
) -> Value:
    return values[start:stop:step]


def _is_instance(value: Value, types: str | tuple[str, ...]) -> bool:
    names = (types,) if isinstance(types, str) else types
    return any(isinstance(value, type_of(name)) for name in names)


def _groups(match: re.Match[str] | None) -> tuple[str | None, ...] | None:
    return None if match is None else (match.group(), *match.groups())


def _re_match(pattern: str, text: str) -> tuple[str | None, ...] | None:
    return _groups(re.match(pattern, text))


def _re_search(pattern: str, text: str) -> tuple[str | None, ...] | None:
    return _groups(re.search(pattern, text))


def _re_fullmatch(pattern: str, text: str) -> tuple[str | None, ...] | None:
    return _groups(re.fullmatch(pattern, text))


def _from_json(text: str) -> Value:
    import json

    return json.loads(text)


def _to_json(value: Value) -> str:
    import json

    return json.dumps(value)


def _version_at_least(version: str, bound: str) -> bool:
    return version_key(version) >= version_key(bound)


def _type_name(value: Value) -> str:
    return type(value).__name__


TYPES: Final[Mapping[str, type | tuple[type, ...]]] = {
    "bool": bool,
    "int": int,
    "float": float,
    "str": str,
    "list": list,
    "tuple": tuple,
    "dict": dict,
    "set": (set, frozenset),
    "NoneType": type(None),
}
"""The types that `is_instance` knows by name. As in Python, a bool is an int too."""

METHODS: Final[Mapping[str, Function]] = {
    "lower": Function(_method("lower"), 1, 1),
    "upper": Function(_method("upper"), 1, 1),
    "strip": Function(_method("strip"), 1, 2),
    "lstrip": Function(_method("lstrip"), 1, 2),
    "rstrip": Function(_method("rstrip"), 1, 2),
    "split": Function(_method("split"), 1, 3),
    "startswith": Function(_method("startswith"), 2, 4, boolean=True),
    "endswith": Function(_method("endswith"), 2, 4, boolean=True),
    "removeprefix": Function(_method("removeprefix"), 2, 2),
    "removesuffix": Function(_method("removesuffix"), 2, 2),
    "isdigit": Function(_method("isdigit"), 1, 1, boolean=True),
    "isnumeric": Function(_method("isnumeric"), 1, 1, boolean=True),
    "get": Function(_method("get"), 2, 3),
    "count": Function(_method("count"), 2, 2),
    "find": Function(_method("find"), 2, 4),
    "rfind": Function(_method("rfind"), 2, 4),
    "rsplit": Function(_method("rsplit"), 1, 3),
    "partition": Function(_method("partition"), 2, 2),
    "rpartition": Function(_method("rpartition"), 2, 2),
    "index": Function(_method("index"), 2, 2),
}
"""Functions that are Python's method of the same name, called on the first argument."""

LAZY: Final = frozenset({"default", "has", "crashes"})
"""Functions that look at what an argument is before they take its value; `evaluate` knows them."""

FUNCTIONS: Final[Mapping[str, Function]] = {
    **METHODS,
    "len": Function(len, 1, 1),
    "min": Function(min, 1, None),
    "max": Function(max, 1, None),
    "abs": Function(abs, 1, 1),
    "sum": Function(sum, 1, 2),
    "any": Function(any, 1, 1, boolean=True),
    "all": Function(all, 1, 1, boolean=True),
    "round": Function(round, 1, 2),
    "floor": Function(math.floor, 1, 1),
    "ceil": Function(math.ceil, 1, 1),
    "sqrt": Function(math.sqrt, 1, 1),
    "log2": Function(math.log2, 1, 1),
    "log": Function(math.log, 1, 2),
    "gcd": Function(math.gcd, 0, None),
    "int": Function(int, 1, 2),
    "float": Function(float, 1, 1),
    "bool": Function(bool, 1, 1, boolean=True),
    "str": Function(_text, 1, 1),
    "repr": Function(_representation, 1, 1),
    "join": Function(_join, 2, 2),
    "replace": Function(_replace, 3, 4),
    "sorted": Function(sorted, 1, 1),
    "unique": Function(_unique, 1, 1),
    "encode": Function(_method("encode"), 1, 1),
    "list": Function(_list, 0, 1),
    "tuple": Function(_tuple, 0, 1),
    "set": Function(set, 0, 1),
    "dict": Function(dict, 0, 1),
    "keys": Function(_keys, 1, 1),
    "values": Function(_values, 1, 1),
    "items": Function(_items, 1, 1),
    "merge": Function(_merge, 1, None),
    "range": Function(_range, 1, 3),
    "zip": Function(_zip, 0, None),
    "enumerate": Function(_enumerate, 1, 2),
    "reversed": Function(_reversed, 1, 1),
    "slice": Function(_slice, 2, 4),
    "is_instance": Function(_is_instance, 2, 2, boolean=True),
    "type_name": Function(_type_name, 1, 1),
    "re_match": Function(_re_match, 2, 2),
    "re_search": Function(_re_search, 2, 2),
    "re_fullmatch": Function(_re_fullmatch, 2, 2),
    "json": Function(_from_json, 1, 1),
    "to_json": Function(_to_json, 1, 1),
    "basename": Function(posixpath.basename, 1, 1),
    "dirname": Function(posixpath.dirname, 1, 1),
    "splitext": Function(posixpath.splitext, 1, 1),
    "join_path": Function(posixpath.join, 1, None),
    "is_absolute": Function(posixpath.isabs, 1, 1, boolean=True),
    "version_at_least": Function(_version_at_least, 2, 2, boolean=True),
}
"""Every strict function by name: it takes values, and is poisoned where one of them is poison."""

COMPARISONS: Final[Mapping[str, Callable[[Value, Value], Value]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda left, right: left in right,
    "not in": lambda left, right: left not in right,
    "is": operator.is_,
    "is not": operator.is_not,
}

ARITHMETIC: Final[Mapping[str, Callable[[Value, Value], Value]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": multiply,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": remainder,
    "**": power,
    "|": operator.or_,
    "&": operator.and_,
    "^": operator.xor,
}
