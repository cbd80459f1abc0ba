import marshal

from hypothesis import given
from hypothesis import strategies as st

from constraints.expression.packed import pack, unpack
from constraints.expression.parse import parse
from constraints.expression.syntax import Not
from tests.expression.trees import any_expressions


@given(st.lists(any_expressions, max_size=4))
def test_what_was_packed_is_unpacked(trees):
    nodes, roots = pack(trees)
    built = unpack(marshal.loads(marshal.dumps(nodes)))
    assert [built[root] for root in roots] == trees


def test_equal_subtrees_are_packed_once():
    nodes, _ = pack([parse("tp_size > 1 and not (tp_size > 1)"), parse("tp_size > 1")])
    assert len(nodes) == 5


def test_literals_that_python_calls_equal_stay_apart():
    trees = [parse(text) for text in ("1", "1.0", "True", "0.0", "-0.0", "(0.0, -0.0)")]
    nodes, roots = pack(trees)
    built = unpack(nodes)
    assert [repr(built[root]) for root in roots] == [repr(tree) for tree in trees]


def test_depth_is_no_limit():
    tree = parse("tp_size")
    for _ in range(20_000):
        tree = Not(tree)
    nodes, (root,) = pack([tree])
    assert unpack(nodes)[root] == tree
