"""The command line: `main` is the program, `run` the same inside another one. No traceback leaves here.

Reading, asking and reporting are each in a module of their own, imported when they are needed: a start-up
is most of what a check costs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from constraints.errors import FlagfitError

EXIT_MISUSE = 2
"""Misuse, unreadable input, or a bug in flagfit; 0 and 1 are the questions' own."""


def main() -> None:
    """Runs the program on the process's own arguments, and ends the process."""
    import gc

    # A run lives for a fraction of a second: looking for cycles would cost more than it frees.
    gc.disable()
    for stream in (sys.stdout, sys.stderr):
        # Words of a command may hold bytes that are no text; they are shown as escapes.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        code = run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        _end_as_interrupted()
    except BrokenPipeError:
        # Whoever read the report has gone; nothing is left to say, not even when Python closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Does what a command line says.

    Args:
        arguments: the words after `flagfit`.

    Returns:
        The exit code: 0 fine, 1 refused, 2 misuse, unreadable input, or a bug in flagfit.
    """
    from solver.cli.output import write_error

    try:
        return _run(arguments)
    except FlagfitError as error:
        write_error(str(error))
    except BrokenPipeError:
        raise
    except Exception as error:  # the last resort: a person gets a sentence, not a traceback
        if os.environ.get("FLAGFIT_TRACEBACK"):
            raise
        write_error(_bug(error))
    return EXIT_MISUSE


def _run(arguments: Sequence[str]) -> int:
    from solver.cli.plain import read_plain

    invocation = read_plain(arguments)
    if invocation is None:
        from solver.cli.grammar import read_with_typer

        read = read_with_typer(arguments)
        if isinstance(read, int):
            return read
        invocation = read

    from importlib import import_module

    from solver.cli.commands import COMMANDS
    from solver.cli.options import read_options

    command = COMMANDS[invocation.command]
    options = read_options(command.options, invocation.raw, os.environ)
    code: int = import_module(command.module).run(invocation, options)
    return code


def _bug(error: Exception) -> str:
    """What went wrong and where, and what to do about it."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    where = ""
    if traceback is not None:
        code = traceback.tb_frame.f_code
        where = f" at {code.co_filename}:{traceback.tb_lineno}"
    return (
        f"this is a bug in flagfit, not in your command: {type(error).__name__}{where}: {error} "
        "(please report it; FLAGFIT_TRACEBACK=1 shows the traceback)"
    )


def _end_as_interrupted() -> None:
    """Ends the process as Ctrl-C ends one, so that a calling shell stops too."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGINT)
