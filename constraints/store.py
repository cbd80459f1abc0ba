"""Finds, loads and saves catalogs: one file a release, under `catalogs/` or in a folder of the user's own.

Reads no source of an engine and compiles nothing; `notation` says what a file looks like.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from constraints.errors import CatalogError, UnknownRelease

if TYPE_CHECKING:
    from pathlib import Path

    from constraints.catalog import Catalog

_SHIPPED = os.path.join(os.path.dirname(__file__), "catalogs")
_FILE = re.compile(r"(?P<engine>[a-z0-9]+)-(?P<version>[0-9][0-9A-Za-z.+_-]*)\.json")
_MAX_BYTES = 256_000_000


_BEFORE, _END, _AFTER, _NUMBER = range(4)
_STAGES = {
    "dev": (_BEFORE, 0),
    "a": (_BEFORE, 1),
    "alpha": (_BEFORE, 1),
    "b": (_BEFORE, 2),
    "beta": (_BEFORE, 2),
    "rc": (_BEFORE, 3),
    "post": (_AFTER, 0),
}
"""Where a word in a version number stands to the version without it."""


class Offer(NamedTuple):
    """A release that there is a catalog of, and the path of the file that holds it."""

    engine: str
    version: str
    path: str


def offers(*, engine: str = "sglang") -> tuple[Offer, ...]:
    """The catalogs there are, oldest release first.

    They are looked for in the package, then in each folder of `FLAGFIT_CATALOGS` (separated as in `PATH`);
    a later one of the same release takes the place of an earlier.
    """
    found: dict[str, Offer] = {}
    for folder in (_SHIPPED, *_folders_of_the_user()):
        for name in _names_in(folder):
            match = _FILE.fullmatch(name)
            if match and match["engine"] == engine:
                found[match["version"]] = Offer(engine, match["version"], os.path.join(folder, name))
    return tuple(sorted(found.values(), key=lambda offer: version_key(offer.version)))


def releases(*, engine: str = "sglang") -> tuple[str, ...]:
    """The versions on offer, oldest first."""
    return tuple(offer.version for offer in offers(engine=engine))


def find(release: str | None = None, *, engine: str = "sglang") -> Offer:
    """The offer of a release, the newest where none is named.

    Args:
        release: a version, `0.5.23`; a leading `v` is ignored.
        engine: whose.

    Raises:
        UnknownRelease: there is no catalog of it; names the nearest there is.
    """
    offered = offers(engine=engine)
    wanted = None if release is None else release.strip().removeprefix("v")
    for offer in reversed(offered):
        if wanted in (None, offer.version):
            return offer
    versions = tuple(offer.version for offer in offered)
    raise UnknownRelease(wanted or "", nearest_release(wanted or "", versions), versions)


def load_catalog(release: str | os.PathLike[str] | None = None, *, engine: str = "sglang") -> Catalog:
    """The catalog of a release, or one in a file.

    The last few are kept, for as long as their files stay as they are.

    Args:
        release: a version on offer, `0.5.23`; the newest where None; or a path to a catalog: a `Path`, or
            text that ends in `.json`.
        engine: whose release.

    Raises:
        UnknownRelease: there is no catalog of that release.
        CatalogError: the file can't be read, or is not a catalog.
    """
    path = catalog_path(release, engine=engine)
    try:
        status = os.stat(path)
    except (OSError, ValueError) as error:
        raise CatalogError(path, getattr(error, "strerror", None) or str(error)) from None
    return _load(path, status.st_mtime_ns, status.st_size)


def catalog_path(release: str | os.PathLike[str] | None = None, *, engine: str = "sglang") -> str:
    """The file that `load_catalog` would read; raises as it does, but does not open the file."""
    if release is None or (isinstance(release, str) and not release.endswith(".json")):
        return find(release, engine=engine).path
    return os.fspath(release)


def read_bytes(path: str) -> bytes:
    """The bytes of a catalog file.

    Raises:
        CatalogError: it can't be read, is no regular file, or is too long to be a catalog.
    """
    try:
        if stat.S_ISFIFO(os.stat(path).st_mode):
            raise CatalogError(path, "not a regular file")  # to open it might take for ever
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise CatalogError(path, "not a regular file")
            if status.st_size > _MAX_BYTES:
                raise CatalogError(path, f"longer than {_MAX_BYTES} bytes")
            return file.read()
    except (OSError, ValueError) as error:
        raise CatalogError(path, getattr(error, "strerror", None) or str(error)) from None


def parse_catalog(source: bytes, path: str) -> Catalog:
    """The catalog whose file holds these bytes; raises CatalogError where they are none."""
    from constraints.notation import from_text

    try:
        return from_text(source.decode(), path=path)
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        raise CatalogError(path, "not UTF-8", line) from None


def save_catalog(catalog: Catalog, path: Path) -> None:
    """Writes a catalog to a file, in one go: readers see the old one or the new one."""
    from constraints.notation import to_text

    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(to_text(catalog), encoding="utf-8", newline="\n")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def file_name(catalog: Catalog) -> str:
    """The name under which a catalog is found: `sglang-0.5.23.json`."""
    return f"{catalog.release.engine}-{catalog.release.version}.json"


def version_key(version: str) -> tuple[tuple[int, int], ...]:
    """Orders versions as people do: `0.5.2rc1 < 0.5.2 < 0.5.2.post1 < 0.5.2.1 < 0.5.10`.

    Any text has its place, if perhaps an odd one.
    """
    key = [
        (_NUMBER, int(part)) if part.isdecimal() else _STAGES.get(part, (_BEFORE, -1))
        for part in re.findall(r"[0-9]+|[a-z]+", version.lower())
    ]
    return (*key, (_END, 0))


def nearest_release(wanted: str, offered: Iterable[str]) -> str | None:
    """The version on offer that is likeliest to behave as the wanted one: the last before, else the first."""
    ordered = sorted(offered, key=version_key)
    before = [version for version in ordered if version_key(version) <= version_key(wanted)]
    return before[-1] if before else next(iter(ordered), None)


@lru_cache(maxsize=8)
def _load(path: str, _mtime_ns: int, _size: int) -> Catalog:
    return parse_catalog(read_bytes(path), path)


def _folders_of_the_user() -> tuple[str, ...]:
    listed = os.environ.get("FLAGFIT_CATALOGS", "")
    return tuple(folder for folder in listed.split(os.pathsep) if folder)


def _names_in(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
