"""What Python's operators do to symbolic values: attributes, items, comparisons, truth, iteration.

Nothing here executes a statement or calls a function of the source, except a property or an enum's
method looked up on the way, which goes back to the executor.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from constraints.expression.simplify import (
    arithmetic,
    as_test,
    comparison,
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
    Arithmetic,
    ArithmeticOperator,
    Call,
    Collection,
    ComparisonOperator,
    Expression,
    Item,
    Literal,
    Mapping,
    Name,
    Unknown,
)
from constraints.sglang.extraction import attempts
from constraints.sglang.extraction.state import choice, merged_value
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
    Lost,
    Method,
    ModuleValue,
    Ref,
    Structured,
    Value,
    Variable,
    View,
)

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor

_MIRRORED = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


def spread(x: Executor, value: Value, operation: Callable[[Value], Value]) -> Value:
    """The operation on each alternative of a choice, each under its condition."""
    if not isinstance(value, Choice):
        return operation(value)
    rows: list[tuple[Expression, Value]] = []
    taken: list[Expression] = []
    for condition, alternative in value.alternatives:
        guard = conjunction((*(negation(t) for t in taken), condition))
        with x.under(guard):
            rows.append((condition, operation(alternative)))
        taken.append(condition)
    return choice(rows)


def branched(x: Executor, value: Value, operation: Callable[[Value], Value]) -> Value:
    """The operation on each alternative of a choice, each on a branch of its own: it may change objects."""
    if not isinstance(value, Choice):
        return operation(value)
    (condition, first), *rest = value.alternatives
    if not rest:
        return branched(x, first, operation)
    made: list[Value] = []
    x.branch(
        condition,
        lambda: made.append(branched(x, first, operation)),
        lambda: made.append(branched(x, choice(rest), operation)),
    )
    return made[0] if len(made) == 1 else merged_value(condition, made[0], made[1])


def truth(x: Executor, value: Value) -> Expression:
    """The value's truth as a test."""
    match value:
        case Expression():
            return as_test(value)
        case Choice(alternatives=alternatives):
            result: Expression = FALSE
            for condition, alternative in reversed(alternatives):
                result = conditional(condition, truth(x, alternative), result, boolean=True)
            return result
        case Ref():
            match x.state.content(value):
                case Items(elements=elements):
                    return disjunction(guard for guard, _ in elements)
                case Entries(entries=entries):
                    return disjunction(guard for guard, _ in entries.values())
                case Lost(site=site, cause=cause):
                    return x.unknown_at(site, cause)
            return TRUE
        case EnumMember(value=inner, owner=owner):
            return as_test(inner) if x.classes.is_subclass(owner, ("IntEnum", "str", "int")) else TRUE
        case Facts(path="given" | "stash"):
            return TRUE
        case Facts(path=path):
            return as_test(Name(path))
    return TRUE


def as_expression(x: Executor, value: Value, node: ast.AST | None = None) -> Expression:
    """The value as plain data of the rule language; unknown where it is none."""
    match value:
        case Expression():
            return value
        case EnumMember(value=inner, owner=owner, name=name):
            return (
                inner if x.classes.is_subclass(owner, ("IntEnum", "str", "int", "StrEnum")) else Literal(name)
            )
        case Choice(alternatives=alternatives):
            result: Expression | None = None
            for condition, alternative in reversed(alternatives):
                plain = as_expression(x, alternative, node)
                result = plain if result is None else conditional(condition, plain, result)
            assert result is not None
            return result
        case Facts(path=path):
            return Name(path)
        case Structured(owner=owner):
            parts = x.record.as_record(x, value)[1]
            return Mapping(
                tuple(Literal(n) for n in parts),
                tuple(as_expression(x, part, node) for part in parts.values()),
            )
        case External(path=path) if "." in path:
            # A library's constant: compared by its name. torch's dtypes are known by theirs.
            return Literal(path.removeprefix("torch."))
        case Ref():
            match x.state.content(value):
                case Items(kind=kind, elements=elements) if all(g == TRUE for g, _ in elements):
                    return Collection(kind, tuple(as_expression(x, v, node) for _, v in elements))  # type: ignore[arg-type]
                case Items(kind="list", elements=elements):
                    joined: Expression = Collection("list", ())
                    for guard, element in elements:
                        single = Collection("list", (as_expression(x, element, node),))
                        piece = conditional(guard, single, Collection("list", ()))
                        joined = piece if joined == Collection("list", ()) else arithmetic("+", joined, piece)
                    return joined
                case Items(kind=kind, elements=elements):
                    joined = Collection("set", ())
                    for guard, element in elements:
                        single = Collection("set", (as_expression(x, element, node),))
                        piece = conditional(guard, single, Collection("set", ()))
                        joined = piece if joined == Collection("set", ()) else arithmetic("|", joined, piece)
                    return joined
                case Entries(entries=entries) if all(g == TRUE for g, _ in entries.values()):
                    return Mapping(
                        tuple(constant(k) for k in entries),
                        tuple(as_expression(x, v, node) for _, v in entries.values()),
                    )
                case Entries(entries=entries):
                    merged: Expression = Mapping((), ())
                    for key, (guard, element) in entries.items():
                        one = Mapping((constant(key),), (as_expression(x, element, node),))
                        merged = Call("merge", (merged, conditional(guard, one, Mapping((), ()))))
                    return merged
                case Lost(site=site, cause=cause):
                    return x.unknown_at(site, cause)
                case Instance(facts=facts) if facts:
                    return Name(facts)
                case Instance(owner=cls, attributes=attributes) if attributes and cls is not None:
                    # A record as data: what is asked of it later is whether it is there, and how many.
                    return Mapping(
                        tuple(Literal(name) for name in attributes),
                        tuple(as_expression(x, held, node) for held in attributes.values()),
                    )
                case Instance(owner=cls):
                    return x.unknown(node, f"an object of {cls.name if cls else 'no known class'}")
    return x.unknown(node, f"a {type(value).__name__.lower()} as a value")


def attribute(x: Executor, value: Value, name: str, node: ast.AST, default: Value | None = None) -> Value:
    """`value.name`; with `default`, `getattr(value, name, default)`."""
    match value:
        case Unknown():
            return value
        case Choice():
            return spread(x, value, lambda v: attribute(x, v, name, node, default))
        case Ref():
            return _object_attribute(x, value, name, node, default)
        case View() | Structured():
            return x.record.attribute(x, value, name, node, default)
        case Facts(path=path):
            return x.facts.attribute(x, path, name, default)
        case ModuleValue(module=module):
            found = x.lookup_global(module, name, node)
            if found is not None:
                return found
            submodule = x.source.module(f"{module.name}.{name}")
            if submodule is not None:
                return ModuleValue(submodule)
        case External(path=path):
            return x.described.external_value(f"{path}.{name}") or External(f"{path}.{name}")
        case Class():
            return x.classes.attribute(x, value, name, node, default)
        case EnumMember(owner=owner):
            if name == "name":
                return Literal(value.name)
            if name == "value":
                return value.value
            found = x.classes.method(x, owner, name)
            if found is not None:
                return x.bound(value, found, node)
            if x.classes.is_subclass(owner, ("str",)):
                return Method(value.value, name)
        case Variable():
            return Method(value, name)
        case Method() | Function() if name in ("__name__", "__qualname__"):
            function = value.function if isinstance(value, Method) else value
            return Literal(function.name if isinstance(function, Function) else str(function))
        case Expression():
            return _plain_attribute(x, value, name, node, default)
    if default is not None:
        return default
    return x.unknown(node, f"attribute {name} of a {type(value).__name__.lower()}")


def _object_attribute(x: Executor, value: Ref, name: str, node: ast.AST, default: Value | None) -> Value:
    content = x.state.content(value)
    match content:
        case Instance(owner=owner, attributes=attributes, facts=facts):
            if name == "__dict__":
                return x.state.allocate(Entries({k: (TRUE, v) for k, v in attributes.items()}))
            if value == x.record.self_reference and (own := x.record.own_attribute(name)) is not None:
                return own
            if name in attributes:
                return attributes[name]
            if name == "__class__" and owner is not None:
                return owner
            if name in ("__struct_fields__", "_fields", "__dataclass_fields__") and owner is not None:
                return x.classes.attribute(x, owner, name, node, None)
            if owner is not None and (found := x.classes.method(x, owner, name)) is not None:
                return x.bound(value, found, node)
            if facts:
                return x.facts.attribute(x, facts, name, default)
            if owner is not None and (constant_ := x.classes.constant(x, owner, name)) is not None:
                return constant_
            if default is not None:
                return default
            return x.unknown(node, f"attribute {name} that nobody set")
        case Lost(site=site, cause=cause):
            return x.unknown_at(site, cause)
    return Method(value, name)


def _plain_attribute(
    x: Executor, value: Expression, name: str, node: ast.AST, default: Value | None
) -> Value:
    if isinstance(value, Name) and value.path.startswith("model."):
        return x.facts.attribute(x, value.path, name, default)
    if name in _DATA_METHODS and default is None and not isinstance(value, Name):
        return Method(value, name)
    if isinstance(value, Call) and value.function == "default" and len(value.arguments) == 2:
        first, second = value.arguments
        if isinstance(first, Name) and first.path.startswith("model."):
            there = x.facts.attribute(x, first.path, name, default)
            if second == NONE or isinstance(second, Name):
                other = (
                    attribute(x, second, name, node, default)
                    if isinstance(second, Name)
                    else default or x.unknown(node, f"attribute {name} of None")
                )
                return choice(((Call("has", (first,)), there), (TRUE, other)))
    if value == NONE and default is not None:
        return default
    if (isinstance(value, Literal) and isinstance(value.value, str)) or not isinstance(value, Literal):
        if default is not None and name not in _STRING_METHODS:
            return default
        return Method(value, name)
    return default if default is not None else Method(value, name)


_DATA_METHODS = frozenset({
    "get", "items", "keys", "values", "to_dict", "lower", "upper", "startswith", "strip",
    "update", "append", "extend", "add", "pop", "setdefault", "remove", "discard", "insert", "clear",
})  # fmt: skip
_STRING_METHODS = frozenset(dir(str)) | frozenset(dir(dict)) | frozenset(dir(list)) | frozenset(dir(set))


def item(x: Executor, value: Value, index: Value, node: ast.AST) -> Value:
    """`value[index]`."""
    if isinstance(value, Unknown):
        return value
    if isinstance(value, Choice):
        return spread(x, value, lambda v: item(x, v, index, node))
    if isinstance(index, Choice):
        return spread(x, index, lambda i: item(x, value, i, node))
    if isinstance(value, Ref):
        content = x.state.content(value)
        match content:
            case Entries(entries=entries, computed=None):
                return _entry(x, entries, as_key(x, index), node)
            case Items(elements=elements):
                position = as_expression(x, index)
                if isinstance(position, Literal) and isinstance(position.value, int):
                    if all(g == TRUE for g, _ in elements):
                        if -len(elements) <= position.value < len(elements):
                            return elements[position.value][1]
                    return Item(as_expression(x, value), position)
                if elements and all(g == TRUE for g, _ in elements):
                    rows = [(comparison("==", position, Literal(i)), v) for i, (_, v) in enumerate(elements)]
                    return choice(rows)
            case Lost(site=site, cause=cause):
                return x.unknown_at(site, cause)
            case Instance(owner=owner) if owner is not None:
                found = x.classes.method(x, owner, "__getitem__")
                if found is not None:
                    return x.call(Method(value, found), [index], {}, node)
    if isinstance(value, Class) and x.classes.is_enum(value):
        return x.classes.member_named(x, value, as_expression(x, index), node)
    if isinstance(value, Facts) and value.path == "given" and isinstance(index, Literal):
        return x.record.raw(str(index.value))
    if value == External("os.environ") and isinstance(index, Literal):
        return x.log.current(f"environ.{index.value}")
    if isinstance(value, External | Class):
        return value  # a subscripted generic
    if isinstance(value, Structured):
        key = as_key(x, index)
        if isinstance(key, str):
            return attribute(x, value, key, node)
    plain, position = as_expression(x, value, node), as_expression(x, index, node)
    if is_constant(plain) and is_constant(position):
        try:
            return constant(value_of(plain)[value_of(position)])
        except (LookupError, TypeError, ValueError):
            pass
    if isinstance(plain, Collection) and isinstance(position, Literal) and isinstance(position.value, int):
        if -len(plain.elements) <= position.value < len(plain.elements):
            return plain.elements[position.value]
    return Item(plain, position)


def _entry(x: Executor, entries: object, key: object, node: ast.AST) -> Value:
    assert isinstance(entries, dict)
    if key is not None and not isinstance(key, Expression):
        guard, held = entries.get(key, (FALSE, x.fault("KeyError", node)))
        attempts.fails(x, negation(guard), "KeyError", node)
        return held  # type: ignore[no-any-return]
    if isinstance(key, Expression):
        rows = [
            (conjunction((comparison("==", key, constant(k)), guard)), v)
            for k, (guard, v) in entries.items()
            if not isinstance(k, EnumMember)
        ]
        if rows:
            if all(guard == TRUE for guard, _ in entries.values()):
                found = comparison(
                    "in", key, constant(tuple(k for k in entries if not isinstance(k, EnumMember)))
                )
            else:
                found = disjunction(condition for condition, _ in rows)
            attempts.fails(x, negation(found), "KeyError", node)
            return choice(rows) if found != FALSE else x.fault("KeyError", node)
        if not entries:
            attempts.raised(x, "KeyError", node)
    return x.unknown(node, "an item of a dict by a key that is not known")


def as_key(x: Executor, value: Value) -> object:
    """A dict key as a Python value; the expression itself where it is not constant."""
    if isinstance(value, EnumMember):
        return value
    plain = as_expression(x, value)
    return value_of(plain) if is_constant(plain) else plain


def compare(x: Executor, op: ComparisonOperator, left: Value, right: Value, node: ast.AST) -> Expression:
    """One comparison as a test."""
    if op in ("is", "is not", "==", "!=") and not (
        isinstance(left, Expression) and isinstance(right, Expression)
    ):
        same = _identical(x, left, right)
        if same is not None:
            return same if op in ("is", "==") else negation(same)
    if op in ("is", "is not") and not (isinstance(right, Literal) and right.value in (None, True, False)):
        one, other = as_expression(x, left, node), as_expression(x, right, node)
        if isinstance(one, Name) and isinstance(other, Name):
            same = x.facts.same_object(one.path, other.path)
            return same if op == "is" else negation(same)
        op = "==" if op == "is" else "!="
    if op in ("in", "not in"):
        member = contains(x, right, left, node)
        return member if op == "in" else negation(member)
    return comparison(op, as_expression(x, left, node), as_expression(x, right, node))


def _identical(x: Executor, left: Value, right: Value) -> Expression | None:
    """Whether two values are the same where one of them is an object; None to compare them as data."""
    if isinstance(left, Structured) or isinstance(right, Structured):
        (owner, parts), (their_owner, others) = (x.record.as_record(x, v) for v in (left, right))
        if owner is not None and owner == their_owner:
            return conjunction(
                compare(x, "==", parts[n], others[n], owner.node) for n in parts if n in others
            )
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Choice):
            result: Expression = FALSE
            for condition, alternative in reversed(one.alternatives):
                same = _identical(x, alternative, other)
                if same is None:
                    same = comparison("==", as_expression(x, alternative), as_expression(x, other))
                result = conditional(condition, same, result, boolean=True)
            return result
    for one, other in ((left, right), (right, left)):
        if isinstance(one, EnumMember):
            if isinstance(other, EnumMember):
                return TRUE if one == other else FALSE
            if other == NONE:
                return FALSE
            if isinstance(other, Expression) and x.classes.is_subclass(
                one.owner, ("str", "int", "IntEnum", "StrEnum")
            ):
                return comparison("==", other, one.value)
            if isinstance(other, Literal):
                return FALSE
            return None
        if other == NONE:
            if isinstance(one, Facts):
                return comparison("is", Name(one.path), NONE)
            if isinstance(one, Structured):
                return FALSE
            if isinstance(one, Ref):
                content = x.state.content(one)
                if isinstance(content, Lost):
                    return x.unknown_at(content.site, content.cause)
                return FALSE
            if not isinstance(one, Expression):
                return FALSE
        if isinstance(one, Facts) and isinstance(other, Facts):
            return TRUE if one == other else FALSE
        if isinstance(one, Ref) and isinstance(other, Ref):
            if one == other:
                return TRUE
            a, b = x.state.content(one), x.state.content(other)
            if isinstance(a, Instance) and isinstance(b, Instance) and (a.facts or b.facts):
                return x.facts.same_object(a.facts, b.facts)
            return None
        if isinstance(one, Class | Function) and not isinstance(other, Expression):
            return TRUE if one == other else FALSE
    return None


def contains(x: Executor, container: Value, element: Value, node: ast.AST) -> Expression:
    """`element in container`."""
    if isinstance(container, Choice):
        result: Expression = FALSE
        for condition, alternative in reversed(container.alternatives):
            result = conditional(condition, contains(x, alternative, element, node), result, boolean=True)
        return result
    if isinstance(container, Ref):
        match x.state.content(container):
            case Items(elements=elements):
                if all(g == TRUE and isinstance(v, Expression) for g, v in elements) and isinstance(
                    element, Expression
                ):
                    return comparison(
                        "in", element, Collection("tuple", tuple(as_expression(x, v) for _, v in elements))
                    )
                return disjunction(
                    conjunction((guard, compare(x, "==", element, value, node))) for guard, value in elements
                )
            case Entries(entries=entries):
                key = as_key(x, element)
                if isinstance(key, Expression):
                    return disjunction(
                        conjunction((guard, comparison("==", key, constant(k))))
                        for k, (guard, _) in entries.items()
                    )
                return entries[key][0] if key in entries else FALSE
            case Lost(site=site, cause=cause):
                return x.unknown_at(site, cause)
    if isinstance(container, Class) and x.classes.is_enum(container):
        members = x.classes.members(x, container)
        return disjunction(compare(x, "==", element, m, node) for m in members)
    plain = as_expression(x, container, node)
    if isinstance(element, Choice | EnumMember) and isinstance(plain, Collection):
        return disjunction(compare(x, "==", element, e, node) for e in plain.elements)
    return comparison("in", as_expression(x, element, node), plain)


def binary(x: Executor, op: ArithmeticOperator, left: Value, right: Value, node: ast.AST) -> Value:
    """One arithmetic or set operation."""
    if isinstance(left, Ref) and isinstance(right, Ref):
        a, b = x.state.content(left), x.state.content(right)
        if isinstance(a, Items) and isinstance(b, Items):
            combined = _combined(x, op, a, b, node)
            if combined is not None:
                return x.state.allocate(combined)
        if isinstance(a, Entries) and isinstance(b, Entries) and op == "|":
            return x.state.allocate(Entries({**a.entries, **b.entries}))
    if op == "|" and isinstance(left, Class | Ref) and isinstance(right, Class):
        rows = elements_of(x, left, node) if isinstance(left, Ref) else [(TRUE, left)]
        return x.state.allocate(Items("tuple", (*(rows or ()), (TRUE, right))))  # a union of classes
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Ref) and isinstance(x.state.content(one), Items) and isinstance(other, Collection):
            wrapped = x.state.allocate(Items(other.kind, tuple((TRUE, e) for e in other.elements)))
            return binary(x, op, left if one is left else wrapped, right if one is right else wrapped, node)
    made = arithmetic(op, as_expression(x, left, node), as_expression(x, right, node))
    if isinstance(made, Arithmetic) and op in ("/", "//", "%") and not isinstance(made.right, Literal):
        attempts.may_raise(x, made, "ZeroDivisionError", node)
    return made


def _combined(x: Executor, op: str, a: Items, b: Items, node: ast.AST) -> Items | None:
    if op == "+" and a.kind == b.kind:
        return Items(a.kind, a.elements + b.elements)
    if a.kind == b.kind == "set":
        if op == "|":
            return Items("set", a.elements + tuple(e for e in b.elements if e not in a.elements))
        if op in ("-", "&"):
            kept = []
            for guard, value in a.elements:
                there = disjunction(conjunction((g, compare(x, "==", value, v, node))) for g, v in b.elements)
                test = conjunction((guard, negation(there) if op == "-" else there))
                if test != FALSE:
                    kept.append((test, value))
            return Items("set", tuple(kept))
    return None


def elements_of(x: Executor, value: Value, node: ast.AST) -> list[tuple[Expression, Value]] | None:
    """What iterating gives, each element with its condition; None where that is not known in advance."""
    match value:
        case Ref():
            match x.state.content(value):
                case Items(elements=elements):
                    return list(elements)
                case Entries(entries=entries):
                    return [
                        (g, k if isinstance(k, EnumMember) else constant(k)) for k, (g, _) in entries.items()
                    ]
        case Collection(elements=elements):
            return [(TRUE, e) for e in elements]
        case Mapping(keys=keys):
            return [(TRUE, k) for k in keys]
        case Literal(value=str() as text):
            return [(TRUE, Literal(c)) for c in text] if len(text) <= 64 else None
        case Class() if x.classes.is_enum(value):
            return [(TRUE, m) for m in x.classes.members(x, value)]
        case Choice(alternatives=alternatives):
            rows: list[tuple[Expression, Value]] = []
            taken: list[Expression] = []
            for condition, alternative in alternatives:
                inner = elements_of(x, alternative, node)
                if inner is None:
                    return None
                guard = conjunction((*(negation(t) for t in taken), condition))
                rows.extend((conjunction((guard, g)), v) for g, v in inner)
                taken.append(condition)
            return rows
        case Call(function="items" | "keys"):
            return x.described.known_elements(x, value, node)
        case Call(function="range", arguments=arguments) if all(map(is_constant, arguments)):
            numbers = range(*(value_of(a) for a in arguments))
            return [(TRUE, Literal(n)) for n in numbers] if len(numbers) <= 256 else None
        case External() | Function() | Method():
            return None
    return None
