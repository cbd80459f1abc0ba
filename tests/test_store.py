"""Finding catalogs: which are on offer, which is the newest, and what is nearest to one that is not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from constraints.errors import CatalogError, UnknownRelease
from constraints.notation import from_text
from constraints.store import (
    file_name,
    find,
    load_catalog,
    nearest_release,
    offers,
    releases,
    save_catalog,
    version_key,
)
from solver.program_cache import load_executable

TOY = Path(__file__).parent / "data" / "toy-1.0.json"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("FLAGFIT_CATALOGS", str(tmp_path))
    for version in ("1.0", "0.9.post1", "0.10", "0.9"):
        (tmp_path / f"toy-{version}.json").write_bytes(TOY.read_bytes())
    (tmp_path / "toy-2.0.yaml").touch()
    (tmp_path / "notes.json").touch()
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_the_releases_on_offer_are_those_with_a_file_oldest_first():
    assert releases(engine="toy") == ("0.9", "0.9.post1", "0.10", "1.0")
    assert releases(engine="nothing") == ()


def test_a_folder_of_the_user_comes_before_the_package(folder, tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.mkdir()
    (other / "toy-1.0.json").write_bytes(TOY.read_bytes())
    monkeypatch.setenv("FLAGFIT_CATALOGS", f"{folder}{os.pathsep}{other}{os.pathsep}/nowhere")
    assert offers(engine="toy")[-1].path == str(other / "toy-1.0.json")


@pytest.mark.usefixtures("folder")
def test_without_a_name_the_newest_release_is_meant():
    assert find(engine="toy").version == "1.0"
    assert find("v0.9", engine="toy").version == "0.9"


@pytest.mark.usefixtures("folder")
def test_an_unknown_release_names_the_nearest():
    with pytest.raises(UnknownRelease) as caught:
        find("0.9.7", engine="toy")
    assert caught.value.release == "0.9.7"
    assert caught.value.nearest == "0.9.post1"
    assert caught.value.offered == ("0.9", "0.9.post1", "0.10", "1.0")


def test_with_no_catalog_at_all_nothing_is_nearest():
    with pytest.raises(UnknownRelease) as caught:
        find(engine="nothing")
    assert caught.value.nearest is None


def test_versions_are_ordered_as_people_do():
    ordered = [
        "0.4.6.post5",
        "0.5.2rc1",
        "0.5.2",
        "0.5.2.post1",
        "0.5.10",
        "0.6.0.dev3",
        "0.6.0a1",
        "0.6.0",
        "1.0",
    ]
    assert sorted(sorted(ordered), key=version_key) == ordered


@pytest.mark.parametrize(
    ("wanted", "nearest"),
    [("0.5.1", "0.5.0"), ("0.5.0", "0.5.0"), ("0.4", "0.5.0"), ("9", "0.6.1"), ("main", "0.5.0")],
)
def test_the_nearest_release_is_the_last_before_else_the_first(wanted, nearest):
    assert nearest_release(wanted, ["0.6.1", "0.5.0"]) == nearest


@pytest.mark.usefixtures("folder")
def test_a_catalog_can_be_named_by_its_file():
    by_name, by_path = load_catalog("1.0", engine="toy"), load_catalog(TOY)
    assert by_name == by_path == load_catalog(str(TOY))
    assert file_name(by_path) == "toy-1.0.json"


def test_a_file_that_changed_is_read_again(tmp_path):
    path = tmp_path / "toy-1.0.json"
    catalog = from_text(TOY.read_text(encoding="utf-8"))
    save_catalog(catalog, path)
    assert load_catalog(path) is load_catalog(path)
    path.write_text(path.read_text(encoding="utf-8").replace('"1.0"', '"1.01"', 1), encoding="utf-8")
    assert load_catalog(path).release.version == "1.01"
    assert [file.name for file in tmp_path.iterdir()] == ["toy-1.0.json"]


def test_what_can_not_be_read_is_an_error_of_the_catalog(tmp_path):
    for path in (tmp_path, tmp_path / "missing.json"):
        with pytest.raises(CatalogError) as caught:
            load_catalog(path)
        assert caught.value.path == str(path)
    broken = tmp_path / "broken.json"
    broken.write_bytes(b'{"format": 1,\n"\xff": 0}')
    with pytest.raises(CatalogError) as caught:
        load_catalog(broken)
    assert caught.value.line == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_no_named_pipe_and_no_impossible_name_is_a_catalog(tmp_path):
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    wrong = {str(pipe): "not a regular file", "a\0.json": "null", f"{'x' * 5000}.json": "too long"}
    for path, reason in wrong.items():
        for load in (load_catalog, load_executable):
            with pytest.raises(CatalogError, match=reason):
                load(path)
