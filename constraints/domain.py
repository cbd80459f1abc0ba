"""The values of a flag: from words to values and back, and the candidates that a repair may try.

What a single word means is `constraints.parsers`' matter. How a command line is cut into options and
their words is not this module's, nor where break-points come from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from constraints.parsers import BadWord, Parser, parser
from constraints.vocabulary import Flag, Option, Value

Kind: TypeAlias = Literal["choice", "integer", "number", "text"]


def takes_no_word(option: Option) -> bool:
    """Whether an option stands alone on a command line."""
    match option.action:
        case "store_true" | "boolean":
            return True
        case "store_const":
            return option.choices is None
        case "custom":
            return parser(option.type).takes_no_word
    return option.nargs == 0


def takes_many_words(option: Option) -> bool:
    """Whether an option gives a list of values, one of each word."""
    return option.nargs not in (None, "?", 0)


def read_words(option: Option, words: Sequence[str]) -> Value:
    """The value that an option gives for the words after it; for a lone option, its constant.

    The words must be as many as the option takes.

    Raises:
        BadWord: for a word that its parser or its choices refuse.
    """
    if takes_no_word(option):
        return option.const if option.action == "store_const" else True
    if option.type == "lora_paths":
        return [parser("lora_paths").read(word) for word in words]
    if option.nargs == "?" and not words:
        return option.const
    values = [_read_word(option, word) for word in words]
    if option.action == "store_const":
        return option.const
    if option.action == "append":
        return values if takes_many_words(option) else values[0]
    return values if takes_many_words(option) else values[0]


def accepts(option: Option, value: Value) -> bool:
    """Whether some words give an option this value."""
    words = write_words(option, value)
    if words is None:
        return False
    try:
        return same(read_words(option, words), value)
    except BadWord:
        return False


def write_words(option: Option, value: Value) -> tuple[str, ...] | None:
    """The words after an option's spelling that give it a value; None where none do."""
    if option.action == "boolean":
        return () if isinstance(value, bool) else None
    if takes_no_word(option):
        if option.type in _WITHOUT_VALUE:
            return None
        return () if same(value, option.const if option.action == "store_const" else True) else None
    if option.action == "store_const":
        return (str((option.choices or ("",))[0]),) if same(value, option.const) else None
    if option.nargs == "?" and same(value, option.const):
        return ()
    if takes_many_words(option):
        if not isinstance(value, (list, tuple)) or (option.nargs == "+" and not value):
            return None
        if isinstance(option.nargs, int) and len(value) != option.nargs:
            return None
        return tuple(_write_word(option, item) for item in value)
    return (_write_word(option, value),)


def spell(flag: Flag, value: Value) -> tuple[str, ...] | None:
    """The words that give a flag a value, in the preferred spelling; None where no option can give it.

    A value that reads as an option is joined to the spelling: `--flag=-x`.
    """
    for option in sorted(flag.options, key=lambda each: each.deprecated):
        if not accepts(option, value) and not (option.action == "boolean" and isinstance(value, bool)):
            continue
        words = write_words(option, value)
        if words is None:
            continue
        spelling = option.spellings[0]
        if option.action == "boolean" and value is False:
            return ("--no-" + spelling.removeprefix("--"),)
        if len(words) == 1 and reads_as_option(words[0]):
            return (f"{spelling}={words[0]}",)
        return (spelling, *words)
    return None


def reads_as_option(word: str) -> bool:
    """Whether a word after a flag would be taken for another flag instead of its value."""
    return len(word) > 1 and word[0] == "-" and " " not in word and not NEGATIVE_NUMBER.match(word)


NEGATIVE_NUMBER = re.compile(r"^-\d+$|^-\d*\.\d+$")
"""What argparse takes for a number, not a flag. Note that `-1e-5` and `-inf` are none."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Values that a flag may be changed to.

    Attributes:
        values: the finite ones that are known, best first; each can be written on a command line.
        kind: `choice`: these are all there are. `integer`, `number`: break-points among many. `text`: any
            text or JSON, of which these are examples.
        removable: whether the flag may be left out.
        placeholder: what stands for a value that only the user knows; empty for a `choice`.
    """

    values: tuple[Value, ...]
    kind: Kind
    removable: bool
    placeholder: str = ""


def candidate_values(flag: Flag, literals: Iterable[Value] = ()) -> Candidates:
    """The finite candidate domain of a flag.

    Args:
        flag: a flag of a catalog.
        literals: values that rules compare it to, break-points, and whatever else the caller has in mind;
            those that the flag can't be given are left out.
    """
    removable = not any(option.required for option in flag.options)
    options = [option for option in flag.options if option.type not in _WITHOUT_VALUE]
    current = [option for option in options if not option.deprecated] or options
    if not current:
        return Candidates((), "choice", removable)
    own = [value for option in current for value in _own_values(option)]
    wanted = [value for literal in literals for value in _given_as(current, literal)]
    values = tuple(distinct([*own, *wanted]))
    open_ended = [option for option in current if _is_open(option)]
    if not open_ended:
        return Candidates(tuple(distinct(own)), "choice", removable)
    described = parser(open_ended[0].type)
    if takes_many_words(open_ended[0]) or described.value_type not in (int, float):
        return Candidates(values, "text", removable, _placeholder(flag, described))
    kind: Kind = "integer" if described.value_type is int else "number"
    return Candidates(values, kind, removable, described.placeholder)


def _given_as(options: Sequence[Option], literal: Value) -> Iterator[Value]:
    """The value that a rule's literal is for a flag, if it can be given: 1 is 1.0 for a number flag."""
    for option in options:
        is_whole = isinstance(literal, int) and not isinstance(literal, bool)
        value = float(literal) if is_whole and parser(option.type).value_type is float else literal
        if accepts(option, value):
            yield value
            return


def distinct(values: Iterable[Value]) -> list[Value]:
    """The values without repetitions, in order; 1, 1.0 and True are three values."""
    kept: list[Value] = []
    for value in values:
        if not any(same(value, other) for other in kept):
            kept.append(value)
    return kept


def same(left: Value, right: Value) -> bool:
    """Whether two values are equal and of the same type, so that True is not 1."""
    return type(left) is type(right) and bool(left == right)


def _own_values(option: Option) -> tuple[Value, ...]:
    """The values that an option allows by itself."""
    if option.action == "boolean":
        return (True, False)
    if takes_no_word(option) or option.action == "store_const":
        return (option.const if option.action == "store_const" else True,)
    if option.choices is not None:
        return tuple([choice] for choice in option.choices) if takes_many_words(option) else option.choices
    return ()


def _is_open(option: Option) -> bool:
    """Whether an option takes more values than can be listed."""
    if takes_no_word(option) or option.action == "store_const":
        return False
    return option.choices is None or takes_many_words(option)


_PLACEHOLDER_WORDS = {
    "path": "PATH",
    "folder": "PATH",
    "dir": "PATH",
    "file": "PATH",
    "certfile": "PATH",
    "keyfile": "PATH",
    "url": "URL",
    "urls": "URL",
    "addr": "HOST:PORT",
    "host": "HOST",
    "name": "NAME",
    "key": "KEY",
}


def _placeholder(flag: Flag, described: Parser) -> str:
    """What to call a value that only the user knows, by the last telling word of the flag's name."""
    if described.value_type is not str:
        return described.placeholder
    for word in reversed(flag.name.split("_")):
        if word in _PLACEHOLDER_WORDS:
            return _PLACEHOLDER_WORDS[word]
    return described.placeholder


def _read_word(option: Option, word: str) -> Value:
    value = parser(option.type).read(word)
    if option.choices is not None and value not in option.choices:
        raise BadWord("is not one of its choices")
    return value


def _write_word(option: Option, value: Value) -> str:
    described = parser(option.type)
    if isinstance(value, str) and described.value_type in (str, None) and not option.type.startswith("json"):
        return value
    if value is None and option.type == "nullable_str":
        return "None"
    if isinstance(value, (dict, list, bool)) or value is None or option.type.startswith("json"):
        import json

        try:
            return json.dumps(value, ensure_ascii=False)
        except (TypeError, ValueError):
            return str(value)
    return str(value)


_WITHOUT_VALUE = frozenset({"help", "ignored", "retired", "config_file"})
"""Types of options that set no flag to a value."""
