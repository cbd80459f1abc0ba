"""The report for a person at a terminal: short by default, all there is with `--verbose`."""

from __future__ import annotations

from collections.abc import Iterator

from solver.answers import Report, Verdict
from solver.report.document import Document, Entry
from solver.report.ink import WIDTH, Ink, harmless
from solver.report.wording import counted

_ASKED_FOR = {"gpu": "--gpu", "model_config": "--model-config"}
_LABELS = {
    "gpu": "GPU",
    "model_config": "model",
    "model_arch": "architecture",
    "draft_model_config": "draft model",
}
_FACTS_SHOWN = 3
_INDENT = " " * 10


def render(document: Document, ink: Ink) -> str:
    """The whole report, ending in a newline; empty where there is nothing to report.

    Args:
        document: what to show. Its problems are not shown: they go to standard error.
        ink: whether in colour.
    """
    named = len(document.entries) + len(document.problems) > 1
    blocks = ["\n".join(_entry(entry, document, ink, named=named)) for entry in document.entries]
    if named:
        blocks.append(_summary(document, ink))
    return "\n\n".join(blocks) + "\n" if blocks else ""


def _entry(entry: Entry, document: Document, ink: Ink, *, named: bool) -> Iterator[str]:
    report = entry.report
    if named:
        yield ink.strong(harmless(entry.name))
    yield _verdict(report, ink)
    yield from _circumstances(report, ink, verbose=document.verbose)
    if report.violations or report.undecided or report.rewrites or report.notices:
        from solver.report.text.findings import findings

        yield from findings(report, document, ink)
    if entry.change is not None or entry.allowed is not None:
        from solver.report.text.changes import allowed, change

        if entry.allowed is not None:
            yield from allowed(entry.allowed, report, document, ink)
        if entry.change is not None:
            yield from change(entry.change, document, ink)
    elif entry.fix is not None and entry.fix.status != "nothing-to-mend":
        from solver.report.text.fixes import fixes

        yield from fixes(entry.fix, document, ink)


def _verdict(report: Report, ink: Ink) -> str:
    engine = f"SGLang {report.release}"
    if report.verdict is Verdict.REFUSED:
        return f"{ink.bad('refused')}   {engine} does not start with this command: {_faults(report)}."
    if report.verdict is Verdict.DEPENDS:
        return f"{ink.unsure('depends')}   {engine} may refuse this command: {_open_questions(report)}."
    return f"{ink.good('accepted')}  {engine} starts with this command."


def _open_questions(report: Report) -> str:
    rules = sum(bool(each.at) for each in report.undecided)
    parts = [f"{counted(rules, 'rule')} could not be decided"] if rules else []
    parts += ["a file could not be read"] if rules < len(report.undecided) else []
    return ", ".join(parts)


def _faults(report: Report) -> str:
    arguments = sum(violation.kind == "argument" for violation in report.violations)
    rules = len(report.violations) - arguments
    parts = [f"{counted(arguments, 'argument is', 'arguments are')} wrong"] if arguments else []
    parts += [f"{counted(rules, 'rule is', 'rules are')} broken"] if rules else []
    return ", ".join(parts)


def _circumstances(report: Report, ink: Ink, *, verbose: bool) -> Iterator[str]:
    """Which release and why that one, what the facts were taken from, and what was not told."""
    sources = report.world.sources
    parts = [f"release {report.release} ({report.release_source})"] if report.release_source else []
    parts += [f"{label} {harmless(sources[name])}" for name, label in _LABELS.items() if name in sources]
    facts = [name for name in sources if name not in _LABELS]
    shown = facts if verbose or len(facts) <= _FACTS_SHOWN else facts[: _FACTS_SHOWN - 1]
    told = [harmless(f"{name.removeprefix('env.')}={sources[name]}") for name in shown]
    told += [f"{len(facts) - len(shown)} more"] if len(shown) < len(facts) else []
    parts += [", ".join(told)] if told else []
    untold = [option for name, option in _ASKED_FOR.items() if name not in sources]
    parts += [f"not told: {', '.join(untold)}"] if untold else []
    line = ""
    for part in parts:
        if line and len(line) + len(part) + 2 > WIDTH:
            yield ink.faint(f"{line};")
            line = ""
        line = f"{line}; {part}" if line else f"{_INDENT}{part}"
    yield ink.faint(line or _INDENT.rstrip())


def _summary(document: Document, ink: Ink) -> str:
    counts = dict.fromkeys(Verdict, 0)
    for entry in document.entries:
        counts[entry.report.verdict] += 1
    parts = [f"{count} {verdict.value}" for verdict, count in counts.items() if count]
    parts += [f"{len(document.problems)} unreadable"] if document.problems else []
    return ink.strong(
        f"{counted(len(document.entries) + len(document.problems), 'launch', 'launches')}: "
    ) + (", ".join(parts))
