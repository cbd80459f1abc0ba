"""How a word of a command line becomes a value: each parser that an `Option.type` names, described once.

Follows the engine's own functions, whose names stand beside ours. Knows nothing of flags.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from constraints.errors import CatalogError
from constraints.vocabulary import Value


class BadWord(ValueError):
    """A word that a parser refuses.

    Attributes:
        reason: why, as the end of a sentence that starts with the word: `is not a whole number`.
        crashes: whether the engine's parser ends in a traceback on it instead of a usage message.
    """

    def __init__(self, reason: str, *, crashes: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.crashes = crashes


@dataclass(frozen=True, slots=True)
class Parser:
    """How a word becomes a value.

    Attributes:
        name: what `Option.type` calls it.
        read: from a word to its value; raises `BadWord`.
        accepts: the words it takes, in English: `a whole number`.
        placeholder: what stands for a word that only the user knows: `NUMBER`.
        value_type: the Python type of its values; None for several.
        takes_no_word: for the parsers of custom actions that stand alone.
    """

    name: str
    read: Callable[[str], Value]
    accepts: str
    placeholder: str
    value_type: type | None
    takes_no_word: bool = False


@lru_cache(maxsize=64)
def parser(name: str) -> Parser:
    """The parser that an `Option.type` names.

    Raises:
        CatalogError: no parser of that name is described.
    """
    if name in _PARSERS:
        return _PARSERS[name]
    kind, *sections = name.split(" ")
    if kind == "json_sections" and all(":" in section for section in sections):
        allowed = {key: frozenset(keys.split(",")) for key, keys in (part.split(":") for part in sections)}
        accepts = f"a JSON object of {' and '.join(allowed)}"
        return Parser(name, lambda word: _sections(word, allowed), accepts, "JSON", dict)
    raise CatalogError("<catalog>", f"no parser {name!r} is described")


def _int(word: str) -> int:
    try:
        return int(word)
    except ValueError:
        raise BadWord("is not a whole number") from None


def _float(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise BadWord("is not a number") from None


_SUFFIXED = re.compile(r"(\d+(?:\.\d+)?)(Ki|Mi|Gi|Ti|k|M|G|T)")
_SI = {"k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_IEC = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


def _human_readable_int(word: str) -> int:
    """Source: `human_readable_int` in `utils/common.py`."""
    match = _SUFFIXED.fullmatch(word.strip())
    if match is None:
        try:
            return int(word)
        except ValueError:
            raise BadWord("is not a whole number, nor one with a suffix such as k or Ki") from None
    from decimal import Decimal

    number, suffix = match.groups()
    try:
        if suffix in _SI:
            return int(Decimal(number) * _SI[suffix])
        return int(number) * _IEC[suffix]
    except (ValueError, ArithmeticError):
        raise BadWord(f"has decimals, which {suffix} does not go with") from None


def _json(word: str) -> Value:
    import json

    try:
        return json.loads(word)
    except (ValueError, RecursionError):
        raise BadWord("is not JSON") from None


def _json_list(word: str) -> Value:
    """What orjson reads: no NaN or infinity, nothing but Unicode, big whole numbers as floats."""
    import json

    try:
        value = json.loads(word, parse_constant=_refuse, parse_float=_finite, parse_int=_machine_int)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise BadWord("is not JSON") from None
    return value


def _refuse(word: str) -> float:
    raise ValueError(word)


def _finite(word: str) -> float:
    value = float(word)
    return value if abs(value) != float("inf") else _refuse(word)


def _machine_int(word: str) -> int | float:
    value = int(word)
    return value if -(2**63) <= value < 2**64 else float(value)


def _sections(word: str, allowed: dict[str, frozenset[str]]) -> dict[str, Any]:
    """Source: `parse_cuda_graph_config_arg` in `model_executor/cuda_graph_config.py`."""
    value = _json(word)
    if not isinstance(value, dict):
        raise BadWord("is not a JSON object")
    for section, settings in value.items():
        if section not in allowed:
            raise BadWord(f"has a part {section!r}, which is none of {', '.join(allowed)}")
        if not isinstance(settings, dict):
            raise BadWord(f"has no JSON object for {section!r}")
        for key in settings:
            if key not in allowed[section]:
                raise BadWord(
                    f"has {key!r} in {section!r}, which may hold {', '.join(sorted(allowed[section]))}"
                )
    return value


def _lora_path(word: str) -> Value:
    """Source: `LoRAPathAction` in `arg_groups/argparse_actions.py`; it does not catch what goes wrong."""
    import json

    word = word.strip()
    if not (word.startswith("{") and word.endswith("}")):
        return word
    try:
        value = json.loads(word)
    except (ValueError, RecursionError):
        raise BadWord("looks like JSON but is not", crashes=True) from None
    if "lora_path" not in value or "lora_name" not in value:
        raise BadWord("lacks lora_name or lora_path", crashes=True)
    return value


def _nothing(word: str) -> Value:
    raise BadWord(f"takes no value, not even {word}")


_PARSERS: dict[str, Parser] = {
    described.name: described
    for described in (
        Parser("str", str, "any text", "TEXT", str),
        Parser("int", _int, "a whole number", "NUMBER", int),
        Parser("float", _float, "a number", "NUMBER", float),
        Parser("truthy", bool, "any text; only the empty one is false", "TEXT", bool),
        Parser(
            "human_readable_int", _human_readable_int, "a whole number, also as 25.6k or 1Mi", "NUMBER", int
        ),
        Parser("nullable_str", lambda word: None if word in ("", "None") else word, "any text", "TEXT", str),
        Parser("json", _json, "JSON", "JSON", None),
        Parser("json_list", _json_list, "JSON", "JSON", None),
        Parser(
            "lora_paths", _lora_path, "a path, NAME=PATH, or JSON with lora_name and lora_path", "PATH", None
        ),
        Parser("config_file", str, "a YAML file", "FILE", str),
        Parser("help", _nothing, "no value", "", None, takes_no_word=True),
        # Retired flags: without effect, or refused with a word on what to use instead.
        Parser("ignored", _nothing, "no value", "", None, takes_no_word=True),
        Parser("retired", _nothing, "no value", "", None, takes_no_word=True),
    )
}
