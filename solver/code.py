"""Python source for the nodes of a program: one function of the value list for each. Runs nothing.

The functions are the *fast path*. Each gives the value that `stepping.careful` would give, or raises: at
anything not known, missing or faulty, and at every error that the engine would meet. Whoever calls one
must then ask `careful`. A function that returns MISSING has proven nothing either.

The source is made from the expressions' trees alone: no text of a catalog reaches the compiler unread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any, TypeAlias

from constraints.catalog import Value
from constraints.expression.syntax import TRUE
from solver.program import ALWAYS, Kind, Program

Fast: TypeAlias = Callable[[list[Value]], Value]

_TABLE = "functions"


def python_source(program: Program) -> str:
    """Source of a module that binds `functions`, a tuple with one function for each step's node."""
    lines = [f"    lambda v: {_function_source(program, node)},\n" for node in _step_nodes(program)]
    return f"{_TABLE} = (\n{''.join(lines)})\n"


def compile_program(program: Program) -> CodeType:
    """The same as a code object, which `marshal` can keep."""
    return compile(python_source(program), f"<{program.engine} {program.version}>", "exec", dont_inherit=True)


def functions(code: CodeType) -> tuple[Fast, ...]:
    """The functions that a code object of `compile_program` binds; the first is that of the first step."""
    from constraints.expression.compile import NAMESPACE

    namespace: dict[str, Any] = dict(NAMESPACE)
    exec(code, namespace)  # noqa: S102 - generated here from trees; see the module's docstring
    found: tuple[Fast, ...] = namespace[_TABLE]
    return found


def _step_nodes(program: Program) -> Iterator[int]:
    return iter(range(program.leaf_count, len(program.kinds)))


def _function_source(program: Program, node: int) -> str:
    from constraints.expression.compile import python_source as expression_source

    terms = program.terms(node)

    def name_source(path: str) -> str:
        return f"v[{terms.producers[path]}]"

    guard = program.guards[node]
    conditions = [] if guard == ALWAYS else [f"v[{guard}]"]
    if terms.when != TRUE:
        conditions.append(f"({expression_source(terms.when, name_source)})")
    condition = " and ".join(conditions)
    if program.kinds[node] not in {Kind.LET, Kind.SET} or terms.value is None:
        return f"True if {condition} else False" if condition else "True"
    value = f"({expression_source(terms.value, name_source)})"
    return f"{value} if {condition} else v[{program.previous[node]}]" if condition else value
