from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraints.expression.values import MISSING, UNKNOWN
from constraints.sglang.config_building import Builder
from constraints.sglang.config_object import ConfigObject
from tests.sglang.class_table import table

FIELDS = {"rope_parameters": None, "max_position_embeddings": 4096, "default_theta": 10000.0}


def made(given_ones: dict[str, Any], fields: dict[str, Any] | None = None) -> ConfigObject:
    return Builder(table({"t.A": {"fields": FIELDS | (fields or {})}})).build("t.A", given_ones)


def test_older_keywords_end_in_one_dict_under_both_names() -> None:
    config = made({"rope_theta": 5.0, "rope_scaling": {"type": "linear", "factor": 2.0}})
    wanted = {"type": "linear", "factor": 2.0, "rope_type": "linear", "rope_theta": 5.0}
    assert config.read("rope_parameters") == config.read("rope_scaling") == wanted


def test_a_class_without_parameters_gets_its_usual_base() -> None:
    assert made({}).read("rope_parameters") == {"rope_theta": 10000.0, "rope_type": "default"}


@pytest.mark.parametrize("kind", ["yarn", "llama3", "longrope"])
def test_scaling_beyond_the_trained_length_keeps_that_length(kind: str) -> None:
    config = made({"rope_parameters": {"rope_type": kind}, "max_position_embeddings": 100})
    assert config.read("rope_parameters")["original_max_position_embeddings"] == 100
    said = made({"rope_parameters": {"rope_type": kind, "original_max_position_embeddings": 7}})
    assert said.read("rope_parameters")["original_max_position_embeddings"] == 7


def test_each_kind_of_layer_may_have_parameters_of_its_own() -> None:
    config = made(
        {
            "layer_types": ["full_attention", "sliding_attention"],
            "rope_parameters": {"full_attention": {"rope_theta": 9.0}, "sliding_attention": {}},
        },
        {"layer_types": None},
    )
    assert config.read("rope_parameters") == {
        "full_attention": {"rope_theta": 9.0, "rope_type": "default"},
        "sliding_attention": {"rope_theta": 10000.0, "rope_type": "default"},
    }


def test_a_share_of_the_head_is_part_of_the_parameters() -> None:
    config = made({"partial_rotary_factor": 0.5})
    assert config.read("rope_parameters")["partial_rotary_factor"] == 0.5


def test_what_depends_on_something_unknown_is_unknown() -> None:
    entry = {"fields": {"rope_parameters": None}, "unknown": ["default_theta"]}
    config = Builder(table({"t.A": entry})).build("t.A", {})
    assert config.read("rope_parameters") is UNKNOWN


def test_a_class_that_knows_no_rotation_gets_none() -> None:
    config = Builder(table({"t.A": {"fields": {}}})).build("t.A", {"hidden": 1})
    assert config.read("rope_parameters") is MISSING


PARAMETERS = st.fixed_dictionaries(
    {},
    optional={
        "rope_type": st.sampled_from(["default", "linear", "yarn", "llama3"]),
        "type": st.sampled_from(["linear", "yarn"]),
        "factor": st.floats(1, 8),
        "rope_theta": st.floats(1, 1e6),
    },
)


@given(PARAMETERS, st.floats(1, 1e6))
def test_a_configuration_written_down_loads_as_it_was(parameters: dict[str, Any], theta: float) -> None:
    once = made({"rope_parameters": parameters, "rope_theta": theta}).read("rope_parameters")
    assert made({"rope_parameters": dict(once)}).read("rope_parameters") == once
