"""Catalogs as text: nothing is lost, the same catalog gives the same bytes, and errors name their line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraints.catalog import Block, Catalog, Fact, Flag, Let, Notice, Option, Refuse, Release, Set
from constraints.errors import CatalogError
from constraints.expression.parse import parse
from constraints.notation import from_text, to_text

TOY = (Path(__file__).parent / "data" / "toy-1.0.json").read_text(encoding="utf-8")

words = st.text("abcxyz_", min_size=1, max_size=6)
places = st.one_of(
    st.builds("{}.py:{}".format, words, st.integers(1, 99)),
    st.sampled_from(["", "x", "a:b:1", "a.py:01", ":3"]),
)
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), words
)
values = st.one_of(scalars, st.lists(scalars, max_size=3), st.dictionaries(words, scalars, max_size=3))
expressions = st.sampled_from(
    [
        parse(source)
        for source in ("True", "a > 1", "not b.c", "'ü\"' in x", "a if b else c", "unknown('f.py:1', 'why')")
    ]
)
options = st.builds(
    Option,
    st.lists(words.map("--{}".format), min_size=1, max_size=3).map(tuple),
    action=st.sampled_from(["store", "store_true", "append"]),
    type=words,
    nargs=st.sampled_from([None, 2, "*"]),
    choices=st.one_of(st.none(), st.lists(scalars, max_size=3).map(tuple)),
    const=scalars,
    deprecated=st.booleans(),
    replacement=st.one_of(st.none(), words),
    required=st.booleans(),
)
flags = st.builds(
    Flag,
    words,
    words,
    default=values,
    nullable=st.booleans(),
    options=st.lists(options, max_size=2).map(tuple),
    group=st.sampled_from(["", "g"]),
    at=places,
    fallback=scalars,
)
facts = st.one_of(
    st.builds(Fact, words, fallback=st.sampled_from(["", "other"])),
    st.builds(Fact, words, words, values, has_default=st.just(True)),
)
leaves = st.one_of(
    st.builds(Let, places, words, words, expressions, when=expressions),
    st.builds(Set, places, words, words, expressions, when=expressions),
    st.builds(
        Refuse, places, words, code=words, exception=st.sampled_from(["", "ValueError"]), when=expressions
    ),
    st.builds(Notice, places, words, when=expressions),
)
steps = st.recursive(
    leaves,
    lambda inner: st.builds(
        Block, places, words, steps=st.lists(inner, max_size=3).map(tuple), when=expressions
    ),
    max_leaves=8,
)


def by_name(items):
    return {item.name: item for item in items}


catalogs = st.builds(
    Catalog,
    st.builds(Release, words, words, words, words),
    st.lists(flags, max_size=3).map(by_name),
    st.lists(facts, max_size=3).map(by_name),
    st.lists(steps, max_size=4).map(tuple),
)


@given(catalogs)
def test_what_is_written_is_read_back_as_it_was(catalog):
    read = from_text(to_text(catalog))
    assert read == catalog
    assert to_text(read) == to_text(catalog)
    assert repr(read.flags) == repr(catalog.flags)  # 1, 1.0 and True are equal, but not the same


@given(catalogs)
def test_every_entry_has_a_line_of_its_own(catalog):
    lines = to_text(catalog).splitlines()
    entries = len(catalog.flags) + len(catalog.facts) + sum(1 for _ in catalog.walk())
    assert (
        sum(
            line.lstrip().startswith(('{"name"', '{"let"', '{"set"', '{"refuse"', '{"notice"'))
            for line in lines
        )
        == entries
    )


def test_the_toy_catalog_is_written_as_it_stands():
    assert to_text(from_text(TOY)) == TOY


def test_a_shifted_line_number_changes_no_entry():
    toy = from_text(TOY)
    first = toy.steps[0]
    assert isinstance(first, Set)
    shifted = Catalog(
        toy.release,
        toy.flags,
        toy.facts,
        (
            Set("hooks/model.py:99", first.function, first.target, first.value, when=first.when),
            *toy.steps[1:],
        ),
    )
    before, after = TOY.splitlines(), to_text(shifted).splitlines()
    assert [line for line in before if line not in after] == ['"hooks/model.py:fill_names": [12],']


@pytest.mark.parametrize(
    ("change", "reason", "line"),
    [
        (('"format": 1', '"format": 7'), "format 7", 2),
        (('"type": "str"', '"type": 3'), "'type' is 3", None),
        (('"tp_size < 1"', '"tp_size <"'), "when: ", 49),
        (('"refuse": "TOY0002"', '"forbid": "TOY0002"'), "no known kind", None),
        (('"hooks/model.py:fill_names": [12]', '"hooks/model.py:fill_names": []'), "fewer lines", None),
        (('"name": "dp_size"', '"name": "tp_size"'), "there twice", 10),
        (("},\n", "}\n"), "not JSON", 4),
    ],
)
def test_an_error_says_what_is_wrong_and_where(change, reason, line):
    before, after = change
    source = TOY.replace(before, after, 1)
    with pytest.raises(CatalogError) as caught:
        from_text(source, path="toy.json")
    assert reason in caught.value.reason
    assert caught.value.path == "toy.json"
    if line is not None:
        assert caught.value.line == line


@pytest.mark.parametrize(
    "source", ["", "[]", "{}", "null", '{"format": 1}', "[" * 100_000, json.dumps({"format": 1, "lines": []})]
)
def test_what_is_no_catalog_is_refused(source):
    with pytest.raises(CatalogError):
        from_text(source)
