"""The symbolic executor: statements of the engine's source, turned into steps of a catalog.

It runs a function of the source the way Python would, with symbolic values in place of real ones:
both branches of an `if` one after the other and then merged, calls inlined, a `raise` written down as
a rule under the conditions that lead to it. What it cannot follow becomes an unknown that carries its
site; it never guesses. The source is neither imported nor run.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from collections.abc import Mapping as MappingType
from contextlib import contextmanager
from typing import TYPE_CHECKING

from constraints.expression.simplify import conditional, conjunction, disjunction, negation, truth
from constraints.expression.syntax import FALSE, NONE, TRUE, Call, Expression, Item, Literal, Mapping, Unknown
from constraints.sglang.extraction import (
    attempts,
    attributes,
    calls,
    containers,
    expressions,
    loops,
    operations,
    operators,
)
from constraints.sglang.extraction.classes import Classes
from constraints.sglang.extraction.facts import FactReader
from constraints.sglang.extraction.faults import fault_kind
from constraints.sglang.extraction.record import Record
from constraints.sglang.extraction.source import Module, Source
from constraints.sglang.extraction.state import Attempt, Frame, Snapshot, State, joined, merged
from constraints.sglang.extraction.steps import StepLog
from constraints.sglang.extraction.values import (
    Cell,
    Choice,
    Class,
    Entries,
    External,
    Function,
    Instance,
    Items,
    Lost,
    Method,
    ModuleValue,
    Ref,
    Structured,
    Value,
)

if TYPE_CHECKING:
    from constraints.sglang.extraction.described import Described


_NAMED_TEST = 40
_NAMED_MERGE = 30


class Executor:
    """One execution over one release's source.

    Attributes:
        log: the steps written so far.
        state: where the execution stands.
        record: how the engine's configuration record is read and written.
        sites: for every `raise` and `assert` met, whether its condition was understood.
        causes: how often each cause of an unknown was met, by site.
    """

    def __init__(self, source: Source, record: Record, log: StepLog, described: Described) -> None:
        self.source = source
        self.record = record
        self.log = log
        self.described = described
        self.state = State()
        self.classes = Classes()
        self.facts = FactReader()
        self.causes: Counter[tuple[str, str]] = Counter()
        self.entered: dict[tuple[str, str], Function] = {}
        self.naming = True
        self._refused: dict[Expression, tuple[Expression, ...]] = {}
        self._line = 0
        self._globals: dict[tuple[str, str], Value] = {}
        self._evaluating: set[tuple[str, str]] = set()

    # Where we are.

    def site(self, node: ast.AST | None) -> str:
        """`file:line` of a node of the module being executed."""
        if not self.state.frames:
            return ""
        line = self._line if node is None else getattr(node, "lineno", 0)
        return f"{self.state.frame.module.relative}:{line}"

    def unknown(self, node: ast.AST | None, cause: str) -> Unknown:
        """A value that could not be followed, counted by its cause."""
        return self.unknown_at(self.site(node), cause)

    def unknown_at(self, site: str, cause: str) -> Unknown:
        self.causes[site, cause] += 1
        return Unknown(site, cause)

    def fault(self, kind: str, node: ast.AST) -> Expression:
        """An expression whose evaluation always fails as Python would here."""
        if kind == "ValueError":
            return Call("int", (Literal(""),))
        return Item(Mapping((), ()), Literal(kind))

    @contextmanager
    def under(self, test: Expression) -> Iterator[None]:
        """Evaluates something under one more condition, without branching the state.

        What is raised inside is raised under that condition only: what comes after is still reached.
        """
        state = self.state
        depth = len(state.guard)
        if test != TRUE:
            state.guard.append(test)
        inner = len(state.guard)
        yield
        narrowed = state.guard[inner:]
        del state.guard[depth:]
        self.leave_condition(test, narrowed)

    def leave_condition(self, test: Expression, narrowed: list[Expression]) -> None:
        """After something that was evaluated where `test` holds: what its exceptions leave of the path."""
        state = self.state
        if test == TRUE:
            state.guard.extend(narrowed)
            return
        if state.dead == "raise":
            state.dead = ""
            return
        if state.dead == "caught":
            state.dead, narrowed = "", [FALSE]
        for inner in narrowed:
            alive = disjunction((negation(test), inner))
            state.guard.append(alive)
            for attempt in state.attempts:
                handler = attempt.negations.get(inner)
                if inner == FALSE and state.caught_by is not None and state.caught_by[0] is attempt:
                    handler = state.caught_by[1]
                if handler is not None:
                    attempt.negations[alive] = handler

    # Statements.

    def execute(self, statements: list[ast.stmt]) -> None:
        """Runs statements until the end or until nothing more is reached."""
        for statement in statements:
            if self.state.dead:
                return
            self.execute_one(statement)

    def execute_one(self, node: ast.stmt) -> None:
        self._line = node.lineno
        match node:
            case ast.If():
                self._if(node)
            case ast.Expr(value=value):
                if not isinstance(value, ast.Constant):
                    self.refuse_faults(expressions.evaluate(self, value), value)
            case ast.Assign(targets=targets, value=value):
                self._assigned(targets, value)
            case ast.AnnAssign(target=target, value=value):
                if value is not None:
                    self._assigned([target], value)
            case ast.AugAssign():
                self._augmented(node)
            case ast.Return(value=value):
                result = NONE if value is None else expressions.evaluate(self, value)
                if value is not None:
                    self.refuse_faults(result, value)
                if not self.state.dead:
                    self.state.frame.returns.append(self.state.leave(self.state.frame.base, result))
                    self.state.dead = "return"
            case ast.Raise():
                attempts.raise_(self, node)
            case ast.Assert():
                self._assert(node)
            case ast.For():
                loops.for_(self, node)
            case ast.While():
                loops.while_(self, node)
            case ast.Try():
                attempts.try_(self, node)
            case ast.With(items=items, body=body):
                for item in items:
                    entered = expressions.evaluate(self, item.context_expr)
                    if item.optional_vars is not None:
                        self.assign(item.optional_vars, entered)
                self.execute(body)
            case ast.FunctionDef():
                self._share_nonlocals(node)
                self.state.frame.locals[node.name] = Function(node, self.state.frame.module, self.state.frame)
            case ast.ClassDef():
                self.state.frame.locals[node.name] = Class(node, self.state.frame.module)
            case ast.Import() | ast.ImportFrom():
                self._import(node)
            case ast.Continue():
                loop = self.state.frame.loops[-1]
                loop.continues.append(self.state.leave(loop.pass_base))
                self.state.dead = "continue"
            case ast.Break():
                loop = self.state.frame.loops[-1]
                loop.breaks.append(self.state.leave(loop.base))
                self.state.dead = "break"
            case ast.Nonlocal(names=names):
                self.state.frame.nonlocals.update(names)
            case ast.Global(names=names):
                self.state.frame.globals.update(names)
            case ast.Delete(targets=targets):
                for deleted in targets:
                    if isinstance(deleted, ast.Name):
                        self.state.frame.locals.pop(deleted.id, None)
            case ast.Pass():
                pass
            case _:
                self.unknown(node, f"a {type(node).__name__} statement")

    def _assigned(self, targets: list[ast.expr], value: ast.expr) -> None:
        made = expressions.evaluate(self, value)
        self.refuse_faults(made, value)
        if isinstance(targets[0], ast.Tuple) and isinstance(made, Expression):
            self.refuse_faults(Item(made, Literal(0)), value)
        for target in targets if not self.state.dead else ():
            self.assign(target, made)

    def _assert(self, node: ast.Assert) -> None:
        holds = operations.truth(self, expressions.evaluate(self, node.test))
        if self.state.dead:
            return
        self.refuse_faults(holds, node.test)
        at = _last_comparison(node.test) or node
        self.branch(negation(holds), lambda: attempts.raised(self, "AssertionError", at), lambda: None)

    def refuse_faults(self, value: Value, node: ast.expr) -> None:
        """Writes a rule where evaluating the value here may fail."""
        if not isinstance(value, Expression) or self.state.dead:
            return
        kind = fault_kind(
            value,
            self.record.is_nullable,
            self.record.is_text,
            self.record.is_data,
            self.state.guard,
            self._is_refused,
        )
        if kind:
            self.refuse_fault(value, kind, node)

    def refuse_fault(self, value: Expression, kind: str, node: ast.AST) -> None:
        """Writes that evaluating the value here raises an exception where it fails: caught, or a rule."""
        if self.state.dead or self._is_refused(value):
            return
        crashes = Call("crashes", (value,))
        if not attempts.raises_when(self, crashes, kind, node):
            self.log.refuse((*self.state.guard, crashes), self.site(node), self.state.frame.name, TRUE, kind)
        # Where it is caught, the guard now says that it did not fail: only there it is dealt with.
        self._refused[value] = tuple(self.state.guard)

    def _is_refused(self, value: Expression) -> bool:
        """Whether the failures of a value have been dealt with on the path here."""
        earlier = self._refused.get(value)
        return earlier is not None and tuple(self.state.guard[: len(earlier)]) == earlier

    def _if(self, node: ast.If) -> None:
        test = operations.truth(self, expressions.evaluate(self, node.test))
        self.refuse_faults(test, node.test)
        if not self.state.dead:
            self.branch(test, lambda: self.execute(node.body), lambda: self.execute(node.orelse))

    def branch(self, test: Expression, then: Callable[[], object], otherwise: Callable[[], object]) -> None:
        """Runs one side or, where that is not known, both, and merges what they leave."""
        known = self.known(test)
        state = self.state
        if known is not None:
            (then if known else otherwise)()
            return
        test = self.short(test)
        depth, start = len(state.guard), state.snapshot()
        outcomes: list[tuple[str, list[Expression], Snapshot, tuple[Attempt, int] | None]] = []
        for condition, run in ((test, then), (negation(test), otherwise)):
            state.restore(start)
            state.guard.append(condition)
            state.dead = ""
            run()
            outcomes.append((state.dead, state.guard[depth + 1 :], state.snapshot(), state.caught_by))
            del state.guard[depth:]
        (dead, narrowed, left, caught), (other_dead, other_narrowed, right, other_caught) = outcomes
        if dead and other_dead:
            state.caught_by = caught if caught == other_caught else None
            state.dead = (
                dead
                if dead == other_dead
                else "return"
                if "raise" not in (dead, other_dead)
                else (other_dead if dead == "raise" else dead)
            )
            return
        state.dead = ""
        if dead or other_dead:
            state.restore(right if dead else left)
            if (dead or other_dead) != "raise":
                alive = negation(test) if dead else test
                state.guard.append(alive)
                caught_by = caught if dead else other_caught
                if (dead or other_dead) == "caught" and caught_by is not None:
                    attempt, handler = caught_by
                    attempt.negations[alive] = handler
            state.guard.extend(other_narrowed if dead else narrowed)
            return
        test = self.short(test)
        state.restore(merged(test, left, right))
        self._name_merged(start)
        if narrowed or other_narrowed:
            alive = conditional(test, conjunction(narrowed), conjunction(other_narrowed), boolean=True)
            if alive != TRUE:
                state.guard.append(alive)

    def known(self, test: Expression) -> bool | None:
        """Whether a test is settled: by itself, or by the path's guard."""
        settled = truth(test)
        if settled is None and test in self.state.guard:
            return True
        if settled is None and negation(test) in self.state.guard:
            return False
        return settled

    def short(self, test: Expression) -> Expression:
        """A test, by name where it is large: it will stand in many guards and values."""
        if test.size < _NAMED_TEST or not self.naming:
            return test
        function = self.state.frame.name.strip("_")
        return self.log.named(test, f"case_in_{function}", self.site(None), function)

    def _name_merged(self, before: Snapshot) -> None:
        """Names what a branch has made large, so that values do not grow with every branch."""
        if not self.naming:
            return
        local = self.state.frame.locals
        for name, value in local.items():
            if isinstance(value, Expression) and value.size >= _NAMED_MERGE:
                if before.locals.get(name) is not value:
                    local[name] = self.log.named(value, name, self.site(None), self.state.frame.name)
        for identity, content in self.state.heap.items():
            if isinstance(content, Instance) and before.heap.get(identity) is not content:
                large = {
                    name: self.log.named(value, name, self.site(None), self.state.frame.name)
                    for name, value in content.attributes.items()
                    if isinstance(value, Expression) and value.size >= _NAMED_MERGE
                }
                if large:
                    named = {**content.attributes, **large}
                    self.state.store(Ref(identity), Instance(content.owner, named, content.facts))

    def assign(self, target: ast.expr, value: Value) -> None:
        """Binds a target: a name, an attribute, an item, or a tuple of such."""
        match target:
            case ast.Name(id=name):
                self.bind(name, self.named(value, name, target))
            case ast.Attribute(value=owner, attr=name):
                self.set_attribute(expressions.evaluate(self, owner), name, value, target)
            case ast.Subscript(value=owner, slice=index):
                self.set_item(
                    expressions.evaluate(self, owner), expressions.evaluate(self, index), value, target
                )
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                self._unpack(targets, value, target)
            case ast.Starred(value=inner):
                self.assign(inner, value)

    def named(self, value: Value, hint: str, node: ast.AST) -> Value:
        """The value, by a name of its own where it is large."""
        if not isinstance(value, Expression) or not self.naming:
            return value
        return self.log.named(value, hint, self.site(node), self.state.frame.name)

    def _share_nonlocals(self, function: ast.FunctionDef) -> None:
        """Puts the locals that a function inside rebinds where both see them."""
        local = self.state.frame.locals
        for inner in ast.walk(function):
            for name in inner.names if isinstance(inner, ast.Nonlocal) else ():
                if name in local and not isinstance(local[name], Cell):
                    local[name] = Cell(self.state.allocate(Instance(None, {name: local[name]})))

    def bind(self, name: str, value: Value) -> None:
        """Binds a name of the present frame, or of the one that its `nonlocal` or `global` names."""
        frame = self.state.frame
        if name in frame.nonlocals:
            outer = frame.closure
            while outer is not None and name not in outer.locals:
                outer = outer.closure
            if outer is not None:
                self._set_local(outer, name, value)
                return
        if name in frame.globals:
            self._globals[frame.module.name, name] = value
            return
        self._set_local(frame, name, value)

    def _set_local(self, frame: Frame, name: str, value: Value) -> None:
        held = frame.locals.get(name)
        if isinstance(held, Cell):
            self.state.store(held.reference, Instance(None, {name: value}))
        else:
            frame.locals[name] = value

    def _unpack(self, targets: list[ast.expr], value: Value, node: ast.expr) -> None:
        known = operations.elements_of(self, value, node)
        if known is not None and all(guard == TRUE for guard, _ in known):
            stars = [i for i, t in enumerate(targets) if isinstance(t, ast.Starred)]
            if not stars and len(known) == len(targets):
                for target, (_, element) in zip(targets, known, strict=True):
                    self.assign(target, element)
                return
            if len(stars) == 1 and len(known) >= len(targets) - 1:
                after = len(targets) - stars[0] - 1
                middle = known[stars[0] : len(known) - after]
                parts: list[Value] = [v for _, v in known[: stars[0]]]
                parts.append(self.state.allocate(Items("list", tuple(middle))))
                parts.extend(v for _, v in known[len(known) - after :] if after)
                for target, part in zip(targets, parts, strict=True):
                    self.assign(target, part)
                return
        for index, target in enumerate(targets):
            self.assign(target, attributes.item(self, value, Literal(index), node))

    def set_attribute(self, owner: Value, name: str, value: Value, node: ast.AST) -> None:
        """`owner.name = value`."""
        if isinstance(owner, Choice):
            operations.branched(self, owner, lambda one: self._attribute_set(one, name, value, node))
            return
        if isinstance(owner, Structured):
            self.record.set_part(self, owner, name, value, node)
            return
        if isinstance(owner, Ref):
            content = self.state.content(owner)
            if isinstance(content, Instance):
                if isinstance(value, Expression):
                    value = self.named(value, name, node)
                self.state.store(owner, content.with_attribute(name, value))
                return
        self.described.attribute_set(self, owner, name, value, node)

    def _attribute_set(self, owner: Value, name: str, value: Value, node: ast.AST) -> Value:
        self.set_attribute(owner, name, value, node)
        return NONE

    def _item_set(self, owner: Value, index: Value, value: Value, node: ast.AST) -> Value:
        self.set_item(owner, index, value, node)
        return NONE

    def set_item(self, owner: Value, index: Value, value: Value, node: ast.AST) -> None:
        """`owner[index] = value`."""
        if isinstance(owner, Choice):
            operations.branched(self, owner, lambda one: self._item_set(one, index, value, node))
            return
        if isinstance(owner, Ref):
            content = self.state.content(owner)
            key = operations.as_key(self, index)
            if isinstance(content, Entries) and not isinstance(key, Expression):
                self.state.store(owner, Entries({**content.entries, key: (TRUE, value)}))
                return
            if isinstance(content, Entries) and isinstance(key, Expression) and not content.entries:
                self.state.store(owner, Entries({}, (key, value)))
                return
            if isinstance(content, Items) and isinstance(key, int) and content.is_certain:
                if -len(content.elements) <= key < len(content.elements):
                    elements = list(content.elements)
                    elements[key] = (TRUE, value)
                    self.state.store(owner, Items(content.kind, tuple(elements)))
                    return
            self.state.store(owner, Lost(self.site(node), "an item set by a key that is not known"))
            return
        if isinstance(owner, Expression) and isinstance(node, ast.Subscript):
            key = operations.as_expression(self, index, node)
            held = operations.as_expression(self, value, node)
            containers.mutated(self, owner, Call("merge", (owner, Mapping((key,), (held,)))), node.value)
            return
        self.described.item_set(self, owner, index, value, node)

    def _augmented(self, node: ast.AugAssign) -> None:
        load = ast.copy_location(_loaded(node.target), node.target)
        left = expressions.evaluate(self, load)
        right = expressions.evaluate(self, node.value)
        if self.state.dead:
            return
        if isinstance(left, Ref) and isinstance(node.op, ast.Add | ast.BitOr):
            from constraints.sglang.extraction.containers import extended

            if extended(self, left, right, node):
                return
        made = operators.binary(self, expressions.OPERATORS[type(node.op)], left, right, node)
        self.refuse_faults(made, node.value)
        if not self.state.dead:
            self.assign(node.target, made)

    # Names and modules.

    def lookup(self, name: str, node: ast.AST) -> Value:
        """What a name means here: local, enclosing, global or builtin."""
        frame: Frame | None = self.state.frame
        first = frame
        while frame is not None:
            if name in frame.locals and (frame is first or name not in (first.globals if first else ())):
                held = frame.locals[name]
                if isinstance(held, Cell):
                    content = self.state.content(held.reference)
                    return content.attributes[name] if isinstance(content, Instance) else held
                return held
            frame = frame.closure
        found = self.lookup_global(self.state.frame.module, name, node)
        if found is not None:
            return found
        return External(name)

    def lookup_global(self, module: Module, name: str, node: ast.AST) -> Value | None:
        """A name at the top of a module: computed when first asked for, then kept."""
        key = (module.name, name)
        if key in self._globals:
            return self._globals[key]
        described = self.described.module_name(self, module.name, name)
        if described is not None:
            self._globals[key] = described
            return described
        if key in self._evaluating:
            return self.unknown(node, f"{name} is defined through itself")
        statements = module.bindings.get(name)
        if not statements:
            for star in module.stars:
                other = self.source.module(star)
                found = self.lookup_global(other, name, node) if other else None
                if found is not None:
                    return found
            return self._lazy_attribute(module, name, node)
        self._evaluating.add(key)
        try:
            value = self._bound(module, name, statements)
        finally:
            self._evaluating.discard(key)
        if value is not None:
            self._globals[key] = value
        return value

    def _lazy_attribute(self, module: Module, name: str, node: ast.AST) -> Value | None:
        """What a module's own `__getattr__` gives, where it only looks names up in a table."""
        if "__getattr__" not in module.bindings or name.startswith("__"):
            return None
        for statements in module.bindings.values():
            for statement in statements:
                if isinstance(statement, ast.Assign | ast.AnnAssign) and isinstance(
                    statement.value, ast.Dict
                ):
                    for key, value in zip(statement.value.keys, statement.value.values, strict=True):
                        if isinstance(key, ast.Constant) and key.value == name:
                            path = value.value if isinstance(value, ast.Constant) else None
                            if isinstance(value, ast.Tuple) and value.elts:
                                head = value.elts[0]
                                path = head.value if isinstance(head, ast.Constant) else None
                            if isinstance(path, str):
                                target = path if not path.startswith(".") else module.name + path
                                other = self.source.module(target)
                                if other is not None:
                                    return self.lookup_global(other, name, node)
        return None

    def _bound(self, module: Module, name: str, statements: list[ast.stmt]) -> Value | None:
        last = statements[-1]
        if len(statements) == 1 or all(isinstance(s, ast.FunctionDef | ast.ClassDef) for s in statements):
            if isinstance(last, ast.FunctionDef):
                return Function(last, module)
            if isinstance(last, ast.ClassDef):
                return Class(last, module)
        classes = [s for s in statements if isinstance(s, ast.ClassDef)]
        if classes:
            return Class(classes[0], module)  # a class rebound after its statement is still that class
        imported = module.imported(last, name)
        if imported is not None and len(statements) == 1:
            return self.imported(imported.module, imported.name)
        with self._at_module(module):
            frame = self.state.frame
            for statement in statements:
                self.execute_one(statement)
            self.state.dead = ""
            value = frame.locals.get(name)
            if isinstance(value, Ref) and self._is_empty(value) and module.fills(name):
                # Who registers what while modules are imported is not followed.
                self.state.store(value, Lost(self.site(last), f"{name} is filled while modules are imported"))
            return value

    def _is_empty(self, reference: Ref) -> bool:
        match self.state.content(reference):
            case Items(elements=held) | Entries(entries=held):
                return not held
        return False

    @contextmanager
    def _at_module(self, module: Module) -> Iterator[None]:
        """Runs top-level statements apart from the path that first asked for the name."""
        state = self.state
        saved_guard, saved_dead, saved_attempts = state.guard, state.dead, state.attempts
        saved_naming = self.naming
        state.guard, state.dead, state.attempts = [], "", []
        self.naming = False
        state.frames.append(Frame(module))
        try:
            yield
        finally:
            state.frames.pop()
            state.guard, state.dead, state.attempts = saved_guard, saved_dead, saved_attempts
            self.naming = saved_naming

    def imported(self, module_name: str, name: str) -> Value | None:
        """What `import module` or `from module import name` binds."""
        described = self.described.module_name(self, module_name, name) if name else None
        if described is not None:
            return described
        if not self.source.is_own(module_name):
            return External(f"{module_name}.{name}" if name else module_name)
        module = self.source.module(module_name)
        if module is None:
            return None
        if not name:
            return ModuleValue(module)
        found = self.lookup_global(module, name, module.tree)
        if found is not None:
            return found
        submodule = self.source.module(f"{module_name}.{name}")
        return ModuleValue(submodule) if submodule is not None else None

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        module = self.state.frame.module
        for alias in node.names:
            if isinstance(node, ast.Import):
                bound = alias.asname or alias.name.split(".")[0]
                value = self.imported(alias.name if alias.asname else bound, "")
            else:
                bound = alias.asname or alias.name
                value = self.imported(module.absolute(node), alias.name)
            if value is None:
                if attempts.would_catch(self, "ImportError"):
                    attempts.raised(self, "ImportError", node)
                    return
                value = self.unknown(node, f"import of {bound}")
            missing = self.described.missing_package(value)
            if missing == TRUE:
                attempts.raised(self, "ImportError", node)
                return
            if missing != FALSE:
                attempts.raises_when(self, missing, "ImportError", node)
            self.bind(bound, value)

    # Calls.

    def call(
        self,
        function: Value,
        arguments: list[Value],
        keywords: MappingType[str, tuple[Expression, Value]],
        node: ast.AST,
    ) -> Value:
        """Calls a value. Keywords carry the condition under which they are given at all."""
        return calls.call(self, function, arguments, keywords, node)

    def bound(self, receiver: Value, function: Function, node: ast.AST) -> Value:
        """A method read from an object: bound, or called at once where it is a property."""
        decorators = {_decorator_name(d) for d in function.node.decorator_list} if isinstance(
            function.node, ast.FunctionDef
        ) else set()  # fmt: skip
        if "staticmethod" in decorators:
            return function
        method = Method(receiver, function)
        if decorators & {"property", "cached_property", "functools.cached_property"}:
            return self.call(method, [], {}, node)
        return method

    def is_alive(self) -> bool:
        """Whether the present point can be reached."""
        return not self.state.dead and FALSE not in self.state.guard

    def join_returns(self, frame: Frame) -> Value:
        """After a call: the heap merged over its returns, and the value returned."""
        from constraints.sglang.extraction.state import returned_value

        rest = self.state.snapshot() if not self.state.dead else None
        if rest is not None:
            frame.returns.append(self.state.leave(frame.base, NONE))
        if not frame.returns:
            return NONE
        value = returned_value(frame.returns, NONE)
        if len(frame.returns) > 1:
            snapshot = joined(frame.returns[:-1], frame.returns[-1].snapshot)
        else:
            snapshot = frame.returns[0].snapshot
        self.state.heap = self.state.heap | snapshot.heap
        return value


def _last_comparison(test: ast.expr) -> ast.expr | None:
    """The comparison on whose line CPython reports that an assertion failed: the last one it compiled."""
    match test:
        case ast.BoolOp(values=values):
            found = [c for value in values if (c := _last_comparison(value)) is not None]
            return found[-1] if found else None
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _last_comparison(operand)
        case ast.Compare():
            return test
    return None


def _decorator_name(node: ast.expr) -> str:
    return ast.unparse(node.func if isinstance(node, ast.Call) else node)


def _loaded(target: ast.expr) -> ast.expr:
    match target:
        case ast.Name(id=name):
            return ast.Name(id=name, ctx=ast.Load())
        case ast.Attribute(value=value, attr=attr):
            return ast.Attribute(value=value, attr=attr, ctx=ast.Load())
        case ast.Subscript(value=value, slice=index):
            return ast.Subscript(value=value, slice=index, ctx=ast.Load())
    return target
