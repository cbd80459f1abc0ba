"""What one step does to one value, in every case: the meaning that the fast path must agree with.

Conditions are three-valued. A step in a block is as if the block's condition stood before its own, so that
what is false needs no further look, and what is not known leaves the step not known unless its own
condition is false. A fault in a condition, or in the value of a set that takes effect, is a crash there:
the node's value is the fault, and whoever reads it meets it again.
"""

from __future__ import annotations

from constraints.expression.evaluate import evaluate_exactly, truth, truth_alike
from constraints.expression.values import MISSING, UNKNOWN, Fault, same
from constraints.vocabulary import Value
from solver.program import ALWAYS, Kind, Program, Terms


def careful(program: Program, node: int, values: list[Value]) -> Value:
    """The value of a node that is no leaf, from those of the nodes before it. Never raises.

    Returns:
        True, False, UNKNOWN or a Fault for a guard, a rule and a notice; for a let or a set its value, or
        MISSING: for a set that took no effect on what had none before, and for a let that nobody reads.
    """
    terms = program.terms(node)
    condition = condition_of(program, node, terms, values)
    kind = program.kinds[node]
    if kind not in {Kind.LET, Kind.SET} or terms.value is None:
        return condition
    read = truth_alike if program.truths[node] else evaluate_exactly
    if kind == Kind.LET:
        # Who reads it stands in the block, and is not asked where that is not entered.
        return (
            MISSING if condition is False else read(terms.value, lambda path: values[terms.producers[path]])
        )
    before = values[program.previous[node]]
    if condition is False:
        return before
    if isinstance(condition, Fault):
        return condition
    value = read(terms.value, lambda path: values[terms.producers[path]])
    return value if condition is True or same(value, before) else UNKNOWN


def condition_of(program: Program, node: int, terms: Terms, values: list[Value]) -> Value:
    """Whether a step takes effect: True, False, UNKNOWN or a Fault."""
    guard = program.guards[node]
    entered = True if guard == ALWAYS else values[guard]
    if entered is False or isinstance(entered, Fault):
        return entered
    own = truth(terms.when, lambda path: values[terms.producers[path]])
    if entered is UNKNOWN:
        return False if own is False else UNKNOWN
    return own
