"""Which expressions may fail where the engine evaluates them: a division by zero, a comparison with None.

The engine does not start then, so a statement that evaluates such an expression is a rule of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from constraints.expression.syntax import (
    And,
    Arithmetic,
    Call,
    Collection,
    Comparison,
    Comprehension,
    Conditional,
    Expression,
    Item,
    Literal,
    Mapping,
    Name,
    Negative,
    Not,
    Or,
)

_ORDERED = frozenset({"<", "<=", ">", ">="})
_OF_TEXT = frozenset(
    {
        "lower",
        "upper",
        "strip",
        "split",
        "startswith",
        "endswith",
        "replace",
        "len",
        "int",
        "float",
        "re_match",
        "items",
        "keys",
        "values",
    }
)


def fault_kind(
    expression: Expression,
    is_nullable: Callable[[str], bool],
    is_text: Callable[[str], bool],
    is_data: Callable[[str], bool],
    guards: Iterable[Expression],
    is_refused: Callable[[Expression], bool] = lambda _: False,
) -> str:
    """The exception that evaluating may raise, by name; empty where none is to be expected.

    Args:
        expression: what is evaluated.
        is_nullable: whether a name may stand for None.
        is_text: whether a name stands for text that somebody wrote.
        is_data: whether a name stands for JSON of any kind that somebody wrote.
        guards: what holds on the way here; a name that one of them tests is taken to be not None.
        is_refused: whether the failures of a part have a rule already.
    """
    return _kind(expression, _Names(is_nullable, is_text, is_data, is_refused), _tested(guards))


@dataclass(frozen=True, slots=True)
class _Names:
    """What names may stand for."""

    is_nullable: Callable[[str], bool]
    is_text: Callable[[str], bool]
    is_data: Callable[[str], bool]
    is_refused: Callable[[Expression], bool]


def _kind(node: Expression, names: _Names, tested: frozenset[str]) -> str:
    if names.is_refused(node):
        return ""
    match node:
        case And(operands=operands) | Or(operands=operands):
            known = tested
            for operand in operands:
                kind = _kind(operand, names, known)
                if kind:
                    return kind
                # `x is None or x > 1` and `x is not None and x > 1` both make the rest safe.
                known = known | _tested((operand,))
            return ""
        case Conditional(test=test, then=then, otherwise=otherwise):
            known = tested | _tested((test,))
            return _kind(test, names, tested) or _kind(then, names, known) or _kind(otherwise, names, known)
        case Arithmetic(operator=op, left=left, right=right):
            if op in ("%", "//", "/") and not (isinstance(right, Literal) and right.value):
                if not isinstance(left, Literal) or not isinstance(left.value, str):
                    return "ZeroDivisionError"
            for side in (left, right):
                if _may_be_none(side, names, tested):
                    return "TypeError"
            return _kind(left, names, tested) or _kind(right, names, tested)
        case Comparison(operator=op, left=left, right=right):
            if op in _ORDERED and any(_may_be_none(s, names, tested) for s in (left, right)):
                return "TypeError"
            if op in ("in", "not in") and _may_be_none(right, names, tested):
                return "TypeError"
            return _kind(left, names, tested) or _kind(right, names, tested)
        case Item(value=Mapping(keys=())):
            return "AssertionError"  # what stands for a library's own failure
        case Item(value=Name(path=path)) if path.startswith("model.") and not path.endswith("architectures"):
            return "AttributeError"  # many a model's configuration has no such entry
        case Item(value=value):
            return _kind(value, names, tested)
        case Call(function="crashes"):
            return ""
        case Call(function="json" | "int" | "float" as function, arguments=(Name(path=path),)) if (
            names.is_text(path)
        ):
            return "JSONDecodeError" if function == "json" else "ValueError"
        case Call(function="get" | "items" | "keys", arguments=(Name(path=path), *_)) if path.startswith(
            "model."
        ) or names.is_data(path):
            return "AttributeError"
        case Call(function=function, arguments=arguments):
            if function in _OF_TEXT and arguments and _may_be_none(arguments[0], names, tested):
                return "TypeError" if function in ("len", "int", "float", "re_match") else "AttributeError"
            return next((k for a in arguments if (k := _kind(a, names, tested))), "")
        case Not() | Negative() | Collection() | Mapping():
            return next((k for c in node.children() if (k := _kind(c, names, tested))), "")
        case Comprehension(iterable=iterable):
            if _may_be_none(iterable, names, tested):
                return "TypeError"
            return _kind(iterable, names, tested)
    return ""


def _may_be_none(node: Expression, names: _Names, tested: frozenset[str]) -> bool:
    match node:
        case Literal(value=None):
            return True
        case Name(path=path):
            return path not in tested and names.is_nullable(path)
        case Conditional(test=test, then=then, otherwise=otherwise):
            known = tested | _tested((test,))
            return _may_be_none(then, names, known) or _may_be_none(otherwise, names, known)
        case Or(operands=operands):
            return _may_be_none(operands[-1], names, tested)
    return False


def _tested(guards: Iterable[Expression]) -> frozenset[str]:
    """The names whose truth or presence a test settles, one way or the other."""
    found: set[str] = set()
    for guard in guards:
        for node in guard.distinct():
            match node:
                case Comparison(left=Name(path=path), right=Literal()):
                    found.add(path)
                case Comparison(operator="in", left=Name(path=path)):
                    found.add(path)
                case Not(operand=Name(path=path)):
                    found.add(path)
                case And(operands=operands) | Or(operands=operands):
                    found.update(o.path for o in operands if isinstance(o, Name))
        if isinstance(guard, Name):
            found.add(guard.path)
    return frozenset(found)
