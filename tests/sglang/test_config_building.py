from typing import Any

import pytest

from constraints.errors import CatalogError
from constraints.expression.values import MISSING, UNKNOWN
from constraints.sglang.config_building import Builder
from constraints.sglang.config_classes import ConfigClasses
from constraints.sglang.config_object import ConfigObject
from tests.sglang.class_table import table


def made(
    entry: dict[str, Any], given: dict[str, Any] | None = None, **others: dict[str, Any]
) -> ConfigObject:
    """What a class of this entry makes of arguments."""
    classes = {"t.A": entry} | {f"t.{name}": other for name, other in others.items()}
    return Builder(table(classes)).build("t.A", given or {})


def program(*steps: Any, **parameters: Any) -> dict[str, Any]:
    return {
        "init": {
            "parameters": parameters,
            "steps": [*steps, {"super": "init", "of": "t.A", "keywords": True}],
        }
    }


def test_a_table_of_another_format_is_refused() -> None:
    with pytest.raises(CatalogError, match="format"):
        ConfigClasses('{\n"": {"format": 0}\n}\n')
    with pytest.raises(CatalogError, match="format"):
        ConfigClasses("{}")


def test_fields_have_their_defaults_unless_they_are_given() -> None:
    config = made({"fields": {"layers": 4, "heads": 8}}, {"heads": 2, "extra": "kept"})
    assert [config.read(name) for name in ("layers", "heads", "extra")] == [4, 2, "kept"]
    assert config.read("architectures") is None
    assert config.read("nonsense") is MISSING


def test_a_default_that_is_no_data_is_unknown_until_it_is_given() -> None:
    entry = {"fields": {}, "unknown": ["made_by_code"]}
    assert made(entry).read("made_by_code") is UNKNOWN
    assert made(entry, {"made_by_code": 1}).read("made_by_code") == 1


def test_two_objects_never_share_a_default() -> None:
    builder = Builder(table({"t.A": {"fields": {"layers": []}}}))
    builder.build("t.A", {}).read("layers").append("x")
    assert builder.build("t.A", {}).read("layers") == []


def test_an_attribute_is_read_and_written_under_its_other_names() -> None:
    entry = {"aliases": {"num_attention_heads": "n_head"}, "fields": {"n_head": 12}}
    assert made(entry).read("num_attention_heads") == 12
    assert made(entry, {"num_attention_heads": 3}).read("n_head") == 3


def test_the_type_is_that_of_the_class() -> None:
    assert made({"fields": {}}).read("model_type") == "a"


def test_methods_are_there_and_no_data() -> None:
    assert made({"fields": {}}).read("to_dict") is UNKNOWN


def test_constructors_run_up_to_the_base_class() -> None:
    config = made(
        {"parent": "t.B", **program("self.own = local.own * 2", own=1)},
        {"own": 5, "inner": 7},
        B={"init": {"parameters": {"inner": 0}, "steps": ["self.inner = local.inner + self.own"]}},
    )
    assert (config.read("own"), config.read("inner")) == (10, 17)


def test_a_class_without_a_constructor_fills_fields_and_then_runs_what_follows() -> None:
    entry = {
        "fields": {"hidden": 64, "heads": 4, "head_dim": None},
        "post": {
            "steps": [
                {
                    "if": "self.head_dim is None",
                    "then": ["self.head_dim = self.hidden // self.heads"],
                },
                {"super": "post", "of": "t.A", "keywords": True},
            ]
        },
    }
    assert made(entry).read("head_dim") == 16
    assert made(entry, {"head_dim": 99, "more": 1}).read("head_dim") == 99
    assert made(entry, {"more": 1}).read("more") == 1


def test_properties_are_computed_when_they_are_read() -> None:
    entry = {
        "fields": {"layers": 4},
        "properties": {
            "kinds": {"steps": ["local.result = ['x'] * self.layers", "return"], "result": "local.result"},
            "odd": None,
            "endless": {"steps": [], "result": "self.endless"},
        },
    }
    config = made(entry)
    config.write("layers", 2)
    assert config.read("kinds") == ["x", "x"]
    assert config.read("odd") is UNKNOWN
    assert config.read("endless") is UNKNOWN


def test_writing_a_property_runs_its_setter_or_does_nothing() -> None:
    entry = {
        "fields": {"layers": 4},
        "properties": {
            "depth": {"steps": ["local.result = self.layers"], "result": "local.result"},
            "fixed": {"steps": ["local.result = 1"], "result": "local.result"},
        },
        "setters": {"depth": {"required": ["value"], "steps": ["self.layers = local.value"]}},
    }
    config = made(entry, {"depth": 9, "fixed": 8})
    assert (config.read("layers"), config.read("depth"), config.read("fixed")) == (9, 9, 1)


def test_a_part_is_made_by_the_class_that_the_step_names() -> None:
    parts = {"B": {"fields": {"width": 3}}}
    of_class = made(
        program({"build": "self.part", "class": "t.B", "from": "local.part"}, part={}), None, **parts
    )
    assert of_class.read("part").read("width") == 3
    by_type = made(
        program({"build": "self.part", "type": "local.part['model_type']", "from": "local.part"}, part=None),
        {"part": {"model_type": "b", "width": 7}},
        **parts,
    )
    assert by_type.read("part").read("width") == 7
    by_name = made({"subs": {"part": "t.B"}, **program({"build": "self.part", "sub": "part"})}, None, **parts)
    assert by_name.read("part").read("width") == 3


def test_what_a_condition_leaves_open_is_unknown_whichever_way_it_goes() -> None:
    config = made(
        program(
            "self.before = 1",
            {"if": "self.odd > 1", "then": ["self.one = 1"], "else": ["self.other = 2"]},
            "self.after = 3",
        ),
    )
    # `odd` is missing: a real class would not load, and nothing is known of what depends on it.
    assert [config.read(name) for name in ("before", "one", "other", "after")] == [1, UNKNOWN, UNKNOWN, 3]


def test_an_error_that_may_be_caught_leaves_what_both_ways_write_unknown() -> None:
    config = made(
        program({"try": ["self.x = 1 // self.zero"], "except": ["self.x = 5"]}, "self.y = 1", "self.zero = 0")
    )
    assert config.read("x") is UNKNOWN
    assert config.read("y") == 1


def test_a_return_ends_the_innermost_block_of_an_inlined_function() -> None:
    config = made(program({"block": ["self.x = 1", "return", "self.x = 2"]}, "self.y = 3"))
    assert (config.read("x"), config.read("y")) == (1, 3)


def test_keywords_are_dropped_and_lost_as_steps_say() -> None:
    dropped = made(program({"drop": "keyword.gone"}), {"gone": 1, "kept": 2})
    assert (dropped.read("gone"), dropped.read("kept")) == (MISSING, 2)
    listed = made(program({"drop": "['a', 'b']"}), {"a": 1, "b": 2, "c": 3})
    assert (listed.read("a"), listed.read("c")) == (MISSING, 3)
    lost = made(program({"unknown": ["keyword.*"]}), {"a": 1})
    assert lost.read("anything") is UNKNOWN


def test_a_class_that_is_not_recorded_knows_what_it_was_given_and_nothing_else() -> None:
    config = Builder(table({})).build(None, {"layers": 3, "torch_dtype": "bfloat16", "temperature": 1})
    assert (config.read("layers"), config.read("dtype")) == (3, "bfloat16")
    assert config.read("heads") is UNKNOWN
    assert config.data() is UNKNOWN


def test_arguments_about_sampling_are_not_kept() -> None:
    builder = Builder(table({"t.A": {"fields": {}}}, generation=("temperature",)))
    assert builder.build("t.A", {"temperature": 0.5}).read("temperature") is MISSING


def test_an_attribute_that_came_out_otherwise_when_the_table_was_checked_is_unknown() -> None:
    assert made({"fields": {"layers": 4}, "untrusted": ["layers"]}).read("layers") is UNKNOWN


def test_the_names_of_layers_are_brought_up_to_date() -> None:
    config = made(
        {"fields": {"layer_types": None}}, {"layer_types": ["attention", "mamba", "sliding_attention"]}
    )
    assert config.read("layer_types") == ["full_attention", "linear_attention", "sliding_attention"]


def test_nested_objects_read_as_dicts() -> None:
    config = made(
        program({"build": "self.part", "class": "t.B"}), {"x": [1, {"y": 2}]}, B={"fields": {"width": 3}}
    )
    data = config.data()
    assert data["part"]["width"] == 3
    assert data["x"] == [1, {"y": 2}]


def test_only_sglangs_own_classes_are_named_in_the_lineage() -> None:
    classes = table({"s.Own": {"parent": "s.module.Lower"}, "s.module.Lower": {"parent": "t.A"}, "t.A": {}})
    assert Builder(classes).build("s.Own", {}).class_names() == ("Own", "Lower")
    assert Builder(classes).build("t.A", {}).class_names() == ()
