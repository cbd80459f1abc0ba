"""Strategies for expressions and for values of their names."""

from collections.abc import Callable, Mapping, Sequence

from hypothesis import strategies as st

from constraints.expression.functions import FUNCTIONS
from constraints.expression.syntax import (
    And,
    Arithmetic,
    Call,
    Collection,
    Comparison,
    Comprehension,
    Conditional,
    Expression,
    Item,
    Literal,
    Name,
    Negative,
    Not,
    Or,
    Unknown,
)
from constraints.expression.syntax import Mapping as Dict
from constraints.expression.values import MISSING, UNKNOWN, Fault

Trees = st.SearchStrategy[Expression]

NUMBERS = ("a", "b", "c")
TEXTS = ("s", "t")
LISTS = ("xs",)
VARIABLE = "it"
NAMES = (*NUMBERS, *TEXTS, *LISTS, VARIABLE)

CONSTANTS = [Literal(None), Literal(True), Literal(False)]
ORDERS = ["==", "!=", "<", "<=", ">", ">="]

ordinary = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.0, 0.5, 2.0]),
    st.sampled_from(["", "1", "ab", "fa3"]),
    st.sampled_from([[], [1], [0, 2], ["ab", "s"], [None, 1]]),
)
# Made when drawn: hypothesis compares what it samples from, and poison lets nobody do that.
unknown_values = st.integers(0, 0).map(lambda _: UNKNOWN)
poison = st.integers(0, 2).map(lambda index: (UNKNOWN, MISSING, Fault("KeyError", "'k'"))[index])


def assignments(values: st.SearchStrategy[object]) -> st.SearchStrategy[dict[str, object]]:
    return st.fixed_dictionaries(dict.fromkeys(NAMES, values))


def likely_assignments(
    unlikely: st.SearchStrategy[object] = ordinary,
) -> st.SearchStrategy[dict[str, object]]:
    """Values that fit their names, and now and then another."""
    often: dict[str, st.SearchStrategy[object]] = {
        **dict.fromkeys((*NUMBERS, VARIABLE), st.one_of(st.integers(-2, 4), st.booleans())),
        **dict.fromkeys(TEXTS, st.sampled_from(["", "1", "ab", "fa3"])),
        **dict.fromkeys(LISTS, st.lists(st.integers(-1, 3), max_size=3)),
    }
    return st.fixed_dictionaries({name: st.one_of(fits, fits, unlikely) for name, fits in often.items()})


def lookup_in(values: Mapping[str, object]) -> Callable[[str], object]:
    return values.__getitem__


# Expressions of every form that can be read, whether they make sense or not.


def _calls(inner: Trees) -> Trees:
    def of(name: str) -> Trees:
        function = FUNCTIONS[name]
        most = function.least + 2 if function.most is None else function.most
        arguments = st.lists(inner, min_size=function.least, max_size=most)
        if name == "is_instance":
            types = st.sampled_from(["int", "str", "NoneType"]).map(Literal)
            return st.builds(lambda value, kind: Call(name, (value, kind)), inner, types)
        return arguments.map(lambda found: Call(name, tuple(found)))

    return st.sampled_from(sorted(FUNCTIONS)).flatmap(of)


def _negative(operand: Expression) -> Expression:
    value = operand.value if isinstance(operand, Literal) else None
    # A sign before a number without one is part of the number.
    if isinstance(value, int | float) and not isinstance(value, bool) and not str(value).startswith("-"):
        return Literal(-value)
    return Negative(operand)


def _forms(inner: Trees, asked_about: Sequence[str]) -> Trees:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    elements = st.lists(inner, max_size=3).map(tuple)
    pairs = st.lists(st.tuples(inner, inner), max_size=2)
    plain = st.sampled_from(asked_about).map(Name)
    return st.one_of(
        inner.map(Not),
        inner.map(_negative),
        several.map(And),
        several.map(Or),
        st.builds(Comparison, st.sampled_from([*ORDERS, "in", "not in"]), inner, inner),
        st.builds(Comparison, st.sampled_from(["is", "is not"]), inner, st.sampled_from(CONSTANTS)),
        st.builds(
            Arithmetic, st.sampled_from(["+", "-", "*", "/", "//", "%", "**", "|", "&", "^"]), inner, inner
        ),
        st.builds(Conditional, inner, inner, inner),
        st.builds(Item, inner, inner),
        st.builds(Collection, st.sampled_from(["tuple", "list"]), elements),
        several.map(lambda found: Collection("set", found)),
        pairs.map(lambda found: Dict(tuple(k for k, _ in found), tuple(v for _, v in found))),
        st.builds(
            Comprehension,
            st.sampled_from(["any", "all", "sum", "list", "set"]),
            inner,
            st.just(VARIABLE),
            inner,
            st.none() | inner,
        ),
        _calls(inner),
        plain.map(lambda name: Call("has", (name,))),
        st.builds(lambda name, fallback: Call("default", (name, fallback)), plain, inner),
        inner.map(lambda asked: Call("crashes", (asked,))),
    )


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(),
)
literals = scalars.map(Literal)
paths = st.sampled_from([*NAMES, "gpu.memory_mib", "given.tp_size", "len"])
unknowns = st.builds(Unknown, st.sampled_from(["a.py:1", 'it\'s "b".py:2']), st.sampled_from(["", "loop"]))
any_expressions: Trees = st.recursive(
    st.one_of(literals, paths.map(Name), unknowns),
    lambda inner: _forms(inner, [*NUMBERS, "model.config.heads", "env.X"]),
    max_leaves=12,
)

# The same over a few names and small values, to be evaluated.

small_literals = st.one_of(
    st.sampled_from(CONSTANTS), ordinary.filter(lambda v: not isinstance(v, list)).map(Literal)
)
wild_expressions: Trees = st.recursive(
    st.one_of(small_literals, st.sampled_from(NAMES).map(Name)),
    lambda inner: _forms(inner, NUMBERS),
    max_leaves=8,
)


# Expressions that mostly make sense: conditions over numbers, texts and lists.

numbers: Trees = st.deferred(
    lambda: st.one_of(
        st.integers(-2, 4).map(Literal),
        st.sampled_from([*NUMBERS, VARIABLE]).map(Name),
        st.sampled_from([*NUMBERS, VARIABLE]).map(Name),
        st.builds(Arithmetic, st.sampled_from(["+", "-", "*", "//", "%"]), numbers, numbers),
        st.builds(lambda left, right: Call("max", (left, right)), numbers, numbers),
        lists.map(lambda found: Call("len", (found,))),
        st.builds(Conditional, conditions, numbers, numbers),
        st.builds(lambda left, right: Or((left, right)), numbers, numbers),
        st.builds(
            lambda name, fallback: Call("default", (Name(name), fallback)), st.sampled_from(NUMBERS), numbers
        ),
        st.builds(lambda found: Comprehension("sum", Name(VARIABLE), VARIABLE, found), lists),
    )
)
texts: Trees = st.deferred(
    lambda: st.one_of(
        st.sampled_from(["", "ab", "fa3"]).map(Literal),
        st.sampled_from(TEXTS).map(Name),
        st.sampled_from(TEXTS).map(Name),
        texts.map(lambda found: Call("lower", (found,))),
        st.builds(Conditional, conditions, texts, texts),
        st.builds(lambda left, right: And((left, right)), texts, texts),
    )
)
lists: Trees = st.deferred(
    lambda: st.one_of(
        st.sampled_from(LISTS).map(Name),
        st.builds(Collection, st.sampled_from(["tuple", "list"]), st.lists(numbers, max_size=3).map(tuple)),
        st.builds(
            Comprehension,
            st.just("list"),
            numbers,
            st.just(VARIABLE),
            lists,
            st.one_of(st.none(), conditions),
        ),
    )
)
conditions: Trees = st.deferred(
    lambda: st.one_of(
        st.builds(Comparison, st.sampled_from(ORDERS), numbers, numbers),
        st.builds(Comparison, st.sampled_from(["==", "!="]), texts, texts),
        st.builds(Comparison, st.sampled_from(["in", "not in"]), numbers, lists),
        st.builds(
            Comparison,
            st.sampled_from(["is", "is not"]),
            st.one_of(numbers, texts),
            st.sampled_from(CONSTANTS),
        ),
        st.sampled_from(NAMES).map(Name),
        st.sampled_from([*NUMBERS, *TEXTS]).map(lambda name: Call("has", (Name(name),))),
        conditions.map(Not),
        st.lists(conditions, min_size=2, max_size=3).map(lambda found: And(tuple(found))),
        st.lists(conditions, min_size=2, max_size=3).map(lambda found: Or(tuple(found))),
        st.builds(Conditional, conditions, conditions, conditions),
        st.builds(
            Comprehension,
            st.sampled_from(["any", "all"]),
            conditions,
            st.just(VARIABLE),
            lists,
            st.one_of(st.none(), conditions),
        ),
        numbers.map(lambda asked: Call("crashes", (asked,))),
    )
)
sensible_expressions: Trees = st.one_of(conditions, conditions, numbers, texts, lists)
