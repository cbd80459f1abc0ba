"""Lines of a report for people: sentences that hang from a code, labels in a column, wrapping."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator

from solver.report.ink import WIDTH, Ink, harmless

HANGING = " " * 11
"""What stands left of all that belongs to a code of seven letters."""

UNBROKEN = "\xa0"
"""A blank at which no line is broken, until the lines are made."""


def headed(code: str, dye: Callable[[str], str], sentence: str, ink: Ink) -> Iterator[str]:
    """A sentence that hangs from a coloured code."""
    for number, line in enumerate(wrapped(sentence, HANGING, HANGING, ink)):
        yield f"  {dye(code)}{' ' * (7 - len(code))}  {line.lstrip()}" if number == 0 else line


def labelled(label: str, text: str, ink: Ink, *, indent: str = HANGING) -> Iterator[str]:
    """A line such as `because  --dcp-size 2`, its continuation lines under the text."""
    width = len(indent) + max(len(label), 7) + 2
    for number, line in enumerate(wrapped(text, " " * width, " " * width, ink)):
        yield f"{indent}{ink.faint(label.ljust(7))}  {line.lstrip()}" if number == 0 else line


def wrapped(text: str, first: str, then: str, ink: Ink) -> Iterator[str]:
    """The lines of a text, the first after `first`, the others after `then`; flags in it made strong."""
    lines = textwrap.wrap(
        harmless(text),
        WIDTH,
        initial_indent=first,
        subsequent_indent=then,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return (ink.flags(line.replace(UNBROKEN, " ")) for line in lines or [first])
