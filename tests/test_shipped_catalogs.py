"""What must hold of every catalog on offer. Whether it is true, tests/test_recorded_truth.py asks."""

from functools import lru_cache

import pytest

from constraints.catalog import Catalog, Refuse
from constraints.expression.parse import parse
from constraints.expression.text import text
from constraints.sglang.machine_presets import PRESETS
from constraints.store import load_catalog, releases
from scripts.truth.records import read_records
from solver import Verdict, check
from solver.questions.verify import verify
from tests.recorded import DATA, FILES

MACHINES = sorted({machine.name for machine in PRESETS})
DENSE_MODELS = ("llama", "qwen3", "gemma3", "mixtral")
"""Models that every machine starts without a flag."""


@lru_cache(maxsize=4)
def catalog_of(release: str) -> Catalog:
    return load_catalog(release)


@pytest.mark.parametrize("release", releases())
def test_every_name_in_a_catalog_is_defined_and_it_accepts_the_command_without_flags(release: str) -> None:
    assert verify(catalog_of(release), machines=MACHINES) == ()


@pytest.mark.parametrize("release", releases())
@pytest.mark.parametrize("model", DENSE_MODELS)
def test_a_dense_model_starts_without_flags_on_every_machine(release: str, model: str) -> None:
    path = DATA / "models" / model
    for machine in MACHINES:
        report = check(["--model-path", str(path)], release=release, gpu=machine, model_config=path)
        assert report.verdict is not Verdict.REFUSED, (machine, report.violations)


@pytest.mark.slow
@pytest.mark.parametrize("release", releases())
def test_every_condition_reads_the_same_after_it_is_written(release: str) -> None:
    for step, guards in catalog_of(release).walk():
        for expression in (step.when, *guards):
            assert parse(text(expression)) == expression


@pytest.mark.parametrize("release", sorted({path.parent.name.removeprefix("sglang-") for path in FILES}))
def test_every_rule_is_broken_by_a_recorded_command_or_listed_as_one_that_none_breaks(release: str) -> None:
    folder = DATA / "oracle" / f"sglang-{release}"
    listed = set((folder / "unmet.txt").read_text(encoding="utf-8").split())
    steps = catalog_of(release).walk()
    rules = {step.at for step, _ in steps if isinstance(step, Refuse)}
    met = {record.site for path in FILES if path.parent == folder for record in read_records(path)[1]}
    assert listed == rules - met, "scripts/witnesses.py --list writes the list anew"
