"""What a name of the engine's source can hold while it is executed symbolically.

A scalar or plain data is an `Expression`. Everything that has identity or behaviour is one of the
classes below; mutable contents live in the heap of the executor's state, reached through a `Ref`, so
that a branch can be tried and merged without touching what it did not change.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from constraints.expression.syntax import TRUE, Expression

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor
    from constraints.sglang.extraction.source import Module
    from constraints.sglang.extraction.state import Frame


@dataclass(frozen=True, slots=True)
class Ref:
    """The identity of a mutable object; what it holds is `state.heap[identity]`."""

    identity: int


@dataclass(frozen=True, slots=True)
class Cell:
    """A local that a function inside rebinds: what it holds is in the heap, so that branches merge it."""

    reference: Ref


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function or lambda of the source, with the frame it closes over."""

    node: ast.FunctionDef | ast.Lambda
    module: Module
    closure: Frame | None = None
    owner: Class | None = None

    @property
    def name(self) -> str:
        return self.node.name if isinstance(self.node, ast.FunctionDef) else "lambda"


@dataclass(frozen=True, slots=True, eq=False)
class Class:
    """A class of the source. Two are the same where their definition is."""

    node: ast.ClassDef
    module: Module

    @property
    def name(self) -> str:
        return self.node.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Class) and self.node is other.node

    def __hash__(self) -> int:
        return hash((Class, id(self.node)))


@dataclass(frozen=True, slots=True)
class EnumMember:
    """One member of an Enum class of the source."""

    owner: Class
    name: str
    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class ModuleValue:
    """A module of the engine's package, as an import binds it."""

    module: Module


@dataclass(frozen=True, slots=True)
class External:
    """A name of a library or of Python itself, by its dotted path: `os.path.join`, `torch.cuda`."""

    path: str


@dataclass(frozen=True, slots=True)
class Method:
    """A method bound to what it was read from: a function of the source, or a name of a builtin type."""

    receiver: Value
    function: Function | str


@dataclass(frozen=True, slots=True)
class Partial:
    """`functools.partial` of a callable."""

    function: Value
    arguments: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class View:
    """What resolution reads flags through. `versions` is None for a live view, else its snapshot."""

    versions: Mapping[str, int] | None

    def __hash__(self) -> int:
        return id(self.versions)


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable as the engine declares it; read through `.get()` and its like."""

    name: str


@dataclass(frozen=True, slots=True)
class Facts:
    """An object whose attributes are facts: `Facts('gpu').is_cuda` is the fact `gpu.is_cuda`."""

    path: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several values: the first whose condition holds. The last condition is True."""

    alternatives: tuple[tuple[Expression, Value], ...]


@dataclass(frozen=True, slots=True)
class Structured:
    """A flag's value that is a record of the source, read part by part as state variables.

    Attributes:
        path: the state variable's dotted path, `cuda_graph_config.prefill`.
        generation: which object it is: a new one is made whenever the whole is declared anew, and what
            is changed in place is seen through every name of the same object.
        owner: the record's class.
    """

    path: str
    generation: int
    owner: Class


Value: TypeAlias = (
    Expression | Ref | Function | Class | EnumMember | ModuleValue | External | Method | Partial | View
    | Variable | Facts | Choice | Structured | Cell
)  # fmt: skip


Keywords: TypeAlias = Mapping[str, tuple[Expression, Value]]
"""The keyword arguments of a call, each with the condition under which it is given at all."""

Helper: TypeAlias = Callable[["Executor", list[Value], Keywords, ast.AST], Value | None]
"""What a described function gives for its arguments, called at a node; None where it is not described."""

# What a Ref leads to. Contents are immutable: a mutation puts a new content in the heap.


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a class of the source (None: of no class that matters) and its attributes.

    Where `facts` is set, an attribute that nobody assigned is the fact of that dotted path.
    """

    owner: Class | None
    attributes: Mapping[str, Value] = field(default_factory=dict)
    facts: str = ""

    def with_attribute(self, name: str, value: Value) -> Instance:
        return Instance(self.owner, {**self.attributes, name: value}, self.facts)


@dataclass(frozen=True, slots=True)
class Items:
    """A list or set: its elements in order, each with the condition under which it is there."""

    kind: str
    elements: tuple[tuple[Expression, Value], ...] = ()

    @property
    def is_certain(self) -> bool:
        return all(guard == TRUE for guard, _ in self.elements)


@dataclass(frozen=True, slots=True)
class Entries:
    """A dict whose keys are known: for each, whether it is there and what it holds.

    `computed` is an item under a key that is not known, set in the present pass of a loop.
    """

    entries: Mapping[Any, tuple[Expression, Value]] = field(default_factory=dict)
    computed: tuple[Expression, Value] | None = None


@dataclass(frozen=True, slots=True)
class Lost:
    """An object of which extraction lost track: every read is unknown."""

    site: str
    cause: str


Content: TypeAlias = Instance | Items | Entries | Lost
