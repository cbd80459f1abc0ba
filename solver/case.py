"""One command under one release in one world, read and resolved: what every question starts from.

Judges nothing: `questions` do.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, TypeAlias, TypedDict

from constraints.expression.values import same
from constraints.store import releases
from solver.answers import World
from solver.launch import Arguments, GivenFlag, Launch, parse_arguments, read_launch
from solver.program import Leaves, Program
from solver.program_cache import load_executable, make_executable
from solver.resolution import Executable, Resolution
from solver.worlds import ModelConfig, base_of, unsaid_leaves, world_of

if TYPE_CHECKING:
    from constraints.catalog import Catalog
    from constraints.vocabulary import Value
    from solver.explanation import Explainer
    from solver.undecided import Telling
    from solver.unknown import Unknowns

Source: TypeAlias = Launch | str | Sequence[str]
"""A launch that was read, a command as one text, or its words."""


class Circumstances(TypedDict, total=False):
    """What a question is told besides the command; each as for `solver.check`."""

    release: str | None
    gpu: str | None
    model_config: ModelConfig | None
    model_arch: str | None
    draft_model_config: ModelConfig | None
    env: Mapping[str, str] | None
    facts: Mapping[str, Value] | None
    catalog: Catalog | None


@dataclass(frozen=True, eq=False)
class Case:
    """A command, and what the engine resolves of it.

    Attributes:
        executable: the release.
        release_source: why that release.
        launch, arguments: the command, and what the engine's argument parser makes of its words.
        world: the facts.
        base: what the engine resolves in that world without any flag.
        resolution: what it resolves of the command, with its changes.
        set_to: flags that are to have another value than the words say.
        unset: flags that are to be left out.
    """

    executable: Executable
    release_source: str
    launch: Launch
    arguments: Arguments
    world: World
    base: Resolution
    resolution: Resolution
    set_to: Mapping[str, Value] = field(default_factory=dict)
    unset: frozenset[str] = frozenset()

    @property
    def program(self) -> Program:
        return self.executable.program

    @cached_property
    def given(self) -> Mapping[str, Value]:
        """The flags given, after the changes, by field name."""
        words = self.arguments.given
        values = {name: words[name].value for name in words if name in self.program.leaf_of_flag}
        values.update(self.set_to)
        return {name: value for name, value in values.items() if name not in self.unset}

    @cached_property
    def different(self) -> Leaves:
        """The leaves of the flags given another value than their default; what must be given says nothing."""
        return different_leaves(self.program, self.given)

    @cached_property
    def unknowns(self) -> Unknowns:
        """Why values are not known."""
        from solver.unknown import Unknowns, unknowns_of

        is_changed = bool(self.set_to or self.unset)
        return Unknowns(self.resolution, base=None if is_changed else unknowns_of(self.base))

    def telling(self) -> Telling:
        """Says which undecided rules say something about the command."""
        from solver.undecided import Telling

        return Telling(self.resolution, self.unknowns, self.base, self.different, self.unsaid)

    @cached_property
    def unsaid(self) -> Leaves:
        """The facts that nobody was asked about."""
        return unsaid_leaves(self.program, self.world)

    @cached_property
    def explainer(self) -> Explainer:
        """Says why. Made when first asked for: most commands leave nothing to explain."""
        from solver.explanation import explainer_of

        return explainer_of(self)

    def written(self, flag: str) -> GivenFlag | None:
        """How a flag is written in the command; None where it is not, or is to be otherwise."""
        is_otherwise = flag in self.set_to or flag in self.unset
        return None if is_otherwise else self.arguments.given.get(flag)

    def changed(self, set_to: Mapping[str, Value], unset: Collection[str] = ()) -> Case:
        """The case with some flags set otherwise, and some left out."""
        problems = self.arguments.problems
        left = tuple(each for each in problems if each.flag not in set_to and each.flag not in unset)
        before = {name: value for name, value in self.set_to.items() if name not in unset}
        return replace(
            self,
            arguments=replace(self.arguments, problems=left),
            resolution=self.resolution.with_given(set_to, dropped=unset),
            set_to={**before, **set_to},
            unset=(self.unset - set_to.keys()) | frozenset(unset),
        )


def case_of(
    source: Source,
    *,
    release: str | None = None,
    gpu: str | None = None,
    model_config: ModelConfig | None = None,
    model_arch: str | None = None,
    draft_model_config: ModelConfig | None = None,
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
        model_arch: the name of its architecture, where there is no configuration at hand.
        draft_model_config: the same of the model that drafts for it.
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
    arguments = parse_arguments(executable.program.flags, launch)
    world = world_of(
        executable,
        gpu=gpu,
        model_config=model_config,
        model_arch=model_arch,
        draft_model_config=draft_model_config,
        env={**(env or {}), **launch.environment},
        unknown_env=launch.unknown_environment,
        flags={name: flag.value for name, flag in arguments.given.items()},
        facts=facts,
    )
    return resolved(executable, release_source, launch, world, arguments)


def resolved(
    executable: Executable,
    release_source: str,
    launch: Launch,
    world: World,
    arguments: Arguments | None = None,
) -> Case:
    """The case of a launch in a world that is there already."""
    program = executable.program
    arguments = arguments or parse_arguments(program.flags, launch)
    given = {name: flag.value for name, flag in arguments.given.items() if name in program.leaf_of_flag}
    base = base_of(executable, world, given)
    return Case(executable, release_source, launch, arguments, world, base, base.with_given(given))


def different_leaves(program: Program, given: Mapping[str, Value]) -> Leaves:
    """The leaves of flags with another value than their default, without those that must be given."""
    leaves = 0
    for name, value in given.items():
        flag = program.flags[name]
        if not same(value, flag.default) and not any(option.required for option in flag.options):
            leaves |= 1 << program.leaf_of_flag[name]
    return leaves


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

    start, end = f"{distribution}-", ".dist-info"
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for name in names:
            if name.startswith(start) and name.endswith(end):
                return name.removeprefix(start).removesuffix(end)
    return None
