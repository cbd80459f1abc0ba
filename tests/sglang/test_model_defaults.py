"""Configuration classes' methods, translated, do what the methods do."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraints.expression.values import UNKNOWN
from constraints.sglang.config_building import Builder
from scripts.model_defaults.translation import Translated, translate
from tests.sglang.class_table import table


class Base:
    def __init__(self, **kwargs: Any) -> None:
        self.architectures = None
        self.dtype = None
        for name, value in kwargs.items():
            setattr(self, name, value)


class Plain(Base):
    def __init__(self, hidden: int = 64, heads: int = 4, head_dim: int | None = None, **kwargs: Any) -> None:
        self.hidden = hidden
        self.heads = heads
        self.head_dim = head_dim if head_dim is not None else hidden // heads
        super().__init__(**kwargs)


class Branching(Base):
    def __init__(
        self, layers: int = 4, period: int = 2, names: list[str] | None = None, **kwargs: Any
    ) -> None:
        if layers < 1:
            raise ValueError("a model has layers")
        self.layers, self.period = layers, period
        if names is None:
            names = ["full" if (layer + 1) % period == 0 else "slide" for layer in range(layers)]
        elif len(names) > 2:
            names = names[:2]
        self.names = [f"{each}_attention" if each != "other" else each for each in names]
        self.count = 0
        for name in ("full_attention", "sliding_attention"):
            self.count += self.names.count(name) * 10
        super().__init__(**kwargs)


class Keywords(Base):
    def __init__(self, **kwargs: Any) -> None:
        self.scale = kwargs.pop("scale", 1.0)
        kwargs.setdefault("bias", True)
        if "width" in kwargs:
            self.half = kwargs["width"] // 2
        kwargs.pop("junk", None)
        super().__init__(**kwargs)
        self._settle()

    def _settle(self) -> None:
        if self.scale > 2:
            self.scale = 2
            return
        self.settled = True


class Catching(Base):
    def __init__(self, total: int = 8, parts: int = 2, **kwargs: Any) -> None:
        try:
            self.share = total // parts
        except ZeroDivisionError:
            self.share = 0
        self.kind = {"a": 1, **({"b": 2} if parts > 1 else {})}
        super().__init__(**kwargs)


class Odd(Base):
    def __init__(self, width: int = 8, **kwargs: Any) -> None:
        self.before = width
        self.root = math.erf(width)
        self.text = min(vars(math))
        self.after = width + 1
        super().__init__(**kwargs)


ALL = (Plain, Branching, Keywords, Catching, Odd)


def translated(cls: type) -> Translated:
    return translate(vars(cls)["__init__"], cls, lambda each: f"t.{each.__name__}", Base)


def run(cls: type, arguments: dict[str, Any]) -> dict[str, Any]:
    """What the translated constructor fills."""
    made = translated(cls)
    program = {"parameters": made.parameters, "required": made.required, "steps": made.steps}
    name = f"t.{cls.__name__}"
    return Builder(table({name: {"init": program}})).build(name, arguments).values


ARGUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "hidden": st.integers(1, 99),
        "heads": st.integers(1, 9),
        "head_dim": st.none() | st.integers(1, 9),
        "layers": st.integers(1, 6),
        "period": st.integers(1, 3),
        "names": st.none() | st.lists(st.sampled_from(["full", "slide", "other"]), max_size=4),
        "scale": st.sampled_from([0.5, 1, 3]),
        "width": st.integers(0, 9),
        "junk": st.integers(),
        "bias": st.booleans(),
        "total": st.integers(0, 99),
        "parts": st.integers(0, 3),
        "more": st.text(max_size=3),
    },
)


@pytest.mark.parametrize("cls", ALL)
@given(arguments=ARGUMENTS)
def test_a_translated_constructor_fills_what_the_real_one_fills(cls: type, arguments: dict[str, Any]) -> None:
    theirs = vars(cls(**arguments))
    ours = run(cls, dict(arguments))
    for name, value in ours.items():
        assert value is UNKNOWN or value == theirs[name], name
    assert ours.keys() >= theirs.keys()


@pytest.mark.parametrize("cls", [Plain, Branching, Keywords])
def test_what_is_understood_leaves_no_gap(cls: type) -> None:
    assert translated(cls).gaps == []
    assert not any(value is UNKNOWN for value in run(cls, {}).values())


def test_what_is_not_understood_makes_what_it_writes_unknown_and_is_told() -> None:
    made = translated(Odd)
    assert [gap.partition(":")[0] for gap in made.gaps] == ["Odd.__init__", "Odd.__init__"]
    values = run(Odd, {})
    assert (values["root"], values["text"]) == (UNKNOWN, UNKNOWN)
    assert (values["before"], values["after"]) == (8, 9)


def test_an_error_that_is_caught_is_not_foreseen() -> None:
    assert run(Catching, {"total": 9, "parts": 3})["share"] == 3
    assert run(Catching, {"parts": 0})["share"] is UNKNOWN
