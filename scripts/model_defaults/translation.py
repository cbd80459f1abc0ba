"""How a configuration class fills its attributes, as programs for `constraints.sglang.config_programs`.

Reads the syntax trees of `__init__`, `__post_init__` and properties of a class that is at hand. What it does
not understand becomes "unknown" for everything that the statement may write: nothing is dropped.
"""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from scripts.model_defaults.assignments import Assignments
from scripts.model_defaults.literals import ClassName, Step, Substitution, Untranslatable, literal, plain

_SILENT = ("logger", "logging", "warnings")
_MAX_INLINED = 4


@dataclass
class Translated:
    """A function as data: its parameters with their defaults, and its steps."""

    parameters: dict[str, Any]
    required: list[str]
    steps: list[Step]
    result: str | None = None
    gaps: list[str] = field(default_factory=list)


def translate(function: Callable[..., Any], owner: type, class_name: ClassName, base: type) -> Translated:
    """The steps of a method.

    Args:
        function: the method, undecorated.
        owner: the class whose body it stands in.
        class_name: what the table calls a configuration class.
        base: transformers' base class of all configurations.
    """
    return Translator(function, owner, class_name, base).whole()


class Translator(Assignments):
    """Translates the statements of one method."""

    def whole(self) -> Translated:
        parameters, required = {}, []
        for parameter in inspect.signature(self.function).parameters.values():
            if parameter.name in self.locals and parameter.name != self.variadic:
                if parameter.default is inspect.Parameter.empty:
                    required.append(parameter.name)
                else:
                    try:
                        parameters[parameter.name] = plain(parameter.default)
                    except Untranslatable:
                        required.append(parameter.name)
        steps: list[Step] = [f"local.{self.variadic} = []"] if self.variadic else []
        steps += self.block(self.tree.body)
        return Translated(parameters, required, steps, self.result, self.gaps)

    def block(self, statements: Iterable[ast.stmt]) -> list[Step]:
        steps: list[Step] = []
        for statement in statements:
            outer = self.before, self.after
            self.before, self.after = [], []
            try:
                made = self.statement(statement)
                steps += [*self.before, *made, *self.after]
            except Untranslatable as reason:
                cause = f" ({reason.__cause__})" if reason.__cause__ else ""
                self.gaps.append(
                    f"{self.owner.__name__}.{self.tree.name}:{statement.lineno}: {reason}{cause}"
                )
                steps += self.unknown(statement)
            finally:
                self.before, self.after = outer
        return steps

    def unknown(self, statement: ast.stmt) -> list[Step]:
        """Everything that a statement may write becomes unknown; what it may call on, too."""
        if isinstance(statement, ast.Return):
            self.result = self.prefix + "result"
            return [{"unknown": [self.result]}, "return"]
        targets: set[str] = set()
        for node in ast.walk(statement):
            if isinstance(node, ast.Return):
                raise Untranslatable("a return inside what is not understood")
            if isinstance(node, ast.Call) and self.is_super(node):
                raise Untranslatable("a call of the base class inside what is not understood")
            if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and isinstance(
                node.ctx, (ast.Store, ast.Del)
            ):
                targets |= self.roots(node)
            if isinstance(node, ast.Call):
                if isinstance(node.func, ast.Attribute):
                    if isinstance(node.func.value, ast.Name) and node.func.value.id == self.self_name:
                        targets |= self.written_by(node.func.attr)
                    else:
                        targets |= self.roots(node.func.value)
                if isinstance(node.func, ast.Name) and node.func.id == "setattr":
                    targets.add("self.*")
                for argument in node.args:
                    if isinstance(argument, ast.Name) and argument.id == self.self_name:
                        targets.add("self.*")
        return [{"unknown": sorted(targets)}] if targets else []

    def statement(self, statement: ast.stmt) -> list[Step]:
        match statement:
            case ast.Pass() | ast.Assert() | ast.Raise() | ast.FunctionDef() | ast.Global():
                return []
            case ast.Import() | ast.ImportFrom():
                self.imported(statement)
                return []
            case ast.Expr(value=value):
                return self.effect(value)
            case ast.Assign(targets=targets, value=value):
                return [step for target in targets for step in self.assigned(target, value)]
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                return self.assigned(target, value)
            case ast.AnnAssign():
                return []
            case ast.AugAssign(target=target, op=op, value=value):
                read = ast.copy_location(ast.parse(ast.unparse(target), mode="eval").body, target)
                return self.assigned(target, ast.copy_location(ast.BinOp(read, op, value), statement))
            case ast.If():
                return self.branch(statement)
            case ast.For():
                return self.loop(statement)
            case ast.Try(body=body, handlers=handlers, orelse=[], finalbody=[]):
                tried = self.block(body)
                return [
                    {
                        "try": tried,
                        "except": [step for handler in handlers for step in self.block(handler.body)],
                    }
                ]
            case ast.Return(value=value):
                return self.returned(value)
            case ast.Delete(
                targets=[ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(key)))]
            ):
                if name == self.keywords:
                    return [{"drop": f"keyword.{key}"}]
        raise Untranslatable(type(statement).__name__)

    def imported(self, statement: ast.Import | ast.ImportFrom) -> None:
        names: dict[str, Any] = {
            "__package__": self.globals.get("__package__"),
            "__name__": self.globals.get("__name__"),
        }
        try:
            exec(compile(ast.Module([statement], []), "<import>", "exec"), names)  # noqa: S102
        except ImportError as error:
            raise Untranslatable("an import that fails") from error
        self.globals |= names

    def branch(self, statement: ast.If) -> list[Step]:
        condition = self.text(statement.test)
        prelude = [*self.before]
        if self.after:
            name = self.fresh("test")
            prelude += [f"{name} = {condition}", *self.after]
            condition = name
        self.before, self.after = [], []
        then, otherwise = self.block(statement.body), self.block(statement.orelse)
        if not then and not otherwise:
            return prelude
        step: dict[str, Any] = {"if": condition, "then": then}
        if otherwise:
            step["else"] = otherwise
        return [*prelude, step]

    def loop(self, statement: ast.For) -> list[Step]:
        if all(self.only_complains(each) for each in statement.body):
            return []
        if isinstance(statement.iter, (ast.List, ast.Tuple)) and isinstance(statement.target, ast.Tuple):
            return self.table_loop(statement, statement.target, statement.iter.elts)
        elements = self.literal_elements(statement.iter)
        targets = statement.target.elts if isinstance(statement.target, ast.Tuple) else [statement.target]
        names = [each.id for each in targets if isinstance(each, ast.Name)]
        if elements is not None and len(names) == len(targets):
            steps: list[Step] = []
            for element in elements:
                parts = element if isinstance(statement.target, ast.Tuple) else (element,)
                self.bound |= {name: ast.Constant(part) for name, part in zip(names, parts, strict=True)}
                steps += self.block(statement.body)
            for name in names:
                self.bound.pop(name, None)
            return steps
        target, comprehension = self.appending(statement)
        return self.assigned(target, comprehension)

    def only_complains(self, statement: ast.stmt) -> bool:
        """Whether a statement does nothing but raise, if that."""
        match statement:
            case ast.Raise() | ast.Assert() | ast.Pass():
                return True
            case ast.If(body=body, orelse=orelse):
                return all(map(self.only_complains, (*body, *orelse)))
        return False

    def table_loop(self, statement: ast.For, target: ast.Tuple, rows: list[ast.expr]) -> list[Step]:
        """`for name, value in (("a", x), ("b", y)): ...`, row by row."""
        names = [each.id for each in target.elts if isinstance(each, ast.Name)]
        steps: list[Step] = []
        for row in rows:
            if not isinstance(row, ast.Tuple) or not len(row.elts) == len(names) == len(target.elts):
                raise Untranslatable("a loop over what is no table")
            for name, value in zip(names, row.elts, strict=True):
                if isinstance(value, ast.Constant):
                    self.bound[name] = value
                else:
                    self.locals.add(name)
                    steps += self.set(self.prefix + name, value)
            steps += self.block(statement.body)
        for name in names:
            self.bound.pop(name, None)
        return steps

    def literal_elements(self, node: ast.expr) -> list[Any] | None:
        """What a loop goes over, where that is written down here or in a constant of the module."""
        if isinstance(node, (ast.List, ast.Tuple)):
            elements = [each.value for each in node.elts if isinstance(each, ast.Constant)]
            return elements if len(elements) == len(node.elts) else None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "items":
            table = node.func.value
            pairs = self.resolved(table)
            if isinstance(table, ast.Dict) and all(
                isinstance(each, ast.Constant) for each in (*table.keys, *table.values)
            ):
                pairs = ast.literal_eval(table)
            if isinstance(pairs, dict) and all(
                isinstance(each, str) for pair in pairs.items() for each in pair
            ):
                return list(pairs.items())
        found = self.resolved(node)
        if isinstance(found, (list, tuple)) and all(isinstance(each, str) for each in found):
            return list(found)
        return None

    def appending(self, statement: ast.For) -> tuple[ast.expr, ast.expr]:
        """`for x in y: if c: z.append(a) else: z.append(b)` as `z = z + [a if c else b for x in y]`."""
        body = list(statement.body)
        while len(body) > 1:
            match body.pop(0):
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    body = [Substitution(name, value).visit(copy.deepcopy(each)) for each in body]
                case _:
                    raise Untranslatable("a loop that does more than append")
        match body:
            case [ast.Expr(value=ast.Call(func=ast.Attribute(value=into, attr="append"), args=[item]))]:
                element, conditions = item, []
            case [
                ast.If(
                    test=test,
                    body=[
                        ast.Expr(value=ast.Call(func=ast.Attribute(value=into, attr="append"), args=[item]))
                    ],
                    orelse=[],
                )
            ]:
                element, conditions = item, [test]
            case [
                ast.If(
                    test=test,
                    body=[
                        ast.Expr(value=ast.Call(func=ast.Attribute(value=into, attr="append"), args=[item]))
                    ],
                    orelse=[
                        ast.Expr(
                            value=ast.Call(func=ast.Attribute(value=other, attr="append"), args=[alternative])
                        )
                    ],
                )
            ] if ast.dump(into) == ast.dump(other):
                element, conditions = ast.IfExp(test, item, alternative), []
            case _:
                raise Untranslatable("a loop that does more than append")
        made = ast.ListComp(element, [ast.comprehension(statement.target, statement.iter, conditions, 0)])
        value = ast.fix_missing_locations(ast.copy_location(ast.BinOp(into, ast.Add(), made), statement))
        return ast.parse(ast.unparse(into), mode="eval").body, value

    def returned(self, value: ast.expr | None) -> list[Step]:
        if value is None or (
            isinstance(value, ast.Name) and value.id == self.keywords and not self.owns_keywords
        ):
            return ["return"]
        if isinstance(value, ast.Call) and self.is_super(value):
            return [*self.effect(value), "return"]
        self.result = self.prefix + "result"
        return [*self.set(self.result, value), "return"]

    def effect(self, value: ast.expr) -> list[Step]:
        if isinstance(value, ast.Constant):
            return []
        if not isinstance(value, ast.Call):
            raise Untranslatable("an expression as a statement")
        if ast.unparse(value.func).split(".")[0] in _SILENT or ast.unparse(value.func).startswith("print"):
            return []
        if self.is_super(value):
            return self.base_call(value)
        match value:
            case ast.Call(func=ast.Name(id="setattr"), args=[ast.Name(id=owner), name, what]) if (
                owner == self.self_name
            ):
                return self.assigned(
                    ast.Attribute(ast.Name(owner, ast.Load()), self.constant(name), ast.Store()), what
                )
            case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=method)) if (
                owner == self.self_name
            ):
                return self.own_method(method, value)
            case ast.Call(func=ast.Attribute(value=into, attr="append"), args=[item]):
                return self.assigned(
                    into, ast.copy_location(ast.BinOp(into, ast.Add(), ast.List([item])), value)
                )
            case ast.Call(func=ast.Attribute(value=into, attr="setdefault"), args=[key, item]):
                return self.set_default(into, key, item)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="update"), args=[]) if (
                name == self.keywords
            ):
                return [s for kw in value.keywords for s in self.set(f"keyword.{self.named(kw)}", kw.value)]
            case ast.Call(func=ast.Attribute(value=into, attr="update"), args=items):
                if isinstance(into, ast.Name) and into.id == self.keywords:
                    raise Untranslatable("many arguments at once")
                named = ast.Dict(
                    [ast.Constant(self.named(each)) for each in value.keywords],
                    [each.value for each in value.keywords],
                )
                parts = [
                    self.text(into),
                    *map(self.text, items),
                    *([self.text(named)] if value.keywords else []),
                ]
                return self.store(into, f"merge({', '.join(parts)})")
            case ast.Call(func=ast.Attribute(attr="pop")):
                self.text(value)
                return []
        raise Untranslatable(f"a call of {ast.unparse(value.func)}")

    def own_method(self, method: str, call: ast.Call) -> list[Step]:
        if method == "standardize_rope_params":
            return [{"standardize": "rope"}]
        function = getattr(self.owner, method, None)
        if function is None or self.depth >= _MAX_INLINED:
            raise Untranslatable(f"self.{method}")
        if not self.written_by(method) and not method.startswith("convert"):
            return []
        return self.inlined(inspect.unwrap(function), call, self.owner)[0]

    def base_call(self, call: ast.Call) -> list[Step]:
        if not isinstance(call.func, ast.Attribute):
            raise Untranslatable("a call of the base class by another name")
        function = call.func.attr
        if function not in ("__init__", "__post_init__", "convert_rope_params_to_dict"):
            raise Untranslatable(f"super().{function}")
        positional = call.args if isinstance(call.func.value, ast.Call) else call.args[1:]
        if any(
            not (isinstance(each, ast.Starred) and ast.unparse(each.value) == self.variadic)
            for each in positional
        ):
            raise Untranslatable("positional arguments")
        step: dict[str, Any] = {
            "super": function.strip("_").removesuffix("_init") if function != "__init__" else "init"
        }
        if function == "__post_init__":
            step["super"] = "post"
        if function == "convert_rope_params_to_dict":
            step["super"] = "rope"
        step["of"] = self.class_name(self.owner)
        self.arguments(call, step)
        return [step]

    def inlined(self, function: Any, node: ast.Call, owner: type) -> tuple[list[Step], str | None]:
        try:
            inner = type(self)(function, owner, self.class_name, self.base, depth=self.depth + 1)
        except (OSError, TypeError, SyntaxError) as error:
            raise Untranslatable(f"a call of {ast.unparse(node.func)}") from error
        if inner.variadic or any(keyword.arg is None for keyword in node.keywords):
            raise Untranslatable(f"a call of {ast.unparse(node.func)} with arguments of its own kind")
        is_method = (
            isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == self.self_name
        )
        if not is_method and inner.self_name is not None:
            inner.positional.insert(0, inner.self_name)
            inner.locals.add(inner.self_name)
            inner.self_name = None
        self.counter += 1
        inner.prefix = f"{self.prefix}{function.__name__.strip('_')}{self.counter}_"
        steps: list[Step] = []
        signature = inspect.signature(function).parameters
        given = dict(zip(inner.positional, node.args, strict=False)) | {
            k.arg: k.value for k in node.keywords if k.arg
        }
        for name, argument in list(given.items()):
            reference = self.class_reference(argument)
            if reference is not None:
                inner.classes[name] = reference
                inner.locals.discard(name)
                del given[name]
            elif isinstance(argument, ast.Name) and argument.id == self.keywords and inner.keywords is None:
                inner.keywords, inner.owns_keywords = name, True
                inner.locals.discard(name)
                del given[name]
        for name in sorted(inner.locals):
            if name in given:
                steps += self.set(inner.prefix + name, given[name])
            elif signature[name].default is not inspect.Parameter.empty:
                steps.append(f"{inner.prefix}{name} = {literal(signature[name].default)!r}")
            else:
                raise Untranslatable(f"an argument of {ast.unparse(node.func)}")
        body = inner.block(inner.tree.body)
        self.gaps += inner.gaps
        steps.append({"block": body})
        return steps, inner.result
