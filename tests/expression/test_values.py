import copy
import math
import operator
import pickle
from functools import partial

import pytest

from constraints.expression.values import MISSING, UNKNOWN, Fault, Touched, is_known, same

POISON = [UNKNOWN, MISSING, Fault("KeyError", "'k'")]


@pytest.mark.parametrize("value", POISON, ids=repr)
@pytest.mark.parametrize(
    "operation",
    [
        bool,
        len,
        iter,
        hash,
        int,
        float,
        abs,
        round,
        math.floor,
        operator.neg,
        operator.index,
        lambda value: value == 1,
        partial(operator.eq, 1),
        lambda value: operator.eq(value, value),
        partial(operator.eq, None),
        partial(operator.ne, None),
        lambda value: value < 1,
        partial(operator.lt, "a"),
        lambda value: value + 1,
        partial(operator.add, [1]),
        lambda value: 1 % value,
        lambda value: 2**value,
        lambda value: {1} | value,
        lambda value: 1 in value,
        lambda value: value in (1, 2),
        lambda value: value in {1, 2},
        lambda value: value in {1: 2},
        lambda value: value[0],
        lambda value: [1][value],
        lambda value: value.lower(),
        lambda value: value(),
        lambda value: not value,
    ],
)
def test_whatever_is_done_with_poison_raises_touched(value, operation):
    with pytest.raises(Touched):
        operation(value)


@pytest.mark.parametrize("value", POISON, ids=repr)
def test_poison_can_be_shown_copied_and_pickled(value):
    assert repr(value) == str(value)
    assert same(pickle.loads(pickle.dumps(value)), value)
    assert same(copy.deepcopy([value]), [value])


def test_there_is_one_unknown_and_one_missing():
    assert pickle.loads(pickle.dumps(UNKNOWN)) is UNKNOWN
    assert copy.copy(MISSING) is MISSING


def test_values_are_the_same_only_if_they_cannot_be_told_apart():
    assert same(1, 1)
    assert not same(1, True)
    assert not same(1, 1.0)
    assert not same(0.0, -0.0)
    assert same(math.nan, float("nan"))
    assert same([1, {"a": (2,)}], [1, {"a": (2,)}])
    assert not same([1], (1,))
    assert not same({"a": 1}, {"a": True})
    assert not same({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert same({1, "a"}, {"a", 1})
    assert not same({1}, {True})
    assert not same({1}, frozenset({1}))


def test_poison_is_the_same_as_its_like_and_nothing_else():
    assert same(UNKNOWN, UNKNOWN)
    assert same([UNKNOWN, 1], [UNKNOWN, 1])
    assert not same(UNKNOWN, MISSING)
    assert not same(UNKNOWN, None)
    assert same(Fault("KeyError", "'k'"), Fault("KeyError", "'k'"))
    assert not same(Fault("KeyError", "'k'"), Fault("KeyError", "'j'"))


def test_only_poison_is_not_known():
    assert all(map(is_known, [None, 0, "", [], {}, math.nan]))
    assert not any(map(is_known, POISON))
