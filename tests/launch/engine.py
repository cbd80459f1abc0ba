"""A small engine's flags, one of every kind that there is."""

from collections.abc import Mapping
from typing import Any

from constraints.catalog import Flag, Option
from solver.launch import Arguments, Launch, Word, parse_arguments
from solver.launch.words import Form


def _flag(name: str, type_: str = "str", *written: str, default: Any = None, **option: Any) -> Flag:
    spellings = written or ("--" + name.replace("_", "-"),)
    return Flag(name, type_, default, options=(Option(spellings, **option),))


_ALL = (
    _flag("model_path", "str", "--model-path", "--model", required=True),
    _flag("tp_size", "int", "--tensor-parallel-size", "--tp-size", "--tp", type="int", default=1),
    _flag("pp_size", "int", "--pipeline-parallel-size", "--pp-size", type="int", default=1),
    _flag("mem_fraction", "float", type="float"),
    _flag("context_length", "int", type="human_readable_int"),
    _flag("backend", choices=("fa3", "flashinfer", "triton")),
    _flag("chunk", "int", type="int", choices=(16, 32)),
    _flag("trust_remote_code", "bool", action="store_true", default=False),
    _flag("enable_lora", "bool", action="boolean"),
    _flag("buckets", "list[int]", type="int", nargs="+"),
    _flag("modules", "list[str]", nargs="*", choices=("q_proj", "k_proj")),
    _flag("pair", "list[int]", type="int", nargs=2),
    _flag("checksum", "str", nargs="?", const=""),
    _flag("quant_path", "str", type="nullable_str"),
    _flag("extra", "json", type="json"),
    _flag("endpoints", "json", type="json_list"),
    _flag("graph", "json", type="json_sections decode:bs,backend prefill:bs"),
    _flag("lora_paths", "json", action="custom", type="lora_paths", nargs="*"),
    _flag("host", "str"),
    _flag("header", "list[str]", action="append"),
    Flag(
        "fast",
        "bool",
        False,
        options=(
            Option(("--fast",), action="store_true"),
            Option(
                ("--speed",),
                "store_const",
                choices=("high",),
                const=True,
                deprecated=True,
                replacement="--fast",
            ),
        ),
    ),
    _flag("no_graph", "bool", action="store_const", const=True, deprecated=True, replacement="--graph=off"),
    _flag("config", type="config_file"),
    _flag("help", "bool", "-h", "--help", action="custom", type="help"),
)
FLAGS = {flag.name: flag for flag in _ALL}

RETIRED = {
    **FLAGS,
    "old": _flag("old", "bool", action="custom", type="retired", replacement="--fast"),
    "idle": _flag("idle", "bool", action="custom", type="ignored", deprecated=True),
}


def parsed(*words: str, flags: Mapping[str, Flag] = FLAGS, form: Form = "module") -> Arguments:
    return parse_arguments(flags, Launch(tuple(Word(word) for word in words), form=form))


def given(*words: str, **keywords: Any) -> dict[str, Any]:
    return {name: flag.value for name, flag in parsed("--model", "m", *words, **keywords).given.items()}


def codes(*words: str, **keywords: Any) -> list[str]:
    return [problem.code for problem in parsed("--model", "m", *words, **keywords).problems]
