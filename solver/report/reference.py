"""Flags, rules and releases as one looks them up: as text, as lines, or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from solver.report.ink import Ink, harmless
from solver.report.layout import headed, labelled
from solver.report.wording import counted, shortened, value_text

if TYPE_CHECKING:
    from solver.questions.reference import FlagEntry, RuleEntry

SCHEMA_VERSION = 1

_CODES_SHOWN = 40


def as_json(release: str, **sections: Sequence[Any]) -> str:
    """Entries as JSON, each section under its name.

    Args:
        release: the engine's version; empty where the entries are of several.
        sections: records with a `to_dict`, or plain JSON values.
    """
    document: dict[str, Any] = {"schema_version": SCHEMA_VERSION}
    if release:
        document["release"] = release
    for name, entries in sections.items():
        document[name] = [each.to_dict() if hasattr(each, "to_dict") else each for each in entries]
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def flag_line(flag: FlagEntry, ink: Ink) -> str:
    """A flag on one line: how it is written, what it takes, its default."""
    spelling = flag.spellings[0] if flag.spellings else flag.name
    takes = flag.type if flag.choices is None else " | ".join(value_text(each) for each in flag.choices)
    return f"{ink.strong(spelling)}  {shortened(harmless(takes))}  {ink.faint(_default(flag))}"


_LONGEST_SENTENCE = 300
"""Of a longer one, the end tells more than the middle: what is asked last is the rule's own condition."""


def _in_a_line(sentence: str) -> str:
    return sentence if len(sentence) <= _LONGEST_SENTENCE else f"{sentence[:140]} … {sentence[-150:]}"


def rule_line(rule: RuleEntry, ink: Ink) -> str:
    """A rule on one line: its code, where it is enforced, its sentence."""
    return f"{ink.bad(rule.code)}  {ink.faint(rule.at)}  {ink.flags(harmless(_in_a_line(rule.message)))}"


def flag_page(flag: FlagEntry, ink: Ink) -> Iterator[str]:
    """All that is known of a flag."""
    yield ink.strong(", ".join(flag.spellings) or flag.name)
    yield from labelled("field", f"{flag.name} ({flag.group})" if flag.group else flag.name, ink)
    yield from labelled("takes", flag.type + (" or None" if flag.nullable else ""), ink)
    if flag.choices is not None:
        yield from labelled("one of", ", ".join(value_text(each) for each in flag.choices), ink)
    yield from labelled("default", value_text(flag.default), ink)
    if flag.deprecated:
        yield from labelled("old", f"{', '.join(flag.deprecated)} (SGLang warns about it)", ink)
    if flag.at:
        yield from labelled("where", flag.at, ink)
    if flag.set_at:
        yield from labelled("changed", f"SGLang may change it at {_listed(flag.set_at)}", ink)
    if flag.rules:
        yield from labelled("read by", f"{counted(len(flag.rules), 'rule')}: {_listed(flag.rules)}", ink)


def rule_page(rule: RuleEntry, ink: Ink) -> Iterator[str]:
    """All that is known of a rule."""
    from constraints.expression.text import text

    yield from headed(rule.code, ink.bad, f"SGLang refuses when {rule.message}", ink)
    yield from labelled("where", f"{rule.at}, in {rule.function} ({rule.exception})", ink)
    for condition in rule.within:
        yield from labelled("if", text(condition), ink)
    yield from labelled("refuse", f"when {text(rule.condition)}", ink)
    if rule.flags:
        yield from labelled("flags", ", ".join(rule.flags), ink)
    if rule.facts:
        yield from labelled("facts", ", ".join(rule.facts), ink)


def summary_line(count: int, what: str, release: str) -> str:
    """How many entries were listed."""
    return f"{counted(count, what)} of SGLang {release}"


def _default(flag: FlagEntry) -> str:
    if flag.default is False:
        return "off unless given"
    return f"default {shortened(value_text(flag.default))}"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_CODES_SHOWN])
    more = len(names) - _CODES_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown
