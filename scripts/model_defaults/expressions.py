"""Python's expressions in the rule language."""

from __future__ import annotations

import ast
import inspect
from typing import Any

from scripts.model_defaults import literals
from scripts.model_defaults.literals import DESCRIBED, NOTHING, Step, Untranslatable, literal
from scripts.model_defaults.scope import Scope

_PLAIN_TYPES = {
    bool: "bool",
    int: "int",
    float: "float",
    str: "str",
    list: "list",
    tuple: "tuple",
    dict: "dict",
    set: "set",
}
_FUNCTIONS = {
    "abs", "all", "any", "bool", "dict", "enumerate", "float", "int", "len", "list", "max", "min", "range",
    "reversed", "round", "set", "sorted", "str", "sum", "tuple", "zip",
}  # fmt: skip
_METHODS = {
    "count", "endswith", "get", "index", "isdigit", "items", "keys", "lower", "lstrip", "removeprefix",
    "removesuffix", "replace", "rstrip", "split", "startswith", "strip", "upper", "values",
}  # fmt: skip
_COPIES = ("copy", "deepcopy")
_MAX_INLINED = 4


class Expressions(Scope):
    """Translates expressions; what an expression does on the side goes before or after the step."""

    def store(self, target: ast.expr, text: str) -> list[Step]:
        """Puts the value of an expression in its place."""
        raise NotImplementedError

    def inlined(self, function: Any, node: ast.Call, owner: type) -> tuple[list[Step], str | None]:
        """The steps of a function that is called, and the local that then holds its result."""
        raise NotImplementedError

    def expression(self, node: ast.expr) -> ast.expr:
        match node:
            case ast.Constant(value=value):
                if value is Ellipsis or isinstance(value, (bytes, complex)):
                    raise Untranslatable("a literal")
                return node
            case ast.Name() | ast.Attribute():
                return self.name(node)
            case ast.BinOp(left=left, op=op, right=right):
                return ast.BinOp(self.expression(left), op, self.expression(right))
            case ast.UnaryOp(op=ast.Not() | ast.USub() as op, operand=operand):
                return ast.UnaryOp(op, self.expression(operand))
            case ast.BoolOp(op=op, values=[first, *rest]):
                head = self.expression(first)
                return ast.BoolOp(op, [head, *map(self.possible, rest)])
            case ast.Compare(
                left=left, ops=[ast.In() | ast.NotIn() as op], comparators=[ast.Name(id=name)]
            ) if name == self.keywords:
                key = self.expression(left)
                if not isinstance(key, ast.Constant):
                    return ast.Compare(key, [op], [literals.name("keyword._")])
                has = literals.call("has", literals.name(f"keyword.{key.value!s}"))
                return has if isinstance(op, ast.In) else ast.UnaryOp(ast.Not(), has)
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                return ast.Compare(
                    self.expression(left), ops, [self.expression(each) for each in comparators]
                )
            case ast.IfExp(test=test, body=body, orelse=orelse):
                condition = self.expression(test)
                return ast.IfExp(condition, self.possible(body), self.possible(orelse))
            case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
                return self.collection(node, elements)
            case ast.Dict():
                return self.mapping(node)
            case ast.Subscript(value=value, slice=ast.Slice(lower=lower, upper=upper, step=step)):
                bounds = [
                    ast.Constant(None) if each is None else self.expression(each)
                    for each in (lower, upper, step)
                ]
                return literals.call("slice", self.expression(value), *bounds)
            case ast.Subscript(value=value, slice=key):
                if isinstance(value, ast.Name) and value.id == self.keywords:
                    wanted = self.expression(key)
                    if isinstance(wanted, ast.Constant):
                        return literals.name(f"keyword.{wanted.value!s}")
                    return ast.Subscript(literals.name("keyword._"), wanted, ast.Load())
                return ast.Subscript(self.expression(value), self.expression(key), ast.Load())
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return self.comprehension(node)
            case ast.JoinedStr(values=values):
                return self.joined(values)
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                if self.conditional:
                    self.bound[name] = self.expression(value)
                    return self.bound[name]
                self.locals.add(name)
                self.before += [f"{self.prefix}{name} = {self.text(value)}"]
                return literals.name(self.prefix + name)
            case ast.Call():
                return self.call(node)
        raise Untranslatable(type(node).__name__)

    def possible(self, node: ast.expr) -> ast.expr:
        """An operand that may not be evaluated at all; what is not understood there is unknown by itself."""
        with self.maybe():
            try:
                return self.expression(node)
            except Untranslatable as reason:
                if self.acts(node):
                    raise
                return literals.call("unknown", ast.Constant(""), ast.Constant(str(reason)))

    def name(self, node: ast.Name | ast.Attribute) -> ast.expr:
        match node:
            case ast.Name(id=name) if name in self.bound:
                return self.bound[name]
            case ast.Name(id=name) if name in self.locals:
                return literals.name(self.prefix + name)
            case ast.Name(id=name) if name == self.keywords:
                return literals.name("keyword._")
            case ast.Name(id=name) if name == self.self_name:
                raise Untranslatable("the object itself as a value")
            case ast.Attribute(value=ast.Name(id=owner), attr=attribute) if owner == self.self_name:
                return literals.name(f"self.{attribute}")
            case ast.Attribute(value=ast.Attribute(attr="__class__"), attr="model_type"):
                return literals.name("self.model_type")
            case ast.Attribute(value=value, attr=attribute) if self.resolved(node) is NOTHING:
                inner = self.expression(value)
                if isinstance(inner, ast.Name):
                    return literals.name(f"{inner.id}.{attribute}")
                raise Untranslatable(f"an attribute of {ast.unparse(value)}")
        found = self.resolved(node)
        is_named_like_a_constant = ast.unparse(node).split(".")[-1].strip("_").isupper()
        if found is NOTHING or (isinstance(found, bool) and not is_named_like_a_constant):
            raise Untranslatable(f"{ast.unparse(node)} is not a constant")
        return ast.parse(repr(literal(found)), mode="eval").body

    def collection(self, node: ast.List | ast.Tuple | ast.Set, elements: list[ast.expr]) -> ast.expr:
        if not any(isinstance(each, ast.Starred) for each in elements):
            made = [self.expression(each) for each in elements]
            if isinstance(node, ast.Set):
                return ast.Set(made)
            return (ast.List if isinstance(node, ast.List) else ast.Tuple)(made, ast.Load())
        total: ast.expr = ast.List([], ast.Load())
        for each in elements:
            if isinstance(each, ast.Starred):
                part: ast.expr = literals.call("list", self.expression(each.value))
            else:
                part = ast.List([self.expression(each)], ast.Load())
            total = ast.BinOp(total, ast.Add(), part)
        return (
            total
            if isinstance(node, ast.List)
            else literals.call("tuple" if isinstance(node, ast.Tuple) else "set", total)
        )

    def mapping(self, node: ast.Dict) -> ast.expr:
        parts: list[ast.expr] = []
        keys: list[ast.expr | None] = []
        values: list[ast.expr] = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                parts += (
                    [ast.Dict(keys, values), self.expression(value)] if keys else [self.expression(value)]
                )
                keys, values = [], []
            else:
                keys.append(self.expression(key))
                values.append(self.expression(value))
        if not parts:
            return ast.Dict(keys, values)
        return literals.call("merge", *parts, *([ast.Dict(keys, values)] if keys else []))

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> ast.expr:
        if len(node.generators) != 1:
            raise Untranslatable("a comprehension over several")
        [generator] = node.generators
        iterable = self.expression(generator.iter)
        bound, outer = dict(self.bound), self.comprehended
        hidden = self.locals & {n.id for n in ast.walk(generator.target) if isinstance(n, ast.Name)}
        self.locals -= hidden
        try:
            match generator.target:
                case ast.Name(id=name):
                    variable = name
                    self.bound[name] = ast.Name(name, ast.Load())
                    self.comprehended = name
                case ast.Tuple(elts=elements) if all(isinstance(each, ast.Name) for each in elements):
                    names = [each.id for each in elements if isinstance(each, ast.Name)]
                    variable = "_".join(each.strip("_") or "x" for each in names)
                    for index, each in enumerate(names):
                        self.bound[each] = ast.Subscript(
                            ast.Name(variable, ast.Load()), ast.Constant(index), ast.Load()
                        )
                case _:
                    raise Untranslatable("a comprehension's variable")
            with self.maybe():
                conditions = [self.expression(each) for each in generator.ifs]
                if isinstance(node, ast.DictComp):
                    element: ast.expr = ast.Tuple(
                        [self.expression(node.key), self.expression(node.value)], ast.Load()
                    )
                else:
                    element = self.expression(node.elt)
        finally:
            self.bound, self.comprehended = bound, outer
            self.locals |= hidden
        condition = (
            [conditions[0] if len(conditions) == 1 else ast.BoolOp(ast.And(), conditions)]
            if conditions
            else []
        )
        inner = ast.comprehension(ast.Name(variable, ast.Store()), iterable, condition, 0)
        if self.dropped:
            self.before.append(
                f"local.dropped = {ast.unparse(ast.ListComp(ast.Name(variable, ast.Load()), [inner]))}"
            )
            self.after.append({"drop": "local.dropped"})
            self.dropped = False
        if isinstance(node, ast.DictComp):
            return literals.call("dict", ast.ListComp(element, [inner]))
        return (
            ast.SetComp(element, [inner]) if isinstance(node, ast.SetComp) else ast.ListComp(element, [inner])
        )

    def joined(self, values: list[ast.expr]) -> ast.expr:
        total: ast.expr = ast.Constant("")
        for each in values:
            if isinstance(each, ast.FormattedValue):
                if each.format_spec is not None or each.conversion != -1:
                    raise Untranslatable("a format")
                part: ast.expr = literals.call("str", self.expression(each.value))
            else:
                part = each
            total = (
                part
                if isinstance(total, ast.Constant) and total.value == ""
                else ast.BinOp(total, ast.Add(), part)
            )
        return total

    def call(self, node: ast.Call) -> ast.expr:
        names = self.resolved(node)
        if names is not NOTHING:
            return ast.parse(repr(names), mode="eval").body
        match node:
            case ast.Call(func=ast.Name(id="isinstance"), args=[value, types]):
                return self.instance_test(value, types)
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, name, fallback]):
                path = f"{self.owner_path(owner)}.{self.constant(name)}"
                with self.maybe():
                    return literals.call("default", literals.name(path), self.expression(fallback))
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, name]):
                return literals.name(f"{self.owner_path(owner)}.{self.constant(name)}")
            case ast.Call(func=ast.Name(id="hasattr"), args=[owner, name]):
                return literals.call("has", literals.name(f"{self.owner_path(owner)}.{self.constant(name)}"))
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="get" | "pop" as method)) if (
                owner == self.keywords
            ):
                return self.keyword_read(node, drop=method == "pop")
            case ast.Call(func=ast.Attribute(value=into, attr="pop"), args=[key, fallback]):
                if self.conditional:
                    raise Untranslatable("a pop that happens sometimes")
                where, item = self.expression(into), self.expression(key)
                self.after += self.store(
                    into,
                    f"dict([pair for pair in items({ast.unparse(where)}) if pair[0] != {ast.unparse(item)}])",
                )
                return literals.call("get", where, item, self.expression(fallback))
            case ast.Call(
                func=ast.Name(id="any" | "all" | "sum" as reduction), args=[ast.GeneratorExp() as inner]
            ):
                made = self.comprehension(inner)
                if not isinstance(made, ast.ListComp):
                    raise Untranslatable("a comprehension of pairs")
                return ast.Call(
                    ast.Name(reduction, ast.Load()), [ast.GeneratorExp(made.elt, made.generators)], []
                )
            case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords) if all(
                each.arg for each in keywords
            ):
                return ast.Dict(
                    [ast.Constant(each.arg) for each in keywords],
                    [self.expression(each.value) for each in keywords],
                )
            case ast.Call(func=ast.Attribute(value=value, attr=method), args=[]) if (
                method in _COPIES and self.resolved(value) is NOTHING
            ):
                return self.expression(value)
            case ast.Call(func=ast.Name(id="next"), args=[ast.GeneratorExp() as inner, fallback]):
                made = self.comprehension(inner)
                with self.maybe():
                    otherwise = ast.List([self.expression(fallback)], ast.Load())
                return ast.Subscript(ast.BinOp(made, ast.Add(), otherwise), ast.Constant(0), ast.Load())
        function = self.resolved(node.func)
        called: str = getattr(function, "__name__", "")
        if called == "_first_not_none" and not node.keywords:
            return self.first_known(node.args)
        if called in DESCRIBED and len(node.args) == 1 and not node.keywords:
            return DESCRIBED[called](function, self.expression(node.args[0]))
        module = getattr(function, "__module__", "")
        if module in ("copy", "builtins", "math") and not node.keywords:
            arguments = [self.expression(each) for each in node.args]
            if module == "copy" and len(arguments) == 1:
                return arguments[0]
            if module == "math" and called in ("ceil", "floor", "sqrt", "gcd"):
                return literals.call(called, *arguments)
            if module == "builtins" and called in _FUNCTIONS:
                return literals.call(called, *arguments)
        if isinstance(node.func, ast.Attribute) and function is NOTHING and not node.keywords:
            if node.func.attr in _METHODS:
                return literals.call(
                    node.func.attr, self.expression(node.func.value), *map(self.expression, node.args)
                )
            if node.func.attr == "join" and len(node.args) == 1:
                return literals.call("join", self.expression(node.func.value), self.expression(node.args[0]))
            if isinstance(node.func.value, ast.Name) and node.func.value.id == self.self_name:
                return self.value_of(getattr(self.owner, node.func.attr, None), node)
        if inspect.isfunction(function) and module.split(".")[0] in ("transformers", "sglang"):
            return self.value_of(function, node)
        raise Untranslatable(f"a call of {ast.unparse(node.func)}")

    def first_known(self, candidates: list[ast.expr]) -> ast.expr:
        """The first of some values that is not None."""
        total: ast.expr = ast.Constant(None)
        for each in reversed(candidates):
            value = self.possible(each)
            total = ast.IfExp(ast.Compare(value, [ast.IsNot()], [ast.Constant(None)]), value, total)
        return total

    def owner_path(self, owner: ast.expr) -> str:
        if isinstance(owner, ast.Name) and owner.id == self.self_name:
            return "self"
        inner = self.expression(owner)
        if isinstance(inner, ast.Name) and "." in inner.id:
            return inner.id
        raise Untranslatable(f"an attribute of {ast.unparse(owner)}")

    def keyword_read(self, node: ast.Call, *, drop: bool) -> ast.expr:
        key = self.expression(node.args[0])
        if isinstance(key, ast.Name) and drop and key.id == self.comprehended:
            # `{key: kwargs.pop(key) for key in names if key in kwargs}`
            self.dropped = True
            return ast.Subscript(literals.name("keyword._"), key, ast.Load())
        path = f"keyword.{self.constant(node.args[0])}"
        fallback = node.args[1] if len(node.args) > 1 else None if drop else ast.Constant(None)
        if drop:
            if self.conditional:
                raise Untranslatable("a pop that happens sometimes")
            self.after.append({"drop": path})
        return (
            literals.name(path)
            if fallback is None
            else literals.call("default", literals.name(path), self.expression(fallback))
        )

    def instance_test(self, value: ast.expr, types: ast.expr) -> ast.expr:
        tested = self.expression(value)
        names: list[str] = []
        wants_config = False
        for each in types.elts if isinstance(types, ast.Tuple) else [types]:
            found = self.resolved(each)
            if isinstance(found, type) and issubclass(found, self.base):
                wants_config = True
            elif found in _PLAIN_TYPES:
                names.append(_PLAIN_TYPES[found])
            elif getattr(found, "__name__", "") in ("Mapping", "MutableMapping"):
                names.append("dict")
            elif getattr(found, "__name__", "") in ("Sequence", "Iterable"):
                names += ["list", "tuple", "str"]
            else:
                raise Untranslatable("a test for a class")
        tests: list[ast.expr] = [literals.call("is_instance", tested, ast.Constant(name)) for name in names]
        if wants_config:
            # What comes from a file is plain data; anything else is a configuration.
            tests.append(
                ast.Compare(literals.call("type_name", tested), [ast.Eq()], [ast.Constant("ConfigObject")])
            )
        return tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), tests)

    def value_of(self, function: Any, node: ast.Call) -> ast.expr:
        if function is None or self.depth >= _MAX_INLINED:
            raise Untranslatable(f"a call of {ast.unparse(node.func)}")
        substituted = self.substituted(inspect.unwrap(function), node)
        if substituted is not None:
            return substituted
        if self.conditional:
            raise Untranslatable(f"a call of {ast.unparse(node.func)}")
        steps, result = self.inlined(inspect.unwrap(function), node, self.owner)
        if result is None:
            raise Untranslatable(f"{ast.unparse(node.func)} gives nothing")
        self.before += steps
        return literals.name(result)

    def substituted(self, function: Any, node: ast.Call) -> ast.expr | None:
        """The value of a function that only returns one expression; None for any other."""
        if node.keywords:
            return None
        try:
            inner = type(self)(function, self.owner, self.class_name, self.base, depth=self.depth + 1)
        except (OSError, TypeError, AssertionError, SyntaxError):
            return None
        body = [
            each
            for each in inner.tree.body
            if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        ]
        is_own = (
            isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == self.self_name
        )
        if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
            return None
        if inner.keyword_only or inner.keywords or (inner.self_name is not None and not is_own):
            return None
        if len(inner.positional) != len(node.args):
            return None
        inner.locals.clear()
        inner.bound = {
            name: self.expression(argument)
            for name, argument in zip(inner.positional, node.args, strict=True)
        }
        made = inner.expression(body[0].value)
        return None if inner.before or inner.after else made
