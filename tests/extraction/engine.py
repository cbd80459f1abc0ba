"""A small engine of a few functions, resolved both by Python and by the steps extracted from its source.

The source is one the tests write: functions over a record of flags, with the engine's own ways to view the
record and to declare values. Python runs it; the executor follows it; the two must agree on every input.
"""

from __future__ import annotations

import itertools
import sys
import textwrap
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from constraints.catalog import Catalog, Fact, Flag, Let, Refuse, Release
from constraints.expression.values import UNKNOWN, Fault
from constraints.sglang.build import steps_of_resolution
from tests.naive import interpret

MODULE = "sglang.srt.server_args"
PRELUDE = """
import copy, dataclasses, functools, json, math, os, re
from dataclasses import dataclass, field
from enum import Enum, IntEnum


class View:
    def __init__(self, record, declared):
        self._record, self._declared = record, declared

    def __getattr__(self, name):
        for fields in reversed(self._declared):
            if name in fields:
                return fields[name]
        return getattr(self._record, name)


class Variable:
    def __init__(self, value, given):
        self.value, self.given = value, given

    def get(self):
        return self.value

    def set(self, value):
        self.value, self.given = value, True

    def is_set(self):
        return self.given


class Variables:
    pass


envs = Variables()


def resolving_view(record):
    return View(record, record._declared)


def resolved_view(record):
    return View(record, list(record._declared))


def declare_resolution(server_args, source, **fields):
    server_args._declared.append(fields)


def run_post_process_pass(server_args, function):
    declare_resolution(server_args, function.__name__, **function(resolved_view(server_args)))


class ServerArgs:
    def __init__(self, given):
        self.__dict__.update(given)
        self._declared = []

    def resolve_once(self):
        resolve(self)
"""


@dataclass(frozen=True)
class Result:
    """What came of a resolution: accepted with final values, refused (and where), unknown."""

    verdict: str
    line: int = 0
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Engine:
    """The engine as written: its inputs, and both ways to resolve them."""

    domains: Mapping[str, Sequence[Any]]
    variables: Mapping[str, Sequence[Any]]
    catalog: Catalog
    run: Callable[[Mapping[str, Any], Mapping[str, Any]], Result]
    text: str

    def inputs(self) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Every combination of the flags' values and the environment variables'."""
        names, variables = list(self.domains), list(self.variables)
        for values in itertools.product(*self.domains.values(), *self.variables.values()):
            yield dict(zip(names, values)), dict(zip(variables, values[len(names) :]))  # noqa: B905

    def by_steps(self, given: Mapping[str, Any], environment: Mapping[str, Any]) -> Result:
        """The resolution that the extracted steps give."""
        facts: dict[str, Any] = {}
        for name, value in environment.items():
            facts[f"env.{name}"] = value
            facts[f"env_set.{name}"] = value != self.variables[name][0]
        outcome = interpret(self.catalog, facts, given)
        for step, result in outcome.steps:
            if isinstance(step, Let):
                continue
            if isinstance(step, Refuse) and result is UNKNOWN:
                return Result("unknown")
            if isinstance(result, Fault) and not isinstance(step, Refuse):
                return Result("refused")
            if isinstance(step, Refuse) and result is not False:
                line = int(step.at.rpartition(":")[2])
                # Python names the line that raised first.
                raised_anew = self.text.splitlines()[line - 1].strip() == "raise"
                return Result("refused", 0 if raised_anew else line)
        return Result("accepted", values={name: outcome.environment[name] for name in self.domains})

    def differences(self) -> list[str]:
        """Each input on which the two do not say the same, in words; unknowns are differences too."""
        found = []
        for given, environment in self.inputs():
            real, ours = self.run(given, environment), self.by_steps(given, environment)
            if not agree(real, ours):
                found.append(f"{given} {environment}: Python {real}, steps {ours}")
        return found

    def wrong(self) -> list[str]:
        """Each input on which the steps say something definite that is not so."""
        found = []
        for given, environment in self.inputs():
            real, ours = self.run(given, environment), self.by_steps(given, environment)
            if not consistent(real, ours):
                found.append(f"{given} {environment}: Python {real}, steps {ours}")
        return found

    def definite(self) -> int:
        """On how many inputs the steps say everything."""
        return sum(agree(self.run(*pair), self.by_steps(*pair)) for pair in self.inputs())


def agree(real: Result, ours: Result) -> bool:
    """Whether two results are the same: verdict, the line that raised, final values."""
    if real.verdict != ours.verdict or (real.line and ours.line and real.line != ours.line):
        return False
    return all(
        ours.values[name] is not UNKNOWN and plain(ours.values[name]) == plain(value)
        for name, value in real.values.items()
    )


def consistent(real: Result, ours: Result) -> bool:
    """Whether nothing definite in ours is false."""
    if ours.verdict == "unknown":
        return True
    if real.verdict != ours.verdict:
        return False
    known = {name: value for name, value in ours.values.items() if value is not UNKNOWN}
    return all(plain(value) == plain(real.values[name]) for name, value in known.items())


def plain(value: Any) -> Any:
    """A value as comparable data; a bool is no int, and a tuple is as good as a list."""
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, list | tuple):
        return [plain(element) for element in value]
    if isinstance(value, set | frozenset):
        return {plain(element) for element in value}
    if isinstance(value, dict):
        return {key: plain(element) for key, element in value.items()}
    return value


def engine(
    tmp_path: Path,
    body: str,
    *,
    variables: Mapping[str, Sequence[Any]] | None = None,
    modules: Mapping[str, str] | None = None,
    **domains: Sequence[Any],
) -> Engine:
    """An engine whose record has the flags of `domains`, the first value of each being its default.

    Args:
        tmp_path: where the package is written.
        body: the source: `resolve(server_args)` and whatever it needs.
        variables: environment variables of the engine with their values, the first the default.
        modules: further modules of the package `sglang.srt`, by name.
    """
    text = PRELUDE + textwrap.dedent(body)
    folder = tmp_path / "sglang" / "srt"
    folder.mkdir(parents=True, exist_ok=True)
    for package in (folder, folder.parent):
        (package / "__init__.py").touch()
    for name, source in {"server_args": text, **(modules or {})}.items():
        path = folder / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(textwrap.dedent(source), encoding="utf-8")
    flags = {name: _flag(name, values) for name, values in domains.items()}
    facts: dict[str, Fact] = {}
    for name, values in (variables or {}).items():
        facts[f"env.{name}"] = Fact(f"env.{name}", type(values[0]).__name__, values[0], has_default=True)
        facts[f"env_set.{name}"] = Fact(f"env_set.{name}", "bool", default=False, has_default=True)
    steps = steps_of_resolution(tmp_path, flags, facts)
    catalog = Catalog(Release("toy", "1"), flags, facts, steps)
    module = _imported(tmp_path)

    def run(given: Mapping[str, Any], environment: Mapping[str, Any]) -> Result:
        with _import_path(tmp_path, module):
            return _run(module, given, environment, variables or {})

    return Engine(domains, variables or {}, catalog, run, text)


def _flag(name: str, values: Sequence[Any]) -> Flag:
    kinds = {type(value).__name__ for value in values if value is not None}
    kind = next(iter(kinds)) if len(kinds) == 1 else "any"
    return Flag(name, "json" if kind == "dict" else kind, values[0], nullable=None in values)


def _run(
    module: ModuleType,
    given: Mapping[str, Any],
    environment: Mapping[str, Any],
    variables: Mapping[str, Sequence[Any]],
) -> Result:
    for name, value in environment.items():
        setattr(module.envs, name, module.Variable(value, value != variables[name][0]))
    record = module.ServerArgs(given)
    try:
        record.resolve_once()
    except Exception as error:  # noqa: BLE001
        last = traceback.extract_tb(error.__traceback__)[-1]
        said = str(module.__file__) == last.filename and (last.line or "").startswith(("raise", "assert"))
        return Result("refused", (last.lineno or 0) if said else 0)
    view = module.resolving_view(record)
    return Result("accepted", values={name: getattr(view, name) for name in given})


def _imported(root: Path) -> ModuleType:
    with _import_path(root):
        __import__(MODULE)
        return sys.modules[MODULE]


@contextmanager
def _import_path(root: Path, module: ModuleType | None = None) -> Iterator[None]:
    """The package under `root` can be imported as `sglang`, and is forgotten afterwards."""
    before = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "sglang"}
    for name in before:
        del sys.modules[name]
    sys.path.insert(0, str(root))
    if module is not None:
        sys.modules[MODULE] = module
    try:
        yield
    finally:
        sys.path.remove(str(root))
        for name in [name for name in sys.modules if name.split(".")[0] == "sglang"]:
            del sys.modules[name]
        sys.modules.update(before)
