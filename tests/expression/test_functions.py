import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraints.expression.evaluate import evaluate
from constraints.expression.functions import FUNCTIONS, LAZY, MAX_ELEMENTS, ordered
from constraints.expression.parse import parse
from constraints.expression.values import UNKNOWN, same


def value_of(source, **names):
    return evaluate(parse(source), names.__getitem__)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("keys({'a': 1})", ["a"]),
        ("values({'a': 1})", [1]),
        ("items({'a': 1})", [("a", 1)]),
        ("get({'a': 1}, 'b', 2)", 2),
        ("get({'a': 1}, 'b')", None),
        ("merge({'a': 1, 'b': 2}, {'b': 3})", {"a": 1, "b": 3}),
        ("slice([1, 2, 3], 1)", [2, 3]),
        ("slice('abc', 0, 2)", "ab"),
        ("slice([1, 2, 3], None, None, -1)", [3, 2, 1]),
        ("zip([1, 2], 'ab')", [(1, "a"), (2, "b")]),
        ("enumerate(['a'], 1)", [(1, "a")]),
        ("range(1, 4)", [1, 2, 3]),
        ("reversed([1, 2])", [2, 1]),
        ("join(',', ['a', 'b'])", "a,b"),
        ("split('a,b', ',')", ["a", "b"]),
        ("startswith('fa3', ('fa', 'x'))", True),
        ("replace('aab', 'a', 'x', 1)", "xab"),
        ("removeprefix('no_x', 'no_')", "x"),
        ("is_instance(True, 'int')", True),
        ("is_instance(1, ('str', 'list'))", False),
        ("is_instance(None, 'NoneType')", True),
        ("type_name(1.5)", "float"),
        ("re_match('a(b)?', 'ac')", ("a", None)),
        ("re_search('b(.)', 'abc')[1]", "c"),
        ("re_fullmatch('a', 'ab') is None", True),
        ("json('[1, null]')", [1, None]),
        ("to_json({'a': None})", '{"a": null}'),
        ("basename('/a/b.txt')", "b.txt"),
        ("dirname('/a/b.txt')", "/a"),
        ("splitext('b.txt')", ("b", ".txt")),
        ("join_path('a', 'b')", "a/b"),
        ("is_absolute('/a')", True),
        ("ceil(1.2) + floor(1.8)", 3),
        ("gcd(12, 18)", 6),
        ("min([3, 1]) + max(1, 2)", 3),
        ("sum([1, 2], 3)", 6),
        ("any([0, 1]) and not all([0, 1])", True),
        ("list({'b', 'a'})", ["a", "b"]),
        ("str({'b', 'a'})", "{'a', 'b'}"),
        ("[x for x in {'b', 'a'}]", ["a", "b"]),
        ("set()", set()),
    ],
)
def test_a_function_gives_what_its_name_says(source, expected):
    assert same(value_of(source), expected), value_of(source)


@pytest.mark.parametrize(
    "ascending",
    [
        ["1.0.dev3", "1.0a1", "1.0b1", "1.0rc1", "1.0rc2", "1.0", "1.0.post1", "1.0.1", "1.2", "1.10", "2"],
        ["0.4.6.post5", "0.5.0rc0", "0.5.8", "0.5.18", "0.5.23"],
        ["1.0rc1.dev2", "1.0rc1"],
    ],
)
def test_versions_are_in_order(ascending):
    for index, earlier in enumerate(ascending):
        for later in ascending[index + 1 :]:
            assert value_of("version_at_least(later, earlier)", later=later, earlier=earlier) is True
            assert value_of("version_at_least(earlier, later)", later=later, earlier=earlier) is False


@pytest.mark.parametrize(
    ("first", "second"), [("1.0", "1"), ("v1.0", "1.0.0"), ("1.0+cu124", "1.0"), ("1.0-rc.1", "1.0rc1")]
)
def test_versions_written_differently_are_equal(first, second):
    assert value_of("version_at_least(a, b) and version_at_least(b, a)", a=first, b=second) is True


def test_what_is_no_version_is_a_fault():
    assert value_of("version_at_least('main', '1.0')").kind == "ValueError"


def test_results_have_bounds():
    long = "x" * 2000
    assert value_of("join(s, range(2000))", s=long) is UNKNOWN
    assert value_of("replace(s, 'x', s)", s=long) is UNKNOWN
    assert value_of("range(n)", n=MAX_ELEMENTS + 1) is UNKNOWN
    assert value_of("s * n", s="ab", n=MAX_ELEMENTS) is UNKNOWN
    assert value_of("n * [s]", s="ab", n=MAX_ELEMENTS + 1) is UNKNOWN
    assert value_of("n * n", n=10**50) == 10**100


@given(st.sets(st.one_of(st.integers(), st.text(), st.none(), st.booleans())))
def test_a_set_is_gone_through_in_one_order(elements):
    backwards = set()
    for element in reversed(list(elements)):
        backwards.add(element)
    assert same(list(ordered(elements)), list(ordered(backwards)))


def test_results_do_not_depend_on_the_hash_seed():
    source = "[join('-', {'b', 'a', 'c'}), str({'x', 'y', 'z'}), [s for s in {'p', 'q'}]]"
    program = (
        "from constraints.expression.evaluate import evaluate\n"
        "from constraints.expression.parse import parse\n"
        f"print(evaluate(parse({source!r}), str))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "123"
    }
    assert len(outputs) == 1


def test_no_function_is_both_strict_and_lazy():
    assert not LAZY & set(FUNCTIONS)
