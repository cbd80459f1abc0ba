#!/usr/bin/env python3
"""Records what real SGLang answers about commands, for the tests to hold a catalog against.

    record_oracle.py MACHINE... --oracle DIR --source DIR [--generate N] [--seed S] [--requests FILE]

Asks anew about the commands recorded before, about N random ones, and about those in a file (JSON, one a
line), on each machine. Keeps a few of each kind in tests/data/oracle/sglang-VERSION/MACHINE.jsonl.gz, and the
configurations of the models that they name in tests/data/models. See `truth.oracle` for what an oracle is.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts.truth.oracle import Oracle  # noqa: E402
from scripts.truth.records import (  # noqa: E402
    MODELS,
    Record,
    Request,
    chosen,
    read_records,
    record_of,
    request_of,
    write_records,
)

DATA = ROOT / "tests" / "data"


def main() -> None:
    """Writes the records of the machines that the arguments name."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("machines", nargs="+")
    options.add_argument("--oracle", type=Path, required=True, help="the folder of the oracle")
    options.add_argument("--source", type=Path, required=True, help="the folder of the release")
    options.add_argument("--release", default="0.5.23")
    options.add_argument("--generate", type=int, default=0, help="how many random commands to ask about")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--requests", type=Path, help="more commands to ask about")
    options.add_argument("--answers", type=Path, help="the answers to these, if they were asked already")
    options.add_argument("--per-site", type=int, default=4, help="refused commands to keep of each site")
    options.add_argument("--per-model", type=int, default=6, help="accepted commands to keep of each model")
    options.add_argument("--keep", action="store_true", help="don't ask anew about what was recorded before")
    asked = options.parse_args()
    oracle = Oracle(asked.oracle, asked.source)
    folder = DATA / "oracle" / f"sglang-{asked.release}"
    for number, machine in enumerate(asked.machines):
        path = folder / f"{machine}.jsonl.gz"
        earlier = read_records(path)[1] if path.exists() else []
        requests = oracle.generate(asked.generate, asked.seed + number) if asked.generate else []
        records: list[Record | None] = []
        if asked.requests and asked.answers:
            records += _answered(asked.requests, asked.answers, str(oracle.models.resolve()))
        elif asked.requests:
            requests += [request_of(json.loads(line)) for line in asked.requests.read_text().splitlines()]
        if asked.keep:
            records[:0] = earlier
        else:
            requests[:0] = [record.request for record in earlier]
        if requests:
            records += oracle.ask(machine, requests)
        genuine = [record for record in records if record is not None]
        kept = chosen(genuine, per_site=asked.per_site, per_model=asked.per_model)
        facts = oracle.facts(machine)
        head = {"engine": "sglang", "release": asked.release, "machine": machine, "facts": facts}
        write_records(path, head, kept)
        _copy_models(kept, oracle.models)
        sites = {record.site for record in kept if record.site}
        counts = dict(sorted(Counter(record.verdict for record in kept).items()))
        print(f"{machine}: {len(kept)} of {len(records)} kept, {len(sites)} sites, {counts}")


def _answered(requests: Path, answers: Path, models: str) -> list[Record | None]:
    """Records of requests that an oracle has answered already."""
    by_id = {each["id"]: each for each in map(json.loads, answers.read_text().splitlines())}
    asked: list[dict[str, object]] = [json.loads(line) for line in requests.read_text().splitlines()]
    return [record_of(request_of(each), by_id[each["id"]], models) for each in asked if each["id"] in by_id]


def _copy_models(records: list[Record], models: Path) -> None:
    """Copies the configurations that commands name."""
    for name in sorted({name for record in records for name in _models_named(record.request)}):
        if (models / name / "config.json").is_file():
            (DATA / "models" / name).mkdir(parents=True, exist_ok=True)
            shutil.copyfile(models / name / "config.json", DATA / "models" / name / "config.json")


def _models_named(request: Request) -> set[str]:
    parts = [word.partition(f"{MODELS}/") for word in request.argv]
    return {after.split("/")[0].strip('"}') for _, found, after in parts if found}


if __name__ == "__main__":
    main()
