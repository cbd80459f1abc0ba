"""Programs kept on disk: quick to load, and never trusted where somebody else may have written them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from constraints.errors import CatalogError, UnknownRelease
from constraints.expression.values import same
from solver import flattening, program_cache
from solver.program import Details, Program
from solver.program_cache import cache_folder, load_executable, make_executable
from tests import toy

GOOD = toy.executable().program
FACTS = {"gpu.sm": 90, "gpu.is_cuda": True, "gpu.memory_mib": 81559}
FLAGS = {"model_path": "m", "tp_size": 8, "attention_backend": "trtllm_mla", "enable_lora": True}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("FLAGFIT_CACHE_DIR", str(folder))
    program_cache._load.cache_clear()
    yield folder
    program_cache._load.cache_clear()


@pytest.fixture
def made(monkeypatch):
    """How many programs were made from a catalog, rather than read."""
    count: list[int] = []
    flatten = flattening.flatten

    def counted(catalog):
        count.append(1)
        return flatten(catalog)

    monkeypatch.setattr(flattening, "flatten", counted)
    return count


def load_anew(path: Path = toy.PATH):
    program_cache._load.cache_clear()
    return load_executable(path)


def files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.exists() else []


def same_program(first: Program, second: Program) -> bool:
    columns = [
        name for name in Program.__dataclass_fields__ if name not in {"details", "load_terms", "_terms"}
    ]
    return all(getattr(first, name) == getattr(second, name) for name in columns) and all(
        getattr(first.details(), name) == getattr(second.details(), name)
        for name in Details.__dataclass_fields__
    )


def test_a_program_is_made_once_and_read_from_then_on(folder, made):
    first, second = load_anew(), load_anew()
    assert len(made) == 1
    assert len(files(folder)) == 1
    assert same_program(first.program, second.program)


@pytest.mark.usefixtures("folder")
def test_what_was_read_runs_as_what_was_made():
    load_anew()
    read = load_anew().resolve(FACTS, FLAGS)
    made = toy.executable().resolve(FACTS, FLAGS)
    assert all(map(same, read.values, made.values))
    assert read.broken == made.broken


@pytest.mark.usefixtures("folder")
def test_expressions_of_a_program_that_was_read_are_those_of_the_catalog():
    load_anew()
    read, made = load_anew().program, toy.executable().program
    for node in range(read.leaf_count, len(read.kinds)):
        assert read.terms(node) == made.terms(node)


def test_the_cache_is_for_the_user_alone(folder):
    load_anew()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(files(folder)[0].stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "spoil",
    [
        lambda content: content[:-1],
        lambda content: content[:-1] + bytes([content[-1] ^ 1]),
        lambda _: b"",
        lambda content: content[:20],
        lambda _: b"x" * 1000,
    ],
)
def test_a_spoilt_file_is_made_anew(folder, made, spoil):
    load_anew()
    (file,) = files(folder)
    content = file.read_bytes()
    file.write_bytes(spoil(content))
    program = load_anew().program
    assert program.details().places == GOOD.details().places
    assert program.terms(GOOD.leaf_count) == GOOD.terms(GOOD.leaf_count)
    assert len(made) == 2
    assert file.read_bytes() == content


def test_a_file_or_folder_that_others_may_write_is_not_read(folder, made):
    load_anew()
    (file,) = files(folder)
    file.chmod(0o666)
    load_anew()
    assert len(made) == 2
    folder.chmod(0o777)
    load_anew()
    assert len(made) == 3
    folder.chmod(0o700)
    load_anew()
    assert len(made) == 3


@pytest.mark.usefixtures("folder")
def test_a_file_of_somebody_else_is_not_read(made, monkeypatch):
    load_anew()
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    load_anew()
    assert len(made) == 2


def test_a_link_is_not_followed(folder, made, tmp_path):
    load_anew()
    (file,) = files(folder)
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    load_anew()
    assert len(made) == 2
    assert not file.is_symlink()


def test_where_nothing_can_be_kept_nothing_is_lost(tmp_path, made, monkeypatch):
    blocked = tmp_path / "file"
    blocked.touch()
    for folder in (str(blocked), str(blocked / "below"), ""):
        monkeypatch.setenv("FLAGFIT_CACHE_DIR", folder)
        load_anew()
    assert len(made) == 3
    assert files(tmp_path) == [blocked]


def test_another_catalog_has_another_file(folder, tmp_path):
    other = tmp_path / "toy-1.1.json"
    other.write_text(toy.PATH.read_text(encoding="utf-8").replace('"1.0"', '"1.1"', 1), encoding="utf-8")
    load_anew()
    assert load_anew(other).program.version == "1.1"
    assert len(files(folder)) == 2


def test_old_files_are_forgotten(folder, monkeypatch, tmp_path):
    monkeypatch.setattr(program_cache, "_FILES_KEPT", 2)
    text = toy.PATH.read_text(encoding="utf-8")
    for number in range(4):
        path = tmp_path / f"toy-{number}.json"
        path.write_text(text.replace('"1.0"', f'"{number}"', 1), encoding="utf-8")
        load_anew(path)
    assert len(files(folder)) == 2


def test_the_cache_stands_where_the_user_says(monkeypatch):
    monkeypatch.delenv("FLAGFIT_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache_folder() == "/somewhere/flagfit"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert cache_folder() == "/home/me/.cache/flagfit"
    monkeypatch.setenv("FLAGFIT_CACHE_DIR", "/mine")
    assert cache_folder() == "/mine"
    monkeypatch.setenv("FLAGFIT_CACHE_DIR", "")
    assert cache_folder() is None


def test_in_one_process_a_program_is_made_once_a_catalog():
    assert make_executable(toy.catalog()) is make_executable(toy.catalog())
    assert load_executable(toy.PATH) is load_executable(str(toy.PATH))


def test_what_can_not_be_loaded_raises_as_for_a_catalog(tmp_path):
    with pytest.raises(CatalogError):
        load_executable(tmp_path / "none.json")
    with pytest.raises(CatalogError):
        load_executable(tmp_path)
    with pytest.raises(UnknownRelease):
        load_executable("1.0", engine="nothing")
