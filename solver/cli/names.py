"""Flags as people name them on flagfit's own command line: `--dcp-size`, `dcp-size` or `dcp_size`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from solver.cli.misuse import Misuse

if TYPE_CHECKING:
    from constraints.vocabulary import Flag


def flag_named(text: str, flags: Mapping[str, Flag], *, option: str) -> str:
    """The field name of the flag meant.

    Args:
        text: a field name, or a spelling with or without its hyphens.
        flags: those of the release, by field name.
        option: what the text was given to, for the error.

    Raises:
        Misuse: there is no such flag; names the nearest.
    """
    found = find_flag(text, flags)
    if found is not None:
        return found
    from difflib import get_close_matches

    offered = [spelling for flag in flags.values() for each in flag.options for spelling in each.spellings]
    nearest = get_close_matches(f"--{text.strip('-').replace('_', '-')}", offered, n=1)
    hint = f"; did you mean {nearest[0]}?" if nearest else "; `flagfit flags` lists them"
    raise Misuse(f"{option}: there is no flag {text!r}{hint}")


def find_flag(text: str, flags: Mapping[str, Flag]) -> str | None:
    """The field name of the flag meant, or None."""
    bare = text.strip().lstrip("-")
    if bare in flags:
        return bare
    wanted = {f"--{bare}", f"-{bare}", f"--{bare.replace('_', '-')}"}
    for name, flag in flags.items():
        if any(spelling in wanted for each in flag.options for spelling in each.spellings):
            return name
    field = bare.replace("-", "_")
    return field if field in flags else None
