"""Runs `check`, `suggest-fix` and `what-if`: reads launches, asks the question of each, writes the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from constraints.errors import LaunchNotFound, UnreadableInput
from solver.answers import Verdict
from solver.cli.commands import Invocation
from solver.cli.inputs import sources
from solver.cli.misuse import Misuse
from solver.cli.output import ink_for, write_error, write_report
from solver.report import render
from solver.report.document import Document, Entry, Problem

if TYPE_CHECKING:
    from constraints.vocabulary import Flag
    from solver.answers import AllowedValues
    from solver.cli.options import Options
    from solver.launch import Launch

FINE, REFUSED, UNREADABLE = 0, 1, 2


def run(invocation: Invocation, options: Options) -> int:
    """Asks one question of every launch named, and reports.

    Returns:
        0 where every launch is accepted, or at least not known to be refused; 1 where one is refused (for
        `what-if`: after the change); 2 where a source could not be read.
    """
    ask = _QUESTIONS[invocation.command]
    entries: list[Entry] = []
    problems: list[Problem] = []
    for name, source in sources(invocation):
        if isinstance(source, UnreadableInput):
            problems.append(Problem(name, str(source)))
            continue
        try:
            launches = _launches(name, source)
        except (LaunchNotFound, UnreadableInput) as error:
            problems.append(Problem(name, str(error)))
            continue
        entries += [ask(each, launch, options) for each, launch in launches]
    document = Document(tuple(entries), tuple(problems), _flags_of(options), verbose=options.verbose)
    write_report(render(document, ink_for(options), output_format=options.output_format), options)
    for problem in problems:
        write_error(problem.message)
    if problems:
        return UNREADABLE
    return REFUSED if any(_is_refused(entry) for entry in entries) else FINE


def _launches(name: str, source: str | tuple[str, ...]) -> list[tuple[str, Launch]]:
    """The launches of a source, each by a name of its own."""
    from solver.launch import read_launches

    launches = read_launches(source, file=name)
    if len(launches) == 1:
        return [(name, launches[0])]
    return [(f"{name}:{launch.place.line}", launch) for launch in launches]


def _check(name: str, launch: Launch, options: Options) -> Entry:
    from solver import check

    return Entry(name, check(launch, **_world(options)))


def _suggest_fix(name: str, launch: Launch, options: Options) -> Entry:
    from solver import suggest_fix

    fix = suggest_fix(launch, keep=_flags(options.keep, options, "--keep"), **_search(options))
    return Entry(name, fix.report, fix=fix)


def _what_if(name: str, launch: Launch, options: Options) -> Entry:
    from solver import allowed, check, what_if

    changes = bool(options.set or options.unset)
    if not changes and options.allowed is None:
        raise Misuse("nothing to ask: give --set FLAG=VALUE, --unset FLAG or --allowed FLAG")
    values: AllowedValues | None = None
    if options.allowed is not None:
        flag = _flags((options.allowed,), options, "--allowed")[0]
        values = allowed(flag, launch, **_world(options))
    if not changes:
        return Entry(name, check(launch, **_world(options)), allowed=values)
    change = what_if(
        launch,
        set={_flags((flag,), options, "--set")[0]: value for flag, value in options.set},
        unset=_flags(options.unset, options, "--unset"),
        keep=_flags(options.keep, options, "--keep"),
        **_search(options),
    )
    return Entry(name, change.before, change=change, allowed=values)


_QUESTIONS: Mapping[str, Callable[[str, Launch, Options], Entry]] = {
    "check": _check,
    "suggest-fix": _suggest_fix,
    "what-if": _what_if,
}


def _world(options: Options) -> dict[str, Any]:
    """What `check` is told besides the launch."""
    return {
        "release": options.release,
        "gpu": options.gpu,
        "model_config": options.model_config,
        "model_arch": options.model_arch,
        "draft_model_config": options.draft_model_config,
        "env": dict(options.env),
        "facts": dict(options.fact),
        "ignore": options.ignore,
    }


def _search(options: Options) -> dict[str, Any]:
    """What a search for fixes is told besides the launch."""
    return {
        **_world(options),
        "max_changes": options.max_changes,
        "alternatives": options.alternatives,
        "timeout": options.timeout,
    }


def _flags(texts: tuple[str, ...], options: Options, option: str) -> tuple[str, ...]:
    """Field names of the flags meant; nothing is loaded where none is named."""
    if not texts:
        return ()
    from solver.cli.names import flag_named
    from solver.program_cache import load_executable

    flags = load_executable(options.release).program.flags
    return tuple(flag_named(text, flags, option=option) for text in texts)


def _flags_of(options: Options) -> Callable[[str], Mapping[str, Flag]]:
    """Looks up the flags of a release: in the catalog that the options name, since that may be a file."""

    def look_up(release: str) -> Mapping[str, Flag]:
        from solver.program_cache import load_executable

        return load_executable(options.release or release).program.flags

    return look_up


def _is_refused(entry: Entry) -> bool:
    """Whether the launch is refused; where a change was asked about, whether it is after the change."""
    if entry.change is not None:
        return entry.change.after.verdict is Verdict.REFUSED
    if entry.allowed is not None:
        return all(each.verdict is Verdict.REFUSED for each in entry.allowed.possibilities)
    return entry.report.verdict is Verdict.REFUSED
