from typing import Any

import pytest

from constraints.catalog import Fact
from constraints.errors import FactError
from constraints.expression.values import MISSING, UNKNOWN
from constraints.sglang.facts import Facts, gather_facts

LLAMA = {"architectures": ["LlamaForCausalLM"], "model_type": "llama"}
DECLARED = {
    fact.name: fact
    for fact in (
        Fact("env.SGLANG_STEPS", "int", default=4, has_default=True),
        Fact("env.SGLANG_ON_AMD", "bool", fallback="gpu.is_hip"),
        Fact("env.SGLANG_USE_CPU_ENGINE", "bool", default=False, has_default=True),
        Fact("gpu.is_cuda", "bool"),
        Fact("gpu.memory_mib", "float"),
        Fact("gpu.count", "int"),
        Fact("package.torch.version", "str"),
        Fact("host.mode", "str", default="usual", has_default=True),
    )
}


def facts(**said: Any) -> Facts:
    return gather_facts(DECLARED, **said)


def test_nothing_said_leaves_all_but_defaults_unknown() -> None:
    nothing = facts()
    for path in ("gpu.is_cuda", "model.config.vocab_size", "package.torch.version", "nonsense"):
        assert nothing.get(path) is UNKNOWN
    assert nothing.get("env.SGLANG_STEPS") == 4
    assert nothing.get("host.mode") == "usual"


def test_facts_come_from_whoever_knows_them() -> None:
    all_said = facts(
        machine="mi300x",
        machine_count=8,
        model_config=LLAMA,
        draft_model_config={"model_type": "llama", "vocab_size": 7},
        environment={"SGLANG_STEPS": "9"},
        known={"package.torch.version": "2.9.1"},
    )
    assert all_said.get("gpu.is_hip") is True
    assert all_said.get("gpu.count") == 8
    assert all_said.get("model.config.vocab_size") == 32000
    assert all_said.get("model.config.nonsense") is MISSING
    assert all_said.get("draft_model.config.vocab_size") == 7
    assert all_said.get("env.SGLANG_STEPS") == 9
    assert all_said.get("env.SGLANG_ON_AMD") is True
    assert all_said.get("package.torch.version") == "2.9.1"


def test_what_is_said_of_a_single_fact_wins() -> None:
    said = facts(
        machine="h100",
        model_config=LLAMA,
        environment={"SGLANG_STEPS": "9"},
        known={"gpu.memory_mib": 1000.0, "model.config.vocab_size": 5, "env.SGLANG_STEPS": 1},
    )
    paths = ("gpu.memory_mib", "model.config.vocab_size", "env.SGLANG_STEPS")
    assert [said.get(path) for path in paths] == [1000.0, 5, 1]


def test_an_architecture_stands_in_for_a_configuration() -> None:
    assert facts(model_architecture="A").get("model.config.architectures") == ["A"]
    both = facts(model_architecture="A", model_config=LLAMA)
    assert both.get("model.config.architectures") == ["LlamaForCausalLM"]


def test_a_machine_without_devices_runs_the_cpu_engine() -> None:
    cpu = facts(machine="cpu-amx", known={"host.memory_bytes": 2**40, "host.numa_nodes": 2})
    assert cpu.get("env.SGLANG_USE_CPU_ENGINE") is True
    assert cpu.get("gpu.device") == "cpu"
    assert cpu.get("gpu.memory_mib") == 524_288.0
    assert facts(machine="cpu-amx").get("gpu.memory_mib") is UNKNOWN
    assert facts(machine="h100").get("env.SGLANG_USE_CPU_ENGINE") is False


def test_a_variable_that_nobody_knows_leaves_what_hangs_on_it_unknown() -> None:
    doubtful = facts(machine="h100", unknown_environment=["SGLANG_USE_CPU_ENGINE", "SGLANG_STEPS"])
    for path in ("env.SGLANG_STEPS", "environ.SGLANG_STEPS", "env_set.SGLANG_STEPS", "gpu.device"):
        assert doubtful.get(path) is UNKNOWN
    assert doubtful.get("gpu.is_cuda") is True


@pytest.mark.parametrize(
    ("path", "value"),
    [("gpu.is_cuda", 1), ("gpu.count", True), ("gpu.count", "8"), ("package.torch.version", 2)],
)
def test_a_fact_of_the_wrong_type_is_refused(path: str, value: object) -> None:
    with pytest.raises(FactError, match="is no"):
        facts(known={path: value})


def test_equal_facts_have_one_key() -> None:
    said: dict[str, Any] = {"machine": "h100", "model_config": LLAMA, "environment": {"A": "1"}}
    assert facts(**said) == facts(**said)
    assert facts(**said).key() == facts(**said).key()
    assert len({facts(**said), facts(**said)}) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"machine": "h200"},
        {"machine_count": 4},
        {"model_config": {**LLAMA, "vocab_size": 1}},
        {"draft_model_config": LLAMA},
        {"environment": {"A": "2"}},
        {"unknown_environment": ["B"]},
        {"known": {"gpu.count": 2}},
    ],
)
def test_whatever_differs_makes_another_key(other: dict[str, Any]) -> None:
    said: dict[str, Any] = {"machine": "h100", "model_config": LLAMA, "environment": {"A": "1"}}
    assert facts(**said).key() != facts(**{**said, **other}).key()
