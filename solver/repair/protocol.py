"""What the repair search asks of the rules: a Protocol, and the values it speaks of. No algorithm.

The search knows flags by name, rules by opaque identifiers, and values as things to hand back. How a rule is
evaluated, through which rewrites it depends on which flags, and what the world is like, is the
implementer's. Everything is relative to one *present configuration*, that of the `Constraints` object;
`changes` say how another configuration differs from it.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal, Protocol, TypeAlias

from constraints.vocabulary import Value

Rule: TypeAlias = Hashable
"""Names a rule. Equal for the same rule in every call; printed by nobody here."""

Changes: TypeAlias = Mapping[str, Value]
"""Flag to new value. `NOT_GIVEN` takes the flag out of the command; flags not named stay as they are."""

DomainKind: TypeAlias = Literal["choice", "integer", "number", "text"]


class NotGiven(Enum):
    """The type of `NOT_GIVEN`."""

    NOT_GIVEN = "not given"

    def __repr__(self) -> str:
        return "NOT_GIVEN"

    def __str__(self) -> str:
        return self.value


NOT_GIVEN: Final = NotGiven.NOT_GIVEN
"""The value of a flag that the command does not hold."""


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A value that only the user knows: a path, a name, a piece of JSON.

    The implementer evaluates it as a value of the right type about which nothing else is known.

    Attributes:
        hint: what to put there, `PATH`; printed as `<PATH>`.
    """

    hint: str

    def __str__(self) -> str:
        return f"<{self.hint}>"


@dataclass(frozen=True, slots=True)
class Domain:
    """What a flag can be changed to.

    Attributes:
        values: the candidates, best first, without the present value; `NOT_GIVEN` among them where the flag
            may be left out, a `Placeholder` where only the user knows a value. Empty: no change of the flag
            mends. No two need be hashable or comparable; two equal ones are two candidates.
        kind: `choice`: the candidates are all there is (the present value aside). `integer`, `number`: the
            numbers among them are break-points: between two neighbours (the present value counts as one)
            rules tell values apart by divisibility at most (a multiple or not), so that a gap between two
            that mend may be claimed after a few probes. `text`: any text, of which the candidates are
            examples.
        moduli: for `integer`, positive numbers by which some rule may divide the flag. A gap is probed at a
            multiple of each, and over a whole period of a small one. Need not be complete; claims are only
            as good as it.
    """

    values: tuple[Value, ...]
    kind: DomainKind = "choice"
    moduli: tuple[int, ...] = ()


class Constraints(Protocol):
    """A present configuration, and what the rules say of its neighbours.

    All methods are pure: the same arguments give the same answer, in the same order, in every process.
    None is called with a change to the present value. `changes` hold candidates of the flags' domains
    and, for `integer` and `number` flags, also numbers between candidates.
    """

    def present(self, flag: str) -> Value:
        """The flag's value in the present configuration, as it was given; `NOT_GIVEN` where it was not."""
        ...

    def can_change(self, flag: str) -> bool:
        """Whether a repair may change the flag at all. Asked once a search for each flag that a reason names.

        Where it says no, neither domain nor cost is asked for, and conflicts leave the flag out.
        """
        ...

    def domain(self, flag: str) -> Domain:
        """What the flag can be changed to. Asked once a search for each flag that is tried."""
        ...

    def cost(self, flag: str) -> int:
        """The preference weight of changing the flag, >= 0. Asked once a search, as `can_change` is.

        Of repairs with equally many changes, those of the least total come first.
        """
        ...

    def broken(self, changes: Changes) -> Sequence[Rule]:
        """The rules that stand against the changed configuration, in pipeline order; empty if it is good.

        These are the rules that it breaks (refusals and crashes, also what the argument parser refuses) and
        those that it leaves undecided although the present configuration decides them. So a repair
        never breaks a rule and never leaves more undecided than before. Where it names a rule, it may leave
        out others that are dear to find: they are met when nothing else is broken any more.
        """
        ...

    def reason(self, rule: Rule, changes: Changes) -> frozenset[str]:
        """A smallest set of flags that suffices for `rule` to be among `broken(changes)`.

        Sound: every configuration that agrees with the changed one on these flags has something broken too
        (this rule or another). The proof that a repair is smallest rests on this; a larger set than needed
        costs time, a set too small makes the proof wrong. Empty where facts alone suffice.

        Where there is a choice between sufficient sets, prefer few flags outside `changes`; flags that can't
        change count for nothing. Called only with a rule of `broken(changes)`,
        right after it.
        """
        ...
