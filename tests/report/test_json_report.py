import json

import pytest
from jsonschema import Draft202012Validator

from solver.report import render
from solver.report.ink import Ink
from solver.report.json_report import envelope, schema
from tests.report.examples import DOCUMENTS


def test_the_published_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("name", [*DOCUMENTS])
def test_every_report_keeps_to_the_published_schema(name: str) -> None:
    read = json.loads(render(DOCUMENTS[name], Ink(), output_format="json"))
    Draft202012Validator(schema()).validate(read)
    assert read == envelope(DOCUMENTS[name])


def test_the_summary_counts_verdicts_and_unreadable_sources() -> None:
    assert envelope(DOCUMENTS["several"])["summary"] == {
        "launches": 2,
        "accepted": 1,
        "refused": 1,
        "depends": 0,
        "unreadable": 1,
    }


def test_repairs_stand_beside_the_launch_that_they_mend() -> None:
    [launch] = envelope(DOCUMENTS["fix"])["launches"]
    assert launch["fix"]["size"] == 1
    assert [len(repair["changes"]) for repair in launch["repairs"]] == [1, 1, 2]


def test_nothing_but_ascii_is_written() -> None:
    assert render(DOCUMENTS["fix"], Ink(), output_format="json").isascii()
