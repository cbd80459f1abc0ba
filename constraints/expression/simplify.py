"""Building expressions that are already simple: the constructors that extraction uses.

Each function takes the parts of a node and gives an equivalent expression: constants folded, double
negations and repeated operands dropped, booleans' conditionals turned into and/or. Equivalent means:
the same value where the original has one. Faults are kept where they would surface, with one
exception that is sound for an engine that stops at its first error: an operand that is never
evaluated because of its neighbour's constant value is dropped with the fault it might have had.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

from constraints.expression.syntax import (
    FALSE,
    TRUE,
    And,
    Arithmetic,
    ArithmeticOperator,
    Call,
    Collection,
    Comparison,
    ComparisonOperator,
    Comprehension,
    Conditional,
    Expression,
    Literal,
    Mapping,
    Name,
    Negative,
    Not,
    Or,
    Unknown,
)

_INVERSE: dict[str, ComparisonOperator] = {
    "==": "!=", "!=": "==", "in": "not in", "not in": "in", "is": "is not", "is not": "is",
}  # fmt: skip
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge, "is": operator.is_, "is not": operator.is_not,
    "in": lambda a, b: a in b, "not in": lambda a, b: a not in b,
}  # fmt: skip
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "//": operator.floordiv, "%": operator.mod, "|": operator.or_, "&": operator.and_,
    "^": operator.xor,
}  # fmt: skip
_BOOLEAN_FUNCTIONS = frozenset(
    {"bool", "startswith", "endswith", "is_instance", "has", "crashes", "isdigit", "isnumeric"}
)
_LARGEST_FOLDED = 4096


def constant(value: object) -> Expression:
    """The expression for a Python value. Raises TypeError for one that the language has no form for."""
    if value is None or isinstance(value, bool | int | float | str):
        return Literal(value)
    if isinstance(value, tuple | list):
        kind = "tuple" if isinstance(value, tuple) else "list"
        return Collection(kind, tuple(constant(item) for item in value))  # type: ignore[arg-type]
    if isinstance(value, set | frozenset):
        return Collection("set", tuple(constant(item) for item in sorted(value, key=repr)))
    if isinstance(value, dict):
        return Mapping(tuple(map(constant, value)), tuple(map(constant, value.values())))
    raise TypeError(f"no expression for a {type(value).__name__}")


def value_of(node: Expression) -> Any:
    """The Python value of a constant expression. Raises ValueError where it is not constant."""
    match node:
        case Literal(value=value):
            return value
        case Collection(kind=kind, elements=elements):
            items = [value_of(element) for element in elements]
            return items if kind == "list" else tuple(items) if kind == "tuple" else frozenset(items)
        case Mapping(keys=keys, values=values):
            return {value_of(k): value_of(v) for k, v in zip(keys, values, strict=True)}
    raise ValueError("not constant")


def is_constant(node: Expression) -> bool:
    """Whether the expression reads nothing and calls nothing."""
    match node:
        case Literal():
            return True
        case Collection(elements=elements):
            return all(map(is_constant, elements))
        case Mapping(keys=keys, values=values):
            return all(map(is_constant, keys)) and all(map(is_constant, values))
    return False


def is_boolean(node: Expression) -> bool:
    """Whether the value, where there is one, is surely True or False."""
    match node:
        case Literal(value=value):
            return isinstance(value, bool)
        case Not() | Comparison():
            return True
        case And(operands=operands) | Or(operands=operands):
            return all(map(is_boolean, operands))
        case Conditional(then=then, otherwise=otherwise):
            return is_boolean(then) and is_boolean(otherwise)
        case Call(function=function):
            return function in _BOOLEAN_FUNCTIONS
        case Comprehension(kind=kind):
            return kind in ("any", "all")
        case Name(path=path):
            return path.startswith(("gpu.is_", "gpu.has_", "env_set."))
    return False


def truth(node: Expression) -> bool | None:
    """Whether the expression is surely truthy or surely falsy; None where that depends."""
    match node:
        case Literal(value=value):
            return bool(value)
        case Collection(elements=elements):
            return bool(elements)
        case Mapping(keys=keys):
            return bool(keys)
        case Arithmetic(operator="+", left=left, right=right):
            # Text or a list with something in it stays so, whatever is put before or after it.
            for side in (left, right):
                if isinstance(side, Collection) or (
                    isinstance(side, Literal) and isinstance(side.value, str)
                ):
                    if truth(side):
                        return True
                elif isinstance(side, Arithmetic) and truth(side):
                    return True
    return None


def negation(node: Expression) -> Expression:
    """`not node` as a test, with the negation pushed where it reads better."""
    known = truth(node)
    if known is not None:
        return FALSE if known else TRUE
    match node:
        case Not(operand=operand):
            return operand
        case Comparison(operator=op, left=left, right=right) if op in _INVERSE:
            return Comparison(_INVERSE[op], left, right)
        case And(operands=operands) if all(isinstance(o, Not | Comparison) for o in operands) and any(
            isinstance(o, Not) for o in operands
        ):
            return disjunction(negation(o) for o in operands)
        case Or(operands=operands) if all(isinstance(o, Not) for o in operands):
            return conjunction(negation(o) for o in operands)
    return Not(node)


def as_test(node: Expression) -> Expression:
    """An expression with the same truth that is simpler where only the truth matters."""
    match node:
        case Call(function="bool", arguments=(argument,)):
            return as_test(argument)
        case Not(operand=operand):
            return negation(as_test(operand))
        case And(operands=operands):
            return conjunction(as_test(o) for o in operands)
        case Or(operands=operands):
            return disjunction(as_test(o) for o in operands)
        case Conditional(test=test, then=then, otherwise=otherwise):
            return conditional(test, as_test(then), as_test(otherwise), boolean=True)
    known = truth(node)
    return node if known is None else (TRUE if known else FALSE)


def conjunction(operands: Iterable[Expression]) -> Expression:
    """`a and b and …` as a test: True for none, flat, without repetitions."""
    kept: list[Expression] = []
    seen: set[Expression] = set()
    for operand in _flattened(operands, And):
        known = truth(operand)
        if known is True or operand in seen:
            continue
        if known is False or negation(operand) in seen:
            return FALSE
        seen.add(operand)
        kept.append(operand)
    kept = _without_subsumed(kept)
    if not kept:
        return TRUE
    return kept[0] if len(kept) == 1 else And(tuple(kept))


def disjunction(operands: Iterable[Expression]) -> Expression:
    """`a or b or …` as a test: False for none, flat, without repetitions."""
    kept: list[Expression] = []
    seen: set[Expression] = set()
    for operand in _flattened(operands, Or):
        known = truth(operand)
        if known is False or operand in seen:
            continue
        if known is True or negation(operand) in seen:
            return TRUE
        seen.add(operand)
        kept.append(operand)
    if not kept:
        return FALSE
    return kept[0] if len(kept) == 1 else _factored(tuple(kept))


def conditional(
    test: Expression, then: Expression, otherwise: Expression, *, boolean: bool = False
) -> Expression:
    """`then if test else otherwise`; with `boolean`, only the truth of the result matters."""
    known = truth(test)
    if known is not None:
        return then if known else otherwise
    if then == otherwise:
        return then
    if isinstance(test, Not):
        return conditional(test.operand, otherwise, then, boolean=boolean)
    if boolean or (is_boolean(then) and is_boolean(otherwise)):
        if truth(then) is True and (boolean or is_boolean(test)):
            return disjunction((test, otherwise))
        if truth(then) is False:
            return conjunction((negation(test), otherwise))
        if truth(otherwise) is False and (boolean or is_boolean(test)):
            return conjunction((test, then))
        if truth(otherwise) is True:
            return disjunction((negation(test), then))
    match otherwise:
        case Conditional(test=inner, then=same, otherwise=rest) if same == then:
            return conditional(disjunction((test, inner)), then, rest, boolean=boolean)
        case Conditional(test=inner, otherwise=rest) if inner == test:
            return conditional(test, then, rest, boolean=boolean)
    match then:
        case Conditional(test=inner, then=inside, otherwise=same) if same == otherwise:
            return conditional(conjunction((test, inner)), inside, otherwise, boolean=boolean)
        case Conditional(test=inner, then=inside) if inner == test:
            return conditional(test, inside, otherwise, boolean=boolean)
    return Conditional(test, then, otherwise)


def comparison(op: ComparisonOperator, left: Expression, right: Expression) -> Expression:
    """One comparison, folded where both sides are constant, spread over a conditional's branches."""
    if is_constant(left) and is_constant(right):
        try:
            return Literal(bool(_COMPARE[op](value_of(left), value_of(right))))
        except (TypeError, ValueError):
            pass
    if op in ("in", "not in") and isinstance(right, Collection):
        if not right.elements:
            return Literal(op == "not in")
        if len(right.elements) == 1:
            return comparison("==" if op == "in" else "!=", left, right.elements[0])
        if not is_constant(right) and isinstance(left, Literal):
            tests = [comparison("==", element, left) for element in right.elements]
            member = disjunction(tests)
            return member if op == "in" else negation(member)
    if op in ("==", "!=") and isinstance(right, Literal) and right.value is None:
        return comparison("is" if op == "==" else "is not", left, right)
    if op in ("is", "is not") and isinstance(right, Literal) and _never_none(left) and right.value is None:
        return Literal(op == "is not")
    if isinstance(left, Literal) and not isinstance(right, Literal) and op in ("==", "!="):
        return comparison(op, right, left)
    if isinstance(left, Conditional) and is_constant(right):
        then, otherwise = (comparison(op, side, right) for side in (left.then, left.otherwise))
        if isinstance(then, Literal) or isinstance(otherwise, Literal):
            return conditional(left.test, then, otherwise)
    return Comparison(op, left, right)


def arithmetic(op: ArithmeticOperator, left: Expression, right: Expression) -> Expression:
    """One operation, folded where both sides are constant and the result is small."""
    if is_constant(left) and is_constant(right) and op in _ARITHMETIC:
        try:
            result = _ARITHMETIC[op](value_of(left), value_of(right))
            if not hasattr(result, "__len__") or len(result) <= _LARGEST_FOLDED:
                return constant(result)
        except (TypeError, ValueError, ZeroDivisionError, OverflowError):
            pass
    return Arithmetic(op, left, right)


def negative(operand: Expression) -> Expression:
    """`-operand`."""
    if isinstance(operand, Literal) and isinstance(operand.value, int | float):
        return Literal(-operand.value)
    return Negative(operand)


def has_unknown(node: Expression) -> bool:
    """Whether a part of the expression is one that extraction could not follow."""
    return any(isinstance(part, Unknown) for part in node.distinct())


def _never_none(node: Expression) -> bool:
    match node:
        case Collection() | Mapping() | Arithmetic() | Negative() | Not() | Comparison():
            return True
        case Literal(value=value):
            return value is not None
        case Call(function=function):
            return function not in ("get", "default", "json", "min", "max", "re_match", "re_search",
                                    "re_fullmatch", "index", "next")  # fmt: skip
        case Comprehension():
            return True
        case Conditional(then=then, otherwise=otherwise):
            return _never_none(then) and _never_none(otherwise)
    return False


def _flattened(operands: Iterable[Expression], kind: type[And | Or]) -> Iterable[Expression]:
    for operand in operands:
        if isinstance(operand, kind):
            yield from _flattened(operand.operands, kind)
        else:
            yield operand


def _without_subsumed(operands: list[Expression]) -> list[Expression]:
    """Drop `x is not None` where a stronger operand about x follows from a neighbour (`x == 'a'`)."""
    settled = {
        o.left
        for o in operands
        if isinstance(o, Comparison)
        and ((o.operator == "==" and isinstance(o.right, Literal) and o.right.value is not None)
             or (o.operator == "in" and isinstance(o.right, Collection) and _all_given(o.right)))
    }  # fmt: skip
    if not settled:
        return operands
    return [
        o
        for o in operands
        if not (
            isinstance(o, Comparison)
            and o.left in settled
            and o.operator == "is not"
            and isinstance(o.right, Literal)
            and o.right.value is None
        )
    ]


def _all_given(collection: Collection) -> bool:
    return all(isinstance(e, Literal) and e.value is not None for e in collection.elements)


def _factored(operands: tuple[Expression, ...]) -> Expression:
    """`(a and b) or (a and c)` as `a and (b or c)`, where all operands begin alike."""
    first = operands[0]
    if all(isinstance(o, And) for o in operands) and isinstance(first, And):
        rows = [o.operands for o in operands if isinstance(o, And)]
        shared = 0
        while all(len(r) > shared for r in rows) and all(r[shared] == rows[0][shared] for r in rows):
            shared += 1
        if shared:
            rest = disjunction(conjunction(r[shared:]) for r in rows)
            return conjunction((*first.operands[:shared], rest))
    if len(operands) > 2 or len(operands) == 2:
        merged = _merged_memberships(operands)
        if merged is not None:
            return merged
    return Or(operands)


def _merged_memberships(operands: tuple[Expression, ...]) -> Expression | None:
    """`x == 'a' or x == 'b'` as `x in ('a', 'b')`."""
    subject: Expression | None = None
    values: list[Expression] = []
    for operand in operands:
        match operand:
            case Comparison(operator="==", left=left, right=Literal() as right):
                new = (right,)
            case Comparison(operator="in", left=left, right=Collection(elements=elements)) if all(
                isinstance(e, Literal) for e in elements
            ):
                new = elements  # type: ignore[assignment]
            case _:
                return None
        if subject is not None and left != subject:
            return None
        subject = left
        values.extend(v for v in new if v not in values)
    return None if subject is None else Comparison("in", subject, Collection("tuple", tuple(values)))
