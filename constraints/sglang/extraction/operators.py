"""Python's operators on symbolic values: comparisons, membership, arithmetic, and sets' own."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from constraints.expression.simplify import (
    arithmetic,
    comparison,
    conditional,
    conjunction,
    constant,
    disjunction,
    negation,
)
from constraints.expression.syntax import (
    FALSE,
    NONE,
    TRUE,
    Arithmetic,
    ArithmeticOperator,
    Collection,
    ComparisonOperator,
    Expression,
    Literal,
    Name,
)
from constraints.sglang.extraction import attempts
from constraints.sglang.extraction.operations import as_expression, as_key, elements_of
from constraints.sglang.extraction.values import (
    Choice,
    Class,
    Entries,
    EnumMember,
    Facts,
    Function,
    Instance,
    Items,
    Lost,
    Ref,
    Structured,
    Value,
)

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor


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
