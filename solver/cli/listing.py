"""Runs `flags` and `rules`: lists what a release has, or what of it holds all words given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from solver.cli.commands import Invocation
from solver.cli.output import ink_for, write_report
from solver.report import reference

if TYPE_CHECKING:
    from solver.answers import Answer
    from solver.cli.options import Options
    from solver.questions.reference import FlagEntry, RuleEntry

FOUND, NOTHING_FOUND = 0, 1


def run(invocation: Invocation, options: Options) -> int:
    """Writes the list.

    Returns:
        0 where anything was found, else 1, as `grep` does.
    """
    from solver.program_cache import load_executable
    from solver.questions.reference import flag_entries, rule_entries

    program = load_executable(options.release).program
    words = [word.lower() for word in invocation.operands]
    ink = ink_for(options)
    found: Sequence[Answer]
    if invocation.command == "flags":
        flags = [each for each in flag_entries(program) if _holds(_flag_text(each), words)]
        found, what = flags, "flag"
        lines = [reference.flag_line(each, ink) for each in flags]
    else:
        rules = [each for each in rule_entries(program) if _holds(_rule_text(each), words)]
        found, what = rules, "rule"
        lines = [reference.rule_line(each, ink) for each in rules]
    if options.output_format == "json":
        text = reference.as_json(program.version, **{invocation.command: found})
    else:
        if options.output_format == "full":
            lines += ["", reference.summary_line(len(found), what, program.version)]
        text = "".join(f"{line}\n" for line in lines)
    write_report(text, options)
    return FOUND if found else NOTHING_FOUND


def _holds(text: str, words: list[str]) -> bool:
    return all(word in text for word in words)


def _flag_text(flag: FlagEntry) -> str:
    choices = flag.choices or ()
    return " ".join((flag.name, *flag.spellings, *flag.deprecated, *map(str, choices))).lower()


def _rule_text(rule: RuleEntry) -> str:
    return " ".join((rule.code, rule.at, rule.function, rule.message, *rule.flags)).lower()
