"""Makes the catalog of a release from its source: flags, facts and steps, with what was not understood."""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from constraints.catalog import Catalog, Fact, Flag, Let, Release, Set, Step
from constraints.errors import CatalogError, ExpressionError
from constraints.expression.parse import parse
from constraints.expression.syntax import Name
from constraints.expression.text import text
from constraints.sglang.codes import Codes, shipped_codes, with_codes
from constraints.sglang.coverage import Coverage, coverage
from constraints.sglang.environment_declarations import extract_environment
from constraints.sglang.extraction.described import Described
from constraints.sglang.extraction.executor import Executor
from constraints.sglang.extraction.record import Record
from constraints.sglang.extraction.source import Source
from constraints.sglang.extraction.state import Frame
from constraints.sglang.extraction.steps import StepLog, finished
from constraints.sglang.extraction.values import Class, Function, Instance, Method
from constraints.sglang.flags import extract_flags
from constraints.sglang.logging_level import level_checks

EXTRACTOR = "1"
"""Changes whenever the same source would give another catalog."""

_DEEP = 20_000


@dataclass(frozen=True, slots=True)
class Extraction:
    """A catalog, and how well the source was understood."""

    catalog: Catalog
    coverage: Coverage


def extract(source_root: Path, version: str, codes: Codes | None = None) -> Extraction:
    """The catalog of the release whose package lies under `source_root`.

    Args:
        source_root: the folder that holds the package `sglang`.
        version: the release's number, as the catalog is to be called.
        codes: the registry of codes; rules that it does not know are added to it.

    Raises:
        CatalogError: where the source does not declare its flags in a way that is understood.
    """
    flags = {flag.name: flag for flag in extract_flags(source_root)}
    environment = extract_environment(source_root)
    executor = _executed(source_root, flags, environment)
    steps = _readable(with_codes(finished(executor.log), codes or shipped_codes()))
    release = Release("sglang", version, _digest(executor.source), EXTRACTOR)
    catalog = Catalog(release, flags, _facts(steps, environment), steps)
    entered = {
        key: function.node
        for key, function in executor.entered.items()
        if isinstance(function.node, ast.FunctionDef)
    }
    return Extraction(catalog, coverage(catalog, entered))


def steps_of_resolution(
    source_root: Path, flags: Mapping[str, Flag], environment: Mapping[str, Fact]
) -> tuple[Step, ...]:
    """The steps of resolving a record with these flags, as the package under `source_root` does it.

    Args:
        source_root: the folder that holds the package `sglang`.
        flags: the record's flags, by field name.
        environment: the environment variables that the engine declares, by `env.NAME`.
    """
    return _readable(finished(_executed(source_root, flags, environment).log))


def _readable(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps, every expression of which can be written down and read back as it is."""
    for step, guards in Catalog(Release("", ""), {}, {}, steps).walk():
        for expression in (*guards, step.when, *((step.value,) if isinstance(step, Let | Set) else ())):
            said = text(expression)
            try:
                same = text(parse(said)) == said
            except ExpressionError as error:
                raise CatalogError(step.at, f"an expression that cannot be read back: {error}") from error
            if not same:
                raise CatalogError(step.at, f"an expression that reads back as another: {said}")
    return steps


def _digest(source: Source) -> str:
    """A digest of the modules that were read."""
    digest = hashlib.sha256()
    for module in sorted(source.modules(), key=lambda m: m.name):
        digest.update(module.name.encode())
        digest.update(module.path.read_bytes())
    return digest.hexdigest()


def _executed(source_root: Path, flags: Mapping[str, Flag], environment: Mapping[str, Fact]) -> Executor:
    source = Source(source_root)
    log = StepLog(frozenset(flags))
    executor = Executor(source, Record(flags), log, Described(environment))
    module = source.module("sglang.srt.server_args")
    if module is None:
        raise CatalogError(str(source_root), "the package has no module sglang.srt.server_args")
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(_DEEP)
    try:
        executor.state.frames.append(Frame(module))
        owner = executor.lookup_global(module, "ServerArgs", module.tree)
        if not isinstance(owner, Class):
            raise CatalogError(str(module.path), "there is no class ServerArgs in this module")
        executor.record.self_reference = executor.state.allocate(Instance(owner))
        for check in level_checks(module.tree):
            log.refuse((), f"{module.relative}:{check.line}", check.function, check.fails, check.exception)
        for name in ("resolve_once", "check_server_args"):
            method = executor.classes.method(executor, owner, name)
            if isinstance(method, Function):
                executor.call(Method(executor.record.self_reference, method), [], {}, ast.Pass(lineno=0))
                executor.state.dead = ""
    finally:
        sys.setrecursionlimit(limit)
    return executor


def _facts(steps: tuple[Step, ...], environment: Mapping[str, Fact]) -> dict[str, Fact]:
    """The facts that the steps read."""
    names: set[str] = set()
    prefixes = ("gpu.", "model.", "draft_model.", "host.", "package.", "env.", "environ.", "env_set.")
    catalog = Catalog(Release("", ""), {}, {}, steps)
    for step, guards in catalog.walk():
        for expression in (*guards, step.when, *((step.value,) if isinstance(step, Let | Set) else ())):
            names.update(
                n.path for n in expression.distinct() if isinstance(n, Name) and n.path.startswith(prefixes)
            )
    for name in sorted(names):
        other = name
        while other in environment and environment[other].fallback not in names:
            other = environment[other].fallback
            if other:
                names.add(other)
    facts: dict[str, Fact] = {}
    for name in sorted(names):
        if name in environment:
            facts[name] = environment[name]
        elif name.startswith("environ."):
            facts[name] = Fact(name, "str", None, has_default=True)
        elif name.startswith("env_set."):
            facts[name] = Fact(name, "bool", False, has_default=True)
        else:
            facts[name] = Fact(name)
    return facts
