"""Writes anew what the README's commands print. For maintainers, after a change of a catalog or of a report.

python scripts/refresh_readme.py
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROGRAM = ".venv/bin/flagfit"
"""What the README calls it; run is the one beside this Python."""

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def main() -> None:
    """Rewrites README.md in place."""
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    readme.write_text(_BLOCK.sub(lambda block: refreshed(block[1]), text), encoding="utf-8")


def refreshed(block: str) -> str:
    """A block of commands with what they print now."""
    parts = (f"$ {command}\n{output(command)}" for command, _ in sessions(block))
    return f"```console\n{''.join(parts)}```"


def sessions(block: str) -> list[tuple[str, str]]:
    """The commands of a block, continuation lines included, each with what stands below it."""
    found = []
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        lines = part.split("\n")
        end = next(number for number, line in enumerate(lines) if not line.endswith("\\"))
        found.append(("\n".join(lines[: end + 1]), "\n".join(lines[end + 1 :])))
    return found


def output(command: str) -> str:
    """What the flagfit part of a command prints; nothing for a command without one."""
    _, program, words = command.partition(PROGRAM)
    if not program:
        return ""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FLAGFIT_")}
    # A busy machine must not cut the search short: what is shown is what it finds when it ends by itself.
    environment["FLAGFIT_TIMEOUT"] = "120"
    done = subprocess.run(
        ["bash", "-c", f"{Path(sys.executable).with_name('flagfit')}{words}"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment,
        check=False,
    )
    return done.stdout + done.stderr


if __name__ == "__main__":
    main()
