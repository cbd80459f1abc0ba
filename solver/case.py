"""One command under one release in one world, read and resolved: what every question starts from.

Judges nothing: `questions` do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from constraints.catalog import Catalog, Value
from constraints.expression.values import same
from constraints.store import releases
from solver.answers import World
from solver.explanation import Explainer
from solver.identity import Identity
from solver.launch import Arguments, Launch, parse_arguments, read_launch
from solver.program import Program
from solver.program_cache import load_executable, make_executable
from solver.reason import Costs, Leaves, Reasons
from solver.resolution import Executable, Resolution
from solver.worlds import ModelConfig, base_of, world_of

Source: TypeAlias = Launch | str | Sequence[str]
"""A launch that was read, a command as one text, or its words."""

_FACT, _GIVEN, _DEFAULT = 2, 4, 5
"""What a leaf costs in an explanation: facts say more than flags, flags given more than flags left alone."""


@dataclass(frozen=True, slots=True)
class Case:
    """A command, and what the engine resolves of it.

    Attributes:
        executable: the release.
        release_source: why that release.
        launch, arguments: the command, and what the engine's argument parser makes of its words.
        world: the facts.
        base: what the engine resolves in that world without any flag.
        resolution: what it resolves of the command.
        different: the leaves of the flags that the command gives another value than they have by default.
        explainer: says why.
    """

    executable: Executable
    release_source: str
    launch: Launch
    arguments: Arguments
    world: World
    base: Resolution
    resolution: Resolution
    different: Leaves
    explainer: Explainer = field(repr=False)

    @property
    def program(self) -> Program:
        return self.executable.program


def case_of(
    source: Source,
    *,
    release: str | None = None,
    gpu: str | None = None,
    model_config: ModelConfig | None = None,
    env: Mapping[str, str] | None = None,
    facts: Mapping[str, Value] | None = None,
    catalog: Catalog | None = None,
) -> Case:
    """Reads a command and resolves it.

    Args:
        source: the command.
        release: a version on offer, or a path to a catalog. Without one: the version of the engine that is
            installed beside this package, if it is on offer; else the newest.
        gpu: the name of a machine.
        model_config: the model's configuration: a path, or its content.
        env: environment variables of the server; those that the command itself sets win.
        facts: single facts by dotted path; these win over all others.
        catalog: a catalog to use instead of one on offer.

    Raises:
        LaunchNotFound, UnreadableInput: there is no launch in the source, or the model's configuration
            can't be read.
        UnknownRelease, CatalogError: there is no such catalog, or it can't be read.
        FactError: a machine or a fact is not known.
    """
    launch = source if isinstance(source, Launch) else read_launch(source)
    if catalog is None:
        release, release_source = (release, "asked for") if release is not None else _release_at_hand()
        executable = load_executable(release)
    else:
        executable, release_source = make_executable(catalog), "the catalog given"
    world = world_of(
        executable,
        gpu=gpu,
        model_config=model_config,
        env={**(env or {}), **launch.environment},
        unknown_env=launch.unknown_environment,
        facts=facts,
    )
    return resolved(executable, release_source, launch, world)


def resolved(executable: Executable, release_source: str, launch: Launch, world: World) -> Case:
    """The case of a launch in a world that is there already."""
    program = executable.program
    arguments = parse_arguments(program.flags, launch)
    given = {name: flag.value for name, flag in arguments.given.items() if name in program.leaf_of_flag}
    base = base_of(executable, world)
    resolution = base.with_given(given)
    different = different_leaves(program, given)
    reasons = Reasons(
        resolution,
        explaining_costs(program, given),
        base=_base_reasons(Identity(base)),
        different=sum(1 << program.leaf_of_flag[name] for name in given),
    )
    explainer = Explainer(resolution, reasons, launch, arguments)
    return Case(executable, release_source, launch, arguments, world, base, resolution, different, explainer)


def different_leaves(program: Program, given: Mapping[str, Value]) -> Leaves:
    """The leaves of flags given another value than their default; a flag that must be given says nothing."""
    leaves = 0
    for name, value in given.items():
        flag = program.flags[name]
        if not same(value, flag.default) and not any(option.required for option in flag.options):
            leaves |= 1 << program.leaf_of_flag[name]
    return leaves


def explaining_costs(program: Program, given: Mapping[str, Value]) -> Costs:
    """What leaves cost in a reason that is to be read."""
    facts = sum(1 << leaf for leaf in program.leaf_of_fact.values())
    flags = sum(1 << program.leaf_of_flag[name] for name in given)
    return Costs(((facts, _FACT), (flags, _GIVEN)), _DEFAULT)


@lru_cache(maxsize=32)
def _base_reasons(base: Identity) -> Reasons:
    return Reasons(base.of, explaining_costs(base.of.program, {}))


def _release_at_hand() -> tuple[str | None, str]:
    """The release to take where none is asked for, and why; None for the newest."""
    installed = _installed_version("sglang")
    offered = releases()
    if installed is not None and installed in offered:
        return installed, "the version installed here"
    return (offered[-1] if offered else None), "the newest on offer"


@lru_cache(maxsize=4)
def _installed_version(distribution: str) -> str | None:
    """The version of a distribution that is installed beside this package.

    Looks at names in the folders where Python looks for modules: `importlib.metadata` would cost a fifth
    of a whole check.
    """
    import os
    import sys

    prefix = f"{distribution}-"
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for name in names:
            if name.startswith(prefix) and name.endswith(".dist-info"):
                return name.removeprefix(prefix).removesuffix(".dist-info")
    return None
