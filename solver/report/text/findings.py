"""What a check found, as lines of text: violations, open questions, rewrites, notices."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from solver.report.ink import Ink
from solver.report.layout import UNBROKEN, headed, labelled, wrapped
from solver.report.wording import cause_text, counted, option_text, shortened, value_text

if TYPE_CHECKING:
    from constraints.expression.syntax import Expression
    from solver.answers import Cause, Reason, Report, Violation
    from solver.report.document import Document

_CAUSES_SHOWN = 6
_RULES_SHOWN = 5
_FACTS_FROM = {"gpu.": "--gpu", "model.": "--model-config", "env.": "--env", "environ.": "--env"}
_ANY_FACT = "--fact"


def findings(report: Report, document: Document, ink: Ink) -> Iterator[str]:
    """All that a check found."""
    yield from violations(report, document, ink)
    yield from undecided(report, ink, verbose=document.verbose)
    yield from rewrites(report, document, ink)
    yield from notices(report, ink, verbose=document.verbose)


def violations(report: Report, document: Document, ink: Ink) -> Iterator[str]:
    """Each broken rule: its code and sentence, what it follows from, where SGLang enforces it."""
    for violation in report.violations:
        yield ""
        yield from violation_lines(violation, report, document, ink)


def violation_lines(violation: Violation, report: Report, document: Document, ink: Ink) -> Iterator[str]:
    """One broken rule."""
    verbose = document.verbose
    yield from headed(violation.code, ink.bad, _sentence(violation.message), ink)
    if violation.suggestion:
        yield from labelled("perhaps", violation.suggestion, ink)
    if violation.reason.causes and violation.kind != "argument":
        causes = violation.reason.causes if verbose else _telling(violation.reason, report, document)
        yield from labelled("because", _listed(causes, verbose=verbose), ink)
    if violation.at:
        where = f"{violation.at}, in {violation.function}"
        raised = f" ({violation.exception})" if verbose and violation.exception else ""
        yield from labelled("where", where + raised, ink)
    if verbose:
        yield from _condition(violation.condition, ink)
        yield from _choices(violation.reason, ink)


def undecided(report: Report, ink: Ink, *, verbose: bool) -> Iterator[str]:
    """Each rule that could not be decided, and what would decide it; beside violations, in one line."""
    if not report.undecided:
        return
    if not verbose:
        yield from _undecided_in_short(report, ink)
        return
    for each in report.undecided:
        yield ""
        yield from headed(each.code, ink.unsure, _sentence(each.message) or "not decided", ink)
        if each.at:
            yield from labelled("needs", _deciding(each.missing, _sources(report)), ink)
            yield from labelled("where", f"{each.at}, in {each.function}", ink)
        yield from _condition(each.condition, ink)


def _undecided_in_short(report: Report, ink: Ink) -> Iterator[str]:
    count = len(report.undecided)
    options = sorted(_options({name for each in report.undecided for name in each.missing}, _sources(report)))
    told = f" without {', '.join(options)}" if options else ""
    yield ""
    if report.violations:
        yield from wrapped(
            f"{counted(count, 'more rule')} could not be decided{told} (--verbose lists them).", "", "", ink
        )
        return
    for each in report.undecided[:_RULES_SHOWN]:
        yield from headed(each.code, ink.unsure, _sentence(each.message) or "not decided", ink)
    more = len(report.undecided) - _RULES_SHOWN
    ending = f"{more} more; not decided{told}" if more > 0 else f"Not decided{told}"
    yield from wrapped(f"{ending} (--verbose shows all, and what each needs).", "", "", ink)


def rewrites(report: Report, document: Document, ink: Ink) -> Iterator[str]:
    """The flags given that SGLang will run with another value: one line, or a table where verbose."""
    if not report.rewrites:
        return
    yield ""
    names = [document.spelling(report.release, each.flag) for each in report.rewrites]
    if not document.verbose:
        line = f"SGLang will overrule {counted(len(names), 'flag')} of this command: {', '.join(names)}"
        yield from wrapped(f"{line} (--verbose shows how).", "", "", ink)
        return
    yield "SGLang will overrule:"
    for name, each in zip(names, report.rewrites, strict=True):
        given = shortened(option_text(name, each.given))
        yield from wrapped(f"{given} becomes {shortened(value_text(each.final))}", "  ", "    ", ink)
        if each.why:
            yield from labelled("because", each.why, ink, indent="    ")
        yield from labelled("set", f"{each.at}, in {each.function}", ink, indent="    ")


def notices(report: Report, ink: Ink, *, verbose: bool) -> Iterator[str]:
    """Remarks on the way arguments are written; SGLang's own warnings too where verbose."""
    shown = [each for each in report.notices if verbose or each.kind == "argument"]
    if shown:
        yield ""
    for each in shown:
        where = f"  ({each.at})" if each.at else ""
        said = _sentence(each.message) if each.kind == "argument" else f"SGLang warns, since {each.message}"
        yield from wrapped(f"note: {said}{where}", "", "      ", ink)


def _telling(reason: Reason, report: Report, document: Document) -> Sequence[Cause]:
    """The causes that a person would name: not what every command gives, nor what was left at its default."""
    given = [each for each in reason.causes if each.kind != "default"]
    chosen = [each for each in given if not document.must_be_given(report.release, each.name)]
    return chosen or given or reason.causes


def _listed(causes: Sequence[Cause], *, verbose: bool) -> str:
    shown = [cause_text(each).replace(" ", UNBROKEN) for each in causes]
    more = 0 if verbose else len(shown) - _CAUSES_SHOWN
    tail = f" and {more} more (--verbose)" if more > 1 else ""
    return ", ".join(shown[:_CAUSES_SHOWN] if tail else shown) + tail


def _choices(reason: Reason, ink: Ink) -> Iterator[str]:
    """What SGLang chose between what was given and the rule."""
    for choice in reason.choices:
        what = f"SGLang sets {choice.variable} to {shortened(value_text(choice.value))}"
        when = f", since {_source(choice.condition)}" if choice.condition is not None else ""
        yield from labelled("then", f"{what}{when} ({choice.at}, in {choice.function})", ink)


def _condition(condition: Expression | None, ink: Ink) -> Iterator[str]:
    if condition is not None:
        yield from labelled("rule", f"refuse when {_source(condition)}", ink)


def _source(condition: Expression) -> str:
    from constraints.expression.text import text

    return text(condition)


def _deciding(missing: Iterable[str], told: Collection[str]) -> str:
    """The missing facts, and the options that tell them."""
    names = list(missing)
    if not names:
        return "nothing that could be told: the rule was extracted only in part"
    options = _options(names, told)
    return ", ".join(names) + (f" ({', '.join(sorted(options))})" if options else "")


def _options(facts: Iterable[str], told: Collection[str]) -> set[str]:
    """The options that tell facts; what one of those given left open, only `--fact` can tell.

    None for a flag: its value is for the command itself to tell.
    """
    wanted = {_option_for(fact) for fact in facts} - {""}
    return {_ANY_FACT if option in told else option for option in wanted}


def _option_for(fact: str) -> str:
    for prefix, option in _FACTS_FROM.items():
        if fact.startswith(prefix):
            return option
    return _ANY_FACT if "." in fact else ""


def _sources(report: Report) -> frozenset[str]:
    """The options for facts that were given."""
    return frozenset(f"--{name.replace('_', '-')}" for name in report.world.sources)


def _sentence(text: str) -> str:
    """The text, its first letter a capital unless it begins with a name."""
    return text[:1].upper() + text[1:] if text[:1].isalpha() and text.split(" ", 1)[0].isalpha() else text
