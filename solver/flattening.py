"""Makes a program of a catalog: gives every step a node, and ties names to the nodes that produced them.

The steps of a catalog speak of flags by name, and a flag has another value after each step that sets it.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from constraints.catalog import Block, Catalog, Fact, Flag, Let, Notice, Refuse, Set, Step
from constraints.expression.forms import free_names
from constraints.expression.syntax import TRUE, And, Call, Conditional, Expression, Name, Not, Or
from solver.program import ALWAYS, NOTHING, Details, Kind, Leaves, Program, Rows, Terms


def flatten(catalog: Catalog) -> Program:
    """The catalog's nodes. Takes time in proportion to the catalog's length.

    Names that nothing declares are facts where they are dotted, and missing where they are not.
    """
    return _Flattening(catalog).program()


class _Flattening:
    """The columns while they grow, and which node holds the latest value of each name."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._facts = _facts_read(catalog)
        self._names = ["", *catalog.flags, *self._facts]
        leaves = len(self._names)
        self._flag_leaves = {name: index for index, name in enumerate(catalog.flags, 1)}
        self._fact_leaves = {name: index for index, name in enumerate(self._facts, 1 + len(catalog.flags))}
        self._latest = self._flag_leaves | self._fact_leaves
        self._set: dict[str, None] = {}
        self._kinds = bytearray([Kind.LEAF] * leaves)
        self._guards = [ALWAYS] * leaves
        self._previous = [NOTHING] * leaves
        self._terms: dict[int, Terms] = {}
        self._steps: list[Step | None] = [None] * leaves

    def program(self) -> Program:
        self._add_steps(self._catalog.steps, ALWAYS)
        self._enclose_named_values()
        reads = [self._reads(node) for node in range(len(self._kinds))]
        details = self._details()
        return Program(
            engine=self._catalog.release.engine,
            version=self._catalog.release.version,
            flags=self._catalog.flags,
            required=tuple(
                name
                for name, flag in self._catalog.flags.items()
                if flag.default is None and any(option.required for option in flag.options)
            ),
            facts=self._facts,
            kinds=bytes(self._kinds),
            names=tuple(self._names),
            guards=array("i", self._guards),
            previous=array("i", self._previous),
            reads=Rows.of(reads),
            dependents=Rows.of(_reversed(reads)),
            truths=self._truths(),
            asks_crashes=bytes(map(self._asks_crashes, range(len(self._kinds)))),
            near=self._near(reads),
            leaf_of_flag=self._flag_leaves,
            leaf_of_fact=self._fact_leaves,
            final={name: self._latest[name] for name in (*self._flag_leaves, *self._set)},
            details=lambda: details,
            load_terms=self._terms.__getitem__,
        )

    def _details(self) -> Details:
        terms = [self._terms.get(node) for node in range(len(self._kinds))]
        rules = [step if isinstance(step, (Refuse, Notice)) else None for step in self._steps]
        return Details(
            bindings=tuple(() if each is None else tuple(each.producers.items()) for each in terms),
            places=tuple("" if step is None else step.at for step in self._steps),
            functions=tuple("" if step is None else step.function for step in self._steps),
            codes=tuple("" if rule is None else rule.code for rule in rules),
            exceptions=tuple(rule.exception if isinstance(rule, Refuse) else "" for rule in rules),
        )

    def _add_steps(self, steps: Sequence[Step], guard: int) -> None:
        for step in steps:
            if isinstance(step, Block):
                self._add_steps(step.steps, self._add(Kind.GUARD, step, guard))
            elif isinstance(step, Let):
                self._latest[step.name] = self._add(Kind.LET, step, ALWAYS, step.name, step.value)
            elif isinstance(step, Set):
                node = self._add(Kind.SET, step, guard, step.target, step.value)
                self._latest[step.target] = node
                self._set[step.target] = None
            elif isinstance(step, Refuse):
                self._add(Kind.REFUSE, step, guard)
            else:
                self._add(Kind.NOTICE, step, guard)

    def _add(self, kind: int, step: Step, guard: int, name: str = "", value: Expression | None = None) -> int:
        node = len(self._kinds)
        when = TRUE if kind == Kind.LET else step.when
        read = free_names(when) | (frozenset() if value is None else free_names(value))
        self._terms[node] = Terms(when, value, {path: self._producer(path) for path in sorted(read)})
        self._kinds.append(kind)
        self._names.append(name)
        self._guards.append(guard)
        self._previous.append(self._latest.get(name, NOTHING) if kind == Kind.SET else NOTHING)
        self._steps.append(step)
        return node

    def _enclose_named_values(self) -> None:
        """Gives each named value the innermost block that all of its readers are in, as its guard."""
        around: dict[int, list[int]] = {}
        for node in range(len(self._kinds) - 1, -1, -1):
            terms = self._terms.get(node)
            if terms is None:
                continue
            if self._kinds[node] == Kind.LET:
                blocks = around.get(node, [])
                self._guards[node] = blocks[0] if blocks else ALWAYS
            inside = self._blocks_around(node)
            for producer in terms.producers.values():
                if self._kinds[producer] == Kind.LET:
                    known = around.get(producer, inside)
                    around[producer] = [block for block in known if block in inside and block < producer]

    def _blocks_around(self, node: int) -> list[int]:
        """The blocks around a node, innermost first."""
        blocks: list[int] = []
        guard = self._guards[node]
        while guard != ALWAYS:
            blocks.append(guard)
            guard = self._guards[guard]
        return blocks

    def _producer(self, path: str) -> int:
        """The node that holds what `path` stands for at this point."""
        if path.startswith("given."):
            leaf = self._flag_leaves.get(path.removeprefix("given."))
            if leaf is not None:
                return leaf
        return self._latest.get(path, NOTHING)

    def _reads(self, node: int) -> tuple[int, ...]:
        if node not in self._terms:
            return ()
        read = {*self._terms[node].producers.values(), self._previous[node], self._guards[node]}
        return tuple(sorted(read - {ALWAYS, NOTHING}))

    def _asks_crashes(self, node: int) -> bool:
        terms = self._terms.get(node)
        if terms is None:
            return False
        expressions = (terms.when,) if terms.value is None else (terms.when, terms.value)
        parts = (part for expression in expressions for part in expression.distinct())
        return any(isinstance(part, Call) and part.function == "crashes" for part in parts)

    def _near(self, reads: Sequence[Sequence[int]]) -> tuple[Leaves, ...]:
        """For each node the flags whose values it reads, as `Program.near` has them."""
        found: list[Leaves] = []
        for node, kind in enumerate(self._kinds):
            if kind in {Kind.LEAF, Kind.SET}:
                leaf = self._flag_leaves.get(self._names[node].partition(".")[0], 0)
                found.append(1 << leaf if leaf and (kind == Kind.SET or node == leaf) else 0)
            else:
                leaves = 0
                for producer in reads[node]:
                    leaves |= found[producer]
                found.append(leaves)
        return tuple(found)

    def _truths(self) -> bytes:
        """For each node, whether it is a named value read for its truth alone. Readers come after it."""
        read_as_values: set[int] = set()
        truths = bytearray(len(self._kinds))
        for node in range(len(self._kinds) - 1, -1, -1):
            terms = self._terms.get(node)
            if terms is None:
                continue
            truths[node] = self._kinds[node] == Kind.LET and node not in read_as_values
            read = set(_names_of_values(terms.when, asked="truth"))
            if terms.value is not None:
                read.update(_names_of_values(terms.value, asked="truth" if truths[node] else "value"))
            read_as_values.update(terms.producers[path] for path in read if path in terms.producers)
        return bytes(truths)


def _names_of_values(expression: Expression, *, asked: Literal["truth", "value"]) -> Iterator[str]:
    """The names whose very value matters where the expression is asked for its truth, or its value."""
    match expression:
        case Name():
            if asked == "value":
                yield expression.path
        case Not():
            yield from _names_of_values(expression.operand, asked="truth")
        case And() | Or():
            for operand in expression.operands:
                yield from _names_of_values(operand, asked=asked)
        case Conditional():
            yield from _names_of_values(expression.test, asked="truth")
            yield from _names_of_values(expression.then, asked=asked)
            yield from _names_of_values(expression.otherwise, asked=asked)
        case _:
            for child in expression.children():
                yield from _names_of_values(child, asked="value")


def _facts_read(catalog: Catalog) -> dict[str, Fact]:
    """The facts declared, and what the steps read that can be nothing else: other dotted names."""
    facts = dict(catalog.facts)
    for step, guards in catalog.walk():
        expressions = (*guards, step.when, *((step.value,) if isinstance(step, (Let, Set)) else ()))
        for expression in expressions:
            for path in sorted(free_names(expression)):
                if path not in facts and _is_fact(path, catalog.flags):
                    facts[path] = Fact(path)
    return facts


def _is_fact(path: str, flags: Mapping[str, Flag]) -> bool:
    """Whether a name nobody declared is a fact: neither a flag, a part of one, nor a let."""
    first, dot, rest = path.partition(".")
    if first == "given":
        return rest not in flags
    return bool(dot) and first not in flags


def _reversed(reads: Sequence[Sequence[int]]) -> list[list[int]]:
    dependents: list[list[int]] = [[] for _ in reads]
    for node, read in enumerate(reads):
        for producer in read:
            dependents[producer].append(node)
    return dependents
