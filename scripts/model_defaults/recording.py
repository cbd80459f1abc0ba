"""Walks the configuration classes of an installed SGLang and transformers, and says them as a table."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from dataclasses import MISSING as NO_DEFAULT
from typing import Any

from scripts.model_defaults.literals import Untranslatable, plain
from scripts.model_defaults.translation import Translated, translate

FORMAT = 1

_OLDER_NAMES = {"rope_scaling": "rope_parameters", "torch_dtype": "dtype"}
"""Properties of the base class that read and write another attribute."""

_PROGRAMS = {"__init__": "init", "__post_init__": "post", "convert_rope_params_to_dict": "rope"}
_ABOUT_CLASSES = frozenset(
    (
        "attribute_map",
        "base_config_key",
        "base_model_ep_plan",
        "base_model_fsdp_plan",
        "base_model_pp_plan",
        "base_model_tp_plan",
        "has_no_defaults_at_init",
        "ignore_keys_at_rope_validation",
        "keys_to_ignore_at_inference",
        "model_type",
        "sub_configs",
    )
)
"""Attributes of classes that say nothing about a model."""

_ABSENT = object()
_MAX_DEPTH = 3


class Recorder:
    """The table as it grows: an entry for each class that something refers to.

    Attributes:
        base: transformers' base class.
        entries: what is said of each class, by the table's name for it.
        classes: the classes themselves.
        gaps: what the translation had no words for.
    """

    def __init__(self) -> None:
        import sglang
        import transformers
        from sglang.srt import server_args  # noqa: F401  (registers every configuration class)
        from sglang.srt.utils.hf_transformers import common
        from transformers import GenerationConfig, PretrainedConfig
        from transformers.models.auto.configuration_auto import CONFIG_MAPPING

        self.base: Any = PretrainedConfig
        self.entries: dict[str, dict[str, Any]] = {}
        self.classes: dict[str, Any] = {}
        self.gaps: list[str] = []
        self._versions = {"sglang": sglang.__version__, "transformers": transformers.__version__}
        self._mapping = CONFIG_MAPPING
        self._types = sorted({*CONFIG_MAPPING._mapping, *CONFIG_MAPPING._extra_content})  # noqa: SLF001
        self._registry = dict(sorted(common._CONFIG_REGISTRY.items()))  # noqa: SLF001
        self._generation = sorted(GenerationConfig._get_default_generation_params())  # noqa: SLF001
        self._queue: list[Any] = []
        self._head = self._read()

    def lines(self) -> Iterator[str]:
        """The table's text, one class a line, the same for the same classes."""
        entries = {"": self._head, **dict(sorted(self.entries.items()))}
        yield "{\n"
        for index, (name, entry) in enumerate(entries.items(), 1):
            comma = "," if index < len(entries) else ""
            yield f"{json.dumps(name)}: {json.dumps(entry, separators=(',', ':'))}{comma}\n"
        yield "}\n"

    def _read(self) -> dict[str, Any]:
        types: dict[str, str] = {}
        for model_type in self._types:
            try:
                cls = self._mapping[model_type]
            except Exception as error:  # noqa: BLE001  (a class that needs a package which is not there)
                self.gaps.append(f"{model_type}: {error}")
                continue
            if self._has_vocabulary(cls):
                types[model_type] = self._name(cls)
        registry = {model_type: self._name(cls) for model_type, cls in self._registry.items()}
        base = self._name(self.base)
        while self._queue:
            cls = self._queue.pop()
            self.entries[self._name(cls)] = self._entry(cls)
        return {
            "format": FORMAT,
            "versions": self._versions,
            "base": base,
            "types": types,
            "registry": registry,
            "generation": self._generation,
        }

    def _name(self, cls: Any) -> str:
        """What the table calls a class: its library's first letter and its name."""
        library, module = cls.__module__.split(".")[0], cls.__module__.split(".")[-1]
        for name in (f"{library[0]}.{cls.__name__}", f"{library[0]}.{module}.{cls.__name__}"):
            if self.classes.setdefault(name, cls) is cls:
                break
        else:
            raise SystemExit(f"two classes are called {name}")
        if name not in self.entries:
            self.entries[name] = {}
            self._queue.append(cls)
        return name

    def _has_vocabulary(self, cls: Any, depth: int = 0) -> bool:
        """Whether a class, or a part of it, describes a model of words; SGLang serves no others."""
        if cls.__module__.split(".")[0] != "transformers":
            return True
        parameters = inspect.signature(cls.__init__).parameters
        if "vocab_size" in {*dir(cls), *cls.attribute_map, *parameters}:
            return True
        parts = cls.sub_configs
        if "text_config" in parts and not self._is_config(parts["text_config"]):
            return True
        return depth < _MAX_DEPTH and any(
            self._has_vocabulary(part, depth + 1) for part in parts.values() if self._is_config(part)
        )

    def _is_config(self, found: Any) -> bool:
        return isinstance(found, type) and issubclass(found, self.base)

    def _entry(self, cls: Any) -> dict[str, Any]:
        entry: dict[str, Any] = {"type": cls.model_type}
        if cls is not self.base:
            entry["parent"] = self._name(next(each for each in cls.__mro__[1:] if self._is_config(each)))
        aliases = {**cls.attribute_map, **(_OLDER_NAMES if cls is self.base else {})}
        if aliases:
            entry["aliases"] = aliases
        if cls.base_config_key:
            entry["key"] = cls.base_config_key
        subs = {key: self._name(sub) for key, sub in cls.sub_configs.items() if self._is_config(sub)}
        if subs:
            entry["subs"] = subs
        has_constructor = _has_constructor(cls)
        if not has_constructor:
            entry |= self._fields(cls)
        entry |= self._members(cls, entry.get("fields", {}))
        for function, key in _PROGRAMS.items():
            if cls is self.base or function not in vars(cls) or (key == "init" and not has_constructor):
                continue
            entry[key] = self._program(cls, vars(cls)[function], function)
        if cls is not self.base and any(_reads_its_own_way(vars(cls).get(hook)) for hook in _HOOKS):
            entry["opaque"] = True
        return entry

    def _fields(self, cls: Any) -> dict[str, Any]:
        """The fields that differ from the base's, and those whose default is no data."""
        found: dict[str, Any] = {}
        unsayable: list[str] = []
        for field in cls.__dataclass_fields__.values():
            if "ClassVar" in str(field.type):
                continue
            default = field.default
            if default is NO_DEFAULT and field.default_factory is not NO_DEFAULT:
                default = field.default_factory()
            try:
                found[field.name] = plain(default)
            except Untranslatable:
                unsayable.append(field.name)
        if cls is not self.base:
            usual = self._fields(self.base)["fields"]
            found = {name: value for name, value in found.items() if usual.get(name, _ABSENT) != value}
        return {"fields": found, **({"unknown": unsayable} if unsayable else {})}

    def _members(self, cls: Any, fields: dict[str, Any]) -> dict[str, Any]:
        constants: dict[str, Any] = {}
        methods: set[str] = set()
        properties: dict[str, Any] = {}
        setters: dict[str, Any] = {}
        owners = cls.__mro__[:-1] if cls is self.base else (cls,)
        for name, value in (pair for owner in reversed(owners) for pair in vars(owner).items()):
            if name.startswith("_") or name in fields:
                continue
            if name in _ABOUT_CLASSES:
                methods |= {name} if cls is self.base else set()
            elif isinstance(value, property):
                if cls is not self.base:
                    properties[name] = self._computed(cls, value.fget)
                    if value.fset is not None:
                        setters[name] = self._program(cls, value.fset, f"{name}.setter")
                elif name not in _OLDER_NAMES:
                    properties[name] = None
            elif callable(value) or hasattr(value, "__get__"):
                methods.add(name)
            else:
                try:
                    constants[name] = plain(value)
                except Untranslatable:
                    methods.add(name)
        sections = {"constants": constants, "methods": sorted(methods), "properties": properties}
        return {key: value for key, value in {**sections, "setters": setters}.items() if value}

    def _computed(self, cls: Any, function: Any) -> dict[str, Any] | None:
        """A property's program; None where a part of it could not be said."""
        known = len(self.gaps)
        program = self._program(cls, function, function.__name__)
        return program if "result" in program and len(self.gaps) == known else None

    def _program(self, cls: Any, function: Any, name: str) -> dict[str, Any]:
        try:
            made = translate(inspect.unwrap(function), cls, self._name, self.base)
        except (Untranslatable, OSError, TypeError, SyntaxError) as reason:
            self.gaps.append(f"{cls.__name__}.{name}: {reason}")
            return {"steps": [{"unknown": ["self.*", "keyword.*"]}]}
        self.gaps += made.gaps
        return _as_data(made)


_HOOKS = ("__getattr__", "__getattribute__", "__setattr__")


def _reads_its_own_way(hook: Any) -> bool:
    return hook is not None and "__strict_setattr__" not in str(hook)


def _has_constructor(cls: Any) -> bool:
    """Whether a class has an `__init__` of its own, not the one that fills fields for `__post_init__`."""
    constructor = inspect.unwrap(vars(cls).get("__init__", object.__init__))
    code = getattr(constructor, "__code__", None)
    if code is None or code.co_filename != inspect.getfile(cls):
        return False
    source = inspect.getsource(constructor)
    return "dataclass_fields" not in source and "__dataclass" not in source


def _as_data(made: Translated) -> dict[str, Any]:
    program: dict[str, Any] = {}
    if made.parameters:
        program["parameters"] = made.parameters
    if made.required:
        program["required"] = made.required
    program["steps"] = _gathered(made.steps)
    if made.result:
        program["result"] = made.result
    return program


def _gathered(steps: list[Any]) -> list[Any]:
    """Runs of `self.x = local.x` as one step."""
    gathered: list[Any] = []
    for step in steps:
        target, _, value = step.partition(" = ") if isinstance(step, str) else ("", "", "")
        name = target.removeprefix("self.")
        if target != f"self.{name}" or value != f"local.{name}" or "." in name:
            gathered.append(step)
        elif gathered and isinstance(gathered[-1], dict) and "copy" in gathered[-1]:
            gathered[-1]["copy"].append(name)
        else:
            gathered.append({"copy": [name]})
    return gathered
