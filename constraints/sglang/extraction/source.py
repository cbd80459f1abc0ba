"""The modules of a release's source as syntax trees: read when first asked for, never imported.

Says what a name at the top of a module is bound to (a definition, an import, statements that compute
it), and nothing about what these compute: that is the executor's business.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

Definition: TypeAlias = ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Imported:
    """A name bound by an import: of a module (`name` empty) or of a name in it."""

    module: str
    name: str = ""


@dataclass(slots=True, eq=False)
class Module:
    """One source file. `bindings` holds, for each top-level name, all the statements that bind it."""

    name: str
    path: Path
    relative: str
    tree: ast.Module
    is_package: bool
    bindings: dict[str, list[ast.stmt]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    """Modules imported with `*`, in order."""

    def imported(self, statement: ast.stmt, name: str) -> Imported | None:
        """What an import statement binds the name to; None for another kind of statement."""
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                if (alias.asname or alias.name.split(".")[0]) == name:
                    return Imported(alias.name if alias.asname else alias.name.split(".")[0])
        if isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                if (alias.asname or alias.name) == name:
                    return Imported(self.absolute(statement), alias.name)
        return None

    def fills(self, name: str) -> bool:
        """Whether a function of the module adds to that table, as a registering decorator does."""
        functions = [node for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef)]
        return any(_adds_to(node, name) for function in functions for node in ast.walk(function))

    def absolute(self, statement: ast.ImportFrom) -> str:
        """The full name of the module that a `from … import` names, relative imports resolved."""
        if not statement.level:
            return statement.module or ""
        parts = self.name.split(".")
        keep = len(parts) - statement.level + (1 if self.is_package else 0)
        return ".".join([*parts[:keep], *([statement.module] if statement.module else [])])


_ADDING = frozenset({"update", "append", "extend", "add", "setdefault", "insert"})


class Source:
    """A release's source: the folder that holds the package, and the modules read so far."""

    def __init__(self, root: Path, package: str = "sglang") -> None:
        self.root = root
        self.package = package
        self._modules: dict[str, Module | None] = {}

    def module(self, name: str) -> Module | None:
        """The module of that full name; None where the package has no such file."""
        if name not in self._modules:
            self._modules[name] = self._read(name)
        return self._modules[name]

    def modules(self) -> list[Module]:
        """The modules read so far."""
        return [module for module in self._modules.values() if module is not None]

    def is_own(self, name: str) -> bool:
        """Whether a module name belongs to the package."""
        return name == self.package or name.startswith(self.package + ".")

    def _read(self, name: str) -> Module | None:
        if not self.is_own(name):
            return None
        base = self.root.joinpath(*name.split("."))
        for path, is_package in ((base.with_suffix(".py"), False), (base / "__init__.py", True)):
            if path.is_file():
                tree = ast.parse(path.read_text(encoding="utf-8"))
                relative = str(path.relative_to(self.root / self.package)).removeprefix("srt/")
                module = Module(name, path, relative, tree, is_package)
                for statement in _top_level(tree.body):
                    for bound in _bound_names(statement):
                        if bound == "*" and isinstance(statement, ast.ImportFrom):
                            module.stars.append(module.absolute(statement))
                        module.bindings.setdefault(bound, []).append(statement)
                return module
        return None


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements run at import, compound ones as a whole; the typing-only imports left out."""
    for statement in body:
        if isinstance(statement, ast.If) and _is_type_checking(statement.test):
            yield from _top_level(statement.orelse)
        else:
            yield statement


def _adds_to(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Subscript(value=ast.Name(id=owner), ctx=ast.Store()):
            return owner == name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=method)):
            return owner == name and method in _ADDING
    return False


def _is_type_checking(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def _bound_names(statement: ast.stmt) -> list[str]:
    """The names that a top-level statement binds or, for `X.update(…)` and `X[k] = v`, mutates."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Import(names=names):
            return [alias.asname or alias.name.split(".")[0] for alias in names]
        case ast.ImportFrom(names=names):
            return [alias.asname or alias.name for alias in names]
        case ast.Assign(targets=targets):
            return [name for target in targets for name in _targets(target)]
        case ast.AnnAssign(target=target, value=value) if value is not None:
            return _targets(target)
        case ast.AugAssign(target=target):
            return _targets(target)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr))) if (
            attr in _ADDING
        ):
            return [name]
        case ast.If(body=body, orelse=orelse):
            return _all_bound([*body, *orelse])
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
            return _all_bound([*body, *(s for h in handlers for s in h.body), *orelse, *final])
        case ast.For(target=target, body=body):
            return [*_targets(target), *_all_bound(body)]
        case ast.With(body=body):
            return _all_bound(body)
    return []


def _all_bound(statements: list[ast.stmt]) -> list[str]:
    return list(dict.fromkeys(name for s in statements for name in _bound_names(s)))


def _targets(target: ast.expr) -> list[str]:
    match target:
        case ast.Name(id=name):
            return [name]
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return [name for element in elements for name in _targets(element)]
        case ast.Subscript(value=value):
            return _targets(value)
        case ast.Starred(value=value):
            return _targets(value)
    return []
