"""What registering an option with SGLang's argument parser means: one `add_argument` call as an `Option`.

Also says how an annotated field is registered, which SGLang derives from its type. Reads no source itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from constraints.catalog import Action, Option, Value
from constraints.sglang.annotations import Annotation, TypeForm
from constraints.sglang.constants import Constants
from constraints.sglang.source_values import Class, External, Function, NotConstant, plain

ABSENT: Any = type("Absent", (), {"__repr__": lambda _: "ABSENT"})()
"""No default: the record cannot be made without a value, or the parser leaves the field alone."""

SUPPRESS = External("argparse.SUPPRESS")


@dataclass(frozen=True, slots=True)
class Registration:
    """One registered option.

    Attributes:
        dest: the field it sets.
        default: what the parser fills in where no option of the field is given; `ABSENT` if nothing.
    """

    dest: str
    option: Option
    default: Value
    at: str


def registration(
    constants: Constants, spellings: Sequence[str], keywords: Mapping[str, Any], at: str
) -> Registration:
    """What `add_argument(*spellings, **keywords)` at a place registers.

    Raises:
        NotConstant: for an action, a type or a choice that is not described here.
    """
    action, built_in = _action(keywords.get("action", "store"), keywords, at)
    given = {
        **built_in,
        **{key: value for key, value in keywords.items() if value is not None or key == "default"},
    }
    default = given.get("default")
    replacement = given.get("new_flag")
    help_text = given.get("help")
    if replacement is None and isinstance(help_text, str):
        replacement = _replacement(help_text)
    deprecated = "deprecated" in built_in or (isinstance(help_text, str) and _is_deprecated(help_text))
    choices = given.get("choices")
    option = Option(
        spellings=tuple(spellings),
        action=action,
        type="config_file"
        if "--config" in spellings
        else given.get("custom") or _type_name(constants, given.get("type"), at),
        nargs=given.get("nargs"),
        choices=None if choices is None else tuple(plain(constants.iterated(choices))),
        const=plain(given["const_value"] if "const_value" in given else given.get("const")),
        deprecated=deprecated,
        replacement=replacement if deprecated else None,
        required=given.get("required", False),
    )
    dest = given.get("dest") or _dest(spellings)
    return Registration(dest, option, ABSENT if default == SUPPRESS else plain(default), at)


def field_registration(
    name: str, annotation: Annotation, default: Value
) -> tuple[list[str], dict[str, Any]] | None:
    """The spellings and keywords that SGLang registers an annotated field with; None where it registers none.

    Source: `add_cli_args_from_dataclass` in `arg_groups/arg_utils.py`.
    """
    argument = annotation.argument
    if argument is None or argument.get("no_cli"):
        return None
    spellings = [argument.get("cli_name") or "--" + name.replace("_", "-"), *(argument.get("aliases") or ())]
    keywords: dict[str, Any] = {"dest": name, "help": argument.get("help")}
    if default is not ABSENT:
        keywords["default"] = default
    if argument.get("action") is not None:
        return spellings, {**keywords, "action": argument["action"], **(argument.get("action_kwargs") or {})}
    form = annotation.type
    if form == TypeForm("builtins.bool"):
        return spellings, {**keywords, "action": "store_true"}
    for key in ("choices", "const", "nargs"):
        keywords[key] = argument.get(key)
    keywords["type"] = argument.get("type_parser") or _inferred_type(form)
    if form.name == "typing.Literal":
        keywords["choices"] = argument.get("choices") or list(form.arguments)
        keywords["type"] = argument.get("type_parser") or _inferred_type(
            TypeForm(f"builtins.{type(form.arguments[0]).__name__}")
        )
        del keywords["nargs"]
    elif form.name == "builtins.list" and argument.get("type_parser") is None:
        keywords["type"] = _inferred_type(form.arguments[0] if form.arguments else form)
        keywords["nargs"] = argument.get("nargs") or "+"
    elif argument.get("required") is True or (argument.get("required") is None and default is ABSENT):
        keywords["required"] = True
    return spellings, keywords


def _inferred_type(form: TypeForm) -> External:
    plain_types = ("builtins.int", "builtins.float")
    return External(form.name if form.name in plain_types else "builtins.str")


_BUILT_IN: dict[str, tuple[Action, dict[str, Any]]] = {
    "store": ("store", {}),
    "store_true": ("store_true", {"const": True, "default": False}),
    "store_const": ("store_const", {}),
    "append": ("append", {}),
    "help": ("custom", {"custom": "help", "default": SUPPRESS}),
    "argparse.BooleanOptionalAction": ("boolean", {}),
    "LoRAPathAction": ("custom", {"custom": "lora_paths"}),
    # Not the class of a plain `store_true`, which a configuration file treats differently.
    "DeprecatedStoreTrueAction": ("store_const", {"const": True, "default": False, "deprecated": True}),
    "DeprecatedStoreConstAction": ("store_const", {"deprecated": True}),
    "DeprecatedAliasStoreAction": ("store", {"deprecated": True}),
    "DeprecatedAction": ("custom", {"custom": "ignored", "deprecated": True}),
}
"""By argparse's name or the class's: the catalog's action, and what the class fills in by itself."""


def _action(action: Any, keywords: Mapping[str, Any], at: str) -> tuple[Action, dict[str, Any]]:
    name = action if isinstance(action, str) else action.path
    if isinstance(action, Class):
        name = action.name
    if name not in _BUILT_IN:
        raise NotConstant(at, f"the action {name} is not described")
    kind, built_in = _BUILT_IN[name]
    if name == "DeprecatedAction" and keywords.get("error_message") is not None:
        others = re.findall(r"--[a-z][a-z0-9-]*[a-z0-9]", keywords["error_message"])
        return kind, {**built_in, "custom": "retired", "new_flag": others[1] if len(others) > 1 else None}
    return kind, built_in


_TYPES = {
    "builtins.str": "str",
    "builtins.int": "int",
    "builtins.float": "float",
    "builtins.bool": "truthy",
    "json.loads": "json",
    "human_readable_int": "human_readable_int",
    "json_list_type": "json_list",
    "nullable_str": "nullable_str",
    # It refuses one retired backend in other words; the choices refuse it anyway.
    "parse_cuda_graph_backend_arg": "str",
}
"""By dotted path, or for functions of the package by name: the name of a parser in `constraints.parsers`."""


def _type_name(constants: Constants, parser: Any, at: str) -> str:
    if parser is None:
        return "str"
    name = parser.path if isinstance(parser, External) else parser.name
    if name == "parse_cuda_graph_config_arg":
        return _sections(constants, parser)
    if name not in _TYPES:
        raise NotConstant(at, f"the parser {name} is not described")
    return _TYPES[name]


def _sections(constants: Constants, parser: Function) -> str:
    """The type of a JSON object of phases with a fixed set of keys each, which differs between releases."""
    allowed = constants.name(parser.module, "ALLOWED_KEYS_PER_PHASE")
    sections = " ".join(f"{phase}:{','.join(keys)}" for phase, keys in allowed.items())
    return f"json_sections {sections}"


def _dest(spellings: Sequence[str]) -> str:
    long = [spelling for spelling in spellings if spelling.startswith("--")]
    return (long or list(spellings))[0].lstrip("-").replace("-", "_")


def _is_deprecated(help_text: str) -> bool:
    return re.match(r"\W*deprecated\b", help_text, re.IGNORECASE) is not None


def _replacement(help_text: str) -> str | None:
    """The flag that a help text says to use instead: a name, never the text."""
    found = re.search(r"\buse `?'?(--[a-z][\w-]*(?:=[\w-]+)?)", help_text, re.IGNORECASE)
    return found.group(1) if found else None
