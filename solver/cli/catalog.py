"""Runs `catalog list`, `catalog build` and `catalog verify`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.cli.commands import Invocation
from solver.cli.misuse import Misuse
from solver.cli.output import ink_for, write_error, write_report
from solver.report import reference

if TYPE_CHECKING:
    from solver.cli.options import Options

FINE, WRONG = 0, 1


def run(invocation: Invocation, options: Options) -> int:
    """Does what the command says.

    Returns:
        0; for `verify` 1 where a catalog is not as it must be.
    """
    commands = {"catalog list": _list, "catalog build": _build, "catalog verify": _verify}
    return commands[invocation.command](invocation, options)


def _list(_invocation: Invocation, options: Options) -> int:
    from constraints.store import offers

    found = offers()
    if options.output_format == "json":
        rows = [{"release": each.version, "engine": each.engine, "path": each.path} for each in found]
        text = reference.as_json("", catalogs=rows)
    else:
        ink = ink_for(options)
        text = "".join(f"{ink.strong(each.version)}  {ink.faint(each.path)}\n" for each in found)
    write_report(text, options)
    return FINE


def _build(invocation: Invocation, options: Options) -> int:
    import tempfile
    from pathlib import Path

    from constraints.catalog import Refuse
    from constraints.notation import to_text
    from constraints.sglang.build import extract
    from constraints.sglang.release_source import find_release_source

    if len(invocation.operands) != 1:
        raise Misuse("name one source: `flagfit catalog build PATH` or `flagfit catalog build 0.5.23`")
    with tempfile.TemporaryDirectory() as work:
        source = find_release_source(invocation.operands[0], Path(work), version=options.release)
        catalog = extract(source.root, source.version).catalog
    write_report(to_text(catalog), options)
    if options.output_file is not None:
        rules = sum(isinstance(step, Refuse) for step, _ in catalog.walk())
        write_error(f"SGLang {source.version}: {len(catalog.flags)} flags, {rules} rules")
    return FINE


def _verify(invocation: Invocation, options: Options) -> int:
    from constraints.sglang.machine_presets import PRESETS
    from constraints.store import load_catalog, releases
    from solver.questions.verify import verify

    wrong = {}
    for release in invocation.operands or releases():
        catalog = load_catalog(release)
        machines = [preset.name for preset in PRESETS] if catalog.release.engine == "sglang" else []
        wrong[release] = verify(catalog, machines=machines)
    if options.output_format == "json":
        rows = [{"release": release, "complaints": list(found)} for release, found in wrong.items()]
        text = reference.as_json("", catalogs=rows)
    else:
        ink = ink_for(options)
        lines = []
        for release, found in wrong.items():
            lines.append(
                f"{ink.strong(release)}  {ink.bad(f'{len(found)} wrong') if found else ink.good('fine')}"
            )
            lines += [f"  {complaint}" for complaint in found]
        text = "".join(f"{line}\n" for line in lines)
    write_report(text, options)
    return WRONG if any(wrong.values()) else FINE
