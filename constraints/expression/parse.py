"""Text to expressions: Python's own parser, then a whitelist. Nothing is ever evaluated.

The language is what `syntax` has nodes for. Refused are attributes of anything but names, method calls,
keyword arguments, slices, f-strings, lambdas, assignments and functions that the language does not have.

A few spellings are read as others: `a < b < c` as `a < b and b < c`, `min(x for x in xs)` as
`min([x for x in xs])`, and several `if`s of a comprehension as one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, ClassVar, Final, NoReturn

from constraints.errors import ExpressionError, Position
from constraints.expression.functions import FUNCTIONS, LAZY, TYPES
from constraints.expression.syntax import (
    And,
    Arithmetic,
    ArithmeticOperator,
    Call,
    Collection,
    CollectionKind,
    Comparison,
    ComparisonOperator,
    Comprehension,
    ComprehensionKind,
    Conditional,
    Expression,
    Item,
    Literal,
    Mapping,
    Name,
    Negative,
    Not,
    Or,
    Unknown,
)

MAX_CHARACTERS: Final = 1_000_000
"""The longest text that is read."""
MAX_DEPTH: Final = 400
"""How deep expressions may nest; the `else` of a conditional is no deeper than the conditional itself."""


def parse(text: str) -> Expression:
    """Reads one expression.

    Args:
        text: at most `MAX_CHARACTERS` long; surrounding blanks do not matter.

    Raises:
        ExpressionError: with the place and the reason, if it is not an expression of the language or
            nests deeper than `MAX_DEPTH` (or than 200 pairs of brackets).
    """
    return _Reader(text).expression()


class _Reader:
    """One text while it is read. Comprehension variables in scope are in `_variables`."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._offset = len(text) - len(text.lstrip())
        self._variables: list[str] = []

    def expression(self) -> Expression:
        if len(self._text) > MAX_CHARACTERS:
            self._refuse(None, f"the text is longer than {MAX_CHARACTERS:,} characters")
        if not self._text.strip():
            self._refuse(None, "there is no expression here")
        try:
            body = ast.parse(self._text.strip(), mode="eval").body
        except SyntaxError as error:
            self._refuse(self._place(error), _reason(error))
        except UnicodeEncodeError as error:
            self._refuse((1, error.start), "half of a surrogate pair; write it as an escape")
        except (RecursionError, MemoryError):
            self._refuse(None, f"nested deeper than {MAX_DEPTH} levels")
        except ValueError as error:  # a null byte, in older Pythons
            self._refuse(None, str(error))
        if len(self._text) > MAX_DEPTH:  # each level takes a character at least
            self._check_depth(body)
        return self._read(body)

    def _place(self, error: SyntaxError) -> tuple[int, int]:
        if error.lineno and error.offset:
            return error.lineno, error.offset - 1
        if error.msg != "invalid syntax":
            return 1, 0
        lines = self._text.strip().splitlines()  # it ended too early
        return len(lines), len(lines[-1])

    def _check_depth(self, body: ast.expr) -> None:
        waiting: list[tuple[ast.AST, int]] = [(body, 1)]
        while waiting:
            node, depth = waiting.pop()
            if depth > MAX_DEPTH:
                self._refuse(node, f"nested deeper than {MAX_DEPTH} levels")
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr | ast.comprehension):
                    is_else = isinstance(node, ast.IfExp) and child is node.orelse
                    waiting.append((child, depth if is_else else depth + 1))

    def _refuse(self, where: ast.AST | tuple[int, int] | None, reason: str) -> NoReturn:
        """Raises the error. A place is an AST node, or a line from 1 and a column from 0."""
        if isinstance(where, ast.expr | ast.keyword):
            line = where.lineno
            before = self._text.strip().splitlines()[line - 1].encode()[: where.col_offset]
            column = len(before.decode())
        else:
            line, column = where if isinstance(where, tuple) else (1, 0)
        if line == 1:
            skipped = self._text[: self._offset]
            line += skipped.count("\n")
            column += len(skipped) - (skipped.rfind("\n") + 1)
        else:
            line += self._text[: self._offset].count("\n")
        raise ExpressionError(self._text, Position(line, column + 1), reason)

    def _read(self, node: ast.expr) -> Expression:
        reader = self._READERS.get(type(node))
        if reader is None:
            self._refuse(node, f"{_NOT_ALLOWED.get(type(node), 'this')} is not in the rule language")
        return reader(self, node)

    def _all(self, nodes: list[ast.expr]) -> tuple[Expression, ...]:
        return tuple([self._READERS.get(type(node), _Reader._read)(self, node) for node in nodes])

    def _constant(self, node: ast.Constant) -> Expression:
        value = node.value
        if value is not None and not isinstance(value, bool | int | float | str):
            self._refuse(node, f"a literal of type {type(value).__name__} is not in the rule language")
        return Literal(value)

    def _name(self, node: ast.Name) -> Expression:
        if not node.id.isascii():
            self._refuse(node, "names are ASCII")
        return Name(node.id)

    def _attribute(self, node: ast.Attribute) -> Expression:
        parts = []
        base: ast.expr = node
        while isinstance(base, ast.Attribute):
            parts.append(base.attr)
            base = base.value
        if not isinstance(base, ast.Name):
            self._refuse(node, "only a name has parts after a dot")
        if base.id in self._variables:
            self._refuse(node, f"{base.id} is a value, and values have no parts after a dot")
        path = ".".join((base.id, *reversed(parts)))
        if not path.isascii():
            self._refuse(node, "names are ASCII")
        return Name(path)

    def _boolean(self, node: ast.BoolOp) -> Expression:
        operands = self._all(node.values)
        return And(operands) if isinstance(node.op, ast.And) else Or(operands)

    def _unary(self, node: ast.UnaryOp) -> Expression:
        if isinstance(node.op, ast.Not):
            return Not(self._read(node.operand))
        if not isinstance(node.op, ast.USub):
            self._refuse(node, "of the signs, only `-` is in the rule language")
        value = node.operand.value if isinstance(node.operand, ast.Constant) else None
        if isinstance(value, int | float) and not isinstance(value, bool):
            return Literal(-value)
        return Negative(self._read(node.operand))

    def _arithmetic(self, node: ast.BinOp) -> Expression:
        operator = _ARITHMETIC.get(type(node.op))
        if operator is None:
            self._refuse(node, "this operator is not in the rule language")
        return Arithmetic(operator, self._read(node.left), self._read(node.right))

    def _comparison(self, node: ast.Compare) -> Expression:
        operands = self._all([node.left, *node.comparators])
        comparisons = []
        for index, operator in enumerate(node.ops):
            symbol = _COMPARISONS[type(operator)]
            right = operands[index + 1]
            if symbol in ("is", "is not") and not (
                isinstance(right, Literal) and (right.value is None or isinstance(right.value, bool))
            ):
                self._refuse(node.comparators[index], f"`{symbol}` compares with None, True or False only")
            comparisons.append(Comparison(symbol, operands[index], right))
        return comparisons[0] if len(comparisons) == 1 else And(tuple(comparisons))

    def _conditional(self, node: ast.IfExp) -> Expression:
        # A chain of thousands of `else` is read in a loop, not on Python's stack.
        chain: list[tuple[Expression, Expression]] = []
        last: ast.expr = node
        while isinstance(last, ast.IfExp):
            chain.append((self._read(last.test), self._read(last.body)))
            last = last.orelse
        result = self._read(last)
        for test, then in reversed(chain):
            result = Conditional(test, then, result)
        return result

    def _item(self, node: ast.Subscript) -> Expression:
        if isinstance(node.slice, ast.Slice):
            self._refuse(node, "a slice is written slice(value, start, stop)")
        return Item(self._read(node.value), self._read(node.slice))

    def _sequence(self, node: ast.Tuple | ast.List | ast.Set) -> Expression:
        return Collection(_COLLECTIONS[type(node)], self._all(node.elts))

    def _mapping(self, node: ast.Dict) -> Expression:
        keys = [key for key in node.keys if key is not None]
        if len(keys) != len(node.keys):
            self._refuse(node, "dicts are merged by merge(first, second)")
        return Mapping(self._all(keys), self._all(node.values))

    def _listed(self, node: ast.ListComp | ast.GeneratorExp) -> Expression:
        if isinstance(node, ast.GeneratorExp):
            self._refuse(node, "a generator stands only in a function's brackets")
        return self._comprehension("list", node, node)

    def _set(self, node: ast.SetComp) -> Expression:
        return self._comprehension("set", node, node)

    def _comprehension(
        self, kind: ComprehensionKind, node: ast.expr, parts: ast.ListComp | ast.SetComp | ast.GeneratorExp
    ) -> Expression:
        if len(parts.generators) != 1 or parts.generators[0].is_async:
            self._refuse(node, "a comprehension has one `for`")
        generator = parts.generators[0]
        target = generator.target
        if not isinstance(target, ast.Name) or not target.id.isascii():
            self._refuse(target, "the variable of a comprehension is one plain ASCII name")
        iterable = self._read(generator.iter)
        self._variables.append(target.id)
        element = self._read(parts.elt)
        conditions = self._all(generator.ifs)
        self._variables.pop()
        condition = None if not conditions else conditions[0] if len(conditions) == 1 else And(conditions)
        return Comprehension(kind, element, target.id, iterable, condition)

    def _call(self, node: ast.Call) -> Expression:
        if not isinstance(node.func, ast.Name):
            self._refuse(node, "methods are written as functions, `lower(x)` for `x.lower()`")
        if node.keywords:
            self._refuse(node.keywords[0], "arguments have no keywords")
        name = node.func.id
        if name == "unknown":
            return self._unknown(node)
        if name not in FUNCTIONS and name not in LAZY:
            self._refuse(node, f"there is no function {name}")
        if len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
            kind = _REDUCTIONS.get(name)
            if kind is not None:
                return self._comprehension(kind, node, node.args[0])
            return Call(name, (self._comprehension("list", node, node.args[0]),))
        arguments = self._all(node.args)
        self._check_arguments(node, name, arguments)
        return Call(name, arguments)

    def _check_arguments(self, node: ast.Call, name: str, arguments: tuple[Expression, ...]) -> None:
        if name in LAZY:
            least = most = 2 if name == "default" else 1
            if name != "crashes" and arguments and not _is_variable(arguments[0], self._variables):
                self._refuse(node, f"{name} asks about a name")
        else:
            least, most = FUNCTIONS[name].least, FUNCTIONS[name].most or len(arguments)
        if not least <= len(arguments) <= most:
            self._refuse(node, f"{name} takes another number of arguments than {len(arguments)}")
        if name == "is_instance" and not _are_types(arguments[1]):
            self._refuse(node, f"is_instance knows the types {', '.join(TYPES)}, written as text")

    def _unknown(self, node: ast.Call) -> Expression:
        words = [each.value if isinstance(each, ast.Constant) else None for each in node.args]
        texts = [word for word in words if isinstance(word, str)]
        if not 1 <= len(texts) == len(words) <= 2:
            self._refuse(node, "unknown takes a place and a cause, written as text")
        return Unknown(*texts)

    _READERS: ClassVar[dict[type[ast.expr], Callable[[_Reader, Any], Expression]]] = {
        ast.Constant: _constant,
        ast.Name: _name,
        ast.Attribute: _attribute,
        ast.BoolOp: _boolean,
        ast.UnaryOp: _unary,
        ast.BinOp: _arithmetic,
        ast.Compare: _comparison,
        ast.IfExp: _conditional,
        ast.Call: _call,
        ast.Subscript: _item,
        ast.Tuple: _sequence,
        ast.List: _sequence,
        ast.Set: _sequence,
        ast.Dict: _mapping,
        ast.ListComp: _listed,
        ast.SetComp: _set,
        ast.GeneratorExp: _listed,
    }


def _is_variable(argument: Expression, bound: list[str]) -> bool:
    return isinstance(argument, Name) and argument.path not in bound


def _are_types(argument: Expression) -> bool:
    names = argument.elements if isinstance(argument, Collection) else (argument,)
    return all(isinstance(name, Literal) and name.value in TYPES for name in names)


def _reason(error: SyntaxError) -> str:
    message = (error.msg or "invalid syntax").partition("; use sys.")[0]
    return message[:1].lower() + message[1:]


_NOT_ALLOWED: Final[dict[type[ast.expr], str]] = {
    ast.JoinedStr: "an f-string",
    ast.Lambda: "a lambda",
    ast.NamedExpr: "an assignment",
    ast.DictComp: "a dict comprehension",
    ast.Starred: "`*`",
    ast.Await: "await",
    ast.Yield: "yield",
    ast.YieldFrom: "yield",
}

_ARITHMETIC: Final[dict[type[ast.operator], ArithmeticOperator]] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.BitOr: "|",
    ast.BitAnd: "&",
    ast.BitXor: "^",
}

_COMPARISONS: Final[dict[type[ast.cmpop], ComparisonOperator]] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}

_COLLECTIONS: Final[dict[type[ast.expr], CollectionKind]] = {
    ast.Tuple: "tuple",
    ast.List: "list",
    ast.Set: "set",
}

_REDUCTIONS: Final[dict[str, ComprehensionKind]] = {"any": "any", "all": "all", "sum": "sum"}
