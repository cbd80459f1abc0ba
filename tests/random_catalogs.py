"""Hypothesis strategies for whole small catalogs, and for configurations and worlds of any of them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from constraints.catalog import Block, Catalog, Fact, Flag, Let, Refuse, Release, Set, Step
from constraints.expression.parse import parse
from constraints.expression.syntax import TRUE
from constraints.expression.values import MISSING, UNKNOWN

FLAGS = ("a", "b", "c")
FACTS = ("gpu.x", "model.y")
NAMES = (*FLAGS, "given.a", "a.part", *FACTS, "let1", "let2", "let3")

atoms = st.sampled_from([*NAMES, "0", "1", "2", "None", "True", "'s'"])
operators = st.sampled_from(["and", "or", "==", ">", "%", "+", "in"])
texts = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.builds(
            "({} {} {})".format, inner, st.sampled_from(["and", "or", "==", ">", "%", "+", "in"]), inner
        ),
        st.builds("(not {})".format, inner),
        st.builds("({} is None)".format, inner),
        st.builds("({} if {} else {})".format, inner, inner, inner),
        st.builds("({} is not None and {})".format, st.sampled_from(NAMES), inner),
        st.builds("default({}, {})".format, st.sampled_from(NAMES), inner),
        st.builds("has({})".format, st.sampled_from(NAMES)),
        st.builds("crashes({})".format, inner),
        st.builds("({} in ({}, {}))".format, inner, inner, inner),
        st.builds("any(q == {} for q in [1, {}])".format, inner, inner),
    ),
    max_leaves=4,
)
expressions = texts.map(parse)
conditions = st.one_of(st.just(TRUE), expressions)
nowhere = st.just("")
leaves: st.SearchStrategy[Step] = st.one_of(
    st.builds(Let, st.just(""), st.just("f"), st.sampled_from(["let1", "let2", "let3"]), expressions),
    st.builds(
        Set, st.just(""), st.just("f"), st.sampled_from([*FLAGS, "a.part"]), expressions, when=conditions
    ),
    st.builds(Refuse, st.just(""), st.just("f"), when=expressions),
)
steps: st.SearchStrategy[Step] = st.recursive(
    leaves,
    lambda inner: st.builds(
        Block,
        st.just(""),
        st.just("f"),
        steps=st.lists(inner, min_size=1, max_size=4).map(tuple),
        when=expressions,
    ),
    max_leaves=10,
)
catalogs = st.builds(
    Catalog,
    st.just(Release("toy", "random")),
    st.just(
        {
            name: Flag(name, "any", default=default)
            for name, default in zip(FLAGS, (None, 1, False), strict=True)
        }
    ),
    st.just({name: Fact(name) for name in FACTS}),
    st.lists(steps, min_size=2, max_size=8).map(tuple),
)

_ordinary = st.sampled_from(["none", None, 0, 1, 2, True, "s"])
_POISON = {"unknown": UNKNOWN, "missing": MISSING}


def _named(value: Any) -> Any:
    if value == "none":
        return None
    return _POISON.get(value, value) if isinstance(value, str) else value


known = _ordinary.map(_named)
configurations = st.dictionaries(st.sampled_from(FLAGS), known)
masked = st.dictionaries(st.sampled_from(FLAGS), st.one_of(_ordinary, st.just("unknown")).map(_named))
worlds = st.fixed_dictionaries({name: st.one_of(_ordinary, st.just("missing")).map(_named) for name in FACTS})
"""Every fact has a value, or is missing."""
