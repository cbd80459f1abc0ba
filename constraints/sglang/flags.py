"""The flags of an SGLang release, read from its source: fields, command-line options, choices, defaults.

Detects how a release declares them by what exists, not by its version: annotated fields collected from
namespaces or written in the class itself, options registered by hand, or both. No help text is kept.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from constraints.catalog import Flag, Option, Value
from constraints.errors import CatalogError
from constraints.sglang.annotations import Annotation, Annotations
from constraints.sglang.constants import Constants
from constraints.sglang.modules import Module
from constraints.sglang.registration import ABSENT, Registration, field_registration, registration
from constraints.sglang.source_values import Class, Effect, External, NotConstant, Record, plain

PACKAGE = "sglang"
SERVER_ARGS = "sglang.srt.server_args"
RECORD = "ServerArgs"


def extract_flags(source_root: Path) -> tuple[Flag, ...]:
    """Every flag of the release whose package `sglang` lies under `source_root`, in the order of its record.

    Options that belong to no field of the record (`--config`, `--help`, retired ones) come last.

    Raises:
        CatalogError: where the source does not declare its flags in a way that is understood.
    """
    try:
        return _Release(source_root).flags()
    except NotConstant as error:
        path, _, line = error.at.rpartition(":")
        raise CatalogError(
            path or error.at,
            f"the flags are not understood: {error.reason}",
            int(line) if line.isdigit() else None,
        ) from error


@dataclass(frozen=True, slots=True)
class _Field:
    """One field of the record. Its default is `ABSENT` where the record cannot be made without a value."""

    name: str
    annotation: Annotation
    default: Value
    group: str
    at: str


class _Parser(Effect):
    """Stands for the argument parser in `add_cli_args`: passes on what is registered, in order."""

    def __init__(self, register: Callable[[Sequence[str], Mapping[str, Any]], None]) -> None:
        self._register = register

    def member(self, name: str) -> Any:
        if name == "add_argument":
            return lambda *spellings, **keywords: self._register(spellings, keywords)
        if name in ("add_argument_group", "add_mutually_exclusive_group"):
            return lambda *_, **__: self
        raise AttributeError(f"{name} of the parser is not described")


class _Release:
    """One release's declarations, while they are read."""

    def __init__(self, source_root: Path) -> None:
        self._constants = Constants(
            source_root,
            PACKAGE,
            {
                "dataclasses.fields": lambda _: self._records(),
                "msgspec.structs.fields": lambda _: self._records(),
                "sglang.srt.arg_groups.arg_utils.add_cli_args_from_dataclass": self._register_fields,
                # No module is loaded yet when arguments are parsed: names come from the light tables.
                "sys.modules.get": lambda *_: None,
                # An environment variable that is not set has its declared default.
                ".get": lambda variable: variable.positional[0],
            },
        )
        module = self._constants.modules.get(SERVER_ARGS)
        if module is None:
            raise CatalogError(str(source_root), f"it holds no module {SERVER_ARGS}")
        self._module = module
        self._record = Class(module, _class(module, RECORD))
        # The class may be made anew from collected fields further down; its own statement says enough.
        self._constants.bind(module, RECORD, self._record)
        self._annotations = Annotations(self._constants)
        self._fields = {declared.name: declared for declared in self._ordered_fields()}
        self._registered: dict[str, list[Registration]] = {}

    def flags(self) -> tuple[Flag, ...]:
        self._register(("-h", "--help"), {"action": "help"})
        add_cli_args = self._constants.class_attribute(self._record, "add_cli_args")
        self._constants.call(add_cli_args, [_Parser(self._register)])
        self._rename()
        flags = [_flag(declared, self._registered.pop(name, [])) for name, declared in self._fields.items()]
        return (*flags, *(_loose_flag(entries) for entries in self._registered.values()))

    # --- the command line

    def _register(self, spellings: Sequence[str], keywords: Mapping[str, Any]) -> None:
        entry = registration(self._constants, spellings, keywords, self._constants.site or self._module.at)
        self._registered.setdefault(entry.dest, []).append(entry)

    def _register_fields(self, _parser: Any, _record: Any, *, fields: Sequence[str] | None = None) -> None:
        for declared in self._fields.values():
            if fields is None or declared.name in fields:
                options = field_registration(declared.name, declared.annotation, declared.default)
                if options is not None:
                    entry = registration(self._constants, *options, declared.at)
                    self._registered.setdefault(entry.dest, []).append(entry)

    def _rename(self) -> None:
        """Hands options over to the field that `from_cli_args` copies their value to: `args.X = args.Y`."""
        function = self._constants.class_attribute(self._record, "from_cli_args")
        for statement in function.node.body:
            match statement:
                case ast.Assign(
                    targets=[ast.Attribute(value=ast.Name(id="args"), attr=field)],
                    value=ast.Attribute(value=ast.Name(id="args"), attr=dest),
                ) if dest in self._registered:
                    self._registered.setdefault(field, []).extend(self._registered.pop(dest))

    def _records(self) -> list[Record]:
        """The record's fields as functions of the source see them."""
        return [Record({"name": field.name, "default": field.default}) for field in self._fields.values()]

    # --- the record

    def _ordered_fields(self) -> list[_Field]:
        namespaces, order = self._namespaces()
        fields: dict[str, _Field] = {}
        for cls in namespaces or self._lineage(self._record):
            fields.update((declared.name, declared) for declared in self._fields_of(cls))
        known = [name for name in order if name in fields]
        return [fields[name] for name in dict.fromkeys((*known, *fields))]

    def _namespaces(self) -> tuple[list[Class], list[str]]:
        """The classes that the record's fields are collected from, and the order kept for old fields."""
        for statement in self._module.tree.body:
            match statement:
                case ast.Assign(
                    value=ast.Call(func=ast.Name(id="collect_input_fields") as function, args=[sources])
                ):
                    collector = self._constants.value(self._module, function)
                    order = collector.module.binding("POSITIONAL_FIELD_ORDER") and self._constants.name(
                        collector.module, "POSITIONAL_FIELD_ORDER"
                    )
                    return list(self._constants.value(self._module, sources)), list(order)
        return [], []

    def _lineage(self, cls: Class) -> list[Class]:
        """A class and its bases within the package, bases first."""
        inherited = [base for base in self._constants.bases(cls) if isinstance(base, Class)]
        return [ancestor for base in inherited for ancestor in self._lineage(base)] + [cls]

    def _fields_of(self, cls: Class) -> list[_Field]:
        group = ""
        found = []
        for statement in cls.node.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id="_NS_PATH")], value=ast.Constant(value=str() as path)):
                    group = path
                case ast.AnnAssign(target=ast.Name(id=name), annotation=node, value=value):
                    read = self._annotations.read(cls.module, node)
                    if read.type.name != "typing.ClassVar":
                        default = ABSENT if value is None else self._default(cls.module, value)
                        at = cls.module.place(statement)
                        found.append(_Field(name, read, default, read.namespace or group, at))
        return found

    def _default(self, module: Module, node: ast.expr) -> Value:
        """A field's default; a factory is called."""
        if isinstance(node, ast.Call):
            function = self._constants.value(module, node.func)
            if isinstance(function, External) and function.path in ("dataclasses.field", "msgspec.field"):
                keywords = {keyword.arg: keyword.value for keyword in node.keywords}
                if "default_factory" in keywords:
                    return self._constants.call(self._constants.value(module, keywords["default_factory"]))
                return self._constants.value(module, keywords["default"]) if "default" in keywords else ABSENT
        return self._constants.value(module, node)


def _flag(declared: _Field, entries: Sequence[Registration]) -> Flag:
    annotation = declared.annotation
    default = next((entry.default for entry in entries if entry.default is not ABSENT), declared.default)
    required = any(entry.option.required for entry in entries)
    return Flag(
        name=declared.name,
        type=_value_type(annotation, entries),
        default=None if default is ABSENT else plain(default),
        nullable=annotation.nullable or (default is None and not required),
        options=tuple(entry.option for entry in entries),
        group=declared.group,
        at=declared.at,
        fallback=(annotation.argument or {}).get("fallback"),
    )


def _loose_flag(entries: Sequence[Registration]) -> Flag:
    """The flag of options that set no field of the record."""
    default = next((entry.default for entry in entries if entry.default is not ABSENT), None)
    return Flag(
        name=entries[0].dest,
        type=_option_type(entries[0].option),
        default=default,
        nullable=default is None,
        options=tuple(entry.option for entry in entries),
        at=entries[0].at,
    )


def _value_type(annotation: Annotation, entries: Sequence[Registration]) -> str:
    declared = annotation.type.value_type()
    if declared is not None:
        return declared
    return _option_type(entries[0].option) if entries else "any"


_SAME_VALUES = {"human_readable_int": "int", "nullable_str": "str", "config_file": "str", "json_list": "json"}


def _option_type(option: Option) -> str:
    """The kind of values that an option gives, where no annotation says it."""
    if option.action in ("store_true", "boolean"):
        return "bool"
    if option.action == "store_const":
        return type(option.const).__name__
    if option.action == "custom":
        return "json" if option.type == "lora_paths" else "bool"
    single = _SAME_VALUES.get(option.type, option.type)
    if single.startswith("json"):
        return "json"
    return single if option.nargs in (None, "?") else f"list[{single}]"


def _class(module: Module, name: str) -> ast.ClassDef:
    for statement in module.tree.body:
        if isinstance(statement, ast.ClassDef) and statement.name == name:
            return statement
    raise CatalogError(module.at, f"it declares no class {name}")
