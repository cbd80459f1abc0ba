import pytest

from constraints.errors import FactError
from constraints.sglang.machine_presets import PRESETS
from constraints.sglang.machines import FUNCTION_NAMES, cpu_memory_mib, find_machine, machine_facts

ALL = [machine.name for machine in PRESETS]


@pytest.mark.parametrize(
    "written",
    ["h100", "H100", "h100-sxm", "NVIDIA H100 80GB HBM3", "NVIDIA-H100-80GB-HBM3", "H100 80GB HBM3"],
)
def test_a_machine_is_found_however_drivers_and_labels_write_it(written: str) -> None:
    assert find_machine(written).name == "h100"


def test_no_two_machines_go_by_one_name() -> None:
    names = [name for machine in PRESETS for name in (machine.name, *machine.aliases)]
    assert len(names) == len(set(names))
    assert all(find_machine(name).name == machine.name for machine in PRESETS for name in machine.aliases)


def test_an_unknown_machine_is_told_with_those_that_are_spelled_alike() -> None:
    with pytest.raises(FactError, match="h100") as raised:
        find_machine("h1000")
    assert "\n" not in str(raised.value)
    with pytest.raises(FactError, match="mi300x"):
        find_machine("quantum-9000")


def test_a_machine_without_devices_is_none() -> None:
    with pytest.raises(FactError, match="at least one"):
        machine_facts("h100", count=0)


@pytest.mark.parametrize("name", ALL)
def test_every_machine_says_where_its_numbers_are_published(name: str) -> None:
    assert find_machine(name).source.startswith("https://")


@pytest.mark.parametrize("name", ALL)
def test_every_machine_is_of_exactly_one_kind(name: str) -> None:
    facts = machine_facts(name)
    kinds = [kind for kind in ("cuda", "hip", "xpu", "npu", "cpu", "musa", "mps") if facts[f"gpu.is_{kind}"]]
    # The CPU engine is switched on by a variable, not by the machine's being one.
    assert kinds == [find_machine(name).kind]


@pytest.mark.parametrize("name", ALL)
def test_a_probe_and_the_function_behind_it_answer_the_same(name: str) -> None:
    facts = machine_facts(name)
    for fact, functions in FUNCTION_NAMES.items():
        for function in functions:
            assert facts.get(f"gpu.{function}") == facts.get(f"gpu.{fact}")


@pytest.mark.parametrize(
    ("name", "generation"),
    [
        ("a100", ()),
        ("l40s", ()),
        ("h100", ("is_sm90", "is_hopper_with_cuda_12_3")),
        ("b200", ("is_sm100", "is_sm100_or_sm110", "is_blackwell")),
        ("rtx5090", ("is_sm120", "is_blackwell")),
        ("mi300x", ()),
        ("xpu", ()),
    ],
)
def test_generations_are_told_by_the_compute_capability_of_nvidia_devices_alone(
    name: str, generation: tuple[str, ...]
) -> None:
    probes = (
        "is_sm90",
        "is_sm100",
        "is_sm110",
        "is_sm120",
        "is_sm100_or_sm110",
        "is_blackwell",
        "is_hopper_with_cuda_12_3",
    )
    facts = machine_facts(name)
    assert tuple(sorted(p for p in probes if facts[f"gpu.{p}"])) == tuple(sorted(generation))


def test_memory_is_a_float_where_sglang_reads_it_from_a_tools_output() -> None:
    assert repr(machine_facts("h100")["gpu.memory_mib"]) == "81559.0"
    assert isinstance(machine_facts("mi300x")["gpu.memory_mib"], float)
    assert isinstance(machine_facts("xpu")["gpu.memory_mib"], int)


def test_what_only_the_host_can_tell_is_left_out() -> None:
    facts = machine_facts("h100")
    for unknown in ("gpu.count", "gpu.get_nvidia_driver_version", "host.memory_bytes", "host.cpu_count"):
        assert unknown not in facts
    assert "gpu.memory_mib" not in machine_facts("cpu")
    assert machine_facts("h100", count=8)["gpu.count"] == 8


def test_the_cpu_engine_takes_a_numa_nodes_share_for_one_devices_memory() -> None:
    assert cpu_memory_mib(2**40, 2) == 524_288.0
    assert cpu_memory_mib(2**30, 0) == 1024.0


def test_variables_that_probes_read_change_their_answers() -> None:
    def answer(probe: str, machine: str = "h100", **variables: str) -> object:
        return machine_facts(machine, environment=variables).get(f"gpu.{probe}", "unknown")

    assert answer("device", SGLANG_USE_CPU_ENGINE="1") == "cpu"
    assert answer("has_flashinfer", SGLANG_IS_FLASHINFER_AVAILABLE="false") is False
    assert answer("memory_mib", machine="npu", SGLANG_ZBAL_LOCAL_MEM_SIZE="1000") == 1000
    assert answer("use_mlx") is False
    assert answer("use_mlx", SGLANG_USE_MLX="Yes") == "unknown"
    assert answer("is_out_of_tree", SGLANG_PLATFORM="mine") == "unknown"


def test_a_variable_that_nobody_knows_leaves_what_depends_on_it_unknown() -> None:
    facts = machine_facts("h100", unknown_environment=["SGLANG_IS_FLASHINFER_AVAILABLE", "OTHER"])
    assert "gpu.has_flashinfer" not in facts
    assert "gpu.is_flashinfer_available" not in facts
    assert facts["gpu.memory_mib"] == 81559.0


def test_ranks_exchange_over_the_fabric_for_sure_only_where_hosts_share_one() -> None:
    probe = "gpu.is_fi_a2a_supported"
    assert machine_facts("gb200")[probe] is True
    assert machine_facts("h100")[probe] is False
    assert probe not in machine_facts("b200")
