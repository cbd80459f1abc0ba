import itertools
import sys
import warnings

import pytest
from hypothesis import given

from constraints.expression.compile import NAMESPACE, python_source
from constraints.expression.evaluate import evaluate
from constraints.expression.functions import FUNCTIONS
from constraints.expression.parse import parse
from constraints.expression.syntax import Call, Conditional, Literal, Name, Not
from constraints.expression.values import MISSING, POISON, UNKNOWN, Fault, Touched, is_known, same
from tests.expression.trees import (
    any_expressions,
    assignments,
    likely_assignments,
    lookup_in,
    ordinary,
    poison,
    sensible_expressions,
    wild_expressions,
)


def source_of(source):
    return python_source(parse(source), lambda path: f"v[{path}]")


def fast(expression):
    source = python_source(expression, lambda path: f"v[{path!r}]")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return eval(f"lambda v: ({source})", dict(NAMESPACE))


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except Exception as error:  # noqa: BLE001 - whatever it is is the outcome
        return error


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "a % b != 0 and (b > 1 or c == 'scale')",
            "v[a] % known(v[b]) != 0 and (v[b] > 1 or v[c] == 'scale')",
        ),
        ("a is None and b is not None", "v[a] == None and v[b] != None"),
        ("a in ['x', 'y']", "v[a] in ('x', 'y')"),
        ("a in ('p', 'q', 'r', 's', 't')", "v[a] in {'p', 'q', 'r', 's', 't'}"),
        ("startswith(lower(a), 'x')", "v[a].lower().startswith('x')"),
        ("a", "known(v[a])"),
        ("len([a, 1])", "len([known(v[a]), 1])"),
        ("any(x > a for x in xs)", "any(local_x > v[a] for local_x in ordered(v[xs]))"),
        ("any(x > a for x in (1, 2))", "any(local_x > v[a] for local_x in (1, 2))"),
        ("default(a, 1) > 2", "(1 if v[a] is MISSING else v[a]) > 2"),
    ],
)
def test_the_source_is_what_one_would_write_by_hand(source, expected):
    assert source_of(source) == expected


@given(wild_expressions | sensible_expressions, likely_assignments(ordinary | poison))
def test_the_fast_path_gives_the_value_of_evaluate_or_raises(expression, values):
    expected = evaluate(expression, lookup_in(values))
    found = outcome(fast(expression), values)
    if isinstance(found, Touched):
        return
    if isinstance(found, Exception):
        # Poison may show as another error, and so may what cannot be looked up by hash.
        has_poison = not all(map(is_known, values.values()))
        is_named = isinstance(expected, Fault) and expected.kind == type(found).__name__
        assert is_named or has_poison or isinstance(found, TypeError)
    else:
        assert found.__class__ not in POISON
        assert same(found, expected)


@given(sensible_expressions, likely_assignments())
def test_where_all_is_known_and_nothing_fails_the_fast_path_gives_a_value(expression, values):
    expected = evaluate(expression, lookup_in(values))
    asks_for_crashes = any(isinstance(n, Call) and n.function == "crashes" for n in expression.walk())
    if is_known(expected) and not asks_for_crashes:
        assert same(fast(expression)(values), expected)


@given(any_expressions)
def test_every_expression_has_a_source_that_compiles_without_a_warning(expression):
    assert fast(expression)


@given(any_expressions)
def test_the_source_is_the_same_every_time(expression):
    assert python_source(expression, str) == python_source(expression, str)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
@pytest.mark.parametrize("value", [UNKNOWN, MISSING, Fault("KeyError")], ids=repr)
def test_every_function_notices_poison_in_every_argument(name, value):
    function = FUNCTIONS[name]
    most = 3 if function.most is None else function.most
    for count in range(max(function.least, 1), most + 1):
        for position in range(count):
            for others in itertools.product(([], "", {}, 1), repeat=count - 1):
                values = [*others[:position], value, *others[position:]]
                arguments = tuple(Name(f"x{index}") for index in range(count))
                compiled = fast(Call(name, arguments))
                with pytest.raises(Exception):  # noqa: B017, PT011 - any of them sends the caller to evaluate
                    compiled({f"x{index}": each for index, each in enumerate(values)})


@pytest.mark.parametrize(
    "source",
    ["x", "x is None", "x is not None", "x is True", "x == x", "x in ()", "x in []", "x in xs", "one and x",
     "[x]", "(x,)", "{x}", "{x: 1}", "{1: x}", "x if yes else 1", "1 if x else 1", "not x", "-x", "x + 1",
     "1 + x", "x * 2", "'a' * x", "x ** 2", "x % 2", "'%s' % x", "x | xs", "xs[x]", "{1: 2}[x]", "x[0]",
     "[i for i in x]", "[x for i in one]", "any(x for i in one)", "sum(x for i in one)", "crashes(x)",
     "default(x, y)", "x is None or yes", "'' % x", "s % x", "get({}, 1, x)", "count(xs, x)",
     "[y for y in one if x]"],
)  # fmt: skip
@pytest.mark.parametrize("value", [UNKNOWN, Fault("KeyError")], ids=repr)
def test_poison_is_noticed_wherever_it_stands(source, value):
    values = {"x": value, "y": value, "xs": [], "one": [1], "yes": True, "s": ""}
    with pytest.raises(Exception) as caught:  # noqa: PT011 - any of them sends the caller to evaluate
        fast(parse(source))(values)
    assert isinstance(caught.value, Touched | TypeError | AttributeError)


def test_what_is_not_needed_may_be_poison():
    values = {"x": UNKNOWN, "no": False}
    assert fast(parse("no and x"))(values) is False
    assert fast(parse("1 if no else 2"))(values) == 2
    assert fast(parse("x if no else 2"))(values) == 2


def test_names_are_read_from_where_the_caller_says_and_no_builtins_are_within_reach():
    assert source_of("gpu.memory_mib > 1") == "v[gpu.memory_mib] > 1"
    assert NAMESPACE["__builtins__"] == {}


def test_a_tree_too_deep_to_compile_has_a_source_that_raises():
    calls = Name("x")
    for _ in range(300):
        calls = Call("max", (calls, Literal(1)))
    negations = Name("x")
    for _ in range(5000):
        negations = Not(negations)
    for tree in (calls, negations):
        with pytest.raises(Touched):
            fast(tree)({"x": 1})


def test_a_long_chain_of_else_compiles():
    chain = Name("x")
    for index in range(sys.getrecursionlimit() - 100):
        chain = Conditional(Name("no"), Literal(index), chain)
    assert fast(chain)({"x": 5, "no": False}) == 5


@given(assignments(ordinary))
def test_texts_in_literals_cannot_leave_them(values):
    nasty = "') or __import__('os') #\n\\"
    expression = parse(f"{nasty!r} == s")
    assert fast(expression)(values | {"s": nasty}) is True
