"""Runs the programs by which configuration classes fill their objects: lists of steps, as JSON has them.

A step is a text or an object with one of these keys:

- `TARGET = EXPRESSION`: an assignment; the expression is in the rule language, over `self.X` (attributes),
  `local.X`, `keyword.X` (arguments that no parameter took; `keyword._` is all of them);
- `return`: the end;
- `if`, `then`, `else`; `block`, which a `return` ends; `try`, `except`;
- `copy`: attributes that take the values of the locals of the same names;
- `build`: a target that takes a new object, of a `class` of the table, of the class that the object's class
  has for a part (`sub`), or of a `type`; made `from` a mapping, `with` arguments, and of all `keywords`;
- `super`: the same method (`init`, `post`, `rope`) of the class above `of`;
- `drop`: a keyword that is taken away, or the local that lists several;
- `standardize`: rotary parameters are brought into form;
- `unknown`: targets that take a value which the program does not say.

What cannot be told becomes UNKNOWN, and so does all that may depend on it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from constraints.expression.evaluate import evaluate_exactly
from constraints.expression.parse import parse
from constraints.expression.syntax import Expression
from constraints.expression.values import MISSING, UNKNOWN, is_known
from constraints.sglang import config_rope
from constraints.sglang.config_classes import Program
from constraints.sglang.config_object import ConfigObject

if TYPE_CHECKING:
    from constraints.sglang.config_building import Builder

Value: TypeAlias = Any
Step: TypeAlias = Any

EVERYTHING = "*"
_ALL_KEYWORDS = "_"


class Frame:
    """One run of a program: its names, and the object that it fills."""

    __slots__ = ("builder", "doubts", "is_lost", "keywords", "locals", "made")

    def __init__(self, builder: Builder, made: ConfigObject) -> None:
        self.builder, self.made = builder, made
        self.locals: dict[str, Value] = {}
        self.keywords: dict[str, Value] = {}
        self.is_lost = False
        self.doubts = 0

    def take(self, program: Program, given: dict[str, Value]) -> None:
        """Binds the parameters; the other arguments are keywords."""
        for name, default in program.get("parameters", {}).items():
            self.locals[name] = given.pop(name) if name in given else copied(default)
        for name in program.get("required", ()):
            self.locals[name] = given.pop(name, UNKNOWN)
        self.keywords = given

    def lookup(self, path: str) -> Value:
        kind, _, rest = path.partition(".")
        name, *attributes = rest.split(".")
        if kind == "self":
            value = self.made.read(name)
        elif kind == "local":
            value = self.locals.get(name, UNKNOWN)
        elif self.is_lost:
            value = UNKNOWN
        else:
            value = dict(self.keywords) if name == _ALL_KEYWORDS else self.keywords.get(name, MISSING)
        for attribute in attributes:
            if value is UNKNOWN:
                return UNKNOWN
            value = value.read(attribute) if isinstance(value, ConfigObject) else MISSING
        return value

    def value(self, text: str) -> Value:
        """What an expression comes to; an error in it, which would stop SGLang from loading, is UNKNOWN."""
        result = evaluate_exactly(_parsed(text), self.lookup)
        if is_known(result):
            return result
        self.doubts += 1
        return UNKNOWN

    def run(self, steps: Iterable[Step]) -> bool:
        """Runs steps in order. True if one of them ended the program."""
        for step in steps:
            if isinstance(step, str):
                if step == "return":
                    return True
                target, _, text = step.partition(" = ")
                self.assign(target, self.value(text))
            elif self.compound(step):
                return True
        return False

    def compound(self, step: Step) -> bool:
        if "if" in step:
            test = self.value(step["if"])
            if test is UNKNOWN:
                # Whichever way it goes: what either writes is unknown, and so is whether it ended here.
                for branch in (step["then"], step.get("else", ())):
                    self.lose(branch)
                return False
            return self.run(step["then"] if test else step.get("else", ()))
        if "block" in step:
            self.run(step["block"])
        elif "try" in step:
            doubts = self.doubts
            ended = self.run(step["try"])
            if self.doubts > doubts:
                # It may have been an error that is caught.
                self.lose(step["except"])
            return ended
        elif "copy" in step:
            for name in step["copy"]:
                self.made.write(name, self.locals.get(name, UNKNOWN))
        elif "build" in step:
            self.assign(step["build"], self.built(step))
        elif "super" in step:
            given = self.arguments(step)
            if "from" in step:
                source = self.value(step["from"])
                if isinstance(source, dict):
                    given = {**source, **given}
                else:
                    self.is_lost = True
            left = self.builder.ascend(self.made, step, given)
            if step["super"] == "rope":
                self.keywords = left
            if self.is_lost:
                self.made.forget()
        elif "drop" in step:
            self.drop(step["drop"])
        elif "standardize" in step:
            config_rope.standardize(self.made)
        else:
            for target in step["unknown"]:
                self.assign(target, UNKNOWN)
        return False

    def drop(self, what: str) -> None:
        """Forgets a keyword, or those that a list names."""
        names = [what.removeprefix("keyword.")] if what.startswith("keyword.") else self.value(what)
        if names is UNKNOWN:
            self.is_lost = True
            return
        for name in names:
            self.keywords.pop(name, None)

    def built(self, step: Step) -> Value:
        given = self.arguments(step)
        if "from" in step:
            source = self.value(step["from"])
            if not isinstance(source, dict):
                return UNKNOWN
            given = {**source, **given}
        if "class" in step:
            return self.builder.build(step["class"], given)
        if "sub" in step:
            subs = self.made.lineage[0].subs
            return self.builder.build(subs.get(step["sub"]), given)
        type_name = self.value(step["type"]) if step["type"] else given.pop("model_type", UNKNOWN)
        if not isinstance(type_name, str):
            return UNKNOWN
        return self.builder.build(self.builder.classes.types.get(type_name), given)

    def arguments(self, step: Step) -> dict[str, Value]:
        given: dict[str, Value] = dict(self.keywords) if step.get("keywords") else {}
        given.update({name: self.value(text) for name, text in step.get("with", {}).items()})
        return given

    def assign(self, target: str, value: Value) -> None:
        kind, _, rest = target.partition(".")
        name, *attributes = rest.split(".")
        if name == EVERYTHING:
            if kind == "self":
                self.made.forget()
            else:
                self.is_lost = True
        elif attributes:
            owner = self.lookup(".".join((kind, name, *attributes[:-1])))
            if isinstance(owner, ConfigObject):
                owner.write(attributes[-1], value)
        elif kind == "self":
            self.made.write(name, value)
        elif kind == "local":
            self.locals[name] = value
        elif name != _ALL_KEYWORDS:
            self.keywords[name] = value
        elif isinstance(value, dict):
            self.keywords = dict(value)
        else:
            self.is_lost = True

    def lose(self, steps: Iterable[Step]) -> None:
        for target in _targets(steps):
            self.assign(target, UNKNOWN)


def copied(default: Value) -> Value:
    """A default that can be changed without harm to the next one who takes it."""
    return copy.deepcopy(default) if isinstance(default, (list, dict)) else default


def _targets(steps: Iterable[Step]) -> Iterator[str]:
    """What steps may write, whichever of them run."""
    for step in steps:
        if isinstance(step, str):
            if step == "return":
                yield "self.*"
            else:
                yield step.partition(" = ")[0]
        elif "if" in step:
            yield from _targets(step["then"])
            yield from _targets(step.get("else", ()))
        elif "block" in step:
            yield from _targets(step["block"])
        elif "try" in step:
            yield from _targets(step["try"])
            yield from _targets(step["except"])
        elif "build" in step:
            yield step["build"]
        elif "copy" in step:
            yield from (f"self.{name}" for name in step["copy"])
        elif "drop" in step:
            yield step["drop"] if step["drop"].startswith("keyword.") else "keyword.*"
        elif "unknown" in step:
            yield from step["unknown"]
        else:
            yield "self.*"


@lru_cache(maxsize=4096)
def _parsed(text: str) -> Expression:
    return parse(text)
