"""The smallest fixes as lines of text: what to change, and the whole command ready to paste."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from solver.answers import Repair, Respelling, SuggestedFix
from solver.report.document import Document, spelling_as_written
from solver.report.ink import Ink, harmless
from solver.report.wording import counted, option_text, shortened, value_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.repair.answers import Change

_INDENT = "     "


def fixes(fix: SuggestedFix, document: Document, ink: Ink, *, pinned: bool = False) -> Iterator[str]:
    """What the search found.

    Args:
        fix: its answer.
        document: spells the flags.
        ink: whether in colour.
        pinned: whether changes were asked for that a fix must keep.
    """
    yield ""
    yield _headline(fix, pinned=pinned)
    for violation in fix.unmendable:
        yield f"  {ink.bad(violation.code)} stands whatever flags are changed."
    launch = fix.report.launch
    if fix.leaves_undecided:
        yield ink.unsure("After it, some rules can't be decided that this command decides.")
    before = {word.text for word in (*launch.prefix, *launch.words)}
    spell = spelling_as_written(fix.report, document)
    for number, repair in enumerate(fix.repairs, start=1):
        yield ""
        yield from _repair(number, repair, before, spell, ink)


def _headline(fix: SuggestedFix, *, pinned: bool) -> str:
    kept = ", with the changes asked for kept" if pinned else ""
    unread = any(each.kind == "argument" and each.suggestion is None for each in fix.report.violations)
    if unread and fix.status != "found":
        return "Correct the arguments that are wrong, or take them out, and ask again."
    if fix.status == "none-exists":
        return f"No change of flags mends this command{kept}."
    if fix.status == "gave-up":
        return f"No fix was found in the time given{kept}; a longer --timeout may find one."
    flags = counted(fix.size or 0, "flag")
    proof = "no smaller change mends it" if fix.proven_smallest else "not proven smallest: time ran out"
    ways = counted(len(fix.repairs), "way") + ("" if fix.complete else " of several")
    return f"Smallest fix{kept}: {flags} to change, {ways}; {proof}."


def _repair(
    number: int, repair: Repair, before: Collection[str], spell: Callable[[str], str], ink: Ink
) -> Iterator[str]:
    lines = [_respelling(each, ink) for each in repair.respellings]
    lines += [_change(each, spell(each.flag), ink) for each in repair.changes]
    for position, line in enumerate(lines):
        yield (f"{number:>3}. " if position == 0 else _INDENT) + line
    if repair.applicability == "has-placeholders":
        yield _INDENT + ink.faint("put your own value where <…> stands")
    for line in _marked(repair, before, ink).split("\n"):
        yield _INDENT + line


def _respelling(respelling: Respelling, ink: Ink) -> str:
    before = ink.strong(harmless(respelling.before))
    if not respelling.after:
        return f"remove {before}"
    return f"write {ink.strong(harmless(respelling.after))} for {before}"


def _change(change: Change, spelling: str, ink: Ink) -> str:
    allowed = change.allowed
    if change.action == "remove":
        line = f"remove {ink.strong(_option(spelling, change.before))}"
        if not allowed.values and not allowed.ranges:
            return line
        values = replace(allowed, not_given=False, anything_else=False)
        return line + ink.faint(f"   (or set it to {shortened(harmless(values.phrase(_value)))})")
    if change.action == "add":
        line = f"add {ink.strong(_option(spelling, change.after))}"
    else:
        line = f"change {ink.strong(_option(spelling, change.before))} to {ink.strong(_value(change.after))}"
    if allowed.single:
        return line
    return line + ink.faint(f"   (mends with {shortened(harmless(allowed.phrase(_value)))})")


def _option(spelling: str, value: object) -> str:
    return shortened(harmless(option_text(spelling, value)))


def _value(value: object) -> str:
    return harmless(value_text(value))


def _marked(repair: Repair, before: Collection[str], ink: Ink) -> str:
    """The command with the words that are new made to stand out, where each can be found in it."""
    command = harmless(repair.command)
    if not ink.coloured:
        return command
    start = 0
    for word in repair.words:
        at = command.find(word, start)
        if at < 0:
            continue
        marked = word if word in before else ink.good(word)
        command = command[:at] + marked + command[at + len(word) :]
        start = at + len(marked)
    return command
