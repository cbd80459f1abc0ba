"""Whether some values for one set of flags mend the configuration, and if not, the conflicts that say why.

Nogoods are learnt as needed: solve the subproblem with those known, evaluate what it proposes, learn from
the rules that this breaks, solve again. So a configuration is evaluated only if nothing known refuses it.
(Logic-based Benders decomposition: Hooker & Ottosson, 2003.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from solver.repair.candidates import Assignment, FlagSet, Space, flag_set, numbers
from solver.repair.conflicts import Conflict, Nogood, Nogoods, conflict, shrink
from solver.repair.protocol import Rule
from solver.repair.subproblem import Box, Dead, solve

_LESSONS: int = 4
"""From one failure so many broken rules are learnt from. One would do; more save evaluations."""


def attempt(
    flags: FlagSet, space: Space, known: Nogoods, *, outside: Sequence[Box] = ()
) -> Assignment | list[Conflict]:
    """New values for exactly these flags that no rule stands against; or conflicts that forbid it.

    What the present configuration breaks already and these flags do not touch is not held against them: flags
    that satisfy all conflicts mend everything, flags that satisfy some leave the rest as it is.

    Args:
        flags: all of which are to change.
        space: the flags and their candidates.
        known: nogoods; what is learnt is added.
        outside: combinations not wanted. Where there are any, a failure is told by an empty list.
    """
    changed = tuple(numbers(flags))
    if len(changed) == 1:
        return _attempt_one(changed[0], space, known)
    return _attempt_many(changed, space, known, outside)


def _attempt_one(flag: int, space: Space, known: Nogoods) -> Assignment | list[Conflict]:
    """Tries candidate by candidate. Reasons are dear, and asked for only where every candidate has failed."""
    nogoods = list(known.about((flag,)))
    refused = {nogood.when[0][1] for nogood in nogoods}
    failures: dict[int, list[Rule]] = {}
    for candidate in range(len(space.domains[flag].values)):
        if candidate not in refused:
            rules = known.unexplained(space, {flag: candidate})
            if not rules:
                return {flag: candidate}
            failures[candidate] = rules
    # What refuses many candidates is likely to do so for the same reason, which makes the conflict small.
    frequency = Counter(rule for rules in failures.values() for rule in rules)
    for candidate, rules in failures.items():
        nogoods.append(known.learn(space, {flag: candidate}, max(rules, key=frequency.__getitem__)))
    regardless = [nogood for nogood in nogoods if not nogood.when]
    if regardless:
        return [conflict([nogood], 0) for nogood in regardless]
    return [_of_one(flag, nogoods, space)]


def _attempt_many(
    changed: tuple[int, ...], space: Space, known: Nogoods, outside: Sequence[Box]
) -> Assignment | list[Conflict]:
    options = {flag: list(range(len(space.domains[flag].values))) for flag in changed}
    single: dict[int, list[Nogood]] = {flag: [] for flag in changed}
    joint: list[Nogood] = []
    fresh = list(known.about(changed))
    while True:
        for nogood in fresh:
            if len(nogood.when) == 1:
                flag, value = nogood.when[0]
                single[flag].append(nogood)
                if value in options[flag]:
                    options[flag].remove(value)
            else:
                joint.append(nogood)
        exhausted = [flag for flag in changed if not options[flag]]
        if exhausted:
            return [_of_one(flag, single[flag], space) for flag in exhausted] if not outside else []
        found = solve(options, joint, space.budget.spend, outside=outside)
        if isinstance(found, Dead):
            return [_of_many(each, single, joint, space) for each in found.components] if not outside else []
        rules = known.unexplained(space, found)
        if not rules:
            return found
        fresh = [known.learn(space, found, rule) for rule in rules[:_LESSONS]]
        regardless = [nogood for nogood in fresh if not nogood.when]
        if regardless:
            return [conflict([nogood], 0) for nogood in regardless]


def _of_one(flag: int, nogoods: list[Nogood], space: Space) -> Conflict:
    """The conflict of a flag each of whose candidates some nogood refuses."""
    ways: list[list[FlagSet]] = [[] for _ in space.domains[flag].values]
    for nogood in nogoods:
        ways[nogood.when[0][1]].append(nogood.held)

    def suffices(held: FlagSet) -> bool:
        space.budget.spend()
        return all(any(not way & ~held for way in each) for each in ways)

    kept = shrink(_by_cost(nogoods, 1 << flag, space), suffices)
    return conflict((each for each in nogoods if not each.held & ~kept), 1 << flag)


def _of_many(
    component: tuple[int, ...], single: dict[int, list[Nogood]], joint: list[Nogood], space: Space
) -> Conflict:
    """The conflict of flags whose combinations of candidates are all refused."""
    changed = flag_set(component)
    nogoods = [nogood for flag in component for nogood in single[flag]]
    nogoods += [nogood for nogood in joint if not nogood.scope & ~changed]

    # For each assignment met on the way the flags of every nogood that refuses it: where none of these lies
    # within some flags, they do not suffice, and nothing needs to be solved.
    witnesses: list[list[FlagSet]] = []

    def suffices(flags: FlagSet) -> bool:
        if any(all(refusal & ~flags for refusal in witness) for witness in witnesses):
            return False
        usable = [nogood for nogood in nogoods if not nogood.flags & ~flags]
        options = {
            flag: list(range(len(space.domains[flag].values))) for flag in component if flags >> flag & 1
        }
        for nogood in usable:
            if len(nogood.when) == 1:
                flag, value = nogood.when[0]
                if value in options[flag]:
                    options[flag].remove(value)
        if not all(options.values()):
            return True
        found = solve(options, [nogood for nogood in usable if nogood.when[1:]], space.budget.spend)
        if isinstance(found, Dead):
            return True
        whole = {flag: found.get(flag, 0) for flag in component}
        witnesses.append([each.flags for each in nogoods if all(whole[flag] == v for flag, v in each.when)])
        return False

    kept = shrink([*component, *_by_cost(nogoods, changed, space)], suffices)
    return conflict((each for each in nogoods if not each.flags & ~kept), changed)


def _by_cost(nogoods: list[Nogood], changed: FlagSet, space: Space) -> list[int]:
    """The flags outside that the nogoods hang on, dearest first: a conflict of dear flags bounds better."""
    outside = 0
    for nogood in nogoods:
        outside |= nogood.held
    return sorted(numbers(outside & ~changed), key=lambda flag: (-space.costs[flag], flag))
