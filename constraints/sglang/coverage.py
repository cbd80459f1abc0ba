"""How much of a release's source a catalog understands: every refusing site, and what became of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from constraints.catalog import Catalog, Let, Refuse
from constraints.expression.syntax import Expression, Name, Unknown


@dataclass(frozen=True, slots=True)
class Site:
    """One `raise` or `assert` of the source.

    Attributes:
        at: `file:line`.
        function: the function around it.
        state: `exact` (its condition is known), `outside` (it depends on what no configuration says: a
            file, the network, a device), `partly` (a part of it was not understood), `unreached` (no path
            leads there).
        causes: what was not understood, each as `file:line cause`.
    """

    at: str
    function: str
    state: str
    causes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Coverage:
    """All refusing sites of the functions that were entered."""

    sites: tuple[Site, ...]

    def count(self, state: str) -> int:
        """How many sites are in a state."""
        return sum(site.state == state for site in self.sites)

    def summary(self) -> str:
        """One line for people."""
        exact, partly, outside = (self.count(state) for state in ("exact", "partly", "outside"))
        share = 100 * exact / max(1, exact + partly)
        return (
            f"{len(self.sites)} refusing sites: {exact} exact ({share:.1f} % of those in scope), "
            f"{partly} partly unknown, {outside} out of scope, {self.count('unreached')} not reached"
        )


def coverage(catalog: Catalog, entered: Mapping[tuple[str, str], ast.FunctionDef]) -> Coverage:
    """The state of every `raise` and `assert` in the functions that extraction entered."""
    opaque = _opaque_names(catalog)
    causes: dict[str, set[str]] = {}
    rules: set[str] = set()
    for step, guards in catalog.walk():
        if not isinstance(step, Refuse):
            continue
        rules.add(step.at)
        for expression in (*guards, step.when):
            causes.setdefault(step.at, set()).update(_causes(expression, opaque))
    found: dict[str, Site] = {}
    for (file, function), node in sorted(entered.items()):
        for line, last in _refusals(node):
            at = next((f"{file}:{n}" for n in (line, *last) if f"{file}:{n}" in rules), f"{file}:{line}")
            why = tuple(sorted(causes.get(at, ())))
            state = "unreached" if at not in rules else _state(why)
            found.setdefault(at, Site(at, function, state, why))
    return Coverage(tuple(sorted(found.values(), key=lambda site: _by_line(site.at))))


def _state(causes: tuple[str, ...]) -> str:
    if not causes:
        return "exact"
    return "outside" if any(cause.split(" ", 1)[1].startswith(_OUTSIDE) for cause in causes) else "partly"


_OUTSIDE = ("reads a file", "asks the network", "asks a device", "asks which packages")


def _by_line(at: str) -> tuple[str, int]:
    file, _, line = at.rpartition(":")
    return file, int(line)


def _refusals(function: ast.FunctionDef) -> Iterator[tuple[int, range]]:
    """The lines of a function's refusals; an assertion may be reported on any line of its test."""
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Raise):
            yield node.lineno, range(0)
        elif isinstance(node, ast.Assert):
            yield node.lineno, range(node.lineno, (node.test.end_lineno or node.lineno) + 1)
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            stack.extend(ast.iter_child_nodes(node))


def _opaque_names(catalog: Catalog) -> dict[str, frozenset[str]]:
    """For every named value, the causes of unknowns in it."""
    opaque: dict[str, frozenset[str]] = {}
    for step, _ in catalog.walk():
        if isinstance(step, Let):
            found = _causes(step.value, opaque)
            if found:
                opaque[step.name] = found
    return opaque


def _causes(expression: Expression, opaque: Mapping[str, frozenset[str]]) -> frozenset[str]:
    found: set[str] = set()
    for node in expression.distinct():
        if isinstance(node, Unknown):
            found.add(f"{node.site} {node.cause}")
        elif isinstance(node, Name):
            found |= opaque.get(node.path, frozenset())
    return frozenset(found)
