from __future__ import annotations

from itertools import pairwise

import pytest

from solver.repair.budget import Budget, OutOfBudgetError
from solver.repair.candidates import Assignment, Space
from solver.repair.rescue import rescue
from tests.repair.instances import Instance, large


def rescued(instance: Instance, nodes: int) -> list[Assignment]:
    space = Space(instance, keep=(), budget=Budget(nodes=nodes))
    found = []
    try:
        for values in rescue(space):
            assert not instance.broken(space.changes(values))
            found.append(values)
    except OutOfBudgetError:
        pass
    return found


@pytest.mark.parametrize("seed", range(25))
def test_a_repair_is_found_within_few_evaluations_and_gets_smaller(seed):
    found = rescued(large(seed), 1_000)
    assert found
    for larger, smaller in pairwise(found):
        assert smaller.items() < larger.items()


def test_nothing_is_found_where_the_budget_ends_first():
    assert rescued(large(0), 5) == []
