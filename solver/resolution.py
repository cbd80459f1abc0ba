"""The values of all nodes of a program in one world under one configuration, and which rules they break.

Finds no reasons and phrases nothing. A resolution never changes; `with_given` makes another one, and looks
only at what the difference reaches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Final, final

from constraints.expression.values import MISSING, UNKNOWN, Fault, same
from constraints.vocabulary import Value
from solver.code import Fast, Functions
from solver.program import NOTHING, Kind, Program

SOME_TEXT = "model"
"""A text for a flag that must be given, that is no path, address or name that the engine knows."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Executable:
    """A program ready to run.

    Attributes:
        program: the nodes.
        fast: the fast functions of the steps' nodes.
        start: where nothing is known of the world, and only the flags that must be given are, to what is not
            known.
        usual: the same, these flags given as some text that means nothing to the engine.
    """

    program: Program
    fast: Functions
    start: Snapshot
    usual: Snapshot

    def resolve(self, facts: Mapping[str, Value], given: Mapping[str, Value] | None = None) -> Resolution:
        """Runs the steps, as far as what is said makes a difference.

        Args:
            facts: what is known of the world. A fact that is not in it has the value of its fallback,
                else its default, else it is not known. Facts that no step reads are ignored.
            given: flags by field name, as the user gave them; every other flag has its default.

        Raises:
            KeyError: a flag given is none of the catalog's.
        """
        program = self.program
        given = dict(given or {})
        leaves = {program.leaf_of_flag[name]: program.flags[name].default for name in program.required}
        leaves |= {program.leaf_of_flag[name]: value for name, value in given.items()}
        if facts:
            leaves |= {leaf: _fact_value(program, facts, name) for name, leaf in program.leaf_of_fact.items()}
        is_usual = all(given.get(name, UNKNOWN) is not UNKNOWN for name in program.required)
        before = self.usual if is_usual else self.start
        values, touched = _propagated(self, before.values, leaves)
        return Resolution(self, given, values, before.state.updated(program, values, touched))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """An outcome of running every step, to start others from.

    Attributes:
        values: of all nodes.
        state: which of them stand out.
    """

    values: tuple[Value, ...]
    state: State


def snapshots(program: Program, fast: Functions) -> tuple[Snapshot, Snapshot]:
    """What `Executable.start` and `Executable.usual` hold."""
    start, usual = (_run(program, fast, required) for required in (UNKNOWN, SOME_TEXT))
    return start, usual


def _run(program: Program, fast: Functions, required: Value) -> Snapshot:
    values: list[Value] = [MISSING] * program.leaf_count
    for name, leaf in program.leaf_of_flag.items():
        values[leaf] = required if name in program.required else program.flags[name].default
    for name, leaf in program.leaf_of_fact.items():
        values[leaf] = _fact_value(program, {}, name)
    for node, function in enumerate(fast, program.leaf_count):
        values.append(_value(program, node, function, values))
    return Snapshot(tuple(values), State.of(program, values))


def _value(program: Program, node: int, function: Fast, values: list[Value]) -> Value:
    guard = program.guards[node]
    if guard >= 0 and values[guard] is False:
        return values[program.previous[node]] if program.kinds[node] in _WITH_VALUES else False
    try:
        value = function(values)
    except Exception:  # noqa: BLE001 - whatever the engine's own expression would raise
        value = MISSING
    if value is MISSING:
        from solver.stepping import careful  # with all that evaluates; most runs never get here

        return careful(program, node, values)
    return value


_WITH_VALUES = frozenset({Kind.LET, Kind.SET})


def _propagated(
    executable: Executable, before: Sequence[Value], leaves: Mapping[int, Value]
) -> tuple[list[Value], tuple[int, ...]]:
    """The values after some leaves have new ones, and the nodes that had to be evaluated.

    What stands in a block that is not entered is left alone, but for a set that hands on a value from before:
    should the block come to be entered, all in it is reached through its guard.
    """
    program, fast = executable.program, executable.fast
    guards, previous, dependents = program.guards, program.previous, program.dependents
    first = program.leaf_count
    values = list(before)
    seen: set[int] = set()
    waiting: list[int] = []

    def reach(changed: int) -> None:
        for node in dependents[changed]:
            if node in seen:
                continue
            guard = guards[node]
            if guard >= 0 and values[guard] is False and guard != changed and previous[node] != changed:
                continue
            seen.add(node)
            heappush(waiting, node)

    for leaf, value in leaves.items():
        if not same(values[leaf], value):
            values[leaf] = value
            reach(leaf)
    touched: list[int] = []
    while waiting:
        node = heappop(waiting)
        touched.append(node)
        value, old = _value(program, node, fast[node - first], values), values[node]
        # A truth that is not the old one is another one: most values are truths.
        if value is not old and (value is True or value is False or not same(value, old)):
            values[node] = value
            reach(node)
    return values, tuple(touched)


def _fact_value(program: Program, facts: Mapping[str, Value], name: str) -> Value:
    """The fact's own value, else its fallback's, and so on; else the default of the last that has one."""
    default: Value = UNKNOWN
    seen: set[str] = set()
    while name and name not in seen:
        if name in facts:
            return facts[name]
        seen.add(name)
        fact = program.facts.get(name)
        if fact is None:
            break
        default = fact.default if fact.has_default else default
        name = fact.fallback
    return default


@final
class State:
    """Which nodes stand out: the rules broken, those undecided, notices, and crashes."""

    __slots__ = ("broken", "crashed", "noticed", "undecided")

    def __init__(
        self,
        broken: frozenset[int],
        crashed: frozenset[int],
        undecided: frozenset[int],
        noticed: frozenset[int],
    ) -> None:
        self.broken: Final = broken
        self.crashed: Final = crashed
        self.undecided: Final = undecided
        self.noticed: Final = noticed

    @classmethod
    def of(cls, program: Program, values: list[Value]) -> State:
        nodes = range(program.leaf_count, len(values))
        return _EMPTY.updated(program, values, nodes)

    def updated(self, program: Program, values: list[Value], nodes: Iterable[int]) -> State:
        """The state after these nodes may have changed."""
        kinds = program.kinds
        broken, crashed = set(self.broken), set(self.crashed)
        undecided, noticed = set(self.undecided), set(self.noticed)
        for node in nodes:
            kind, value = kinds[node], values[node]
            if kind == Kind.REFUSE:
                _put(broken, node, value is True)
                _put(undecided, node, value is UNKNOWN)
                _put(crashed, node, isinstance(value, Fault))
            elif kind == Kind.NOTICE:
                _put(noticed, node, value is True)
            elif kind != Kind.LET:
                _put(crashed, node, isinstance(value, Fault))
        return State(frozenset(broken), frozenset(crashed), frozenset(undecided), frozenset(noticed))


def _put(nodes: set[int], node: int, member: bool) -> None:  # noqa: FBT001
    if member:
        nodes.add(node)
    else:
        nodes.discard(node)


_EMPTY = State(frozenset(), frozenset(), frozenset(), frozenset())


@final
class Resolution:
    """All values under one configuration. Immutable: what its attributes hold must not be changed.

    Attributes:
        executable: what was run.
        given: the flags given, by field name.
        values: one value a node.
        touched: for a resolution made by `with_given`, the nodes evaluated anew: whatever reads a value that
            is different.
    """

    __slots__ = ("_state", "executable", "given", "touched", "values")

    def __init__(
        self,
        executable: Executable,
        given: Mapping[str, Value],
        values: list[Value],
        state: State,
        touched: tuple[int, ...] = (),
    ) -> None:
        self.executable: Final = executable
        self.given: Final = given
        self.values: Final = values
        self.touched: Final = touched
        self._state: Final = state

    @property
    def program(self) -> Program:
        return self.executable.program

    @property
    def broken(self) -> tuple[int, ...]:
        """The nodes of the rules that hold against the configuration, and of crashes, in pipeline order.

        A crash that only hands on an earlier one is left out.
        """
        state = self._state
        crashes = [node for node in state.crashed if not self._inherits_crash(node)]
        return tuple(sorted((*state.broken, *crashes)))

    @property
    def undecided(self) -> tuple[int, ...]:
        """The nodes of the rules that hold in some worlds only, in pipeline order."""
        return tuple(sorted(self._state.undecided))

    @property
    def noticed(self) -> tuple[int, ...]:
        """The nodes of the notices that the engine gives, in pipeline order."""
        return tuple(sorted(self._state.noticed))

    def final(self, variable: str) -> Value:
        """The final value of a flag, of a part of one, or of a variable that a step sets.

        MISSING where nothing gave it one; UNKNOWN where that hangs on what is not known.
        """
        return self.values[self.program.final.get(variable, NOTHING)]

    def with_given(self, changes: Mapping[str, Value], *, dropped: Iterable[str] = ()) -> Resolution:
        """The resolution with some flags given otherwise, in the same world.

        Costs what the difference reaches, and one copy of the list of values.

        Args:
            changes: new values by field name.
            dropped: flags that are no longer given.

        Raises:
            KeyError: a flag is none of the catalog's.
        """
        program = self.program
        given = dict(self.given)
        leaves: dict[int, Value] = {}
        for name in dropped:
            given.pop(name, None)
            leaves[program.leaf_of_flag[name]] = program.flags[name].default
        for name, value in changes.items():
            given[name] = value
            leaves[program.leaf_of_flag[name]] = value
        values, touched = _propagated(self.executable, self.values, leaves)
        return Resolution(
            self.executable, given, values, self._state.updated(program, values, touched), touched
        )

    def _inherits_crash(self, node: int) -> bool:
        """Whether a fault only came here from a node that is a crash itself."""
        program, values = self.program, self.values
        waiting = [each for each in program.reads[node] if isinstance(values[each], Fault)]
        while waiting:
            each = waiting.pop()
            if program.kinds[each] != Kind.LET:
                return True
            waiting.extend(other for other in program.reads[each] if isinstance(values[other], Fault))
        return False
