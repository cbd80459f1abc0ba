"""Records what SGLang's and transformers' configuration classes make of a config.json, and checks the record.

Run it where a release of SGLang, and the transformers that it needs, can be imported:

    python scripts/record_model_defaults.py constraints/sglang/data/model_classes.json

One class a line: its fields and their defaults, its aliases, and how it fills its attributes. Then each class
is constructed with arguments made at random, and compared with what the table makes of them: attributes that
differ are marked in the table as not to be trusted, and printed. `--gaps` prints what could not be said.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


def main() -> None:
    """Writes the table that the first argument names."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("output", type=Path)
    options.add_argument("--trials", type=int, default=20, help="constructions of each class")
    options.add_argument("--gaps", action="store_true", help="print what the translation had no words for")
    chosen = options.parse_args()
    # Without a GPU, SGLang is imported as for its CPU engine.
    os.environ.setdefault("SGLANG_USE_CPU_ENGINE", "1")

    from scripts.model_defaults.checking import Check
    from scripts.model_defaults.recording import Recorder

    recorder = Recorder()
    check = Check("".join(recorder.lines()), recorder.classes, recorder.base)
    check.run(chosen.trials)
    for name, attributes in sorted(check.wrong.items()):
        recorder.entries[name]["untrusted"] = sorted(attributes)
        for attribute, given in attributes.items():
            print(f"{name}.{attribute} differs with {given}")
    chosen.output.write_text("".join(recorder.lines()), encoding="utf-8")
    gaps = sorted(set(recorder.gaps))
    if chosen.gaps:
        print(*gaps, sep="\n")
    print(f"{len(recorder.entries)} classes, {len(gaps)} gaps, {dict(check.counts)}")


if __name__ == "__main__":
    main()
