#!/usr/bin/env python3
"""Makes the catalog of a release from its source, with the registry of codes and the list of opaque sites.

    build_catalog.py SOURCE VERSION

SOURCE is a folder that holds the package `sglang` (an unpacked wheel, or `python/` of a checkout). Writes
`constraints/catalogs/sglang-VERSION.json`, `sglang-VERSION.coverage.txt` beside it, and the registry.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from constraints.sglang.build import extract  # noqa: E402
from constraints.sglang.codes import save_codes, shipped_codes  # noqa: E402
from constraints.store import file_name, save_catalog  # noqa: E402


def main() -> None:
    """Builds and says what was found."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("source", type=Path)
    options.add_argument("version")
    chosen = options.parse_args()
    codes = shipped_codes()
    made = extract(chosen.source, chosen.version, codes)
    folder = ROOT / "constraints" / "catalogs"
    folder.mkdir(exist_ok=True)
    path = folder / file_name(made.catalog)
    save_catalog(made.catalog, path)
    path.with_suffix(".coverage.txt").write_text(
        made.coverage.summary()
        + "\n"
        + "".join(
            f"{site.state} {site.at} {site.function}"
            + "".join(f"\n    {cause}" for cause in site.causes)
            + "\n"
            for site in made.coverage.sites
            if site.state != "exact"
        ),
        encoding="utf-8",
    )
    save_codes(codes, ROOT / "constraints" / "sglang" / "data")
    steps = sum(1 for _ in made.catalog.walk())
    print(f"{path.relative_to(ROOT)}: {len(made.catalog.flags)} flags, {steps} steps")
    print(made.coverage.summary())


if __name__ == "__main__":
    main()
