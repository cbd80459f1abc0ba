"""A made-up catalog as large as a real release's, the same in every run: for measuring, not for judging."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from constraints.catalog import Block, Catalog, Fact, Flag, Let, Notice, Option, Refuse, Release, Set, Step
from constraints.expression.parse import parse

FLAGS, FACTS = 560, 200


@dataclass
class Maker:
    """Writes expressions over what exists so far."""

    random: random.Random
    flags: dict[str, Flag]
    facts: dict[str, Fact]
    lets: list[str] = field(default_factory=list)
    count: int = 0

    def test(self) -> str:
        """One test of a flag, a fact or a named value."""
        chance = self.random.random()
        if chance < 0.15 and self.lets:
            return self.random.choice(self.lets)
        if chance < 0.35:
            fact = self.facts[self.random.choice(list(self.facts))]
            return fact.name if fact.type == "bool" else f"{fact.name} >= {self.random.choice([80, 90, 100])}"
        flag = self.flags[self.random.choice(list(self.flags))]
        if flag.type == "bool":
            return self.random.choice([flag.name, f"not {flag.name}"])
        if flag.type == "int":
            return self.random.choice(
                [
                    f"{flag.name} is not None and {flag.name} > {self.random.choice([1, 8, 64])}",
                    f"{flag.name} is None",
                    f"{flag.name} is not None and {flag.name} % {self.random.choice([2, 4, 16])} != 0",
                ]
            )
        return self.random.choice(
            [f"{flag.name} == 'b'", f"{flag.name} in ('c', 'd')", f"{flag.name} != 'a'"]
        )

    def unusual(self) -> str:
        """A test that holds for no flag left at its default."""
        flag = self.flags[self.random.choice(list(self.flags))]
        return {
            "bool": flag.name,
            "int": f"{flag.name} is not None and {flag.name} > {self.random.choice([1, 8])}",
            "str": f"{flag.name} in ('b', 'c')",
        }[flag.type]

    def rule(self) -> str:
        """The condition of a rule: rarely fulfilled by a few flags, never by none."""
        return (
            f"({self.unusual()}) and {self.condition(1)}"
            if self.random.random() < 0.1
            else (f"({self.unusual()}) and ({self.unusual()}) and {self.condition(1)}")
        )

    def condition(self, least: int = 2) -> str:
        tests = [f"({self.test()})" for _ in range(self.random.randint(least, 4))]
        if len(tests) > 2 and self.random.random() < 0.3:
            tests[0] = f"({tests[0]} or {tests.pop()})"
        return " and ".join(tests)

    def steps(self, count: int, depth: int = 0) -> Iterator[Step]:
        while count > 0:
            self.count += 1
            at, function = f"hooks/part{self.count % 40}.py:{self.count}", f"check_{self.count // 12}"
            chance = self.random.random()
            if chance < 0.12 and depth < 3 and count > 6:
                inside = tuple(self.steps(5, depth + 1))
                yield Block(at, function, inside, when=parse(self.condition(1)))
                count -= 5
                continue
            count -= 1
            when = parse(self.condition() if chance < 0.3 else self.rule())
            if chance < 0.3:
                name = f"value_{self.count}"
                yield Let(at, function, name, when)
                if depth == 0:
                    self.lets.append(name)
            elif chance < 0.5:
                flag = self.flags[self.random.choice(list(self.flags))]
                value = {"bool": "True", "int": "8", "str": "'b'"}[flag.type]
                yield Set(at, function, flag.name, parse(value), when=when)
            elif chance < 0.65:
                yield Notice(at, function, when=when)
            else:
                yield Refuse(at, function, f"SYN{self.count:04}", "ValueError", when=when)


def catalog(steps: int = 2500) -> Catalog:
    """Flags `flag_0` and on: bools, ints and choices of a, b, c and d; facts of a machine and a model."""
    chance = random.Random(7)
    flags = {flag.name: flag for flag in (_flag(number) for number in range(FLAGS))}
    flags["model_path"] = Flag("model_path", "str", options=(Option(("--model-path",), required=True),))
    facts = {
        f"{kind}.fact_{number}": Fact(f"{kind}.fact_{number}", "bool" if number % 3 else "int")
        for number in range(FACTS // 2)
        for kind in ("gpu", "model")
    }
    maker = Maker(chance, {name: flag for name, flag in flags.items() if name != "model_path"}, facts)
    return Catalog(Release("toy", "synthetic"), flags, facts, tuple(maker.steps(steps)))


def _flag(number: int) -> Flag:
    name, spelling = f"flag_{number}", f"--flag-{number}"
    match number % 3:
        case 0:
            return Flag(name, "bool", default=False, options=(Option((spelling,), "store_true"),))
        case 1:
            default = None if number % 2 else 1
            return Flag(
                name, "int", default=default, nullable=True, options=(Option((spelling,), type="int"),)
            )
        case _:
            return Flag(
                name, "str", default="a", options=(Option((spelling,), choices=("a", "b", "c", "d")),)
            )


def commands(count: int) -> list[str]:
    """Launch commands of a few flags each."""
    chance = random.Random(3)
    made = []
    for _ in range(count):
        words = ["python -m sglang.launch_server --model-path m"]
        for number in chance.sample(range(FLAGS), 6):
            value = {0: "", 1: f" {chance.choice([1, 2, 8, 16])}", 2: f" {chance.choice('abcd')}"}[number % 3]
            words.append(f"--flag-{number}{value}")
        made.append(" ".join(words))
    return made


def world() -> dict[str, object]:
    """All facts known."""
    return {name: 90 if fact.type == "int" else False for name, fact in catalog(0).facts.items()}
