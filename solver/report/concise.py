"""The report for editors and log files: one line a finding, `place: code sentence`. No fixes in full."""

from __future__ import annotations

from collections.abc import Iterator

from solver.report.document import Document, Entry, spelling_as_written
from solver.report.ink import Ink, harmless
from solver.report.wording import option_text, value_text


def render(document: Document, ink: Ink) -> str:
    """The lines, each ending in a newline; empty where nothing was found.

    Args:
        document: what to show. Its problems are not shown: they go to standard error.
        ink: whether in colour.
    """
    return "".join(f"{line}\n" for entry in document.entries for line in _lines(entry, document, ink))


def _lines(entry: Entry, document: Document, ink: Ink) -> Iterator[str]:
    report = entry.report
    for violation in report.violations:
        where = next((each.place for each in violation.reason.causes if each.place is not None), None)
        place = f"{entry.name}:{where.line}:{where.column}" if where is not None else entry.name
        by = f" [{violation.at}]" if violation.at else ""
        yield f"{harmless(place)}: {ink.bad(violation.code)} {harmless(violation.message)}{by}"
    for each in report.undecided:
        sentence = harmless(each.message or "not decided")
        by = f" [{each.at}]" if each.at else ""
        yield f"{harmless(entry.name)}: {ink.unsure(each.code)} perhaps: {sentence}{by}"
    spell = spelling_as_written(report, document)
    for number, repair in enumerate(entry.fix.repairs if entry.fix else (), start=1):
        changes = [f"write {each.after} for {each.before}" for each in repair.respellings if each.after]
        changes += [f"remove {each.before}" for each in repair.respellings if not each.after]
        for change in repair.changes:
            spelling = spell(change.flag)
            if change.action == "remove":
                changes.append(f"remove {option_text(spelling, change.before)}")
            elif change.action == "add":
                changes.append(f"add {option_text(spelling, change.after)}")
            else:
                changes.append(f"change {spelling} to {value_text(change.after)}")
        yield harmless(f"{entry.name}: fix {number}: {', '.join(changes)}")
