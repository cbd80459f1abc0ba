"""Where the symbolic execution stands: the path's guard, the frames, the heap, and merging two of them.

Branches are executed one after the other from the same starting point and merged afterwards, so the
number of steps grows with the source and not with its paths.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import count

from constraints.expression.simplify import conditional, conjunction, disjunction, negation
from constraints.expression.syntax import FALSE, TRUE, Expression
from constraints.sglang.extraction.source import Module
from constraints.sglang.extraction.values import (
    Choice,
    Content,
    Entries,
    Function,
    Instance,
    Items,
    Lost,
    Ref,
    Value,
)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The locals of the current frame and the heap, at one point."""

    locals: dict[str, Value]
    heap: dict[int, Content]


@dataclass(slots=True)
class Exit:
    """A way out of a statement list before its end: the condition, what was there, what it returned."""

    guard: Expression
    snapshot: Snapshot
    value: Value | None = None
    path: tuple[Expression, ...] = ()
    """The whole guard of the path at that point."""
    exception: str = ""
    """What was raised there, where something was."""
    inner: dict[Frame, dict[str, Value]] = field(default_factory=dict)
    """The locals of the frames that an exception leaves on its way out."""


@dataclass(slots=True, eq=False)
class Frame:
    """One call being executed, or the top of a module."""

    module: Module
    function: Function | None = None
    locals: dict[str, Value] = field(default_factory=dict)
    closure: Frame | None = None
    base: int = 0
    """How many conjuncts the path's guard had when the call began."""
    returns: list[Exit] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    nonlocals: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)

    @property
    def name(self) -> str:
        return self.function.name if self.function else "<module>"


@dataclass(slots=True)
class Loop:
    """An unrolled loop: the exits of the present pass and of the whole loop."""

    base: int
    pass_base: int = 0
    continues: list[Exit] = field(default_factory=list)
    breaks: list[Exit] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Attempt:
    """A `try` whose handlers may catch: for each handler, the conditions under which it was reached."""

    base: int
    frame: Frame
    handlers: tuple[tuple[frozenset[str], list[Exit]], ...]
    negations: dict[Expression, int] = field(default_factory=dict)
    """Tests in the guard that say that a handler has caught nothing so far, with the handler's index."""


class State:
    """The mutable state of one execution."""

    def __init__(self) -> None:
        self.guard: list[Expression] = []
        self.heap: dict[int, Content] = {}
        self.frames: list[Frame] = []
        self.attempts: list[Attempt] = []
        self.handling: list[str] = []
        """What the handlers around here have caught, innermost last; empty where it is of many kinds."""
        self.dead: str = ""
        """Why nothing after this point is reached: '', 'raise', 'return', 'continue' or 'break'."""
        self.caught_by: tuple[Attempt, int] | None = None
        self._identities = count(1)

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def allocate(self, content: Content) -> Ref:
        """A new object holding `content`."""
        reference = Ref(next(self._identities))
        self.heap[reference.identity] = content
        return reference

    def content(self, reference: Ref) -> Content:
        return self.heap[reference.identity]

    def store(self, reference: Ref, content: Content) -> None:
        self.heap[reference.identity] = content

    def snapshot(self) -> Snapshot:
        return Snapshot(dict(self.frame.locals), dict(self.heap))

    def restore(self, snapshot: Snapshot) -> None:
        self.frame.locals = dict(snapshot.locals)
        self.heap = self.heap | snapshot.heap  # objects made since stay: a module may hold them

    def since(self, base: int) -> Expression:
        """The path's guard from its `base`-th conjunct on, as one test."""
        return conjunction(self.guard[base:])

    def leave(self, base: int, value: Value | None = None, frame: Frame | None = None) -> Exit:
        """The present point as an exit of `frame`, its condition counted from `base`."""
        local = dict((frame or self.frame).locals)
        return Exit(self.since(base), Snapshot(local, dict(self.heap)), value, tuple(self.guard))


def merged_value(test: Expression, then: Value, otherwise: Value) -> Value:
    """The value that is `then` where the test holds, else `otherwise`."""
    if then is otherwise or then == otherwise:
        return then
    if isinstance(then, Expression) and isinstance(otherwise, Expression):
        return conditional(test, then, otherwise)
    rows: list[tuple[Expression, Value]] = []
    for condition, value in _alternatives(then):
        rows.append((conjunction((test, condition)), value))
    for condition, value in _alternatives(otherwise):
        same = next((i for i, (_, v) in enumerate(rows) if v == value), None)
        if condition == TRUE and same == len(rows) - 1:
            rows[-1] = (TRUE, value)
        else:
            rows.append((condition, value))
    return choice(rows)


def choice(rows: Iterable[tuple[Expression, Value]]) -> Value:
    """The first value whose condition holds; the last row is taken to cover the rest."""
    kept: list[tuple[Expression, Value]] = []
    for condition, value in rows:
        if condition == FALSE:
            continue
        if kept and kept[-1][1] == value:
            kept[-1] = (disjunction((kept[-1][0], condition)), value)
        else:
            kept.append((condition, value))
        if kept[-1][0] == TRUE:
            break
    if not kept:
        raise ValueError("a choice of nothing")
    if len(kept) == 1:
        return kept[0][1]
    if all(isinstance(value, Expression) for _, value in kept):
        result = kept[-1][1]
        for condition, value in reversed(kept[:-1]):
            result = conditional(condition, value, result)  # type: ignore[arg-type]
        return result
    kept[-1] = (TRUE, kept[-1][1])
    return Choice(tuple(kept))


def merged(test: Expression, then: Snapshot, otherwise: Snapshot) -> Snapshot:
    """What holds after a branch: `then` where the test holds, else `otherwise`."""
    names = dict.fromkeys((*then.locals, *otherwise.locals))
    local = {}
    for name in names:
        if name in then.locals and name in otherwise.locals:
            local[name] = merged_value(test, then.locals[name], otherwise.locals[name])
        else:
            # Bound on one side only: whoever reads it later does so on that side.
            local[name] = then.locals[name] if name in then.locals else otherwise.locals[name]
    heap = dict(otherwise.heap)
    for identity, content in then.heap.items():
        other = heap.get(identity)
        if other is None or other is content:
            heap[identity] = content
        elif other != content:
            heap[identity] = _merged_content(test, content, other)
    return Snapshot(local, heap)


def joined(exits: Iterable[Exit], fall: Snapshot | None) -> Snapshot:
    """One snapshot for several exits, in program order, and the fall-through after them."""
    rows = list(exits)
    result = fall
    for row in reversed(rows):
        result = row.snapshot if result is None else merged(row.guard, row.snapshot, result)
    assert result is not None
    return result


def returned_value(exits: list[Exit], none: Value) -> Value:
    """The value of a call from its returns, in program order; `none` where one has no value."""
    values = [none if row.value is None else row.value for row in exits]
    result = values[-1]
    for index in range(len(exits) - 2, -1, -1):
        result = merged_value(_distinguishing(exits, index), values[index], result)
    return result


def _distinguishing(exits: list[Exit], index: int) -> Expression:
    """The guard of a return without the conjuncts that only say that no earlier one was taken."""
    from constraints.expression.syntax import And

    earlier = {negation(row.guard) for row in exits[:index]}
    guard = exits[index].guard
    if isinstance(guard, And):
        return conjunction(o for o in guard.operands if o not in earlier)
    return TRUE if guard in earlier else guard


def _alternatives(value: Value) -> tuple[tuple[Expression, Value], ...]:
    return value.alternatives if isinstance(value, Choice) else ((TRUE, value),)


def _merged_content(test: Expression, then: Content, otherwise: Content) -> Content:
    match then, otherwise:
        case Instance(owner=a, facts=facts), Instance(owner=b) if a == b:
            return Instance(a, _merged_attributes(test, then, otherwise), facts)
        case Items(kind=a, elements=left), Items(kind=b, elements=right) if a == b:
            return Items(a, _merged_elements(test, left, right))
        case Entries(entries=left), Entries(entries=right):
            return Entries(_merged_entries(test, left, right))  # type: ignore[arg-type]
        case Lost(), _:
            return then
        case _, Lost():
            return otherwise
    return Lost("", "an object that is of two kinds")


def _merged_attributes(test: Expression, then: Instance, otherwise: Instance) -> dict[str, Value]:
    merged_attributes: dict[str, Value] = {}
    for name in dict.fromkeys((*then.attributes, *otherwise.attributes)):
        sides = [side.attributes.get(name) for side in (then, otherwise)]
        if sides[0] is not None and sides[1] is not None:
            merged_attributes[name] = merged_value(test, sides[0], sides[1])
        elif then.facts and (fact := _absent(then, name)) is not None:
            left, right = (fact if side is None else side for side in sides)
            merged_attributes[name] = merged_value(test, left, right)
        else:
            merged_attributes[name] = sides[0] if sides[0] is not None else sides[1]  # type: ignore[assignment]
    return merged_attributes


def _absent(instance: Instance, name: str) -> Value | None:
    from constraints.expression.syntax import Name

    return Name(f"{instance.facts}.{name}")


def _merged_elements(
    test: Expression,
    left: tuple[tuple[Expression, Value], ...],
    right: tuple[tuple[Expression, Value], ...],
) -> tuple[tuple[Expression, Value], ...]:
    shared = 0
    while shared < min(len(left), len(right)) and left[shared] == right[shared]:
        shared += 1
    only_then = [(conjunction((test, guard)), value) for guard, value in left[shared:]]
    only_otherwise = [(conjunction((negation(test), guard)), value) for guard, value in right[shared:]]
    return (*left[:shared], *only_then, *only_otherwise)


def _merged_entries(
    test: Expression,
    left: dict[object, tuple[Expression, Value]],
    right: dict[object, tuple[Expression, Value]],
) -> dict[object, tuple[Expression, Value]]:
    result: dict[object, tuple[Expression, Value]] = {}
    for key in dict.fromkeys((*left, *right)):
        there, value = left.get(key, (FALSE, None))
        else_there, else_value = right.get(key, (FALSE, None))
        presence = conditional(test, there, else_there, boolean=True)
        if value is None or else_value is None:
            result[key] = (presence, value if value is not None else else_value)  # type: ignore[assignment]
        else:
            result[key] = (presence, merged_value(test, value, else_value))
    return result
