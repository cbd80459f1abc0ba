"""What the parser makes of a launch's words: the flags given, problems, notices. Parses nothing itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from constraints.vocabulary import Option, Value
from solver.launch.words import Word

Outcome: TypeAlias = Literal["usage", "crash"]


@dataclass(frozen=True, slots=True)
class GivenFlag:
    """A flag that the command gives.

    Attributes:
        name: its field name.
        value: what the engine receives; `UNKNOWN` where it is not known, or where it is refused.
        spelling: the flag as it was written, without a value: `--tp`.
        words: the indices of its words in `Arguments.words`, the flag's own first.
        unknown: whether the value is not known.
        earlier: the indices of the words of occurrences before this one, which wins.
        option: the option that it was given by.
    """

    name: str
    value: Value
    spelling: str
    words: tuple[int, ...]
    unknown: bool = False
    earlier: tuple[int, ...] = ()
    option: Option | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ArgumentProblem:
    """Something that the engine's argument parser refuses.

    Attributes:
        code: `ARG001` and so on: see `PROBLEMS`.
        flag: the field name of the flag that it is about, where there is one.
        words: the indices of the words that it is about in `Arguments.words`.
        message: what is wrong, a sentence without a full stop.
        suggestion: what was probably meant: a spelling, or a choice.
        alternatives: all that may have been meant, the suggestion first.
        outcome: what the engine does: prints its usage, or ends in a traceback.
    """

    code: str
    flag: str | None
    words: tuple[int, ...]
    message: str
    suggestion: str | None = None
    alternatives: tuple[str, ...] = ()
    outcome: Outcome = "usage"


@dataclass(frozen=True, slots=True)
class ArgumentNotice:
    """Something about the words that is worth knowing and no problem.

    Attributes: as in `ArgumentProblem`; the codes are in `NOTICES`.
    """

    code: str
    flag: str | None
    words: tuple[int, ...]
    message: str
    suggestion: str | None = None


PROBLEMS = {
    "ARG001": "a flag that the release does not have",
    "ARG002": "an abbreviation that could mean several flags",
    "ARG003": "too few values after a flag",
    "ARG004": "a value of the wrong kind",
    "ARG005": "a value that is none of the flag's choices",
    "ARG006": "a value for a flag that takes none",
    "ARG007": "a word that belongs to no flag",
    "ARG008": "a flag that must be given",
    "ARG009": "a flag that is no longer supported",
    "ARG010": "help is asked for, so that no server starts",
    "ARG011": "a configuration file that cannot be merged",
}
NOTICES = {
    "ARG101": "a deprecated way to write a flag",
    "ARG102": "an abbreviated flag",
    "ARG103": "a flag given more than once",
    "ARG104": "words that are not known",
    "ARG105": "a configuration file that was not read",
    "ARG106": "a configuration file that the engine will not read",
    "ARG107": "a flag that must be given is not among those to check",
}


@dataclass(frozen=True, slots=True)
class Arguments:
    """The flags of a launch.

    Attributes:
        given: by field name, in the order in which they were first given.
        problems: in the order in which the parser would meet them.
        notices: in the order of their words.
        words: the words that indices refer to: those of the launch, with a configuration file merged in.
        open_ended: whether words that are not known may hold further flags.
    """

    given: Mapping[str, GivenFlag]
    problems: tuple[ArgumentProblem, ...]
    notices: tuple[ArgumentNotice, ...]
    words: tuple[Word, ...]
    open_ended: bool = False

    @property
    def outcome(self) -> Outcome | None:
        """What the engine's parser does first about the problems; None where there are none."""
        return self.problems[0].outcome if self.problems else None
