"""What SGLang sees in its environment variables: parsed as its own registry does, with its own defaults.

The declarations come from a catalog's facts (`environment_declarations` reads them from a release's
source). `env.NAME` is the parsed value, `environ.NAME` the text, `env_set.NAME` whether there is one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from constraints.expression.values import UNKNOWN
from constraints.vocabulary import Fact

Value: TypeAlias = Any

PREFIXES = ("env.", "environ.", "env_set.")

_OLD_PREFIX, _NEW_PREFIX = "SGL_", "SGLANG_"
_ALWAYS_SET = frozenset(
    ("HOME", "HOSTNAME", "LANG", "LOGNAME", "PATH", "PWD", "SHELL", "TMPDIR", "USER", "PYTHONPATH")
)
"""Variables of the system: that nobody mentioned them does not mean that they are not set."""


def environment_of(variables: Mapping[str, str]) -> Mapping[str, str]:
    """The variables as SGLang leaves them when it starts: `SGL_X`, an old spelling, also sets `SGLANG_X`."""
    return {**variables, **{_renamed(name): variables[name] for name in variables if _is_old(name)}}


def unknown_of(names: Iterable[str]) -> frozenset[str]:
    """Variables that nobody knows, and those that SGLang would set from them when it starts."""
    return frozenset(spelling for name in names for spelling in (name, _renamed(name)))


def _is_old(name: str) -> bool:
    return name.startswith(_OLD_PREFIX)


def _renamed(name: str) -> str:
    return _NEW_PREFIX + name.removeprefix(_OLD_PREFIX) if _is_old(name) else name


@dataclass(frozen=True, slots=True)
class Environment:
    """Answers `env.*`, `environ.*` and `env_set.*`.

    Attributes:
        variables: what is set, after `environment_of`. A name not in it is taken to be unset.
        declared: the catalog's facts by name; those of `env.` are looked at.
        elsewhere: the value of a fact outside the environment, for defaults that depend on the machine.
        unknown: variables of which nobody knows what they are set to, or whether.
    """

    variables: Mapping[str, str]
    declared: Mapping[str, Fact]
    elsewhere: Callable[[str], Value]
    unknown: Collection[str] = ()

    def get(self, path: str) -> Value:
        """The value of a fact whose name starts with one of `PREFIXES`; UNKNOWN where it cannot be told."""
        kind, _, name = path.partition(".")
        if name in self.unknown or (name not in self.variables and name in _ALWAYS_SET):
            return UNKNOWN
        if kind == "environ":
            return self.variables.get(name)
        if kind == "env_set":
            return name in self.variables
        return self._parsed(path, name)

    def _parsed(self, path: str, name: str) -> Value:
        fact = self.declared.get(path)
        if fact is None:
            return UNKNOWN
        if name not in self.variables:
            return self._default(fact)
        try:
            return parse_variable(fact.type, self.variables[name])
        except ValueError:
            # SGLang warns and takes the default; it asks no older name, as the newer one is set.
            return _own_default(fact) if fact.has_default else self._default(fact)

    def _default(self, fact: Fact) -> Value:
        """The value of a variable that is not set."""
        if fact.fallback.startswith("env."):
            return self.get(fact.fallback)
        if fact.fallback:
            return self.elsewhere(fact.fallback)
        return _own_default(fact)


def _own_default(fact: Fact) -> Value:
    if not fact.has_default:
        return UNKNOWN
    return tuple(fact.default) if fact.type == "tuple[str]" else fact.default


def parse_variable(type_name: str, text: str) -> Value:
    """A variable's value from its text.

    Args:
        type_name: the fact's type: `bool`, `int`, `float`, `str`, `tuple[str]` or `json`.
        text: what the variable is set to.

    Returns:
        The value; UNKNOWN where `json` text may name a file on the server, and for any other type.

    Raises:
        ValueError: if SGLang would not understand the text, and take the default.
    """
    parse = _PARSERS.get(type_name)
    return UNKNOWN if parse is None else parse(text)


def _bool(text: str) -> bool:
    word = text.lower()
    if word in {"true", "1", "yes", "y"}:
        return True
    if word in {"false", "0", "no", "n"}:
        return False
    raise ValueError(f"{text!r} is neither yes nor no")


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for part in text.split(",") if (word := part.strip()))


def _json(text: str) -> Value:
    if not text:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return UNKNOWN


_PARSERS: Mapping[str, Callable[[str], Value]] = {
    "bool": _bool,
    "int": int,
    "float": float,
    "str": str,
    "tuple[str]": _words,
    "json": _json,
}
