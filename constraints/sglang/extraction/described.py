"""The helpers of the engine that the executor does not enter, each described once.

A row says what the helper means here and, in its comment, what that assumes. Everything that is not in
these tables is executed from its source, or becomes an unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from constraints.catalog import Fact
from constraints.expression.simplify import (
    comparison,
    conditional,
    conjunction,
    constant,
    disjunction,
    has_unknown,
    negation,
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
from constraints.sglang.extraction.facts import given_or
from constraints.sglang.extraction.overrides import collected_overrides, declare_collected
from constraints.sglang.extraction.record import with_fallback
from constraints.sglang.extraction.registries import classes_named, registered_calls
from constraints.sglang.extraction.values import (
    Choice,
    Class,
    Entries,
    External,
    Facts,
    Function,
    Instance,
    Items,
    Method,
    Ref,
    Value,
    Variable,
    View,
)

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor

Keywords = Mapping[str, tuple[Expression, Value]]
Helper = Callable[["Executor", list[Value], Keywords, ast.AST], Value | None]

# Probes of the machine: functions that take nothing and answer from the driver. They are facts.
_PROBE_MODULES = (
    "sglang.srt.utils.common",
    "sglang.srt.utils",
    "sglang.srt.utils.device",
    "sglang.srt.platforms",
)
_PROBE_FACTS = {
    "is_sm90_supported": "is_sm90",
    "is_sm100_supported": "is_sm100",
    "is_sm120_supported": "is_sm120",
    "is_sm110_supported": "is_sm110",
    "is_sm100_or_sm110_supported": "is_sm100_or_sm110",
    "is_blackwell_supported": "is_blackwell",
    "cpu_has_amx_support": "has_amx",
    "is_flashinfer_available": "has_flashinfer",
    "get_device_sm": "device_sm",
    "get_device_capability": "device_capability",
    "get_device": "device",
    "get_device_memory_capacity": "memory_mib",
    "get_device_name": "name",
    "get_device_count": "count",
}
_MORE_PROBES = frozenset(
    {
        "xpu_has_xmx_support",
        "get_cuda_version",
        "get_hip_version",
        "get_nvidia_driver_version",
        "is_mnnvl_fabric_device",
        "is_habana_available",
        "is_confidential_compute",
        "is_nvidia_cublas_version_ge_12_9",
        "is_triton_kernels_available",
        "get_device_core_count",
    }
)
_EXTERNAL_FACTS = {
    "torch.cuda.device_count": "gpu.count",
    "torch.cuda.get_device_name": "gpu.name",
    "torch.cuda.is_available": "gpu.is_cuda_available",
    "os.cpu_count": "host.cpu_count",
    "torch.xpu.device_count": "gpu.count",
    "platform.machine": "host.machine",
    "platform.system": "host.system",
    "torch.get_default_dtype": "package.torch.default_dtype",
}
_EXTERNAL_VALUES = {
    "torch.version.cuda": "package.torch.cuda",
    "torch.version.hip": "package.torch.hip",
    "torch.__version__": "package.torch.version",
    "sys.platform": "host.platform",
}


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
                helper = _HELPERS.get(name)
                if helper is not None:
                    return helper(x, arguments, keywords, node)
                if module.name in _PROBE_MODULES:
                    return _probe(name, function, arguments)
            case Method(receiver=Variable(name=variable), function=str() as name):
                return _environment_call(x, variable, name, arguments, node)
            case Method(receiver=Facts(path=path), function=str() as name):
                return _fact_method(x, path, name, arguments, node)
            case External(path=path):
                if path in _EXTERNAL_FACTS:
                    return Name(_EXTERNAL_FACTS[path])
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
        if name == "_LINEAR_ATTN_MODEL_REGISTRY":
            return registered_calls(x, "sglang.srt.configs", "register_linear_attn_model")
        if (name in _PROBE_FACTS and module in _PROBE_MODULES) or (
            name.startswith("is_") and module in _PROBE_MODULES and name in _ASSIGNED_PROBES
        ):
            return External(f"probe.{_PROBE_FACTS.get(name, name)}") if name in _ASSIGNED_PROBES else None
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
        package = value.path.split(".")[0] if isinstance(value, External) else ""
        if package in _MISSING_PACKAGES:
            return TRUE
        kind = _PACKAGES_OF_KIND.get(package)
        return negation(Name(kind)) if kind else FALSE

    def known_elements(
        self, x: Executor, iterable: Expression, node: ast.AST
    ) -> list[tuple[Expression, Value]] | None:
        """Elements of data whose keys the engine's own parser limits: `(key, value)` by `.items()`."""
        if isinstance(iterable, Call) and iterable.function in ("items", "keys") and iterable.arguments:
            keys = _schema(x, iterable.arguments[0])
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
            _set_environ(x, str(index.value), operations.as_expression(x, value, node), node)

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
        return Name(_EXTERNAL_VALUES[path]) if path in _EXTERNAL_VALUES else None

    def pipeline_depth(self, x: Executor) -> int:
        """How much of the guard is the pipeline's own, rather than that of a step it runs."""
        for frame, inner in zip(x.state.frames, x.state.frames[1:], strict=False):
            if frame.name == "run_resolution_pipeline":
                return inner.base
        return x.state.frames[1].base if len(x.state.frames) > 1 else len(x.state.guard)

    def site_reached(self, x: Executor, node: ast.AST) -> None:
        site = x.site(node)
        self.reached[site] = self.reached.get(site, 0) + 1


def _probe(name: str, function: Function, arguments: list[Value]) -> Value | None:
    if name in _PROBE_FACTS:
        return Name(f"gpu.{_PROBE_FACTS[name]}")
    if name.endswith("_memory_capacity"):
        return Name("gpu.memory_mib")  # of the device at hand, whichever kind it is
    parameters = function.node.args
    required = len(parameters.args) - len(parameters.defaults) + len(parameters.kwonlyargs)
    if name in _MORE_PROBES or (name.startswith("is_") and required == 0 and not arguments):
        return Name(f"gpu.{name}")
    return None


# Probes bound by assignment (`is_x = lru_cache(partial(...))`) rather than by `def`.
_ASSIGNED_PROBES = frozenset(
    {
        "is_ampere_with_cuda_12_3",
        "is_hopper_with_cuda_12_3",
        "is_blackwell_supported",
        "is_blackwell",
        "is_sm120_supported",
        "is_sm100_supported",
        "is_sm100_or_sm110_supported",
        "is_sm110_supported",
        "is_sm80_supported",
        "is_sm90_supported",
    }
)
_PACKAGES_OF_KIND = {
    "aiter": "gpu.is_hip",
    "torch_npu": "gpu.is_npu",
    "sgl_kernel_npu": "gpu.is_npu",
    "granian": "package.granian.installed",
}
_MISSING_PACKAGES = frozenset({"mlx", "habana_frameworks"})
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


def _environment_call(
    x: Executor, variable: str, name: str, arguments: list[Value], node: ast.AST
) -> Value | None:
    state = f"env.{variable}"
    guards, at, function = tuple(x.state.guard), x.site(node), x.state.frame.name
    match name:
        case "get":
            return x.log.current(state)
        case "is_set":
            return x.log.current(f"env_set.{variable}")
        case "set":
            value = operations.as_expression(x, arguments[0], node)
            x.log.set(guards, at, function, state, value)
            x.log.set(guards, at, function, f"env_set.{variable}", TRUE)
            x.log.set(guards, at, function, f"environ.{variable}", Call("str", (value,)))
            return NONE
        case "clear":
            x.log.set(guards, at, function, f"env_set.{variable}", FALSE)
            return NONE
        case "name":
            return Literal(variable)
        case "default":
            fact = x.described.environment.get(state)
            return constant(fact.default) if fact is not None and fact.has_default else None
    return None


def _set_environ(x: Executor, name: str, value: Expression, node: ast.AST) -> None:
    guards, at, function = tuple(x.state.guard), x.site(node), x.state.frame.name
    x.log.set(guards, at, function, f"environ.{name}", value)
    fact = x.described.environment.get(f"env.{name}")
    if fact is not None:
        x.log.set(guards, at, function, f"env_set.{name}", TRUE)
        x.log.set(guards, at, function, f"env.{name}", _parsed(x, fact, value, node))


def _parsed(x: Executor, fact: Fact, value: Expression, node: ast.AST) -> Expression:
    if fact.type == "bool":
        return comparison("in", Call("lower", (value,)), constant(("true", "1", "yes", "y")))
    if fact.type == "int":
        return Call("int", (value,))
    if fact.type == "float":
        return Call("float", (value,))
    return value


def _environ_get(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    name = arguments[0]
    if isinstance(name, Choice):
        return operations.spread(
            x, name, lambda n: _environ_get(x, [n, *arguments[1:]], keywords, node) or NONE
        )
    if not isinstance(name, Literal):
        return x.unknown(node, "an environment variable whose name is not known")
    default = arguments[1] if len(arguments) > 1 else NONE
    if "default" in keywords:
        default = keywords["default"][1]
    return given_or(operations.as_expression(x, default, node), x.log.current(f"environ.{name.value}"))


def _environ_setdefault(
    x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value | None:
    if isinstance(arguments[0], Literal):
        name = str(arguments[0].value)
        before = x.log.current(f"environ.{name}")
        with x.under(comparison("is", before, NONE)):
            _set_environ(x, name, operations.as_expression(x, arguments[1], node), node)
        return x.log.current(f"environ.{name}")
    return None


# The record and its views.


def _resolving_view(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    return View(None)


def _resolved_view(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    return View(dict(x.log.versions))


def _record_of(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    return x.record.self_reference


def _declare_resolution(
    x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value | None:
    fields = {k: v for k, v in keywords.items() if k not in ("server_args", "source")}
    x.record.declare(x, fields, node)
    return NONE


def _resolution_result(
    x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value | None:
    name = arguments[1]
    if not isinstance(name, Literal) or name.value not in x.record.flags:
        return x.unknown(node, "the resolution of a field that is not known")
    field = str(name.value)
    value = x.record.read(x, field, None)
    return with_fallback(x.record.flags[field], value) if isinstance(value, Expression) else value


def _run_post_process_pass(
    x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value | None:
    function = arguments[1]
    declared = x.call(function, [View(dict(x.log.versions))], {}, node)
    if x.state.dead:
        return NONE
    from constraints.sglang.extraction.expressions import entries_of

    entries = entries_of(x, declared)
    name = function.name if isinstance(function, Function) else "a pass"
    if entries is None:
        x.record.lose(x, list(x.record.flags), node, f"what {name} returns is not known")
        return NONE
    at = x.site(node)
    if isinstance(function, Function):
        at = f"{function.module.relative}:{function.node.lineno}"
    x.record.declare(x, {str(k): v for k, v in entries.items()}, node, at, name)
    return NONE


def _record_foreign_defaults(
    x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value | None:
    return NONE  # only a plug-in platform writes through it


# The model.


def _model_config_of(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
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
    factory = operations.attribute(x, owner, "from_server_args", node)
    made = x.call(factory, [x.record.self_reference or NONE], {}, node)
    x.state.guard, x.state.attempts = saved, attempts
    described.building_model_config = False
    described.model_configs.append((own, made))
    return made


_CONDITIONAL_BUILDS = 2


def _reads_only_the_model(tests: tuple[Expression, ...]) -> bool:
    names = {n.path for test in tests for n in test.distinct() if isinstance(n, Name)}
    return all(name.startswith("model_path@") for name in names) and not any(map(has_unknown, tests))


def _get_config(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    path = arguments[0] if arguments else keywords.get("model", (TRUE, NONE))[1]
    plain = x.log.meaning(path) if isinstance(path, Expression) else NONE
    reads = {n.path.partition("@")[0] for n in plain.distinct() if isinstance(n, Name)}
    role = "draft_model" if "speculative_draft_model_path" in reads else "model"
    return x.state.allocate(Instance(None, {}, f"{role}.config"))


def _get_hf_text_config(
    x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value | None:
    config = arguments[0]
    if isinstance(config, Ref):
        content = x.state.content(config)
        if isinstance(content, Instance) and content.facts.startswith("draft_model"):
            return x.state.allocate(Instance(None, {}, "draft_model.text_config"))
    return x.state.allocate(Instance(None, {}, "model.text_config"))


def _none(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    return NONE


def _false(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    return FALSE


def _true(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    return TRUE


def _fact(path: str) -> Helper:
    def read(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
        return Name(path)

    return read


def _run_hook(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    return x.call(arguments[0], arguments[1:], {}, node)  # no plug-in replaces a step


def _schema(x: Executor, value: Expression) -> tuple[str, ...] | None:
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


def _collect_overrides(
    x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST
) -> Value | None:
    return collected_overrides(x, arguments, node)


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


_HELPERS: dict[str, Helper] = {
    "resolving_view": _resolving_view,
    "resolved_view": _resolved_view,
    "record_of": _record_of,
    "declare_resolution": _declare_resolution,
    "validate_declarations": _none,
    "resolution_result": _resolution_result,
    "run_post_process_pass": _run_post_process_pass,
    "record_foreign_defaults": _record_foreign_defaults,
    "run_hook": _run_hook,
    "prepare_raw_deepseek_server_args": _expert_pack_files,
    "deterministic_id": _identity,
    "collect_model_override_declarations": _collect_overrides,
    "model_config_of": _model_config_of,
    "parse_connector_type": _connector_type,
    "get_config": _get_config,
    "get_hf_text_config": _get_hf_text_config,
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


def _capability(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """Torch's own question fails where there is neither CUDA nor ROCm."""
    there = disjunction((Name("gpu.is_cuda"), Name("gpu.is_hip")))
    return conditional(there, Name("gpu.device_capability"), x.fault("no such device", node))


_EXTERNAL_CALLS: dict[str, Helper] = {
    "torch.cuda.get_device_capability": _capability,
    "os.environ.get": _environ_get,
    "os.getenv": _environ_get,
    "os.environ.setdefault": _environ_setdefault,
    "os.path.isdir": lambda x, a, k, n: TRUE if a[0] == Literal("/sys/class/infiniband") else None,
    "os.listdir": lambda x, a, k, n: (
        Name("host.infiniband_devices") if a[0] == Literal("/sys/class/infiniband") else None
    ),
}
for _probe_name in _ASSIGNED_PROBES:
    _EXTERNAL_FACTS[f"probe.{_PROBE_FACTS.get(_probe_name, _probe_name)}"] = (
        f"gpu.{_PROBE_FACTS.get(_probe_name, _probe_name)}"
    )
_EXTERNAL_FACTS["probe.is_blackwell"] = "gpu.is_blackwell"

_ = (conditional, conjunction, disjunction, Items, _true, _false, _EXTERNAL_VALUES)
