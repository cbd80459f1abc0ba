"""Merges the YAML file after `--config` under the words of a command, as SGLang does before it parses them.

Source: `utils/server_args_config_parser.py`. Values are read by the rules of YAML 1.1, which PyYAML follows.
A file that is not here is no problem: what it holds is not known.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from constraints.domain import takes_many_words, takes_no_word
from constraints.user_files import read_start
from solver.launch.arguments import ArgumentNotice, ArgumentProblem
from solver.launch.flag_index import FlagIndex
from solver.launch.words import Place, Word

FLAG = "--config"
LIMIT_BYTES = 1_000_000
LIMIT_NODES = 20_000
"""Aliases can make a small file as large as anybody likes."""
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Merged:
    """The words with the file's in front of them, and what is to be said about it.

    Attributes:
        open_ended: whether the file could not be read, so that it may hold any flag.
    """

    words: tuple[Word, ...]
    problems: tuple[ArgumentProblem, ...] = ()
    notices: tuple[ArgumentNotice, ...] = ()
    open_ended: bool = False


def merged(index: FlagIndex, words: tuple[Word, ...], source: str) -> Merged:
    """The words of a command with those of its configuration file merged under them.

    Args:
        index: the flags of the release.
        words: they hold an exact `--config`.
        source: the file that the command stands in; a relative path is also looked for beside it.
    """
    at = [position for position, word in enumerate(words) if word.text == FLAG]
    if len(at) > 1:
        return _refused(words, at, "--config is given more than once")
    position = at[0]
    if position + 1 == len(words):
        return _refused(words, at, "--config wants a file")
    file = words[position + 1]
    others = words[:position] + words[position + 2 :]
    if not file.known:
        return _unread(others, f"{file.text} is not known")
    if Path(file.text).suffix.lower() not in (".yaml", ".yml"):
        return _refused(
            words, (position, position + 1), f"--config wants a .yaml file, not {_short(file.text)!r}"
        )
    path = _found(file.text, source)
    if path is None:
        return _unread(others, f"{_short(file.text)} is not here")
    try:
        return Merged((*_words_of(path, index), *others))
    except _NotMergedError as error:
        return _refused(words, (position, position + 1), f"{path}: {error}")
    except OSError as error:
        return _unread(others, f"{path} cannot be read: {error.strerror}")
    except RecursionError:
        return _refused(words, (position, position + 1), f"{path}: it is nested too deeply")


class _NotMergedError(Exception):
    """The engine could not merge the file."""


def _refused(words: tuple[Word, ...], at: tuple[int, ...] | list[int], message: str) -> Merged:
    problem = ArgumentProblem("ARG011", "config", tuple(at), message, outcome="crash")
    return Merged(words, (problem,))


def _unread(words: tuple[Word, ...], why: str) -> Merged:
    notice = ArgumentNotice(
        "ARG105", "config", (), f"the flags in the configuration file are not known: {why}"
    )
    return Merged(words, notices=(notice,), open_ended=True)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"…{name[1 - _LONGEST_NAME :]}"


def _found(name: str, source: str) -> Path | None:
    for candidate in (Path(name), Path(source).parent / name):
        try:
            if candidate.exists() and not candidate.is_dir():
                return candidate
        except (OSError, ValueError):
            continue
    return None


def _words_of(path: Path, index: FlagIndex) -> Iterator[Word]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    content = read_start(str(path), LIMIT_BYTES)
    if len(content) > LIMIT_BYTES:
        raise _NotMergedError("it is too large")
    try:
        root = YAML(typ="safe", pure=True).compose(content.decode("utf-8"))
    except (YAMLError, UnicodeDecodeError, RecursionError):
        raise _NotMergedError("it is not YAML") from None
    if root is None:
        return
    if root.id != "mapping":
        if _plain(root, _Budget()) is not None:
            raise _NotMergedError("its root is not a mapping of flags")
        return
    supported, lone = _supported(index)
    budget = _Budget()
    # A key that is repeated keeps its first place and takes its last value.
    entries: dict[str, tuple[Any, Any]] = {}
    for key_node, value_node in root.value:
        key = _plain(key_node, budget)
        if not isinstance(key, str) or key == "<<":
            raise _NotMergedError(f"line {key_node.start_mark.line + 1}: a key is no flag's name")
        entries[key] = (key_node, value_node)
    for key, (key_node, value_node) in entries.items():
        normal = key.replace("-", "_")
        if normal in supported and not supported[normal]:
            raise _NotMergedError(f"{key} cannot be set by a configuration file")
        value = _plain(value_node, budget)
        flag = Word(f"--{key}", _place(path, key_node))
        values = _texts(value)
        if isinstance(value, bool) and normal in lone:
            if value:
                yield flag
        elif values or not isinstance(value, list):
            yield flag
            yield from (Word(text, _place(path, value_node)) for text in values)


def _texts(value: Any) -> list[str]:
    """The words that the engine makes of a key's value."""
    if isinstance(value, bool):
        return [str(value).lower()]
    if isinstance(value, list):
        return [str(item) for item in value]
    if isinstance(value, dict):
        return [json.dumps(value)]
    return [str(value)]


def _supported(index: FlagIndex) -> tuple[dict[str, bool], set[str]]:
    """For every key that names a flag, whether a file may set it; and the keys of flags that stand alone."""
    supported: dict[str, bool] = {}
    lone: set[str] = set()
    for flag in index.flags.values():
        for option in flag.options:
            if option.type in ("help", "config_file"):
                continue
            spellings = list(option.spellings)
            if option.action == "boolean":
                spellings += ["--no-" + spelling[2:] for spelling in spellings]
            keys = {flag.name, *(spelling[2:].replace("-", "_") for spelling in spellings)}
            # The engine's own test: its plain lone flags, its plain stores, and whatever takes one word.
            alone = option.action == "store_true"
            one_word = not takes_no_word(option) and not takes_many_words(option)
            fits = alone or one_word or (option.action == "store" and not option.deprecated)
            for key in keys:
                supported[key] = supported.get(key, False) or fits
            if alone:
                lone |= keys
    return supported, lone


@dataclass(slots=True)
class _Budget:
    nodes: int = LIMIT_NODES

    def spend(self) -> None:
        self.nodes -= 1
        if self.nodes < 0:
            raise _NotMergedError("it is too large")


_BOOL = re.compile(r"yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF")
_INT = re.compile(
    r"[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+"
    r"|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+"
)
_FLOAT = re.compile(
    r"[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?"
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_NULL = re.compile(r"~|null|Null|NULL|")


def _plain(node: Any, budget: _Budget) -> Any:
    """The value of a node."""
    budget.spend()
    if node.id == "sequence":
        return [_plain(item, budget) for item in node.value]
    if node.id == "mapping":
        try:
            return {_plain(key, budget): _plain(value, budget) for key, value in node.value}
        except TypeError:
            raise _NotMergedError("a key in it is a list or a mapping") from None
    text = str(node.value)
    if node.style in ("'", '"', "|", ">"):
        return text
    if _NULL.fullmatch(text):
        return None
    if _BOOL.fullmatch(text):
        return text.lower() in ("yes", "true", "on")
    if _INT.fullmatch(text):
        return _integer(text.replace("_", ""))
    if _FLOAT.fullmatch(text):
        return _number(text.replace("_", "").lower())
    return text


def _integer(text: str) -> int:
    try:
        value = _whole_number(text)
        str(value)  # as the engine writes it out again
    except (ValueError, OverflowError):
        raise _NotMergedError(f"the number {text[:20]}… cannot be read") from None
    return value


def _whole_number(text: str) -> int:
    sign = -1 if text.startswith("-") else 1
    digits = text.lstrip("+-")
    if digits.startswith("0b"):
        return sign * int(digits, 2)
    if digits.startswith("0x"):
        return sign * int(digits, 16)
    if ":" in digits:
        return sign * int(_sexagesimal(digits))
    return sign * (int(digits, 8) if digits.startswith("0") and digits != "0" else int(digits))


def _number(text: str) -> float:
    sign = -1.0 if text.startswith("-") else 1.0
    digits = text.lstrip("+-")
    if digits in (".inf", ".nan"):
        return sign * float(digits[1:])
    return sign * (_sexagesimal(digits) if ":" in digits else float(digits))


def _sexagesimal(digits: str) -> float:
    total = 0.0
    for part in digits.split(":"):
        total = total * 60 + float(part)
    return total


def _place(path: Path, node: Any) -> Place:
    start, end = node.start_mark, node.end_mark
    return Place(str(path), start.line + 1, start.column + 1, start.index, end.index)
