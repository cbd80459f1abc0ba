"""The list of steps as extraction writes it, and its final form.

While it is written, a state variable is named with its version (`tp_size@2`: after the second step
that sets it), so that an expression means the same wherever it ends up. `finished` prints a version
bare where it is the current one, brings in a `let` where an older one is needed, and says a guard that
several steps share once, as a block.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from constraints.catalog import Block, Let, Notice, Refuse, Set, Step
from constraints.expression.simplify import conjunction
from constraints.expression.syntax import TRUE, Collection, Comprehension, Expression, Name
from constraints.sglang.extraction.substitution import rebuilt, substituted

_VERSION = re.compile(r"^(?P<path>.+)@(?P<version>\d+)$")
_NAMED_FROM_SIZE = 14
_LONGEST = 120
_PART = 50


@dataclass(slots=True)
class Entry:
    """One step being written: its guard as the list of tests on the way to it, outermost first."""

    guards: tuple[Expression, ...]
    step: Step
    target: str = ""
    version: int = 0


@dataclass(slots=True)
class StepLog:
    """The steps so far. `reserved` are the names that a `let` must not take."""

    reserved: frozenset[str]
    entries: list[Entry] = field(default_factory=list)
    versions: dict[str, int] = field(default_factory=dict)
    defined_parts: set[str] = field(default_factory=set)
    _named: dict[Expression, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    def current(self, path: str) -> Name:
        """The state variable's present version, as a name."""
        return Name(f"{path}@{self.versions.get(path, 0)}")

    def set(
        self, guards: Sequence[Expression], at: str, function: str, target: str, value: Expression
    ) -> None:
        """Writes a `set` step, unless it would set what is there already."""
        if value == self.current(target):
            return
        value = self._cut(value, target.rpartition(".")[2], at, function)
        version = self.versions.get(target, 0) + 1
        step = Set(at, function, target, value)
        self.entries.append(Entry(tuple(guards), step, target, version))
        self.versions[target] = version

    def refuse(
        self, guards: Sequence[Expression], at: str, function: str, when: Expression, exception: str
    ) -> None:
        """Writes a rule."""
        self.entries.append(Entry(tuple(guards), Refuse(at, function, when=when, exception=exception)))

    def notice(self, guards: Sequence[Expression], at: str, function: str) -> None:
        """Writes that the engine logs a warning here."""
        self.entries.append(Entry(tuple(guards), Notice(at, function)))

    def named(
        self, value: Expression, hint: str, at: str, function: str, *, least: int = _NAMED_FROM_SIZE
    ) -> Expression:
        """The value by name if it is large, else as it is. Equal values share their name."""
        known = self._named.get(value)
        if known is not None:
            return Name(known)
        if value.size < least or not hint or hint == "_":
            return value
        cut = self._cut(value, hint, at, function)
        name = self._fresh(hint)
        self._named[value] = name
        self.entries.append(Entry((), Let(at, function, name, cut)))
        return Name(name)

    def _cut(self, value: Expression, hint: str, at: str, function: str) -> Expression:
        """The value with its large parts by name, so that none is too long to read or to walk."""
        if value.size <= _LONGEST:
            return value
        done: dict[Expression, Expression] = {}

        def visit(node: Expression) -> Expression:
            if node.size <= _PART:
                return node
            if node not in done:
                shorter = rebuilt(node, visit) if not isinstance(node, Comprehension) else node
                if (
                    shorter.size > _PART
                    and node is not value
                    and not isinstance(node, Comprehension | Collection)
                ):
                    shorter = self._part(node, shorter, hint, at, function)
                done[node] = shorter
            return done[node]

        return visit(value)

    def _part(self, whole: Expression, shorter: Expression, hint: str, at: str, function: str) -> Expression:
        known = self._named.get(whole)
        if known is None:
            known = self._fresh(f"{hint}_part")
            self._named[whole] = known
            self.entries.append(Entry((), Let(at, function, known, shorter)))
        return Name(known)

    def meaning(self, expression: Expression) -> Expression:
        """The expression with the values of this log's names in place of the names, one level deep."""
        meanings = {name: value for value, name in self._named.items()}
        names = {
            n.path: meanings[n.path]
            for n in expression.distinct()
            if isinstance(n, Name) and n.path in meanings
        }
        return substituted(expression, names) if names else expression

    def _fresh(self, hint: str) -> str:
        base = re.sub(r"\W", "_", hint).strip("_") or "value"
        base = base if base[0].isalpha() else f"value_{base}"
        name, number = base, 2
        while name in self.taken or name in self.reserved:
            name, number = f"{base}_{number}", number + 1
        self.taken.add(name)
        return name


def finished(log: StepLog) -> tuple[Step, ...]:
    """The steps in their final form: bare names, older versions by `let`, shared guards as blocks."""
    return _Finisher(log).steps()


class _Finisher:
    def __init__(self, log: StepLog) -> None:
        self._log = log
        self._current: dict[str, int] = {}
        self._olds: dict[tuple[str, int], str] = {}
        self._read: dict[Expression, frozenset[str]] = {}

    def _names(self, expression: Expression) -> frozenset[str]:
        """The names that an expression reads; guards are shared by many steps, so it is kept."""
        known = self._read.get(expression)
        if known is None:
            known = frozenset(n.path for n in expression.distinct() if isinstance(n, Name))
            self._read[expression] = known
        return known

    def steps(self) -> tuple[Step, ...]:
        entries = self._live_entries()
        self._find_old_versions(entries)
        self._current = {}
        return tuple(self._grouped(entries, 0, len(entries), 0))

    def _live_entries(self) -> list[Entry]:
        """All entries but the lets that nobody reads."""
        needed: set[str] = set()
        kept: list[Entry] = []
        for entry in reversed(self._log.entries):
            if isinstance(entry.step, Let) and entry.step.name not in needed:
                continue
            kept.append(entry)
            for expression in _expressions(entry):
                needed.update(self._names(expression))
        kept.reverse()
        return kept

    def _find_old_versions(self, entries: list[Entry]) -> None:
        """Which versions are read after they were superseded: these need a `let` while they are current.

        A guard is evaluated where its block begins; the block structure follows the shared prefixes.
        """
        current: dict[str, int] = {}
        previous: tuple[Expression, ...] = ()
        for entry in entries:
            shared = 0 if isinstance(entry.step, Let) else _shared(previous, entry.guards)
            fresh = () if isinstance(entry.step, Let) else entry.guards[shared:]
            for expression in (*fresh, *_own_expressions(entry)):
                for path, version in _versions(expression):
                    if version != current.get(path, 0):
                        self._remember(path, version)
            if not isinstance(entry.step, Let):
                previous = entry.guards
            if entry.target:
                current[entry.target] = entry.version

    def _remember(self, path: str, version: int) -> None:
        if (version == 0 and "." not in path) or (path, version) in self._olds:
            return
        stem = path.replace(".", "_")
        name = f"initial_{stem}" if version == 0 else f"{stem}_v{version}"
        while name in self._log.reserved or name in self._log.taken:
            name += "_"
        self._log.taken.add(name)
        self._olds[path, version] = name

    def _grouped(self, entries: list[Entry], start: int, stop: int, depth: int) -> list[Step]:
        steps: list[Step] = []
        index = start
        while index < stop:
            entry = entries[index]
            if isinstance(entry.step, Let) or len(entry.guards) <= depth:
                steps.extend(self._written(entry, ()))
                index += 1
                continue
            end = index + 1
            guard = entry.guards[depth]
            while end < stop and (
                isinstance(entries[end].step, Let)
                or (len(entries[end].guards) > depth and entries[end].guards[depth] == guard)
            ):
                end += 1
            while isinstance(entries[end - 1].step, Let):
                end -= 1
            width = depth + 1
            members = [e for e in entries[index:end] if not isinstance(e.step, Let)]
            if len(members) == 1:
                for other in entries[index:end]:
                    steps.extend(self._written(other, other.guards[depth:] if other is members[0] else ()))
                index = end
                continue
            while all(len(m.guards) > width and m.guards[width] == members[0].guards[width] for m in members):
                width += 1
            when = self._bare(conjunction(entry.guards[depth:width]))
            inner = self._grouped(entries, index, end, width)
            first = next(s for s in inner if not isinstance(s, Let))
            steps.append(Block(first.at, first.function, when=when, steps=tuple(inner)))
            index = end
        return steps

    def _written(self, entry: Entry, guards: tuple[Expression, ...]) -> list[Step]:
        """The entry's step, and after it a `let` for each version that it makes and a later step needs."""
        step = entry.step
        before: list[Step] = []
        if entry.target:
            old = self._olds.get((entry.target, entry.version - 1))
            if old is not None:
                before.append(Let(step.at, step.function, old, Name(entry.target)))
        when = self._bare(conjunction((*guards, step.when)))
        match step:
            case Let(name=name, value=value):
                made: Step = Let(step.at, step.function, name, self._bare(value))
            case Set(target=target, value=value):
                made = Set(step.at, step.function, target, self._bare(value), when=when)
                self._current[target] = entry.version
            case Refuse():
                made = Refuse(step.at, step.function, when=when, exception=step.exception)
            case _:
                made = Notice(step.at, step.function, when=when)
        return [*before, made]

    def _bare(self, expression: Expression) -> Expression:
        names: dict[str, Expression] = {}
        for path, version in _versions(expression):
            if version == self._current.get(path, 0):
                names[f"{path}@{version}"] = Name(path)
            elif (path, version) in self._olds:
                names[f"{path}@{version}"] = Name(self._olds[path, version])
            else:
                names[f"{path}@{version}"] = Name(f"given.{path}")
        return substituted(expression, names) if names else expression


def split_version(path: str) -> tuple[str, int] | None:
    """`("tp_size", 2)` for `tp_size@2`; None for a name without a version."""
    match = _VERSION.match(path)
    return (match["path"], int(match["version"])) if match else None


def _versions(expression: Expression) -> list[tuple[str, int]]:
    found = (split_version(n.path) for n in expression.distinct() if isinstance(n, Name))
    return list(dict.fromkeys(pair for pair in found if pair is not None))


def _shared(left: tuple[Expression, ...], right: tuple[Expression, ...]) -> int:
    count = 0
    while count < min(len(left), len(right)) and left[count] == right[count]:
        count += 1
    return count


def _own_expressions(entry: Entry) -> list[Expression]:
    step = entry.step
    own = [step.value] if isinstance(step, Let | Set) else []
    return own if step.when == TRUE else [*own, step.when]


def _expressions(entry: Entry) -> list[Expression]:
    return [*entry.guards, *_own_expressions(entry)]
