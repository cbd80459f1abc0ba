"""A small catalog for tests, and hypothesis strategies for configurations and worlds of it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from constraints.catalog import Catalog
from constraints.expression.values import MISSING, UNKNOWN
from constraints.store import load_catalog
from solver.program_cache import make_executable
from solver.resolution import Executable

PATH = Path(__file__).parent / "data" / "toy-1.0.json"


def perhaps(poison: Any, *ordinary: Any) -> st.SearchStrategy[Any]:
    """One of these values; the first is one that hypothesis can't hash."""
    return st.sampled_from([None, *ordinary]).map(lambda value: poison if value is None else value)


SMALL = st.sampled_from([0, 1, 2, 3, 4, 8, 16, -1, 48, 64, 512])
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "model_path": st.sampled_from(["m", ""]),
    "served_model_name": st.sampled_from(["name", None]),
    "quantization": st.sampled_from(["fp8", "awq", "mxfp4"]),
    "kv_cache_dtype": st.sampled_from(["auto", "fp8_e4m3", "bfloat16"]),
    "moe_a2a_backend": st.sampled_from(["none", "deepep", "mooncake"]),
    "attention_backend": st.sampled_from(["fa3", "triton", "flashinfer", "trtllm_mla"]),
    "enable_dp_attention": st.booleans(),
    "disable_cuda_graph": st.booleans(),
    "cuda_graph_config": st.just({"decode": 1}),
    "mem_fraction_static": st.sampled_from([0.0, 0.5, 0.9, 1.0]),
    "disaggregation_mode": st.sampled_from(["null", "prefill", "decode"]),
    "retraction_backup": st.sampled_from(["host_pool"]),
    "enable_lora": st.booleans(),
    "lora_paths": st.sampled_from([[], ["a"], ["a", ""]]),
    "lora_target_modules": st.sampled_from([[], ["q_proj"]]),
    "speculative_algorithm": st.sampled_from(["EAGLE", "NGRAM"]),
}
FACTS: dict[str, st.SearchStrategy[Any]] = {
    "gpu.sm": st.sampled_from([75, 80, 90, 100]),
    "gpu.memory_mib": st.sampled_from([8000, 40960, 81559]),
    "gpu.is_cuda": st.booleans(),
    "model.architecture": st.sampled_from(["LlamaForCausalLM", "DeepseekV3ForCausalLM"]),
    "model.config.num_experts": perhaps(MISSING, 8, 256),
    "model.config.num_attention_heads": perhaps(MISSING, 8, 128),
    "env.TOY_GRAPHS": st.booleans(),
    "env.TOY_MARGIN": st.sampled_from([0, 8]),
}


@cache
def catalog() -> Catalog:
    return load_catalog(PATH)


@cache
def executable() -> Executable:
    return make_executable(catalog())


def values(flag: str) -> st.SearchStrategy[Any]:
    return VALUES.get(flag, SMALL)


def configurations(*, unknown: bool = False) -> st.SearchStrategy[dict[str, Any]]:
    """Flags given, by name; with `unknown`, some with a value that could not be read."""
    names = sorted(catalog().flags)
    pairs = st.sampled_from(names).flatmap(
        lambda name: st.tuples(
            st.just(name), st.one_of(values(name), perhaps(UNKNOWN)) if unknown else values(name)
        )
    )
    return st.lists(pairs, max_size=10).map(dict)


def worlds(*, unknown: bool = False) -> st.SearchStrategy[dict[str, Any]]:
    """Facts by name; all of them, or with `unknown` some."""
    return st.fixed_dictionaries({}, optional=FACTS) if unknown else st.fixed_dictionaries(FACTS)
