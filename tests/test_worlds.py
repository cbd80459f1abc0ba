"""What is known of the world: what was said, asked of SGLang's adapter once, and kept while it holds."""

from __future__ import annotations

import json

import pytest

from constraints.catalog import Catalog, Fact, Flag, Option, Refuse, Release
from constraints.errors import FactError
from constraints.expression.parse import parse
from constraints.expression.values import UNKNOWN
from solver import Verdict, check
from solver.program import bits
from solver.program_cache import make_executable
from solver.worlds import base_of, unsaid_leaves, world_of

FACTS = {
    "gpu.is_sm90": Fact("gpu.is_sm90", "bool"),
    "model.config.num_experts": Fact("model.config.num_experts", "int"),
    "env.SGLANG_SLOW": Fact("env.SGLANG_SLOW", "bool", default=False, has_default=True),
    "environ.OTHER": Fact("environ.OTHER", "str", default=None, has_default=True),
}
FLAGS = {
    "model_path": Flag("model_path", "str", options=(Option(("--model-path",), required=True),)),
    "fast": Flag("fast", "bool", default=False, options=(Option(("--fast",), "store_true"),)),
}
RULE = Refuse("a.py:1", "f", "SGL1", when=parse("fast and env.SGLANG_SLOW"))
CATALOG = Catalog(Release("sglang", "0"), FLAGS, FACTS, (RULE,))
LAUNCH = "python -m sglang.launch_server --model-path m --fast"


def executable():
    return make_executable(CATALOG)


def test_nothing_said_is_nothing_known_but_that_no_variable_is_set():
    world = world_of(executable())
    base = base_of(executable(), world, ())
    values = {name: base.values[leaf] for name, leaf in base.program.leaf_of_fact.items()}
    assert values["gpu.is_sm90"] is UNKNOWN
    assert values["env.SGLANG_SLOW"] is False
    assert values["environ.OTHER"] is None
    assert world.sources == {}


def test_a_machine_is_known_by_its_name():
    world = world_of(executable(), gpu="h100")
    assert world.facts["gpu.is_sm90"] is True
    assert world.sources == {"gpu": "h100"}
    with pytest.raises(FactError):
        world_of(executable(), gpu="h1000000")


def test_an_architecture_alone_says_its_name_and_nothing_of_sizes():
    facts = {**FACTS, "model.config.architectures": Fact("model.config.architectures", "list")}
    reads = Refuse("a.py:2", "f", "SGL2", when=parse("'LlamaForCausalLM' in model.config.architectures"))
    catalog = Catalog(Release("sglang", "0"), FLAGS, facts, (RULE, reads))
    world = world_of(make_executable(catalog), model_arch="LlamaForCausalLM")
    assert world.facts["model.config.architectures"] == ["LlamaForCausalLM"]
    assert world.facts["model.config.num_experts"] is UNKNOWN
    assert world.sources == {"model_arch": "LlamaForCausalLM"}
    assert check(LAUNCH, catalog=catalog, model_arch="LlamaForCausalLM").verdict is Verdict.REFUSED
    with pytest.raises(FactError):
        world_of(make_executable(catalog), model_arch="")


def test_a_single_fact_wins():
    assert world_of(executable(), gpu="h100", facts={"gpu.is_sm90": False}).facts["gpu.is_sm90"] is False


def test_variables_are_parsed_as_the_engine_does():
    assert world_of(executable(), env={"SGLANG_SLOW": "yes"}).facts["env.SGLANG_SLOW"] is True
    assert check(f"SGLANG_SLOW=1 {LAUNCH}", catalog=CATALOG).verdict is Verdict.REFUSED
    assert (
        check(f"SGLANG_SLOW=0 {LAUNCH}", catalog=CATALOG, env={"SGLANG_SLOW": "1"}).verdict
        is Verdict.ACCEPTED
    )


def test_a_variable_set_to_something_unknown_is_unknown():
    assert world_of(executable(), unknown_env={"SGLANG_SLOW"}).facts["env.SGLANG_SLOW"] is UNKNOWN
    report = check(f"SGLANG_SLOW=$X {LAUNCH}", catalog=CATALOG)
    assert [each.missing for each in report.undecided] == [("env.SGLANG_SLOW",)]


def test_the_same_question_gets_the_same_world():
    config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64}
    first = world_of(executable(), gpu="h100", model_config=config, env={"A": "1"})
    assert world_of(executable(), gpu="h100", model_config=dict(config), env={"A": "1"}) is first
    assert world_of(executable(), gpu="h200", model_config=config, env={"A": "1"}) is not first
    assert base_of(executable(), first, ()) is base_of(executable(), first, ())


def test_a_model_file_that_changed_is_read_again(tmp_path):
    file = tmp_path / "config.json"
    config = {"architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "num_experts": 8}
    file.write_text(json.dumps(config))
    assert world_of(executable(), model_config=file).facts["model.config.num_experts"] == 8
    assert world_of(executable(), model_config=str(tmp_path)).facts["model.config.num_experts"] == 8
    file.write_text(json.dumps(config | {"num_experts": 160}))
    assert world_of(executable(), model_config=file).facts["model.config.num_experts"] == 160


def test_what_nobody_said_is_the_machine_or_the_model():
    program = executable().program

    def unsaid(**said) -> set[str]:
        return {program.names[leaf] for leaf in bits(unsaid_leaves(program, world_of(executable(), **said)))}

    assert unsaid() == {"gpu.is_sm90", "model.config.num_experts"}
    assert unsaid(gpu="h100") == {"model.config.num_experts"}
    assert unsaid(facts={"gpu.is_sm90": True}) == {"gpu.is_sm90", "model.config.num_experts"}


def test_variables_that_no_rule_reads_are_not_repeated():
    env = {"HF_TOKEN": "secret", "SGLANG_SLOW": "0"}
    world = world_of(executable(), env=env, unknown_env={"WANDB_API_KEY"})
    assert world.sources == {"env.SGLANG_SLOW": "0"}
    assert "secret" not in str(check(f"HF_TOKEN=secret {LAUNCH}", catalog=CATALOG).world.to_dict())


def test_a_model_whose_name_no_file_can_have_is_a_wrong_fact():
    for name in ("a\0", "x" * 5000):
        with pytest.raises(FactError):
            world_of(executable(), model_config=name)
