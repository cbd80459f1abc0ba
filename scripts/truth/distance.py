"""How far a configuration is from breaking a rule, and which leaves, set how, would bring it nearer.

The distance of a condition is that of search-based testing: of an `and` the sum, of an `or` the least; of a
comparison whether one of its names, with another value, would do. A name's value is followed to the steps
that gave it: through named values, both branches of a choice, and each of the steps that may set it. Changes
nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from constraints.domain import candidate_values
from constraints.expression.evaluate import evaluate, truth
from constraints.expression.forms import free_names
from constraints.expression.syntax import And, Conditional, Expression, Literal, Name, Not, Or
from constraints.expression.values import MISSING, UNKNOWN, Fault, same
from scripts.truth.scenes import Stage
from solver.program import ALWAYS, NOTHING, Kind, Terms
from solver.resolution import Resolution

Value: TypeAlias = Any
Lookup: TypeAlias = Callable[[str], Value]

_FAR = 30.0
"""The distance of what nothing here can bring about."""

_DEPTH = 9
_LOOKS = 4000
"""How many parts of expressions one distance looks at."""

_FACTS = {"model": 1.5, "draft_model": 1.5, "env": 1.0, "environ": 1.0, "env_set": 1.0}
_MACHINE = 3.0

_WISHES = 12
"""How many values are wished for one leaf."""


@dataclass
class Distance:
    """Distances under one resolution, and the wishes that came up on the way.

    Attributes:
        wishes: for each leaf the values that would bring a rule nearer.
    """

    stage: Stage
    resolution: Resolution
    pool: dict[str, list[Value]]
    wishes: dict[int, list[Value]] = field(default_factory=dict)
    _looks: int = 0
    _known: dict[tuple[int, bool], float] = field(default_factory=dict)
    _named: dict[int, Value] = field(default_factory=dict)

    def of_node(self, node: int, *, want: bool) -> float:
        """How far a rule or a block is from holding, or from not holding."""
        return self._condition(node, want, _DEPTH)

    def _condition(self, node: int, want: bool, depth: int) -> float:  # noqa: FBT001
        """The condition of a step with those of the blocks around it."""
        key = (node, want)
        if key not in self._known:
            self._known[key] = _FAR  # in a circle there is nothing to gain
            self._known[key] = self._of_condition(node, want, depth)
        return self._known[key]

    def _of_condition(self, node: int, want: bool, depth: int) -> float:  # noqa: FBT001
        program = self.resolution.program
        terms = program.terms(node)
        own = self._truth(terms.when, want, terms, depth)
        guard = program.guards[node]
        if guard == ALWAYS or program.kinds[node] == Kind.LET:
            return own
        around = self._condition(guard, want, depth)
        return own + around if want else min(own, around)

    def _truth(self, expression: Expression, want: bool, terms: Terms, depth: int) -> float:  # noqa: FBT001
        self._looks += 1
        now = truth(expression, self._lookup(terms))
        if now is want or (want and isinstance(now, Fault)):
            return 0.0
        if depth <= 0 or self._looks > _LOOKS:
            return 2.0
        if isinstance(expression, Not):
            return self._truth(expression.operand, not want, terms, depth)
        if isinstance(expression, (And, Or)):
            parts = [self._truth(each, want, terms, depth) for each in expression.operands]
            return sum(parts) if isinstance(expression, And) == want else min(parts)
        if isinstance(expression, Conditional):
            return min(
                self._truth(expression.test, True, terms, depth)
                + self._truth(expression.then, want, terms, depth),
                self._truth(expression.test, False, terms, depth)
                + self._truth(expression.otherwise, want, terms, depth),
            )
        if isinstance(expression, Literal):
            return _FAR
        return self._through_names(expression, lambda value: value is want, terms, depth, boolean=True)

    def _through_names(
        self,
        expression: Expression,
        accept: Callable[[Value], bool],
        terms: Terms,
        depth: int,
        *,
        boolean: bool,
        wanted: Sequence[Value] = (),
    ) -> float:
        """The least distance to one of an expression's names having a value with which it is accepted."""
        names = sorted(free_names(expression) & terms.producers.keys())[:6]
        literals = [each.value for each in expression.distinct() if isinstance(each, Literal)]
        literals = [*wanted, *map(_as_json, wanted), *literals]
        read = truth if boolean else evaluate
        best = _FAR
        for name in names:
            producer = terms.producers[name]
            lookup = self._lookup(terms)
            fitting = [
                candidate
                for candidate in self._candidates(producer, literals)
                if accept(read(expression, _with(lookup, name, candidate)))
            ]
            if fitting:
                best = min(best, self._value(producer, fitting, depth - 1))
            elif self.resolution.program.kinds[producer] in {Kind.LET, Kind.SET} and depth > 1:
                best = min(best, 1.0 + self._any_change(producer, depth - 2))
        return best

    def _lookup(self, terms: Terms) -> Lookup:
        return lambda path: self._read(terms.producers.get(path, NOTHING))

    def _read(self, node: int) -> Value:
        """A node's value; of a named value in a block that is not entered, what it would be."""
        program, value = self.resolution.program, self.resolution.values[node]
        if value is not MISSING or node < program.leaf_count or program.kinds[node] != Kind.LET:
            return value
        if node not in self._named:
            terms = program.terms(node)
            expression = terms.value
            self._named[node] = MISSING if expression is None else evaluate(expression, self._lookup(terms))
        return self._named[node]

    def _any_change(self, node: int, depth: int) -> float:
        """Wishes for whatever may give a node another value: nobody knows which is wanted."""
        program = self.resolution.program
        if self._looks > _LOOKS or depth <= 0:
            return 2.0
        if node < program.leaf_count:
            self._wish(node, self._candidates(node, ())[:8])
            return 1.0
        terms = program.terms(node)
        best = 2.0
        for each in (terms.value, terms.when):
            if each is None:
                continue
            for name in sorted(free_names(each) & terms.producers.keys())[:4]:
                best = min(best, self._any_change(terms.producers[name], depth - 2))
        return best

    def _value(self, node: int, wanted: Sequence[Value], depth: int) -> float:
        """How far a node is from having one of the wanted values."""
        program = self.resolution.program
        self._looks += 1
        if _among(self._read(node), wanted):
            return 0.0
        if node < program.leaf_count:
            return self._leaf(node, wanted)
        if depth <= 0 or self._looks > _LOOKS:
            return 2.0
        terms = program.terms(node)
        if program.kinds[node] == Kind.LET:
            return self._of_value(terms.value, wanted, terms, depth) if terms.value is not None else _FAR
        if program.kinds[node] != Kind.SET or terms.value is None:
            return _FAR
        taken = self._of_value(terms.value, wanted, terms, depth - 1)
        if taken < _FAR:
            taken += self._condition(node, True, depth - 1)
        kept = self._value(program.previous[node], wanted, depth)
        if kept < _FAR:
            kept += self._condition(node, False, depth - 1)
        return min(taken, kept)

    def _of_value(self, expression: Expression, wanted: Sequence[Value], terms: Terms, depth: int) -> float:
        now = evaluate(expression, self._lookup(terms))
        if _among(now, wanted):
            return 0.0
        if isinstance(expression, Literal):
            return _FAR
        if isinstance(expression, Name):
            return self._value(terms.producers.get(expression.path, NOTHING), wanted, depth)
        if isinstance(expression, Conditional):
            return min(
                self._truth(expression.test, True, terms, depth)
                + self._of_value(expression.then, wanted, terms, depth),
                self._truth(expression.test, False, terms, depth)
                + self._of_value(expression.otherwise, wanted, terms, depth),
            )
        if all(isinstance(each, bool) for each in wanted) and isinstance(expression, (And, Or, Not)):
            return self._truth(expression, bool(wanted[0]), terms, depth)
        return self._through_names(
            expression,
            lambda value: _among(value, wanted),
            terms,
            depth,
            boolean=False,
            wanted=wanted,
        )

    def _leaf(self, leaf: int, wanted: Sequence[Value]) -> float:
        name = self.resolution.program.names[leaf]
        if leaf == NOTHING or name == "model_path":
            return _FAR
        if name in self.resolution.program.leaf_of_flag:
            wanted = [value for value in wanted if self.stage.can_be(name, value)]
            self._wish(leaf, wanted)
            return 1.0 if wanted else _FAR
        self._wish(leaf, wanted)
        return _FACTS.get(name.partition(".")[0], _MACHINE)

    def _wish(self, leaf: int, wanted: Iterable[Value]) -> None:
        wishes = self.wishes.setdefault(leaf, [])
        for value in wanted:
            if len(wishes) < _WISHES and not _among(value, wishes):
                wishes.append(value)

    def _candidates(self, node: int, literals: Sequence[Value]) -> list[Value]:
        """Values worth trying for what a name stands for."""
        program = self.resolution.program
        near: list[Value] = []
        present = self._read(node)
        for value in (*literals, present):
            near.append(value)
            if isinstance(value, int) and not isinstance(value, bool):
                near += (value - 1, value + 1, value * 2)
        near += (True, False, None, 1, 2, 0, 3, -1, "other")
        if node < program.leaf_count:
            name = program.names[node]
            if name in program.leaf_of_flag:
                flag = program.flags[name]
                own = candidate_values(flag, near).values
                near = [flag.default, *own[:60], *self.pool.get(name, ())[:40], *_records(literals, present)]
            elif name.startswith(("model.", "draft_model.", "gpu.", "host.", "package.")):
                near = self.stage.values_of(node)[:40]
            else:
                near += self.pool.get(name, ())
        else:
            near += [literal for literal in self._literals_of(node) if not _among(literal, near)]
            near += _records(literals, present)
        return near

    def _literals_of(self, node: int) -> list[Value]:
        """The literals that steps may have given a node."""
        program = self.resolution.program
        found: list[Value] = []
        while node >= program.leaf_count and len(found) < 40:
            value = program.terms(node).value
            if value is not None:
                found += [each.value for each in value.distinct() if isinstance(each, Literal)]
            if program.kinds[node] != Kind.SET:
                break
            node = program.previous[node]
        if 0 < node < program.leaf_count and program.names[node] in program.leaf_of_flag:
            found += candidate_values(program.flags[program.names[node]], ()).values[:40]
        return found


def _records(literals: Sequence[Value], present: Value) -> list[Value]:
    """JSON objects with a part that an expression may ask for."""
    keys = [each for each in literals if isinstance(each, str)][:4]
    if not keys or not (present is None or present is MISSING or isinstance(present, (dict, str, list))):
        return []
    numbers = [each for each in literals if isinstance(each, (int, float)) and not isinstance(each, bool)]
    parts: list[Value] = [
        1,
        0,
        -1,
        "other",
        True,
        None,
        {},
        [],
        0.5,
        *(n + step for n in numbers[:3] for step in (-1, 0, 1)),
    ]
    before = present if isinstance(present, dict) else {}
    made: list[Value] = [{**before, key: part} for key in keys for part in parts]
    return [*made, *map(json.dumps, made), *([each] for each in made)]


def _as_json(value: Value) -> Value:
    try:
        return json.dumps(value)
    except TypeError:
        return None


def _with(lookup: Lookup, name: str, value: Value) -> Lookup:
    """A lookup in which one name has another value."""
    return lambda path: value if path == name else lookup(path)


def _among(value: Value, values: Iterable[Value]) -> bool:
    if value is UNKNOWN or isinstance(value, Fault):
        return False
    return any(value is each or (each is not MISSING and same(value, each)) for each in values)
