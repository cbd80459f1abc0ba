"""Holds the catalogs against what real SGLang answered about thousands of commands."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.recorded import FILES, Outcome, Question, outcome_of, questions

MAX_UNKNOWN_SHARE = 0.01
"""Of the commands of a machine, those about which the catalog may say that it depends."""

MAX_UNDECIDED_VALUES_SHARE = 0.002
"""Of the final values of accepted commands, those that may not be known."""


def complaints(outcomes: Iterable[Outcome]) -> list[str]:
    """What is not as recorded, a line each."""
    found = []
    for outcome in outcomes:
        question, record = outcome.question, outcome.question.record
        if outcome.verdict == "wrong" or outcome.has_wrong_site:
            said, real = outcome.at or "accepted or in the arguments", record.site or record.verdict
            found.append(f"{question}\n    said: {said}, real: {real}")
        for name, said, real in outcome.different:
            found.append(f"{question}\n    {name} said: {said!r}, real: {real!r}")
    return found


def assert_true(asked: list[Question]) -> None:
    outcomes = [outcome_of(question) for question in asked]
    assert not (found := complaints(outcomes)), "\n".join([f"{len(found)} are not as recorded", *found[:20]])
    unknown = [str(outcome.question) for outcome in outcomes if outcome.verdict == "unknown"]
    assert len(unknown) <= max(1, MAX_UNKNOWN_SHARE * len(outcomes)), "\n".join(unknown)
    undecided = sum(outcome.undecided for outcome in outcomes)
    assert undecided <= MAX_UNDECIDED_VALUES_SHARE * sum(outcome.equal for outcome in outcomes)


def one_of_each_kind() -> list[Question]:
    """A command for each statement where SGLang stopped, and an accepted one with each model."""
    kinds: dict[tuple[str, str], Question] = {}
    for path in FILES:
        for question in questions(path):
            record = question.record
            kinds.setdefault((record.verdict, record.site or record.request.model), question)
    return list(kinds.values())


def test_enough_is_recorded() -> None:
    asked = [question for path in FILES for question in questions(path)]
    assert len(asked) >= 3000
    assert len({question.machine for question in asked}) >= 5
    assert len({question.record.request.model for question in asked if question.record.request.model}) >= 60


def test_real_sglang_stops_where_the_catalog_says() -> None:
    assert_true(one_of_each_kind())


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name.partition(".")[0])
def test_real_sglang_agrees_with_the_catalog_about_every_recorded_command(path: Path) -> None:
    assert_true(questions(path))
