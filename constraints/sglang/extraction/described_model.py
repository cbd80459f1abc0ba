"""The model's configuration as the engine asks for it, and data whose keys its parser limits."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from constraints.expression.simplify import (
    conjunction,
    has_unknown,
    negation,
)
from constraints.expression.syntax import (
    NONE,
    TRUE,
    Expression,
    Item,
    Literal,
    Name,
)
from constraints.sglang.extraction import attributes, operations
from constraints.sglang.extraction.values import (
    Class,
    Entries,
    Facts,
    Instance,
    Keywords,
    Ref,
    Value,
)

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor


def model_config_of(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """The model's configuration: built where a path first asks for it, then the same object for all.

    Which path asks first, and so where the checks of the configuration stand among the others, depends on
    flags. The first few askers with a condition of their own build it under that condition; after them,
    the first path that depends on nothing but the model builds it for all the rest.
    """
    described = x.described
    if described.building_model_config:
        return Facts("model")
    depth = described.pipeline_depth(x)
    own = tuple(x.state.guard[depth:])
    built = described.model_configs
    for condition, made in built:
        if condition == own[: len(condition)]:
            return made
    if any(map(has_unknown, own)) and not built:
        return Facts("model")
    if built and (
        _reads_only_the_model(built[-1][0])
        or not (_reads_only_the_model(own) or len(built) < _CONDITIONAL_BUILDS)
    ):
        return built[-1][1]
    module = x.source.module("sglang.srt.configs.model_config")
    owner = x.lookup_global(module, "ModelConfig", node) if module is not None else None
    if not isinstance(owner, Class):
        return Facts("model")
    described.building_model_config = True
    saved, attempts = x.state.guard, x.state.attempts
    before = [negation(conjunction(condition)) for condition, _ in described.model_configs]
    x.state.guard, x.state.attempts = [*saved, *before], []
    factory = attributes.attribute(x, owner, "from_server_args", node)
    made = x.call(factory, [x.record.self_reference or NONE], {}, node)
    x.state.guard, x.state.attempts = saved, attempts
    described.building_model_config = False
    described.model_configs.append((own, made))
    return made


_CONDITIONAL_BUILDS = 2


def _reads_only_the_model(tests: tuple[Expression, ...]) -> bool:
    names = {n.path for test in tests for n in test.distinct() if isinstance(n, Name)}
    return all(name.startswith("model_path@") for name in names) and not any(map(has_unknown, tests))


def get_config(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """The config.json behind a path: the draft model's where the path is that of the draft model."""
    path = arguments[0] if arguments else keywords.get("model", (TRUE, NONE))[1]
    plain = x.log.meaning(path) if isinstance(path, Expression) else NONE
    reads = {n.path.partition("@")[0] for n in plain.distinct() if isinstance(n, Name)}
    role = "draft_model" if "speculative_draft_model_path" in reads else "model"
    return x.state.allocate(Instance(None, {}, f"{role}.config"))


def get_hf_text_config(
    x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value | None:
    """The part of a configuration that is about text."""
    config = arguments[0]
    if isinstance(config, Ref):
        content = x.state.content(config)
        if isinstance(content, Instance) and content.facts.startswith("draft_model"):
            return x.state.allocate(Instance(None, {}, "draft_model.text_config"))
    return x.state.allocate(Instance(None, {}, "model.text_config"))


def parser_schema(x: Executor, value: Expression) -> tuple[str, ...] | None:
    """The keys that the parser of `--cuda-graph-config` lets through, at either level."""
    module = x.source.module("sglang.srt.model_executor.cuda_graph_config")
    if module is None:
        return None
    path: Expression = value
    keys: list[object] = []
    from constraints.expression.syntax import Or

    while isinstance(path, Item) and isinstance(path.index, Literal):
        keys.insert(0, path.index.value)
        path = path.value
    if isinstance(path, Or):
        path = path.operands[0]
    if not (isinstance(path, Name) and path.path.startswith("cuda_graph_config@")):
        return None
    allowed = x.lookup_global(module, "ALLOWED_KEYS_PER_PHASE", module.tree)
    if not isinstance(allowed, Ref):
        return None
    content = x.state.content(allowed)
    if not isinstance(content, Entries):
        return None
    if not keys:
        return tuple(str(k) for k in content.entries)
    if len(keys) == 1 and keys[0] in content.entries:
        rows = operations.elements_of(x, content.entries[keys[0]][1], module.tree)
        return tuple(str(v.value) for _, v in rows or [] if isinstance(v, Literal))
    return None
