import pytest

from constraints.expression.english import Clause, enumerated, joined, listed, shared, shown

A, B, C = (Clause(f"--{name}", "is on") for name in "abc")


def test_words_are_listed_as_in_prose():
    assert listed([], "or") == ""
    assert listed(["a"], "or") == "a"
    assert listed(["a", "b"], "or") == "a or b"
    assert listed(["a", "b", "c"], "and") == "a, b and c"


def test_a_long_list_is_cut_and_says_how_much_is_left_out():
    words = [str(number) for number in range(20)]
    assert listed(words, "or") == "0, 1, 2, 3, 4, 5, 6, 7 or 12 others"
    assert enumerated(words) == "0, 1, 2, 3, 4, 5, 6, 7 and 12 more"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("fa3", "fa3"),
        ("s3://bucket/x-1.0", "s3://bucket/x-1.0"),
        ("two words", "'two words'"),
        ("none", "'none'"),
        ("ON", "'ON'"),
        ("1.5", "'1.5'"),
        ("x", "'x'"),
        ("", "''"),
        (None, "none"),
        (True, "true"),
        (1.5, "1.5"),
    ],
)
def test_text_is_quoted_only_where_it_could_be_taken_for_something_else(value, words):
    assert shown(value) == words


def test_an_or_in_an_and_says_where_it_begins():
    assert joined([A, joined([B, C], "or")], "and").text == "--a is on, and either --b is on or --c is on"
    assert joined([joined([A, B], "or"), C], "and").text == "either --a is on or --b is on, and --c is on"


def test_an_and_in_an_or_is_parted_by_a_comma():
    assert joined([joined([A, B], "and"), C], "or").text == "--a is on and --b is on, or --c is on"


def test_neighbours_about_the_same_thing_share_it():
    more, less = Clause("--x", "is greater than 1"), Clause("--x", "is less than 8")
    assert joined([A, more, less], "and").text == "--a is on, and --x is greater than 1 and less than 8"
    assert joined([more, A, less], "and").text == ("--x is greater than 1, --a is on, and --x is less than 8")


def test_what_follows_a_denial_is_not_taken_to_be_denied():
    assert shared(["is given", "is not 1"], "and", is_loose=False) == "is given and not 1"
    assert shared(["is not given", "is 1"], "or", is_loose=False) == "is not given or is 1"
