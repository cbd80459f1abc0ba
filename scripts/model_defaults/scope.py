"""What the names of a method stand for: parameters, Python objects, configuration classes."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

from scripts.model_defaults.literals import NOTHING, ClassName, Step, Untranslatable


class Scope:
    """One method that is being translated.

    Attributes:
        owner: the class whose body it stands in.
        bound: names that stand for an expression of the rule language.
        classes: local names that stand for a configuration class.
        before, after: steps around the one that is being made.
        conditional: how many expressions around are only evaluated sometimes.
        gaps: what was not understood.
        result: the local that holds what the method returns.
        owns_keywords: whether the keywords came as an ordinary argument, and may be what it returns.
    """

    def __init__(
        self, function: Callable[..., Any], owner: type, class_name: ClassName, base: type, *, depth: int = 0
    ) -> None:
        self.function, self.owner, self.class_name, self.base = function, owner, class_name, base
        self.depth = depth
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        if not isinstance(tree, ast.FunctionDef):
            raise Untranslatable("what is no function")
        self.tree = tree
        arguments = tree.args
        self.positional = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
        self.is_static = isinstance(inspect.getattr_static(owner, tree.name, None), staticmethod)
        self.self_name = self.positional.pop(0) if self.positional and not self.is_static else None
        self.keyword_only = [argument.arg for argument in arguments.kwonlyargs]
        self.keywords = arguments.kwarg.arg if arguments.kwarg else None
        self.variadic = arguments.vararg.arg if arguments.vararg else None
        closure = inspect.getclosurevars(function)
        self.globals = {**vars(__import__("builtins")), **function.__globals__, **closure.nonlocals}
        self.locals: set[str] = {*self.positional, *self.keyword_only}
        if self.variadic:
            # A configuration is made from named arguments alone.
            self.locals.add(self.variadic)
        self.prefix = "local."
        self.bound: dict[str, ast.expr] = {}
        self.classes: dict[str, dict[str, Any]] = {}
        self.before: list[Step] = []
        self.after: list[Step] = []
        self.conditional = 0
        self.counter = 0
        self.gaps: list[str] = []
        self.result: str | None = None
        self.comprehended: str | None = None
        self.dropped = False
        self.owns_keywords = False
        """Whether the keywords came as an ordinary argument, and may be what the function returns."""

    def expression(self, node: ast.expr) -> ast.expr:
        """An expression in the rule language."""
        raise NotImplementedError

    def text(self, node: ast.expr) -> str:
        return ast.unparse(ast.fix_missing_locations(self.expression(node)))

    def fresh(self, name: str) -> str:
        self.counter += 1
        return f"{self.prefix}{name}{self.counter}"

    @contextmanager
    def maybe(self) -> Any:
        """Around what is only evaluated sometimes: nothing there may have an effect."""
        self.conditional += 1
        try:
            yield
        finally:
            self.conditional -= 1

    def constant(self, node: ast.expr) -> str:
        found = self.expression(node)
        if isinstance(found, ast.Constant) and isinstance(found.value, str):
            return found.value
        raise Untranslatable("a name that is computed")

    def resolved(self, node: ast.expr) -> Any:
        """The Python object that a name outside the function stands for; `NOTHING` if it is none."""
        match node:
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Attribute(
                        value=ast.Call(
                            func=ast.Attribute(attr="signature"),
                            args=[
                                ast.Attribute(
                                    value=ast.Subscript(
                                        value=ast.Attribute(attr="sub_configs"), slice=ast.Constant(value=key)
                                    ),
                                    attr="__init__",
                                )
                            ],
                        ),
                        attr="parameters",
                    ),
                    attr="keys",
                )
            ):
                return list(inspect.signature(self.owner.sub_configs[key].__init__).parameters)  # type: ignore[attr-defined]
            case ast.Attribute(
                value=ast.Name(id=name), attr="__dataclass_fields__" | "attribute_map" as attribute
            ) if name in self.classes:
                found = self.classes[name]
                cls = found.get("class") or self.owner.sub_configs.get(found.get("sub"))  # type: ignore[attr-defined]
                return list(getattr(cls, attribute)) if cls is not None else NOTHING
            case ast.Name(id=name):
                if name in self.locals or name in (self.self_name, self.keywords) or name in self.bound:
                    return NOTHING
                return self.globals.get(name, NOTHING)
            case ast.Attribute(value=value, attr=attribute):
                owner = self.resolved(value)
                return NOTHING if owner is NOTHING else getattr(owner, attribute, NOTHING)
        return NOTHING

    def is_config(self, found: Any) -> bool:
        return isinstance(found, type) and issubclass(found, self.base)

    def is_mapping(self, node: ast.expr) -> bool:
        return type(self.resolved(node)).__name__ == "_LazyConfigMapping"

    def class_reference(self, node: ast.expr) -> dict[str, Any] | None:
        """The configuration class that an expression names, as `constructed` says it."""
        match node:
            case ast.Name(id=name) if name in self.classes:
                return self.classes[name]
            case ast.Subscript(
                value=ast.Attribute(value=ast.Name(id=owner), attr="sub_configs"), slice=key
            ) if owner == self.self_name:
                return {"sub": self.constant(key)}
            case ast.Subscript(value=mapping, slice=key) if self.is_mapping(mapping):
                return {"type": key}
            case ast.Call(func=ast.Attribute(value=mapping, attr="get"), args=[_, fallback]) if (
                self.is_mapping(mapping)
            ):
                # The mapping fills itself on `[]` alone: `get` finds nothing in it.
                otherwise = self.resolved(fallback)
                return {"class": otherwise} if self.is_config(otherwise) else None
            case ast.Name() | ast.Attribute():
                found = self.resolved(node)
                return {"class": found} if self.is_config(found) else None
        return None

    def constructed(self, call: ast.Call) -> dict[str, Any] | None:
        """The class that a call makes an object of: `class`, `sub` or `type`; None if it makes none."""
        match call.func:
            case ast.Attribute(value=value, attr="for_model"):
                if getattr(self.resolved(value), "__name__", "") == "AutoConfig":
                    return {"type": call.args[0]} if call.args else {"type": None}
                return None
            case ast.Attribute(value=value, attr="from_dict"):
                return self.class_reference(value)
        return self.class_reference(call.func)

    def makes(self, node: ast.AST) -> bool:
        """Whether an expression constructs a configuration somewhere."""
        return any(
            isinstance(each, ast.Call) and self.constructed(each) is not None for each in ast.walk(node)
        )

    def acts(self, node: ast.AST) -> bool:
        """Whether evaluating an expression changes something."""
        return any(
            isinstance(each, ast.NamedExpr)
            or (
                isinstance(each, ast.Call)
                and isinstance(each.func, ast.Attribute)
                and each.func.attr == "pop"
            )
            for each in ast.walk(node)
        )

    def is_super(self, call: ast.Call) -> bool:
        match call.func:
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super"))):
                return True
            case ast.Attribute(value=value, attr="__init__" | "__post_init__"):
                found = self.resolved(value)
                return isinstance(found, type) and issubclass(self.owner, found)
        return False

    def written_by(self, method: str) -> set[str]:
        function = inspect.unwrap(getattr(self.owner, method, None) or (lambda: None))
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        except (OSError, TypeError, SyntaxError, IndentationError):
            return {"self.*"}
        return {
            f"self.{node.attr}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        }

    def roots(self, node: ast.expr) -> set[str]:
        while isinstance(node, (ast.Subscript, ast.Attribute, ast.Call)):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id == self.self_name
            ):
                return {f"self.{node.attr}"}
            node = node.func if isinstance(node, ast.Call) else node.value
        if isinstance(node, ast.Name):
            if node.id == self.keywords:
                return {"keyword.*"}
            if node.id in self.locals or isinstance(node.ctx, ast.Store):
                self.locals.add(node.id)
                return {self.prefix + node.id}
        return set()
