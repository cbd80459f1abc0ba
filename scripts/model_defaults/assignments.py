"""Python's assignments as steps: to attributes, locals and keywords, and inside of mappings."""

from __future__ import annotations

import ast
from typing import Any

from scripts.model_defaults.expressions import Expressions
from scripts.model_defaults.literals import Step, Untranslatable


class Assignments(Expressions):
    """Translates assignments, those that make a configuration included."""

    def base_call(self, node: ast.Call) -> list[Step]:
        """A call of the same method of the class above."""
        raise NotImplementedError

    def assigned(self, target: ast.expr, value: ast.expr) -> list[Step]:
        match target:
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(targets):
                    names = [self.fresh("part") for _ in targets]
                    steps = [
                        s for name, each in zip(names, value.elts, strict=True) for s in self.set(name, each)
                    ]
                    return [
                        *steps,
                        *(
                            s
                            for each, name in zip(targets, names, strict=True)
                            for s in self.store(each, name)
                        ),
                    ]
                whole = self.fresh("whole")
                steps = self.set(whole, value)
                return [
                    *steps,
                    *(s for i, each in enumerate(targets) for s in self.store(each, f"{whole}[{i}]")),
                ]
            case ast.Name(id="_"):
                self.text(value)
                return []
            case ast.Name(id=name) if name == self.keywords:
                if isinstance(value, ast.Call) and self.is_super(value):
                    return self.base_call(value)
                return self.set("keyword._", value)
            case ast.Name(id=name) if (cls := self.class_reference(value)) is not None:
                self.locals.add(name)
                self.classes[name] = cls
                return []
            case ast.Name(id=name):
                self.locals.add(name)
                self.classes.pop(name, None)
                return self.set(self.prefix + name, value)
            case ast.Attribute(value=ast.Name(id=owner), attr=attribute) if owner == self.self_name:
                return self.set(f"self.{attribute}", value)
            case ast.Attribute(value=into, attr=attribute):
                return self.set(f"{self.owner_path(into)}.{attribute}", value)
            case ast.Subscript(value=ast.Name(id=name), slice=key) if name == self.keywords:
                return self.set(f"keyword.{self.constant(key)}", value)
            case ast.Subscript():
                return self.store(target, self.text(value))
        raise Untranslatable(f"an assignment to {ast.unparse(target)}")

    def set(self, target: str, value: ast.expr) -> list[Step]:
        """The steps that give a name the value of an expression, which may make a configuration."""
        match value:
            case ast.IfExp(test=test, body=body, orelse=orelse) if self.makes(value) or self.acts(value):
                condition = self.text(test)
                return [
                    {"if": condition, "then": self.alone(target, body), "else": self.alone(target, orelse)}
                ]
            case ast.BoolOp(op=ast.Or(), values=[first, second]) if self.makes(second):
                condition = self.text(first)
                return [
                    {"if": condition, "then": [f"{target} = {condition}"], "else": self.set(target, second)}
                ]
            case ast.Call() if self.makes(value):
                return [self.construction(target, value)]
        return [f"{target} = {self.text(value)}"]

    def store(self, target: ast.expr, text: str) -> list[Step]:
        """Puts an expression's value in its place, inside of mappings and lists too, by copying around it."""
        match target:
            case ast.Subscript(value=into, slice=key):
                where, index = self.text(into), self.text(key)
                negative = isinstance(key, ast.UnaryOp) and isinstance(key.op, ast.USub)
                if negative and index == "-1":
                    return self.store(into, f"slice({where}, None, -1) + [{text}]")
                if isinstance(key, ast.Constant) and isinstance(key.value, int):
                    raise Untranslatable("an element of a list")
                return self.store(into, f"merge({where}, {{{index}: {text}}})")
            case ast.Name(id=name) if name in self.locals or isinstance(target.ctx, ast.Store):
                self.locals.add(name)
                return [f"{self.prefix}{name} = {text}"]
            case ast.Attribute(value=into, attr=attribute):
                return [f"{self.owner_path(into)}.{attribute} = {text}"]
        raise Untranslatable(f"an assignment to {ast.unparse(target)}")

    def alone(self, target: str, value: ast.expr) -> list[Step]:
        """The steps of an assignment in a branch, with what has to happen before and after it there."""
        outer = self.before, self.after
        self.before, self.after = [], []
        try:
            made = self.set(target, value)
            return [*self.before, *made, *self.after]
        finally:
            self.before, self.after = outer

    def construction(self, target: str, call: ast.Call) -> Step:
        made = self.constructed(call)
        if made is None:
            raise Untranslatable("a construction inside an expression")
        step: dict[str, Any] = {"build": target}
        arguments = list(call.args)
        if "sub" in made:
            step["sub"] = made["sub"]
        elif "class" in made:
            step["class"] = self.class_name(made["class"])
        elif made["type"] is None:
            step["type"] = ""
        else:
            step["type"] = self.text(made["type"])
            if isinstance(call.func, ast.Attribute) and call.func.attr == "for_model":
                arguments = arguments[1:]
        if isinstance(call.func, ast.Attribute) and call.func.attr == "from_dict" and len(arguments) == 1:
            step["from"] = self.text(arguments.pop())
        if arguments:
            raise Untranslatable("positional arguments")
        self.arguments(call, step)
        return step

    def arguments(self, call: ast.Call, step: dict[str, Any]) -> None:
        """The named arguments of a construction, and what it is spread from."""
        given: dict[str, str] = {}
        for keyword in call.keywords:
            if keyword.arg is not None:
                given[keyword.arg] = self.text(keyword.value)
            elif isinstance(keyword.value, ast.Name) and keyword.value.id == self.keywords:
                step["keywords"] = True
            elif "from" not in step:
                step["from"] = self.text(keyword.value)
            else:
                raise Untranslatable("arguments from several mappings")
        if given:
            step["with"] = given

    def named(self, keyword: ast.keyword) -> str:
        if keyword.arg is None:
            raise Untranslatable("arguments from a mapping")
        return keyword.arg

    def set_default(self, into: ast.expr, key: ast.expr, item: ast.expr) -> list[Step]:
        name = self.text(item)
        if isinstance(into, ast.Name) and into.id == self.keywords:
            path = f"keyword.{self.constant(key)}"
            return [{"if": f"not has({path})", "then": [f"{path} = {name}"]}]
        where = self.text(into)
        stored = self.store(into, f"merge({where}, {{{self.text(key)}: {name}}})")
        return [{"if": f"{self.text(key)} not in {where}", "then": stored}]
