"""Executables of catalogs: made once, kept in memory, and on disk in the user's cache folder.

A cache file holds code, as Python's own `.pyc` files do, and is trusted on the same terms: it and its folder
must belong to the user who runs this, nobody else may write them, it must have been made from the catalog
as it is now, and a checksum guards against damage. Any other file is ignored and made anew; where it
can't be written, nothing is lost but time.
"""

from __future__ import annotations

import marshal
import mmap
import os
import stat
import sys
import zlib
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeVar, final

from constraints.expression.values import MISSING, UNKNOWN, Fault, is_known
from constraints.store import catalog_path, parse_catalog, read_bytes
from constraints.vocabulary import Fact, Flag, Option
from solver import code
from solver.identity import Identity
from solver.program import Details, Program, Rows, Terms
from solver.resolution import Executable, Snapshot, State, snapshots

if TYPE_CHECKING:
    from constraints.catalog import Catalog
    from constraints.vocabulary import Value

_T = TypeVar("_T")

_MAGIC = b"flagfit program 2\n"
_SUFFIX = ".program"
_SIZES_LENGTH = 4 * 2 * array("Q").itemsize
"""The size and the checksum of each of four parts."""

_FILES_KEPT = 24
_MAKERS = (
    "solver/program.py",
    "solver/program_cache.py",
    "solver/flattening.py",
    "solver/code.py",
    "solver/resolution.py",
    "solver/stepping.py",
    "constraints/expression/packed.py",
    "constraints/expression/compile.py",
    "constraints/expression/evaluate.py",
    "constraints/expression/functions.py",
)
"""What a cache file's content depends on, besides the catalog: a change to one of these makes it stale."""

_ROWS = ("reads", "dependents")
_NUMBERS = ("guards", "previous")
_PLAIN = (
    *("engine", "version", "required", "kinds", "names", "truths", "asks_crashes", "near"),
    *("leaf_of_flag", "leaf_of_fact", "final"),
)
_DETAILS = tuple(Details.__dataclass_fields__)


def load_executable(release: str | os.PathLike[str] | None = None, *, engine: str = "sglang") -> Executable:
    """What `constraints.store.load_catalog` would load, ready to run.

    Raises:
        UnknownRelease, CatalogError: as `load_catalog`.
    """
    path = catalog_path(release, engine=engine)
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        read_bytes(path)  # says what is wrong with it
        raise
    return _load(path, status.st_mtime_ns, status.st_size)


def make_executable(catalog: Catalog) -> Executable:
    """A catalog made ready to run, in memory alone. The last few are kept."""
    return _make(Identity(catalog))


def cache_folder() -> str | None:
    """Where cache files are kept: `FLAGFIT_CACHE_DIR`, else `flagfit` under `XDG_CACHE_HOME` or `~/.cache`.

    None where neither is set and there is no home, or `FLAGFIT_CACHE_DIR` is empty: nothing is kept then.
    """
    own = os.environ.get("FLAGFIT_CACHE_DIR")
    if own is not None:
        return own or None
    base = os.path.expanduser(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    return os.path.join(base, "flagfit") if os.path.isabs(base) else None


@lru_cache(maxsize=8)
def _make(catalog: Identity) -> Executable:
    return _made(catalog.of)


def _made(catalog: Catalog) -> Executable:
    from solver.flattening import flatten

    program = flatten(catalog)
    fast = code.Functions(code.compile_program(program))
    return Executable(program, fast, *snapshots(program, fast))


@lru_cache(maxsize=8)
def _load(path: str, mtime_ns: int, size: int) -> Executable:
    folder = cache_folder()
    if folder is None:
        return make_executable(parse_catalog(read_bytes(path), path))
    key = _key(path, mtime_ns, size)
    file = os.path.join(
        folder, f"{os.path.splitext(os.path.basename(path))[0]}-{zlib.crc32(key):08x}{_SUFFIX}"
    )

    def made_and_kept() -> Executable:
        executable = _made(parse_catalog(read_bytes(path), path))
        _write(file, key, executable)
        return executable

    return _read(file, key, remade=made_and_kept) or made_and_kept()


def _key(path: str, mtime_ns: int, size: int) -> bytes:
    """Says what a cache file was made of: the catalog, this Python, and the modules that make programs."""
    root = os.path.dirname(os.path.dirname(__file__))
    made_by = [f"{sys.implementation.cache_tag} {sys.hexversion} {sys.byteorder}"]
    for name in _MAKERS:
        with suppress(OSError):
            status = os.stat(os.path.join(root, name))
            made_by.append(f"{status.st_mtime_ns} {status.st_size}")
    return "\n".join((os.path.abspath(path), str(mtime_ns), str(size), *made_by)).encode()


def _read(file: str, key: bytes, *, remade: Callable[[], Executable]) -> Executable | None:
    """What a cache file holds; None where there is none, or it can't be trusted.

    Args:
        file: its path.
        key: what it must have been made of.
        remade: makes it anew, should its details turn out to be damaged.
    """
    content = _mapped(file)
    if content is None:
        return None
    header = _MAGIC + key
    end = len(header) + _SIZES_LENGTH
    if content[: len(header)] != header or len(content) < end:
        return None
    sizes = array("Q", bytes(content[len(header) : end]))
    parts: list[memoryview] = []
    for size in sizes[::2]:
        parts.append(content[end : end + size])
        end += size
    columns, codes, terms, details = parts
    is_whole = end == len(content)
    if not is_whole or any(zlib.adler32(parts[each]) != sizes[2 * each + 1] for each in (0, 1)):
        return None

    remade_once = cache(remade)
    are_terms_whole = cache(lambda: zlib.adler32(terms) == sizes[5])

    def load_terms(place: slice, node: int) -> Terms:
        if not are_terms_whole():
            return remade_once().program.terms(node)
        return _unpacked_terms(marshal.loads(terms[place]))  # noqa: S302 - see the module's docstring

    @cache
    def load_details() -> Details:
        if zlib.adler32(details) != sizes[7]:
            return remade_once().program.details()
        return Details(*marshal.loads(details))  # noqa: S302 - the same

    return _unpacked(marshal.loads(columns), codes, load_terms, load_details)  # noqa: S302 - the same


def _mapped(file: str) -> memoryview | None:
    """The content of a file that the user of this process alone may have written; else None."""
    try:
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or not status.st_size:
            return None
        if not _is_ours(status) or not _is_ours(os.stat(os.path.dirname(file))):
            return None
        return memoryview(mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError):
        return None
    finally:
        os.close(descriptor)


def _is_ours(status: os.stat_result) -> bool:
    """Whether the user of this process alone may have written it."""
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _write(file: str, key: bytes, executable: Executable) -> None:
    """Keeps an executable, in one go; gives up silently where that can't be done."""
    parts = _packed(executable)
    sizes = array("Q", [number for part in parts for number in (len(part), zlib.adler32(part))])
    folder, name = os.path.split(file)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}")
    with suppress(OSError):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if not _is_ours(os.stat(folder)):
            return
        flags = (
            os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        )
        try:
            with os.fdopen(os.open(temporary, flags, 0o600), "wb") as opened:
                opened.writelines((_MAGIC, key, sizes.tobytes(), *parts))
            os.replace(temporary, file)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary)
        _forget_oldest(folder)


def _forget_oldest(folder: str) -> None:
    with os.scandir(folder) as entries:
        files = [(entry.stat().st_mtime_ns, entry.path) for entry in entries if entry.name.endswith(_SUFFIX)]
    for _, file in sorted(files, reverse=True)[_FILES_KEPT:]:
        os.unlink(file)


def _packed(executable: Executable) -> tuple[bytes, bytes, bytes, bytes]:
    """The columns of an executable, the code of its functions, its terms, and its details, as bytes."""
    program, codes = executable.program, executable.fast.codes
    nodes = range(program.leaf_count, len(program.kinds))
    terms = [marshal.dumps(_packed_terms(program.terms(node))) for node in nodes]
    columns = (
        {flag.name: _fields_of(flag) for flag in program.flags.values()},
        {fact.name: _fields_of(fact) for fact in program.facts.values()},
        {name: getattr(program, name) for name in _PLAIN},
        {name: getattr(program, name).tobytes() for name in _NUMBERS},
        {name: getattr(program, name).packed() for name in _ROWS},
        [_packed_snapshot(each) for each in (executable.start, executable.usual)],
        _ends(codes),
        _ends(terms),
    )
    details = program.details()
    return (
        marshal.dumps(columns),
        b"".join(codes),
        b"".join(terms),
        marshal.dumps(tuple(getattr(details, name) for name in _DETAILS)),
    )


def _unpacked(
    columns: tuple[Any, ...],
    codes: memoryview,
    load_terms: Callable[[slice, int], Terms],
    details: Callable[[], Details],
) -> Executable:
    flags, facts, plain, numbers, rows, packed_snapshots, code_ends, packed_term_ends = columns
    term_ends = array("I", packed_term_ends)
    fields: dict[str, Any] = plain
    fields |= {name: array("i", packed) for name, packed in numbers.items()}
    fields |= {name: Rows.unpacked(packed) for name, packed in rows.items()}
    facts_made = _Records(facts, lambda packed: Fact(*packed))

    def terms_of(node: int) -> Terms:
        step = node - program.leaf_count
        return load_terms(slice(term_ends[step], term_ends[step + 1]), node)

    program = Program(
        flags=_Records(flags, _flag), facts=facts_made, details=details, load_terms=terms_of, **fields
    )
    start, usual = map(_unpacked_snapshot, packed_snapshots)
    return Executable(program, code.Functions(code.Slices(codes, array("I", code_ends))), start, usual)


def _ends(parts: Sequence[bytes | memoryview]) -> bytes:
    """Where each of some parts ends when they lie one behind the other, after a 0."""
    return array("I", accumulate(map(len, parts), initial=0)).tobytes()


def _packed_terms(terms: Terms) -> tuple[Any, ...]:
    from constraints.expression.packed import pack

    roots = (terms.when,) if terms.value is None else (terms.when, terms.value)
    return (*pack(roots), dict(terms.producers))


def _unpacked_terms(packed: tuple[Any, ...]) -> Terms:
    from constraints.expression.packed import unpack

    nodes, (when, *value), producers = packed
    built = unpack(nodes)
    return Terms(built[when], built[value[0]] if value else None, producers)


def _packed_snapshot(snapshot: Snapshot) -> tuple[Any, ...]:
    poison = {node: value for node, value in enumerate(snapshot.values) if not is_known(value)}
    return (
        [None if node in poison else value for node, value in enumerate(snapshot.values)],
        {name: [node for node, value in poison.items() if value is each] for name, each in _POISON.items()},
        {node: (value.kind, value.detail) for node, value in poison.items() if isinstance(value, Fault)},
        [sorted(getattr(snapshot.state, name)) for name in State.__slots__],
    )


def _unpacked_snapshot(packed: tuple[Any, ...]) -> Snapshot:
    values, poison, faults, state = packed
    for name, nodes in poison.items():
        value = _POISON[name]
        for node in nodes:
            values[node] = value
    for node, parts in faults.items():
        values[node] = Fault(*parts)
    return Snapshot(tuple(values), State(*map(frozenset, state)))


_POISON: dict[str, Value] = {repr(value): value for value in (UNKNOWN, MISSING)}


@final
class _Records(Mapping[str, _T]):
    """Flags or facts by name, each made when it is first asked for."""

    __slots__ = ("_made", "_make", "_packed")

    def __init__(self, packed: dict[str, tuple[Any, ...]], make: Callable[[tuple[Any, ...]], _T]) -> None:
        self._packed = packed
        self._make = make
        self._made: dict[str, _T] = {}

    def __getitem__(self, name: str) -> _T:
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = self._make(self._packed[name])
        return made

    def __contains__(self, name: object) -> bool:
        return name in self._packed

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)


def _flag(fields: tuple[Any, ...]) -> Flag:
    name, kind, default, nullable, options, *rest = fields
    return Flag(name, kind, default, nullable, tuple(Option(*option) for option in options), *rest)


def _fields_of(record: Flag | Option | Fact) -> tuple[Any, ...]:
    values = (getattr(record, name) for name in record.__dataclass_fields__)
    return tuple(
        tuple(map(_fields_of, value))
        if value and isinstance(value, tuple) and isinstance(value[0], Option)
        else value
        for value in values
    )
