import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tests.extraction.engine import engine
from tests.extraction.programs import DOMAINS, programs

slowly = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def complaints(program: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        return engine(Path(folder), program, **DOMAINS).wrong()  # type: ignore[arg-type]  # no flag is called as a parameter is


@settings(slowly, max_examples=60, derandomize=True)
@given(programs())
def test_the_steps_of_a_random_program_say_nothing_that_python_does_not_do(program):
    assert complaints(program) == []


@pytest.mark.slow
@settings(slowly, max_examples=2000)
@given(programs())
def test_the_steps_of_many_random_programs_say_nothing_that_python_does_not_do(program):
    assert complaints(program) == []
