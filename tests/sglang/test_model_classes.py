"""The table of configuration classes that comes with flagfit."""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

import constraints.sglang.config_classes as module
from constraints.expression.parse import parse
from constraints.expression.values import is_known
from constraints.sglang.config_building import Builder
from constraints.sglang.config_classes import shipped_classes
from constraints.sglang.model_facts import model_facts

TABLE = Path(module.__file__).parent / "data" / "model_classes.json"


@lru_cache(maxsize=1)
def entries() -> Mapping[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = json.loads(TABLE.read_text(encoding="utf-8"))
    return {name: entry for name, entry in found.items() if name}


def programs() -> Iterator[Mapping[str, Any]]:
    for entry in entries().values():
        yield from (entry[key] for key in ("init", "post", "rope") if key in entry)
        yield from (each for each in entry.get("properties", {}).values() if each)
        yield from entry.get("setters", {}).values()


def expressions(steps: Any) -> Iterator[str]:
    for step in steps:
        if isinstance(step, str):
            if step != "return":
                yield step.partition(" = ")[2]
            continue
        yield from (step[key] for key in ("if", "from", "type") if step.get(key))
        yield from step.get("with", {}).values()
        if "drop" in step and not step["drop"].startswith("keyword."):
            yield step["drop"]
        for key in ("then", "else", "block", "try", "except"):
            yield from expressions(step.get(key, ()))


def test_every_expression_of_every_program_is_in_the_rule_language() -> None:
    texts = {text for program in programs() for text in expressions(program["steps"])}
    texts |= {program["result"] for program in programs() if "result" in program}
    assert len(texts) > 1000
    for text in texts:
        parse(text)


def test_every_class_that_the_table_refers_to_is_in_it() -> None:
    classes = shipped_classes()
    named = {classes.base, *classes.types.values(), *classes.registry.values()}
    for entry in entries().values():
        named |= {entry["parent"]} if "parent" in entry else set()
        named |= set(entry.get("subs", {}).values())
    assert named <= entries().keys()


def test_every_class_leads_up_to_the_base() -> None:
    classes = shipped_classes()
    assert all(classes.lineage(name)[-1].name == classes.base for name in entries())


def test_a_class_is_found_by_its_line_alone() -> None:
    classes = shipped_classes()
    for name, entry in entries().items():
        cls = classes.get(name)
        assert cls is not None
        assert cls.type == entry["type"]
    assert classes.get("t.NoSuchConfig") is None


def test_every_class_can_be_made_of_nothing() -> None:
    builder = Builder(shipped_classes())
    for name in entries():
        made = builder.build(name, {})
        assert made.is_open or made.lineage[0].name == name


@pytest.mark.parametrize("model_type", sorted(shipped_classes().types))
def test_every_type_loads_from_a_file_that_says_nothing_else(model_type: str) -> None:
    facts = model_facts({"model_type": model_type})
    facts.get("model.text_config.num_hidden_layers")
    assert is_known(facts.get("model.config.__mro__"))


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ({"model_type": "llama", "num_attention_heads": 8}, {"num_key_value_heads": 8, "head_dim": 512}),
        ({"model_type": "qwen2"}, {"use_sliding_window": False, "sliding_window": None}),
        ({"model_type": "deepseek_v3"}, {"n_routed_experts": 256, "kv_lora_rank": 512}),
        ({"model_type": "mistral", "layer_types": None}, {"model_type": "ministral"}),
        ({"model_type": "gpt_oss"}, {"num_local_experts": 128, "sliding_window": 128}),
        ({"model_type": "gpt2", "n_head": 5}, {"num_attention_heads": 5}),
        (
            {"model_type": "llama", "rope_theta": 5e5, "rope_scaling": {"rope_type": "linear", "factor": 2}},
            {"rope_scaling": {"rope_type": "linear", "factor": 2, "rope_theta": 5e5, "type": "linear"}},
        ),
    ],
)
def test_public_models_read_as_sglang_reads_them(source: dict[str, Any], wanted: dict[str, Any]) -> None:
    facts = model_facts(source)
    assert {name: facts.get(f"model.config.{name}") for name in wanted} == wanted
