"""Taking a support away from the executor leaves things unknown, and never says something else."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from constraints.sglang.build import extract
from constraints.sglang.extraction import attributes, builtin, containers, described, expressions, operators
from constraints.sglang.extraction.classes import Classes
from constraints.store import save_catalog
from tests.extraction.engine import Engine, engine
from tests.recorded import FILES, asked_case, outcome_of, questions

SOURCE = os.environ.get("FLAGFIT_SGLANG_SOURCE", "")
"""A folder that holds the package `sglang` of the release that the recorded answers are of."""

Ablation = Callable[[pytest.MonkeyPatch], None]

BODY = """
class Kind(Enum):
    X = "x"
    Y = "y"

    def is_x(self):
        return self is Kind.X


@dataclass
class Options:
    size: int = 1
    LIMIT = 4


SIZES = {"x": 1, "y": 2}


def resolve(server_args):
    cfg = resolving_view(server_args)
    kind = Kind.X if cfg.s == "x" else Kind.Y
    if kind.is_x() and cfg.a == 2:
        raise ValueError("an enum")
    options = Options(cfg.a)
    if cfg.a:
        options = dataclasses.replace(options, size=options.size + 1)
    if options.size == 3:
        raise ValueError("a record")
    if any(number > 2 for number in cfg.l):
        raise ValueError("a comprehension")
    sizes = dict(SIZES)
    if cfg.a == 5:
        sizes["x"] = 3
    if sizes["x"] + cfg.a * 2 > 12:
        raise ValueError("arithmetic and an item")
    if getattr(cfg, "a") == 7 or isinstance(cfg.l, str):
        raise ValueError("builtins")
    chosen = (cfg.s or "none").upper()
    if chosen.startswith("N"):
        raise ValueError("a text")
    if f"{cfg.s}{cfg.a}" in {"y0", "y1"}:
        raise ValueError("a formatted text")
    declare_resolution(server_args, "r", b=options.size)
"""


def toy(folder: Path) -> Engine:
    return engine(folder, BODY, a=[1, 0, 2, 5, 7], b=[0], s=["x", "y", ""], l=[[], [1], [1, 3]])


def unknown_instead(owner: Any, name: str) -> Ablation:
    """What a function of the executor gives is unknown; the executor is among its arguments."""

    def taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
        def without(*arguments: Any, **_: Any) -> Any:
            executor = next(each for each in arguments if hasattr(each, "unknown"))
            return executor.unknown(None, f"without {name}")

        monkeypatch.setattr(owner, name, without)

    return taken_away


def without_row(table: dict[str, Any], row: str) -> Ablation:
    return lambda monkeypatch: monkeypatch.delitem(table, row)


SUPPORTS: dict[str, Ablation] = {
    "arithmetic": unknown_instead(operators, "binary"),
    "methods": unknown_instead(containers, "of_plain"),
    "comparisons": unknown_instead(operators, "compare"),
    "conditional expressions": unknown_instead(expressions, "_conditional"),
    "items": unknown_instead(attributes, "item"),
    "formatted texts": unknown_instead(expressions, "_text"),
    "class attributes": unknown_instead(Classes, "attribute"),
    "isinstance": without_row(builtin.SPECIAL, "isinstance"),
    "getattr": without_row(builtin.SPECIAL, "getattr"),
    "any": without_row(builtin.SPECIAL, "any"),
    "dict": without_row(builtin.SPECIAL, "dict"),
    "dataclasses.replace": without_row(builtin.SPECIAL, "dataclasses.replace"),
}


@pytest.mark.parametrize("support", SUPPORTS)
def test_without_a_support_less_is_known_and_nothing_else_is_said(tmp_path, monkeypatch, support):
    whole = toy(tmp_path)
    assert whole.differences() == []
    SUPPORTS[support](monkeypatch)
    rest = toy(tmp_path)
    assert rest.wrong() == []
    assert rest.definite() < whole.definite()


# What the record's own protocol means cannot be taken away: without it nothing is said of flags at all.
PROTOCOL = {
    "resolving_view", "resolved_view", "record_of", "declare_resolution", "resolution_result",
    "run_post_process_pass", "run_hook",
}  # fmt: skip


def of_the_release() -> dict[str, Ablation]:
    helpers = sorted(described.HELPERS.keys() - PROTOCOL)
    return SUPPORTS | {name: without_row(described.HELPERS, name) for name in helpers}


@pytest.mark.slow
@pytest.mark.skipif(not SOURCE, reason="FLAGFIT_SGLANG_SOURCE names no source of the release")
@pytest.mark.parametrize("support", of_the_release())
def test_without_a_support_nothing_is_said_of_real_commands_that_is_not_so(tmp_path, monkeypatch, support):
    of_the_release()[support](monkeypatch)
    asked = [question for path in FILES for question in questions(path)[:60]]
    catalog = extract(Path(SOURCE), asked[0].release).catalog
    path = tmp_path / "catalog.json"
    save_catalog(catalog, path)
    read = catalog.facts.keys()
    outcomes = [
        outcome_of(replace(each, release=str(path), facts={k: v for k, v in each.facts.items() if k in read}))
        for each in asked
    ]
    wrong = [each for each in outcomes if each.verdict == "wrong"]
    # What is undecided for every command alike is no matter to a report; here it is.
    definite = [each for each in wrong if each.at or not asked_case(each.question).resolution.undecided]
    assert [(str(each.question), each.at) for each in definite] == []
