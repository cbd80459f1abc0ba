"""What real SGLang answered, as scripts/record_oracle.py recorded it, beside what this project says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from constraints.expression.values import UNKNOWN
from constraints.sglang.model_facts import model_facts
from constraints.store import load_catalog
from scripts.truth.records import DRAWN, MODELS, Record, comparable, read_records
from solver.answers import Verdict, plain
from solver.case import Case, case_of
from solver.questions.check import report_of

DATA = Path(__file__).parent / "data"
FILES = sorted((DATA / "oracle").glob("*/*.jsonl.gz"))

STRUCTURED = {"cuda_graph_config"}
"""Flags of which each part is a variable of its own."""

NOT_COMPARED = {
    *DRAWN,
    "enable_dp_attention",  # the engine reports something else under this name than it holds
}


@dataclass(frozen=True)
class Question:
    """A record, and where it was made."""

    release: str
    machine: str
    facts: Mapping[str, Any]
    record: Record

    def __str__(self) -> str:
        request = self.record.request
        variables = "".join(f"{name}={value} " for name, value in request.env.items())
        return f"{variables}{' '.join(request.argv)} on {self.machine}"


@dataclass(frozen=True)
class Outcome:
    """How a report compares with a record.

    Attributes:
        verdict: `right`, `wrong` or `unknown`.
        at: where the report says that the engine stops; empty where it does not, where it may stop earlier,
            and in the argument parser.
        equal, undecided: how many final values of an accepted command are as recorded, or not known.
        different: those that are not, as (flag, said, recorded).
    """

    question: Question
    verdict: str
    at: str = ""
    equal: int = 0
    undecided: int = 0
    different: tuple[tuple[str, Any, Any], ...] = ()

    @property
    def has_wrong_site(self) -> bool:
        """Whether a rule is said to be the first broken that is not."""
        record = self.question.record
        return self.verdict == "right" and bool(self.at) and self.at != record.site


def questions(path: Path) -> list[Question]:
    """The records of a file, those of one world together, as worlds are kept for a while only."""
    head, records = read_records(path)
    found = [Question(head["release"], head["machine"], head["facts"], record) for record in records]

    def world(question: Question) -> tuple[str, list[tuple[str, str]]]:
        request = question.record.request
        return request.model, sorted(request.env.items())

    return sorted(found, key=world)


def outcome_of(question: Question) -> Outcome:
    """Asks the project about a recorded command."""
    record = question.record
    case = asked_case(question)
    report = report_of(case)
    at = report.violations[0].at if report.violations else ""
    if report.verdict is Verdict.DEPENDS:
        return Outcome(question, "unknown")
    if (report.verdict is Verdict.ACCEPTED) != (record.verdict == "accept"):
        return Outcome(question, "wrong", at)
    if report.violations:
        broken, undecided = case.resolution.broken, case.resolution.undecided
        is_decided = not broken or not undecided or broken[0] < undecided[0]
        return Outcome(question, "right", at if is_decided else "")
    finals = [(name, *pair) for name, *pair in _finals(case, record)]
    known = [each for each in finals if each[1] is not UNKNOWN]
    different = tuple((name, said, real) for name, said, real in known if _shown(said) != _shown(real))
    return Outcome(
        question,
        "right",
        equal=len(known) - len(different),
        undecided=len(finals) - len(known),
        different=different,
    )


def asked_case(question: Question) -> Case:
    request = question.record.request
    folder = DATA / "models"
    draft = request.draft_model
    return case_of(
        [word.replace(MODELS, str(folder)) for word in request.argv],
        release=question.release,
        gpu=question.machine,
        model_config=folder / request.model if request.model else None,
        env=request.env,
        facts={**question.facts, **(_draft_facts(question.release, draft) if draft else {})},
    )


@lru_cache(maxsize=64)
def _draft_facts(release: str, name: str) -> Mapping[str, Any]:
    """What is known of a model that drafts."""
    model = model_facts(DATA / "models" / name)
    paths = [path for path in load_catalog(release).facts if path.startswith("draft_model.")]
    return {path: model.get(path) for path in paths}


def _finals(case: Case, record: Record) -> Iterator[tuple[str, Any, Any]]:
    """The final values of flags and parts of flags: by name, as said, and as recorded."""
    flags = case.program.flags
    for variable in case.program.final:
        name, *parts = variable.split(".")
        is_inner = name.startswith("_") or name in NOT_COMPARED or (name in STRUCTURED and not parts)
        if name not in flags or is_inner:
            continue
        said = case.resolution.final(variable)
        if said is None and not parts:
            said = flags[name].fallback
        real = record.final.get(name, case.given.get(name, flags[name].default))
        for part in parts:
            real = real[part]
        yield variable, said, real


def _shown(value: Any) -> Any:
    """A value as a record has it."""
    return comparable(json.loads(json.dumps(plain(value))), str(DATA / "models"))
