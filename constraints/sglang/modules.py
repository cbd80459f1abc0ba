"""The modules of a package as syntax trees, read from a folder when they are asked for.

Knows which statements bind a module-level name and what imports mean. It evaluates nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Import:
    """An imported name: a whole module, or an attribute of one."""

    module: str
    attribute: str | None


Condition: TypeAlias = tuple[ast.expr, bool]
"""The test of an `if` around a statement, and the value it must have for the statement to run."""

Binding: TypeAlias = tuple["ast.stmt | Import", tuple[Condition, ...]]
"""A statement that binds or changes a name, with the tests around it."""


@dataclass(eq=False)
class Module:
    """One module of the package.

    Attributes:
        name: its dotted name.
        at: its file, as places in a catalog name it: relative to `srt`, else to the package.
        is_package: whether it is an `__init__`.
    """

    name: str
    at: str
    is_package: bool
    tree: ast.Module
    stars: list[str] = field(default_factory=list)
    _bindings: dict[str, list[Binding]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._collect(self.tree.body, ())

    def place(self, node: ast.AST) -> str:
        """`file:line` of a node."""
        return f"{self.at}:{getattr(node, 'lineno', 0)}"

    def binding(self, name: str) -> list[Binding]:
        """The module-level statements that bind or change a name, in order."""
        return self._bindings.get(name, [])

    def imports_of(self, statement: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Import]]:
        """The names that an import statement binds, star imports left out."""
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                if alias.asname:
                    yield alias.asname, Import(alias.name, None)
                else:
                    yield alias.name.split(".")[0], Import(alias.name.split(".")[0], None)
            return
        source = self._import_source(statement)
        for alias in statement.names:
            if alias.name != "*":
                yield alias.asname or alias.name, Import(source, alias.name)

    def _import_source(self, statement: ast.ImportFrom) -> str:
        if not statement.level:
            return statement.module or ""
        parts = self.name.split(".")
        parts = parts[: len(parts) - statement.level + (1 if self.is_package else 0)]
        return ".".join([*parts, statement.module] if statement.module else parts)

    def _collect(self, statements: list[ast.stmt], conditions: tuple[Condition, ...]) -> None:
        for statement in statements:
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                self._collect_import(statement, conditions)
            elif isinstance(statement, ast.If):
                if isinstance(statement.test, ast.Name) and statement.test.id == "TYPE_CHECKING":
                    self._collect(statement.body, conditions)
                else:
                    self._collect(statement.body, (*conditions, (statement.test, True)))
                    self._collect(statement.orelse, (*conditions, (statement.test, False)))
            elif isinstance(statement, ast.Try):
                # The handlers stand for an environment that lacks something.
                self._collect([*statement.body, *statement.orelse, *statement.finalbody], conditions)
            else:
                for name in _changed(statement):
                    self._bindings.setdefault(name, []).append((statement, conditions))

    def _collect_import(
        self, statement: ast.Import | ast.ImportFrom, conditions: tuple[Condition, ...]
    ) -> None:
        for name, wanted in self.imports_of(statement):
            self._bindings.setdefault(name, []).append((wanted, conditions))
        if isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*":
            self.stars.append(self._import_source(statement))


class Modules:
    """The modules of one package under a folder, each parsed once."""

    def __init__(self, root: Path, package: str) -> None:
        self._root = root
        self._package = package
        self._parsed: dict[str, Module | None] = {}

    def get(self, name: str) -> Module | None:
        """The module of that dotted name, or None where the package has none."""
        if name not in self._parsed:
            self._parsed[name] = self._parse(name)
        return self._parsed[name]

    def _parse(self, name: str) -> Module | None:
        if name.split(".", maxsplit=1)[0] != self._package:
            return None
        base = self._root.joinpath(*name.split("."))
        for path, is_package in ((base.with_suffix(".py"), False), (base / "__init__.py", True)):
            if path.is_file():
                tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
                relative = path.relative_to(self._root / self._package).as_posix()
                return Module(name, relative.removeprefix("srt/"), is_package, tree)
        return None


def _changed(statement: ast.stmt) -> Iterator[str]:
    """The module-level names that a statement binds, or whose value it changes in place."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Assign(targets=targets):
            for target in targets:
                yield from _assigned(target)
        case ast.AnnAssign(target=target, value=ast.expr()) | ast.AugAssign(target=target):
            yield from _assigned(target)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method))):
            if method in ("append", "extend", "add", "update", "insert", "remove", "discard"):
                yield name
        case ast.For() | ast.While() | ast.With():
            for inner in statement.body:
                yield from _changed(inner)


def _assigned(target: ast.expr) -> Iterator[str]:
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from _assigned(element)
    elif isinstance(target, ast.Subscript):
        yield from _assigned(target.value)
