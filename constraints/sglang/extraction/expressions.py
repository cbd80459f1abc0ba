"""Evaluating the expressions of the source, node by node, to symbolic values."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from constraints.expression.simplify import (
    arithmetic,
    comparison,
    conjunction,
    disjunction,
    is_boolean,
    is_constant,
    negation,
    negative,
)
from constraints.expression.syntax import (
    FALSE,
    NONE,
    TRUE,
    And,
    Arithmetic,
    ArithmeticOperator,
    Call,
    Collection,
    ComparisonOperator,
    Expression,
    Item,
    Literal,
    Or,
    Unknown,
)
from constraints.sglang.extraction import attributes, operations, operators
from constraints.sglang.extraction.state import merged_value
from constraints.sglang.extraction.values import Class, Entries, Function, Items, Ref, Value

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor

OPERATORS: dict[type[ast.operator], ArithmeticOperator] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.BitOr: "|", ast.BitAnd: "&", ast.BitXor: "^",
}  # fmt: skip
_COMPARISONS: dict[type[ast.cmpop], ComparisonOperator] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip


def evaluate(x: Executor, node: ast.expr) -> Value:
    """The symbolic value of an expression of the source."""
    match node:
        case ast.Constant(value=value):
            if value is Ellipsis or isinstance(value, bytes | complex):
                return NONE
            return Literal(value)
        case ast.Name(id=name):
            return x.lookup(name, node)
        case ast.Attribute(value=owner, attr=name):
            return attributes.attribute(x, evaluate(x, owner), name, node)
        case ast.Call():
            return _call(x, node)
        case ast.BoolOp(op=operator, values=values):
            return _boolean(x, values, isinstance(operator, ast.And))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            opposite = negation(operations.truth(x, evaluate(x, operand)))
            return opposite if is_boolean(opposite) else Call("bool", (opposite,))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return negative(operations.as_expression(x, evaluate(x, operand), node))
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return evaluate(x, operand)
        case ast.Compare():
            return _comparison(x, node)
        case ast.BinOp(left=left, op=operator, right=right):
            if type(operator) not in OPERATORS:
                return _shift(x, node)
            if (
                isinstance(operator, ast.Mod)
                and isinstance(left, ast.Constant)
                and isinstance(left.value, str)
            ):
                return x.unknown(node, "a formatted text")
            return operators.binary(x, OPERATORS[type(operator)], evaluate(x, left), evaluate(x, right), node)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _conditional(x, test, body, orelse)
        case ast.Subscript(value=owner, slice=ast.Slice() as part):
            return _slice(x, evaluate(x, owner), part, node)
        case ast.Subscript(value=owner, slice=index):
            return attributes.item(x, evaluate(x, owner), evaluate(x, index), node)
        case ast.Tuple(elts=elements):
            return _sequence(x, "tuple", elements)
        case ast.List(elts=elements):
            return _sequence(x, "list", elements)
        case ast.Set(elts=elements):
            return _sequence(x, "set", elements)
        case ast.Dict(keys=keys, values=values):
            return _dictionary(x, keys, values, node)
        case ast.JoinedStr(values=values):
            return _text(x, values, node)
        case ast.Lambda():
            return Function(node, x.state.frame.module, x.state.frame)
        case ast.NamedExpr(target=target, value=value):
            made = evaluate(x, value)
            x.assign(target, made)
            return x.lookup(target.id, node)
        case ast.GeneratorExp() | ast.ListComp() | ast.SetComp() | ast.DictComp():
            from constraints.sglang.extraction.comprehensions import comprehension

            return comprehension(x, node)
        case ast.Starred(value=value):
            return evaluate(x, value)
    return x.unknown(node, f"a {type(node).__name__} expression")


def evaluated(x: Executor, node: ast.expr) -> Value:
    """The value of a part that is evaluated whatever becomes of it: what fails in it is a rule."""
    value = evaluate(x, node)
    x.refuse_faults(value, node)
    return value


def _call(x: Executor, node: ast.Call) -> Value:
    special = x.described.syntax_call(x, node)
    if special is not None:
        return special
    function = evaluate(x, node.func)
    if x.described.is_ignored(x, function):
        return NONE
    arguments: list[Value] = []
    keywords: dict[str, tuple[Expression, Value]] = {}
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            known = operations.elements_of(x, evaluate(x, argument.value), argument)
            if known is None or any(guard != TRUE for guard, _ in known):
                if known is not None:
                    x.described.note_guarded_star(x, arguments, known)
                    arguments.extend(value for _, value in known)
                    continue
                return x.unknown(node, "a call with * of something not known")
            arguments.extend(value for _, value in known)
        else:
            arguments.append(evaluated(x, argument))
    for keyword in node.keywords:
        value = evaluated(x, keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = (TRUE, value)
        elif (entries := entries_of(x, value)) is not None or (
            entries := _by_parameter(x, function, value)
        ) is not None:
            for key, pair in entries.items():
                keywords[str(key)] = pair
        else:
            return x.described.call_with_unknown_keywords(x, function, arguments, keywords, node)
    if x.state.dead:
        return NONE
    return x.call(function, arguments, keywords, node)


def _by_parameter(
    x: Executor, function: Value, value: Value
) -> dict[object, tuple[Expression, Value]] | None:
    """What `**data` gives a record's constructor: each of its fields, where the data has that key."""
    fields = x.classes.fields(x, function) if isinstance(function, Class) else None
    if fields is None or not isinstance(value, Expression):
        return None
    return {n: (comparison("in", Literal(n), value), Item(value, Literal(n))) for n in fields}


def entries_of(x: Executor, value: Value) -> dict[object, tuple[Expression, Value]] | None:
    """The entries of a dict by key, each under the condition that it is there; None for other values."""
    if isinstance(value, Ref):
        content = x.state.content(value)
        if isinstance(content, Entries):
            return dict(content.entries)
    from constraints.expression.syntax import Mapping
    from constraints.sglang.extraction.values import Choice

    if isinstance(value, Mapping):
        pairs = [(k, v) for k, v in zip(value.keys, value.values, strict=True) if isinstance(k, Literal)]
        if len(pairs) == len(value.keys):
            return {k.value: (TRUE, v) for k, v in pairs}
    if isinstance(value, Choice):
        rows: dict[object, tuple[Expression, Value]] = {}
        taken: list[Expression] = []
        for condition, alternative in value.alternatives:
            inner = entries_of(x, alternative)
            if inner is None:
                return None
            here = conjunction((*(negation(t) for t in taken), condition))
            for key, (guard, element) in inner.items():
                presence = conjunction((here, guard))
                if key in rows:
                    before, old = rows[key]
                    rows[key] = (disjunction((before, presence)), merged_value(presence, element, old))
                else:
                    rows[key] = (presence, element)
            taken.append(condition)
        return rows
    return None


def _boolean(x: Executor, values: list[ast.expr], conjunctive: bool) -> Value:  # noqa: FBT001
    """`a and b` or `a or b`, with Python's values and evaluation order."""
    parts: list[Value] = []
    going_on: list[Expression] = []
    for node in values:
        with x.under(conjunction(going_on)):
            value = evaluate(x, node)
            if x.state.dead:
                # What is raised here ends all of it only where nothing before decides.
                parts.append(FALSE if conjunctive else TRUE)
                break
            test = operations.truth(x, value)
            known = x.known(test)
        if known is not None and known is not conjunctive:
            parts.append(value)
            break
        if known is None or node is values[-1]:
            parts.append(value)
        if known is None:
            going_on.append(test if conjunctive else negation(test))
    if not parts:
        return TRUE if conjunctive else FALSE
    if len(parts) == 1:
        return parts[0]
    if all(isinstance(p, Expression) for p in parts):
        plain = [p for p in parts if isinstance(p, Expression)]
        if all(is_boolean(p) for p in plain):
            whole = conjunction(plain) if conjunctive else disjunction(plain)
            return _kept_faults(x, plain if conjunctive else [negation(p) for p in plain], whole, values[0])
        return _and_or(plain, conjunctive)
    result = parts[-1]
    for value in reversed(parts[:-1]):
        test = operations.truth(x, value)
        result = merged_value(test, result, value) if conjunctive else merged_value(test, value, result)
    return result


def _kept_faults(x: Executor, tests: list[Expression], whole: Expression, node: ast.expr) -> Expression:
    """The whole of several tests; where it is a constant, the failures of those before the last are rules."""
    if isinstance(whole, Literal):
        for index, test in enumerate(tests):
            with x.under(conjunction(tests[:index])):
                x.refuse_faults(test, node)
    return whole


def _and_or(plain: list[Expression], conjunctive: bool) -> Expression:  # noqa: FBT001
    flat: list[Expression] = []
    kind = And if conjunctive else Or
    for part in plain:
        flat.extend(part.operands if isinstance(part, kind) else (part,))
    kept = [p for i, p in enumerate(flat) if p not in flat[:i]]
    return kept[0] if len(kept) == 1 else kind(tuple(kept))


def _comparison(x: Executor, node: ast.Compare) -> Value:
    left = evaluate(x, node.left)
    tests: list[Expression] = []
    for operator, right_node in zip(node.ops, node.comparators, strict=True):
        with x.under(conjunction(tests)):
            right = evaluate(x, right_node)
            if x.state.dead:
                return NONE if not tests else conjunction((*tests, FALSE))
            test = operators.compare(x, _COMPARISONS[type(operator)], left, right, node)
            if isinstance(test, Literal) or not isinstance(right, Expression):
                # The test does not say all that was evaluated for it.
                x.refuse_faults(left, node)
                x.refuse_faults(right, node)
            tests.append(test)
        left = right
    return tests[0] if len(tests) == 1 else _kept_faults(x, tests, conjunction(tests), node)


def _conditional(x: Executor, test: ast.expr, body: ast.expr, orelse: ast.expr) -> Value:
    condition = operations.truth(x, evaluate(x, test))
    known = x.known(condition)
    if known is not None:
        return evaluate(x, body if known else orelse)
    with x.under(condition):
        then = evaluate(x, body)
    with x.under(negation(condition)):
        otherwise = evaluate(x, orelse)
    return merged_value(condition, then, otherwise)


def _sequence(x: Executor, kind: str, nodes: list[ast.expr]) -> Value:
    elements: list[tuple[Expression, Value]] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            value = evaluate(x, node.value)
            inner = operations.elements_of(x, value, node)
            if inner is None:
                plain = operations.as_expression(x, value, node)
                head: Expression = Collection(
                    "list", tuple(operations.as_expression(x, v) for _, v in elements)
                )
                rest = _sequence(x, "list", nodes[nodes.index(node) + 1 :])
                tail = operations.as_expression(x, rest)
                whole = Arithmetic("+", Arithmetic("+", head, Call("list", (plain,))), tail)
                return Call(kind, (whole,)) if kind != "list" else whole
            elements.extend(inner)
        else:
            elements.append((TRUE, evaluated(x, node)))
    if kind == "tuple" and all(g == TRUE and isinstance(v, Expression) for g, v in elements):
        return Collection("tuple", tuple(v for _, v in elements if isinstance(v, Expression)))
    if kind == "set":
        unique: list[tuple[Expression, Value]] = []
        for pair in elements:
            if pair not in unique:
                unique.append(pair)
        elements = unique
    return x.state.allocate(Items(kind, tuple(elements)))


def _dictionary(x: Executor, keys: list[ast.expr | None], values: list[ast.expr], node: ast.expr) -> Value:
    entries: dict[object, tuple[Expression, Value]] = {}
    for key_node, value_node in zip(keys, values, strict=True):
        value = evaluated(x, value_node)
        if key_node is None:
            inner = entries_of(x, value)
            if inner is None:
                return x.unknown(node, "a dict made of one that is not known")
            entries.update(inner)
            continue
        key = operations.as_key(x, evaluate(x, key_node))
        if isinstance(key, Expression):
            return x.unknown(node, "a dict with a key that is not known")
        entries[key] = (TRUE, value)
    return x.state.allocate(Entries(entries))


def _text(x: Executor, parts: list[ast.expr], node: ast.expr) -> Value:
    """A formatted text. What a format makes of a value is not computed: such a part is unknown."""
    joined: Expression = Literal("")
    for part in parts:
        piece: Expression
        match part:
            case ast.Constant(value=value):
                piece = Literal(str(value))
            case ast.FormattedValue(value=value, conversion=conversion, format_spec=None):
                plain = operations.as_expression(x, evaluate(x, value), node)
                if isinstance(plain, Literal) and conversion == -1:
                    piece = Literal(str(plain.value))
                else:
                    piece = Call("repr" if conversion == ord("r") else "str", (plain,))
            case _:
                piece = Unknown(x.site(node), "a formatted text")
        joined = piece if joined == Literal("") else arithmetic("+", joined, piece)
    return joined


def _slice(x: Executor, owner: Value, part: ast.Slice, node: ast.expr) -> Value:
    bounds = [
        NONE if bound is None else operations.as_expression(x, evaluate(x, bound), node)
        for bound in (part.lower, part.upper, part.step)
    ]
    if isinstance(owner, Ref) and all(map(is_constant, bounds)):
        content = x.state.content(owner)
        if isinstance(content, Items) and content.is_certain:
            chosen = _constant_slice(bounds)
            return x.state.allocate(Items(content.kind, content.elements[chosen]))
    plain = operations.as_expression(x, owner, node)
    if isinstance(plain, Literal) and isinstance(plain.value, str) and all(map(is_constant, bounds)):
        return Literal(plain.value[_constant_slice(bounds)])
    return Call("slice", (plain, *bounds))


def _constant_slice(bounds: Iterable[Expression]) -> slice[Any, Any, Any]:
    """Python's slice for bounds that are constants."""
    return slice(*(b.value if isinstance(b, Literal) else None for b in bounds))


def _shift(x: Executor, node: ast.BinOp) -> Value:
    left = operations.as_expression(x, evaluate(x, node.left), node)
    right = operations.as_expression(x, evaluate(x, node.right), node)
    power = Arithmetic("**", Literal(2), right)
    if isinstance(left, Literal) and isinstance(right, Literal):
        if isinstance(left.value, int) and isinstance(right.value, int) and right.value < 64:
            shifted = (
                left.value << right.value if isinstance(node.op, ast.LShift) else left.value >> right.value
            )
            return Literal(shifted)
    return Arithmetic("*" if isinstance(node.op, ast.LShift) else "//", left, power)
