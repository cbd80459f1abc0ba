"""What a symbolic value comes to: its truth, plain data, a key, the elements that iterating gives.

Nothing here executes a statement or calls a function of the source.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from constraints.expression.simplify import (
    arithmetic,
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
    TRUE,
    Call,
    Collection,
    Expression,
    Literal,
    Mapping,
    Name,
)
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
    Ref,
    Structured,
    Value,
)

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor


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


def as_key(x: Executor, value: Value) -> object:
    """A dict key as a Python value; the expression itself where it is not constant."""
    if isinstance(value, EnumMember):
        return value
    plain = as_expression(x, value)
    return value_of(plain) if is_constant(plain) else plain


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
