"""Reads the environment variables that a release declares, and their defaults, from its syntax tree.

For making catalogs. `environment` is what uses the declarations; nothing of the release is imported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from constraints.catalog import Fact
from constraints.errors import CatalogError
from constraints.sglang.constants import Constants
from constraints.sglang.modules import Module
from constraints.sglang.source_values import NotConstant, plain

MODULE = "sglang.srt.environ"

_TYPES = {
    "EnvBool": "bool",
    "EnvFloat": "float",
    "EnvInt": "int",
    "EnvJSON": "json",
    "EnvStr": "str",
    "EnvTuple": "tuple[str]",
}
_HIP = "gpu.is_hip"
_EXACT: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "float": (int, float),
    "int": (int,),
    "str": (str,),
    "tuple[str]": (list, tuple),
}


def extract_environment(source_root: Path) -> Mapping[str, Fact]:
    """The variables of a release as facts `env.NAME`, sorted by name.

    A default that is computed from another fact (the machine's kind, another variable) becomes the fact's
    `fallback`; one that only the server can tell (a folder under its home) is left unknown. A variable with
    an older name falls back on that name, which is then a fact of its own.

    Args:
        source_root: the folder that holds the package `sglang`.

    Raises:
        CatalogError: where there is no such registry.
    """
    constants = Constants(source_root, "sglang")
    module = constants.modules.get(MODULE)
    if module is None:
        raise CatalogError(str(source_root), f"has no module {MODULE}")
    facts: dict[str, Fact] = {}
    for name, call in _fields(module):
        for fact in _facts(constants, module, name, call):
            facts.setdefault(fact.name, fact)
    if not facts:
        raise CatalogError(str(source_root), f"{MODULE} declares no variables")
    return dict(sorted(facts.items()))


def _fields(module: Module) -> Iterator[tuple[str, ast.Call]]:
    """The assignments in the body of the class `Envs` whose value is a call."""
    for statement in module.tree.body:
        if isinstance(statement, ast.ClassDef) and statement.name == "Envs":
            for each in statement.body:
                target, value = _assigned(each)
                if isinstance(target, ast.Name) and isinstance(value, ast.Call):
                    yield target.id, value


def _assigned(statement: ast.stmt) -> tuple[ast.expr | None, ast.expr | None]:
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        return statement.targets[0], statement.value
    if isinstance(statement, ast.AnnAssign):
        return statement.target, statement.value
    return None, None


def _facts(constants: Constants, module: Module, name: str, call: ast.Call) -> Iterator[Fact]:
    arguments = {keyword.arg: keyword.value for keyword in call.keywords}
    default = call.args[0] if call.args else arguments.get("default")
    type_name = _type_of(module, call.func)
    if default is None or type_name == "any":
        yield Fact(f"env.{name}", type_name)
        return
    fact = _with_default(constants, module, f"env.{name}", type_name, default)
    older = arguments.get("deprecated_name")
    if isinstance(older, ast.Constant) and isinstance(older.value, str):
        yield replace(fact, fallback=f"env.{older.value}")
        fact = _with_default(constants, module, f"env.{older.value}", type_name, default)
    yield fact


def _type_of(module: Module, function: ast.expr) -> str:
    """The type that a field's class parses to, looked for among its bases unless it parses in its own way."""
    if not isinstance(function, ast.Name):
        return "any"
    if function.id in _TYPES:
        return _TYPES[function.id]
    for statement in module.tree.body:
        if isinstance(statement, ast.ClassDef) and statement.name == function.id:
            if any(isinstance(each, ast.FunctionDef) and each.name == "parse" for each in statement.body):
                return "any"
            return next(
                (found for base in statement.bases if (found := _type_of(module, base)) != "any"), "any"
            )
    return "any"


def _with_default(constants: Constants, module: Module, name: str, type_name: str, default: ast.expr) -> Fact:
    function = _function(module, default)
    if function is not None:
        return Fact(name, type_name, fallback=_fallback(function))
    try:
        value = plain(constants.value(module, default))
    except (NotConstant, TypeError):
        return Fact(name, type_name)
    kinds = _EXACT.get(type_name)
    if value is not None and kinds is not None and not isinstance(value, kinds):
        return Fact(name, type_name)
    return Fact(name, type_name, default=value, has_default=True)


def _function(module: Module, default: ast.expr) -> ast.FunctionDef | ast.Lambda | None:
    if isinstance(default, ast.Lambda):
        return default
    if isinstance(default, ast.Name):
        for statement in module.tree.body:
            if isinstance(statement, ast.FunctionDef) and statement.name == default.id:
                return statement
    return None


def _fallback(function: ast.FunctionDef | ast.Lambda) -> str:
    """The fact that a computed default is: whether PyTorch was built for HIP, or another variable's value."""
    body = function.body if isinstance(function.body, list) else [ast.Return(function.body)]
    returned = [node.value for each in body for node in ast.walk(each) if isinstance(node, ast.Return)]
    texts = [ast.unparse(value) for value in returned if value is not None]
    if texts[:1] == ["torch.version.hip is not None"] and texts[1:] in ([], ["False"]):
        return _HIP
    if len(texts) == 1 and texts[0].startswith("envs.") and texts[0].endswith(".get()"):
        variable = texts[0].removeprefix("envs.").removesuffix(".get()")
        return f"env.{variable}" if variable.isidentifier() else ""
    return ""
