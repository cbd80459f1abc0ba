import pickle

from hypothesis import given

from constraints.expression.syntax import And, Literal, Mapping, Name, Not
from tests.expression.trees import any_expressions


@given(any_expressions, any_expressions)
def test_expressions_are_equal_exactly_if_they_are_built_alike(first, second):
    assert (first == second) is (repr(first) == repr(second))
    assert first != second or hash(first) == hash(second)


@given(any_expressions)
def test_an_expression_can_be_pickled(expression):
    assert pickle.loads(pickle.dumps(expression)) == expression


def test_literals_that_python_calls_equal_are_different():
    literals = [Literal(1), Literal(1.0), Literal(True), Literal(0.0), Literal(-0.0), Literal(False)]
    assert len(set(literals)) == len(literals)


def test_equal_trees_of_any_depth_are_equal():
    first, second = Name("x"), Name("x")
    for _ in range(5000):
        first, second = Not(first), Not(second)
    assert first == second
    assert first != Not(second)


def test_walking_goes_from_parents_to_children_and_from_left_to_right():
    a, b, c = map(Name, "abc")
    tree = And((Not(a), Mapping((b,), (c,))))
    assert list(tree.walk()) == [tree, Not(a), a, Mapping((b,), (c,)), b, c]
