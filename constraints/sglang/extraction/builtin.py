"""Calls of Python's builtins and of the standard library, by dotted path.

A function that reads files, the network or a device is not here: what is not listed gives an unknown.
"""

from __future__ import annotations

import ast
import math
import posixpath
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from constraints.expression.simplify import (
    as_test,
    conditional,
    conjunction,
    constant,
    disjunction,
    is_constant,
    negation,
    value_of,
)
from constraints.expression.syntax import (
    FALSE,
    NONE,
    TRUE,
    Call,
    Comprehension,
    Expression,
    Item,
    Literal,
    Name,
)
from constraints.sglang.extraction import attempts, containers, operations
from constraints.sglang.extraction.values import (
    Choice,
    Class,
    Entries,
    EnumMember,
    External,
    Facts,
    Function,
    Instance,
    Items,
    Method,
    Partial,
    Ref,
    Structured,
    Value,
    View,
)

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor

Keywords = Mapping[str, tuple[Expression, Value]]

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
_TYPES = frozenset({"int", "float", "str", "bool", "list", "tuple", "dict", "set"})


def call(x: Executor, path: str, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value:
    """The value of a call of an external function."""
    special = _SPECIAL.get(path)
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
        counted = _of_elements(x, path, arguments[0], node)
        if counted is not None:
            return counted
    if path == "zip":
        return _zip(x, arguments, node)
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


def _of_elements(x: Executor, path: str, value: Value, node: ast.AST) -> Value | None:
    if isinstance(value, Expression):
        return None
    rows = operations.elements_of(x, value, node)
    if rows is None:
        return None
    certain = all(guard == TRUE for guard, _ in rows)
    if path == "len":
        if isinstance(value, Ref) and isinstance(x.state.content(value), Items):
            items = x.state.content(value)
            if isinstance(items, Items) and items.kind == "set" and not _surely_distinct(rows):
                return Call("len", (operations.as_expression(x, value, node),))
        if certain:
            return Literal(len(rows))
        total: Expression = Literal(0)
        from constraints.expression.simplify import arithmetic

        for guard, _ in rows:
            total = arithmetic("+", total, conditional(guard, Literal(1), Literal(0)))
        return total
    if path == "enumerate" and certain:
        pairs = (
            x.state.allocate(Items("tuple", ((TRUE, Literal(i)), (TRUE, v)))) for i, (_, v) in enumerate(rows)
        )
        return x.state.allocate(Items("list", tuple((TRUE, p) for p in pairs)))
    if path == "reversed":
        return x.state.allocate(Items("list", tuple(reversed(rows))))
    if path == "sorted":
        if all(isinstance(v, Literal) for _, v in rows):
            rows.sort(key=lambda row: row[1].value)  # type: ignore[union-attr, arg-type, return-value]
            return x.state.allocate(Items("list", tuple(rows)))
        if certain and len(rows) <= 1:
            return x.state.allocate(Items("list", tuple(rows)))
    if path in ("min", "max", "sum") and certain and rows:
        return Call(path, (operations.as_expression(x, value, node),))
    return None


def _surely_distinct(rows: list[tuple[Expression, Value]]) -> bool:
    values = [v for _, v in rows]
    return all(isinstance(v, Literal | EnumMember) for v in values) and len(set(values)) == len(values)


def _zip(x: Executor, arguments: list[Value], node: ast.AST) -> Value:
    columns = [operations.elements_of(x, a, node) for a in arguments]
    if all(c is not None and all(g == TRUE for g, _ in c) for c in columns):
        rows = [
            (TRUE, x.state.allocate(Items("tuple", tuple((TRUE, v) for _, v in row))))
            for row in zip(*(c for c in columns if c is not None), strict=False)
        ]
        return x.state.allocate(Items("list", tuple(rows)))
    return Call("zip", tuple(operations.as_expression(x, a, node) for a in arguments))


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


def _any(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    rows = operations.elements_of(x, arguments[0], node)
    if rows is not None:
        return disjunction(conjunction((g, operations.truth(x, v))) for g, v in rows)
    return _quantifier(x, "any", arguments[0], node)


def _all(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    rows = operations.elements_of(x, arguments[0], node)
    if rows is not None:
        return conjunction(disjunction((negation(g), operations.truth(x, v))) for g, v in rows)
    return _quantifier(x, "all", arguments[0], node)


def _quantifier(x: Executor, kind: str, value: Value, node: ast.AST) -> Expression:
    plain = operations.as_expression(x, value, node)
    if isinstance(plain, Comprehension) and plain.kind in ("list", "set"):
        return Comprehension(kind, as_test(plain.element), plain.variable, plain.iterable, plain.condition)  # type: ignore[arg-type]
    return Comprehension(kind, Name("element"), "element", plain)  # type: ignore[arg-type]


def _sum(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    if len(arguments) != 1 or keywords:
        return None
    rows = operations.elements_of(x, arguments[0], node)
    if rows is not None:
        from constraints.expression.simplify import arithmetic, is_boolean

        total: Expression = Literal(0)
        for guard, value in rows:
            plain = operations.as_expression(x, value, node)
            if is_boolean(plain):
                plain = conditional(plain, Literal(1), Literal(0))
            total = arithmetic("+", total, conditional(guard, plain, Literal(0)))
        return total
    plain = operations.as_expression(x, arguments[0], node)
    return Call("sum", (plain,))


def _collection(kind: str) -> Callable[..., Value | None]:
    def make(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
        if not arguments:
            return x.state.allocate(Items(kind))
        rows = operations.elements_of(x, arguments[0], node)
        if rows is not None:
            if kind == "set":
                rows = [row for i, row in enumerate(rows) if row not in rows[:i]]
            return x.state.allocate(Items(kind, tuple(rows)))
        return Call(kind, (operations.as_expression(x, arguments[0], node),))

    return make


def _dict(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    entries: dict[object, tuple[Expression, Value]] = {}
    if arguments:
        from constraints.sglang.extraction.expressions import entries_of

        known = entries_of(x, arguments[0])
        if known is None:
            return Call("dict", (operations.as_expression(x, arguments[0], node),)) if not keywords else None
        entries.update(known)
    entries.update(keywords)
    return x.state.allocate(Entries(entries))


def _isinstance(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    value, classes = arguments
    wanted = operations.elements_of(x, classes, node)
    choices = [classes] if wanted is None else [v for _, v in wanted]
    if isinstance(value, Choice):
        result = operations.spread(x, value, lambda v: _isinstance(x, [v, classes], {}, node) or FALSE)
        return operations.as_expression(x, result, node)
    return disjunction(_is_a(x, value, one, node) for one in choices)


# Abstract classes of Python, by the types of plain data that they admit.
_ABSTRACT = {
    "Integral": ("int",),
    "Real": ("int", "float"),
    "Number": ("int", "float"),
    "Mapping": ("dict",),
    "Sequence": ("list", "tuple", "str"),
    "Iterable": ("list", "tuple", "dict", "set", "str"),
    "Set": ("set",),
    "Collection": ("list", "tuple", "dict", "set", "str"),
}
_NEVER_DATA = (
    "torch.",
    "numpy.",
    "pathlib.",
    "enum.",
    "PIL.",
    "transformers.",
    "argparse.",
    "dataclasses.",
    "bytes",
)


_PYTHON_TYPES: Final[dict[str, type | tuple[type, ...]]] = {
    "int": int,
    "float": float,
    "str": str,
    "bool": bool,
    "list": list,
    "tuple": tuple,
    "dict": dict,
    "set": (set, frozenset),
}


def _is_a(x: Executor, value: Value, wanted: Value, node: ast.AST) -> Expression:
    if isinstance(value, Name | Facts) and (isinstance(value, Facts) or value.path.startswith("model.")):
        path = value.path
        if isinstance(wanted, External) and wanted.path in _TYPES and isinstance(value, Name):
            return Call("is_instance", (value, Literal(wanted.path)))
        return x.facts.is_instance(path, wanted)
    if isinstance(value, Expression):
        if isinstance(wanted, External):
            name = wanted.path.split(".")[-1]
            if name in _ABSTRACT:
                return disjunction(_is_a(x, value, External(one), node) for one in _ABSTRACT[name])
            if is_constant(value) and name in _TYPES:
                held = value_of(value)
                python = _PYTHON_TYPES[name]
                return TRUE if isinstance(held, python) else FALSE
            if name in _TYPES:
                return Call("is_instance", (value, Literal(name)))
            if wanted.path.startswith(_NEVER_DATA):
                return FALSE
            return x.unknown(node, f"whether data is a {wanted.path}")
        return FALSE
    if isinstance(value, EnumMember):
        if isinstance(wanted, Class):
            return TRUE if value.owner == wanted else FALSE
        if isinstance(wanted, External):
            return TRUE if x.classes.is_subclass(value.owner, (wanted.path,)) else FALSE
    if isinstance(value, View):
        return (
            TRUE
            if isinstance(wanted, Class)
            and wanted.name == ("ResolvingConfig" if value.versions is None else "ResolvedView")
            else FALSE
        )
    if isinstance(value, Structured):
        return TRUE if isinstance(wanted, Class) and value.owner == wanted else FALSE
    if isinstance(value, Ref):
        content = x.state.content(value)
        match content:
            case Instance(owner=owner, facts=facts):
                if facts:
                    return x.facts.is_instance(facts, wanted)
                if isinstance(wanted, Class) and owner is not None:
                    return TRUE if owner == wanted or wanted.name in x.classes.base_names(x, owner) else FALSE
                return FALSE
            case Items(kind=kind):
                return (
                    TRUE
                    if isinstance(wanted, External) and wanted.path.split(".")[-1] in (kind, "Sequence")
                    else FALSE
                )
            case Entries():
                return (
                    TRUE
                    if isinstance(wanted, External) and wanted.path.split(".")[-1] in ("dict", "Mapping")
                    else FALSE
                )
    if isinstance(value, Function | Method):
        return FALSE
    return x.unknown(node, "isinstance of a value that is not known")


def _getattr(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    name = arguments[1]
    if isinstance(name, Choice):
        return operations.spread(
            x, name, lambda n: _getattr(x, [arguments[0], n, *arguments[2:]], {}, node) or NONE
        )
    if isinstance(name, Literal) and isinstance(name.value, str):
        default = arguments[2] if len(arguments) > 2 else None
        return operations.attribute(x, arguments[0], name.value, node, default)
    return x.unknown(node, "an attribute whose name is not known")


def _hasattr(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    owner, name = arguments
    if not isinstance(name, Literal):
        return x.unknown(node, "hasattr of a name that is not known")
    return has_attribute(x, owner, str(name.value), node)


def has_attribute(x: Executor, owner: Value, name: str, node: ast.AST) -> Expression:
    """Whether an object has an attribute."""
    match owner:
        case Choice():
            found = operations.spread(x, owner, lambda v: has_attribute(x, v, name, node))
            return operations.as_expression(x, found, node)
        case Ref():
            content = x.state.content(owner)
            if isinstance(content, Instance):
                if name in content.attributes:
                    return TRUE
                if content.facts:
                    return x.facts.has(content.facts, name)
                if content.owner is not None and x.classes.method(x, content.owner, name) is not None:
                    return TRUE
                return FALSE
        case Facts(path=path):
            return x.facts.has(path, name)
        case Name(path=path) if path.startswith("model."):
            return x.facts.has(path, name)
        case Call(function="default", arguments=(Name(path=path) as first, second)) if path.startswith(
            "model."
        ):
            there = conjunction((Call("has", (first,)), x.facts.has(path, name)))
            if isinstance(second, Name):
                return conditional(
                    Call("has", (first,)),
                    x.facts.has(path, name),
                    x.facts.has(second.path, name),
                    boolean=True,
                )
            return there
        case View() | Structured():
            return TRUE if x.record.has(x, owner, name) else FALSE
        case Class():
            found_attribute = x.classes.attribute(x, owner, name, node, NONE)
            return FALSE if found_attribute == NONE else TRUE
        case EnumMember(owner=enum):
            return TRUE if x.classes.method(x, enum, name) is not None else FALSE
        case Expression():
            if owner == NONE:
                return FALSE
            if name in ("lower", "strip", "startswith"):
                return Call("is_instance", (owner, Literal("str")))
            if name in ("keys", "items", "get", "values"):
                return Call("is_instance", (owner, Literal("dict")))
            if name == "value":
                return FALSE
    return x.unknown(node, f"hasattr of {name}")


def _setattr(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    owner, name, value = arguments
    if isinstance(name, Literal) and isinstance(name.value, str):
        x.set_attribute(owner, name.value, value, node)
        return NONE
    return x.unknown(node, "setattr of a name that is not known")


def _type(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    value = arguments[0]
    if isinstance(value, Ref):
        content = x.state.content(value)
        if isinstance(content, Instance) and content.owner is not None:
            return content.owner
    if isinstance(value, EnumMember):
        return value.owner
    if isinstance(value, Expression):
        return Call("type_name", (value,))
    return x.unknown(node, "the type of a value that is not known")


def _copy(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    value = arguments[0]
    if isinstance(value, Ref):
        content = x.state.content(value)
        if isinstance(content, Instance) and content.facts:
            return value
        return x.state.allocate(content)
    return value


def _deepcopy(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    return deep_copied(x, arguments[0])


def deep_copied(x: Executor, value: Value) -> Value:
    """A copy of an object and of the objects in it."""
    if not isinstance(value, Ref):
        return value
    match x.state.content(value):
        case Instance(owner=owner, attributes=attributes, facts=facts):
            if facts:
                return value
            return x.state.allocate(Instance(owner, {k: deep_copied(x, v) for k, v in attributes.items()}))
        case Items(kind=kind, elements=elements):
            return x.state.allocate(Items(kind, tuple((g, deep_copied(x, v)) for g, v in elements)))
        case Entries(entries=entries):
            return x.state.allocate(Entries({k: (g, deep_copied(x, v)) for k, (g, v) in entries.items()}))
    return value


def _replace(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    value = arguments[0]
    owner: Class | None = None
    attributes: dict[str, Value] = {}
    if isinstance(value, Structured):
        owner = value.owner
        for name in x.classes.fields(x, owner) or ():
            attributes[name] = operations.attribute(x, value, name, node)
    elif isinstance(value, Ref):
        content = x.state.content(value)
        if isinstance(content, Instance):
            owner, attributes = content.owner, dict(content.attributes)
    if owner is None:
        return x.unknown(node, "replace of an object that is not known")
    from constraints.sglang.extraction.state import merged_value

    for name, (guard, changed) in keywords.items():
        attributes[name] = merged_value(guard, changed, attributes.get(name, NONE))
    return x.state.allocate(Instance(owner, attributes))


def _fields(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    value = arguments[0]
    owner = value if isinstance(value, Class) else value.owner if isinstance(value, Structured) else None
    if isinstance(value, Ref):
        content = x.state.content(value)
        owner = content.owner if isinstance(content, Instance) else None
    if owner is None:
        return x.unknown(node, "the fields of an object that is not known")
    rows = [
        (TRUE, x.state.allocate(Instance(None, {"name": Literal(name)})))
        for name in x.classes.fields(x, owner) or ()
    ]
    return x.state.allocate(Items("tuple", tuple(rows)))


def _next(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    from constraints.sglang.extraction.state import choice

    rows = operations.elements_of(x, arguments[0], node)
    default = arguments[1] if len(arguments) > 1 else x.fault("StopIteration", node)
    if rows is not None:
        return choice([*rows, (TRUE, default)])
    plain = operations.as_expression(x, arguments[0], node)
    if isinstance(default, Expression):
        return conditional(as_test(plain), Item(plain, Literal(0)), default)
    return x.unknown(node, "the first of something not known")


def _partial(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    return Partial(arguments[0], tuple(arguments[1:]), tuple((k, v) for k, (_, v) in keywords.items()))


def _first_argument(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    return arguments[0] if arguments else External("functools.lru_cache()")


def _issubclass(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    one, other = arguments
    if isinstance(one, Class) and isinstance(other, Class):
        return TRUE if one == other or other.name in x.classes.base_names(x, one) else FALSE
    return None


def _callable(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    return TRUE if isinstance(arguments[0], Function | Method | Class | Partial) else FALSE


def _fromkeys(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    rows = operations.elements_of(x, arguments[0], node)
    if rows is None:
        return Call("unique", (operations.as_expression(x, arguments[0], node),))
    entries = {}
    for guard, key in rows:
        plain = operations.as_key(x, key)
        if isinstance(plain, Expression):
            return x.unknown(node, "dict.fromkeys of something not known")
        entries[plain] = (guard, arguments[1] if len(arguments) > 1 else NONE)
    return x.state.allocate(Entries(entries))


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


_SPECIAL: dict[str, Callable[[Executor, list[Value], Keywords, ast.AST], Value | None]] = {
    "bool": _bool,
    "any": _any,
    "all": _all,
    "sum": _sum,
    "list": _collection("list"),
    "tuple": _collection("tuple"),
    "set": _collection("set"),
    "frozenset": _collection("set"),
    "dict": _dict,
    "collections.OrderedDict": _dict,
    "isinstance": _isinstance,
    "issubclass": _issubclass,
    "getattr": _getattr,
    "hasattr": _hasattr,
    "setattr": _setattr,
    "object.__setattr__": _setattr,
    "type": _type,
    "callable": _callable,
    "next": _next,
    "iter": _first_argument,
    "copy.copy": _copy,
    "copy.deepcopy": _deepcopy,
    "dataclasses.replace": _replace,
    "msgspec.structs.replace": _replace,
    "dataclasses.fields": _fields,
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
    "dict.fromkeys": _fromkeys,
    "print": _ignored,
    "warnings.warn": _ignored,
    "os.makedirs": _ignored,
    "importlib.import_module": _import_module,
    "contextlib.suppress": _ignored,
    "typing.cast": lambda x, a, k, n: a[1],
}
