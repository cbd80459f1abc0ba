"""Asks real SGLang about commands, through an oracle that runs its resolution on a simulated machine.

An oracle is a folder with `oracle.py`, which reads JSON requests and answers them, one a line, and `models/`,
the folder that `{models}` stands for. A source is a folder with a release's package `sglang` and its Python,
`venv/bin/python`.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.truth.records import Record, Request, record_of, request_of

_PROBE = """
import json, sys
sys.path.insert(0, sys.argv[1])
import oracle
oracle.simulate(sys.argv[2])
from sglang.srt.utils import common
print(json.dumps({
    "amx": common.cpu_has_amx_support(),
    "memory_mib": common.get_cpu_memory_capacity(),
    "triton_kernels": common.is_triton_kernels_available(),
}))
"""


@dataclass(frozen=True, slots=True)
class Oracle:
    """Where to ask.

    Attributes:
        folder: of the oracle.
        source: of the release.
    """

    folder: Path
    source: Path

    @property
    def models(self) -> Path:
        return self.folder / "models"

    def ask(self, machine: str, requests: Sequence[Request]) -> list[Record | None]:
        """What the engine makes of some commands on a machine; None where the oracle is at fault itself.

        Raises:
            subprocess.CalledProcessError: the oracle did not end well.
        """
        lines = [
            {"id": number, "argv": list(request.argv), "env": dict(request.env)}
            for number, request in enumerate(requests)
        ]
        command = ["oracle.py", "--machine", machine, "--resolved", "--no-messages"]
        answers = {each["id"]: each for each in self._run(command, lines)}
        models = str(self.models.resolve())
        return [record_of(request, answers[number], models) for number, request in enumerate(requests)]

    def facts(self, machine: str) -> dict[str, object]:
        """What the oracle's host and packages tell the engine, other than a machine's preset says."""
        command = ("-c", _PROBE, str(self.folder.resolve()), machine)
        probed = json.loads(self._python(command, "").splitlines()[-1])
        facts: dict[str, object] = {
            "host.infiniband_devices": [f"mlx5_{number}" for number in range(8)],
            "gpu.is_triton_kernels_available": probed["triton_kernels"],
        }
        if machine == "cpu":
            facts |= {"gpu.memory_mib": probed["memory_mib"], "gpu.has_amx": probed["amx"]}
        return facts

    def generate(self, count: int, seed: int) -> list[Request]:
        """Random commands close to the release's rules."""
        command = ["generate.py", str(self.source), str(count), "--seed", str(seed)]
        return [request_of(asked) for asked in self._run(command, ())]

    def _run(self, command: Sequence[str], lines: Iterable[object]) -> Iterator[dict[str, Any]]:
        script, *options = command
        words = (str(self.folder.resolve() / script), *options)
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        return map(json.loads, self._python(words, text).splitlines())

    def _python(self, words: Sequence[str], text: str) -> str:
        """What the release's Python prints."""
        done = subprocess.run(
            [str(self.source / "venv/bin/python"), *words],
            input=text,
            env={**os.environ, "PYTHONPATH": str(self.source)},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            check=True,
        )
        return done.stdout
