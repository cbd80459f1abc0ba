import contextlib
import math

import pytest
from hypothesis import assume, given

from constraints.errors import ExpressionError
from constraints.expression.parse import parse
from constraints.expression.syntax import Collection, Literal, Name, Negative, Not
from constraints.expression.text import text
from tests.expression.trees import any_expressions


@given(any_expressions)
def test_what_is_printed_is_read_back_as_the_same_expression(expression):
    assert parse(text(expression)) == expression


@given(any_expressions)
def test_no_pair_of_brackets_is_too_many(expression):
    # Tuples may go without theirs in a few places, and brackets in literals are no brackets.
    assume(not any(isinstance(node, Collection) for node in expression.walk()))
    assume(not any(isinstance(n, Literal) and isinstance(n.value, str) for n in expression.walk()))
    printed = text(expression)
    assume("unknown" not in printed)
    opened = []
    for index, character in enumerate(printed):
        if character == "(":
            opened.append(index)
        elif character == ")":
            start = opened.pop()
            without = f"{printed[:start]} {printed[start + 1 : index]} {printed[index + 1 :]}"
            with contextlib.suppress(ExpressionError):
                assert parse(without) != expression


@pytest.mark.parametrize(
    "source",
    [
        "tp_size % attn_dp_size != 0 and (attn_dp_size > 1 or ep_join_mode == 'scale')",
        "not (a and not b) or c",
        "a if b else c if d else e",
        "(a if b else c) if d else e",
        "-1 ** 2",
        "(-1) ** 2",
        "2 ** -1",
        "(a ** b) ** c",
        "a ** b ** c",
        "a - (b - c)",
        "--1",
        "-x",
        "(a < b) == c",
        "x is not None",
        "not x is None",
        "[x for x in (a if b else c)]",
        "any(x > 1 for x in xs if c)",
        "{x for x in xs}",
        "{'a': 1, b: [2]}['a'][0]",
        "{1, 2} | set()",
        "(1,)",
        "()",
        "{}",
        "default(model.config.num_experts, 1e999) > -1e999",
        "unknown('a.py:1', 'a loop')",
        "'it\\'s \"quoted\"\\n'",
        "'\\ud800 é 日本'",
        "1.0 == 1",
    ],
)
def test_text_in_its_own_form_stays_as_it_is(source):
    assert text(parse(source)) == source.replace("not x is None", "not x is None")


def test_a_nan_is_printed_as_a_call_that_gives_one():
    assert text(Literal(math.nan)) == "float('nan')"


def test_text_prints_what_parse_would_fold_so_that_the_value_is_kept():
    assert text(Negative(Literal(1))) == "-1"


@pytest.mark.parametrize("path", ["model.config.class", "a-b", "", "a..b", "é", "1a"])
def test_a_name_that_could_not_be_read_back_is_refused(path):
    with pytest.raises(ExpressionError) as caught:
        text(Not(Name(path)))
    assert caught.value.text == path


def test_depth_is_no_limit_to_printing():
    expression = Name("x")
    for _ in range(5000):
        expression = Not(expression)
    assert text(expression) == "not " * 5000 + "x"
