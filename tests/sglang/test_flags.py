"""Flags are read from releases of three styles, each written here in a few lines."""

import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest

from constraints.catalog import Flag, Option
from constraints.errors import CatalogError
from constraints.sglang.flags import extract_flags

ARG_UTILS = """
    from typing import Annotated
    A = Annotated
    class Arg: ...
    class NS: ...
    def add_cli_args_from_dataclass(parser, cls, *, fields=None): ...
"""
ACTIONS = """
    import argparse
    class LoRAPathAction(argparse.Action): ...
    class DeprecatedAction(argparse.Action): ...
    class DeprecatedStoreTrueAction(argparse.Action): ...
    class DeprecatedStoreConstAction(argparse.Action): ...
    class DeprecatedAliasStoreAction(argparse.Action): ...
"""
HEAD = """
    from __future__ import annotations
    import argparse, dataclasses, json
    from typing import Any, ClassVar, Dict, List, Literal, Optional, Union
    from sglang.srt.arg_groups.arg_utils import A, Arg, NS, add_cli_args_from_dataclass
    from sglang.srt.arg_groups.argparse_actions import *
    from sglang.srt.choices import BACKENDS, Kind, Mode, human_readable_int
"""
CHOICES = """
    from enum import Enum, IntEnum
    BACKENDS = ["fa3", "triton"]
    BACKENDS += ["flashinfer"]
    BACKENDS.append("ascend")
    class Kind:
        NONE = "none"
        SOME = "some"
        ALL = (NONE, SOME)
    class Mode(IntEnum):
        OFF = 0
        ON = 1
    def human_readable_int(value): ...
"""


def release(folder: Path, modules: Mapping[str, str]) -> dict[str, Flag]:
    for name, text in modules.items():
        file = folder / "sglang" / "srt" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))
    return {flag.name: flag for flag in extract_flags(folder)}


def annotated(
    folder: Path, fields: str, registrations: str = "", *, before: str = "", after: str = ""
) -> dict[str, Flag]:
    """A release whose class has annotated fields and registers some options by hand."""
    body = textwrap.indent(textwrap.dedent(fields).strip(), "    ")
    by_hand = textwrap.indent(textwrap.dedent(registrations).strip() or "pass", "        ")
    server_args = (
        textwrap.dedent(HEAD)
        + textwrap.dedent(before)
        + f"\n@dataclasses.dataclass\nclass ServerArgs:\n{body}\n"
        + "    @staticmethod\n    def add_cli_args(parser):\n"
        + f"        add_cli_args_from_dataclass(parser, ServerArgs)\n{by_hand}\n"
        + "    @classmethod\n    def from_cli_args(cls, args):\n"
        + (textwrap.indent(textwrap.dedent(after).strip(), "        ") or "        return cls()")
        + "\n"
    )
    modules = {
        "server_args.py": server_args,
        "arg_groups/arg_utils.py": ARG_UTILS,
        "arg_groups/argparse_actions.py": ACTIONS,
        "choices.py": CHOICES,
    }
    return release(folder, modules)


def test_an_annotated_field_becomes_an_option(tmp_path: Path) -> None:
    flags = annotated(tmp_path, 'tp_size: A[int, Arg(help="x", aliases=["--tp"]), NS("parallel")] = 1')
    flag = flags["tp_size"]
    assert (flag.type, flag.default, flag.nullable, flag.group) == ("int", 1, False, "parallel")
    assert flag.options == (Option(("--tp-size", "--tp"), type="int"),)
    assert flag.at == "server_args.py:11"


@pytest.mark.parametrize(
    ("field", "option"),
    [
        ('x: A[bool, "help"] = False', Option(("--x",), "store_true", const=True)),
        ('x: A[Optional[float], "help"] = None', Option(("--x",), type="float")),
        ('x: A[int | None, "help"] = None', Option(("--x",), type="int")),
        ('x: A[Optional[List[int]], "help"] = None', Option(("--x",), type="int", nargs="+")),
        ('x: A[list[str], Arg(nargs="*")] = None', Option(("--x",), nargs="*")),
        ('x: A[Literal["a", "b"], "help"] = "a"', Option(("--x",), choices=("a", "b"))),
        ('x: A[Literal[None, "b"], "help"] = None', Option(("--x",), choices=(None, "b"))),
        ('x: A[Literal[1, 2], "help"] = 1', Option(("--x",), type="int", choices=(1, 2))),
        (
            "x: A[str, Arg(choices=BACKENDS)]",
            Option(("--x",), choices=("fa3", "triton", "flashinfer", "ascend"), required=True),
        ),
        ("x: A[str, Arg(choices=Kind.ALL)] = None", Option(("--x",), choices=("none", "some"))),
        ('x: A[str, Arg(choices=BACKENDS[:1] + ["z"])] = None', Option(("--x",), choices=("fa3", "z"))),
        (
            "x: A[str, Arg(choices=[m.name.lower() for m in Mode])] = None",
            Option(("--x",), choices=("off", "on")),
        ),
        ("x: A[int, Arg(type_parser=human_readable_int)] = 1", Option(("--x",), type="human_readable_int")),
        ("x: A[Dict[str, Any], Arg(type_parser=json.loads)] = None", Option(("--x",), type="json")),
        ('x: A[str, Arg(nargs="?", const="")] = None', Option(("--x",), nargs="?", const="")),
        ('x: A[str, Arg(cli_name="--other")] = None', Option(("--other",))),
        ("x: A[bool, Arg(action=argparse.BooleanOptionalAction)] = None", Option(("--x",), "boolean")),
        (
            'x: A[Any, Arg(action=LoRAPathAction, action_kwargs={"type": str, "nargs": "*"})] = None',
            Option(("--x",), "custom", "lora_paths", nargs="*"),
        ),
        (
            'x: A[bool, "(Deprecated: use --y instead) Text."] = False',
            Option(("--x",), "store_true", const=True, deprecated=True, replacement="--y"),
        ),
    ],
)  # fmt: skip
def test_a_field_is_registered_by_its_type(tmp_path: Path, field: str, option: Option) -> None:
    assert annotated(tmp_path, field)["x"].options == (option,)


@pytest.mark.parametrize("field", ["x: A[int, Arg(no_cli=True)] = 1", "x: Optional[int] = 1"])
def test_a_field_without_a_command_line_is_a_flag_without_options(tmp_path: Path, field: str) -> None:
    flag = annotated(tmp_path, field)["x"]
    assert (flag.type, flag.default, flag.options) == ("int", 1, ())


def test_a_class_variable_is_no_flag(tmp_path: Path) -> None:
    assert "X" not in annotated(tmp_path, "X: ClassVar[int] = 1\ny: int = 2")


def test_a_fallback_is_kept(tmp_path: Path) -> None:
    assert annotated(tmp_path, "x: A[Optional[float], Arg(fallback=0.8)] = None")["x"].fallback == 0.8


def test_a_default_factory_is_called(tmp_path: Path) -> None:
    assert (
        annotated(tmp_path, 'x: A[List[str], "help"] = dataclasses.field(default_factory=list)')["x"].default
        == []
    )


def test_options_registered_by_hand_belong_to_their_fields(tmp_path: Path) -> None:
    flags = annotated(
        tmp_path,
        "old: A[bool, Arg(no_cli=True)] = False\nfast: A[bool, 'help'] = False\nname: A[str, 'help'] = 'a'",
        """
        parser.add_argument("--old", action=DeprecatedStoreTrueAction, new_flag="--fast", help="x")
        parser.add_argument("--speed", action=DeprecatedStoreConstAction, dest="fast", nargs=None,
                            choices=["high"], const_value=True, new_flag="--fast")
        parser.add_argument("--alias", action=DeprecatedAliasStoreAction, dest="name", type=str,
                            new_flag="--name", default=argparse.SUPPRESS)
        parser.add_argument("--gone", action=DeprecatedAction, error_message="--gone went away: use --fast")
        parser.add_argument("--idle", action=DeprecatedAction)
        """,
    )
    assert flags["old"].options == (
        Option(("--old",), "store_const", const=True, deprecated=True, replacement="--fast"),
    )
    assert flags["fast"].options[1] == Option(
        ("--speed",), "store_const", choices=("high",), const=True, deprecated=True, replacement="--fast"
    )
    assert flags["name"].options[1] == Option(("--alias",), deprecated=True, replacement="--name")
    assert flags["name"].default == "a"
    assert flags["gone"].options[0].type == "retired"
    assert flags["gone"].options[0].replacement == "--fast"
    assert flags["idle"].options[0].type == "ignored"


def test_choices_worked_out_on_the_way_are_followed(tmp_path: Path) -> None:
    flags = annotated(
        tmp_path,
        "x: A[str, Arg(no_cli=True)] = 'b'",
        """
        choices = set(BACKENDS)
        if envs.EXTRA.get():
            choices.add("extra")
        if names():
            choices.add("z")
        parser.add_argument("--x", choices=choices, default=ServerArgs.x, help=f"one of {choices}")
        """,
        before="""
        import sys
        class EnvBool: ...
        class Envs:
            EXTRA = EnvBool(False)
        envs = Envs()
        def names():
            module = sys.modules.get("x")
            if module is not None:
                return module.names
            from sglang.srt.choices import Kind
            return list(Kind.ALL)
        """,
    )
    assert flags["x"].options == (Option(("--x",), choices=("ascend", "fa3", "flashinfer", "triton", "z")),)
    assert flags["x"].default == "b"


def test_help_and_the_configuration_file_are_flags_too(tmp_path: Path) -> None:
    flags = annotated(tmp_path, "x: int = 1", 'parser.add_argument("--config", type=str)')
    assert flags["help"].options == (Option(("-h", "--help"), "custom", "help"),)
    assert flags["config"].options == (Option(("--config",), type="config_file"),)


def test_options_copied_to_another_field_belong_to_that(tmp_path: Path) -> None:
    flags = annotated(
        tmp_path,
        "tp_size: int = 1",
        'parser.add_argument("--tensor-parallel-size", "--tp", type=int, default=2)',
        after="args.tp_size = args.tensor_parallel_size\nreturn cls()",
    )
    assert flags["tp_size"].options == (Option(("--tensor-parallel-size", "--tp"), type="int"),)
    assert flags["tp_size"].default == 2
    assert "tensor_parallel_size" not in flags


def test_fields_collected_from_namespaces_keep_the_order_of_old_fields(tmp_path: Path) -> None:
    modules = {
        "arg_groups/arg_utils.py": ARG_UTILS,
        "arg_groups/field_order.py": 'POSITIONAL_FIELD_ORDER = ("c", "a")',
        "arg_groups/fields/__init__.py": """
            from sglang.srt.arg_groups.field_order import POSITIONAL_FIELD_ORDER
            def collect_input_fields(sources): ...
        """,
        "arg_groups/fields/one.py": """
            from sglang.srt.arg_groups.arg_utils import A, Arg
            import msgspec
            class One(msgspec.Struct):
                _NS_PATH = "one"
                a: A[int, "help"] = 1
                b: A[int, "help"] = 2
                derived = object()
        """,
        "arg_groups/fields/two.py": """
            from ..arg_utils import A
            class Two:
                _NS_PATH = "two"
                c: A[list[str], "help"] = msgspec.field(default_factory=list)
            import msgspec
        """,
        "server_args.py": """
            import msgspec
            from sglang.srt.arg_groups.arg_utils import add_cli_args_from_dataclass
            from sglang.srt.arg_groups.fields import collect_input_fields
            from sglang.srt.arg_groups.fields.one import One
            from sglang.srt.arg_groups.fields.two import Two
            class ServerArgs:
                @staticmethod
                def add_cli_args(parser):
                    add_cli_args_from_dataclass(parser, ServerArgs)
                    parser.add_argument("--d", default=_declared_default("b"))
                @classmethod
                def from_cli_args(cls, args): ...
            SOURCES = [One, Two]
            annotations, defaults = collect_input_fields(SOURCES)
            ServerArgs = msgspec.defstruct("ServerArgs", annotations)
            def _declared_default(name):
                return next(f.default for f in msgspec.structs.fields(ServerArgs) if f.name == name)
        """,
    }
    flags = release(tmp_path, modules)
    assert list(flags) == ["c", "a", "b", "help", "d"]
    assert [flags[name].group for name in "cab"] == ["two", "one", "one"]
    assert flags["c"].default == []
    assert flags["d"].default == 2
    assert flags["a"].at == "arg_groups/fields/one.py:6"


def test_a_phase_configuration_knows_its_phases_and_their_keys(tmp_path: Path) -> None:
    flags = annotated(
        tmp_path,
        "x: A[Optional[dict], Arg(type_parser=parse_cuda_graph_config_arg)] = None",
        before="""
        class Phase:
            DECODE = "decode"
        ALLOWED_KEYS_PER_PHASE = {Phase.DECODE: ("backend", "bs")}
        def parse_cuda_graph_config_arg(raw): ...
        """,
    )
    assert flags["x"].options[0].type == "json_sections decode:backend,bs"


@pytest.mark.parametrize(
    "registration",
    [
        'parser.add_argument("--x", type=unknown_parser)',
        'parser.add_argument("--x", choices=list_of_files())',
        'parser.add_argument("--x", action=UnknownAction)',
        'while True: parser.add_argument("--x")',
    ],
)
def test_what_is_not_understood_is_never_left_out(tmp_path: Path, registration: str) -> None:
    before = (
        "def unknown_parser(text): ...\nclass UnknownAction: ...\nfrom os import listdir as list_of_files\n"
    )
    with pytest.raises(CatalogError) as refused:
        annotated(tmp_path, "x: int = 1", registration, before=before)
    assert refused.value.path == "server_args.py"
    assert refused.value.line is not None


def test_a_folder_without_the_package_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="server_args"):
        extract_flags(tmp_path)
