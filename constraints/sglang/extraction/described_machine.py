"""The machine as the engine asks after it: probes, device queries and packages, as facts.

A probe is a function that takes nothing and answers from the driver.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from constraints.expression.simplify import (
    conditional,
    disjunction,
    negation,
)
from constraints.expression.syntax import (
    FALSE,
    TRUE,
    Expression,
    Name,
)
from constraints.sglang.extraction.values import (
    Function,
    Keywords,
    Value,
)

if TYPE_CHECKING:
    from constraints.sglang.extraction.executor import Executor


# Probes of the machine: functions that take nothing and answer from the driver. They are facts.
PROBE_MODULES = (
    "sglang.srt.utils.common",
    "sglang.srt.utils",
    "sglang.srt.utils.device",
    "sglang.srt.platforms",
)


PROBE_FACTS = {
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


# Probes bound by assignment (`is_x = lru_cache(partial(...))`) rather than by `def`.
ASSIGNED_PROBES = frozenset(
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


EXTERNAL_FACTS = {
    "torch.cuda.device_count": "gpu.count",
    "torch.cuda.get_device_name": "gpu.name",
    "torch.cuda.is_available": "gpu.is_cuda_available",
    "os.cpu_count": "host.cpu_count",
    "torch.xpu.device_count": "gpu.count",
    "platform.machine": "host.machine",
    "platform.system": "host.system",
    "torch.get_default_dtype": "package.torch.default_dtype",
    **{
        f"probe.{PROBE_FACTS.get(name, name)}": f"gpu.{PROBE_FACTS.get(name, name)}"
        for name in ASSIGNED_PROBES
    },
}


EXTERNAL_VALUES = {
    "torch.version.cuda": "package.torch.cuda",
    "torch.version.hip": "package.torch.hip",
    "torch.__version__": "package.torch.version",
    "sys.platform": "host.platform",
}


def missing_package(package: str) -> Expression:
    """Where a package is absent."""
    if package in _MISSING_PACKAGES:
        return TRUE
    kind = _PACKAGES_OF_KIND.get(package)
    return negation(Name(kind)) if kind else FALSE


def probe(name: str, function: Function, arguments: list[Value]) -> Value | None:
    """A probe's fact; None for another function of the modules of probes."""
    if name in PROBE_FACTS:
        return Name(f"gpu.{PROBE_FACTS[name]}")
    if name.endswith("_memory_capacity"):
        return Name("gpu.memory_mib")  # of the device at hand, whichever kind it is
    parameters = function.node.args
    required = len(parameters.args) - len(parameters.defaults) + len(parameters.kwonlyargs)
    if name in _MORE_PROBES or (name.startswith("is_") and required == 0 and not arguments):
        return Name(f"gpu.{name}")
    return None


_PACKAGES_OF_KIND = {
    "aiter": "gpu.is_hip",
    "torch_npu": "gpu.is_npu",
    "sgl_kernel_npu": "gpu.is_npu",
    "granian": "package.granian.installed",
}


_MISSING_PACKAGES = frozenset({"mlx", "habana_frameworks"})


def capability(x: Executor, arguments: list[Value], keywords: Keywords, node: ast.AST) -> Value | None:
    """Torch's own question fails where there is neither CUDA nor ROCm."""
    there = disjunction((Name("gpu.is_cuda"), Name("gpu.is_hip")))
    return conditional(there, Name("gpu.device_capability"), x.fault("no such device", node))
