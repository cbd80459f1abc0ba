"""What a change of flags would do, and which values a flag may take, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from constraints.expression.values import UNKNOWN
from solver.answers import AllowedValues, FinalValue, Report, Verdict, WhatIf
from solver.report.document import Document, spelling_as_written
from solver.report.ink import Ink, harmless
from solver.report.text.findings import violation_lines
from solver.report.text.fixes import fixes
from solver.report.wording import counted, option_text, shortened, value_text


def change(answer: WhatIf, document: Document, ink: Ink) -> Iterator[str]:
    """The changed command, what it breaks and mends, the final values that differ, and what more it needs."""
    after = answer.after
    yield ""
    yield f"With the change: {_coloured_verdict(after, ink)}"
    for line in harmless(answer.command).split("\n"):
        yield f"     {line}"
    if answer.newly_mended:
        yield ""
        yield f"Mends {', '.join(ink.good(each.code) for each in answer.newly_mended)}."
    if answer.newly_broken:
        yield ""
        yield f"Breaks {counted(len(answer.newly_broken), 'rule')}:"
        for violation in answer.newly_broken:
            yield from violation_lines(violation, after, document, ink)
    final_values = [each for each in answer.final_values if document.verbose or _is_known(each)]
    if final_values:
        yield ""
        yield "SGLang ends up with:"
        spell = spelling_as_written(answer.before, document)
        for each in final_values:
            before, now = (shortened(harmless(value_text(value))) for value in (each.before, each.after))
            yield f"  {ink.flags(spell(each.flag))}  {before} -> {now}"
    if answer.further is not None:
        yield from fixes(answer.further, document, ink, pinned=True)


def allowed(answer: AllowedValues, report: Report, document: Document, ink: Ink) -> Iterator[str]:
    """Each candidate value of a flag: whether it may be taken, and which rules stand against it."""
    spelling = spelling_as_written(report, document)(answer.flag)
    yield ""
    yield f"{ink.strong(spelling)} with the rest of the command as it is:"
    for each in answer.possibilities:
        text = shortened(harmless(option_text(spelling, each.value)))
        codes = ", ".join(violation.code for violation in each.violations)
        word = {
            Verdict.ACCEPTED: ink.good("fine   "),
            Verdict.REFUSED: ink.bad("refused"),
            Verdict.DEPENDS: ink.unsure("depends"),
        }[each.verdict]
        yield f"  {word}  {text}" + (f"  ({codes})" if codes else "")


def _is_known(value: FinalValue) -> bool:
    return value.before is not UNKNOWN and value.after is not UNKNOWN


def _coloured_verdict(report: Report, ink: Ink) -> str:
    ink_of = {Verdict.ACCEPTED: ink.good, Verdict.REFUSED: ink.bad, Verdict.DEPENDS: ink.unsure}
    return ink_of[report.verdict](report.verdict.value)
