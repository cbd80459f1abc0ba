"""Joining words and clauses as English does. Knows nothing of expressions but their scalars."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal, TypeAlias

Conjunction: TypeAlias = Literal["and", "or"]

MOST_LISTED: Final = 10
"""A longer list of words is cut, and says how many more there are."""
_KEPT: Final = MOST_LISTED - 2

_PLAIN: Final = re.compile(r"[A-Za-z0-9_+@./:-]{2,}")
_DENIALS: Final = ("is not ", "is none ", "is neither ", "is off")
_READ_OTHERWISE: Final = frozenset(
    {"and", "or", "not", "if", "is", "it", "in", "on", "off", "of", "at", "by", "as", "an", "be", "do"}
    | {"empty", "given", "set", "none", "null", "true", "false", "one", "else"}
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause, in parts as long as they may still be shared with a neighbour.

    Attributes:
        subject: what it is about; empty where `predicate` is the whole clause.
        predicate: what it says of it.
        conjunction: what joins it, where it is several clauses.
        levels: how many levels of such joining there are in it.
        is_loose: whether it has commas or conjunctions of its own, so that a comma must part it from
            what follows.
    """

    subject: str
    predicate: str
    conjunction: Conjunction | None = None
    levels: int = 0
    is_loose: bool = False

    @property
    def text(self) -> str:
        return f"{self.subject} {self.predicate}" if self.subject else self.predicate


def joined(clauses: Sequence[Clause], conjunction: Conjunction) -> Clause:
    """Several clauses as one: "A and B", "A, B, and C", "A and either B or C".

    Neighbours with the same subject share it. What is joined three levels deep stands in brackets.
    """
    clauses = _with_shared_subjects(clauses, conjunction)
    if len(clauses) == 1:
        return clauses[0]
    text = _in_a_row(
        [_part(clause, conjunction, is_last=clause is clauses[-1]) for clause in clauses],
        conjunction,
        is_loose=any(clause.is_loose for clause in clauses),
    )
    levels = 1 + max(clause.levels for clause in clauses)
    return Clause("", text, conjunction, levels, is_loose=True)


def listed(words: Sequence[str], conjunction: Conjunction) -> str:
    """Words in a row: "a", "a or b", "a, b or c"; past `MOST_LISTED`, "a, b or 9 others"."""
    if len(words) > MOST_LISTED:
        words = [*words[:_KEPT], f"{len(words) - _KEPT} others"]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {conjunction} {words[-1]}"


def enumerated(words: Sequence[str]) -> str:
    """Words in a row without a conjunction, for "one of a, b, c"; past `MOST_LISTED`, "a, b and 9 more"."""
    if len(words) > MOST_LISTED:
        return f"{', '.join(words[:_KEPT])} and {len(words) - _KEPT} more"
    return ", ".join(words)


def shown(value: object) -> str:
    """A scalar as it stands in a sentence: text plain where it cannot be taken for something else."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        is_plain = _PLAIN.fullmatch(value) and value.lower() not in _READ_OTHERWISE
        return value if is_plain and not _is_number(value) else repr(value)
    return str(value)


def _is_number(word: str) -> bool:
    return word.lstrip("+-").replace(".", "", 1).isdigit()


def _part(clause: Clause, conjunction: Conjunction, *, is_last: bool) -> str:
    if clause.conjunction == conjunction:
        return clause.text
    # Commas of its own would run into those of the whole.
    runs_on = clause.conjunction is not None and ", " in clause.text and not is_last
    if clause.levels > 1 or runs_on:
        return f"({clause.text})"
    return f"either {clause.text}" if clause.conjunction == "or" else clause.text


def shared(predicates: Sequence[str], conjunction: Conjunction, *, is_loose: bool) -> str:
    """Predicates of one subject as one: "is given and not 1", "is not given or is 1".

    A second "is" is left out where no "not" before it could be taken to go on.
    """
    parts: list[str] = []
    may_share = predicates[0].startswith("is ")
    for predicate in predicates:
        is_denial = predicate.startswith(_DENIALS)
        parts.append(predicate.removeprefix("is ") if parts and may_share else predicate)
        may_share = may_share and not is_denial
    return _in_a_row(parts, conjunction, is_loose=is_loose)


def _with_shared_subjects(clauses: Sequence[Clause], conjunction: Conjunction) -> list[Clause]:
    result: list[Clause] = []
    for subject, neighbours in groupby(clauses, key=lambda clause: clause.subject):
        group = list(neighbours)
        if subject and len(group) > 1:
            is_loose = any(clause.is_loose for clause in group)
            predicates = [
                f"either {clause.predicate}" if clause.conjunction == "or" else clause.predicate
                for clause in group
            ]
            predicate = shared(predicates, conjunction, is_loose=is_loose)
            result.append(Clause(subject, predicate, conjunction, 1, is_loose=True))
        else:
            result += group
    return result


def _in_a_row(parts: Sequence[str], conjunction: Conjunction, *, is_loose: bool) -> str:
    if len(parts) == 2:
        return f"{parts[0]}{',' if is_loose else ''} {conjunction} {parts[1]}"
    return f"{', '.join(parts[:-1])}, {conjunction} {parts[-1]}"
