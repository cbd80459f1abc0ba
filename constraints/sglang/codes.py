"""Stable names for rules: a registry from the fingerprint of a rule to its code, `SGL0123`.

A fingerprint is made of what a rule says (its condition with the guards around it, what named values in
it stand for, the exception) and of the function that says it, not of line numbers. A new fingerprint gets
the next number; none is reused.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

from constraints.catalog import Block, Let, Notice, Refuse, Step
from constraints.expression.simplify import conjunction
from constraints.expression.syntax import Expression, Name
from constraints.expression.text import text
from constraints.sglang.extraction.substitution import substituted

_PREFIX = "SGL"
_FILE = "codes.json"


@dataclass(slots=True)
class Codes:
    """The registry: numbers by fingerprint."""

    numbers: dict[str, int]

    def code(self, fingerprint: str) -> str:
        """The code of a fingerprint; the next free one for a new one."""
        number = self.numbers.get(fingerprint)
        if number is None:
            number = max(self.numbers.values(), default=0) + 1
            self.numbers[fingerprint] = number
        return f"{_PREFIX}{number:04d}"

    def text(self) -> str:
        """The registry as JSON, one entry a line in the order of the numbers."""
        rows = sorted(self.numbers.items(), key=lambda row: row[1])
        body = ",\n".join(f" {json.dumps(key)}: {number}" for key, number in rows)
        return "{\n" + body + "\n}\n"


def shipped_codes() -> Codes:
    """The registry that comes with the package; empty where there is none yet."""
    source = files("constraints.sglang").joinpath("data", _FILE)
    return Codes(json.loads(source.read_text(encoding="utf-8")) if source.is_file() else {})


def save_codes(codes: Codes, folder: Path) -> None:
    """Writes the registry into the package's data folder, atomically."""
    folder.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=folder, prefix=_FILE)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(codes.text())
    Path(name).replace(folder / _FILE)


def with_codes(steps: tuple[Step, ...], codes: Codes) -> tuple[Step, ...]:
    """The steps with a code on every rule. Two rules alike in every respect are told apart by order."""
    return _Coding(codes).steps(steps, ())


class _Coding:
    def __init__(self, codes: Codes) -> None:
        self._codes = codes
        self._digests: dict[str, str] = {}
        self._seen: dict[str, int] = {}

    def steps(self, steps: tuple[Step, ...], guards: tuple[Expression, ...]) -> tuple[Step, ...]:
        return tuple(self._step(step, guards) for step in steps)

    def _step(self, step: Step, guards: tuple[Expression, ...]) -> Step:
        match step:
            case Let(name=name, value=value):
                self._digests[name] = _digest(self._spelt_out(value))
                return step
            case Block(when=when, steps=inner):
                return replace(step, steps=self.steps(inner, (*guards, when)))
            case Refuse():
                return replace(step, code=self._codes.code(self._fingerprint(step, guards)))
            case Notice():
                return step
        return step

    def _fingerprint(self, step: Refuse, guards: tuple[Expression, ...]) -> str:
        condition = self._spelt_out(conjunction((*guards, step.when)))
        digest = _digest(f"{step.function}|{step.exception}|{condition}")
        count = self._seen[digest] = self._seen.get(digest, 0) + 1
        return digest if count == 1 else f"{digest}-{count}"

    def _spelt_out(self, expression: Expression) -> str:
        """The text of an expression, with what a named value stands for in place of its name."""
        names = {n.path for n in expression.distinct() if isinstance(n, Name)} & self._digests.keys()
        return text(substituted(expression, {name: Name(self._digests[name]) for name in names}))


def _digest(said: str) -> str:
    return "d" + hashlib.sha256(said.encode()).hexdigest()[:16]
