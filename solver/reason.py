"""Why a node has its value: a small set of leaves that suffices, whatever all other leaves are.

Goes from a rule back through named values and sets, taking one side of a true `or` and of a false `and`, the
cheaper; through a flag that was set, into the step that set it and the conditions of later writers that did
not take effect. Deals in nodes and bit sets; `explanation` turns them into records and sentences.

What suffices is meant up to crashes: changing other leaves may make the engine crash before it gets here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias, final

from constraints.expression.evaluate import truth
from constraints.expression.forms import free_names
from constraints.expression.support import exact_support, truth_support
from constraints.expression.syntax import Call, Expression
from constraints.expression.values import UNKNOWN, Fault, same
from constraints.vocabulary import Value
from solver.program import ALWAYS, NOTHING, Kind, Leaves, Terms, cones
from solver.resolution import Resolution
from solver.stepping import condition_of

_Find: TypeAlias = Callable[[Expression, Callable[[str], Value], Callable[[str], int]], frozenset[str]]

_MAX_DEPTH = 12
"""How many nodes to go down on Python's stack before starting anew from the deepest one."""


@final
@dataclass(frozen=True, slots=True)
class Costs:
    """What a leaf in a reason costs: the weight of the first group that it is in, else `otherwise`."""

    groups: tuple[tuple[Leaves, int], ...]
    otherwise: int

    def of(self, leaves: Leaves) -> int:
        """The cost of a set of leaves."""
        total = 0
        for group, weight in self.groups:
            total += weight * (leaves & group).bit_count()
            leaves &= ~group
        return total + self.otherwise * leaves.bit_count()


@final
class Reasons:
    """Reasons in one resolution under one notion of what is cheap. Remembers what it has found.

    Args:
        resolution: where to look.
        costs: which leaves to rather do without.
        base: reasons in a resolution that `resolution` was made from. What suffices there and has not changed
            suffices here, if perhaps something cheaper would now.
        different: the leaves that have changed since.
    """

    __slots__ = ("_base", "_costs", "_different", "_found", "_program", "_values")

    def __init__(
        self,
        resolution: Resolution,
        costs: Costs,
        *,
        base: Reasons | None = None,
        different: Leaves = 0,
    ) -> None:
        self._program: Final = resolution.program
        self._values: Final = resolution.values
        self._costs: Final = costs
        self._base: Final = base
        self._different: Final = different
        self._found: Final[dict[int, tuple[Leaves, tuple[int, ...]]]] = {}

    def leaves(self, node: int) -> Leaves:
        """Leaves that suffice for the node to have its value; for one that is unknown, more than need be."""
        return self._reason(node)[0]

    def chain(self, node: int) -> tuple[int, ...]:
        """The nodes between those leaves and the node, itself included, ascending."""
        seen = {node}
        waiting = [node]
        while waiting:
            for each in self._reason(waiting.pop())[1]:
                if each not in seen:
                    seen.add(each)
                    waiting.append(each)
        return tuple(sorted(each for each in seen if each >= self._program.leaf_count))

    def names(self, condition: Expression, terms: Terms) -> frozenset[str]:
        """The names in a node's condition, or in a part of it, that suffice for its truth."""

        def cost(path: str) -> int:
            return self._costs.of(self.leaves(terms.producers[path])) if path in terms.producers else 0

        return truth_support(condition, self._lookup(terms), cost)

    def _reason(self, node: int) -> tuple[Leaves, tuple[int, ...]]:
        """The leaves for a node and the nodes that it was taken from."""
        waiting = [node]
        while waiting:
            try:
                found = self._down(waiting[-1], 0)
            except _TooDeepError as error:
                waiting.append(error.node)
            else:
                waiting.pop()
        return found

    def _down(self, node: int, depth: int) -> tuple[Leaves, tuple[int, ...]]:
        found = self._known(node)
        if found is None:
            if depth > _MAX_DEPTH:
                raise _TooDeepError(node)
            used = self._sufficient(node, depth)
            leaves = 0 if self._values[node] is UNKNOWN else self._that_may_crash(node)
            for each in used:
                leaves |= self._down(each, depth + 1)[0]
            found = self._found[node] = (leaves, tuple(sorted(used)))
        return found

    def _that_may_crash(self, node: int) -> Leaves:
        """Leaves on which it hangs whether something fails that the node only asks that of."""
        program = self._program
        if not program.asks_crashes[node]:
            return 0
        terms = program.terms(node)
        leaves = 0
        for expression in (terms.when, *(() if terms.value is None else (terms.value,))):
            for part in expression.distinct():
                if isinstance(part, Call) and part.function == "crashes":
                    for path in free_names(part) & terms.producers.keys():
                        leaves |= cones(program)[terms.producers[path]]
        return leaves

    def _known(self, node: int) -> tuple[Leaves, tuple[int, ...]] | None:
        if node < self._program.leaf_count:
            return (0 if node == NOTHING else 1 << node), ()
        found = self._found.get(node)
        if found is None and self._base is not None:
            found = self._base._still(node, self._values[node], self._different)  # noqa: SLF001 - its own kind
            if found is not None:
                self._found[node] = found
        return found

    def _still(self, node: int, value: Value, different: Leaves) -> tuple[Leaves, tuple[int, ...]] | None:
        """The reason of a node, if it has that value here too and the reason is not touched."""
        if not same(self._values[node], value):
            return None
        found = self._found.get(node) or self._reason(node)
        return None if found[0] & different else found

    def _sufficient(self, node: int, depth: int) -> set[int]:
        """Nodes directly read that suffice for the value of this one."""
        program, values = self._program, self._values
        if values[node] is UNKNOWN:
            return set(program.reads[node])
        terms = program.terms(node)
        condition = condition_of(program, node, terms, values)
        if terms.value is None or (isinstance(condition, Fault) and program.kinds[node] == Kind.SET):
            return self._for_condition(node, condition, terms, depth)
        find = truth_support if program.truths[node] else exact_support
        if program.kinds[node] == Kind.LET and condition is not False:
            return self._for_expression(find, terms.value, terms, depth)
        used: set[int] = set()
        if condition is not UNKNOWN:
            used |= self._for_condition(node, condition, terms, depth)
        if condition is not True:
            used.add(program.previous[node])
        if condition is not False:
            used |= self._for_expression(find, terms.value, terms, depth)
        return used

    def _for_condition(self, node: int, condition: Value, terms: Terms, depth: int) -> set[int]:
        guard = self._program.guards[node]
        if guard == ALWAYS:
            return self._for_expression(truth_support, terms.when, terms, depth)
        entered = self._values[guard]
        if isinstance(entered, Fault):
            return {guard}
        if entered is False:
            leaves = self._down(guard, depth + 1)[0]
            if leaves.bit_count() < 2 or truth(terms.when, self._lookup(terms)) is not False:
                return {guard}
            own = self._for_expression(truth_support, terms.when, terms, depth)
            return own if self._cost(own, depth) < self._costs.of(leaves) else {guard}
        used = self._for_expression(truth_support, terms.when, terms, depth)
        return used if condition is False else used | {guard}

    def _for_expression(self, find: _Find, expression: Expression, terms: Terms, depth: int) -> set[int]:
        producers = terms.producers

        def cost(path: str) -> int:
            # The variable of a comprehension has no producer.
            return self._cost((producers[path],), depth) if path in producers else 0

        return {producers[path] for path in find(expression, self._lookup(terms), cost)}

    def _cost(self, nodes: Iterable[int], depth: int) -> int:
        leaves = 0
        for node in nodes:
            leaves |= self._down(node, depth + 1)[0]
        return self._costs.of(leaves)

    def _lookup(self, terms: Terms) -> Callable[[str], Value]:
        values, producers = self._values, terms.producers
        return lambda path: values[producers[path]]


class _TooDeepError(Exception):
    """The way down is long: find the reason of this node first."""

    def __init__(self, node: int) -> None:
        super().__init__(node)
        self.node = node
