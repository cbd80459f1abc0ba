"""What is known of the world that a command runs in: gathers facts from the engine's adapter. Judges nothing.

The only module of the solver that knows where an engine's adapter is. Worlds, and what an engine resolves
in one without any flag, are kept: asking about a hundred commands in one world costs one world.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, final

from constraints.errors import FactError
from constraints.expression.values import UNKNOWN
from solver.answers import World
from solver.identity import Identity
from solver.resolution import SOME_TEXT

if TYPE_CHECKING:
    from constraints.vocabulary import Value
    from solver.program import Leaves, Program
    from solver.resolution import Executable, Resolution

ModelConfig: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any]"
"""A path to a model's config.json, or to the folder that holds it; or its content."""


_SAID_BY = {
    "gpu": ("gpu.", "host.", "package."),
    "model_config": ("model.",),
    "model_arch": (),
    "draft_model_config": ("draft_model.",),
}
"""Which facts each source says."""


_ENVIRONMENT = ("env.", "environ.", "env_set.")
"""What facts about environment variables start with."""


def world_of(
    executable: Executable,
    *,
    gpu: str | None = None,
    model_config: ModelConfig | None = None,
    model_arch: str | None = None,
    draft_model_config: ModelConfig | None = None,
    env: Mapping[str, str] | None = None,
    unknown_env: Collection[str] = (),
    flags: Mapping[str, Value] | None = None,
    facts: Mapping[str, Value] | None = None,
) -> World:
    """The facts that a program reads, as far as what is said here tells them.

    Args:
        executable: the program.
        gpu: the name of a machine.
        model_config: the model's configuration.
        model_arch: the name of its architecture, where there is no configuration.
        draft_model_config: that of the model that drafts for it.
        env: the server's environment variables; one that is not in it is taken to be unset.
        unknown_env: variables that are set, but nobody knows to what.
        flags: the flags given; only those that facts depend on (`flags_of_facts`) are looked at.
        facts: single facts by dotted path; these win.

    Raises:
        FactError: the machine's name, or a single fact's, is not known.
        UnreadableInput: the model's configuration can't be read.
    """
    unknown = frozenset(unknown_env)
    depends = {name: flags[name] for name in flags_of_facts(executable.program) if flags and name in flags}
    models = (model_config, draft_model_config)
    return _world(_Question(executable, gpu, models, model_arch, env or {}, unknown, depends, facts or {}))


def flags_of_facts(program: Program) -> tuple[str, ...]:
    """The flags that change what the rules read as facts.

    They belong to the world: no repair changes them.
    """
    if program.engine != "sglang":
        return ()
    from constraints.sglang.flags_of_facts import FLAGS_OF_FACTS

    return tuple(name for name in FLAGS_OF_FACTS if name in program.flags)


def held_flags(program: Program, given: Mapping[str, Value]) -> frozenset[str]:
    """The flags of `flags_of_facts` that no repair may touch: all but those given that change no fact."""
    flags = flags_of_facts(program)
    if not flags:
        return frozenset()
    from constraints.sglang.flags_of_facts import changes_facts

    return frozenset(name for name in flags if name not in given or changes_facts(name, given[name]))


def unsaid_leaves(program: Program, world: World) -> Leaves:
    """The facts of the machine, where nobody said which, and of the model, where nobody said which."""
    return _unsaid(Identity(program), frozenset(world.sources.keys() & _SAID_BY.keys()))


@lru_cache(maxsize=32)
def _unsaid(program: Identity, said: frozenset[str]) -> Leaves:
    prefixes = tuple(prefix for source, names in _SAID_BY.items() if source not in said for prefix in names)
    return sum(1 << leaf for name, leaf in program.of.leaf_of_fact.items() if name.startswith(prefixes))


def base_of(executable: Executable, world: World, given: Collection[str]) -> Resolution:
    """What the engine resolves in this world without any flag but those that it requires.

    These have some text that means nothing; where they are not all given, they are not known.
    """
    is_whole = set(given) >= set(executable.program.required)
    return _resolved(Identity(executable), Identity(world), is_whole=is_whole)


@final
class _Question:
    """The arguments of `world_of`, equal where they ask the same of files that have not changed."""

    __slots__ = ("_key", "env", "executable", "facts", "flags", "gpu", "model_arch", "models", "unknown_env")

    def __init__(
        self,
        executable: Executable,
        gpu: str | None,
        models: tuple[ModelConfig | None, ModelConfig | None],
        model_arch: str | None,
        env: Mapping[str, str],
        unknown_env: frozenset[str],
        flags: Mapping[str, Value],
        facts: Mapping[str, Value],
    ) -> None:
        self.executable = executable
        self.gpu = gpu
        self.models = models
        self.model_arch = model_arch
        self.env = env
        self.unknown_env = unknown_env
        self.flags = flags
        self.facts = facts
        variables = (tuple(sorted(env.items())), unknown_env)
        keys = tuple(map(_model_key, models))
        self._key = (id(executable), gpu, keys, model_arch, variables, _key(flags), _key(facts))

    @property
    def says_anything(self) -> bool:
        asked = (self.gpu, self.model_arch, *self.models)
        return any(each is not None for each in asked) or bool(self.env or self.unknown_env or self.facts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Question) and other._key == self._key

    def __hash__(self) -> int:
        return hash(self._key)


def _model_key(model_config: ModelConfig | None) -> object:
    if model_config is None or isinstance(model_config, Mapping):
        return None if model_config is None else _key(model_config)
    from pathlib import Path

    path = Path(model_config)
    for file in (path, path / "config.json"):
        try:
            status = file.stat()
        except (OSError, ValueError):
            continue  # whoever reads it says what is wrong with it
        if file.is_file():
            return str(path), status.st_mtime_ns, status.st_size
    return str(path)


def _key(mapping: Mapping[str, Any]) -> str:
    if not mapping:
        return ""
    import json

    return json.dumps(dict(mapping), sort_keys=True, default=repr)


@lru_cache(maxsize=32)
def _world(question: _Question) -> World:
    program = question.executable.program
    said: dict[str, Value] = {}
    sources: dict[str, str] = {}
    if program.engine == "sglang":
        said = _sglang_facts(question)
    elif question.gpu is not None or question.model_arch is not None or any(question.models):
        raise FactError(
            "gpu", question.gpu, f"nothing here knows the machines and models of {program.engine}"
        )
    if question.gpu is not None:
        sources["gpu"] = question.gpu
    if question.model_arch is not None:
        sources["model_arch"] = question.model_arch
    for source, model in zip(("model_config", "draft_model_config"), question.models, strict=True):
        if model is not None:
            sources[source] = "(given as a value)" if isinstance(model, Mapping) else str(model)
    variables = {**question.env, **dict.fromkeys(question.unknown_env, "(not known)")}
    read = _variables_read(program) if variables else frozenset()
    # What else a command sets decides nothing, and may be a secret that no report should repeat.
    sources |= {f"env.{name}": variables[name] for name in sorted(variables) if name in read}
    for name, value in question.facts.items():
        if name not in program.leaf_of_fact:
            raise FactError(name, value, _unknown_fact(name, program.leaf_of_fact))
        said[name] = value
        sources[name] = repr(value)
    return World(sources, said)


def _variables_read(program: Program) -> frozenset[str]:
    """The environment variables that rules read, by themselves or where a newer one is not set."""
    paths = [path for path in program.leaf_of_fact if path.startswith(_ENVIRONMENT)]
    for path in paths:
        fact = program.facts.get(path)
        if fact is not None and fact.fallback and fact.fallback not in paths:
            paths.append(fact.fallback)
    names = {path.partition(".")[2] for path in paths if path.startswith(_ENVIRONMENT)}
    return frozenset(names | {name.replace("SGLANG_", "SGL_", 1) for name in names})


def _unknown_fact(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=3)
    return f"no rule of this release reads it{'; near it are ' if near else ''}{', '.join(near)}"


def _sglang_facts(question: _Question) -> dict[str, Value]:
    """What the adapter of SGLang says of the facts that the program reads."""
    if not question.says_anything:
        return {}  # every fact has its default, as it has where runs start from

    from constraints.sglang.facts import gather_facts

    program = question.executable.program
    facts = gather_facts(
        program.facts,
        machine=question.gpu,
        model_config=question.models[0],
        model_architecture=question.model_arch,
        draft_model_config=question.models[1],
        flags=question.flags,
        environment=question.env,
        unknown_environment=question.unknown_env,
        known=question.facts,
    )
    return {name: facts.get(name) for name in program.leaf_of_fact}


@lru_cache(maxsize=32)
def _resolved(executable: Identity, world: Identity, *, is_whole: bool) -> Resolution:
    given = dict.fromkeys(executable.of.program.required, SOME_TEXT if is_whole else UNKNOWN)
    resolution: Resolution = executable.of.resolve(world.of.facts, given)
    return resolution
