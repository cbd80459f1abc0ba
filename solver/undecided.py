"""Which undecided rules say something about a command. Decides no rule.

Where facts are missing, many rules are undecided whatever the command is; those say nothing. What a rule
must do to say something depends on why it is undecided:

- Nobody said which machine it is, or which model, and the rule hangs on just that. Then it must hold for
  none without the command's flags, and what is left of it must read one: some unknown number of heads is to
  be a multiple of a size. That it is refused on some other machine or model is not worth saying.
- All that was asked for was said, and still it can't be decided. Then it is enough that one of the tests that
  it is made of, which reads a flag that the command gives, comes out otherwise than without the flags.
"""

from __future__ import annotations

from typing import final

from constraints.catalog import Value
from constraints.expression.evaluate import truth
from constraints.expression.forms import free_names
from constraints.expression.syntax import And, Conditional, Expression, Name, Not, Or
from constraints.expression.values import UNKNOWN, same
from solver.program import ALWAYS, Kind, Leaves, Terms
from solver.resolution import Resolution


@final
class Telling:
    """Compares how rules are undecided under a command, and without its flags.

    Args:
        resolution: under the command, made from `base` by `with_given`.
        base: without its flags, in the same world.
        given: the leaves of the flags that it gives another value than they have without it.
        unsaid: the leaves of facts that nobody was asked about: of the machine, or of the model.
    """

    def __init__(self, resolution: Resolution, base: Resolution, given: Leaves, unsaid: Leaves) -> None:
        self._program = resolution.program
        self._now = resolution.values
        self._before = base.values
        self._given = given
        self._unsaid = unsaid
        self._near = resolution.program.near
        self._unknown: dict[int, Leaves] = {}

    def flags(self, node: int) -> tuple[str, ...]:
        """The flags given that an undecided rule hangs on, by name; none where it says nothing."""
        if not self._near[node] & self._given:
            return ()
        unknown = self._unknown_leaves(node)
        is_unsaid = bool(unknown) and not unknown & ~self._unsaid
        if is_unsaid and self._before[node] is UNKNOWN:
            return ()
        found = 0
        while node != ALWAYS:
            terms = self._program.terms(node)
            found |= self._telling(terms.when, terms, is_unsaid=is_unsaid)
            node = self._program.guards[node]
        return tuple(sorted(self._program.flags_of(found)))

    def _telling(self, condition: Expression, terms: Terms, *, is_unsaid: bool) -> Leaves:
        """The flags given that are read by the tests of a condition that say something."""
        now = self._truth(condition, terms, self._now)
        if now is UNKNOWN and isinstance(condition, (Not, And, Or, Conditional)):
            found = 0
            for each in condition.children():
                found |= self._telling(each, terms, is_unsaid=is_unsaid)
            return found
        if now is UNKNOWN and isinstance(condition, Name):
            producer = terms.producers[condition.path]
            inner = self._program.terms(producer) if self._program.kinds[producer] == Kind.LET else None
            if inner is not None and inner.value is not None:
                return self._telling(inner.value, inner, is_unsaid=is_unsaid)
        if is_unsaid:
            says = now is UNKNOWN
        else:
            says = not same(now, self._truth(condition, terms, self._before))
        return self._read(condition, terms) & self._given if says else 0

    def _read(self, condition: Expression, terms: Terms) -> Leaves:
        read = 0
        for path in free_names(condition) & terms.producers.keys():
            read |= self._near[terms.producers[path]]
        return read

    def _unknown_leaves(self, node: int) -> Leaves:
        """The leaves that are not known among those that an unknown node may hang on."""
        found, seen, waiting = 0, {node}, [node]
        while waiting:
            each = waiting.pop()
            known = self._unknown.get(each)
            if known is not None:
                found |= known
            elif each < self._program.leaf_count:
                found |= 1 << each
            else:
                fresh = (read for read in self._program.reads[each] if self._now[read] is UNKNOWN)
                waiting.extend(read for read in fresh if read not in seen)
                seen.update(self._program.reads[each])
        self._unknown[node] = found
        return found

    @staticmethod
    def _truth(condition: Expression, terms: Terms, values: list[Value]) -> Value:
        return truth(condition, lambda path: values[terms.producers[path]])
