import pickle

import pytest

from constraints.errors import (
    CatalogError,
    ExpressionError,
    FactError,
    FlagfitError,
    LaunchNotFound,
    Position,
    UnknownRelease,
    UnreadableInput,
)

ERRORS = [
    (ExpressionError("a b", Position(1, 3), "invalid syntax"), "invalid syntax (column 3)\n  a b\n    ^"),
    (ExpressionError("(a\n b", Position(2, 2), "no"), "no (line 2, column 2)\n   b\n   ^"),
    (CatalogError("x.json", "not JSON", 3), "x.json:3: not JSON"),
    (CatalogError("x.json", "no such file"), "x.json: no such file"),
    (
        UnknownRelease("0.5.99", "0.5.23", ["0.5.22", "0.5.23"]),
        "there is no catalog for release 0.5.99; the nearest is 0.5.23 (on offer: 0.5.22, 0.5.23)",
    ),
    (UnknownRelease("1"), "there is no catalog for release 1, nor for any other"),
    (UnreadableInput("a.yaml", "not YAML", 2, 5), "a.yaml:2:5: not YAML"),
    (UnreadableInput("a.yaml", "no such file"), "a.yaml: no such file"),
    (LaunchNotFound("a.sh", "no command starts SGLang"), "a.sh: no command starts SGLang"),
    (FactError("gpu.count", -1, "must be at least 1"), "gpu.count = -1: must be at least 1"),
]


@pytest.mark.parametrize(("error", "message"), ERRORS)
def test_an_error_says_what_is_wrong_and_where(error, message):
    assert isinstance(error, FlagfitError)
    assert str(error) == message


@pytest.mark.parametrize("error", [error for error, _ in ERRORS])
def test_an_error_survives_pickling_with_its_attributes(error):
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert vars(copy) == vars(error)
    assert str(copy) == str(error)


def test_the_excerpt_of_a_long_text_is_around_the_place():
    error = ExpressionError("x" * 500 + "!" + "y" * 500, Position(1, 501), "no")
    _, excerpt, pointer = str(error).splitlines()
    assert len(excerpt) < 110
    assert excerpt[pointer.index("^")] == "!"
