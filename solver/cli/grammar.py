"""The command line as typer sees it: built from the tables, so that help and reading can't part.

Commands are functions with signatures made from their rows; each hands back what was read, and runs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, Signature
from typing import Any

import typer

from solver.cli.commands import COMMANDS, Command, Invocation
from solver.cli.misuse import Misuse
from solver.cli.options import OPTIONS, Option
from solver.cli.plain import split_at_dashes

_USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]
"""What typer raises for a wrong command line. It is click's `UsageError`, which newer typers keep private."""

_GROUPS = {"catalog": "What is known about releases: list, build, verify."}
_SETTINGS = {"help_option_names": ["--help", "-h"], "max_content_width": 100}


def read_with_typer(arguments: Sequence[str]) -> Invocation | int:
    """The command line read, or an exit code where typer has done what was asked (help, completion).

    Args:
        arguments: the words after `flagfit`.

    Raises:
        Misuse: the command line is wrong.
    """
    head, words = split_at_dashes(arguments)
    try:
        read = application()(list(head) or ["--help"], prog_name="flagfit", standalone_mode=False)
    except _USAGE_ERROR as error:
        raise Misuse(_one_line(error, f"flagfit {head[0]}")) from None
    if not isinstance(read, Invocation):
        return int(read or 0)
    if COMMANDS[read.command].takes_launch:
        return Invocation(read.command, read.operands, words, read.raw)
    return Invocation(read.command, (*read.operands, *(words or ())), None, read.raw)


def application() -> typer.Typer:
    """The whole command line."""
    groups = {name: typer.Typer(help=help_text, rich_markup_mode=None) for name, help_text in _GROUPS.items()}
    app = typer.Typer(
        callback=_describe,
        context_settings=_SETTINGS,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    for command in COMMANDS.values():
        group, _, name = command.name.rpartition(" ")
        home = groups[group] if group else app
        epilog = f"After `--`: the launch command, {command.name} … -- python -m sglang.launch_server …"
        home.command(
            name,
            help=f"{command.summary}\n\n{command.details}",
            context_settings=_SETTINGS | {"ignore_unknown_options": command.operands_may_be_flags},
            epilog=epilog if command.takes_launch else None,
        )(_reader(command))
    for name, group_app in groups.items():
        app.add_typer(group_app, name=name)
    return app


def _show_version(wanted: bool) -> None:  # noqa: FBT001  typer calls it so
    if wanted:
        from importlib.metadata import version

        typer.echo(f"flagfit {version('flagfit')}")
        raise typer.Exit


_VERSION = typer.Option(
    False, "--version", help="Show flagfit's version and exit.", callback=_show_version, is_eager=True
)


def _describe(*, version: bool = _VERSION) -> None:
    """Find what is wrong with an SGLang launch command, and the smallest change that mends it.

    Exit code: 0 fine, 1 refused, 2 misuse or unreadable input.
    """


def _reader(command: Command) -> Callable[..., Invocation]:
    """A function that typer can make a command of: its parameters are those of the row."""

    def read(operands: Sequence[str] | None = None, **found: Any) -> Invocation:
        return Invocation(command.name, tuple(operands or ()), None, _given(found))

    parameters = [_parameter(name, OPTIONS[name]) for name in command.options]
    if command.operands:
        argument = typer.Argument(None, metavar=command.operands, show_default=False)
        parameters.insert(0, _keyword("operands", argument, list[str] | None))
    signature = Signature(parameters, return_annotation=Invocation)
    read.__signature__ = signature  # type: ignore[attr-defined]
    read.__annotations__ = {each.name: each.annotation for each in parameters}
    return read


def _parameter(name: str, row: Option) -> Parameter:
    if row.is_switch:
        return _keyword(name, typer.Option(False, *row.spellings, help=row.help), bool)
    variable = f"  [{row.variable}]" if row.variable else ""
    option = typer.Option(
        None, *row.spellings, metavar=row.metavar, help=row.help + variable, show_default=False
    )
    return _keyword(name, option, list[str] | None if row.repeated else str | None)


def _keyword(name: str, default: object, annotation: object) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _given(found: Mapping[str, Any]) -> dict[str, str | tuple[str, ...] | bool]:
    given: dict[str, str | tuple[str, ...] | bool] = {}
    for name, value in found.items():
        if isinstance(value, list | tuple):
            if value:
                given[name] = tuple(value)
        elif value is not None and value is not False:
            given[name] = value
    return given


def _one_line(error: Any, command: str) -> str:
    """What is wrong and where to look: typer's own message, then the help of the command meant."""
    path = error.ctx.command_path if error.ctx is not None else command
    message = " ".join(error.format_message().split()).rstrip(".")
    return f"{message} (see `{path} --help`)"
