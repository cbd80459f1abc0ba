"""What the questions answer with: frozen records, each with a `to_dict()`; nothing here computes an answer.

Sentences stand beside the data that they say, never instead of it. `check`, `suggest_fix` and `what_if`
make these records; `report` prints them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import Enum, StrEnum
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from constraints.catalog import Value
    from constraints.expression.syntax import Expression
    from solver.launch import Launch, Place
    from solver.repair import Change

LeafKind: TypeAlias = Literal["given", "default", "fact"]
ViolationKind: TypeAlias = Literal["rule", "crash", "argument"]
Certainty: TypeAlias = Literal["certain", "depends", "advice"]
SearchStatus: TypeAlias = Literal["nothing-to-mend", "found", "none-exists", "gave-up"]
Applicability: TypeAlias = Literal["machine-applicable", "maybe-incorrect", "has-placeholders"]


class Answer:
    """What every record here can do: say itself in plain JSON values."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Its fields by name as JSON values, the same for the same answer in every process."""
        return {each.name: plain(getattr(self, each.name)) for each in fields(self)}  # type: ignore[arg-type]


def plain(value: object) -> Any:
    """A value as JSON can hold it: sets sorted, tuples as lists, expressions as text.

    What is no JSON value (not known, an error met while evaluating) becomes a dict that says so.
    """
    from constraints.expression.syntax import Expression
    from constraints.expression.text import text
    from constraints.expression.values import MISSING, UNKNOWN, Fault

    if value is UNKNOWN:
        return {"unknown": True}
    if value is MISSING:
        return {"missing": True}
    if isinstance(value, Fault):
        return {"error": value.kind, "detail": value.detail}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Expression):
        return text(value)
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted((plain(each) for each in value), key=repr)
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, float) and not isfinite(value):
        return repr(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    to_dict = getattr(value, "to_dict", None)
    return plain(to_dict()) if to_dict is not None else str(value)


class Verdict(StrEnum):
    """What becomes of a command: it starts, the engine refuses it, or that hangs on what is not known."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    DEPENDS = "depends"


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


@dataclass(frozen=True, slots=True)
class World(Answer):
    """What was said about the world that the command runs in.

    Attributes:
        sources: what each group of facts was taken from: `{"gpu": "h100", "model_config": "config.json"}`.
        facts: every fact known, by dotted path. Too many to print: left out of `to_dict()`.
    """

    sources: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, Value] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The sources alone."""
        return {"sources": dict(self.sources)}


@dataclass(frozen=True, slots=True)
class Report(Answer):
    """What becomes of one command under one release.

    Attributes:
        verdict: refused where there is a violation, else depends where something is undecided, else accepted.
        violations: all of them: arguments first, then rules in pipeline order.
        rewrites: flags given whose final value differs, by name.
        undecided: in pipeline order.
        notices: in pipeline order.
        release: the engine's version; `release_source`: why that one.
        launch: the command as it was read.
        world: the facts.
    """

    verdict: Verdict
    violations: tuple[Violation, ...]
    rewrites: tuple[Rewrite, ...]
    undecided: tuple[Undecided, ...]
    notices: tuple[Remark, ...]
    release: str
    launch: Launch
    world: World = field(default_factory=World)
    release_source: str = ""


@dataclass(frozen=True, slots=True)
class Respelling(Answer):
    """A word that is no flag of the release, and what goes in its place; nothing, where it is to go."""

    before: str
    after: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Repair(Answer):
    """One way to mend a command.

    Attributes:
        changes: what to change, each with the widest set of values that mends.
        respellings: misspelt flags put right, and words without a meaning taken out.
        cost: preference weight; lower is likelier to be what the user wants.
        applicability: whether it may be applied as it stands.
        words: the whole command changed, word by word; placeholders as `<…>`.
        command: the same as text, all else as it was written.
    """

    changes: tuple[Change, ...]
    cost: int
    applicability: Applicability
    words: tuple[str, ...]
    command: str
    respellings: tuple[Respelling, ...] = ()


@dataclass(frozen=True, slots=True)
class SuggestedFix(Answer):
    """The smallest repairs of a command.

    Attributes:
        report: the check of the command as it is.
        status: nothing to mend, repairs found, a proof that there are none, or the budget ran out.
        size: how many flags the repairs change, respellings among them; 0 where nothing is to mend, None
            where none was found.
        proven_smallest: whether it is proven that no smaller set of changes mends.
        repairs: of that size, cheapest first.
        complete: whether these are all of that size.
        at_least: proven: every repair changes at least so many flags.
        unmendable: where there is no repair, violations for which facts alone, or flags that must not
            change, suffice.
        leaves_undecided: whether the repairs leave rules undecided that the command decides: there are
            none that do not.
    """

    report: Report
    status: SearchStatus
    size: int | None
    proven_smallest: bool
    repairs: tuple[Repair, ...] = ()
    complete: bool = False
    at_least: int = 0
    unmendable: tuple[Violation, ...] = ()
    leaves_undecided: bool = False


@dataclass(frozen=True, slots=True)
class FinalValue(Answer):
    """A flag that the engine ends up with another value of: with the command as it was, and as changed."""

    flag: str
    before: Value
    after: Value


@dataclass(frozen=True, slots=True)
class WhatIf(Answer):
    """What changes when a command is changed.

    Attributes:
        before, after: the checks of both.
        newly_broken, newly_mended: violations of one that are not in the other.
        final_values: flags whose final value differs, by name.
        further: the smallest changes that mend what is still broken, with the changes asked for held
            fast; None where nothing is.
        words, command: the changed command.
    """

    before: Report
    after: Report
    newly_broken: tuple[Violation, ...]
    newly_mended: tuple[Violation, ...]
    final_values: tuple[FinalValue, ...]
    further: SuggestedFix | None
    words: tuple[str, ...]
    command: str


@dataclass(frozen=True, slots=True)
class Possibility(Answer):
    """What becomes of the command with one value of a flag."""

    value: Value
    verdict: Verdict
    violations: tuple[Violation, ...] = ()
    undecided: tuple[Undecided, ...] = ()


@dataclass(frozen=True, slots=True)
class AllowedValues(Answer):
    """Which values a flag may take, all other flags as they are.

    Attributes:
        flag: its field name.
        possibilities: the candidate values in order of preference; for numbers, the values at which
            some rule may change its mind.
    """

    flag: str
    possibilities: tuple[Possibility, ...]

    @property
    def values(self) -> tuple[Value, ...]:
        """The candidates that no rule refuses."""
        return tuple(each.value for each in self.possibilities if each.verdict is not Verdict.REFUSED)
