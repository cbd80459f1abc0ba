"""Configurations made up for the tests of the repair search, with the rules as tables. No test in itself.

A rule forbids some combinations of a few variables; a variable is a flag, or derived from flags and other
derived variables by a table, as a rewrite is. Seeds make instances; the same seed, the same instance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from random import Random

from solver.repair import NOT_GIVEN, Changes, Domain, Repair

Row = tuple[int, ...]

_WORDS = (NOT_GIVEN, 1, True, [3], "4", 5.0, None, {"7": 7})
_NUMBERS = {repr(each): index for index, each in enumerate(_WORDS)}


@dataclass(frozen=True, slots=True)
class Derived:
    """A variable computed from others: `table` maps the values of `inputs` to its value."""

    name: str
    inputs: tuple[str, ...]
    table: Mapping[Row, int]


@dataclass(frozen=True, slots=True)
class Rule:
    """Refuses a configuration in which the variables of `scope` have the values of a row."""

    name: str
    scope: tuple[str, ...]
    forbidden: frozenset[Row]


@dataclass(frozen=True)
class Instance:
    """A present configuration and its rules; implements `solver.repair.Constraints`.

    Attributes:
        sizes: flag to the number of its values, which are `0, 1, …`; 0 stands for `NOT_GIVEN`.
        given: flag to its present value.
        derived: in an order in which each reads only earlier ones and flags.
        costs: flag to its preference weight.
        fixed: flags that can't change. Of those whose name ends in 2 only the empty domain says so.
    """

    sizes: Mapping[str, int]
    given: Mapping[str, int]
    rules: tuple[Rule, ...]
    derived: tuple[Derived, ...] = ()
    costs: Mapping[str, int] = field(default_factory=dict)
    fixed: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        # Worked out now, so that no benchmark counts it.
        _ = self._derivations, self._readers, self._order, self._broken_now

    # What the search asks.

    def present(self, flag: str) -> object:
        return word(self.given[flag])

    def can_change(self, flag: str) -> bool:
        return flag not in self.fixed or flag.endswith("2")

    def domain(self, flag: str) -> Domain:
        if flag in self.fixed:
            return Domain(())
        return Domain(tuple(word(value) for value in range(self.sizes[flag]) if value != self.given[flag]))

    def cost(self, flag: str) -> int:
        return self.costs.get(flag, 0)

    def broken(self, changes: Changes) -> list[str]:
        values = self._values(changes)
        near = {rule.name: rule for flag in changes for rule in self._readers[flag]}
        broken = [name for name in self._broken_now if name not in near]
        broken += [rule.name for rule in near.values() if values.row(rule.scope) in rule.forbidden]
        return sorted(broken, key=self._order.__getitem__)

    def reason(self, rule: object, changes: Changes) -> frozenset[str]:
        values = self._values(changes)
        table = self.rules[self._order[str(rule)]]
        # Leave out what does not matter, that which is unchanged first.
        order = sorted(table.scope, key=lambda name: (name in changes, name))
        names = self._sufficient(table.scope, values, order, table.forbidden.__contains__)
        return frozenset().union(*(self._support(name, values) for name in names))

    # How it is answered.

    def size(self, name: str) -> int:
        """How many values a variable has."""
        if name in self.sizes:
            return self.sizes[name]
        return 1 + max(self._derivations[name].table.values())

    @cached_property
    def _derivations(self) -> dict[str, Derived]:
        return {each.name: each for each in self.derived}

    @cached_property
    def _readers(self) -> dict[str, list[Rule]]:
        """For each flag the rules that may depend on it."""
        bases = {flag: frozenset([flag]) for flag in self.sizes}
        for each in self.derived:
            bases[each.name] = frozenset().union(*(bases[name] for name in each.inputs))
        readers: dict[str, list[Rule]] = {flag: [] for flag in self.sizes}
        for rule in self.rules:
            for flag in frozenset[str]().union(*(bases[name] for name in rule.scope)):
                readers[flag].append(rule)
        return readers

    @cached_property
    def _order(self) -> dict[str, int]:
        return {rule.name: index for index, rule in enumerate(self.rules)}

    @cached_property
    def _broken_now(self) -> list[str]:
        values = self._values({})
        return [rule.name for rule in self.rules if values.row(rule.scope) in rule.forbidden]

    def _values(self, changes: Changes) -> _Values:
        values = _Values(self.given)
        values.update((flag, number(value)) for flag, value in changes.items())
        values.derivations = self._derivations
        return values

    def _support(self, name: str, values: _Values) -> frozenset[str]:
        """Flags that suffice for a variable's value."""
        if name in self.sizes:
            return frozenset([name])
        inputs, table = self._derivations[name].inputs, self._derivations[name].table
        row = values.row(inputs)
        names = self._sufficient(inputs, values, inputs, lambda other: table[other] == table[row])
        return frozenset().union(*(self._support(each, values) for each in names))

    def _sufficient(
        self, scope: tuple[str, ...], values: _Values, order: Iterable[str], same: Callable[[Row], bool]
    ) -> list[str]:
        """Variables of a scope that suffice for an outcome: it is the same whatever the others are."""
        ranges: list[Iterable[int]] = [[values[name]] for name in scope]
        names = list(scope)
        for name in order:
            position = scope.index(name)
            kept, ranges[position] = ranges[position], range(self.size(name))
            if all(same(row) for row in product(*ranges)):
                names.remove(name)
            else:
                ranges[position] = kept
        return names


class _Values(dict[str, int]):
    """Values of all flags; those of derived variables as they are asked for."""

    derivations: Mapping[str, Derived]

    def __missing__(self, name: str) -> int:
        derivation = self.derivations[name]
        value = self[name] = derivation.table[self.row(derivation.inputs)]
        return value

    def row(self, names: tuple[str, ...]) -> Row:
        return tuple([self[name] for name in names])


def word(value: int) -> object:
    """A value as the search sees it. `True` and 1 are two values here, and a list is one too."""
    return _WORDS[value]


def number(value: object) -> int:
    """The value behind a word."""
    return _NUMBERS[repr(value)]


def small(seed: int) -> Instance:
    """Up to 7 flags, 2 derived variables and 14 rules, often without any repair: for brute force."""
    random = Random(seed)
    flags = [f"f{index}" for index in range(random.randint(2, 7))]
    sizes = {flag: random.randint(2, 4) for flag in flags}
    derived = tuple(_derived(random, flags, sizes, random.randint(0, 2)))
    names = [*flags, *(each.name for each in derived)]
    size_of = {**sizes, **{each.name: 1 + max(each.table.values()) for each in derived}}
    rules = []
    for index in range(random.randint(1, 14)):
        scope = tuple(random.sample(names, random.randint(1, min(3, len(names)))))
        rows = list(product(*(range(size_of[name]) for name in scope)))
        count = max(1, round(len(rows) * random.choice((0.15, 0.3, 0.5, 0.75))))
        rules.append(Rule(f"r{index}", scope, frozenset(random.sample(rows, count))))
    return Instance(
        sizes=sizes,
        given={flag: random.randrange(sizes[flag]) for flag in flags},
        rules=tuple(rules),
        derived=derived,
        costs={flag: random.choice((0, 1, 1, 3)) for flag in flags},
        fixed=frozenset(flag for flag in flags if random.random() < 0.1),
    )


def large(seed: int, *, flags: int = 500, derived: int = 50, rules: int = 600) -> Instance:
    """The size of a real catalog: some flags are in many rules, the present configuration breaks 1 to 12.

    There is a good configuration, so a repair exists unless flags are kept.
    """
    random = Random(seed)
    names = [f"f{index:03}" for index in range(flags)]
    sizes = {name: random.choice((2, 2, 2, 3, 3, 4, 5, 6, 8)) for name in names}
    given = {name: random.randrange(sizes[name]) for name in names}
    good = {name: random.randrange(sizes[name]) for name in names}
    definitions = tuple(_derived(random, names, sizes, derived))
    for each in definitions:
        for values in (given, good):
            values[each.name] = each.table[tuple(values[name] for name in each.inputs)]
    size_of = {**sizes, **{each.name: 1 + max(each.table.values()) for each in definitions}}
    popular = [*names, *(each.name for each in definitions)]
    random.shuffle(popular)
    weights = [1 / (1 + index / 50) for index in range(len(popular))]
    to_break = random.randint(1, 12)
    made: list[Rule] = []
    while len(made) < rules:
        scope = tuple(dict.fromkeys(random.choices(popular, weights, k=random.choice((1, 2, 2, 2, 3, 3, 4)))))
        now = tuple(given[name] for name in scope)
        mended = tuple(good[name] for name in scope)
        rows = [row for row in product(*(range(size_of[name]) for name in scope)) if row not in (now, mended)]
        if not rows:
            continue
        forbidden = set(random.sample(rows, round(len(rows) * random.choice((0.05, 0.1, 0.2, 0.3)))))
        if len(made) < to_break:
            if now == mended:
                continue
            forbidden.add(now)
        if forbidden:
            made.append(Rule(f"r{len(made):03}", scope, frozenset(forbidden)))
    random.shuffle(made)
    return Instance(
        sizes=sizes,
        given={name: given[name] for name in names},
        rules=tuple(made),
        derived=definitions,
        costs={name: random.choice((0, 1, 2, 5, 20)) for name in names},
    )


def _derived(random: Random, flags: list[str], sizes: Mapping[str, int], count: int) -> Iterator[Derived]:
    """Chains: each reads one to two flags and perhaps the one before."""
    size_of = dict(sizes)
    previous: list[str] = []
    for index in range(count):
        inputs = random.sample(flags, random.randint(1, min(2, len(flags))))
        if previous and random.random() < 0.6:
            inputs.append(previous[-1])
        values = random.randint(2, 3)
        rows = product(*(range(size_of[name]) for name in inputs))
        table = {row: random.randrange(values) for row in rows}
        yield Derived(f"d{index:02}", tuple(inputs), table)
        size_of[f"d{index:02}"] = 1 + max(table.values())
        previous.append(f"d{index:02}")


def assignment(repair: Repair) -> dict[str, object]:
    """A repair as changes."""
    return {change.flag: change.after for change in repair.changes}


def all_repairs(instance: Instance) -> list[dict[str, int]]:
    """By brute force, every repair of the least size."""
    movable = [flag for flag in instance.sizes if flag not in instance.fixed]
    spaces: Iterable[Row] = product(
        *([instance.given[flag], *range(instance.sizes[flag])] for flag in movable)
    )
    least: list[dict[str, int]] = []
    size = len(movable) + 1
    for row in dict.fromkeys(spaces):
        changed = {
            flag: value for flag, value in zip(movable, row, strict=True) if value != instance.given[flag]
        }
        if len(changed) <= size and not instance.broken({flag: word(v) for flag, v in changed.items()}):
            if len(changed) < size:
                size, least = len(changed), []
            least.append(changed)
    return least
