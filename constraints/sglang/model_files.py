"""What SGLang takes from the files beside a model's config.json. Reads names and one header, no weights."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from constraints.expression.values import UNKNOWN

Value: TypeAlias = Any

_INDEX, _SINGLE = "model.safetensors.index.json", "model.safetensors"
_MAX_HEADER_BYTES = 100_000_000
_MISTRAL = "mistral", "mixtral", "pixtral", "voxtral", "devstral", "magistral", "codestral"


def has_fp8_weights(folder: Path) -> bool:
    """Whether the first weights of an expert, in the first file that has any, are 8-bit floats.

    As SGLang finds out, `utils.common.has_fp8_weights_in_checkpoint`: no readable weights are no such ones.
    """
    try:
        shard = _shard(folder)
        if shard is None or not (folder / shard).is_file():
            return False
        with (folder / shard).open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if length > _MAX_HEADER_BYTES:
                return False
            header = json.loads(file.read(length))
        tensors: list[Mapping[str, Value]] = [header[name] for name in header if _is_of_expert(name)]
        return bool(tensors) and tensors[0].get("dtype") == "F8_E4M3"
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return False


def is_mistral_native_format(folder: Path) -> Value:
    """Whether the weights are in Mistral's own layout and in no other.

    UNKNOWN where SGLang would go by the model's name, `arg_groups.model_path_hook.is_mistral_native_format`.
    """
    if any(folder.glob("consolidated*.safetensors")) and not any(folder.glob("model*.safetensors")):
        return True
    return UNKNOWN if (folder / "params.json").exists() else False


def may_be_mistral_native(source: Mapping[str, Value]) -> bool:
    """Whether a config.json is one of Mistral's; nobody else publishes weights in that layout."""
    names = [source.get("model_type"), *(source.get("architectures") or ())]
    return any(maker in str(name).lower() for name in names for maker in _MISTRAL)


def _shard(folder: Path) -> str | None:
    index = folder / _INDEX
    if index.is_file():
        files: Mapping[str, str] = json.loads(index.read_bytes()).get("weight_map", {})
        of_experts = {file for name, file in files.items() if _is_of_expert(name)}
        return min(of_experts or set(files.values()), default=None)
    return _SINGLE if (folder / _SINGLE).exists() else None


def _is_of_expert(name: str) -> bool:
    return "experts" in name and "weight" in name
