"""Whether some values for one set of flags mend the configuration, and if not, the conflicts that say why.

Nogoods are learnt as needed: solve the subproblem with those known, evaluate what it proposes, learn from
the rules that this breaks, solve again. So a configuration is evaluated only if nothing known refuses it.
(Logic-based Benders decomposition: Hooker & Ottosson, 2003.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from solver.repair.candidates import Assignment, FlagSet, Space, flag_set, numbers
from solver.repair.conflicts import Conflict, Nogood, Nogoods, shrink
from solver.repair.protocol import Rule
from solver.repair.subproblem import Box, Dead, solve

_LESSONS: int = 4
"""From one failure so many broken rules are learnt from. One would do; more save evaluations."""


def attempt(flags: FlagSet, space: Space, known: Nogoods) -> Assignment | list[Conflict]:
    """New values for exactly these flags that no rule stands against; or conflicts that forbid it.

    What the present configuration breaks already and these flags do not touch is not held against them: flags
    that satisfy all conflicts mend everything, flags that satisfy some leave the rest as it is.

    Args:
        flags: all of which are to change.
        space: the flags and their candidates.
        known: nogoods; what is learnt is added.
    """
    changed = tuple(numbers(flags))
    nogoods = list(known.about(changed))
    try_values = _try_one if len(changed) == 1 else _try_many
    found = try_values(changed, space, known, nogoods)
    if not isinstance(found, Dead):
        return found
    # What is refused whatever the values must be known as a conflict: nothing else keeps it from being taken
    # for what other flags are there to mend.
    regardless = [nogood.as_conflict() for nogood in nogoods if not nogood.when]
    return regardless or [_conflict(component, nogoods, space) for component in found.components]


def attempt_outside(flags: FlagSet, space: Space, known: Nogoods, boxes: Sequence[Box]) -> Assignment | None:
    """As `attempt`, for two flags or more: values that lie in none of the boxes, if there are any."""
    changed = tuple(numbers(flags))
    found = _try_many(changed, space, known, list(known.about(changed)), boxes)
    return None if isinstance(found, Dead) else found


def _try_one(
    changed: tuple[int, ...], space: Space, known: Nogoods, nogoods: list[Nogood]
) -> Assignment | Dead:
    """Goes through the candidates. Reasons are dear, and asked for only where every candidate has failed."""
    (flag,) = changed
    failures: list[tuple[Assignment, list[Rule]]] = []
    for candidate in _options(changed, nogoods, space)[flag]:
        assignment: Assignment = {flag: candidate}
        rules = known.unexplained(space, assignment)
        if not rules:
            return assignment
        failures.append((assignment, rules))
    # What refuses many candidates is likely to do so for the same reason, which makes the conflict small.
    frequency = Counter(rule for _, rules in failures for rule in rules)
    for assignment, rules in failures:
        nogoods.append(known.learn(space, assignment, max(rules, key=frequency.__getitem__)))
    return Dead((changed,))


def _try_many(
    changed: tuple[int, ...],
    space: Space,
    known: Nogoods,
    nogoods: list[Nogood],
    outside: Sequence[Box] = (),
) -> Assignment | Dead:
    """Solves with the nogoods, evaluates, learns, and again; what is learnt is added to the nogoods."""
    while True:
        options = _options(changed, nogoods, space)
        exhausted = tuple((flag,) for flag in changed if not options[flag])
        if exhausted:
            return Dead(exhausted)
        found = solve(options, nogoods, space.budget.spend, outside=outside)
        if isinstance(found, Dead):
            return found
        rules = known.unexplained(space, found)
        if not rules:
            return found
        nogoods += [known.learn(space, found, rule) for rule in rules[:_LESSONS]]
        if not all(nogood.when for nogood in nogoods):
            return Dead((changed,))


def _options(flags: Iterable[int], nogoods: Iterable[Nogood], space: Space) -> dict[int, list[int]]:
    """The candidates of each flag that no nogood refuses whatever the other flags are, best first."""
    options = {flag: list(space.candidates(flag)) for flag in flags}
    for nogood in nogoods:
        if len(nogood.when) == 1:
            flag, value = nogood.when[0]
            if value in options[flag]:
                options[flag].remove(value)
    return options


def _conflict(component: tuple[int, ...], nogoods: list[Nogood], space: Space) -> Conflict:
    """The conflict of flags of which every combination of candidates is refused, shrunk."""
    changed = flag_set(component)
    nogoods = [nogood for nogood in nogoods if not nogood.scope & ~changed]
    outside = 0
    for nogood in nogoods:
        outside |= nogood.held
    # For each assignment met on the way the flags of every nogood that refuses it: where none of these lies
    # within some flags, they do not suffice, and nothing needs to be solved.
    witnesses: list[list[FlagSet]] = []

    def suffices(flags: FlagSet) -> bool:
        space.budget.spend()
        if any(all(refusal & ~flags for refusal in witness) for witness in witnesses):
            return False
        usable = [nogood for nogood in nogoods if not nogood.flags & ~flags]
        options = _options([flag for flag in component if flags >> flag & 1], usable, space)
        if not all(options.values()):
            return True
        found = solve(options, usable, space.budget.spend)
        if isinstance(found, Dead):
            return True
        whole = {flag: found.get(flag, 0) for flag in component}
        witnesses.append([each.flags for each in nogoods if each.when_is_in(whole)])
        return False

    # The dearest first, which are the likeliest to be kept: a conflict of dear flags bounds better.
    dearest = sorted(numbers(outside), key=lambda flag: (-space.costs[flag], flag))
    kept = shrink([*component, *dearest], suffices)
    used = tuple(each for each in nogoods if not each.flags & ~kept)
    return Conflict(kept & changed, kept & ~changed, used)
