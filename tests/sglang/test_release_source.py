import os
import zipfile
from pathlib import Path

import pytest

from constraints.errors import CatalogError
from constraints.sglang.release_source import find_release_source


def package(root: Path, version_file: str = "__version__ = version = '0.5.99'\n") -> Path:
    folder = root / "sglang" / "srt"
    folder.mkdir(parents=True)
    (folder / "server_args.py").write_text("")
    (root / "sglang" / "_version.py").write_text(version_file)
    return root


@pytest.mark.parametrize("below", ["", "sglang", "sglang/srt"])
def test_a_folder_of_the_package_is_found_from_within(below: str, tmp_path: Path) -> None:
    found = find_release_source(str(package(tmp_path / "site") / below), tmp_path)
    assert found.root.samefile(tmp_path / "site")
    assert found.version == "0.5.99"


def test_a_checkout_keeps_its_package_in_a_folder_named_python(tmp_path: Path) -> None:
    package(tmp_path / "checkout" / "python")
    assert find_release_source(str(tmp_path / "checkout"), tmp_path).version == "0.5.99"


def test_a_wheel_is_unpacked_and_named_by_its_file(tmp_path: Path) -> None:
    wheel = tmp_path / "sglang-0.5.98-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("sglang/srt/server_args.py", "")
        archive.writestr("sglang/data.bin", "not a module")
    found = find_release_source(str(wheel), tmp_path)
    assert found.version == "0.5.98"
    assert (found.root / "sglang" / "srt" / "server_args.py").is_file()
    assert not (found.root / "sglang" / "data.bin").exists()


def test_a_version_that_is_not_written_must_be_named(tmp_path: Path) -> None:
    where = str(package(tmp_path / "fork", "__version__ = find_out()\n"))
    with pytest.raises(CatalogError, match="--release"):
        find_release_source(where, tmp_path)
    assert find_release_source(where, tmp_path, version="0.6.0+fork").version == "0.6.0+fork"


@pytest.mark.parametrize("where", ["nowhere", "--index-url=x", "0", ""])
def test_what_is_no_source_is_told(where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CatalogError):
        find_release_source(where, tmp_path / "work")


def test_a_folder_without_the_package_and_a_broken_wheel_are_told(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="no source of SGLang"):
        find_release_source(str(tmp_path), tmp_path)
    wheel = tmp_path / "sglang-1.0-py3-none-any.whl"
    wheel.write_text("not a zip")
    with pytest.raises(CatalogError, match="not a wheel"):
        find_release_source(str(wheel), tmp_path)


def test_neither_a_named_pipe_nor_a_name_that_is_too_long_is_a_source(tmp_path: Path) -> None:
    pipe = tmp_path / "sglang-0.5.98-py3-none-any.whl"
    os.mkfifo(pipe)
    for where in (str(pipe), "x" * 5000):
        with pytest.raises(CatalogError, match=r"regular file|too long"):
            find_release_source(where, tmp_path)
