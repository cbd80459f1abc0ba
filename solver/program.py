"""A catalog as a list of nodes, each of which reads only nodes before it. Evaluates nothing.

The steps of a catalog speak of flags by name, and a flag has another value after each step that sets it.
Here every reading of a name is tied, once, to the node that produced the value: a leaf (what was given, or a
fact), or the last step before it that may have written it. What is left is a directed acyclic graph in
pipeline order, so that running it is one pass, and a change reaches only what lies below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from typing import Literal, TypeAlias

from constraints.catalog import Block, Catalog, Fact, Flag, Let, Notice, Refuse, Set, Step
from constraints.expression.forms import free_names
from constraints.expression.syntax import TRUE, And, Conditional, Expression, Name, Not, Or

Leaves: TypeAlias = int
"""A set of leaves: bit `i` is leaf `i`."""

NOTHING = 0
"""The first leaf: what a name stands for before anything gave it a value. It is always missing."""

ALWAYS = -1
"""The guard of a step outside of all blocks."""


class Kind(IntEnum):
    """What a node is."""

    LEAF = 0
    GUARD = 1
    LET = 2
    SET = 3
    REFUSE = 4
    NOTICE = 5


@dataclass(frozen=True, slots=True)
class Terms:
    """The expressions of one node, and which node each name in them reads.

    Attributes:
        when: the node's own condition; that of the blocks around it is `Program.guards`.
        value: of a let or a set; None for any other.
        producers: the node read for each name.
    """

    when: Expression
    value: Expression | None
    producers: Mapping[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """The nodes of one catalog, as columns: entry `i` of each is about node `i`. Leaves come first.

    Attributes:
        engine, version: the release.
        flags: the catalog's flags.
        facts: the catalog's facts, and those that its steps read without having declared them.
        kinds: one `Kind` a node.
        names: a leaf's flag or fact, a let's name, a set's target; "" for any other.
        guards: the node that says whether the blocks around it were entered; `ALWAYS` outside of blocks, and
            for a named value, which is the same wherever it is read.
        previous: for a set, the node with the value that its target has where it takes no effect.
        reads: the nodes that its value may depend on, ascending, guard and previous included.
        dependents: the reverse of `reads`, ascending.
        whens, values: the expressions as text; None for a condition that is always true, and for no value.
        bindings: names read and the nodes that produced them, by name.
        places, functions: where the engine's source does it: `file:line` and the function around it.
        codes, exceptions: of a rule or notice.
        truths: 1 for a named value of which all readers ask but whether it is true, so that any value of the
            same truth will do.
        leaf_of_flag, leaf_of_fact: the leaf by name.
        final: the node with the final value of each flag, part of a flag and variable that a step sets.
    """

    engine: str
    version: str
    flags: Mapping[str, Flag]
    facts: Mapping[str, Fact]
    kinds: bytes
    names: tuple[str, ...]
    guards: tuple[int, ...]
    previous: tuple[int, ...]
    reads: tuple[tuple[int, ...], ...]
    dependents: tuple[tuple[int, ...], ...]
    whens: tuple[str | None, ...]
    values: tuple[str | None, ...]
    bindings: tuple[tuple[tuple[str, int], ...], ...]
    places: tuple[str, ...]
    functions: tuple[str, ...]
    codes: tuple[str, ...]
    exceptions: tuple[str, ...]
    truths: bytes
    leaf_of_flag: Mapping[str, int]
    leaf_of_fact: Mapping[str, int]
    final: Mapping[str, int]
    _terms: dict[int, Terms] = field(default_factory=dict, repr=False)

    @property
    def leaf_count(self) -> int:
        """How many leaves there are; the first step's node has this index."""
        return 1 + len(self.leaf_of_flag) + len(self.leaf_of_fact)

    def flags_of(self, leaves: Leaves) -> frozenset[str]:
        """The flags among some leaves, by name."""
        flags = leaves & ((2 << len(self.leaf_of_flag)) - 2)
        return frozenset(self.names[leaf] for leaf in bits(flags))

    def terms(self, node: int) -> Terms:
        """The expressions of a node that is no leaf. Parsed when first asked for, then kept."""
        terms = self._terms.get(node)
        if terms is None:
            from constraints.expression.parse import parse

            when, value = self.whens[node], self.values[node]
            terms = Terms(
                when=TRUE if when is None else parse(when),
                value=None if value is None else parse(value),
                producers=dict(self.bindings[node]),
            )
            self._terms[node] = terms
        return terms


def flatten(catalog: Catalog) -> Program:
    """The catalog's nodes. Takes time in proportion to the catalog's length.

    Names that nothing declares are facts where they are dotted, and missing where they are not.
    """
    return _Flattening(catalog).program()


def bits(leaves: Leaves) -> Iterator[int]:
    """The leaves of a set, ascending."""
    while leaves:
        lowest = leaves & -leaves
        yield lowest.bit_length() - 1
        leaves ^= lowest


@lru_cache(maxsize=8)
def cones(program: Program) -> tuple[Leaves, ...]:
    """For each node the leaves that it depends on at all."""
    found: list[Leaves] = []
    for node, read in enumerate(program.reads):
        leaves = 1 << node if NOTHING < node < program.leaf_count else 0
        for producer in read:
            leaves |= found[producer]
        found.append(leaves)
    return tuple(found)


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
        from constraints.expression.text import text

        self._add_steps(self._catalog.steps, ALWAYS)
        count = len(self._kinds)
        terms = [self._terms.get(node) for node in range(count)]
        reads = tuple(self._reads(node) for node in range(count))
        rules = [step if isinstance(step, (Refuse, Notice)) else None for step in self._steps]
        return Program(
            engine=self._catalog.release.engine,
            version=self._catalog.release.version,
            flags=self._catalog.flags,
            facts=self._facts,
            kinds=bytes(self._kinds),
            names=tuple(self._names),
            guards=tuple(self._guards),
            previous=tuple(self._previous),
            reads=reads,
            dependents=_reversed(reads),
            whens=tuple(None if each is None or each.when == TRUE else text(each.when) for each in terms),
            values=tuple(None if each is None or each.value is None else text(each.value) for each in terms),
            bindings=tuple(() if each is None else tuple(each.producers.items()) for each in terms),
            places=tuple("" if step is None else step.at for step in self._steps),
            functions=tuple("" if step is None else step.function for step in self._steps),
            codes=tuple("" if rule is None else rule.code for rule in rules),
            exceptions=tuple(rule.exception if isinstance(rule, Refuse) else "" for rule in rules),
            truths=self._truths(),
            leaf_of_flag=self._flag_leaves,
            leaf_of_fact=self._fact_leaves,
            final={name: self._latest[name] for name in (*self._flag_leaves, *self._set)},
            _terms=self._terms,
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

    def _add(
        self, kind: Kind, step: Step, guard: int, name: str = "", value: Expression | None = None
    ) -> int:
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


def _reversed(reads: Sequence[tuple[int, ...]]) -> tuple[tuple[int, ...], ...]:
    dependents: list[list[int]] = [[] for _ in reads]
    for node, read in enumerate(reads):
        for producer in read:
            dependents[producer].append(node)
    return tuple(tuple(nodes) for nodes in dependents)
