"""Records that a validation library makes from JSON (`BaseModel.model_validate_json`), as conditions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from constraints.expression.simplify import comparison, conjunction, constant, disjunction, negation
from constraints.expression.syntax import NONE, TRUE, Call, Expression, Item, Literal
from constraints.sglang.extraction import attempts
from constraints.sglang.extraction.state import merged_value
from constraints.sglang.extraction.values import Class, Instance, Value

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor

_EXACT = {"str": "str", "bool": "bool", "int": "int", "float": "float", "dict": "dict", "list": "list"}


def validated(x: Executor, owner: Class, text: Expression, node: ast.AST) -> Value:
    """The record that the JSON text makes; where it makes none, the library raises a ValueError.

    A value of another JSON type than a field's own is taken to be refused. (The library would still make
    a number of a string that holds one.)
    """
    raw = Call("json", (text,))
    fields = x.classes.fields(x, owner) or {}
    annotations = {
        s.target.id: s.annotation
        for s in owner.node.body
        if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)
    }
    wrong: list[Expression] = []
    attributes: dict[str, Value] = {}
    for name, default in fields.items():
        there, held = comparison("in", Literal(name), raw), Item(raw, Literal(name))
        fits = _fits(held, annotations[name]) if name in annotations else TRUE
        wrong.append(conjunction((there, negation(fits))))
        if default is None:
            wrong.append(negation(there))
        attributes[name] = held if default is None else merged_value(there, held, default)
    not_record = negation(Call("is_instance", (raw, Literal("dict"))))
    refused = disjunction((Call("crashes", (raw,)), not_record, *wrong))
    if not attempts.raises_when(x, refused, "ValueError", node):
        x.branch(refused, lambda: attempts.raised(x, "ValidationError", node), lambda: None)
    return x.state.allocate(Instance(owner, attributes))


def _fits(value: Expression, annotation: ast.expr) -> Expression:
    """Whether a JSON value is of the annotated type."""
    match annotation:
        case ast.Name(id="Any"):
            return TRUE
        case ast.Name(id=name) if name in _EXACT:
            fits = Call("is_instance", (value, Literal(name)))
            return (
                disjunction((fits, Call("is_instance", (value, Literal("int"))))) if name == "float" else fits
            )
        case ast.Constant(value=None):
            return comparison("is", value, NONE)
        case ast.Subscript(value=ast.Name(id="Optional"), slice=inner):
            return disjunction((comparison("is", value, NONE), _fits(value, inner)))
        case ast.Subscript(value=ast.Name(id="Literal"), slice=inner):
            elements = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            choices = tuple(e.value for e in elements if isinstance(e, ast.Constant))
            return comparison("in", value, constant(choices))
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return disjunction((_fits(value, left), _fits(value, right)))
        case ast.Subscript(value=ast.Name(id=name)) if name.lower() in ("list", "dict"):
            return Call("is_instance", (value, Literal(name.lower())))
    return TRUE
