"""Which machine a name means, and the facts that SGLang's own probes would answer on it.

The numbers stand in `machine_presets`. What only the host at hand can tell (its memory, the driver's
version, what is plugged in) is left out: a fact that is not in the answer is unknown.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, TypeAlias

from constraints.errors import FactError
from constraints.sglang.machine_presets import PRESETS, Machine

Value: TypeAlias = Any

CUDA_VERSION = (13, 0)
"""Of the PyTorch that SGLang's wheels and images bring since 0.5.19. Every probe asks for 12.8 at most."""

FUNCTION_NAMES: Mapping[str, tuple[str, ...]] = {
    # The names in SGLang's platform context, and the functions that stand behind them.
    "is_sm90": ("is_sm90_supported",),
    "is_sm100": ("is_sm100_supported",),
    "is_sm110": ("is_sm110_supported",),
    "is_sm120": ("is_sm120_supported",),
    "is_sm100_or_sm110": ("is_sm100_or_sm110_supported",),
    "is_blackwell": ("is_blackwell_supported",),
    "has_amx": ("cpu_has_amx_support",),
    "has_flashinfer": ("is_flashinfer_available",),
    "device_sm": ("get_device_sm",),
    "device_capability": ("get_device_capability",),
    "device": ("get_device",),
    "name": ("get_device_name",),
}

_BUNDLED: Mapping[str, tuple[str, ...]] = {
    # What a plain installation brings along: the wheel's own requirements, and the Triton kernels that are
    # part of sglang-kernel. Other packages (mooncake, nixl, ...) may be there or not.
    "cuda": ("deep_ep", "deep_gemm", "flash_mla", "flashinfer", "sgl_kernel", "triton", "triton_kernels"),
    "hip": ("aiter", "sgl_kernel", "triton"),
    "xpu": ("sgl_kernel", "triton"),
    "npu": ("sgl_kernel_npu", "torch_npu"),
    "cpu": ("sgl_kernel",),
}
_DEPEND_ON: Mapping[str, tuple[str, ...]] = {
    # What cannot be told while nobody knows what a variable is set to.
    "SGLANG_USE_CPU_ENGINE": ("is_cpu", "device", "has_amx"),
    "SGLANG_IS_FLASHINFER_AVAILABLE": ("has_flashinfer",),
    "SGLANG_ZBAL_LOCAL_MEM_SIZE": ("memory_mib",),
    "SGLANG_CPU_OMP_THREADS_BIND": ("memory_mib",),
    "SGLANG_PLATFORM": ("is_out_of_tree",),
    "SGLANG_USE_MLX": ("use_mlx",),
}
_ONLY_ON_ITS_KIND = ("aiter", "flashinfer", "torch_npu", "triton_kernels")


def find_machine(name: str) -> Machine:
    """The preset that a name means.

    Args:
        name: a preset's name or alias (`h100`), or the device's full name as drivers and Kubernetes labels
            write it (`NVIDIA-H100-80GB-HBM3`). Case, blanks, hyphens and underscores do not matter.

    Raises:
        FactError: if there is none; the reason names the nearest ones.
    """
    wanted = _plain(name)
    known = _by_plain_name()
    if wanted in known:
        return known[wanted]
    import difflib

    nearest = difflib.get_close_matches(wanted, known, n=3)
    names = list(dict.fromkeys(known[near].name for near in nearest)) or [machine.name for machine in PRESETS]
    raise FactError("gpu", name, f"no such machine is known; try {', '.join(names)}")


def machine_facts(
    name: str,
    *,
    count: int | None = None,
    environment: Mapping[str, str] | None = None,
    unknown_environment: Collection[str] = (),
) -> Mapping[str, Value]:
    """What SGLang's probes answer on a machine, as `gpu.*`, `host.*` and `package.*` facts.

    `gpu.PROBE` is the value of the probe of that name in SGLang's platform context, else of the function of
    that name in `sglang.srt.utils.common`; versions and capabilities are tuples, as there. `gpu.memory_mib`
    is the capacity of the machine's own device.

    Args:
        name: as for `find_machine`.
        count: devices of one host; unknown if None.
        environment: variables, some of which probes read (`SGLANG_USE_CPU_ENGINE`); others are not set.
        unknown_environment: variables that may be set to anything.

    Raises:
        FactError: for an unknown name, or a count below one.
    """
    machine = find_machine(name)
    if count is not None and count < 1:
        raise FactError("gpu.count", count, "a machine has at least one device")
    variables = environment or {}
    doubtful = {probe for name in unknown_environment for probe in _DEPEND_ON.get(name, ())}
    gpu = {probe: value for probe, value in _probes(machine, variables).items() if probe not in doubtful}
    if count is not None:
        # SGLang counts no NPUs, and the CPU engine has no devices.
        gpu |= {"count": count, "get_device_count": count if machine.kind in {"cuda", "hip", "xpu"} else 0}
    for fact, functions in FUNCTION_NAMES.items():
        if fact in gpu:
            gpu |= dict.fromkeys(functions, gpu[fact])
    return {f"gpu.{probe}": value for probe, value in gpu.items()} | _host(machine) | _packages(machine)


def cpu_memory_mib(memory_bytes: int, numa_nodes: int) -> float:
    """What the CPU engine takes for one device's memory: a NUMA node's share of the host's, in whole MiB."""
    return float(memory_bytes / max(numa_nodes, 1) // 2**20)


def _by_plain_name() -> dict[str, Machine]:
    known: dict[str, Machine] = {}
    for machine in PRESETS:
        for name in (machine.name, *machine.aliases, machine.device_name):
            if name is not None:
                known.setdefault(_plain(name), machine)
                known.setdefault(_plain(name).removeprefix("nvidia"), machine)
    return known


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter not in "-_ ")


def _probes(machine: Machine, environment: Mapping[str, str]) -> dict[str, Value]:
    is_cuda, is_hip = machine.kind == "cuda", machine.kind == "hip"
    is_cpu = machine.kind == "cpu" or environment.get("SGLANG_USE_CPU_ENGINE") == "1"
    capability = machine.capability or (0, 0)
    sm_major = capability[0] if is_cuda else None
    architecture = machine.architecture or ""
    probes: dict[str, Value] = {
        "name": machine.device_name,
        "device": "cpu" if is_cpu else "cuda" if is_hip else machine.kind,
        "is_cuda": is_cuda,
        "is_hip": is_hip,
        "is_cuda_alike": is_cuda or is_hip,
        "is_cuda_available": is_cuda or is_hip,
        "is_xpu": machine.kind == "xpu",
        "is_npu": machine.kind == "npu",
        "is_cpu": is_cpu,
        "is_hpu": False,
        "is_musa": False,
        "is_mps": False,
        "is_sail": False,
        "is_habana_available": False,
        "is_sm80_supported": sm_major == 8,
        "is_sm90": sm_major == 9,
        "is_sm100": sm_major == 10,
        "is_sm110": sm_major == 11,
        "is_sm120": sm_major == 12,
        "is_sm100_or_sm110": sm_major in {10, 11},
        "is_blackwell": sm_major in {10, 11, 12},
        "is_ampere_with_cuda_12_3": sm_major == 8,
        "is_hopper_with_cuda_12_3": sm_major == 9,
        "is_sm121": is_cuda and capability == (12, 1),
        "device_sm": capability[0] * 10 + capability[1],
        "device_capability": machine.capability or (None, None),
        "isa": architecture or (f"sm_{capability[0]}{capability[1]}" if is_cuda else None),
        "is_gfx942_supported": architecture == "gfx942",
        "is_gfx95_supported": architecture.startswith("gfx95"),
        "is_gfx1250_supported": architecture == "gfx1250",
        # The probe asks for 64-bit floats, which Intel's data-center GPUs have.
        "xpu_has_xmx_support": machine.kind == "xpu",
        # The probe also asks for the CPU build of the kernels, which no GPU installation has.
        "has_amx": machine.has_amx,
        "has_flashinfer": is_cuda and _says_yes(environment.get("SGLANG_IS_FLASHINFER_AVAILABLE", "true")),
        # NVML may say so of further parts; which, no data sheet tells.
        "is_mnnvl_fabric_device": machine.has_cross_node_nvlink,
        "get_cuda_version": CUDA_VERSION if is_cuda else (0, 0),
        "memory_mib": _memory_mib(machine, environment),
    }
    if not is_hip:
        probes["get_hip_version"] = (0, 0, 0)
    if is_cpu and machine.kind != "cpu":
        del probes["has_amx"]
    if probes["memory_mib"] is None and not environment.get("SGLANG_CPU_OMP_THREADS_BIND"):
        del probes["memory_mib"]
    if not environment.get("SGLANG_PLATFORM"):
        probes["is_out_of_tree"] = False
    if environment.get("SGLANG_USE_MLX", "").lower() not in {"true", "1", "yes", "y"}:
        probes["use_mlx"] = False
    # Within one NVLink domain it depends on how many ranks of a decode-context group share a host.
    if sm_major != 10 or machine.has_cross_node_nvlink:
        probes["is_fi_a2a_supported"] = sm_major == 10
    return probes


def _memory_mib(machine: Machine, environment: Mapping[str, str]) -> float | None:
    """NVIDIA's and AMD's tools are read as text, hence as floats; the others are asked for bytes."""
    if machine.memory_mib is None:
        return None
    if machine.kind in {"cuda", "hip"}:
        return float(machine.memory_mib)
    reserved = environment.get("SGLANG_ZBAL_LOCAL_MEM_SIZE", "") if machine.kind == "npu" else ""
    return int(reserved) if reserved.isdigit() and int(reserved) > 0 else machine.memory_mib


def _says_yes(value: str) -> bool:
    return value.lower() in {"true", "1"}


def _host(machine: Machine) -> dict[str, Value]:
    if machine.host is None:
        return {}
    return {
        "host.machine": machine.host,
        "gpu.is_host_cpu_x86": machine.host == "x86_64",
        "gpu.is_host_cpu_arm64": machine.host == "aarch64",
    }


def _packages(machine: Machine) -> dict[str, Value]:
    bundled = _BUNDLED[machine.kind]
    absent = [name for name in _ONLY_ON_ITS_KIND if name not in bundled]
    facts: dict[str, Value] = {f"package.{name}.installed": True for name in bundled}
    facts |= {f"package.{name}.installed": False for name in absent}
    facts["gpu.is_triton_kernels_available"] = facts["package.triton_kernels.installed"]
    # `torch.version.cuda` and `.hip`, which are None in a build for other devices.
    facts["package.torch.cuda"] = ".".join(map(str, CUDA_VERSION)) if machine.kind == "cuda" else None
    if machine.kind != "hip":
        facts["package.torch.hip"] = None
    return facts
