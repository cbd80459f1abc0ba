"""Python source for the nodes of a program: one function of the value list for each. Runs nothing.

The functions are the *fast path*. Each gives the value that `stepping.careful` would give, or raises: at
anything not known, missing or faulty, and at every error that the engine would meet. Whoever calls one
must then ask `careful`. A function that returns MISSING has proven nothing either.

The source is made from the expressions' trees alone: no text of a catalog reaches the compiler unread.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeAlias, final

from solver.program import ALWAYS, Kind, Program

if TYPE_CHECKING:
    from constraints.vocabulary import Value

Fast: TypeAlias = Callable[["list[Value]"], "Value"]

_TABLE = "functions"


def python_source(program: Program) -> str:
    """Source of a module that binds `functions`, a tuple with one function for each step's node."""
    lines = [f"    lambda v: {_function_source(program, node)},\n" for node in _step_nodes(program)]
    return f"{_TABLE} = (\n{''.join(lines)})\n"


def compile_program(program: Program) -> tuple[bytes, ...]:
    """The code of each step's node, the first step's first, in `marshal`'s form."""
    source = python_source(program)
    code = compile(source, f"<{program.engine} {program.version}>", "exec", dont_inherit=True)
    namespace: dict[str, Any] = {}
    exec(code, namespace)  # noqa: S102 - generated here from trees; see the module's docstring
    return tuple(marshal.dumps(function.__code__) for function in namespace[_TABLE])


@final
class Slices(Sequence[memoryview]):
    """Pieces of one buffer that lie one behind the other.

    Args:
        buffer: all of them.
        ends: where each ends, after a 0.
    """

    __slots__ = ("_buffer", "_ends")

    def __init__(self, buffer: memoryview, ends: Sequence[int]) -> None:
        self._buffer = buffer
        self._ends = ends

    def __getitem__(self, piece: Any) -> Any:
        return self._buffer[self._ends[piece] : self._ends[piece + 1]]

    def __len__(self) -> int:
        return len(self._ends) - 1


@final
class Functions:
    """The functions of a program's step nodes, each made when it is first asked for: a check runs few.

    Args:
        codes: what `compile_program` gave.
    """

    __slots__ = ("_codes", "_made", "_namespace")

    def __init__(self, codes: Sequence[bytes | memoryview]) -> None:
        from constraints.expression.runtime import NAMESPACE

        self._codes = codes
        self._made: list[Fast | None] = [None] * len(codes)
        self._namespace: dict[str, Any] = dict(NAMESPACE)

    @property
    def codes(self) -> Sequence[bytes | memoryview]:
        return self._codes

    def __len__(self) -> int:
        return len(self._codes)

    def __getitem__(self, step: int) -> Fast:
        function = self._made[step]
        if function is None:
            code = marshal.loads(self._codes[step])  # noqa: S302 - made here, or read by `program_cache`
            function = self._made[step] = FunctionType(code, self._namespace)
        return function

    def __iter__(self) -> Iterator[Fast]:
        return (self[step] for step in range(len(self._codes)))


def _step_nodes(program: Program) -> Iterator[int]:
    return iter(range(program.leaf_count, len(program.kinds)))


def _function_source(program: Program, node: int) -> str:
    from constraints.expression.compile import python_source as expression_source
    from constraints.expression.syntax import TRUE

    terms = program.terms(node)

    def name_source(path: str) -> str:
        return f"v[{terms.producers[path]}]"

    guard = program.guards[node]
    is_guarded = guard != ALWAYS and program.kinds[node] != Kind.LET
    conditions = [f"v[{guard}]"] if is_guarded else []
    if terms.when != TRUE:
        conditions.append(f"({expression_source(terms.when, name_source)})")
    condition = " and ".join(conditions)
    if program.kinds[node] not in {Kind.LET, Kind.SET} or terms.value is None:
        return f"True if {condition} else False" if condition else "True"
    value = f"({expression_source(terms.value, name_source)})"
    return f"{value} if {condition} else v[{program.previous[node]}]" if condition else value
