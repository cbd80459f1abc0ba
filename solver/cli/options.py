"""The options of every command, as one typed record. No reader of command lines: see `plain` and `grammar`.

Both readers take spellings from this table and hand back text; this module alone says what the text
means, so the two can't disagree about it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, TypeAlias

from solver.cli.misuse import Misuse

Raw: TypeAlias = Mapping[str, str | tuple[str, ...] | bool]
"""What a reader found: by field name the text given, all texts of a repeated option, or True for a switch."""

Converter: TypeAlias = Callable[[str], Any]


class Option(NamedTuple):
    """How one field of `Options` is written.

    Attributes:
        spellings: with their hyphens, the long one first.
        metavar: stands for the value in the help; empty for a switch, which takes none.
        help: one sentence.
        convert: text to value; raises ValueError, whose text completes "--option VALUE: …".
        repeated: whether it may be given several times; the field is then a tuple.
        variable: the environment variable read where the option is not given.
    """

    spellings: tuple[str, ...]
    metavar: str
    help: str
    convert: Converter
    repeated: bool
    variable: str | None

    @property
    def is_switch(self) -> bool:
        return not self.metavar


def text(value: str) -> str:
    """The text as it stands."""
    return value


def name(value: str) -> str:
    """The text, which names something and so can't be empty."""
    if not value.strip():
        raise ValueError("names nothing")
    return value


def whole_number(value: str) -> int:
    """A whole number from 1 on."""
    if not value.isascii() or not value.isdigit() or len(value) > 9 or int(value) < 1:
        raise ValueError("is not a whole number from 1 on")
    return int(value)


def seconds(value: str) -> float:
    """A duration in seconds, above 0 and at most a day."""
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 < number <= 86_400:
        raise ValueError("is not a number of seconds above 0, such as 2 or 0.5")
    return number


def assignment(value: str) -> tuple[str, str]:
    """`NAME=VALUE`, taken apart."""
    name, equals, rest = value.partition("=")
    if not equals or not name.strip():
        raise ValueError("is not of the form NAME=VALUE")
    return name.strip(), rest


def fact_assignment(value: str) -> tuple[str, Any]:
    """`NAME=VALUE`, the value read as JSON where it is JSON, else taken as text."""
    import json

    name, rest = assignment(value)
    try:
        return name, json.loads(rest)
    except (ValueError, RecursionError):
        return name, rest


def one_of(*choices: str) -> Converter:
    """One of a few words."""

    def convert(value: str) -> str:
        if value not in choices:
            raise ValueError(f"is none of {', '.join(choices)}")
        return value

    return convert


def option(
    *spellings: str,
    metavar: str = "",
    help: str,  # noqa: A002  the word that typer's readers know
    convert: Converter = text,
    default: object = None,
    repeated: bool = False,
    variable: str | None = None,
) -> Any:
    """A field of `Options`; see `Option` for the arguments."""
    row = Option(spellings, metavar, help, convert, repeated, variable)
    return field(default=() if repeated else default, metadata={"option": row})


@dataclass(frozen=True, slots=True)
class Options:
    """What the options of a command say; those that a command does not have keep their defaults."""

    release: str | None = option(
        "--release",
        convert=name,
        metavar="VERSION",
        help="SGLang's version. Default: the installed one if a catalog covers it, else the newest catalog.",
        variable="FLAGFIT_RELEASE",
    )
    gpu: str | None = option(
        "--gpu", convert=name, metavar="NAME", help="The machine's GPU, such as h100.", variable="FLAGFIT_GPU"
    )
    model_config: str | None = option(
        "--model-config",
        convert=name,
        metavar="PATH",
        help="The model's config.json, or the folder that holds it.",
        variable="FLAGFIT_MODEL_CONFIG",
    )
    model_arch: str | None = option(
        "--model-arch",
        convert=name,
        metavar="NAME",
        help="The model's architecture, such as LlamaForCausalLM, where its config.json is not at hand.",
        variable="FLAGFIT_MODEL_ARCH",
    )
    draft_model_config: str | None = option(
        "--draft-model-config",
        convert=name,
        metavar="PATH",
        help="The same of the model that drafts for it (speculative decoding).",
        variable="FLAGFIT_DRAFT_MODEL_CONFIG",
    )
    env: tuple[tuple[str, str], ...] = option(
        "--env",
        metavar="NAME=VALUE",
        help="An environment variable of the server. May be repeated.",
        convert=assignment,
        repeated=True,
    )
    fact: tuple[tuple[str, Any], ...] = option(
        "--fact",
        metavar="NAME=VALUE",
        help="A single fact, such as gpu.count=8; wins over --gpu and --model-config. May be repeated.",
        convert=fact_assignment,
        repeated=True,
    )
    ignore: tuple[str, ...] = option(
        "--ignore",
        metavar="CODE",
        help="Leave a rule out, by its code. May be repeated.",
        repeated=True,
        variable="FLAGFIT_IGNORE",
    )
    keep: tuple[str, ...] = option(
        "--keep",
        metavar="FLAG",
        help="A flag that no fix may change. May be repeated.",
        repeated=True,
    )
    max_changes: int | None = option(
        "--max-changes",
        metavar="N",
        help="Look only for fixes that change at most so many flags.",
        convert=whole_number,
    )
    alternatives: int = option(
        "--alternatives",
        metavar="N",
        help="How many fixes to show at most. Default: 5.",
        convert=whole_number,
        default=5,
    )
    timeout: float = option(
        "--timeout",
        metavar="SECONDS",
        help="How long to search for fixes. Default: 2.",
        convert=seconds,
        default=2.0,
        variable="FLAGFIT_TIMEOUT",
    )
    set: tuple[tuple[str, str], ...] = option(
        "--set",
        metavar="FLAG=VALUE",
        help="Give a flag this value. May be repeated.",
        convert=assignment,
        repeated=True,
    )
    unset: tuple[str, ...] = option(
        "--unset", metavar="FLAG", help="Leave a flag out. May be repeated.", repeated=True
    )
    allowed: str | None = option(
        "--allowed", metavar="FLAG", help="Show which values a flag may take, and why not the others."
    )
    output_format: str = option(
        "--output-format",
        metavar="FORMAT",
        help="full (the default), concise (a line a finding) or json.",
        convert=one_of("full", "concise", "json"),
        default="full",
        variable="FLAGFIT_OUTPUT_FORMAT",
    )
    output_file: str | None = option(
        "--output-file",
        convert=name,
        metavar="PATH",
        help="Write the report to this file instead of standard output.",
    )
    color: str = option(
        "--color",
        metavar="WHEN",
        help="auto (the default: on a terminal, unless NO_COLOR is set), always or never.",
        convert=one_of("auto", "always", "never"),
        default="auto",
        variable="FLAGFIT_COLOR",
    )
    verbose: bool = option(
        "--verbose",
        "-v",
        help="Show conditions as SGLang's source has them, every step of a reason, rewrites and notices.",
        default=False,
    )


OPTIONS: Mapping[str, Option] = {each.name: each.metadata["option"] for each in fields(Options)}
"""The table, by field name."""


def read_options(names: Iterable[str], raw: Raw, environ: Mapping[str, str]) -> Options:
    """The options of a command that has those named.

    Args:
        names: the fields of `Options` that the command has.
        raw: what was given on the command line.
        environ: where the variables of options not given are looked up; an empty variable is as none.

    Raises:
        Misuse: a text is not what its option takes.
    """
    values: dict[str, Any] = {}
    for name in names:
        row = OPTIONS[name]
        given = raw.get(name)
        source = row.spellings[0]
        if given is None and row.variable and environ.get(row.variable):
            source = row.variable
            given = environ[source]
            if row.repeated:
                given = tuple(given.replace(",", " ").split())
        if given is None:
            continue
        if isinstance(given, bool):
            values[name] = given
        elif isinstance(given, tuple):
            values[name] = tuple(_converted(row, source, each) for each in given)
        else:
            values[name] = _converted(row, source, given)
    return Options(**values)


def _converted(row: Option, source: str, value: str) -> Any:
    try:
        return row.convert(value)
    except ValueError as error:
        raise Misuse(f"{source}: {value!r} {error}") from None
