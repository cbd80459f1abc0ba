"""What is known of a release's flags and rules, as one would look them up. Asks nothing of any command."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from solver.answers import Answer
from solver.program import ALWAYS, NOTHING, Kind, Program

if TYPE_CHECKING:
    from constraints.expression.syntax import Expression
    from constraints.vocabulary import Flag, Value


@dataclass(frozen=True, slots=True)
class RuleEntry(Answer):
    """A rule of the engine.

    Attributes:
        code: its stable name, `SGL0123`.
        at: where the engine enforces it, `file:line`; `function` is the one around it.
        exception: the type of exception that the engine raises.
        message: the condition under which the engine refuses, in English, without what it asks of flags that
            every command gives.
        condition: the same in the rule language, without the conditions around it.
        within: the conditions of the blocks around it, outermost first.
        flags: the flags that it reads, itself or through values named before it.
        facts: the same for facts.
    """

    code: str
    at: str
    function: str
    exception: str
    message: str
    condition: Expression
    within: tuple[Expression, ...]
    flags: tuple[str, ...]
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FlagEntry(Answer):
    """A flag of the engine.

    Attributes:
        name: its field name.
        spellings: the ways to write it that the engine does not warn about, the preferred one first.
        deprecated: those that it warns about.
        type: the kind of its values.
        default: its value where it is not given.
        nullable: whether None is one of its values.
        choices: the only values it takes; None where any of the type will do.
        group: the engine's own section for it.
        at: where it is declared, `file:line`.
        set_at: where the engine may give it another value, `file:line`, in pipeline order.
        rules: the codes of the rules that read it, themselves or through values named before them.
    """

    name: str
    spellings: tuple[str, ...]
    deprecated: tuple[str, ...]
    type: str
    default: Value
    nullable: bool
    choices: tuple[Value, ...] | None
    group: str
    at: str
    set_at: tuple[str, ...]
    rules: tuple[str, ...]


def rule_entries(program: Program, *, code: str | None = None) -> tuple[RuleEntry, ...]:
    """The rules, in pipeline order; a rule enforced in several places has an entry for each.

    Args:
        program: the release.
        code: only the rules of this code.
    """
    nodes = (node for node, kind in enumerate(program.kinds) if kind == Kind.REFUSE)
    return tuple(_rule(program, node) for node in nodes if code in (None, program.codes[node]))


def flag_entries(program: Program) -> tuple[FlagEntry, ...]:
    """The flags, in the order of the engine's source."""
    readers: dict[str, dict[str, None]] = {}
    writers: dict[str, dict[str, None]] = {}
    for node, kind in enumerate(program.kinds):
        if kind == Kind.REFUSE:
            for flag in _flags(program, _names_read(program, node)):
                readers.setdefault(flag, {})[program.codes[node]] = None
        elif kind == Kind.SET:
            writers.setdefault(program.names[node].partition(".")[0], {})[program.places[node]] = None
    return tuple(
        _flag(flag, tuple(writers.get(name, ())), tuple(readers.get(name, ())))
        for name, flag in program.flags.items()
    )


def _rule(program: Program, node: int) -> RuleEntry:
    from constraints.expression.phrase import phrase
    from constraints.expression.syntax import And

    condition = program.terms(node).when
    within = tuple(program.terms(guard).when for guard in reversed(list(_guards(program, node))))
    telling = [each for each in within if not _asks_what_must_be_given(each, program)]
    whole = And((*telling, condition)) if telling else condition
    names = _names_read(program, node)
    return RuleEntry(
        code=program.codes[node],
        at=program.places[node],
        function=program.functions[node],
        exception=program.exceptions[node],
        message=phrase(whole, lambda path: _called(path, program)),
        condition=condition,
        within=within,
        flags=_flags(program, names),
        facts=tuple(sorted(name for name in names if name in program.leaf_of_fact)),
    )


def _flag(flag: Flag, set_at: tuple[str, ...], rules: tuple[str, ...]) -> FlagEntry:
    return FlagEntry(
        name=flag.name,
        spellings=_spellings(flag, deprecated=False),
        deprecated=_spellings(flag, deprecated=True),
        type=flag.type,
        default=flag.default,
        nullable=flag.nullable,
        choices=next((option.choices for option in flag.options if option.choices is not None), None),
        group=flag.group,
        at=flag.at,
        set_at=set_at,
        rules=rules,
    )


def _spellings(flag: Flag, *, deprecated: bool) -> tuple[str, ...]:
    options = (option for option in flag.options if option.deprecated is deprecated)
    return tuple(spelling for option in options for spelling in option.spellings)


def _guards(program: Program, node: int) -> Iterator[int]:
    """The blocks around a node, innermost first."""
    guard = program.guards[node]
    while guard != ALWAYS:
        yield guard
        guard = program.guards[guard]


def _asks_what_must_be_given(condition: Expression, program: Program) -> bool:
    """Whether a condition reads but flags that every command gives; most rules stand in such a block."""
    from constraints.expression.forms import free_names

    names = {path.removeprefix("given.") for path in free_names(condition)}
    return bool(names) and names.issubset(program.required)


def _called(path: str, program: Program) -> str:
    """What a name is called in a sentence: a flag by its preferred spelling."""
    flag = program.flags.get(path.removeprefix("given."))
    return path if flag is None else flag.spelling


def _names_read(program: Program, node: int) -> frozenset[str]:
    """The flags, parts of flags and facts that a rule's conditions read, named values followed to theirs."""
    found: set[str] = set()
    seen: set[int] = set()
    left = [node, *_guards(program, node)]
    while left:
        each = left.pop()
        for name, producer in program.terms(each).producers.items():
            if program.kinds[producer] != Kind.LET:
                found.add(name)
            elif producer not in seen and producer != NOTHING:
                seen.add(producer)
                left += [producer, *_guards(program, producer)]
    return frozenset(found)


def _flags(program: Program, names: Collection[str]) -> tuple[str, ...]:
    """The flags among names, each once: `given.tp_size` and `tp_size.part` are of `tp_size`."""
    bare = {name.removeprefix("given.").partition(".")[0] for name in names}
    return tuple(sorted(bare & program.flags.keys()))
