"""Why a value is not known: the leaves that nobody has said, as far as it hangs on them. Decides nothing."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, final

from constraints.expression.evaluate import truth
from constraints.expression.forms import free_names
from constraints.expression.syntax import TRUE, And, Conditional, Expression, Name, Not, Or
from constraints.expression.values import UNKNOWN
from constraints.vocabulary import Value
from solver.identity import Identity
from solver.program import ALWAYS, Kind, Leaves, Program, Terms
from solver.resolution import Resolution
from solver.stepping import condition_of


def unknowns_of(base: Resolution) -> Unknowns:
    """The same object for the same resolution, as long as it is among the last few."""
    return _kept(Identity(base))


@lru_cache(maxsize=32)
def _kept(base: Identity) -> Unknowns:
    return Unknowns(base.of)


@final
class Unknowns:
    """The unknown leaves behind the unknown values of a resolution. Remembers what it has found.

    Args:
        resolution: the values.
        base: the same for the resolution that this one was made from by `with_given`.
    """

    __slots__ = ("_base", "_behind", "_found", "_program", "_touched", "_values")

    def __init__(self, resolution: Resolution, *, base: Unknowns | None = None) -> None:
        self._program: Final[Program] = resolution.program
        self._values: Final = resolution.values
        self._base: Final = base
        self._touched: Final = frozenset(resolution.touched)
        self._found: Final[dict[int, Leaves]] = {}
        self._behind: Final[dict[int, list[int]]] = {}

    def leaves(self, node: int) -> Leaves:
        """The unknown leaves that an unknown node hangs on; none where its expression alone is at fault."""
        found, waiting = self._found, [node]
        while waiting:
            each = waiting[-1]
            if each in found:
                waiting.pop()
                continue
            if each < self._program.leaf_count:
                found[each] = 1 << each
                continue
            unknown = self._directly_behind(each)
            fresh = [read for read in unknown if read not in found]
            if fresh:
                waiting.extend(fresh)
                continue
            leaves = 0
            for read in unknown:
                leaves |= found[read]
            found[each] = leaves
        return found[node]

    def _directly_behind(self, node: int) -> list[int]:
        """The unknown nodes directly read that make a node unknown."""
        if self._base is not None and node not in self._touched:
            return self._base._directly_behind(node)  # noqa: SLF001 - what it reads is the same there
        behind = self._behind.get(node)
        if behind is None:
            behind = self._behind[node] = [each for each in self._used(node) if self._values[each] is UNKNOWN]
        return behind

    def _used(self, node: int) -> set[int]:
        program = self._program
        terms = program.terms(node)
        found: set[int] = set()
        if program.guards[node] != ALWAYS and program.kinds[node] != Kind.LET:
            if self._values[program.guards[node]] is False:
                return {program.previous[node]}
            found.add(program.guards[node])
        if terms.when != TRUE:
            found |= self._in(terms.when, terms)
        if terms.value is not None:
            found |= self._in(terms.value, terms) or self._all_in(terms.value, terms)
            if (
                program.kinds[node] == Kind.SET
                and condition_of(program, node, terms, self._values) is not True
            ):
                found.add(program.previous[node])
        return found

    def _in(self, expression: Expression, terms: Terms) -> set[int]:
        """The nodes read by the parts of a condition that are unknown."""
        if self._truth(expression, terms) is not UNKNOWN:
            return set()
        if isinstance(expression, Name):
            return {terms.producers[expression.path]}
        parts: tuple[Expression, ...] = ()
        if isinstance(expression, (Not, And, Or)):
            parts = expression.children()
        elif isinstance(expression, Conditional):
            test = self._truth(expression.test, terms)
            if test is UNKNOWN:
                parts = expression.children()
            else:
                parts = (expression.then if test is True else expression.otherwise,)
        if not parts:
            return self._all_in(expression, terms)
        found: set[int] = set()
        for part in parts:
            found |= self._in(part, terms)
        return found

    def _all_in(self, expression: Expression, terms: Terms) -> set[int]:
        return {terms.producers[path] for path in free_names(expression) & terms.producers.keys()}

    def _truth(self, expression: Expression, terms: Terms) -> Value:
        values = self._values
        return truth(expression, lambda path: values[terms.producers[path]])
