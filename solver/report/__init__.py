"""Reports: what was found, as text of one format or another. One format a module, each with a `render`."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.report.document import Document
    from solver.report.ink import Ink

FORMATS: Mapping[str, str] = {
    "full": "solver.report.text",
    "concise": "solver.report.concise",
    "json": "solver.report.json_report",
}
"""The module of each format, by the name it has on the command line."""


def render(document: Document, ink: Ink, *, output_format: str) -> str:
    """The report in a format.

    Args:
        document: what to show.
        ink: whether in colour, for formats that have any.
        output_format: a key of `FORMATS`.
    """
    module = import_module(FORMATS[output_format])
    return cast("Callable[[Document, Ink], str]", module.render)(document, ink)
