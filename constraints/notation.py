"""A catalog as JSON text, one entry a line, and back. Nothing here knows where catalogs are kept.

The text is made to be read and compared: the diff of two releases reads like a change log. So

- an entry says of its place the file and the function alone; the line numbers, which shift with every
  release, stand together at the end, under `lines`, in the order in which the entries use them;
- what has its usual value is left out;
- a condition shared by a run of steps is said once, as a block around them.

The same catalog gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from constraints.catalog import Block, Catalog, Fact, Flag, Let, Notice, Option, Refuse, Release, Set, Step
from constraints.errors import CatalogError, ExpressionError
from constraints.expression.parse import parse
from constraints.expression.syntax import TRUE, Expression
from constraints.expression.text import text

FORMAT = 1
MAX_CHARACTERS = 64_000_000
"""No catalog is a tenth as long; a longer text is refused unread."""

Entry = dict[str, Any]
_T = TypeVar("_T")


def to_text(catalog: Catalog) -> str:
    """The catalog as JSON text, ending in a newline."""
    places = _PlaceWriter()
    flags = [_line(_flag_entry(flag, places)) for flag in catalog.flags.values()]
    facts = [_line(_fact_entry(fact)) for fact in catalog.facts.values()]
    steps = list(_step_lines(catalog.steps, places, indent=""))
    lines = [f"{_line(place)}: {_line(numbers)}" for place, numbers in places.lines.items()]
    return "".join(
        (
            f'{{\n"format": {FORMAT},\n"release": {_line(_release_entry(catalog.release))},\n',
            f'"flags": [\n{_separated(flags)}],\n"facts": [\n{_separated(facts)}],\n',
            f'"steps": [\n{"".join(steps)}],\n"lines": {{\n{_separated(lines)}}}\n}}\n',
        )
    )


def from_text(source: str, *, path: str = "<catalog>") -> Catalog:
    """Reads what `to_text` wrote; any other JSON of that structure will do.

    Args:
        source: the text.
        path: what errors call it.

    Raises:
        CatalogError: it is no JSON, or not a catalog, with the line where that shows.
    """
    if len(source) > MAX_CHARACTERS:
        raise CatalogError(path, f"longer than {MAX_CHARACTERS} characters")
    try:
        document = json.loads(source)
    except json.JSONDecodeError as error:
        raise CatalogError(path, f"not JSON: {error.msg}", error.lineno) from None
    except RecursionError:
        raise CatalogError(path, "nested too deeply") from None
    return _Reader(source, path).catalog(document)


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _separated(lines: Sequence[str]) -> str:
    return "".join(f"{line}{',' if index < len(lines) else ''}\n" for index, line in enumerate(lines, 1))


class _PlaceWriter:
    """Takes the line numbers out of places, and keeps them by what is left."""

    def __init__(self) -> None:
        self.lines: dict[str, list[int]] = {}

    def entry(self, at: str, function: str | None) -> Entry:
        """What an entry says of its place; `function` is None where there can be none."""
        file, _, line = at.rpartition(":")
        if not file or not line.isdecimal() or line != str(int(line)) or ":" in file:
            return ({"at": at} if at or function else {}) | ({"in": function} if function else {})
        place = file if function is None else f"{file}:{function}"
        self.lines.setdefault(place, []).append(int(line))
        return {"in": place}


def _release_entry(release: Release) -> Entry:
    return {
        "engine": release.engine,
        "version": release.version,
        "source_digest": release.source_digest,
        "extractor": release.extractor,
    }


def _flag_entry(flag: Flag, places: _PlaceWriter) -> Entry:
    entry: Entry = {"name": flag.name, "type": flag.type}
    if flag.default is not None:
        entry["default"] = flag.default
    if flag.nullable:
        entry["nullable"] = True
    if flag.fallback is not None:
        entry["fallback"] = flag.fallback
    if flag.group:
        entry["group"] = flag.group
    if flag.options:
        entry["options"] = [_option_entry(option) for option in flag.options]
    return entry | places.entry(flag.at, None)


def _option_entry(option: Option) -> Entry:
    entry: Entry = {"spellings": option.spellings}
    usual = Option(())
    for name in ("action", "type", "nargs", "choices", "const", "deprecated", "replacement", "required"):
        value = getattr(option, name)
        if value != getattr(usual, name) or type(value) is not type(getattr(usual, name)):
            entry[name] = value
    return entry


def _fact_entry(fact: Fact) -> Entry:
    entry: Entry = {"name": fact.name, "type": fact.type}
    if fact.has_default:
        entry["default"] = fact.default
    if fact.fallback:
        entry["fallback"] = fact.fallback
    return entry


def _step_lines(steps: Sequence[Step], places: _PlaceWriter, *, indent: str) -> Iterator[str]:
    for index, step in enumerate(steps, 1):
        comma = "," if index < len(steps) else ""
        entry = _line(_step_entry(step, places))
        if isinstance(step, Block):
            yield f'{indent}{entry[:-1]}, "block": [\n'
            yield from _step_lines(step.steps, places, indent=indent + " ")
            yield f"{indent}]}}{comma}\n"
        else:
            yield f"{indent}{entry}{comma}\n"


def _step_entry(step: Step, places: _PlaceWriter) -> Entry:
    entry: Entry = {}
    match step:
        case Let():
            entry = {"let": step.name, "value": text(step.value)}
        case Set():
            entry = {"set": step.target, "value": text(step.value)}
        case Refuse():
            entry = {"refuse": step.code}
        case Notice():
            entry = {"notice": step.code}
    if step.when != TRUE or isinstance(step, (Block, Refuse, Notice)):
        entry["when"] = text(step.when)
    if isinstance(step, Refuse) and step.exception:
        entry["raises"] = step.exception
    return entry | places.entry(step.at, step.function)


class _Invalid(Exception):
    """An entry is not what it should be; caught where its line can be told."""

    def __init__(self, reason: str, near: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.near = near
        """Text of the entry; the last place where the source has it is meant."""


class _Reader:
    """Turns the parsed JSON into a catalog; holds what is needed to say where an error is."""

    def __init__(self, source: str, path: str) -> None:
        self._source = source
        self._path = path
        self._expressions: dict[str, Expression] = {}
        self._numbers: dict[str, Iterator[int]] = {}

    def catalog(self, document: object) -> Catalog:
        try:
            entry = _of_this_format(document)
            self._numbers = {
                place: iter(_typed(numbers, list, "a list of line numbers"))
                for place, numbers in _take(entry, "lines", dict).items()
            }
            return Catalog(
                release=_release(_take(entry, "release", dict)),
                flags=_by_name(self._flag, _take(entry, "flags", list)),
                facts=_by_name(_fact, _take(entry, "facts", list)),
                steps=self._steps(_take(entry, "steps", list)),
            )
        except _Invalid as error:
            raise CatalogError(self._path, error.reason, self._line_of(error.near)) from None
        except RecursionError:
            raise CatalogError(self._path, "nested too deeply") from None

    def _line_of(self, near: str | None) -> int | None:
        position = -1 if near is None else self._source.rfind(near)
        return None if position < 0 else self._source.count("\n", 0, position) + 1

    def _flag(self, entry: Entry) -> Flag:
        name = _take(entry, "name", str)
        at, _ = self._place(entry)
        return Flag(
            name=name,
            type=_take(entry, "type", str),
            default=entry.get("default"),
            nullable=_take(entry, "nullable", bool, False),
            options=tuple(
                _option(_typed(option, dict, f"an option of {name}"))
                for option in _take(entry, "options", list, [])
            ),
            group=_take(entry, "group", str, ""),
            at=at,
            fallback=entry.get("fallback"),
        )

    def _steps(self, entries: list[Any]) -> tuple[Step, ...]:
        return tuple(self._step(_typed(entry, dict, "a step")) for entry in entries)

    def _step(self, entry: Entry) -> Step:
        at, function = self._place(entry)
        when = self._expression(entry, "when") if "when" in entry else TRUE
        if "block" in entry:
            return Block(at, function, self._steps(_take(entry, "block", list)), when=when)
        if "let" in entry:
            return Let(at, function, _take(entry, "let", str), self._expression(entry, "value"), when=when)
        if "set" in entry:
            return Set(at, function, _take(entry, "set", str), self._expression(entry, "value"), when=when)
        if "refuse" in entry:
            code = _take(entry, "refuse", str)
            return Refuse(at, function, code, _take(entry, "raises", str, ""), when=when)
        if "notice" in entry:
            return Notice(at, function, _take(entry, "notice", str), when=when)
        raise _Invalid(f"a step of no known kind, with {', '.join(entry) or 'nothing in it'}")

    def _expression(self, entry: Entry, key: str) -> Expression:
        source = _take(entry, key, str)
        expression = self._expressions.get(source)
        if expression is None:
            try:
                expression = parse(source)
            except ExpressionError as error:
                raise _Invalid(f"{key}: {error}", _line(source)) from None
            self._expressions[source] = expression
        return expression

    def _place(self, entry: Entry) -> tuple[str, str]:
        """The place of an entry, `file:line`, and its function."""
        if "at" in entry or "in" not in entry:
            return _take(entry, "at", str, ""), _take(entry, "in", str, "")
        place = _take(entry, "in", str)
        number = next(self._numbers.get(place, iter(())), None)
        if number is None:
            raise _Invalid(f"fewer lines than entries for {place}", f"{_line(place)}: [")
        file, _, function = place.partition(":")
        return f"{file}:{_typed(number, int, 'a line number')}", function


def _of_this_format(document: object) -> Entry:
    entry: Entry = _typed(document, dict, "a catalog")
    if entry.get("format") != FORMAT:
        raise _Invalid(f"format {entry.get('format')!r} is not {FORMAT}", '"format"')
    return entry


def _release(entry: Entry) -> Release:
    return Release(
        engine=_take(entry, "engine", str),
        version=_take(entry, "version", str),
        source_digest=_take(entry, "source_digest", str, ""),
        extractor=_take(entry, "extractor", str, ""),
    )


def _option(entry: Entry) -> Option:
    spellings = _take(entry, "spellings", list)
    choices = _take(entry, "choices", list, None)
    nargs = entry.get("nargs")
    if not spellings or not all(isinstance(each, str) for each in spellings):
        raise _Invalid("an option without spellings")
    if isinstance(nargs, bool) or not isinstance(nargs, (int, str, type(None))):
        raise _Invalid(f"nargs {nargs!r} is neither a count nor a sign", _line(spellings[0]))
    return Option(
        spellings=tuple(spellings),
        action=_take(entry, "action", str, "store"),
        type=_take(entry, "type", str, "str"),
        nargs=nargs,
        choices=None if choices is None else tuple(choices),
        const=entry.get("const"),
        deprecated=_take(entry, "deprecated", bool, False),
        replacement=_take(entry, "replacement", str, None),
        required=_take(entry, "required", bool, False),
    )


def _fact(entry: Entry) -> Fact:
    return Fact(
        name=_take(entry, "name", str),
        type=_take(entry, "type", str, "any"),
        default=entry.get("default"),
        has_default="default" in entry,
        fallback=_take(entry, "fallback", str, ""),
    )


def _by_name(read: Callable[[Entry], _T], entries: list[Any]) -> Mapping[str, _T]:
    found: dict[str, _T] = {}
    for each in entries:
        entry = _typed(each, dict, "an entry")
        name = _take(entry, "name", str)
        if name in found:
            raise _Invalid(f"{name} is there twice", _line({"name": name})[1:-1])
        found[name] = read(entry)
    return found


_REQUIRED: Any = object()


def _take(entry: Entry, key: str, kind: type, default: Any = _REQUIRED) -> Any:
    """`entry[key]`, which must be of that kind; the default where it is absent."""
    if key in entry:
        return _typed(entry[key], kind, f"{key!r}")
    if default is _REQUIRED:
        raise _Invalid(f"{key!r} is missing from an entry", _line(entry)[:-1] if entry else None)
    return default


def _typed(value: object, kind: type, what: str) -> Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise _Invalid(f"{what} is {_line(value)[:60]}, not of type {kind.__name__}")
    return value
