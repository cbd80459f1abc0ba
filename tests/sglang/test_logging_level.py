"""The log level, which SGLang looks up before anything else, and fails at where Python has no such level."""

from __future__ import annotations

import ast

import pytest

from constraints.expression.text import text
from constraints.sglang.logging_level import LEVELS, level_checks
from solver import Verdict, check

LAUNCH = "python -m sglang.launch_server --model-path m"


def test_the_look_up_is_found_by_its_form():
    source = """
import logging
def prepare_server_args(argv):
    raw = parse(argv)
    logging.basicConfig(level=getattr(logging, raw.log_level.upper()), force=True)
def other(raw):
    return getattr(logging, raw.log_level.upper())
"""
    (found,) = level_checks(ast.parse(source))
    assert (found.line, found.function, found.exception) == (5, "prepare_server_args", "AttributeError")
    assert text(found.fails) == f"upper(given.log_level) not in {LEVELS!r}"


@pytest.mark.parametrize("level", ["info", "INFO", "Warn", "fatal", "notset"])
def test_a_level_of_pythons_logging_is_accepted(level):
    assert check(f"{LAUNCH} --log-level {level}").verdict is Verdict.ACCEPTED


@pytest.mark.parametrize("level", ["trace", "''", "10", "basic_format"])
def test_another_is_refused_where_it_is_looked_up(level):
    report = check(f"{LAUNCH} --log-level {level}")
    (violation,) = report.violations
    assert violation.at.startswith("server_args.py:")
    assert violation.function == "prepare_server_args"


def test_the_level_of_the_http_server_is_not_looked_up():
    assert check(f"{LAUNCH} --log-level-http trace").verdict is Verdict.ACCEPTED
