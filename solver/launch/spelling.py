"""Which spelling was probably meant: the nearest among those that exist."""

from __future__ import annotations

from collections.abc import Iterable

MOST = 3
"""How many spellings are offered at most."""


def nearest_flags(written: str, spellings: Iterable[str]) -> tuple[str, ...]:
    """The spellings of flags nearest to a written one, best first; none where all are far off."""
    return _nearest(written, list(spellings))


def nearest_choices(written: str, choices: Iterable[str]) -> tuple[str, ...]:
    """The choices nearest to a written one, best first; none where all are far off."""
    return _nearest(written, list(choices))


def _nearest(written: str, candidates: list[str]) -> tuple[str, ...]:
    plain = _plain(written)
    if not plain:
        return ()
    same = [candidate for candidate in candidates if _plain(candidate) == plain]
    if same:
        return tuple(same[:MOST])
    scored: list[tuple[float, int, str]] = []
    parts = set(plain.split("-"))
    allowed = max(1, len(plain) // 4)
    for candidate in candidates:
        other = _plain(candidate)
        distance = _distance(plain, other, allowed)
        if distance <= allowed:
            scored.append((distance / max(len(plain), len(other)), len(other), candidate))
            continue
        shared = parts & set(other.split("-"))
        union = parts | set(other.split("-"))
        likeness = len(shared) / len(union)
        if len(shared) >= 2 and likeness >= 0.6:
            scored.append((1.0 - likeness, len(other), candidate))
    return tuple(candidate for _, _, candidate in sorted(scored)[:MOST])


def _plain(text: str) -> str:
    """A spelling without what people get wrong: hyphens at the start, underscores, capitals."""
    return text.lstrip("-").replace("_", "-").lower()[:80]


def _distance(left: str, right: str, limit: int) -> int:
    """How many letters to put in, take out, replace or swap, as far as it does not exceed the limit."""
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    # Each letter that the other word lacks takes a change of its own: most words are told apart by that.
    letters, others = set(left), set(right)
    if len(letters - others) > limit or len(others - letters) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, letter in enumerate(left, start=1):
        older, before = before, row
        row = [i]
        for j, other in enumerate(right, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == right[j - 2] and left[i - 2] == other:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
    return row[-1]
