"""The spellings of a release's flags, ready to be looked up, prefixes included. Knows nothing of commands."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass

from constraints.domain import NEGATIVE_NUMBER, takes_no_word
from constraints.vocabulary import Flag, Option


@dataclass(frozen=True, slots=True)
class Entry:
    """What a spelling stands for."""

    flag: Flag
    option: Option
    negated: bool
    bounds: tuple[int, int]
    """The least and the greatest number of words it takes."""


class FlagIndex:
    """The spellings of a release's flags, ready to be looked up. Make one a catalog and keep it."""

    __slots__ = ("_sorted", "entries", "flags", "has_negative_numbers", "required")

    def __init__(self, flags: Mapping[str, Flag]) -> None:
        self.flags = flags
        self.entries: dict[str, Entry] = {}
        for flag in flags.values():
            for option in flag.options:
                entry = Entry(flag, option, False, _bounds(option))
                for spelling in option.spellings:
                    self.entries[spelling] = entry
                    if option.action == "boolean" and spelling.startswith("--"):
                        self.entries["--no-" + spelling[2:]] = Entry(flag, option, True, (0, 0))
        self._sorted = sorted(self.entries)
        self.has_negative_numbers = any(NEGATIVE_NUMBER.match(spelling) for spelling in self._sorted)
        self.required = tuple(flag for flag in flags.values() if any(each.required for each in flag.options))

    def starting_with(self, prefix: str) -> list[str]:
        """The spellings that begin so, in alphabetical order."""
        first = bisect_left(self._sorted, prefix)
        found = []
        for spelling in self._sorted[first:]:
            if not spelling.startswith(prefix):
                break
            found.append(spelling)
        return found


def _bounds(option: Option) -> tuple[int, int]:
    if takes_no_word(option):
        return 0, 0
    match option.nargs:
        case None:
            return 1, 1
        case "?":
            return 0, 1
        case "*":
            return 0, _ANY
        case "+":
            return 1, _ANY
        case int(count):
            return count, count
    return 0, _ANY


_ANY = 1 << 30
