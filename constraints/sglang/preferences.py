"""Which of SGLang's flags one would rather not change to mend a command: a table with reasons.

Weights only order repairs that change equally many flags. A flag that is not here weighs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reluctance:
    """Why some flags are rather left alone.

    Attributes:
        weight: added to what changing one of them costs; 0 to 100.
        reason: why.
        flags: field names.
    """

    weight: int
    reason: str
    flags: tuple[str, ...]


RELUCTANCES: tuple[Reluctance, ...] = (
    Reluctance(
        40,
        "another model, or another part of it, answers",
        (
            "revision",
            "tokenizer_path",
            "is_embedding",
            "model_impl",
            "load_format",
            "json_model_override_args",
        ),
    ),
    Reluctance(
        30,
        "it is laid out for the machines at hand",
        ("tp_size", "pp_size", "dp_size", "ep_size", "nnodes", "node_rank", "dist_init_addr", "device"),
    ),
    Reluctance(
        24,
        "other servers and clients rely on it",
        (
            "disaggregation_mode",
            "host",
            "port",
            "served_model_name",
            "api_key",
            "encoder_only",
            "language_only",
        ),
    ),
    Reluctance(
        16,
        "the answers become others",
        ("quantization", "dtype", "context_length", "kv_cache_dtype", "enable_deterministic_inference"),
    ),
    Reluctance(
        8,
        "it decides how fast the server is",
        (
            "speculative_algorithm",
            "attention_backend",
            "moe_a2a_backend",
            "enable_dp_attention",
            "mem_fraction_static",
        ),
    ),
    Reluctance(
        6,
        "a feature that somebody asked for goes",
        ("enable_lora", "lora_paths", "enable_multimodal", "enable_hierarchical_cache", "enable_metrics"),
    ),
)


def weight_of(flag: str) -> int:
    """The weight of changing a flag; 0 for most."""
    return _WEIGHTS.get(flag, 0)


_WEIGHTS = {flag: each.weight for each in RELUCTANCES for flag in each.flags}
