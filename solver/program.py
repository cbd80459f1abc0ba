"""A catalog as a list of nodes, each of which reads only nodes before it. Evaluates nothing.

Every reading of a name is tied to the node that produced the value: a leaf (what was given, or a fact), or
the last step before it that may have written it. That makes a directed acyclic graph in pipeline order, so
that running it is one pass, and a change reaches only what lies below it. `flattening` makes programs.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias, final

if TYPE_CHECKING:
    from constraints.expression.syntax import Expression
    from constraints.vocabulary import Fact, Flag

Leaves: TypeAlias = int
"""A set of leaves: bit `i` is leaf `i`."""

NOTHING = 0
"""The first leaf: what a name stands for before anything gave it a value. It is always missing."""

ALWAYS = -1
"""The guard of a step outside of all blocks."""


class Kind:
    """What a node is: plain numbers, since they stand in bytes and are compared all the time."""

    LEAF = 0
    GUARD = 1
    LET = 2
    SET = 3
    REFUSE = 4
    NOTICE = 5


@final
class Rows:
    """Many short rows of node numbers, kept as two arrays: quick to load, and a row is a cheap slice."""

    __slots__ = ("_ends", "_numbers")

    def __init__(self, ends: array[int], numbers: array[int]) -> None:
        self._ends = ends
        self._numbers = numbers

    @classmethod
    def of(cls, rows: Iterable[Iterable[int]]) -> Rows:
        """Rows that hold these numbers."""
        ends, numbers = array("i", [0]), array("i")
        for row in rows:
            numbers.extend(row)
            ends.append(len(numbers))
        return cls(ends, numbers)

    @classmethod
    def unpacked(cls, packed: tuple[bytes, bytes]) -> Rows:
        """Rows from what `packed` gave in the same kind of Python on the same kind of machine."""
        ends, numbers = packed
        return cls(array("i", ends), array("i", numbers))

    def packed(self) -> tuple[bytes, bytes]:
        """The same as bytes."""
        return self._ends.tobytes(), self._numbers.tobytes()

    def __getitem__(self, row: int) -> array[int]:
        return self._numbers[self._ends[row] : self._ends[row + 1]]

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __iter__(self) -> Iterator[array[int]]:
        return (self[row] for row in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rows) and self.packed() == other.packed()

    __hash__ = None  # type: ignore[assignment]


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
class Details:
    """Columns of a program that are not needed to run it.

    Attributes:
        bindings: names read and the nodes that produced them, by name.
        places, functions: where the engine's source does it: `file:line` and the function around it.
        codes, exceptions: of a rule or notice.
    """

    bindings: tuple[tuple[tuple[str, int], ...], ...]
    places: tuple[str, ...]
    functions: tuple[str, ...]
    codes: tuple[str, ...]
    exceptions: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """The nodes of one catalog, as columns: entry `i` of each is about node `i`. Leaves come first.

    Attributes:
        engine, version: the release.
        flags: the catalog's flags.
        required: those of them that a command must give, by name.
        facts: the catalog's facts, and those that its steps read without having declared them.
        kinds: one `Kind` a node.
        names: a leaf's flag or fact, a let's name, a set's target; "" for any other.
        guards: the node that says whether the blocks around it were entered; `ALWAYS` outside of blocks. For
            a named value, which is the same wherever it is read: of the block that all its readers are in.
        previous: for a set, the node with the value that its target has where it takes no effect.
        reads: the nodes that its value may depend on, ascending, guard and previous included.
        dependents: the reverse of `reads`, ascending.
        truths: 1 for a named value of which all readers ask but whether it is true, so that any value of the
            same truth will do.
        asks_crashes: 1 where an expression of the node asks whether something crashes.
        near: the flags whose values it reads itself, or through named values and blocks. A flag that a step
            has set counts as itself; what it was set from does not.
        leaf_of_flag, leaf_of_fact: the leaf by name.
        final: the node with the final value of each flag, part of a flag and variable that a step sets.
        load_terms: makes what `terms` gives.
        details: the columns that only a closer look at some nodes needs, loaded when first asked for.
    """

    engine: str
    version: str
    flags: Mapping[str, Flag]
    required: tuple[str, ...]
    facts: Mapping[str, Fact]
    kinds: bytes
    names: tuple[str, ...]
    guards: Sequence[int]
    previous: Sequence[int]
    reads: Rows
    dependents: Rows
    truths: bytes
    asks_crashes: bytes
    near: Sequence[Leaves]
    leaf_of_flag: Mapping[str, int]
    leaf_of_fact: Mapping[str, int]
    final: Mapping[str, int]
    details: Callable[[], Details] = field(repr=False)
    load_terms: Callable[[int], Terms] = field(repr=False)
    _terms: dict[int, Terms] = field(default_factory=dict, repr=False)

    @property
    def places(self) -> tuple[str, ...]:
        return self.details().places

    @property
    def functions(self) -> tuple[str, ...]:
        return self.details().functions

    @property
    def codes(self) -> tuple[str, ...]:
        return self.details().codes

    @property
    def exceptions(self) -> tuple[str, ...]:
        return self.details().exceptions

    @property
    def leaf_count(self) -> int:
        """How many leaves there are; the first step's node has this index."""
        return 1 + len(self.leaf_of_flag) + len(self.leaf_of_fact)

    def flags_of(self, leaves: Leaves) -> frozenset[str]:
        """The flags among some leaves, by name."""
        flags = leaves & ((2 << len(self.leaf_of_flag)) - 2)
        return frozenset(self.names[leaf] for leaf in bits(flags))

    def terms(self, node: int) -> Terms:
        """The expressions of a node that is no leaf. Made when first asked for, then kept."""
        terms = self._terms.get(node)
        if terms is None:
            terms = self._terms[node] = self.load_terms(node)
        return terms


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
