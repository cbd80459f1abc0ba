"""Values for a few flags, held against the nogoods known: one small `constraint.Problem` for each component.

The only module that imports python-constraint2, and it does so late: flags that no nogood links need no
solver. Of the library it uses `FunctionConstraint` with closures alone, since its string constraints accept
forbidden values, and since only closures can be interrupted. Its traps, met here: an empty scope stands for
all variables; `True == 1` inside a domain (values are numbered); a problem can be solved once; the last value
of a domain is tried first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from solver.repair.candidates import Assignment
from solver.repair.conflicts import Nogood

Options: TypeAlias = Mapping[int, Sequence[int]]
"""Flag number to the candidates it may take, best first."""

Box: TypeAlias = Mapping[int, Sequence[int]]
"""Flag number to candidates: all their combinations."""


@dataclass(frozen=True, slots=True)
class Dead:
    """There is no assignment: already these flags, taken together, have none. One entry a component."""

    components: tuple[tuple[int, ...], ...]


def solve(
    options: Options, nogoods: Iterable[Nogood], tick: Callable[[], None], *, outside: Sequence[Box] = ()
) -> Assignment | Dead:
    """An assignment of all flags that no nogood covers and that lies in none of the boxes.

    Flags that nothing links get their best candidate; linked ones the first combination that the solver
    meets, best candidates first.

    Args:
        options: at least one candidate for each flag.
        nogoods: on flags of the options. Those on a single one are taken to be heeded by the options.
        tick: called at every test of a combination; what it raises ends the search.
        outside: boxes over all the flags.
    """
    forbidden = _forbidden(options, nogoods)
    solution = {flag: candidates[0] for flag, candidates in options.items()}
    dead = []
    for component in [tuple(options)] if outside else _components(list(forbidden)):
        inside = {scope: rows for scope, rows in forbidden.items() if scope[0] in component}
        found = _solve_component(component, options, inside, outside, tick)
        if found is None:
            dead.append(component)
        else:
            solution.update(found)
    return Dead(tuple(dead)) if dead else solution


def _forbidden(options: Options, nogoods: Iterable[Nogood]) -> dict[tuple[int, ...], set[tuple[int, ...]]]:
    """The combinations refused, by scope; those that the options leave out are dropped."""
    forbidden: dict[tuple[int, ...], set[tuple[int, ...]]] = {}
    for nogood in nogoods:
        if len(nogood.when) > 1 and all(value in options[flag] for flag, value in nogood.when):
            scope, row = zip(*nogood.when, strict=True)
            forbidden.setdefault(scope, set()).add(row)
    return forbidden


def _components(scopes: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The flags of the scopes, grouped by whether a chain of scopes links them."""
    if len(scopes) < 2:
        return scopes
    import networkx as nx

    links: nx.Graph[int] = nx.Graph()
    for scope in scopes:
        nx.add_path(links, scope)
    return sorted(tuple(sorted(component)) for component in nx.connected_components(links))


def _solve_component(
    component: tuple[int, ...],
    options: Options,
    forbidden: Mapping[tuple[int, ...], set[tuple[int, ...]]],
    outside: Sequence[Box],
    tick: Callable[[], None],
) -> Assignment | None:
    from constraint import FunctionConstraint, Problem

    def not_among(rows: set[tuple[int, ...]]) -> Callable[..., bool]:
        def test(*values: int) -> bool:
            tick()
            return values not in rows

        return test

    def leaves(box: Box) -> Callable[..., bool]:
        def test(*values: int) -> bool:
            tick()
            return any(value not in box[flag] for flag, value in zip(component, values, strict=True))

        return test

    problem = Problem()
    for flag in component:
        problem.addVariable(flag, options[flag][::-1])
    for scope, rows in forbidden.items():
        problem.addConstraint(FunctionConstraint(not_among(rows)), scope)
    for box in outside:
        problem.addConstraint(FunctionConstraint(leaves(box)), component)
    solution: Assignment | None = problem.getSolution()
    return solution
