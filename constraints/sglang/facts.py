"""All facts at one place: the machine's, the model's, the environment's, and those said one by one.

Nothing here computes a fact; `machines`, `model_facts` and `environment` do. A fact that none of them knows
is unknown.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from constraints.errors import FactError
from constraints.expression.values import UNKNOWN
from constraints.sglang.environment import PREFIXES, Environment, environment_of, unknown_of
from constraints.sglang.flags_of_facts import MODEL_OVERRIDES, model_overrides
from constraints.sglang.machines import cpu_memory_mib, find_machine, machine_facts
from constraints.sglang.model_facts import ModelFacts, architecture_facts, model_facts
from constraints.vocabulary import Fact

Value: TypeAlias = Any

_CPU_ENGINE = "SGLANG_USE_CPU_ENGINE"


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known about the world. Equal ones give equal values, and have the same `key`.

    Attributes:
        declared: the catalog's facts.
        known: facts of the machine, and those that were given one by one.
        models: what is known of models, by the role that each plays: `model`, `draft_model`.
        variables: the environment variables that are set.
        unknown_variables: those of which nobody knows what they are set to, or whether.
    """

    declared: Mapping[str, Fact]
    known: Mapping[str, Value]
    models: Mapping[str, ModelFacts]
    variables: Mapping[str, str]
    unknown_variables: frozenset[str]
    _environment: Environment = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        environment = Environment(self.variables, self.declared, self.get, self.unknown_variables)
        object.__setattr__(self, "_environment", environment)

    def get(self, path: str) -> Value:
        """The value of a fact by its dotted path, MISSING if it is known not to exist, else UNKNOWN."""
        if path in self.known:
            return self.known[path]
        if path.startswith(PREFIXES):
            return self._environment.get(path)
        source = path.partition(".")[0]
        if source in self.models:
            return self.models[source].get(path)
        fact = self.declared.get(path)
        return fact.default if fact is not None and fact.has_default else UNKNOWN

    def key(self) -> str:
        """A text that is the same for equal facts, for caches. The catalog is not part of it."""
        models = {role: model.key() for role, model in self.models.items()}
        variables = [dict(self.variables), sorted(self.unknown_variables)]
        return json.dumps([dict(self.known), variables, models], sort_keys=True, default=repr)

    def __hash__(self) -> int:
        return hash(self.key())


def gather_facts(
    catalog_facts: Mapping[str, Fact],
    *,
    machine: str | None = None,
    machine_count: int | None = None,
    model_config: Mapping[str, Value] | os.PathLike[str] | str | None = None,
    model_architecture: str | None = None,
    draft_model_config: Mapping[str, Value] | os.PathLike[str] | str | None = None,
    environment: Mapping[str, str] | None = None,
    unknown_environment: Collection[str] = (),
    flags: Mapping[str, Value] | None = None,
    known: Mapping[str, Value] | None = None,
) -> Facts:
    """Everything that a caller knows, ready to be asked.

    Args:
        catalog_facts: the facts that the catalog's rules read, with the defaults of environment variables.
        machine: a preset or a device's name, as for `machines.find_machine`.
        machine_count: devices in one host.
        model_config: a config.json's content, the file, or its folder.
        model_architecture: the model's architecture, where there is no config.json.
        draft_model_config: the same of the model that drafts for it.
        environment: the variables that are set.
        unknown_environment: variables of which nobody knows what they are set to, or whether.
        flags: the values of those of `FLAGS_OF_FACTS` that the command gives.
        known: facts by path; they go before all others. `host.memory_bytes` and `host.numa_nodes` together
            give the CPU engine's `gpu.memory_mib`.

    Raises:
        FactError: for an unknown machine, a file that is no model's configuration, a fact of the wrong type.
    """
    variables = dict(environment_of(environment or {}))
    unknown = unknown_of(unknown_environment)
    facts: dict[str, Value] = {}
    if machine is not None:
        if find_machine(machine).kind == "cpu" and _CPU_ENGINE not in unknown:
            variables.setdefault(_CPU_ENGINE, "1")
        facts.update(
            machine_facts(machine, count=machine_count, environment=variables, unknown_environment=unknown)
        )
    facts.update(known or {})
    if facts.get("gpu.is_cpu") and {"host.memory_bytes", "host.numa_nodes"} <= facts.keys():
        memory = cpu_memory_mib(facts["host.memory_bytes"], facts["host.numa_nodes"])
        facts.setdefault("gpu.memory_mib", memory)
    for path, value in facts.items():
        _check_type(catalog_facts.get(path), value)
    models: dict[str, ModelFacts] = {}
    if model_config is not None:
        models["model"] = model_facts(model_config)
    elif model_architecture is not None:
        models["model"] = architecture_facts(model_architecture)
    if draft_model_config is not None:
        models["draft_model"] = model_facts(draft_model_config, option="draft_model_config")
    overrides = model_overrides((flags or {}).get(MODEL_OVERRIDES, "{}"))
    if overrides != {}:
        models = {role: replace(model, overrides=overrides) for role, model in models.items()}
    return Facts(catalog_facts, facts, models, variables, unknown)


_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "bool": bool,
    "int": int,
    "float": (int, float),
    "str": str,
    "list": list,
    "tuple": tuple,
    "dict": dict,
}


def _check_type(fact: Fact | None, value: Value) -> None:
    """A fact of the wrong type is worse than a missing one: rules would read it the wrong way."""
    if fact is None or value is None:
        return
    wanted = _TYPES.get(fact.type.partition("[")[0])
    if wanted is None:
        return
    if not isinstance(value, wanted) or (isinstance(value, bool) and fact.type != "bool"):
        raise FactError(fact.name, value, f"is no {fact.type}")
