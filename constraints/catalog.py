"""What is known about one release of an engine: its flags, the facts its rules read, and its steps.

A catalog is data. Nothing here evaluates, reads files or knows an engine by name: `store` loads and
saves catalogs, `constraints.sglang` makes them, `solver` asks questions of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from constraints.expression.syntax import TRUE, Expression

Value: TypeAlias = Any
"""A value of a flag or fact: None, bool, int, float, str, or a list or dict of such."""

Action: TypeAlias = Literal["store", "store_const", "store_true", "boolean", "append", "custom"]


@dataclass(frozen=True, slots=True)
class Option:
    """One way to write a flag on a command line: what argparse calls an action.

    Attributes:
        spellings: every accepted spelling, the preferred one first, with its hyphens.
        action: `store` takes words; `store_true` and `store_const` take none and set `const`, though
            `store_const` with `choices` wants one of these words;
            `boolean` has a `--no-` form beside each spelling; `custom` names its parser in `type`.
        type: how one word becomes a value: the name of a parser in `constraints.parsers`.
        nargs: as in argparse: None (one word), a count, "?", "*" or "+".
        choices: the only values allowed, after conversion; None where any is.
        const: the value set by an option without words (and by "?" without one).
        deprecated: whether the engine warns about this way to write it.
        replacement: what to write instead, where the engine says so.
        required: whether the parser refuses a command without it.
    """

    spellings: tuple[str, ...]
    action: Action = "store"
    type: str = "str"
    nargs: str | int | None = None
    choices: tuple[Value, ...] | None = None
    const: Value = None
    deprecated: bool = False
    replacement: str | None = None
    required: bool = False


@dataclass(frozen=True, slots=True)
class Flag:
    """A variable: one field of the engine's configuration.

    Attributes:
        name: the field's name, `tp_size`.
        type: the kind of its values: `bool`, `int`, `float`, `str`, `list[str]`, `list[int]`, `json` …
        default: its value where it is not given.
        nullable: whether None is one of its values.
        options: the ways to write it; none for a field that only the engine itself sets.
        group: the engine's own section for it, `parallel`.
        at: where it is declared, `file:line`.
        fallback: what readers of the final value see while it is None, where the engine says so.
    """

    name: str
    type: str
    default: Value = None
    nullable: bool = False
    options: tuple[Option, ...] = ()
    group: str = ""
    at: str = ""
    fallback: Value = None

    @property
    def spelling(self) -> str:
        """The preferred way to write the flag; its name where it has none."""
        for option in self.options:
            if not option.deprecated:
                return option.spellings[0]
        return self.options[0].spellings[0] if self.options else self.name


@dataclass(frozen=True, slots=True)
class Fact:
    """Something true of the world that no flag changes: `gpu.is_sm100`, `env.SGLANG_X`.

    Attributes:
        name: its dotted path.
        type: the kind of its values, as in `Flag.type`; every provider is checked against it.
        default: its value where nobody says otherwise (an environment variable that is not set);
            only meaningful with `has_default`. A fact without one is unknown until given.
        fallback: the fact whose value it has where nobody says otherwise, before any default of its own:
            a variable's older name, or the machine's kind; empty for none.
    """

    name: str
    type: str = "any"
    default: Value = None
    has_default: bool = False
    fallback: str = ""


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
