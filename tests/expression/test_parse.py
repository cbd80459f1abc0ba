import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraints.errors import ExpressionError
from constraints.expression.parse import MAX_CHARACTERS, MAX_DEPTH, parse
from constraints.expression.syntax import (
    And,
    Call,
    Collection,
    Comparison,
    Comprehension,
    Literal,
    Name,
    Negative,
    Unknown,
)


def test_a_dotted_name_is_one_name():
    assert parse("model.config.text_config.num_experts") == Name("model.config.text_config.num_experts")


def test_a_chained_comparison_is_the_conjunction_of_two():
    a, b, c = map(Name, "abc")
    assert parse("a < b <= c") == And((Comparison("<", a, b), Comparison("<=", b, c)))


def test_a_sign_before_a_number_is_part_of_it():
    assert parse("-1") == Literal(-1)
    assert parse("-x") == Negative(Name("x"))
    assert parse("-True") == Negative(Literal(True))


def test_a_generator_in_a_functions_brackets_is_a_list():
    comprehension = Comprehension("list", Name("x"), "x", Name("xs"))
    assert parse("max(x for x in xs)") == Call("max", (comprehension,))
    assert parse("any(x for x in xs)") == Comprehension("any", Name("x"), "x", Name("xs"))


def test_several_conditions_of_a_comprehension_are_one():
    both = And((Name("c"), Name("d")))
    assert parse("[x for x in xs if c if d]") == Comprehension("list", Name("x"), "x", Name("xs"), both)


def test_unknown_keeps_its_place_and_cause():
    assert parse("unknown('a.py:3', 'loop')") == Unknown("a.py:3", "loop")
    assert parse("unknown('a.py:3')") == Unknown("a.py:3")


def test_neighbouring_texts_are_one_as_in_python():
    assert parse("'a' 'b'") == Literal("ab")


def test_blanks_and_newlines_around_an_expression_do_not_matter():
    assert parse("\n  (1,\n 2)\n") == Collection("tuple", (Literal(1), Literal(2)))


@pytest.mark.parametrize(
    ("source", "line", "column", "reason"),
    [
        ("", 1, 1, "there is no expression here"),
        ("a +", 1, 4, "invalid syntax"),
        ("x = 1", 1, 3, "invalid syntax"),
        ("a b", 1, 3, "invalid syntax"),
        ("'é' + a.lower()", 1, 7, "methods are written as functions"),
        ("  a and b.c().d", 1, 9, "only a name has parts after a dot"),
        ("[a,\n  lambda: 1]", 2, 3, "a lambda is not in the rule language"),
        ("\n\n f(1)", 3, 2, "there is no function f"),
        ("x[1:2]", 1, 1, "a slice is written slice(value, start, stop)"),
        ("max(1, key=2)", 1, 8, "arguments have no keywords"),
        ("a is b", 1, 6, "`is` compares with None, True or False only"),
        ("a is 1", 1, 6, "`is` compares with None, True or False only"),
        ("len()", 1, 1, "len takes another number of arguments than 0"),
        ("f'{x}'", 1, 1, "an f-string is not in the rule language"),
        ("(x := 1)", 1, 2, "an assignment is not in the rule language"),
        ("{**a}", 1, 1, "dicts are merged by merge(first, second)"),
        ("len(*a)", 1, 5, "`*` is not in the rule language"),
        ("{k: v for k in xs}", 1, 1, "a dict comprehension is not in the rule language"),
        ("[x for x in xs for y in ys]", 1, 1, "a comprehension has one `for`"),
        ("[x for x, y in xs]", 1, 8, "the variable of a comprehension is one plain ASCII name"),
        ("(x for x in xs)", 1, 1, "a generator stands only in a function's brackets"),
        ("[x.y for x in xs]", 1, 2, "x is a value, and values have no parts after a dot"),
        ("has(1)", 1, 1, "has asks about a name"),
        ("[default(x, 1) for x in xs]", 1, 2, "default asks about a name"),
        ("is_instance(x, 'Config')", 1, 1, "is_instance knows the types"),
        ("unknown(x)", 1, 1, "unknown takes a place and a cause"),
        ("b'x'", 1, 1, "a literal of type bytes is not in the rule language"),
        ("1j", 1, 1, "a literal of type complex is not in the rule language"),
        ("...", 1, 1, "a literal of type ellipsis is not in the rule language"),
        ("+x", 1, 1, "of the signs, only `-` is in the rule language"),
        ("a @ b", 1, 1, "this operator is not in the rule language"),
        ("naïve", 1, 1, "names are ASCII"),
        ("model.naïve", 1, 1, "names are ASCII"),
        ("'\ud800'", 1, 2, "half of a surrogate pair"),
        ("9" * 5000, 1, 1, "exceeds the limit"),
    ],
)
def test_what_is_not_in_the_language_is_refused_with_its_place_and_reason(source, line, column, reason):
    with pytest.raises(ExpressionError) as caught:
        parse(source)
    assert caught.value.reason.startswith(reason)
    assert caught.value.position == (line, column)
    assert caught.value.text == source


def test_the_message_shows_the_place():
    with pytest.raises(ExpressionError) as caught:
        parse("tp_size > 1 and tp_size.real() > 2")
    assert str(caught.value).splitlines() == [
        "methods are written as functions, `lower(x)` for `x.lower()` (column 17)",
        "  tp_size > 1 and tp_size.real() > 2",
        "                  ^",
    ]


@pytest.mark.parametrize(
    "source",
    [
        "not " * MAX_DEPTH + "x",
        "not " * 50_000 + "x",
        "(" * 201 + "x" + ")" * 201,
        "[" * 100 + "]" * 100 + "(" * 5000,
        "+".join("x" * (MAX_DEPTH + 1)),
        "-" * 5000 + "x",
        "a if b else " * 10_000 + "c",
        "x" * (MAX_CHARACTERS + 1),
        "a\0b",
    ],
)
def test_text_that_is_too_much_is_refused_and_not_tried(source):
    with pytest.raises(ExpressionError):
        parse(source)


def test_depth_up_to_the_bound_and_long_chains_of_else_are_read():
    limit = sys.getrecursionlimit()
    assert parse("not " * (MAX_DEPTH - 1) + "x")
    assert parse("a if b else " * 1000 + "c")
    assert sys.getrecursionlimit() == limit


def refusal(source):
    try:
        parse(source)
    except ExpressionError as error:
        return error
    return None


@given(st.text())
def test_any_text_is_either_read_or_refused(source):
    assert refusal(source) is None or str(refusal(source))


@given(st.text(alphabet="ab1.' ()[]{},:<=!+-*/%~@\nifnotorand\\"))
def test_any_text_that_is_almost_an_expression_is_either_read_or_refused(source):
    error = refusal(source)
    assert error is None or (error.position.line >= 1 and error.position.column >= 1 and str(error))
