"""Reading objects whose attributes are facts: the machine, the model's configuration, the environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from constraints.expression.simplify import conjunction
from constraints.expression.syntax import FALSE, NONE, TRUE, Call, Expression, Literal, Name
from constraints.sglang.extraction.values import Class, Facts, Method, Value, Variable

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor

_CONFIG_METHODS = frozenset({"get_text_config", "to_dict", "to_diff_dict", "update", "get"})


class FactReader:
    """Turns attribute reads into names of facts."""

    def attribute(self, x: Executor, path: str, name: str, default: Value | None) -> Value:
        """The fact behind `object.name`; with `default`, that where the fact is missing."""
        if path == "env":
            return Variable(name)
        if path in ("platform", "stash", "given"):
            return Method(Facts(path), name)
        if path.startswith(("model", "draft_model")):
            if name in _CONFIG_METHODS:
                return Method(Facts(path), name)
            if name in ("hf_config", "hf_text_config") and "." not in path:
                return Name(f"{path}.{name.removeprefix('hf_')}")
            fact = Name(f"{path}.{name}")
            if default is None:
                return fact
            if isinstance(default, Expression):
                return Call("default", (fact, default))
            from constraints.sglang.extraction.state import choice

            return choice(((Call("has", (fact,)), fact), (TRUE, default)))
        return Name(f"{path}.{name}")

    def has(self, path: str, name: str) -> Expression:
        """Whether the attribute exists."""
        return Call("has", (Name(f"{path}.{name}"),)) if path.startswith(("model", "draft_model")) else TRUE

    def is_instance(self, path: str, wanted: Value) -> Expression:
        """`isinstance(object, wanted)` for an object of facts: by the names of its class and its bases."""
        if isinstance(wanted, Class):
            from constraints.expression.simplify import comparison

            return comparison("in", Literal(wanted.name), Name(f"{path}.__mro__"))
        from constraints.sglang.extraction.values import External

        if isinstance(wanted, External):
            if wanted.path in ("dict", "list", "str", "int", "float", "bool", "tuple"):
                return Call("is_instance", (Name(path), Literal(wanted.path)))
        return FALSE

    def same_object(self, one: str, other: str) -> Expression:
        """Whether two configurations are one object."""
        if one == other:
            return TRUE
        if {one, other} == {"model.config", "model.text_config"}:
            return conjunction((Name("model.text_config_is_config"),))
        return FALSE


def given_or(default: Expression, value: Expression) -> Expression:
    """`value` where it is not None, else `default`."""
    from constraints.expression.simplify import comparison, conditional

    return conditional(comparison("is", value, NONE), default, value)
