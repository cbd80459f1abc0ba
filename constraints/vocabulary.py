"""What the steps of a catalog speak of: flags, the ways to write them, facts, and their values.

Apart from `catalog` so that what only reads command lines loads no expressions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

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
