"""What is known about one release of an engine: its flags, the facts its rules read, and its steps.

A catalog is data. Nothing here evaluates, reads files or knows an engine by name: `store` loads and
saves catalogs, `constraints.sglang` makes them, `solver` asks questions of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from constraints.expression.syntax import TRUE, Expression
from constraints.vocabulary import Action, Fact, Flag, Option, Value

__all__ = [
    "Action",
    "Block",
    "Catalog",
    "Fact",
    "Flag",
    "Let",
    "Notice",
    "Option",
    "Refuse",
    "Release",
    "Set",
    "Step",
    "Value",
]


@dataclass(frozen=True, slots=True)
class Step:
    """One entry of the engine's resolution. `when` is the condition under which it takes effect.

    Attributes:
        at: where the engine's source does it, `file:line`.
        function: the function around that place.
    """

    at: str
    function: str
    when: Expression = field(default=TRUE, kw_only=True)


@dataclass(frozen=True, slots=True)
class Let(Step):
    """Names the value that an expression has at this point. An error in it is met by who reads it.

    It is named whether or not the block around it is entered, and has no condition of its own.
    """

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Set(Step):
    """Gives a variable a new value: a flag, a part of one (`cuda_graph_config.decode.bs`), an `env.X`."""

    target: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Refuse(Step):
    """A rule: the engine stops where `when` holds, or where evaluating it is an error.

    Attributes:
        code: its stable name, `SGL0123`; empty until the registry has given it one.
        exception: the type the engine raises, `ValueError`; for a crash, what Python raises.
    """

    code: str = ""
    exception: str = ""


@dataclass(frozen=True, slots=True)
class Notice(Step):
    """The engine logs a warning here."""

    code: str = ""


@dataclass(frozen=True, slots=True)
class Block(Step):
    """Steps under one condition, said once. The steps inside are not looked at where it is false."""

    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Release:
    """Which engine and version a catalog describes, and the digest of the source it was made from."""

    engine: str
    version: str
    source_digest: str = ""
    extractor: str = ""


@dataclass(frozen=True, slots=True)
class Catalog:
    """All that is known about one release. Flags and facts by name; steps in pipeline order."""

    release: Release
    flags: Mapping[str, Flag]
    facts: Mapping[str, Fact]
    steps: tuple[Step, ...]

    def walk(self) -> Iterator[tuple[Step, tuple[Expression, ...]]]:
        """Every step, blocks themselves left out, with the conditions of the blocks around it."""

        def inside(
            steps: tuple[Step, ...], guards: tuple[Expression, ...]
        ) -> Iterator[tuple[Step, tuple[Expression, ...]]]:
            for step in steps:
                if isinstance(step, Block):
                    yield from inside(step.steps, (*guards, step.when))
                else:
                    yield step, guards

        return inside(self.steps, ())
