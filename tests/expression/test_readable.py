import pytest
from hypothesis import given

from constraints.expression.evaluate import truth
from constraints.expression.parse import parse
from constraints.expression.readable import readable
from constraints.expression.syntax import And, Comparison, Conditional, Literal, Not, Or
from constraints.expression.text import text
from constraints.expression.values import is_known
from tests.expression.trees import likely_assignments, lookup_in, sensible_expressions, wild_expressions


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("not (a and b)", "not a or not b"),
        ("not (a < b or not c)", "a >= b and c"),
        ("not not a", "a"),
        ("a and (b and c)", "a and b and c"),
        ("a and a", "a"),
        ("1 < a", "a > 1"),
        ("not 1 < a <= 8", "a <= 1 or a > 8"),
        ("a == 'x' or b or a == 'y'", "a in ('x', 'y') or b"),
        ("a == 'x' or a in ('y', 'z')", "a in ('x', 'y', 'z')"),
        ("a in ('x', 'y') and a in ('y', 'z')", "a == 'y'"),
        ("a in ('x', 'y') and a not in ('x',)", "a == 'y'"),
        ("a is not None and a != 'x'", "a not in (None, 'x')"),
        ("a == 'x' and a == 'y'", "False"),
        ("a != 'x' or a != 'y'", "True"),
        ("a == 1 or a == True", "a == 1 or a == True"),
        ("a is not None and a > 1", "a > 1"),
        ("a is not None and not startswith(a, 'x')", "not startswith(a, 'x')"),
        ("a is not None and len(a) > 1", "a is not None and len(a) > 1"),
        ("a is not None and (a > 1 or b)", "a is not None and (a > 1 or b)"),
        ("a and a > 0", "a > 0"),
        ("a and a > -1", "a and a > -1"),
        ("True if c else b", "c or b"),
        ("False if c else b", "not c and b"),
        ("b if c else False", "c and b"),
        ("b if c else True", "not c or b"),
        ("a if not c else b", "b if c else a"),
        ("not (a if c else b)", "not a if c else not b"),
        ("not any(x == 1 for x in xs if c)", "all(x != 1 for x in xs if c)"),
        ("bool(a)", "a"),
        ("re_match('a', b) == None", "not re_match('a', b)"),
        ("a in () or any(b for x in [])", "False"),
        ("a not in [] and all(b for x in ())", "True"),
        ("a and True", "a"),
        ("a or True", "True"),
        ("None", "False"),
    ],
)
def test_the_form_in_which_a_condition_is_said(condition, said):
    assert text(readable(parse(condition))) == said


@given(sensible_expressions | wild_expressions, likely_assignments())
def test_it_is_true_of_the_same_values_faults_apart(expression, values):
    lookup = lookup_in(values)
    expected, found = truth(expression, lookup), truth(readable(expression), lookup)
    denied = truth(readable(expression, holds=False), lookup)
    if is_known(expected):
        assert not is_known(found) or found is expected
        assert not is_known(denied) or denied is not expected


@given(sensible_expressions)
def test_negation_is_left_only_where_there_is_no_opposite(expression):
    for node in readable(expression).walk():
        if isinstance(node, Not) and _is_condition_part(readable(expression), node):
            assert not isinstance(node.operand, Not | And | Or | Comparison | Literal | Conditional)


def _is_condition_part(tree, wanted):
    """Whether a node is joined to the root by nothing but `and` and `or`: values are left as they are."""
    if tree is wanted:
        return True
    return isinstance(tree, And | Or) and any(_is_condition_part(each, wanted) for each in tree.operands)
