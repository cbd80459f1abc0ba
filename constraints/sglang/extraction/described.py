"""The helpers of the engine that the executor does not enter, each described once.

A row says what the helper means here and, in its comment, what that assumes. Everything that is not in
these tables is executed from its source, or becomes an unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from constraints.catalog import Fact
from constraints.expression.simplify import (
    comparison,
    conditional,
)
from constraints.expression.syntax import (
    FALSE,
    NONE,
    TRUE,
    Call,
    Collection,
    Expression,
    Item,
    Literal,
    Name,
)
from constraints.sglang.extraction import operations
from constraints.sglang.extraction.described_environment import (
    environ_get,
    environ_setdefault,
    environment_call,
    set_environ,
)
from constraints.sglang.extraction.described_machine import (
    ASSIGNED_PROBES,
    EXTERNAL_FACTS,
    EXTERNAL_VALUES,
    PROBE_FACTS,
    PROBE_MODULES,
    capability,
    missing_package,
    probe,
)
from constraints.sglang.extraction.described_model import (
    get_config,
    get_hf_text_config,
    model_config_of,
    parser_schema,
)
from constraints.sglang.extraction.described_record import (
    collect_overrides,
    declare_resolution,
    record_foreign_defaults,
    record_of,
    resolution_result,
    resolved_view,
    resolving_view,
    run_hook,
    run_post_process_pass,
)
from constraints.sglang.extraction.overrides import declare_collected
from constraints.sglang.extraction.registries import classes_named, registered_calls
from constraints.sglang.extraction.values import (
    Entries,
    External,
    Facts,
    Function,
    Helper,
    Instance,
    Keywords,
    Method,
    Value,
    Variable,
)

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor


# Tables that only plug-ins fill; no plug-in is described.
_OF_PLUG_INS = frozenset({
    ("sglang.srt.configs.model_config", "_MODEL_CONFIG_FACTORIES"),
    ("sglang.srt.speculative.spec_registry", "_REGISTRY"),
})  # fmt: skip


class Described:
    """The tables, and the little state that goes with one execution.

    Attributes:
        facts: the environment variables that the engine declares, by `env.NAME`.
        reached: every `raise` and `assert` met, by site, with how often.
    """

    def __init__(self, environment: Mapping[str, Fact]) -> None:
        self.environment = environment
        self.reached: dict[str, int] = {}
        self.model_configs: list[tuple[tuple[Expression, ...], Value]] = []
        self.building_model_config = False

    # What the executor asks.

    def call(
        self, x: Executor, function: Value, arguments: list[Value], keywords: Keywords, node: ast.AST
    ) -> Value | None:
        """The value of a described call; None where the call is not described."""
        match function:
            case Function(node=ast.FunctionDef(name=name), module=module):
                helper = HELPERS.get(name)
                if helper is not None:
                    return helper(x, arguments, keywords, node)
                if module.name in PROBE_MODULES:
                    return probe(name, function, arguments)
            case Method(receiver=Variable(name=variable), function=str() as name):
                return environment_call(x, variable, name, arguments, node)
            case Method(receiver=Facts(path=path), function=str() as name):
                return _fact_method(x, path, name, arguments, node)
            case External(path=path):
                if path in EXTERNAL_FACTS:
                    return Name(EXTERNAL_FACTS[path])
                external = _EXTERNAL_CALLS.get(path)
                if external is not None:
                    return external(x, arguments, keywords, node)
        return None

    def module_name(self, x: Executor, module: str, name: str) -> Value | None:
        """What a described name of a module is."""
        if name == "envs" and module.endswith(("environ", "server_args", "overrides")):
            return Facts("env")
        if name == "current_platform":
            return Facts("platform")
        if name == "logger":
            return External("logger")
        if name == "POINTER_ADAPTER_BASES":
            return x.state.allocate(Entries({}))  # the config.json at hand is the one that is loaded
        if (module, name) in _OF_PLUG_INS:
            return x.state.allocate(Entries({}))
        if name == "_LINEAR_ATTN_MODEL_REGISTRY":
            return registered_calls(x, "sglang.srt.configs", "register_linear_attn_model")
        if module in PROBE_MODULES and name in ASSIGNED_PROBES:
            return External(f"probe.{PROBE_FACTS.get(name, name)}")
        return None

    def syntax_call(self, x: Executor, node: ast.Call) -> Value | None:
        """Calls recognised before their arguments are evaluated: the logger, whose texts do not matter."""
        function = node.func
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            if function.value.id == "logger":
                if function.attr in ("warning", "error", "warn", "warning_once"):
                    x.log.notice(tuple(x.state.guard), x.site(node), x.state.frame.name)
                return NONE
        if isinstance(function, ast.Name) and function.id in _IGNORED_FUNCTIONS:
            return NONE
        return None

    def is_ignored(self, x: Executor, function: Value) -> bool:
        return False

    def missing_package(self, value: Value) -> Expression:
        """When an import fails: a package for another kind of machine is absent, an extra may be."""
        return missing_package(value.path.split(".")[0]) if isinstance(value, External) else FALSE

    def known_elements(
        self, x: Executor, iterable: Expression, node: ast.AST
    ) -> list[tuple[Expression, Value]] | None:
        """Elements of data whose keys the engine's own parser limits: `(key, value)` by `.items()`."""
        if isinstance(iterable, Call) and iterable.function in ("items", "keys") and iterable.arguments:
            keys = parser_schema(x, iterable.arguments[0])
            if keys is not None:
                held = iterable.arguments[0]
                rows: list[tuple[Expression, Value]] = []
                for key in keys:
                    element = Item(held, Literal(key))
                    pair = Collection("tuple", (Literal(key), element))
                    there = comparison("in", Literal(key), held)
                    rows.append((there, pair if iterable.function == "items" else Literal(key)))
                return rows
        return None

    def path_exists(self, x: Executor, path: Expression, node: ast.AST) -> Expression:
        """Whether a file is there. Beside a model's config.json nothing is taken to be; else nobody knows."""
        path = x.log.meaning(path)
        of_model = any(isinstance(n, Name) and n.path.startswith("model_path@") for n in path.distinct())
        if of_model:
            return FALSE if isinstance(path, Call) and path.function == "join_path" else TRUE
        return x.unknown(node, "reads a file (whether it exists)")

    def attribute_set(self, x: Executor, owner: Value, name: str, value: Value, node: ast.AST) -> None:
        """An attribute set on something that is not an object here."""
        if isinstance(owner, Name | Facts):
            path = owner.path
            x.log.set(
                tuple(x.state.guard),
                x.site(node),
                x.state.frame.name,
                f"{path}.{name}",
                operations.as_expression(x, value, node),
            )

    def item_set(self, x: Executor, owner: Value, index: Value, value: Value, node: ast.AST) -> None:
        """`os.environ[NAME] = value`, or an item of data nobody tracks."""
        if owner == External("os.environ") and isinstance(index, Literal):
            set_environ(x, str(index.value), operations.as_expression(x, value, node), node)

    def note_guarded_star(
        self, x: Executor, arguments: list[Value], known: list[tuple[Expression, Value]]
    ) -> None:
        """`f(*maybe)`: all are passed, which only matters to texts."""

    def call_with_unknown_keywords(
        self, x: Executor, function: Value, arguments: list[Value], keywords: Keywords, node: ast.AST
    ) -> Value:
        """A call with `**` of a dict that is not known: a declaration may then write any field."""
        if isinstance(function, Function) and function.name == "declare_resolution":
            x.record.lose(x, list(x.record.flags), node, "declared through a dict that is not known")
            return NONE
        return x.unknown(node, "a call with ** of a dict that is not known")

    def external_value(self, path: str) -> Value | None:
        """A fact that a library holds as a value: torch's CUDA version."""
        return Name(EXTERNAL_VALUES[path]) if path in EXTERNAL_VALUES else None

    def pipeline_depth(self, x: Executor) -> int:
        """How much of the guard is the pipeline's own, rather than that of a step it runs."""
        for frame, inner in zip(x.state.frames, x.state.frames[1:], strict=False):
            if frame.name == "run_resolution_pipeline":
                return inner.base
        return x.state.frames[1].base if len(x.state.frames) > 1 else len(x.state.guard)

    def site_reached(self, x: Executor, node: ast.AST) -> None:
        site = x.site(node)
        self.reached[site] = self.reached.get(site, 0) + 1


_IGNORED_FUNCTIONS = frozenset(
    {
        "print_warning_once",
        "print_info_once",
        "log_info_on_rank0",
        "print_deprecated_warning",
        "warn_once",
        "validate_declarations",
    }
)


def _fact_method(x: Executor, path: str, name: str, arguments: list[Value], node: ast.AST) -> Value | None:
    if path == "platform":
        if name == "is_out_of_tree":
            return FALSE  # a plug-in platform is not described
        return Name(f"gpu.{name}") if name.startswith("is_") else x.unknown(node, f"the platform's {name}")
    if path == "stash":
        if name == "extend":
            declare_collected(x, arguments[0], node)
        return NONE
    if path == "given":
        if name == "get" and isinstance(arguments[0], Literal):
            return x.record.raw(str(arguments[0].value))
        return x.unknown(node, f"{name} of what was given")
    if name == "get_text_config":
        return (
            x.state.allocate(Instance(None, {}, "model.text_config"))
            if path == "model.config"
            else Name(path)
        )
    if name == "to_dict":
        return Name(path)
    if name == "get":
        return Call("get", (Name(path), *(operations.as_expression(x, a, node) for a in arguments)))
    return None


# Environment variables.


# The record and its views.


# The model.


def _none(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    return NONE


def _fact(path: str) -> Helper:
    def read(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
        return Name(path)

    return read


def _expert_pack_files(
    x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value | None:
    """Reads the files of an expert pack, and may refuse them: reached, it leaves a rule undecided."""
    unknown = x.unknown(node, "reads a file (an expert pack's)")
    x.log.refuse((*x.state.guard, unknown), x.site(node), x.state.frame.name, TRUE, "")
    return unknown


def _connector_type(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """The scheme of a URL, `s3` of `s3://bucket`; empty for a plain path. Other schemes are all one."""
    url = operations.as_expression(x, arguments[0], node)
    kind: Expression = conditional(comparison("in", Literal("://"), url), Literal("https"), Literal(""))
    for scheme in ("az", "s3", "redis", "instance"):
        kind = conditional(Call("startswith", (url, Literal(f"{scheme}://"))), Literal(scheme), kind)
    return kind


# A LoRA adapter's identity is a digest of its name and path: two of these are equal where both are.
def _identity(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    return Collection("tuple", tuple(operations.as_expression(x, a, node) for a in arguments))


HELPERS: dict[str, Helper] = {
    "resolving_view": resolving_view,
    "resolved_view": resolved_view,
    "record_of": record_of,
    "declare_resolution": declare_resolution,
    "validate_declarations": _none,
    "resolution_result": resolution_result,
    "run_post_process_pass": run_post_process_pass,
    "record_foreign_defaults": record_foreign_defaults,
    "run_hook": run_hook,
    "prepare_raw_deepseek_server_args": _expert_pack_files,
    "deterministic_id": _identity,
    "collect_model_override_declarations": collect_overrides,
    "model_config_of": model_config_of,
    "parse_connector_type": _connector_type,
    "get_config": get_config,
    "get_hf_text_config": get_hf_text_config,
    "get_generation_config": _none,
    "import_algorithms": lambda x, a, k, n: classes_named(x, "sglang.srt.dllm.algorithm", "Algorithm"),
    "get_platform": lambda x, a, k, n: Facts("gpu"),
    "use_mlx": _fact("gpu.use_mlx"),
    # A checkpoint is taken to be what its config.json says: files beside it are not looked at.
    "check_gguf_file": lambda x, a, k, n: Call(
        "endswith", (operations.as_expression(x, a[0], n), Literal(".gguf"))
    ),
    "resolve_hf_gguf_reference": _none,
    "is_mistral_native_format": _fact("model.is_mistral_native_format"),
    "has_fp8_weights_in_checkpoint": _fact("model.has_fp8_weights"),
    "try_detect_fp4_experts": _none,
    "load_decision_config": _none,
    "load_joint_head_config": _none,
    "load_pointer_head": _none,
    "load_pointer_adapter": _none,
}


_EXTERNAL_CALLS: dict[str, Helper] = {
    "torch.cuda.get_device_capability": capability,
    "os.environ.get": environ_get,
    "os.getenv": environ_get,
    "os.environ.setdefault": environ_setdefault,
    "os.path.isdir": lambda x, a, k, n: TRUE if a[0] == Literal("/sys/class/infiniband") else None,
    "os.listdir": lambda x, a, k, n: (
        Name("host.infiniband_devices") if a[0] == Literal("/sys/class/infiniband") else None
    ),
}
