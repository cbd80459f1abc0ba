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

from typing import TYPE_CHECKING, final

from constraints.expression.values import UNKNOWN, same
from solver.program import ALWAYS, Kind

if TYPE_CHECKING:
    from constraints.expression.syntax import Expression
    from constraints.vocabulary import Value
    from solver.program import Leaves, Terms
    from solver.resolution import Resolution
    from solver.unknown import Unknowns

_PASSED_THROUGH = frozenset({Kind.LET, Kind.GUARD})
"""What is unknown is looked through where it is one of these."""


@final
class Telling:
    """Compares how rules are undecided under a command, and without its flags.

    Args:
        resolution: under the command; made from `base` by `with_given`, in one step or several.
        unknowns: why values in it are not known.
        base: without its flags, in the same world.
        given: the leaves of the flags that it gives another value than they have without it.
        unsaid: the leaves of facts that nobody was asked about: of the machine, or of the model.
    """

    def __init__(
        self, resolution: Resolution, unknowns: Unknowns, base: Resolution, given: Leaves, unsaid: Leaves
    ) -> None:
        self._program = resolution.program
        self._now = resolution.values
        self._before = base.values
        self._given = given
        self._unsaid = unsaid
        self._near = resolution.program.near
        self._unknowns = unknowns
        self._said: dict[tuple[int, bool], Leaves] = {}
        self._unreached: set[int] = set()
        self._below: dict[int, Leaves] = {}

    def flags(self, node: int) -> tuple[str, ...]:
        """The flags given that an undecided rule hangs on, by name; none where it says nothing."""
        if not self._near[node] & self._given or not self._is_reached(node):
            return ()
        is_unsaid = self._hangs_on_what_is_unsaid(node)
        if is_unsaid and self._before[node] is UNKNOWN:
            return ()
        found = 0
        while node != ALWAYS:
            found |= self._said_by(node, is_unsaid=is_unsaid)
            node = self._program.guards[node]
        return tuple(sorted(self._program.flags_of(found)))

    def _hangs_on_what_is_unsaid(self, node: int) -> bool:
        """Whether it is unsaid facts alone that leave a node unknown."""
        unknown = self._unknown_below(node)
        if unknown & ~self._unsaid:
            unknown = self._unknowns.leaves(node)
        return bool(unknown) and not unknown & ~self._unsaid

    def _unknown_below(self, node: int) -> Leaves:
        """The unknown leaves below a node, by unknown nodes: quick to find, but perhaps too many."""
        below, now, reads, leaf_count = self._below, self._now, self._program.reads, self._program.leaf_count
        waiting = [node]
        while waiting:
            each = waiting[-1]
            if each in below:
                waiting.pop()
                continue
            leaves, is_open = 0, False
            for read in reads[each]:
                if now[read] is UNKNOWN:
                    if read < leaf_count:
                        leaves |= 1 << read
                    elif read in below:
                        leaves |= below[read]
                    else:
                        waiting.append(read)
                        is_open = True
            if not is_open:
                below[each] = leaves
                waiting.pop()
        return below[node]

    def _is_reached(self, node: int) -> bool:
        """Whether a value that the node reads, itself or through unknown named values, may be another one."""
        program, now, before = self._program, self._now, self._before
        seen, waiting = {node}, [node]
        while waiting:
            for read in program.reads[waiting.pop()]:
                if now[read] is not before[read]:
                    return True
                is_open = now[read] is UNKNOWN and program.kinds[read] in _PASSED_THROUGH
                if is_open and read not in self._unreached and read not in seen:
                    seen.add(read)
                    waiting.append(read)
        self._unreached |= seen
        return False

    def _said_by(self, node: int, *, is_unsaid: bool) -> Leaves:
        """The flags given that the condition of a node, or a named value, says something about."""
        found = self._said.get((node, is_unsaid))
        if found is None:
            terms = self._program.terms(node)
            condition = terms.when if terms.value is None else terms.value
            found = self._telling(condition, terms, is_unsaid=is_unsaid)
            self._said[node, is_unsaid] = found
        return found

    def _telling(self, condition: Expression, terms: Terms, *, is_unsaid: bool) -> Leaves:
        """The flags given that are read by the tests of a condition that say something."""
        from constraints.expression.syntax import And, Conditional, Name, Not, Or

        producers = terms.producers.values()
        if not any(self._near[producer] & self._given for producer in producers):
            return 0
        now = self._truth(condition, terms, self._now)
        if now is UNKNOWN and isinstance(condition, (Not, And, Or, Conditional)):
            found = 0
            for each in condition.children():
                found |= self._telling(each, terms, is_unsaid=is_unsaid)
            return found
        if now is UNKNOWN and isinstance(condition, Name):
            producer = terms.producers[condition.path]
            if self._program.kinds[producer] == Kind.LET:
                return self._said_by(producer, is_unsaid=is_unsaid)
        read = self._read(condition, terms) & self._given
        if not read or is_unsaid:
            return read if now is UNKNOWN else 0
        return 0 if same(now, self._truth(condition, terms, self._before)) else read

    def _read(self, condition: Expression, terms: Terms) -> Leaves:
        from constraints.expression.forms import free_names

        read = 0
        for path in free_names(condition) & terms.producers.keys():
            read |= self._near[terms.producers[path]]
        return read

    @staticmethod
    def _truth(condition: Expression, terms: Terms, values: list[Value]) -> Value:
        from constraints.expression.evaluate import truth

        return truth(condition, lambda path: values[terms.producers[path]])
