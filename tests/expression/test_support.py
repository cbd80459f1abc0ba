import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraints.expression.evaluate import evaluate, evaluate_exactly, truth
from constraints.expression.forms import free_names
from constraints.expression.parse import parse
from constraints.expression.support import exact_support, support, truth_support
from constraints.expression.syntax import Conditional, Literal, Name, Not
from constraints.expression.values import MISSING, UNKNOWN, Fault, is_known, same
from tests.expression.trees import (
    NAMES,
    assignments,
    likely_assignments,
    lookup_in,
    ordinary,
    sensible_expressions,
    unknown_values,
    wild_expressions,
)

WORLD = {
    "yes": True,
    "also": True,
    "no": False,
    "neither": False,
    "one": 1,
    "two": 2,
    "dear": True,
    "nothing": None,
    "xs": [1, 2, 3],
    "u": UNKNOWN,
    "v": UNKNOWN,
    "m": MISSING,
}


def cost(name):
    return 10 if name == "dear" else 1


def names_of(source, ask=support):
    return ask(parse(source), WORLD.__getitem__, cost)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("yes and also", {"yes", "also"}),
        ("yes or also", {"yes"}),
        ("dear or yes", {"yes"}),
        ("no or also", {"also"}),
        ("no or neither", {"no", "neither"}),
        ("no and neither", {"no"}),
        ("yes and no", {"no"}),
        ("not (yes and no)", {"no"}),
        ("not (yes or no)", {"yes"}),
        # What other parts need anyway costs nothing more.
        ("(dear or yes) and dear", {"dear"}),
        ("(yes or also) and also", {"also"}),
        # Values, where those before count too.
        ("no or two", {"no", "two"}),
        ("one and two", {"one", "two"}),
        ("(one and two) == 2", {"one", "two"}),
        ("two % one == 0", {"one", "two"}),
        ("one is None", {"one"}),
        ("5", set()),
        # Conditionals.
        ("one if yes else two", {"one", "yes"}),
        ("one if no else two", {"no", "two"}),
        ("1 if dear else 1", set()),
        ("one == 1 if dear else True", {"one"}),
        # Membership.
        ("one in (1, 2)", {"one"}),
        ("one in (two, 1, dear)", {"one"}),
        ("one in (two, 5)", {"one", "two"}),
        ("one in xs", {"one", "xs"}),
        # Comprehensions.
        ("any(x > one for x in xs)", {"one", "xs"}),
        ("any(x > one or x == 3 for x in xs)", {"xs"}),
        ("all(x < two for x in (1, 5))", {"two"}),
        ("any(yes for x in xs if x == 1)", {"xs", "yes"}),
        ("[x + one for x in xs]", {"one", "xs"}),
        ("[one for one in xs]", {"xs"}),
        # Missing and faulty.
        ("default(m, 3)", {"m"}),
        ("default(m, two)", {"m", "two"}),
        ("default(one, two)", {"one"}),
        ("has(m)", {"m"}),
        ("yes and nothing > 1", {"nothing", "yes"}),
        ("nothing > 1 and two", {"nothing"}),
        ("crashes(nothing > one)", {"nothing", "one"}),
        # Unknown: what makes it so.
        ("u", {"u"}),
        ("u and yes", {"u"}),
        ("u and v", {"u", "v"}),
        ("u or no", {"u"}),
        ("u and no", {"no"}),
        ("u + one", {"u"}),
        ("one if u else two", {"u"}),
        ("v if yes else one", {"v"}),
        ("u in (1, 2)", {"u"}),
        ("u in ()", set()),
        ("any(u for x in xs)", {"u"}),
        ("unknown('a.py:1')", set()),
    ],
)
def test_the_cheapest_names_that_suffice_are_found(source, names):
    assert names_of(source) == names


def test_for_the_truth_alone_one_side_suffices():
    assert names_of("no or two", truth_support) == {"two"}
    assert names_of("one and two", truth_support) == {"one", "two"}
    assert names_of("u or two", truth_support) == {"two"}
    assert names_of("u or two") == {"u"}


def test_for_the_very_value_those_before_count_too():
    assert names_of("one and no") == {"no"}
    assert names_of("one and no", exact_support) == {"no", "one"}
    assert names_of("one == 1 and no == 1", exact_support) == {"no"}


def test_the_cheapest_side_may_be_the_longer_one():
    assert names_of("dear or yes and also") == {"yes", "also"}


def test_of_equally_cheap_sides_the_shorter_and_then_the_first_is_taken():
    assert support(parse("b and c or a"), lambda _: True, lambda _: 0) == {"a"}
    assert support(parse("b or a"), lambda _: True, lambda _: 1) == {"b"}


def test_of_a_tree_too_deep_for_the_stack_all_names_are_given():
    tree = Name("yes")
    for _ in range(3000):
        tree = Not(tree)
    assert support(tree, WORLD.__getitem__, cost) == {"yes"}


def test_a_long_chain_of_else_is_no_trouble():
    chain = Name("one")
    for index in range(3000):
        chain = Conditional(Name("no"), Literal(index), chain)
    assert support(chain, WORLD.__getitem__, cost) == {"one", "no"}


@given(
    sensible_expressions | wild_expressions,
    likely_assignments(ordinary | unknown_values),
    assignments(ordinary),
    st.data(),
)
def test_the_value_stays_however_names_outside_the_support_change(expression, values, others, data):
    lookup = lookup_in(values)
    value, decided = evaluate(expression, lookup), truth(expression, lookup)
    prices = data.draw(st.fixed_dictionaries(dict.fromkeys(NAMES, st.integers(0, 3))))
    names = support(expression, lookup, prices.__getitem__)
    truth_names = truth_support(expression, lookup, prices.__getitem__)
    assert names | truth_names <= free_names(expression)
    assert not is_known(value) or all(is_known(values[name]) for name in names)
    changed = lookup_in(others | {name: values[name] for name in names})
    found = evaluate(expression, changed)
    if isinstance(value, bool) and is_known(found):
        assert bool(found) is value
    elif is_known(value) and is_known(found):
        assert same(found, value)
    elif isinstance(value, Fault):
        assert not is_known(found)
    exact, exact_names = (
        evaluate_exactly(expression, lookup),
        exact_support(expression, lookup, prices.__getitem__),
    )
    found = evaluate_exactly(expression, lookup_in(others | {name: values[name] for name in exact_names}))
    assert not is_known(exact) or not is_known(found) or same(found, exact)
    changed = lookup_in(others | {name: values[name] for name in truth_names})
    found = truth(expression, changed)
    assert not is_known(found) or not is_known(decided) or found is decided


@given(
    sensible_expressions | wild_expressions,
    likely_assignments(),
    st.sets(st.sampled_from(NAMES), min_size=1, max_size=3),
)
def test_what_makes_a_value_unknown_are_unknown_names(expression, values, unknown):
    lookup = lookup_in(values | dict.fromkeys(unknown, UNKNOWN))
    if evaluate(expression, lookup) is UNKNOWN and evaluate(expression, lookup_in(values)) is not UNKNOWN:
        names = support(expression, lookup, lambda _: 1)
        assert names
        assert names <= unknown


@given(sensible_expressions | wild_expressions)
def test_free_names_are_those_that_evaluation_can_ask_for(expression):
    asked = set()

    def noting(path):
        asked.add(path)
        return UNKNOWN

    evaluate(expression, noting)
    assert asked <= free_names(expression)
