"""An argparse parser with a catalog's options: what `solver.launch.argv` is compared with."""

import argparse
import contextlib
import io
from collections.abc import Mapping
from typing import Any

from constraints.catalog import Flag, Option
from constraints.domain import takes_no_word
from constraints.parsers import BadWord, parser


class _LoraPaths(argparse.Action):
    def __call__(self, _parser: Any, namespace: Any, values: Any, _option_string: Any = None) -> None:
        setattr(namespace, self.dest, [parser("lora_paths").read(value) for value in values])


class _OneWordConst(argparse.Action):
    kept: Any

    def __call__(self, _parser: Any, namespace: Any, _values: Any, _option_string: Any = None) -> None:
        setattr(namespace, self.dest, self.kept)


class _Parser(argparse.ArgumentParser):
    """Reads words as the engine's does: a `BadWord` is a `ValueError`, which argparse reports."""


def real_parser(flags: Mapping[str, Flag]) -> argparse.ArgumentParser:
    made = _Parser(prog="engine", add_help=False)
    for flag in flags.values():
        for option in flag.options:
            _add(made, flag, option)
    return made


def _add(made: argparse.ArgumentParser, flag: Flag, option: Option) -> None:
    keywords: dict[str, Any] = {"dest": flag.name, "default": argparse.SUPPRESS}
    if option.required:
        keywords["required"] = True
    match option.action:
        case "store_true":
            keywords["action"] = "store_true"
        case "boolean":
            keywords["action"] = argparse.BooleanOptionalAction
        case "store_const" if takes_no_word(option):
            keywords |= {"action": "store_const", "const": option.const}
        case "store_const":
            action = type("Action", (_OneWordConst,), {"kept": option.const})
            keywords |= {"action": action, "choices": option.choices}
        case "custom" if option.type == "help":
            keywords = {"action": "help"}
        case "custom" if option.type == "lora_paths":
            keywords |= {"action": _LoraPaths, "nargs": option.nargs}
        case "store" | "append":
            keywords |= {"action": option.action, "type": parser(option.type).read, "nargs": option.nargs}
            keywords |= {"choices": option.choices, "const": option.const}
            keywords = {key: value for key, value in keywords.items() if value is not None}
        case _:
            raise NotImplementedError(option.action)
    made.add_argument(*option.spellings, **keywords)


def real_answer(made: argparse.ArgumentParser, words: list[str]) -> Any:
    """The values by field name; or "usage", or "crash"."""
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        try:
            return vars(made.parse_args(words))
        except SystemExit:
            return "usage"
        except (BadWord, ValueError):
            return "crash"
