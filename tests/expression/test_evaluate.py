import itertools
import math
import re
import sys
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraints.expression.evaluate import evaluate, evaluate_exactly, truth
from constraints.expression.functions import METHODS
from constraints.expression.parse import parse
from constraints.expression.syntax import Arithmetic, Conditional, Literal, Name, Not
from constraints.expression.text import text
from constraints.expression.values import MISSING, UNKNOWN, Fault, is_known, same
from tests.expression.trees import (
    NAMES,
    assignments,
    conditions,
    likely_assignments,
    lookup_in,
    ordinary,
    sensible_expressions,
    wild_expressions,
)

WORLD = {
    "one": 1,
    "zero": 0,
    "yes": True,
    "no": False,
    "nothing": None,
    "word": "scale",
    "xs": [1, 2, 3],
    "u": UNKNOWN,
    "m": MISSING,
    "f": Fault("KeyError", "'k'"),
}


def value_of(source):
    return evaluate(parse(source), WORLD.__getitem__)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        # Kleene's tables.
        ("no and u", False),
        ("u and no", False),
        ("yes and u", UNKNOWN),
        ("u and yes", UNKNOWN),
        ("yes or u", True),
        ("u or yes", True),
        ("no or u", UNKNOWN),
        ("not u", UNKNOWN),
        ("u == 1 and zero == 1", False),
        ("u and (no or u and no)", False),
        # Only truth is given away, never another value than True and False.
        ("u or one", UNKNOWN),
        ("u and zero", UNKNOWN),
        ("not (u and zero)", True),
        ("1 if u or one else 2", 1),
        ("(u and no) == False", UNKNOWN),
        ("(u == 1 and no) == False", True),
        ("(u or yes) is True", UNKNOWN),
        # Conditionals.
        ("one if u else one", 1),
        ("one if u else zero", UNKNOWN),
        ("True if u else 1", UNKNOWN),
        ("f if u else f", Fault("KeyError", "'k'")),
        ("2 if u else 2 if u else 2", 2),
        ("2 if u else 2 if yes else 3", 2),
        ("2 if u else 2 if no else 3", UNKNOWN),
        # Membership.
        ("u in ()", False),
        ("u not in []", True),
        ("u in xs", UNKNOWN),
        ("one in (1, u)", True),
        ("one in (2, u)", UNKNOWN),
        ("one not in (1, u)", False),
        ("f in ()", Fault("KeyError", "'k'")),
        # And and or give operands.
        ("zero or word", "scale"),
        ("zero and word", 0),
        ("one and word", "scale"),
        ("nothing or zero", 0),
        # Faults, in order.
        ("f and u", Fault("KeyError", "'k'")),
        ("no and f", False),
        ("yes or f", True),
        ("u and f", UNKNOWN),
        ("u or f", UNKNOWN),
        ("f == u", Fault("KeyError", "'k'")),
        ("u == f", UNKNOWN),
        ("[u, f]", UNKNOWN),
        ("[f, u]", Fault("KeyError", "'k'")),
        # What is missing.
        ("m", Fault("AttributeError", "there is no m")),
        ("default(m, 3)", 3),
        ("default(m, u)", UNKNOWN),
        ("default(one, 1 // 0)", 1),
        ("default(u, 3)", UNKNOWN),
        ("default(f, 3)", Fault("KeyError", "'k'")),
        ("has(m)", False),
        ("has(nothing)", True),
        ("has(u)", UNKNOWN),
        ("has(f)", Fault("KeyError", "'k'")),
        # Crashes.
        ("crashes(f)", True),
        ("crashes(m)", True),
        ("crashes(int('x'))", True),
        ("crashes(int('3'))", False),
        ("crashes(u)", UNKNOWN),
        ("crashes(one / zero)", True),
        ("crashes(no and u)", False),
        ("crashes(u and no)", UNKNOWN),
        ("crashes(u or yes)", UNKNOWN),
        ("crashes(f or u)", True),
        ("crashes(no and unknown('a.py:1'))", False),
        ("crashes(unknown('a.py:1') and no)", UNKNOWN),
        ("crashes(any(x == 4 and unknown('a.py:1') for x in xs))", False),
        ("crashes(any(unknown('a.py:1') and no for x in xs))", UNKNOWN),
        # Comprehensions.
        ("any(x > u for x in [])", False),
        ("any(x == 2 or u for x in xs)", True),
        ("any(u for x in xs)", UNKNOWN),
        ("all(x != 2 and u for x in xs)", False),
        ("any(x == 3 for x in xs if u)", UNKNOWN),
        ("any(x == 4 for x in xs if u)", False),
        ("all(x < 4 for x in xs if u)", True),
        (
            "any(1 // (x - 2) > 3 for x in xs)",
            Fault("ZeroDivisionError", "integer division or modulo by zero"),
        ),
        ("any(x == 1 or 1 // 0 for x in xs)", True),
        ("[x for x in xs if x != 2]", [1, 3]),
        ("sum(x * x for x in xs)", 14),
        ("{x % 2 for x in xs}", {0, 1}),
        ("[one for one in xs]", [1, 2, 3]),
        ("any(x for x in u)", UNKNOWN),
        ("any(x for x in one)", Fault("TypeError", "'int' object is not iterable")),
        ("[[y for y in xs if y < x] for x in xs]", [[], [1], [1, 2]]),
    ],
)
def test_an_expression_has_the_value_that_python_and_kleene_give_it(source, expected):
    assert same(value_of(source), expected), value_of(source)


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("one % zero", "ZeroDivisionError"),
        ("nothing > 1", "TypeError"),
        ("{'a': 1}['b']", "KeyError"),
        ("xs[9]", "IndexError"),
        ("int('x')", "ValueError"),
        ("lower(nothing)", "AttributeError"),
        ("float(10 ** 400)", "OverflowError"),
        ("{xs: 1}", "TypeError"),
        ("{xs}", "TypeError"),
        ("-word", "TypeError"),
        ("json('{')", "JSONDecodeError"),
        ("one in 1", "TypeError"),
        ("xs in {1}", "TypeError"),
    ],
)
def test_what_python_would_raise_is_a_fault(source, kind):
    found = value_of(source)
    assert isinstance(found, Fault)
    assert found.kind == kind


@pytest.mark.parametrize(
    "source",
    ["'a' * 10 ** 9", "10 ** 9 * [one]", "9 ** 10 ** 5", "range(10 ** 9)", "(-8) ** 0.5", "'%0999999d' % 1"],
)
def test_what_would_take_too_much_memory_is_unknown(source):
    assert value_of(source) is UNKNOWN


def test_truth_decides_what_evaluate_leaves_open_because_of_the_value():
    assert evaluate(parse("u or one"), WORLD.__getitem__) is UNKNOWN
    assert truth(parse("u or one"), WORLD.__getitem__) is True
    assert truth(parse("u and xs == 1"), WORLD.__getitem__) is False
    assert truth(parse("xs"), WORLD.__getitem__) is True
    assert same(truth(parse("f"), WORLD.__getitem__), WORLD["f"])


def test_evaluate_exactly_leaves_open_what_might_be_another_value_as_true():
    assert evaluate(parse("u and no"), WORLD.__getitem__) is False
    assert evaluate_exactly(parse("u and no"), WORLD.__getitem__) is UNKNOWN
    assert evaluate_exactly(parse("u == 1 and no"), WORLD.__getitem__) is False


def test_a_long_chain_of_else_and_a_tree_some_hundred_levels_deep_are_evaluated():
    chain = Name("zero")
    for index in range(5000):
        chain = Conditional(Name("no"), Literal(index), chain)
    assert evaluate(chain, WORLD.__getitem__) == 0
    tree = Name("one")
    for _ in range(400):
        tree = Arithmetic("+", Literal(1), tree)
    assert evaluate(tree, WORLD.__getitem__) == 401


def test_a_tree_too_deep_for_the_stack_is_unknown():
    tree = Name("one")
    for _ in range(sys.getrecursionlimit() + 1):
        tree = Not(tree)
    assert evaluate(tree, WORLD.__getitem__) is UNKNOWN
    assert truth(tree, WORLD.__getitem__) is UNKNOWN


# Against Python itself. Functions that Python has are its own; the rest are written anew here.


def _method(name):
    return lambda value, *arguments: getattr(value, name)(*arguments)


def _merge(first, *others):
    return {key: value for each in (first, *others) for key, value in each.items()}


def _match(how):
    def match(pattern, subject):
        found = getattr(re, how)(pattern, subject)
        return found and (found[0], *found.groups())

    return match


def _reference():
    import builtins
    import json
    import posixpath

    named = "len min max abs sum any all round int float bool str repr sorted list tuple set dict"
    return {
        **{name: getattr(builtins, name) for name in named.split()},
        **{name: getattr(math, name) for name in ("floor", "ceil", "sqrt", "log2", "gcd")},
        **{name: getattr(posixpath, name) for name in ("basename", "dirname", "splitext")},
        **{name: _method(name) for name in METHODS},
        **{name: _method(name) for name in ("join", "replace")},
        **{name: _match(name[3:]) for name in ("re_match", "re_search", "re_fullmatch")},
        "keys": lambda value: list(value.keys()),
        "values": lambda value: list(value.values()),
        "items": lambda value: list(value.items()),
        "merge": _merge,
        "range": lambda *bounds: list(range(*bounds)),
        "zip": lambda *values: list(zip(*values)),  # noqa: B905 - as Python's own by default
        "enumerate": lambda *values: list(enumerate(*values)),
        "reversed": lambda value: list(reversed(value)),
        "slice": lambda value, *bounds: value[slice(*([*bounds, None][:2] if len(bounds) == 1 else bounds))],
        "is_instance": lambda value, name: isinstance(
            value, {"NoneType": type(None)}.get(name) or eval(name)
        ),
        "type_name": lambda value: type(value).__name__,
        "json": json.loads,
        "to_json": json.dumps,
        "join_path": posixpath.join,
        "is_absolute": posixpath.isabs,
    }


REFERENCE = _reference()
OURS = ("version_at_least", "has(", "default(", "crashes(", "unknown(")


@given(wild_expressions | sensible_expressions, likely_assignments())
def test_without_unknowns_the_value_is_pythons_own(expression, values):
    source = text(expression)
    if any(word in source for word in OURS):
        return
    found = evaluate(expression, lookup_in(values))
    if found is UNKNOWN:
        return  # it would have taken too much memory, or is a complex number
    expected = _python(source, values)
    if isinstance(expected, Exception):
        assert isinstance(found, Fault)
        assert found.kind == type(expected).__name__
    elif not _depends_on_the_order_of_a_set(expression):
        assert same(found, expected)


def _python(source, values):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            return eval(source, REFERENCE | values)
    except Exception as error:  # noqa: BLE001 - whatever it is is the outcome
        return error


def _depends_on_the_order_of_a_set(expression):
    return "{" in text(expression) or "set(" in text(expression)


# What is unknown.

POOL = [None, True, 0, 3, "ab", [1], MISSING]


@given(
    sensible_expressions | wild_expressions,
    likely_assignments(),
    st.sets(st.sampled_from(NAMES), min_size=1, max_size=2),
)
def test_what_is_said_without_knowing_a_name_holds_for_all_its_values(expression, values, unknown):
    open_world = lookup_in(values | dict.fromkeys(unknown, UNKNOWN))
    exact, decided = evaluate_exactly(expression, open_world), truth(expression, open_world)
    loose = evaluate(expression, open_world)
    for chosen in itertools.product(POOL, repeat=len(unknown)):
        closed_world = lookup_in(values | dict(zip(unknown, chosen, strict=True)))
        found = evaluate_exactly(expression, closed_world)
        if not is_known(found):
            continue
        assert exact is UNKNOWN or same(exact, found)
        assert decided is UNKNOWN or decided is bool(found)
        assert loose is UNKNOWN or same(loose, found) or (isinstance(loose, bool) and loose is bool(found))


@given(wild_expressions | sensible_expressions, assignments(ordinary))
def test_where_all_is_known_the_three_ways_to_ask_agree(expression, values):
    lookup = lookup_in(values)
    found = evaluate(expression, lookup)
    assert same(found, evaluate_exactly(expression, lookup))
    decided = truth(expression, lookup)
    assert same(decided, bool(found) if is_known(found) else found)


@given(conditions, likely_assignments())
def test_exactly_one_of_a_condition_and_its_denial_holds(condition, values):
    lookup = lookup_in(values)
    found = truth(condition, lookup)
    denied = truth(Not(condition), lookup)
    assert denied is (not found) if isinstance(found, bool) else same(denied, found)
