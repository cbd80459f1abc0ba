"""The smallest changes that mend a command: what the repair search finds, as commands."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from time import monotonic
from typing import Unpack

from constraints.errors import LaunchNotFound, UnreadableInput
from constraints.vocabulary import Value
from solver.answers import Repair, Report, Respelling, SuggestedFix, Violation
from solver.case import Case, Circumstances, Source, case_of, resolved
from solver.configuration import Configuration
from solver.launch import (
    ArgumentProblem,
    Launch,
    Rewritten,
    Verbatim,
    WordEdit,
    read_launch,
    read_launches,
    rewrite,
)
from solver.questions.check import report_of
from solver.repair import NOT_GIVEN, Change, Placeholder, RepairSearch, find_repairs
from solver.repair import Repair as FoundRepair

_RESPELLED = frozenset({"ARG001", "ARG002"})
"""Problems of a flag's spelling: the suggestion is what it should be."""

_TAKEN_OUT = frozenset({"ARG009"})
"""Problems of a flag that is no more: without a suggestion, it goes."""


def suggest_fix(
    launch: Source,
    *,
    ignore: Collection[str] = (),
    keep: Collection[str] = (),
    max_changes: int | None = None,
    alternatives: int = 5,
    timeout: float | None = 2.0,
    **circumstances: Unpack[Circumstances],
) -> SuggestedFix:
    """The smallest changes after which no rule is broken.

    Args:
        launch: a command as one text, its words, or a launch that was read from a file.
        ignore: codes of rules that don't count.
        keep: flags that must not change, by field name. What must be given, as the model, never does.
        max_changes: larger repairs are not wanted; at least 1.
        alternatives: how many repairs to give at most; at least 1.
        timeout: seconds after which to answer with what there is; None for no limit.
        circumstances: the release, machine, model and so on, as for `check`.

    Raises:
        ValueError: a number is out of its range.
        What `check` raises.
    """
    return fix_of(
        case_of(launch, **circumstances),
        ignore=ignore,
        keep=keep,
        max_changes=max_changes,
        alternatives=alternatives,
        timeout=timeout,
    )


def fix_of(
    case: Case,
    *,
    ignore: Collection[str],
    keep: Collection[str],
    max_changes: int | None,
    alternatives: int,
    timeout: float | None,
) -> SuggestedFix:
    """The smallest changes of a case; arguments as for `suggest_fix`."""
    if max_changes is not None and max_changes < 1:
        raise ValueError("max_changes must be at least 1")
    report = report_of(case, ignore=ignore)
    spelt = _respelled(case, ignore)
    extra = len(spelt.respellings)
    left = None if max_changes is None else max_changes - extra
    if left is not None and left < 0:
        return SuggestedFix(report, "none-exists", None, proven_smallest=False, at_least=extra)
    started = monotonic()
    for is_lenient in (False, True):
        spent = monotonic() - started
        search = find_repairs(
            Configuration(spelt.case, keep=keep, ignore=ignore, may_leave_undecided=is_lenient),
            keep=keep,
            max_changes=None if left is None else max(left, 1),
            alternatives=alternatives,
            timeout_seconds=None if timeout is None else max(timeout - spent, timeout / 4),
        )
        if search.status in {"found", "nothing-to-mend"}:
            break
    if left == 0 and search.status != "nothing-to-mend":
        return SuggestedFix(report, "none-exists", None, proven_smallest=False, at_least=extra + 1)
    return _answer(report, spelt, search, is_lenient=is_lenient)


@dataclass(frozen=True, slots=True)
class _Spelt:
    """A case whose flags are all spelt right, and what that took."""

    case: Case
    respellings: tuple[Respelling, ...]


def _respelled(case: Case, ignore: Collection[str]) -> _Spelt:
    edits: list[WordEdit] = []
    respellings: list[Respelling] = []
    for problem in case.arguments.problems:
        edit = None if problem.code in ignore else _edit(case, problem)
        if edit is not None:
            edits.append(edit)
            words = [case.arguments.words[index] for index in edit.words]
            before, after = " ".join(word.text for word in words), " ".join(edit.replacement)
            respellings.append(Respelling(before, after, words[0].place))
    if not edits:
        return _Spelt(case, ())
    rewritten = rewrite(case.launch, case.arguments, case.program.flags, edits=edits)
    launch = _launch(case.launch, rewritten.text, rewritten.words)
    return _Spelt(resolved(case.executable, case.release_source, launch, case.world), tuple(respellings))


def _edit(case: Case, problem: ArgumentProblem) -> WordEdit | None:
    """What puts a word right that is no flag; None where that can't be told."""
    if not problem.words:
        return None
    first, *_ = problem.words
    if problem.code in _RESPELLED and problem.suggestion is not None:
        _, equals, value = case.arguments.words[first].text.partition("=")
        return WordEdit((first,), (f"{problem.suggestion}{equals}{value}",))
    if problem.code in _TAKEN_OUT:
        return WordEdit(problem.words, (problem.suggestion,) if problem.suggestion else ())
    return None


def _launch(before: Launch, text: str, words: tuple[str, ...]) -> Launch:
    """The changed launch, read again where it stands: nothing before it has moved."""
    launch = read_launch(words)
    if before.text is not None:
        with suppress(LaunchNotFound, UnreadableInput):
            found = read_launches(text, file=before.place.file)
            launch = next((each for each in found if each.place.start == before.place.start), launch)
    return replace(launch, environment=before.environment, unknown_environment=before.unknown_environment)


def _answer(report: Report, spelt: _Spelt, search: RepairSearch, *, is_lenient: bool) -> SuggestedFix:
    extra = len(spelt.respellings)
    if search.status == "nothing-to-mend" and extra == 0:
        return SuggestedFix(report, "nothing-to-mend", 0, proven_smallest=True, complete=True)
    if search.status == "nothing-to-mend":
        found = (FoundRepair((), 0, "maybe-incorrect", independent=True),)
        repairs = tuple(_repair(spelt, each) for each in found)
        return SuggestedFix(report, "found", extra, proven_smallest=True, repairs=repairs, complete=True)
    unmendable: tuple[Violation, ...] = ()
    if search.obstacle is not None:
        stuck = {rule[1] for rule in search.obstacle.rules if isinstance(rule, tuple) and rule[0] == "rule"}
        places = {(spelt.case.program.codes[node], spelt.case.program.places[node]) for node in stuck}
        unmendable = tuple(each for each in report.violations if (each.code, each.at) in places)
    return SuggestedFix(
        report=report,
        status=search.status,
        size=None if search.size is None else search.size + extra,
        proven_smallest=search.proven_smallest,
        repairs=tuple(_repair(spelt, each) for each in search.repairs),
        complete=search.complete,
        at_least=search.at_least + extra,
        unmendable=unmendable,
        leaves_undecided=is_lenient and bool(search.repairs),
    )


def _repair(spelt: _Spelt, found: FoundRepair) -> Repair:
    case = spelt.case
    left_out = {each.flag for each in found.changes if each.after is NOT_GIVEN}
    set_to = {each.flag: _written(each) for each in found.changes if each.after is not NOT_GIVEN}
    rewritten = rewritten_case(case, set_to, left_out)
    is_guess = bool(spelt.respellings) and found.applicability == "machine-applicable"
    return Repair(
        changes=found.changes,
        cost=found.cost,
        applicability="maybe-incorrect" if is_guess else found.applicability,
        words=rewritten.words,
        command=rewritten.text,
        respellings=spelt.respellings,
    )


def rewritten_case(case: Case, set_to: Mapping[str, Value], unset: Collection[str]) -> Rewritten:
    """The words of a case with its own changes and some further ones."""
    values = {**case.set_to, **set_to}
    return rewrite(
        case.launch,
        case.arguments,
        case.program.flags,
        set_to={name: value for name, value in values.items() if name not in unset},
        unset=sorted((case.unset - set_to.keys()) | frozenset(unset)),
    )


def _written(change: Change) -> Value:
    return Verbatim(str(change.after)) if isinstance(change.after, Placeholder) else change.after
