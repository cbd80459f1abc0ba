"""What becomes of one command: the answer of a check. What it found is in `findings`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from solver.answers.base import Answer

if TYPE_CHECKING:
    from constraints.vocabulary import Value
    from solver.answers.findings import Remark, Rewrite, Undecided, Violation
    from solver.launch import Launch


class Verdict(StrEnum):
    """What becomes of a command: it starts, the engine refuses it, or that hangs on what is not known."""

    ACCEPTED = "accepted"
    REFUSED = "refused"
    DEPENDS = "depends"


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
