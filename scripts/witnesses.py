#!/usr/bin/env python3
"""Finds commands that break each rule of a catalog and nothing before it, for an oracle to be asked about.

    witnesses.py OUTPUT [--site FILE:LINE ...] [--seconds N] [--seed S] [--release VERSION]

Rules whose site is the first in some recorded command are left out: they have their witness. Writes one file
of requests a machine, OUTPUT/MACHINE.jsonl, as `record_oracle.py --requests` reads them, and prints the sites
for which nothing was found. `--list` only writes the sites that no recorded command meets, to unmet.txt
beside the records.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from constraints.expression.values import UNKNOWN  # noqa: E402
from scripts.truth.records import MODELS, read_records  # noqa: E402
from scripts.truth.scenes import Scene, Stage  # noqa: E402
from scripts.truth.search import Search, first  # noqa: E402
from solver.launch import parse_arguments, read_launch  # noqa: E402
from solver.program import Kind, Program  # noqa: E402
from solver.program_cache import load_executable  # noqa: E402

DATA = ROOT / "tests" / "data"
STARTS = 6


def main() -> None:
    """Writes requests."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("output", type=Path, nargs="?", default=Path("witnesses"))
    options.add_argument("--list", action="store_true", help="write the list of rules without a witness")
    options.add_argument("--site", action="append", default=[], help="only rules at this file:line")
    options.add_argument("--seconds", type=float, default=20.0, help="how long to look for one site")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--release", default="0.5.23")
    options.add_argument("--share", default="0/1", help="I/N: only every N-th site, from the I-th")
    asked = options.parse_args()
    executable = load_executable(asked.release)
    if asked.list:
        _write_unmet(executable.program, asked.release)
        return
    known = Known(executable, asked.release)
    rng = random.Random(asked.seed)
    search = Search(known.stage, known.pool, asked.seed)
    sites = [site for site in asked.site if site in known.nodes] or sorted(known.open_sites())
    start, step = map(int, asked.share.split("/"))
    asked.output.mkdir(parents=True, exist_ok=True)
    found = 0
    for site in sites[start::step]:
        nodes = known.nodes[site]
        witness = search.witness(
            rng.sample(nodes, min(3, len(nodes))), known.starts(site, rng), seconds=asked.seconds
        )
        request = None if witness is None else known.stage.request(witness.scene)
        if witness is None or request is None:
            print(f"none {site} {executable.program.functions[nodes[0]]}", flush=True)
            continue
        found += 1
        line = {"argv": request.argv, "env": dict(request.env), "model": request.model, "aim": site}
        with (asked.output / f"{witness.scene.machine}.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps({"id": f"w-{site}", **line}) + "\n")
        print(f"found {site}", flush=True)
    print(f"{found} of {len(sites[start::step])} found")


def _write_unmet(program: Program, release: str) -> None:
    folder = DATA / "oracle" / f"sglang-{release}"
    met = {record.site for path in folder.glob("*.jsonl.gz") for record in read_records(path)[1]}
    places, kinds = program.places, program.kinds
    rules = {places[node] for node, kind in enumerate(kinds) if kind == Kind.REFUSE}
    (folder / "unmet.txt").write_text("".join(f"{site}\n" for site in sorted(rules - met)), encoding="utf-8")
    print(f"{len(rules & met)} of {len(rules)} sites are met")


class Known:
    """What the recorded commands tell: which rules have a witness, which are near, which values occur.

    Attributes:
        stage: resolves scenes.
        pool: values that occur, by the name of a flag or of an environment fact.
        nodes: the rules of each site.
    """

    def __init__(self, executable: Any, release: str) -> None:
        self._program: Program = executable.program
        files = sorted((DATA / "oracle" / f"sglang-{release}").glob("*.jsonl.gz"))
        heads = {path: read_records(path) for path in files}
        facts = {head["machine"]: head["facts"] for head, _ in heads.values()}
        self.stage = Stage(executable, DATA / "models", facts)
        self.pool: dict[str, list[Any]] = defaultdict(list)
        self.nodes: dict[str, list[int]] = defaultdict(list)
        for node, kind in enumerate(self._program.kinds):
            if kind == Kind.REFUSE:
                self.nodes[self._program.places[node]].append(node)
        self._met: set[str] = set()
        self._breaking: dict[str, list[Scene]] = defaultdict(list)
        self._at: dict[str, list[Scene]] = defaultdict(list)
        self._accepted: list[Scene] = []
        for head, records in heads.values():
            for scene, at in self._scenes(head["machine"], records):
                self._learn(scene, at)

    def open_sites(self) -> set[str]:
        """The sites of rules without a witness."""
        return self.nodes.keys() - self._met

    def starts(self, site: str, rng: random.Random) -> Iterator[Scene]:
        """Scenes to start from: those that break the rule already, then those near it, then any."""
        function = self._program.functions[self.nodes[site][0]]
        breaking = self._breaking[site]
        yield from rng.sample(breaking, min(STARTS, len(breaking)))
        file = site.partition(":")[0]
        yield Scene("h100", "llama", {}, {})
        for near in (self._at[f"{file} {function}"], self._at[file], self._accepted):
            yield from rng.sample(near, min(STARTS, len(near)))
        while True:
            yield rng.choice(self._accepted)

    def _scenes(self, machine: str, records: list[Any]) -> Iterator[tuple[Scene, str]]:
        for record in records:
            words = [word.replace(MODELS, str(self.stage.models)) for word in record.request.argv]
            arguments = parse_arguments(self._program.flags, read_launch(words))
            given = {name: flag.value for name, flag in arguments.given.items()}
            if arguments.problems or not record.request.model or any(v is UNKNOWN for v in given.values()):
                continue
            yield self.stage.scene(machine, record.request, given), record.site

    def _learn(self, scene: Scene, at: str) -> None:
        program = self._program
        for name, value in scene.given.items():
            if value not in self.pool[name] and len(self.pool[name]) < 60:
                self.pool[name].append(value)
        for name, text in scene.env.items():
            for fact in (f"env.{name}", f"environ.{name}"):
                if text not in self.pool[fact]:
                    self.pool[fact].append(text)
        resolution = self.stage.resolve(scene)
        node = first(resolution)
        if node >= 0 and program.places[node] == at:
            self._met.add(at)
            self._at[f"{at.partition(':')[0]} {program.functions[node]}"].append(scene)
            self._at[at.partition(":")[0]].append(scene)
        elif not resolution.broken:
            self._accepted.append(scene)
        for node in resolution.broken[1:]:
            self._breaking[program.places[node]].append(scene)


if __name__ == "__main__":
    main()
