"""All facts at one place: the machine's, the model's, the environment's, and those said one by one.

Nothing here computes a fact; `machines`, `model_facts` and `environment` do. A fact that none of them knows
is unknown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from constraints.catalog import Fact
from constraints.errors import FactError
from constraints.expression.values import UNKNOWN
from constraints.sglang.environment import PREFIXES, Environment, environment_of
from constraints.sglang.machines import cpu_memory_mib, find_machine, machine_facts
from constraints.sglang.model_facts import ModelFacts, architecture_facts, model_facts

Value: TypeAlias = Any

_CPU_ENGINE = "SGLANG_USE_CPU_ENGINE"


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known about the world. Equal ones give equal values, and have the same `key`.

    Attributes:
        declared: the catalog's facts.
        known: facts of the machine, and those that were given one by one.
        model: the model's, if anything is known of it.
        variables: the environment variables that are set.
    """

    declared: Mapping[str, Fact]
    known: Mapping[str, Value]
    model: ModelFacts | None
    variables: Mapping[str, str]
    _environment: Environment = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_environment", Environment(self.variables, self.declared, self.get))

    def get(self, path: str) -> Value:
        """The value of a fact by its dotted path, MISSING if it is known not to exist, else UNKNOWN."""
        if path in self.known:
            return self.known[path]
        if path.startswith(PREFIXES):
            return self._environment.get(path)
        if path.startswith("model.") and self.model is not None:
            return self.model.get(path)
        fact = self.declared.get(path)
        return fact.default if fact is not None and fact.has_default else UNKNOWN

    def key(self) -> str:
        """A text that is the same for equal facts, for caches. The catalog is not part of it."""
        model = self.model.key() if self.model is not None else None
        return json.dumps([dict(self.known), dict(self.variables), model], sort_keys=True, default=repr)

    def __hash__(self) -> int:
        return hash(self.key())


def gather_facts(
    catalog_facts: Mapping[str, Fact],
    *,
    machine: str | None = None,
    machine_count: int | None = None,
    model_config: Mapping[str, Value] | Path | str | None = None,
    model_architecture: str | None = None,
    environment: Mapping[str, str] | None = None,
    known: Mapping[str, Value] | None = None,
) -> Facts:
    """Everything that a caller knows, ready to be asked.

    Args:
        catalog_facts: the facts that the catalog's rules read, with the defaults of environment variables.
        machine: a preset or a device's name, as for `machines.find_machine`.
        machine_count: devices in one host.
        model_config: a config.json's content, the file, or its folder.
        model_architecture: the model's architecture, where there is no config.json.
        environment: the variables that are set.
        known: facts by path; they go before all others. `host.memory_bytes` and `host.numa_nodes` together
            give the CPU engine's `gpu.memory_mib`.

    Raises:
        FactError: for an unknown machine, a file that is no model's configuration, a fact of the wrong type.
    """
    variables = dict(environment_of(environment or {}))
    facts: dict[str, Value] = {}
    if machine is not None:
        if find_machine(machine).kind == "cpu":
            variables.setdefault(_CPU_ENGINE, "1")
        facts.update(machine_facts(machine, count=machine_count, environment=variables))
    facts.update(known or {})
    if facts.get("gpu.is_cpu") and {"host.memory_bytes", "host.numa_nodes"} <= facts.keys():
        memory = cpu_memory_mib(facts["host.memory_bytes"], facts["host.numa_nodes"])
        facts.setdefault("gpu.memory_mib", memory)
    for path, value in facts.items():
        _check_type(catalog_facts.get(path), value)
    model = None
    if model_config is not None:
        model = model_facts(model_config)
    elif model_architecture is not None:
        model = architecture_facts(model_architecture)
    return Facts(catalog_facts, facts, model, variables)


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
