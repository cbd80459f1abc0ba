"""What a change of flags would do to a command, and which values a flag may take."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Unpack

from constraints.domain import accepts, read_words, takes_many_words, takes_no_word
from constraints.errors import FlagError
from constraints.expression.values import same
from constraints.parsers import BadWord
from constraints.vocabulary import Flag, Value
from solver.answers import (
    AllowedValues,
    FinalValue,
    Possibility,
    SuggestedFix,
    Verdict,
    Violation,
    WhatIf,
)
from solver.case import Case, Circumstances, Source, case_of
from solver.configuration import Configuration, stand_in
from solver.questions.check import report_of
from solver.questions.suggest_fix import fix_of, rewritten_case
from solver.repair import NOT_GIVEN

_NO_FLAGS: Mapping[str, Value] = MappingProxyType({})
_ON, _OFF = frozenset({"true", "1", "yes", "on"}), frozenset({"false", "0", "no", "off"})


def what_if(
    launch: Source,
    *,
    set: Mapping[str, Value] = _NO_FLAGS,  # noqa: A002 - what a caller reads: what_if(…, set={…})
    unset: Collection[str] = (),
    ignore: Collection[str] = (),
    keep: Collection[str] = (),
    max_changes: int | None = None,
    alternatives: int = 5,
    timeout: float | None = 2.0,
    **circumstances: Unpack[Circumstances],
) -> WhatIf:
    """What changing a command would do.

    Args:
        launch: a command as one text, its words, or a launch that was read from a file.
        set: new values by field name; text for a flag of another type is read as on a command line.
        unset: flags to take out, by field name.
        ignore: codes of rules that don't count.
        keep: as for `suggest_fix`, which is asked what more it takes.
        max_changes: the same.
        alternatives: the same.
        timeout: the same.
        circumstances: the release, machine, model and so on, as for `check`.

    Raises:
        FlagError: a flag is none of the release's, or can't be given that value.
        What `check` and `suggest_fix` raise.
    """
    case = case_of(launch, **circumstances)
    flags = case.program.flags
    values = {name: value_of(flags, name, value) for name, value in set.items()}
    left_out = {name for name, value in values.items() if value is NOT_GIVEN}
    left_out.update(_flag(flags, name).name for name in unset)
    changed = case.changed({name: value for name, value in values.items() if name not in left_out}, left_out)
    rewritten = rewritten_case(changed, {}, ())
    before, after = report_of(case, ignore=ignore), report_of(changed, ignore=ignore)
    further: SuggestedFix | None = None
    if after.verdict is Verdict.REFUSED:
        further = fix_of(
            changed,
            ignore=ignore,
            keep=(*keep, *set, *unset),
            max_changes=max_changes,
            alternatives=alternatives,
            timeout=timeout,
        )
    return WhatIf(
        before=before,
        after=after,
        newly_broken=tuple(_only_in(after.violations, before.violations)),
        newly_mended=tuple(_only_in(before.violations, after.violations)),
        final_values=tuple(_final_values(case, changed)),
        further=further,
        words=rewritten.words,
        command=rewritten.text,
    )


def allowed(
    flag: str,
    launch: Source,
    *,
    ignore: Collection[str] = (),
    **circumstances: Unpack[Circumstances],
) -> AllowedValues:
    """Which values a flag may take in a command, all else as it is, and what stands against the others.

    Args:
        flag: its field name.
        launch: a command as one text, its words, or a launch that was read from a file.
        ignore: codes of rules that don't count.
        circumstances: the release, machine, model and so on, as for `check`.

    Raises:
        FlagError: the flag is none of the release's.
        What `check` raises.
    """
    case = case_of(launch, **circumstances)
    _flag(case.program.flags, flag)
    configuration = Configuration(case, ignore=ignore)
    present = configuration.present(flag)
    candidates = (present, *configuration.domain(flag).values)
    return AllowedValues(flag, tuple(_possibility(case, flag, each, ignore) for each in candidates))


def value_of(flags: Mapping[str, Flag], name: str, value: Value) -> Value:
    """A value asked for, as the flag's own type has it; `NOT_GIVEN` where that is the way to switch it off.

    Raises:
        FlagError: there is no such flag, or no words give it that value.
    """
    flag = _flag(flags, name)
    options = [option for option in flag.options if not option.deprecated] or list(flag.options)
    if not any(accepts(option, value) for option in options) and isinstance(value, str):
        value = _read(flag, value)
    if any(accepts(option, value) for option in options):
        return value
    if value is False and any(takes_no_word(option) for option in options):
        return NOT_GIVEN
    raise FlagError(name, value, "no words on a command line give it that value")


def _read(flag: Flag, text: str) -> Value:
    """What a flag makes of a text."""
    reason = "it can't be set on a command line"
    for option in flag.options:
        if takes_no_word(option):
            word = text.lower()
            if word in _ON | _OFF:
                return word in _ON
            reason = "is neither true nor false"
            continue
        try:
            return read_words(option, shlex.split(text) if takes_many_words(option) else [text])
        except (BadWord, ValueError) as error:
            reason = str(error)
    raise FlagError(flag.name, text, reason)


def _flag(flags: Mapping[str, Flag], name: str) -> Flag:
    flag = flags.get(name)
    if flag is not None:
        return flag
    from difflib import get_close_matches

    near = get_close_matches(name, flags, n=1)
    raise FlagError(name, None, f"the release has no such flag{f'; did you mean {near[0]}?' if near else ''}")


def _possibility(case: Case, flag: str, value: Value, ignore: Collection[str]) -> Possibility:
    if not _is_present(case, flag, value):
        case = (
            case.changed({}, {flag})
            if value is NOT_GIVEN
            else case.changed({flag: stand_in(case, flag, value)})
        )
    report = report_of(case, ignore=ignore)
    return Possibility(value, report.verdict, report.violations, report.undecided)


def _is_present(case: Case, flag: str, value: Value) -> bool:
    if flag not in case.given:
        return value is NOT_GIVEN
    return value is not NOT_GIVEN and same(case.given[flag], value)


def _only_in(violations: tuple[Violation, ...], others: tuple[Violation, ...]) -> Iterator[Violation]:
    known = {_identity(each) for each in others}
    return (each for each in violations if _identity(each) not in known)


def _identity(violation: Violation) -> tuple[str, ...]:
    """What makes two violations the same: the rule, or what the parser says of a word."""
    own = violation.message if violation.kind == "argument" else ""
    return violation.code, violation.kind, violation.at, own


def _final_values(before: Case, after: Case) -> Iterator[FinalValue]:
    for name in sorted(before.program.flags):
        old, new = before.resolution.final(name), after.resolution.final(name)
        if not same(old, new):
            yield FinalValue(name, old, new)
