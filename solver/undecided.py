"""Which undecided rules say something about a command. Decides no rule.

Where facts are missing, many rules are undecided whatever the command is; those say nothing. A rule does
where its condition is *otherwise* undecided than without the command's flags: one of the tests that it is
made of has another outcome, and reads a flag that the command gives. `fa3` on an unknown GPU is such a
case, and so is a rule that the flags alone would have kept out of the way; the number of attention heads
over an unknown divisor is not.
"""

from __future__ import annotations

from functools import lru_cache
from typing import final

from constraints.catalog import Value
from constraints.expression.evaluate import truth
from constraints.expression.forms import free_names
from constraints.expression.syntax import And, Conditional, Expression, Name, Not, Or
from constraints.expression.values import UNKNOWN, same
from solver.program import ALWAYS, NOTHING, Kind, Leaves, Program, Terms
from solver.resolution import Resolution


@lru_cache(maxsize=8)
def near_flags(program: Program) -> tuple[Leaves, ...]:
    """For each node the flags whose values it reads itself, or through named values and blocks.

    A flag that a step has set counts as itself; what it was set from does not.
    """
    found: list[Leaves] = []
    for node, kind in enumerate(program.kinds):
        if kind == Kind.LEAF:
            found.append(1 << node if node in _flag_leaves(program) else 0)
        elif kind == Kind.SET:
            leaf = program.leaf_of_flag.get(program.names[node].partition(".")[0])
            found.append(0 if leaf is None else 1 << leaf)
        else:
            leaves = 0
            for producer in program.reads[node]:
                leaves |= found[producer]
            found.append(leaves)
    return tuple(found)


def _flag_leaves(program: Program) -> range:
    return range(1, 1 + len(program.leaf_of_flag))


@final
class Telling:
    """Compares how rules are undecided under a command, and without its flags.

    Args:
        resolution: under the command, made from `base` by `with_given`.
        base: without its flags, in the same world.
        given: the leaves of the flags that it gives another value than they have without it.
    """

    def __init__(self, resolution: Resolution, base: Resolution, given: Leaves) -> None:
        self._program = resolution.program
        self._now = resolution.values
        self._before = base.values
        self._given = given
        self._near = near_flags(resolution.program)

    def flags(self, node: int) -> tuple[str, ...]:
        """The flags given that an undecided rule hangs on, by name; none where it says nothing."""
        if not self._near[node] & self._given:
            return ()
        found = 0
        while node != ALWAYS:
            terms = self._program.terms(node)
            found |= self._telling(terms.when, terms)
            node = self._program.guards[node]
        return tuple(sorted(self._program.flags_of(found)))

    def _telling(self, condition: Expression, terms: Terms) -> Leaves:
        """The flags given that are read in the tests of a condition that have another outcome."""
        now = self._truth(condition, terms, self._now)
        if now is UNKNOWN:
            if isinstance(condition, (Not, And, Or, Conditional)):
                return self._any(condition.children(), terms)
            if isinstance(condition, Name):
                return self._named(terms.producers[condition.path])
        if same(now, self._truth(condition, terms, self._before)):
            return 0
        read = 0
        for path in free_names(condition):
            read |= self._near[terms.producers[path]]
        return read & self._given

    def _any(self, conditions: tuple[Expression, ...], terms: Terms) -> Leaves:
        found = 0
        for each in conditions:
            found |= self._telling(each, terms)
        return found

    def _named(self, producer: int) -> Leaves:
        if self._program.kinds[producer] == Kind.LET:
            terms = self._program.terms(producer)
            return 0 if terms.value is None else self._telling(terms.value, terms)
        if producer == NOTHING or same(self._now[producer], self._before[producer]):
            return 0
        return self._near[producer] & self._given

    @staticmethod
    def _truth(condition: Expression, terms: Terms, values: list[Value]) -> Value:
        return truth(condition, lambda path: values[terms.producers[path]])
