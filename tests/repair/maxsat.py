"""The least size and weight of a repair by another route: weighted partial MaxSAT, solved by RC2.

RC2 is python-sat's. An oracle for tests and a yardstick for the benchmark; no test in itself.
"""

from __future__ import annotations

from itertools import product

from pysat.examples.rc2 import RC2
from pysat.formula import WCNF

from tests.repair.instances import Instance

CHANGE = 100_000


def optimum(instance: Instance) -> tuple[int, int] | None:
    """How many flags a smallest repair changes, and the least weight of such; None where none exists."""
    with RC2(encoding(instance)) as solver:
        if solver.compute() is None:
            return None
        cost: int = solver.cost
        return divmod(cost, CHANGE)


def encoding(instance: Instance) -> WCNF:
    """One variable for each value of each flag and derived variable; keeping a flag is a soft clause."""
    formula = WCNF()
    count = 0
    literal: dict[tuple[str, int], int] = {}
    for name in (*instance.sizes, *(each.name for each in instance.derived)):
        values = range(instance.size(name))
        for value in values:
            count += 1
            literal[name, value] = count
        formula.append([literal[name, value] for value in values])
        for value in values:
            for other in range(value):
                formula.append([-literal[name, value], -literal[name, other]])
    for each in instance.derived:
        for row in product(*(range(instance.size(name)) for name in each.inputs)):
            body = [-literal[name, value] for name, value in zip(each.inputs, row, strict=True)]
            formula.append([*body, literal[each.name, each.table[row]]])
    for rule in instance.rules:
        for row in sorted(rule.forbidden):
            formula.append([-literal[name, value] for name, value in zip(rule.scope, row, strict=True)])
    for flag, value in instance.given.items():
        if flag in instance.fixed:
            formula.append([literal[flag, value]])
        else:
            formula.append([literal[flag, value]], weight=CHANGE + instance.cost(flag))
    return formula
