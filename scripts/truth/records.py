"""Requests to an oracle, its answers, and what is kept of them. Asks nothing.

A record holds facts alone: the command, where the engine stopped, and what it had resolved; none of its
words. One file a machine, JSON one a line, gzipped; the first line says which release and machine.
"""

from __future__ import annotations

import ast
import gzip
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

Value: TypeAlias = Any

MODELS = "{models}"
"""Stands in words and values for the folder with the models' configurations."""

DEFAULT_MODEL = "llama"

_ADDRESSED = ("--model-path", "--model", "--config")

DRAWN = frozenset({"random_seed", "lora_id"})
"""Flags, and parts of flags, that the engine draws by lot where they are not given."""


@dataclass(frozen=True, slots=True)
class Request:
    """A command to ask about.

    Attributes:
        argv: the words after the launcher, the model's path among them.
        env: environment variables.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)

    @property
    def model(self) -> str:
        """The name of the model that the command is about; empty if it is none of those at hand."""
        return _model_of("--model-path", self.argv)

    @property
    def draft_model(self) -> str:
        """The name of the model that drafts for it; empty if there is none, or not at hand."""
        return _model_of("--speculative-draft-model-path", self.argv)

    def key(self) -> str:
        """The same for equal requests."""
        return json.dumps([self.argv, dict(self.env)], sort_keys=True)


@dataclass(frozen=True, slots=True)
class Record:
    """A request, and what the engine makes of it.

    Attributes:
        request: what was asked.
        verdict: `accept`; `reject`: a rule; `crash`: an error of another kind; `usage`: its argument parser.
        site, function: the statement that stopped it, `file:line`, and the function around it.
        final: of an accepted command, the flags with another value at the end than was given.
    """

    request: Request
    verdict: str
    site: str = ""
    function: str = ""
    final: Mapping[str, Value] = field(default_factory=dict)


def request_of(asked: Mapping[str, Value]) -> Request:
    """The request in a line for the oracle, which may name the model beside the words."""
    words = tuple(asked["argv"])
    if not any(word.partition("=")[0] in _ADDRESSED for word in words):
        words = (*words, "--model-path", f"{MODELS}/{asked.get('model') or DEFAULT_MODEL}")
    return Request(words, dict(asked.get("env") or {}))


def record_of(request: Request, answer: Mapping[str, Value], models: str) -> Record | None:
    """What to keep of an answer; None if the oracle itself was at fault.

    Args:
        request: what was asked.
        answer: the oracle's line.
        models: the folder of the models, as the oracle names it.
    """
    if answer["verdict"] == "crash" and not answer["genuine"]:
        return None
    final = answer.get("resolved") or {}
    return Record(
        request,
        answer["verdict"],
        answer["site"] or "",
        answer["function"] or "",
        comparable(final, models),
    )


def chosen(records: Iterable[Record], *, per_site: int, per_model: int) -> list[Record]:
    """Without repetitions: so many refused at each site, and accepted with each model, the first come."""
    seen: set[str] = set()
    counts: Counter[tuple[str, str]] = Counter()
    kept = []
    for record in records:
        accepted = record.verdict == "accept"
        kind = (record.verdict, record.request.model if accepted else record.site)
        if record.request.key() in seen or counts[kind] >= (per_model if accepted else per_site):
            continue
        seen.add(record.request.key())
        counts[kind] += 1
        kept.append(record)
    return kept


def write_records(path: Path, head: Mapping[str, Value], records: Iterable[Record]) -> None:
    """Writes a file of records: the same bytes for the same records."""
    lines = [json.dumps(head, sort_keys=True), *(json.dumps(_line(each)) for each in records)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode(), 9, mtime=0))


def read_records(path: Path) -> tuple[dict[str, Value], list[Record]]:
    """The first line of a file of records, and the records."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        head, *lines = map(json.loads, file)
    return head, [_record(line) for line in lines]


def _line(record: Record) -> dict[str, Value]:
    line: dict[str, Value] = {"argv": list(record.request.argv)}
    if record.request.env:
        line["env"] = dict(record.request.env)
    line["verdict"] = record.verdict
    if record.site:
        line |= {"site": record.site, "function": record.function}
    if record.final:
        line["final"] = dict(sorted(record.final.items()))
    return line


def _record(line: Mapping[str, Value]) -> Record:
    request = Request(tuple(line["argv"]), line.get("env", {}))
    site, function = line.get("site", ""), line.get("function", "")
    return Record(request, line["verdict"], site, function, line.get("final", {}))


def comparable(value: Value, models: str) -> Value:
    """A JSON value as it is in every run: nothing drawn, sets in order, the models' folder not named."""
    if isinstance(value, str):
        elements = _elements(value)
        return value.replace(models, MODELS) if elements is None else elements
    if isinstance(value, list):
        return [comparable(each, models) for each in value]
    if isinstance(value, dict):
        return {key: comparable(each, models) for key, each in value.items() if key not in DRAWN}
    return value


def _elements(text: str) -> list[Value] | None:
    """The elements of a set that is written as Python writes it, in order."""
    if not (text.startswith("{") and text.endswith("}")):
        return None
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None
    return sorted(value, key=repr) if isinstance(value, set) else None


def _model_of(spelling: str, words: tuple[str, ...]) -> str:
    """The model that the last option with this spelling names."""
    path = ""
    for word, following in zip(words, (*words[1:], ""), strict=True):
        name, joined, value = word.partition("=")
        if name == spelling:
            path = value if joined else following
    folder, _, model = path.rstrip("/").rpartition("/")
    return model if folder == MODELS else ""
