"""How long flagfit takes, beside bare Python and beside a MaxSAT solver, against the targets that it has.

All figures of a run are measured in turns, so that a busy machine slows them alike: compare ratios.

    python scripts/bench.py            # a minute or two
    python scripts/bench.py --rounds 5 # rougher
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

ROOT = Path(__file__).parent.parent
LAUNCHER = ("python", "-m", "sglang.launch_server", "--model-path", "m")
VALID = (*LAUNCHER, "--tp-size", "4", "--mem-fraction-static", "0.8")
REFUSED = (
    *LAUNCHER,
    *("--disaggregation-mode", "decode", "--dcp-size", "2"),
    *("--disaggregation-decode-retraction-backup", "host_pool"),
)
TWO_CHANGES = (*LAUNCHER, "--prefill-only-disable-kv-cache", "--enable-prefill-cp")

REFERENCE_MS = 19.0
"""What bare Python took on the machine that the cold targets were set on."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the result.

    Attributes:
        name: what was measured.
        milliseconds: the median.
        target_ms: at most so much is wanted, on this machine; None where there is no target.
        note: more of the same measurement.
    """

    name: str
    milliseconds: float
    target_ms: float | None = None
    note: str = ""


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=21, help="runs of each cold command (default: 21)")
    rounds = parser.parse_args().rounds
    sys.path.insert(0, str(ROOT))
    show("whole processes", cold(rounds))
    show("in one process", warm())
    show("repair search on made-up rules (500 flags, 50 derived values, 600 rules)", synthetic())


def cold(rounds: int) -> Iterator[Figure]:
    """Whole processes from start to end, the compiled catalog already in the cache."""
    flagfit = str(Path(sys.executable).with_name("flagfit"))
    commands: dict[str, Sequence[str]] = {
        "bare Python": (sys.executable, "-c", "pass"),
        "import typer": (sys.executable, "-c", "import typer"),
        "check, accepted": (flagfit, "check", "--", *VALID),
        "check, refused": (flagfit, "check", "--", *REFUSED),
        "suggest-fix": (flagfit, "suggest-fix", "--", *REFUSED),
        "suggest-fix, two changes": (flagfit, "suggest-fix", "--", *TWO_CHANGES),
    }
    targets = {"check, accepted": 150, "suggest-fix": 350, "suggest-fix, two changes": 350}
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"FLAGFIT_CACHE_DIR": folder}
        first = {name: seconds(run, words, environment) for name, words in commands.items()}
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(rounds):
            for name, words in commands.items():
                times[name].append(seconds(run, words, environment))
    bare = median(times["bare Python"])
    for name, each in times.items():
        target = targets.get(name)
        yield Figure(
            name,
            1000 * median(each),
            None if target is None else 1000 * bare * target / REFERENCE_MS,
            f"{median(each) / bare:.1f} x bare Python; the first time {1000 * first[name]:.0f} ms",
        )


def warm() -> Iterator[Figure]:
    """Questions asked again and again in one process."""
    from solver import check, suggest_fix

    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"FLAGFIT_CACHE_DIR": folder}
        yield Figure("load, nothing cached", loading_ms(environment))
        yield Figure("load, from the disk cache", median(loading_ms(environment) for _ in range(11)))
    # Each command is another one, so that no answer is remembered.
    valid = [(*VALID, "--port", str(20_000 + number)) for number in range(500)]
    refused = [(*REFUSED, "--port", str(20_000 + number)) for number in range(500)]
    for name, commands in (("check, accepted", valid), ("check, refused", refused)):
        check(commands[0])
        each = median([seconds(check, words) for words in commands])
        target = 0.5 if name == "check, accepted" else None
        yield Figure(name, 1000 * each, target, f"{1 / each:,.0f} a second")
    for name, words in (("suggest-fix", REFUSED), ("suggest-fix, two changes", TWO_CHANGES)):
        commands = [(*words, "--port", str(20_000 + number)) for number in range(50)]
        suggest_fix(commands[0])
        each = median([seconds(suggest_fix, words) for words in commands])
        yield Figure(name, 1000 * each, 10)


def loading_ms(environment: dict[str, str]) -> float:
    """How long a process that has imported all it needs takes to load the newest catalog, ready to run."""
    code = (
        "import time, constraints.expression.runtime; from solver.program_cache import load_executable;"
        "start = time.perf_counter(); load_executable(); print(1000 * (time.perf_counter() - start))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, env=environment, cwd=ROOT
    )
    return float(done.stdout)


def synthetic() -> Iterator[Figure]:
    """The search alone, and RC2 (python-sat) on the same instances, in turns."""
    from solver.repair.search import find_repairs
    from tests.repair.instances import large
    from tests.repair.maxsat import optimum

    ours: list[float] = []
    theirs: list[float] = []
    for seed in range(60):
        instance = large(seed)
        started = perf_counter()
        found = find_repairs(instance)
        ours.append(perf_counter() - started)
        started = perf_counter()
        best = optimum(instance)
        theirs.append(perf_counter() - started)
        if (None if best is None else best[0]) != found.size:
            raise SystemExit(f"instance {seed}: {found.size} changes found, RC2 found {best}")
    yield Figure("flagfit", 1000 * median(ours), 10, f"worst {1000 * max(ours):.0f} ms")
    ratio = median(theirs) / median(ours)
    yield Figure(
        "RC2", 1000 * median(theirs), None, f"worst {1000 * max(theirs):.0f} ms; {ratio:.1f} x flagfit"
    )


def run(words: Sequence[str], environment: dict[str, str]) -> None:
    """Runs a command to its end; what it prints is dropped."""
    done = subprocess.run(words, capture_output=True, check=False, env=environment)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(words)}: {done.stderr.decode(errors='replace')}")


def seconds(work: Callable[..., object], *arguments: object) -> float:
    """How long the work takes."""
    started = perf_counter()
    work(*arguments)
    return perf_counter() - started


def show(title: str, figures: Iterator[Figure]) -> None:
    """Prints the figures as they come."""
    print(f"\n{title}")
    for each in figures:
        target = ""
        if each.target_ms is not None:
            verdict = "ok" if each.milliseconds <= each.target_ms else "MISSED"
            target = f"target {each.target_ms:.1f}: {verdict}"
        print(f"  {each.name:<28}{each.milliseconds:>9.2f} ms  {target:<22}{each.note}", flush=True)


if __name__ == "__main__":
    main()
