"""The report for programs: one JSON envelope for one launch or many, described by `schema.json` beside it."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING, Any

from solver.answers import Verdict
from solver.report.document import Document, Entry

if TYPE_CHECKING:
    from solver.answers import SuggestedFix, WhatIf
    from solver.report.ink import Ink

SCHEMA_VERSION = 1
"""Raised when a reader of the old envelope would go wrong; new keys alone don't raise it."""


def render(document: Document, _ink: Ink) -> str:
    """The envelope as indented JSON, ending in a newline. ASCII only, whatever the command holds.

    Args:
        document: what to show.
    """
    return json.dumps(envelope(document), indent=2, allow_nan=False) + "\n"


def envelope(document: Document) -> dict[str, Any]:
    """The report as JSON values."""
    verdicts = [entry.report.verdict for entry in document.entries]
    return {
        "schema_version": SCHEMA_VERSION,
        "launches": [_launch(entry) for entry in document.entries],
        "summary": {
            "launches": len(verdicts),
            **{verdict.value: verdicts.count(verdict) for verdict in Verdict},
            "unreadable": len(document.problems),
        },
        "problems": [{"name": each.name, "message": each.message} for each in document.problems],
    }


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) that every envelope keeps to."""
    source = resources.files(__package__).joinpath("schema.json").read_text(encoding="utf-8")
    described: dict[str, Any] = json.loads(source)
    return described


def _launch(entry: Entry) -> dict[str, Any]:
    report = entry.report.to_dict()
    place = entry.report.launch.place
    launch: dict[str, Any] = {
        "name": entry.name,
        "place": {"file": place.file, "line": place.line, "column": place.column},
    }
    for key in ("release", "release_source", "world", "verdict"):
        launch[key] = report[key]
    for key in ("violations", "undecided", "rewrites", "notices"):
        launch[key] = report[key]
    if entry.fix is not None:
        launch |= _fix(entry.fix)
    if entry.change is not None:
        launch["what_if"] = _what_if(entry.change)
    if entry.allowed is not None:
        launch["allowed"] = entry.allowed.to_dict()
    return launch


def _fix(fix: SuggestedFix) -> dict[str, Any]:
    """Its fields but for the report, which stands around them."""
    answer = fix.to_dict()
    return {
        "fix": {key: value for key, value in answer.items() if key not in {"report", "repairs"}},
        "repairs": answer["repairs"],
    }


def _what_if(change: WhatIf) -> dict[str, Any]:
    answer = change.to_dict()
    kept = ("words", "command", "newly_broken", "newly_mended", "final_values")
    further = None if change.further is None else _fix(change.further)
    return {"verdict": change.after.verdict.value, **{key: answer[key] for key in kept}, "further": further}
