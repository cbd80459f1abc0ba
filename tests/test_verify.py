import dataclasses

from constraints.catalog import Refuse
from constraints.expression.parse import parse
from solver.questions.verify import verify
from tests.toy import catalog

TOY = catalog()


def test_the_small_catalog_of_the_tests_is_fine() -> None:
    assert verify(TOY) == ()


def with_rule(condition: str, code: str = "TOY9999") -> tuple[str, ...]:
    rule = Refuse(at="a.py:1", function="f", when=parse(condition), code=code)
    return verify(dataclasses.replace(TOY, steps=(*TOY.steps, rule)))


def test_a_name_that_nothing_defines_is_found() -> None:
    assert with_rule("tp_size > 1 and nobody_said > 1") == (
        "a.py:1 reads nobody_said, which nothing before it defines",
    )


def test_a_fact_that_is_not_declared_is_found() -> None:
    assert with_rule("gpu.colour == 'red' and tp_size > 1") == (
        "the fact gpu.colour is read but not declared",
    )


def test_a_rule_without_a_code_is_found() -> None:
    assert with_rule("tp_size > 1_000_000", code="") == ("a.py:1 holds a rule without a code",)


def test_a_catalog_that_refuses_the_command_without_flags_is_found() -> None:
    assert with_rule("tp_size == 1") == ("the command without flags is refused (TOY9999)",)
