"""Executables of catalogs: made once, kept in memory, and on disk in the user's cache folder.

A cache file holds code, as Python's own `.pyc` files do, and is trusted on the same terms: it and its folder
must belong to the user who runs this, nobody else may write them, and the content must match its
digest. Any other file is ignored and made anew; where it can't be written, nothing is lost but time.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import stat
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import CodeType
from typing import Any

from constraints.catalog import Catalog, Fact, Flag, Option, Value
from constraints.expression.values import MISSING, UNKNOWN, Fault, is_known
from constraints.store import catalog_path, parse_catalog, read_bytes
from solver import code
from solver.identity import Identity
from solver.program import Program, flatten
from solver.resolution import Executable, start_values

_MAGIC = b"flagfit program 1\n"
_MAX_BYTES = 256_000_000
_FILES_KEPT = 24
_MAKERS = (
    "solver/program.py",
    "solver/code.py",
    "solver/stepping.py",
    "constraints/expression/compile.py",
    "constraints/expression/evaluate.py",
    "constraints/expression/functions.py",
)
"""What a cache file's content depends on, besides the catalog: a change to one of these makes it stale."""

_RECORDS = frozenset({"flags", "facts"})
_COLUMNS = tuple(name for name in Program.__dataclass_fields__ if name not in _RECORDS and name[0] != "_")


def load_executable(release: str | os.PathLike[str] | None = None, *, engine: str = "sglang") -> Executable:
    """What `constraints.store.load_catalog` would load, ready to run.

    Raises:
        UnknownRelease, CatalogError: as `load_catalog`.
    """
    path = catalog_path(release, engine=engine)
    try:
        status = path.stat()
    except OSError:
        read_bytes(path)  # says what is wrong with it
        raise
    return _load(path, status.st_mtime_ns, status.st_size)


def make_executable(catalog: Catalog) -> Executable:
    """A catalog made ready to run, in memory alone. The last few are kept."""
    return _make(Identity(catalog))


def cache_folder() -> Path | None:
    """Where cache files are kept: `FLAGFIT_CACHE_DIR`, else `flagfit` under `XDG_CACHE_HOME` or `~/.cache`.

    None where neither is set and there is no home, or `FLAGFIT_CACHE_DIR` is empty: nothing is kept then.
    """
    own = os.environ.get("FLAGFIT_CACHE_DIR")
    if own is not None:
        return Path(own) if own else None
    with suppress(RuntimeError):  # there is no home
        base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
        return base / "flagfit" if base.is_absolute() else None
    return None


@lru_cache(maxsize=8)
def _make(catalog: Identity) -> Executable:
    program = flatten(catalog.of)
    fast = code.functions(code.compile_program(program))
    return Executable(program, fast, start_values(program, fast))


@lru_cache(maxsize=8)
def _load(path: Path, _mtime_ns: int, _size: int) -> Executable:
    source = read_bytes(path)
    folder = cache_folder()
    file = None if folder is None else folder / f"{_key(source)}.program"
    found = None if file is None else _read(file)
    if found is None:
        program = flatten(parse_catalog(source, path))
        compiled = code.compile_program(program)
        fast = code.functions(compiled)
        found = Executable(program, fast, start_values(program, fast))
        if file is not None:
            _write(file, found, compiled)
    return found


def _key(source: bytes) -> str:
    """Names the cache file: the catalog, this Python, and the modules that make programs, as they are now."""
    digest = hashlib.sha256(source)
    root = Path(__file__).parent.parent
    for name in _MAKERS:
        with suppress(OSError):
            status = (root / name).stat()
            digest.update(f"{name} {status.st_mtime_ns} {status.st_size}\n".encode())
    return f"{digest.hexdigest()[:40]}-{sys.implementation.cache_tag}-{sys.hexversion:x}"


def _read(file: Path) -> Executable | None:
    """What a cache file holds; None where there is none, or it can't be trusted."""
    try:
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as opened:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_BYTES:
            return None
        if not _is_ours(status) or not _is_ours(file.parent.stat()):
            return None
        content = opened.read()
    start = len(_MAGIC) + hashlib.sha256().digest_size
    payload = memoryview(content)[start:]
    if content[:start] != _MAGIC + hashlib.sha256(payload).digest():
        return None
    return _unpacked(marshal.loads(payload))  # noqa: S302 - see the module's docstring


def _is_ours(status: os.stat_result) -> bool:
    """Whether the user of this process alone may have written it."""
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _write(file: Path, executable: Executable, compiled: CodeType) -> None:
    """Keeps a program, in one go; gives up silently where that can't be done."""
    payload = marshal.dumps(_packed(executable, compiled))
    temporary = file.with_name(f".{file.name}.{os.getpid()}")
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_ours(file.parent.stat()):
            return
        flags = (
            os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        )
        try:
            with os.fdopen(os.open(temporary, flags, 0o600), "wb") as opened:
                opened.write(_MAGIC + hashlib.sha256(payload).digest() + payload)
            temporary.replace(file)
        finally:
            temporary.unlink(missing_ok=True)
        _forget_oldest(file.parent)


def _forget_oldest(folder: Path) -> None:
    files = sorted(folder.glob("*.program"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
    for file in files[_FILES_KEPT:]:
        file.unlink(missing_ok=True)


def _packed(executable: Executable, compiled: CodeType) -> tuple[Any, ...]:
    """An executable as values that `marshal` knows."""
    program = executable.program
    return (
        _fields_of(program.flags.values()),
        [_fields_of(flag.options) for flag in program.flags.values()],
        _fields_of(program.facts.values()),
        {name: getattr(program, name) for name in _COLUMNS},
        compiled,
        [value if is_known(value) else None for value in executable.start],
        {node: _packed_poison(value) for node, value in enumerate(executable.start) if not is_known(value)},
    )


def _unpacked(packed: tuple[Any, ...]) -> Executable:
    flags, options, facts, columns, compiled, start, poison = packed
    program = Program(
        flags={
            name: Flag(name, kind, default, nullable, tuple(Option(*option) for option in own), *rest)
            for (name, kind, default, nullable, *rest), own in zip(flags, options, strict=True)
        },
        facts={fields[0]: Fact(*fields) for fields in facts},
        **columns,
    )
    for node, parts in poison.items():
        start[node] = _POISON[parts] if isinstance(parts, str) else Fault(*parts)
    return Executable(program, code.functions(compiled), tuple(start))


_POISON = {repr(value): value for value in (UNKNOWN, MISSING)}


def _packed_poison(value: Value) -> str | tuple[str, str]:
    return (value.kind, value.detail) if isinstance(value, Fault) else repr(value)


def _fields_of(records: Iterable[Flag | Option | Fact]) -> list[tuple[Any, ...]]:
    return [
        tuple(getattr(record, name) for name in record.__dataclass_fields__ if name != "options")
        for record in records
    ]
