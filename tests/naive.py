"""The meaning of a catalog's steps in the plainest way: one environment, changed step by step.

What the product does by a graph, compiled functions and propagation must come to this. Slow, and of no
other use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from constraints.catalog import Block, Catalog, Let, Refuse, Set, Step
from constraints.expression.evaluate import evaluate_exactly, truth
from constraints.expression.syntax import Expression
from constraints.expression.values import MISSING, UNKNOWN, Fault, same


@dataclass
class Outcome:
    """What came of a run: each step's own outcome in order, and the environment at the end."""

    steps: list[tuple[Step, Any]] = field(default_factory=list)
    environment: dict[str, Any] = field(default_factory=dict)

    def of_rules(self) -> list[tuple[str, Any]]:
        return [(step.at, outcome) for step, outcome in self.steps if isinstance(step, Refuse)]


def interpret(catalog: Catalog, facts: Mapping[str, Any], given: Mapping[str, Any]) -> Outcome:
    outcome = Outcome()
    environment = outcome.environment
    for flag in catalog.flags.values():
        environment[flag.name] = environment[f"given.{flag.name}"] = given.get(flag.name, flag.default)
    for name in {*catalog.facts, *facts}:
        environment[name] = fact_value(catalog, facts, name)
    run(catalog.steps, True, outcome)
    return outcome


def fact_value(catalog: Catalog, facts: Mapping[str, Any], name: str) -> Any:
    if name in facts:
        return facts[name]
    fact = catalog.facts[name]
    value = fact_value(catalog, facts, fact.fallback) if fact.fallback else UNKNOWN
    if value is UNKNOWN and fact.has_default:
        return fact.default
    return value


def run(steps: Sequence[Step], entered: Any, outcome: Outcome) -> None:
    environment = outcome.environment

    def lookup(path: str) -> Any:
        # A dotted name that nobody mentions can only be a fact, unless it is a part of a flag.
        is_part = f"given.{path.partition('.')[0]}" in environment
        return environment.get(path, UNKNOWN if "." in path and not is_part else MISSING)

    for step in steps:
        condition = conjunction(entered, step.when, lookup)
        result = condition
        if isinstance(step, Block):
            run(step.steps, condition, outcome)
        elif isinstance(step, Let):
            result = environment[step.name] = evaluate_exactly(step.value, lookup)
        elif isinstance(step, Set):
            before = environment.get(step.target, MISSING)
            result = before
            if isinstance(condition, Fault):
                result = condition
            elif condition is not False:
                value = evaluate_exactly(step.value, lookup)
                result = value if condition is True or same(before, value) else UNKNOWN
            environment[step.target] = result
        outcome.steps.append((step, result))


def conjunction(entered: Any, when: Expression, lookup: Any) -> Any:
    """`entered and when`, three-valued."""
    if entered is False or isinstance(entered, Fault):
        return entered
    own = truth(when, lookup)
    return own if entered is True or own is False else UNKNOWN
