"""What a check finds: violations, rewrites, open questions and remarks, with their reasons."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from solver.answers.base import Answer

if TYPE_CHECKING:
    from constraints.expression.syntax import Expression
    from constraints.vocabulary import Value
    from solver.launch import Place

LeafKind: TypeAlias = Literal["given", "default", "fact"]
ViolationKind: TypeAlias = Literal["rule", "crash", "argument"]
Certainty: TypeAlias = Literal["certain", "depends", "advice"]


@dataclass(frozen=True, slots=True)
class Cause(Answer):
    """A leaf of a reason: one value that the world or the command brought in.

    Attributes:
        name: the flag's field name, or the fact's dotted path.
        kind: `given` on the command line, a flag left at its `default`, or a `fact`.
        value: its value; not known, where a reason says why something could not be decided.
        spelling: how the flag was written, or its preferred spelling where it was not; a fact's path.
        place: where it was written, for a flag read from a file or a command.
    """

    name: str
    kind: LeafKind
    value: Value
    spelling: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Choice(Answer):
    """A value that the engine chose on the way from what was given to a violation.

    Attributes:
        variable: the flag or the part of one that was set.
        value: what it was set to.
        at: the step that set it, `file:line`, and the `function` around it.
        condition: under which it did; None where it always does.
    """

    variable: str
    value: Value
    at: str
    function: str
    condition: Expression | None = None


@dataclass(frozen=True, slots=True)
class Reason(Answer):
    """A smallest set of leaves that suffices: whatever all others are, the outcome is the same.

    Attributes:
        causes: what was given, then what was left at its default, then facts, each by name.
        choices: the engine's own choices between the causes and the outcome, in pipeline order.
    """

    causes: tuple[Cause, ...] = ()
    choices: tuple[Choice, ...] = ()

    @property
    def flags(self) -> tuple[str, ...]:
        """The flags among the causes, given or not, by name."""
        return tuple(cause.name for cause in self.causes if cause.kind != "fact")


@dataclass(frozen=True, slots=True)
class Violation(Answer):
    """A rule that the command breaks.

    Attributes:
        code: its stable name: `SGL0123`, or `ARG001` for what the engine's argument parser refuses.
        kind: a `rule` of the engine, a `crash` of it on these values, or an `argument` that it cannot read.
        at: where the engine refuses, `file:line`, and the `function` around it; empty for an argument.
        condition: what holds and must not, with the conditions of the blocks around it left out.
        message: the same in English.
        flags: the flags to look at, those given first.
        reason: what suffices for it.
        certainty: `certain` in every world that fits the facts given; `advice` is no refusal.
        exception: the type of exception that the engine raises.
        suggestion: what was probably meant, for a misspelt argument.
    """

    code: str
    kind: ViolationKind
    at: str
    function: str
    condition: Expression | None
    message: str
    flags: tuple[str, ...]
    reason: Reason
    certainty: Certainty = "certain"
    exception: str = ""
    suggestion: str | None = None


@dataclass(frozen=True, slots=True)
class Rewrite(Answer):
    """A flag that the user gave and that the engine will run with another value.

    Attributes:
        flag: its field name.
        given: what the user gave; `final`: what the engine runs with.
        at: the last step that changed it, `file:line`, and the `function` around it.
        why: its condition in English; empty where it always does.
        reason: what suffices for it.
    """

    flag: str
    given: Value
    final: Value
    at: str
    function: str
    why: str
    reason: Reason = field(default_factory=Reason)


@dataclass(frozen=True, slots=True)
class Undecided(Answer):
    """A rule on the command's own flags that holds in some worlds and not in others.

    Attributes:
        code, at, function, condition: as in `Violation`.
        missing: the facts that would decide it, and flags whose value could not be read, by name;
            empty where the extraction of the rule itself fell short.
        flags: the flags given that it hangs on.
        message: the condition in English.
    """

    code: str
    at: str
    function: str
    missing: tuple[str, ...]
    flags: tuple[str, ...]
    condition: Expression | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class Remark(Answer):
    """Worth knowing, no refusal: the engine warns about it, or the way an argument is written.

    Attributes:
        code: its name; may be empty.
        kind: `engine` for a warning of the engine's resolution, `argument` for the reading of the words.
        message: in English.
        flags: the flags it is about.
        at: where the engine warns, `file:line`, and the `function` around it.
        condition: under which it does.
    """

    code: str
    kind: Literal["engine", "argument"]
    message: str
    flags: tuple[str, ...]
    at: str = ""
    function: str = ""
    condition: Expression | None = None
