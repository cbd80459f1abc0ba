"""Finds the source of a release: a folder, a wheel, or a version on PyPI. Reads no rules."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

from constraints.errors import CatalogError

_MARK = Path("sglang") / "srt" / "server_args.py"
_VERSION = re.compile(r"v?([0-9]+(?:\.[0-9]+)+[0-9A-Za-z.+-]*)")
_WRITTEN_VERSION = re.compile(r"^(?:__version__|version)\b[^\"'\n]*[\"']([0-9][^\"']*)[\"']", re.MULTILINE)
_WHEEL_NAME = re.compile(r"sglang-([^-]+)-.*\.whl")
_LAST_WORDS = 200


@dataclass(frozen=True, slots=True)
class ReleaseSource:
    """A release's source on disk.

    Attributes:
        root: the folder that holds the package `sglang`.
        version: the release.
    """

    root: Path
    version: str


def find_release_source(where: str, work: Path, *, version: str | None = None) -> ReleaseSource:
    """The source that `where` means.

    Args:
        where: a folder (a checkout, `site-packages`, or one of their folders down to `sglang`), a wheel, or a
            version, whose wheel pip then downloads.
        work: an empty folder, for what has to be unpacked.
        version: what to call the release; by default what the source says of itself.

    Raises:
        CatalogError: there is no such source, or it does not say its version.
    """
    path = Path(where)
    if _is_folder(path):
        root = _package_root(path)
        return ReleaseSource(root, version or _version_of(root))
    if path.exists() and not path.is_file():
        raise CatalogError(where, "neither a folder nor a regular file")
    if path.suffix == ".whl" or path.exists():
        return _unpacked(path, work, version)
    match = _VERSION.fullmatch(where)
    if match is None:
        raise CatalogError(where, "neither a folder, nor a wheel, nor a version such as 0.5.23")
    return _unpacked(_downloaded(match[1], work), work, version)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError as error:
        raise CatalogError(str(path), error.strerror or str(error)) from None


def _package_root(folder: Path) -> Path:
    """The folder that holds the package: the one given, `python` in it, or one above it."""
    for root in (folder, folder / "python", *folder.resolve().parents[:2]):
        if (root / _MARK).is_file():
            return root
    raise CatalogError(str(folder), f"no source of SGLang: there is no {_MARK} in it")


def _version_of(root: Path) -> str:
    for name in ("_version.py", "version.py"):
        try:
            found = _WRITTEN_VERSION.search((root / "sglang" / name).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            continue
        if found:
            return found[1]
    for folder in sorted(root.glob("sglang-*.dist-info")):
        return folder.stem.removeprefix("sglang-")
    raise CatalogError(str(root), "its version is not written there: name it with --release")


def _unpacked(wheel: Path, work: Path, version: str | None) -> ReleaseSource:
    """The Python modules of a wheel, in a folder of their own."""
    root = work / "source"
    try:
        with zipfile.ZipFile(wheel) as archive:
            modules = [
                name for name in archive.namelist() if name.startswith("sglang/") and name.endswith(".py")
            ]
            archive.extractall(root, modules)
    except (OSError, zipfile.BadZipFile) as error:
        raise CatalogError(str(wheel), f"not a wheel that can be read: {error}") from None
    named = _WHEEL_NAME.fullmatch(wheel.name)
    return ReleaseSource(_package_root(root), version or (named[1] if named else _version_of(root)))


def _downloaded(version: str, work: Path) -> Path:
    """The wheel of a version, from the package index that pip is set up for."""
    folder = work / "wheel"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--dest", str(folder), f"sglang=={version}"]
    done = subprocess.run(command, capture_output=True, check=False, text=True)  # noqa: S603  no shell, checked words
    wheels = sorted(folder.glob("sglang-*.whl"))
    if done.returncode != 0 or not wheels:
        said = " ".join(done.stderr.split())[-_LAST_WORDS:]
        raise CatalogError(f"sglang {version}", f"pip could not download it: {said or 'no wheel came'}")
    return wheels[0]
