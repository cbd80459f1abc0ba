"""What README.md shows is what happens; `scripts/refresh_readme.py` writes it anew."""

from __future__ import annotations

import doctest
import re

import pytest

from scripts.refresh_readme import PROGRAM, ROOT, output, sessions

README = (ROOT / "README.md").read_text(encoding="utf-8")
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    return [body for name, body in _FENCE.findall(README) if name == language]


SESSIONS = [session for block in blocks("console") for session in sessions(block)]


@pytest.mark.parametrize(("command", "shown"), [each for each in SESSIONS if PROGRAM in each[0]])
def test_commands_print_what_the_readme_shows(command: str, shown: str) -> None:
    assert output(command) == shown


def test_the_first_command_sets_up_and_mends_a_refused_launch() -> None:
    command, shown = SESSIONS[0]
    assert command.startswith("python3 -m venv .venv && .venv/bin/pip install ")
    assert "refused" in shown
    assert "Smallest fix" in shown


def test_the_second_command_runs_the_tests_as_ci_does() -> None:
    command, shown = SESSIONS[1]
    assert command.startswith(".venv/bin/")
    assert not shown.strip()
    checks = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert f"{command.removeprefix('.venv/bin/')} || failed=1" in checks


@pytest.mark.parametrize("block", blocks("pycon"))
def test_the_library_answers_what_the_readme_shows(block: str) -> None:
    example = doctest.DocTestParser().get_doctest(block, {}, "README.md", "README.md", 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    runner.run(example)
    assert runner.failures == 0
