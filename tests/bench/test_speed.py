"""How fast a check is on a catalog as large as a real one. The limits leave room for a busy machine."""

from __future__ import annotations

from time import process_time

import pytest

from constraints.store import save_catalog
from solver import Verdict, check
from solver.program_cache import _load, load_executable
from tests.bench import synthetic

LEAST_CHECKS_PER_SECOND = 700
"""A third of what a check should reach on an idle machine."""

MOST_SECONDS_TO_LOAD = 0.12
"""Three times what loading a program should take there."""


@pytest.mark.slow
@pytest.mark.parametrize("facts", [{}, synthetic.world()], ids=["nothing known", "all known"])
def test_a_warm_check_is_quick(facts):
    catalog, commands = synthetic.catalog(), synthetic.commands(300)
    verdicts = {check(command, catalog=catalog, facts=facts).verdict for command in commands}
    assert {Verdict.ACCEPTED, Verdict.REFUSED} <= verdicts
    started = process_time()
    for command in commands:
        check(command, catalog=catalog, facts=facts)
    assert len(commands) / (process_time() - started) > LEAST_CHECKS_PER_SECOND


@pytest.mark.slow
def test_a_program_that_was_made_before_loads_quickly(tmp_path, monkeypatch):
    monkeypatch.setenv("FLAGFIT_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "toy-1.json"
    save_catalog(synthetic.catalog(), path)
    load_executable(path)
    seconds = []
    for _ in range(5):
        _load.cache_clear()
        started = process_time()
        load_executable(path)
        seconds.append(process_time() - started)
    assert min(seconds) < MOST_SECONDS_TO_LOAD
