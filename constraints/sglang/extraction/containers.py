"""Methods of Python's own types: lists, sets and dicts in the heap, strings and data as expressions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from constraints.expression.functions import FUNCTIONS
from constraints.expression.simplify import (
    arithmetic,
    comparison,
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
    Collection,
    Expression,
    Item,
    Literal,
    Name,
    Unknown,
)
from constraints.expression.syntax import Mapping as MappingNode
from constraints.sglang.extraction import attempts, attributes, operations, operators
from constraints.sglang.extraction.state import choice, merged_value
from constraints.sglang.extraction.values import (
    Choice,
    Entries,
    EnumMember,
    Instance,
    Items,
    Keywords,
    Lost,
    Ref,
    Value,
)

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor


# Methods that are functions of the rule language under the same name.
_SAME = frozenset(
    {
        "lower",
        "upper",
        "strip",
        "lstrip",
        "rstrip",
        "split",
        "startswith",
        "endswith",
        "replace",
        "removeprefix",
        "removesuffix",
        "isdigit",
        "isnumeric",
        "keys",
        "values",
        "items",
        "get",
        "count",
        "index",
        "find",
        "rfind",
        "rsplit",
        "partition",
        "rpartition",
    }
)
_OF_PATHS = frozenset({"is_file", "is_dir", "exists"})
_FOLDED = _SAME | {
    "join",
    "title",
    "capitalize",
    "splitlines",
    "rsplit",
    "partition",
    "rpartition",
    "isalpha",
    "find",
    "rfind",
    "isidentifier",
    "format",
    "isupper",
    "islower",
}


def method(
    x: Executor, receiver: Value, name: str, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value:
    """Calls a method of a builtin type."""
    if isinstance(receiver, Unknown):
        return receiver
    if isinstance(receiver, Choice):
        return operations.branched(
            x, receiver, lambda r: x.call(attributes.attribute(x, r, name, node), arguments, keywords, node)
        )
    if isinstance(receiver, Ref):
        content = x.state.content(receiver)
        if isinstance(content, Items):
            done = _of_items(x, receiver, content, name, arguments, node)
            if done is not None:
                return done
        if isinstance(content, Entries):
            done = _of_entries(x, receiver, content, name, arguments, keywords, node)
            if done is not None:
                return done
        if isinstance(content, Lost):
            return x.unknown_at(content.site, content.cause)
    if isinstance(receiver, Expression) and name in _MUTATING:
        changed = _changed(x, receiver, name, arguments, keywords, node)
        mutated(
            x,
            receiver,
            changed,
            node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None,
        )
        return x.unknown(node, "what was taken out of data") if name in ("pop", "setdefault") else NONE
    return of_plain(x, operations.as_expression(x, receiver, node), name, arguments, keywords, node)


_MUTATING = frozenset(
    {"update", "append", "extend", "add", "pop", "setdefault", "remove", "discard", "insert", "clear"}
)


def _changed(
    x: Executor, receiver: Expression, name: str, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Expression:
    """Plain data after a call that changes it in place."""
    plain = [operations.as_expression(x, a, node) for a in arguments]
    match name, plain:
        case "update", [other] if not keywords:
            return Call("merge", (receiver, other))
        case "append", [element]:
            return arithmetic("+", receiver, Collection("list", (element,)))
        case "extend", [other]:
            return arithmetic("+", receiver, Call("list", (other,)))
        case "add", [element]:
            return arithmetic("|", receiver, Collection("set", (element,)))
        case "setdefault", [key, value]:
            return Call("merge", (MappingNode((key,), (value,)), receiver))
    return x.unknown(node, f"data changed by {name}")


def mutated(x: Executor, before: Expression, after: Expression, owner: ast.expr | None) -> None:
    """Plain data changed in place: the name it was reached by, and the object of facts it belongs to."""
    after = (
        x.log.named(after, owner.id, x.site(None), x.state.frame.name)
        if isinstance(owner, ast.Name)
        else after
    )
    if isinstance(owner, ast.Name) and owner.id in x.state.frame.locals:
        x.state.frame.locals[owner.id] = after
    elif isinstance(owner, ast.Attribute):
        x.assign(owner, after)
    root = before.arguments[0] if isinstance(before, Call) and before.function == "default" else before
    if isinstance(root, Name):
        for identity, content in x.state.heap.items():
            if isinstance(content, Instance) and content.facts:
                path, _, attribute = root.path.rpartition(".")
                if path == content.facts:
                    x.state.store(Ref(identity), content.with_attribute(attribute, after))
                    return


def of_plain(
    x: Executor, receiver: Expression, name: str, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value:
    """A method of a string or of plain data."""
    if name == "join" and isinstance(receiver, Literal) and len(arguments) == 1:
        return _join(x, receiver, arguments[0], node)
    if name == "get" and len(arguments) in (1, 2) and isinstance(receiver, Expression):
        return _get(x, receiver, arguments, node)
    plain = [operations.as_expression(x, a, node) for a in arguments]
    if is_constant(receiver) and all(map(is_constant, plain)) and not keywords and name in _FOLDED:
        try:
            result = getattr(value_of(receiver), name)(*(value_of(p) for p in plain))
            return constant(list(result) if name in ("keys", "values", "items") else result)
        except (TypeError, ValueError, AttributeError):
            pass
    if name in _OF_PATHS:
        return x.described.path_exists(x, receiver, node)
    if name == "group" and isinstance(receiver, Call) and receiver.function.startswith("re_"):
        return Item(receiver, plain[0] if plain else Literal(0))
    if name == "groups" and isinstance(receiver, Call) and receiver.function.startswith("re_"):
        return Call("slice", (receiver, Literal(1)))
    if name == "to_dict":
        return receiver
    if name == "encode":
        return Call("encode", (receiver,))
    if name == "format":
        return x.unknown(node, "a formatted text")
    if name in ("copy", "__copy__"):
        return receiver
    if name in ("union", "intersection", "difference"):
        operator = {"union": "|", "intersection": "&", "difference": "-"}[name]
        joined: Value = receiver
        for other in plain:
            joined = arithmetic(operator, operations.as_expression(x, joined), Call("set", (other,)))  # type: ignore[arg-type]
        return joined
    if name in _SAME and not keywords and fits(name, 1 + len(plain)):
        call = Call(name, (receiver, *plain))
        if name == "index":
            attempts.may_raise(x, call, "ValueError", node)
        return call
    if name == "issubset" and plain:
        return comparison("<=", Call("set", (receiver,)), Call("set", (plain[0],)))
    if name == "copy":
        return receiver
    return x.unknown(node, f"method {name} of a value")


def fits(function: str, count: int) -> bool:
    """Whether the language's function takes that many arguments."""
    known = FUNCTIONS.get(function)
    return known is not None and known.least <= count and (known.most is None or count <= known.most)


def _get(x: Executor, receiver: Expression, arguments: list[Value], node: ast.AST) -> Value:
    default = arguments[1] if len(arguments) == 2 else NONE
    key = operations.as_expression(x, arguments[0], node)
    if isinstance(receiver, MappingNode) and is_constant(key) and is_constant(receiver):
        held = value_of(receiver)
        return constant(held[value_of(key)]) if value_of(key) in held else default
    if isinstance(default, Expression) or not isinstance(default, Ref):
        plain = operations.as_expression(x, default, node)
        return Call("get", (receiver, key) if plain == NONE else (receiver, key, plain))
    content = x.state.content(default)
    if isinstance(content, Items | Entries):
        plain = operations.as_expression(x, default, node)
        return Call("get", (receiver, key, plain))
    return merged_value(comparison("in", key, receiver), Call("get", (receiver, key)), default)


def _join(x: Executor, separator: Literal, parts: Value, node: ast.AST) -> Value:
    known = operations.elements_of(x, parts, node)
    if known is not None and all(g == TRUE and isinstance(v, Literal) for g, v in known):
        return Literal(str(separator.value).join(str(v.value) for _, v in known if isinstance(v, Literal)))
    return Call("join", (separator, operations.as_expression(x, parts, node)))


def _of_items(
    x: Executor, receiver: Ref, content: Items, name: str, arguments: list[Value], node: ast.AST
) -> Value | None:
    state = x.state
    match name, arguments:
        case (("append" | "add"), [element]):
            if content.kind == "set":
                there = operators.contains(x, receiver, element, node)
                if there == TRUE:
                    return NONE
            state.store(receiver, Items(content.kind, (*content.elements, (TRUE, element))))
            return NONE
        case (("extend" | "update"), [other]):
            if not extended(x, receiver, other, node):
                state.store(receiver, Lost(x.site(node), f"{name} with something not known"))
            return NONE
        case (("discard" | "remove"), [element]):
            kept = []
            for guard, value in content.elements:
                rest = conjunction((guard, negation(operators.compare(x, "==", value, element, node))))
                if rest != FALSE:
                    kept.append((rest, value))
            state.store(receiver, Items(content.kind, tuple(kept)))
            return NONE
        case "copy", []:
            return state.allocate(content)
        case "clear", []:
            state.store(receiver, Items(content.kind))
            return NONE
        case (("union" | "intersection" | "difference"), _):
            operator = {"union": "|", "intersection": "&", "difference": "-"}[name]
            result: Value = receiver
            for other in arguments:
                rows = operations.elements_of(x, other, node)
                wrapped: Value = (
                    Call("set", (operations.as_expression(x, other, node),))
                    if rows is None
                    else state.allocate(Items("set", tuple(rows)))
                )
                result = operators.binary(x, operator, result, wrapped, node)  # type: ignore[arg-type]
            return result
        case (("issubset" | "isdisjoint" | "issuperset"), [other]):
            return _set_test(x, content, name, other, receiver, node)
        case "insert", [Literal(value=0), element]:
            state.store(receiver, Items(content.kind, ((TRUE, element), *content.elements)))
            return NONE
        case "pop", _ if content.is_certain and content.elements:
            if not arguments:
                state.store(receiver, Items(content.kind, content.elements[:-1]))
                return content.elements[-1][1]
        case (("sort" | "reverse"), _):
            return NONE
    return None


def _set_test(
    x: Executor, content: Items, name: str, other: Value, receiver: Ref, node: ast.AST
) -> Expression:
    if name == "issuperset":
        rows = operations.elements_of(x, other, node)
        if rows is not None:
            return conjunction(
                disjunction((negation(g), operators.contains(x, receiver, v, node))) for g, v in rows
            )
        return x.unknown(node, "issuperset of something not known")
    tests = [(g, operators.contains(x, other, v, node)) for g, v in content.elements]
    if name == "issubset":
        return conjunction(disjunction((negation(g), t)) for g, t in tests)
    return negation(disjunction(conjunction((g, t)) for g, t in tests))


def _of_entries(
    x: Executor,
    receiver: Ref,
    content: Entries,
    name: str,
    arguments: list[Value],
    keywords: Keywords,
    node: ast.AST,
) -> Value | None:
    state = x.state
    entries = content.entries
    match name:
        case "get":
            default = arguments[1] if len(arguments) > 1 else NONE
            key = operations.as_key(x, arguments[0])
            if isinstance(key, Expression):
                rows: list[tuple[Expression, Value]] = [
                    (conjunction((comparison("==", key, constant(k)), guard)), v)
                    for k, (guard, v) in entries.items()
                    if not isinstance(k, EnumMember)
                ]
                return choice([*rows, (TRUE, default)])
            if isinstance(arguments[0], Choice):
                return operations.spread(
                    x, arguments[0], lambda k: method(x, receiver, "get", [k, default], {}, node)
                )
            if key not in entries:
                return default
            guard, value = entries[key]
            return merged_value(guard, value, default)
        case "items":
            return state.allocate(Items("list", tuple((g, _pair(x, k, v)) for k, (g, v) in entries.items())))
        case "keys":
            return state.allocate(Items("list", tuple((g, _key_value(k)) for k, (g, _) in entries.items())))
        case "values":
            return state.allocate(Items("list", tuple((g, v) for g, v in entries.values())))
        case "update":
            given = dict(keywords)
            for argument in arguments:
                from constraints.sglang.extraction.expressions import entries_of

                more = entries_of(x, argument)
                if more is None:
                    state.store(receiver, Lost(x.site(node), "update with a dict that is not known"))
                    return NONE
                given |= more  # type: ignore[arg-type]
            merged = dict(entries)
            for key, (guard, value) in given.items():
                before, old = merged.get(key, (FALSE, value))
                merged[key] = (disjunction((before, guard)), merged_value(guard, value, old))
            state.store(receiver, Entries(merged))
            return NONE
        case "setdefault":
            key = operations.as_key(x, arguments[0])
            if isinstance(key, Expression):
                return None
            value = arguments[1] if len(arguments) > 1 else NONE
            before, old = entries.get(key, (FALSE, value))
            state.store(receiver, Entries({**entries, key: (TRUE, merged_value(before, old, value))}))
            return merged_value(before, old, value)
        case "pop":
            key = operations.as_key(x, arguments[0])
            if isinstance(key, Expression):
                return None
            before, old = entries.get(key, (FALSE, NONE))
            rest = {k: v for k, v in entries.items() if k != key}
            state.store(receiver, Entries(rest))
            if len(arguments) > 1:
                return merged_value(before, old, arguments[1])
            attempts.fails(x, negation(before), "KeyError", node)
            return old
        case "copy":
            return state.allocate(content)
    return None


def _pair(x: Executor, key: object, value: Value) -> Value:
    if isinstance(value, Expression) and not isinstance(key, EnumMember):
        return Collection("tuple", (constant(key), value))
    return x.state.allocate(Items("tuple", ((TRUE, _key_value(key)), (TRUE, value))))


def _key_value(key: object) -> Value:
    return key if isinstance(key, EnumMember) else constant(key)


def extended(x: Executor, receiver: Ref, other: Value, node: ast.AST) -> bool:
    """Adds what iterating `other` gives to a list or set, in place; False where that is not known."""
    content = x.state.content(receiver)
    if isinstance(content, Entries) and isinstance(other, Ref):
        more = x.state.content(other)
        if isinstance(more, Entries):
            x.state.store(receiver, Entries({**content.entries, **more.entries}))
            return True
        return False
    if not isinstance(content, Items):
        return False
    rows = operations.elements_of(x, other, node)
    if rows is None:
        return False
    added = [row for row in rows if content.kind != "set" or row not in content.elements]
    x.state.store(receiver, Items(content.kind, (*content.elements, *added)))
    return True
