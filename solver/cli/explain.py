"""Runs `explain`: all that is known of a rule, by its code, or of a flag."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from solver.cli.commands import Invocation
from solver.cli.misuse import Misuse
from solver.cli.output import ink_for, write_report
from solver.report import reference

if TYPE_CHECKING:
    from solver.cli.options import Options
    from solver.program import Program
    from solver.questions.reference import FlagEntry, RuleEntry

_CODE = re.compile(r"[A-Za-z]{2,}[0-9]+")


def run(invocation: Invocation, options: Options) -> int:
    """Writes a page for each rule or flag named.

    Raises:
        Misuse: there is no such rule or flag, or none is named.
    """
    from solver.program_cache import load_executable

    if not invocation.operands:
        raise Misuse("name a rule or a flag: `flagfit explain SGL0123` or `flagfit explain --dcp-size`")
    program = load_executable(options.release).program
    ink = ink_for(options)
    rules: list[RuleEntry] = []
    flags: list[FlagEntry] = []
    for topic in invocation.operands:
        found = _rules_named(topic, program)
        rules += found
        if not found:
            flags.append(_flag_named(topic, program))
    if options.output_format == "json":
        text = reference.as_json(program.version, rules=rules, flags=flags)
    elif options.output_format == "concise":
        lines = [reference.rule_line(each, ink) for each in rules]
        lines += [reference.flag_line(each, ink) for each in flags]
        text = "".join(f"{line}\n" for line in lines)
    else:
        pages = ["\n".join(reference.rule_page(each, ink)) for each in rules]
        pages += ["\n".join(reference.flag_page(each, ink)) for each in flags]
        text = "\n\n".join(pages) + "\n"
    write_report(text, options)
    return 0


def _rules_named(topic: str, program: Program) -> tuple[RuleEntry, ...]:
    from solver.questions.reference import rule_entries

    code = topic.strip().upper()
    return rule_entries(program, code=code) if code and code in program.codes else ()


def _flag_named(topic: str, program: Program) -> FlagEntry:
    from solver.cli.names import flag_named
    from solver.questions.reference import flag_entries

    if _CODE.fullmatch(topic):
        raise Misuse(f"explain: there is no rule {topic!r}; `flagfit rules` lists them")
    name = flag_named(topic, program.flags, option="explain")
    return next(each for each in flag_entries(program) if each.name == name)
