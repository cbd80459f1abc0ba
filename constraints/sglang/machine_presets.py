"""The machines that a command can be checked for: a table of published numbers, and nothing computed.

`machines` turns a row into the facts that SGLang's probes would answer there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["cuda", "hip", "xpu", "npu", "cpu"]
"""What PyTorch's devices of the machine are: NVIDIA, AMD, Intel, Ascend, or none (SGLang's CPU engine)."""


@dataclass(frozen=True, slots=True)
class Machine:
    """One kind of device, and the host it is sold with.

    Attributes:
        name: what `--gpu` calls it.
        kind: whose device it is.
        device_name: what the driver calls it; None for the CPU engine.
        memory_mib: one device's memory as the vendor's own tool reports it in total; None where it is the
            host's, which no table knows.
        source: where the numbers are published.
        capability: CUDA's compute capability; for AMD what PyTorch derives from the architecture's name.
        architecture: AMD's name of the instruction set, `gfx942`.
        host: `platform.machine()` of the host; None where it is sold with several.
        has_cross_node_nvlink: whether several hosts share one NVLink fabric (GB200 and GB300 racks).
        has_amx: whether the host's CPU has AMX tiles, for the CPU engine.
        aliases: further names, lower case.
    """

    name: str
    kind: Kind
    device_name: str | None
    memory_mib: int | None
    source: str
    capability: tuple[int, int] | None = None
    architecture: str | None = None
    host: str | None = "x86_64"
    has_cross_node_nvlink: bool = False
    has_amx: bool = False
    aliases: tuple[str, ...] = ()


def _nvidia(
    name: str,
    device_name: str,
    memory_mib: int,
    capability: tuple[int, int],
    source: str,
    *,
    aliases: tuple[str, ...] = (),
    host: str = "x86_64",
    has_cross_node_nvlink: bool = False,
) -> Machine:
    return Machine(
        name,
        "cuda",
        f"NVIDIA {device_name}",
        memory_mib,
        source,
        capability,
        host=host,
        has_cross_node_nvlink=has_cross_node_nvlink,
        aliases=aliases,
    )


_DATA_CENTER = "https://www.nvidia.com/en-us/data-center/"
_MIG_GUIDE = "https://docs.nvidia.com/datacenter/tesla/mig-user-guide/supported-gpus.html"
_GEFORCE = "https://www.nvidia.com/en-us/geforce/graphics-cards/"
_INSTINCT = "https://www.amd.com/en/products/accelerators/instinct/"
_INTEL = "https://www.intel.com/content/www/us/en/products/sku/"

PRESETS: tuple[Machine, ...] = (
    # Compute capabilities: https://developer.nvidia.com/cuda-gpus. Memory: the total that nvidia-smi prints
    # for the part with its default ECC setting; the linked data sheet has the nominal size in GB.
    _nvidia("t4", "T4", 15360, (7, 5), _DATA_CENTER + "tesla-t4/"),
    _nvidia(
        "a100",
        "A100-SXM4-80GB",
        81920,
        (8, 0),
        _DATA_CENTER + "a100/",
        aliases=("a100-80gb", "a100-sxm4-80gb", "a100-sxm", "a800"),
    ),
    _nvidia(
        "a100-40gb", "A100-SXM4-40GB", 40960, (8, 0), _DATA_CENTER + "a100/", aliases=("a100-sxm4-40gb",)
    ),
    _nvidia("a10g", "A10G", 23028, (8, 6), "https://aws.amazon.com/ec2/instance-types/g5/", aliases=("a10",)),
    _nvidia("a40", "A40", 46068, (8, 6), _DATA_CENTER + "a40/"),
    _nvidia(
        "rtxa6000",
        "RTX A6000",
        49140,
        (8, 6),
        "https://www.nvidia.com/en-us/design-visualization/rtx-a6000/",
        aliases=("a6000", "rtx-a6000"),
    ),
    _nvidia("rtx3090", "GeForce RTX 3090", 24576, (8, 6), _GEFORCE + "30-series/rtx-3090-3090ti/"),
    _nvidia("l4", "L4", 23034, (8, 9), _DATA_CENTER + "l4/"),
    _nvidia("l40", "L40", 46068, (8, 9), _DATA_CENTER + "l40/"),
    _nvidia("l40s", "L40S", 46068, (8, 9), _DATA_CENTER + "l40s/"),
    _nvidia(
        "rtx4090", "GeForce RTX 4090", 24564, (8, 9), _GEFORCE + "40-series/rtx-4090/", aliases=("4090",)
    ),
    _nvidia(
        "rtx6000ada",
        "RTX 6000 Ada Generation",
        49140,
        (8, 9),
        "https://www.nvidia.com/en-us/design-visualization/rtx-6000/",
        aliases=("rtx-6000-ada",),
    ),
    _nvidia(
        "h100",
        "H100 80GB HBM3",
        81559,
        (9, 0),
        _DATA_CENTER + "h100/",
        aliases=("h100-80gb", "h100-sxm", "h100-sxm5", "h800"),
    ),
    _nvidia("h100-pcie", "H100 PCIe", 81559, (9, 0), _DATA_CENTER + "h100/"),
    _nvidia("h100-nvl", "H100 NVL", 95830, (9, 0), _DATA_CENTER + "h100/"),
    _nvidia("h20", "H20", 97871, (9, 0), _MIG_GUIDE),
    _nvidia("h200", "H200", 143771, (9, 0), _DATA_CENTER + "h200/", aliases=("h200-sxm",)),
    _nvidia("h200-nvl", "H200 NVL", 143771, (9, 0), _DATA_CENTER + "h200/"),
    _nvidia(
        "gh200",
        "GH200 480GB",
        97871,
        (9, 0),
        _DATA_CENTER + "grace-hopper-superchip/",
        host="aarch64",
    ),
    _nvidia("b200", "B200", 183359, (10, 0), _DATA_CENTER + "dgx-b200/", aliases=("b200-sxm",)),
    _nvidia(
        "gb200",
        "GB200",
        189471,
        (10, 0),
        _DATA_CENTER + "gb200-nvl72/",
        host="aarch64",
        has_cross_node_nvlink=True,
        aliases=("gb200-nvl72",),
    ),
    _nvidia("b300", "B300 SXM6 AC", 275040, (10, 3), _DATA_CENTER + "dgx-b300/", aliases=("b300-sxm",)),
    _nvidia(
        "gb300",
        "GB300",
        284208,
        (10, 3),
        _DATA_CENTER + "gb300-nvl72/",
        host="aarch64",
        has_cross_node_nvlink=True,
        aliases=("gb300-nvl72",),
    ),
    _nvidia(
        "rtx5090", "GeForce RTX 5090", 32607, (12, 0), _GEFORCE + "50-series/rtx-5090/", aliases=("5090",)
    ),
    _nvidia(
        "rtx6000pro",
        "RTX PRO 6000 Blackwell Server Edition",
        97887,
        (12, 0),
        _DATA_CENTER + "rtx-pro-6000-blackwell-server-edition/",
        aliases=("rtxpro6000", "rtx-pro-6000", "pro6000"),
    ),
    # AMD: the size of the device's first memory pool in rocminfo, which is the data sheet's less 16 MiB.
    Machine(
        "mi300x",
        "hip",
        "AMD Instinct MI300X",
        196592,
        _INSTINCT + "mi300/mi300x.html",
        (9, 4),
        architecture="gfx942",
    ),
    Machine(
        "mi325x",
        "hip",
        "AMD Instinct MI325X",
        262128,
        _INSTINCT + "mi300/mi325x.html",
        (9, 4),
        architecture="gfx942",
    ),
    Machine(
        "mi350x",
        "hip",
        "AMD Instinct MI350X",
        294896,
        _INSTINCT + "mi350/mi350x.html",
        (9, 5),
        architecture="gfx950",
    ),
    Machine(
        "mi355x",
        "hip",
        "AMD Instinct MI355X",
        294896,
        _INSTINCT + "mi350/mi355x.html",
        (9, 5),
        architecture="gfx950",
        aliases=("mi35x",),
    ),
    Machine(
        "xpu",
        "xpu",
        "Intel(R) Data Center GPU Max 1550",
        131072,
        _INTEL + "232873/intel-data-center-gpu-max-1550/specifications.html",
        aliases=("max1550", "pvc"),
    ),
    # Ascend servers come with Kunpeng (aarch64) and with x86-64 hosts.
    Machine(
        "npu",
        "npu",
        "Ascend910B3",
        65536,
        "https://www.hiascend.com/hardware/ai-server",
        host=None,
        aliases=("ascend910b3", "ascend-910b3", "910b3"),
    ),
    # SGLang's CPU engine (SGLANG_USE_CPU_ENGINE=1): its memory is the host's.
    Machine("cpu", "cpu", None, None, "https://docs.sglang.io/platforms/cpu_server.html"),
    Machine(
        "cpu-amx",
        "cpu",
        None,
        None,
        "https://docs.sglang.io/platforms/cpu_server.html",
        has_amx=True,
        aliases=("xeon-amx",),
    ),
    Machine(
        "cpu-arm64",
        "cpu",
        None,
        None,
        "https://docs.sglang.io/platforms/cpu_server.html",
        host="aarch64",
        aliases=("cpu-aarch64",),
    ),
)
