"""Calls of Python's builtins and of the standard library, by dotted path.

A function that reads files, the network or a device is not here: what is not listed gives an unknown.
"""

from __future__ import annotations

import ast
import math
import posixpath
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from constraints.expression.simplify import (
    as_test,
    conditional,
    constant,
    is_constant,
    value_of,
)
from constraints.expression.syntax import (
    FALSE,
    NONE,
    Call,
    Expression,
    Literal,
)
from constraints.sglang.extraction import attempts, containers, operations
from constraints.sglang.extraction.builtin_collections import (
    all_,
    any_,
    collection,
    dict_,
    fromkeys,
    next_,
    of_known_elements,
    sum_,
    zip_,
)
from constraints.sglang.extraction.builtin_objects import (
    copied,
    deepcopy,
    fields_of,
    getattr_,
    hasattr_,
    replaced,
    setattr_,
)
from constraints.sglang.extraction.builtin_types import callable_, isinstance_, issubclass_, type_
from constraints.sglang.extraction.values import (
    External,
    Helper,
    Keywords,
    Partial,
    Value,
)

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor


# Functions of the rule language with the same meaning, and how Python computes them on constants.
_PLAIN: dict[str, tuple[str, Callable[..., Any] | None]] = {
    "len": ("len", len),
    "min": ("min", min),
    "max": ("max", max),
    "abs": ("abs", abs),
    "sum": ("sum", sum),
    "round": ("round", round),
    "int": ("int", int),
    "float": ("float", float),
    "str": ("str", str),
    "repr": ("repr", repr),
    "sorted": ("sorted", sorted),
    "range": ("range", None),
    "zip": ("zip", None),
    "enumerate": ("enumerate", None),
    "reversed": ("reversed", None),
    "math.ceil": ("ceil", math.ceil),
    "math.floor": ("floor", math.floor),
    "math.gcd": ("gcd", math.gcd),
    "math.log2": ("log2", math.log2),
    "math.log": ("log", math.log),
    "math.sqrt": ("sqrt", math.sqrt),
    "json.loads": ("json", None),
    "json.dumps": ("to_json", None),
    "os.path.basename": ("basename", posixpath.basename),
    "os.path.dirname": ("dirname", posixpath.dirname),
    "os.path.join": ("join_path", posixpath.join),
    "os.path.isabs": ("is_absolute", posixpath.isabs),
    "os.path.splitext": ("splitext", posixpath.splitext),
    "re.match": ("re_match", None),
    "re.search": ("re_search", None),
    "re.fullmatch": ("re_fullmatch", None),
}
_MAY_RAISE = {"int": "ValueError", "float": "ValueError", "json.loads": "json.JSONDecodeError"}


def call(x: Executor, path: str, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value:
    """The value of a call of an external function."""
    special = SPECIAL.get(path)
    if special is not None:
        result = special(x, arguments, keywords, node)
        if result is not None:
            return result
    if path in _PLAIN and not keywords:
        return _plain(x, path, arguments, node)
    if path in ("sorted", "max", "min") and keywords:
        return _with_keywords(x, path, arguments, keywords, node)
    if path == "json.dumps":
        return x.unknown(node, "a text made by json.dumps")
    return x.unknown(node, outside(path) or f"a call of {path}")


_OUTSIDE = (
    (
        ("open", "os.", "json.load", "yaml.", "stat.", "glob.", "shutil.", "pathlib.", "fcntl.", "tempfile."),
        "reads a file",
    ),
    (("huggingface_hub.", "modelscope.", "requests.", "urllib.", "socket."), "asks the network"),
    (("torch.", "triton.", "subprocess.", "aiter.", "sgl_kernel."), "asks a device or its libraries"),
    (
        ("importlib.", "inspect.", "transformers.", "packaging.", "pkg_resources."),
        "asks which packages are installed",
    ),
)


def outside(path: str) -> str:
    """What a library's function asks of the world that no configuration says; empty for any other."""
    return next((f"{reason} ({path})" for prefixes, reason in _OUTSIDE if path.startswith(prefixes)), "")


def _plain(x: Executor, path: str, arguments: list[Value], node: ast.AST) -> Value:
    name, python = _PLAIN[path]
    if len(arguments) == 1 and path in ("len", "sum", "sorted", "min", "max", "enumerate", "reversed"):
        counted = of_known_elements(x, path, arguments[0], node)
        if counted is not None:
            return counted
    if path == "zip":
        return zip_(x, arguments, node)
    plain = tuple(operations.as_expression(x, a, node) for a in arguments)
    if python is not None and all(map(is_constant, plain)):
        try:
            return constant(python(*(value_of(p) for p in plain)))
        except (TypeError, ValueError, ArithmeticError):
            pass
    if not containers.fits(name, len(plain)):
        return x.unknown(node, f"a call of {path} with {len(plain)} arguments")
    made = Call(name, plain)
    if path in _MAY_RAISE:
        if path == "int" and len(plain) == 1 and _is_number(plain[0]):
            return made
        attempts.may_raise(x, made, _MAY_RAISE[path], node)
    return made


def _is_number(node: Expression) -> bool:
    from constraints.expression.syntax import Arithmetic, Comparison, Not

    return isinstance(node, Arithmetic | Comparison | Not) or (
        isinstance(node, Literal) and isinstance(node.value, int | float)
    )


def _with_keywords(
    x: Executor, path: str, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value:
    if path in ("max", "min") and set(keywords) == {"default"} and len(arguments) == 1:
        plain = operations.as_expression(x, arguments[0], node)
        default = operations.as_expression(x, keywords["default"][1], node)
        return conditional(as_test(plain), Call(path, (plain,)), default)
    if path == "sorted" and set(keywords) == {"key"}:
        return _plain(x, "sorted", arguments, node)
    return x.unknown(node, f"a call of {path} with keywords")


def _bool(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    if not arguments:
        return FALSE
    test = operations.truth(x, arguments[0])
    from constraints.expression.simplify import is_boolean

    return test if is_boolean(test) else Call("bool", (test,))


def _partial(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    return Partial(arguments[0], tuple(arguments[1:]), tuple((k, v) for k, (_, v) in keywords.items()))


def _first_argument(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    return arguments[0] if arguments else External("functools.lru_cache()")


def _path(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    plain = [operations.as_expression(x, a, node) for a in arguments]
    return plain[0] if len(plain) == 1 else Call("join_path", tuple(plain))


def _path_exists(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    return x.described.path_exists(x, operations.as_expression(x, arguments[0], node), node)


def _ignored(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    return NONE


def _import_module(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    if arguments and isinstance(arguments[0], Literal) and isinstance(arguments[0].value, str):
        found = x.imported(arguments[0].value, "")
        if found is not None:
            return found
    return None


SPECIAL: dict[str, Helper] = {
    "bool": _bool,
    "any": any_,
    "all": all_,
    "sum": sum_,
    "list": collection("list"),
    "tuple": collection("tuple"),
    "set": collection("set"),
    "frozenset": collection("set"),
    "dict": dict_,
    "collections.OrderedDict": dict_,
    "isinstance": isinstance_,
    "issubclass": issubclass_,
    "getattr": getattr_,
    "hasattr": hasattr_,
    "setattr": setattr_,
    "object.__setattr__": setattr_,
    "type": type_,
    "callable": callable_,
    "next": next_,
    "iter": _first_argument,
    "copy.copy": copied,
    "copy.deepcopy": deepcopy,
    "dataclasses.replace": replaced,
    "msgspec.structs.replace": replaced,
    "dataclasses.fields": fields_of,
    "functools.lru_cache()": _first_argument,
    "pathlib.Path": _path,
    "os.path.expanduser": _first_argument,
    "os.path.exists": _path_exists,
    "os.path.isfile": _path_exists,
    "os.path.isdir": _path_exists,
    "functools.partial": _partial,
    "functools.lru_cache": _first_argument,
    "functools.cache": _first_argument,
    "functools.wraps": _first_argument,
    "dict.fromkeys": fromkeys,
    "print": _ignored,
    "warnings.warn": _ignored,
    "os.makedirs": _ignored,
    "importlib.import_module": _import_module,
    "contextlib.suppress": _ignored,
    "typing.cast": lambda x, a, k, n: a[1],
}
