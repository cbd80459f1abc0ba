"""Whether a catalog holds together: nothing undefined, and the command without flags accepted.

Whether it says what the engine does, only the engine can tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from constraints.catalog import Catalog
from solver.answers import Verdict
from solver.flattening import flatten
from solver.launch.words import Launch, words_of
from solver.program import NOTHING, Kind, Program
from solver.questions.check import check


def verify(catalog: Catalog, *, machines: Iterable[str] = ()) -> tuple[str, ...]:
    """What is wrong with a catalog, one sentence each; empty if nothing is.

    Args:
        catalog: the catalog.
        machines: names of machines on which the engine starts without any flag that it does not require.
    """
    program = flatten(catalog)
    return (*_undefined(program, catalog), *_unnamed(program), *_refused_by_default(catalog, machines))


def _undefined(program: Program, catalog: Catalog) -> Iterator[str]:
    """Names that steps read and nothing defines, and facts that are read but not declared."""
    bindings = program.details().bindings
    for node in range(program.leaf_count, len(program.kinds)):
        for name, producer in bindings[node]:
            if producer == NOTHING:
                yield f"{program.places[node]} reads {name}, which nothing before it defines"
    for name in program.facts:
        if name not in catalog.facts:
            yield f"the fact {name} is read but not declared"


def _unnamed(program: Program) -> Iterator[str]:
    for node, kind in enumerate(program.kinds):
        if kind == Kind.REFUSE and not program.codes[node]:
            yield f"{program.places[node]} holds a rule without a code"


def _refused_by_default(catalog: Catalog, machines: Iterable[str]) -> Iterator[str]:
    words = [
        word
        for flag in catalog.flags.values()
        for option in flag.options
        if option.required
        for word in (option.spellings[0], "m")
    ]
    for machine in (None, *machines):
        report = check(Launch(words_of(words)), gpu=machine, catalog=catalog)
        if report.verdict is Verdict.REFUSED:
            codes = ", ".join(violation.code for violation in report.violations)
            on = f" on {machine}" if machine else ""
            yield f"the command without flags is refused{on} ({codes})"
