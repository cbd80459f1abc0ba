"""What README.md shows is what happens."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PROGRAM = ".venv/bin/flagfit"


def blocks(language: str) -> list[str]:
    return [body for name, body in _FENCE.findall(README) if name == language]


def sessions() -> list[tuple[str, str]]:
    """Each command of a console block, its continuation lines joined, with what stands below it."""
    found: list[tuple[str, str]] = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = part.split("\n")
            end = next(number for number, line in enumerate(lines) if not line.endswith("\\"))
            found.append(("\n".join(lines[: end + 1]), "\n".join(lines[end + 1 :])))
    return found


def flagfit_sessions() -> list[tuple[str, str]]:
    return [(command, output) for command, output in sessions() if _PROGRAM in command]


@pytest.mark.parametrize(("command", "output"), flagfit_sessions())
def test_commands_print_what_the_readme_shows(command: str, output: str) -> None:
    program = Path(sys.executable).with_name("flagfit")
    words = f"{program}{command.partition(_PROGRAM)[2]}"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FLAGFIT_")}
    # A busy machine must not cut the search short: what is shown is what it finds when it ends by itself.
    environment["FLAGFIT_TIMEOUT"] = "120"
    done = subprocess.run(
        ["bash", "-c", words], capture_output=True, text=True, cwd=ROOT, env=environment, check=False
    )
    assert done.stdout + done.stderr == output


def test_the_first_command_sets_up_and_mends_a_refused_launch() -> None:
    command, output = sessions()[0]
    assert command.startswith("python3 -m venv .venv && .venv/bin/pip install ")
    assert "refused" in output
    assert "Smallest fix" in output


def test_the_second_command_runs_the_tests_as_ci_does() -> None:
    command, output = sessions()[1]
    assert command.startswith(".venv/bin/")
    assert not output.strip()
    checks = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert command.removeprefix(".venv/bin/") in checks


@pytest.mark.parametrize("block", blocks("pycon"))
def test_the_library_answers_what_the_readme_shows(block: str) -> None:
    example = doctest.DocTestParser().get_doctest(block, {}, "README.md", "README.md", 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    runner.run(example)
    assert runner.failures == 0
