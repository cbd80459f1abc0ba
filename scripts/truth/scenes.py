"""Configurations that a search for witnesses moves through, and what the engine resolves in each.

A scene is a machine, a model, environment variables and flags. `Stage` resolves scenes and knows what can be
changed in one so that a leaf of the program gets a wanted value; which to change, it leaves to others.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from constraints.domain import spell
from constraints.expression.values import MISSING, UNKNOWN, same
from constraints.sglang.model_facts import model_facts
from scripts.truth.records import MODELS, Request
from solver.program import Program
from solver.resolution import Executable, Resolution
from solver.worlds import world_of

Value: TypeAlias = Any
DRAFT = "speculative_draft_model_path"
_KEPT_WORLDS = 200


@dataclass(frozen=True, eq=False)
class Scene:
    """A configuration.

    Attributes:
        machine, model: by name.
        env: environment variables.
        given: flags by field name, without the model's path.
    """

    machine: str
    model: str
    env: Mapping[str, str]
    given: Mapping[str, Value]

    def key(self) -> str:
        """The same for equal scenes."""
        return repr((self.machine, self.model, sorted(self.env.items()), sorted(self.given.items())))


class Stage:
    """Resolves scenes.

    Args:
        executable: the release.
        models: the folder with the models' configurations.
        facts: what is known besides, for each machine.
    """

    def __init__(
        self, executable: Executable, models: Path, facts: Mapping[str, Mapping[str, Value]]
    ) -> None:
        self.executable = executable
        self.program: Program = executable.program
        self.models = models
        self.names = sorted(path.parent.name for path in models.glob("*/config.json"))
        self._facts = facts
        self._spellable: dict[tuple[str, str, str], bool] = {}
        self._bases: OrderedDict[object, Resolution] = OrderedDict()

    @property
    def machines(self) -> Sequence[str]:
        return tuple(self._facts)

    def resolve(self, scene: Scene) -> Resolution:
        """What the engine makes of a scene."""
        key = (scene.machine, scene.model, tuple(sorted(scene.env.items())), scene.given.get(DRAFT))
        base = self._bases.get(key)
        if base is None:
            base = self._bases[key] = self.executable.resolve(
                self._world(scene), {"model_path": str(self.models / scene.model)}
            )
            if len(self._bases) > _KEPT_WORLDS:
                self._bases.popitem(last=False)
        return base.with_given({name: self._absolute(value) for name, value in scene.given.items()})

    def request(self, scene: Scene) -> Request | None:
        """The command; None if no words give one of its flags its value."""
        words: list[str] = []
        for name, value in sorted(scene.given.items()):
            spelled = spell(self.program.flags[name], value)
            if spelled is None:
                return None
            words += spelled
        return Request((*words, "--model-path", f"{MODELS}/{scene.model}"), dict(scene.env))

    def scene(self, machine: str, request: Request, given: Mapping[str, Value]) -> Scene:
        """The scene of a command of which the flags are read already."""
        flags = {name: self._portable(value) for name, value in given.items() if name != "model_path"}
        known = {name: value for name, value in flags.items() if name in self.program.leaf_of_flag}
        return Scene(machine, request.model or "llama", dict(request.env), known)

    def changed(self, scene: Scene, leaf: int, wanted: Iterable[Value]) -> Iterator[Scene]:
        """Scenes that differ in what gives a leaf its value, one for each wanted value that it can have."""
        name = self.program.names[leaf]
        source, _, rest = name.partition(".")
        if name in self.program.leaf_of_flag:
            yield from self._with_flag(scene, name, wanted)
        elif source in {"env", "environ", "env_set"}:
            yield from self._with_variable(scene, source, rest, wanted)
        elif source == "model":
            for model in self._that_say(self._by_model, name, wanted):
                yield replace(scene, model=model)
        elif source == "draft_model":
            for model in self._that_say(self._by_draft, name, wanted):
                yield replace(scene, given={**scene.given, DRAFT: f"{MODELS}/{model}"})
        else:
            for machine in self._that_say(self._by_machine, name, wanted):
                yield replace(scene, machine=machine)

    def can_be(self, name: str, value: Value) -> bool:
        """Whether words give a flag a value, or leaving it out does."""
        key = (name, type(value).__name__, repr(value))
        if key not in self._spellable:
            flag = self.program.flags[name]
            self._spellable[key] = same(value, flag.default) or spell(flag, value) is not None
        return self._spellable[key]

    def _with_flag(self, scene: Scene, name: str, wanted: Iterable[Value]) -> Iterator[Scene]:
        flag = self.program.flags[name]
        for value in wanted:
            given = dict(scene.given)
            if same(value, flag.default):
                given.pop(name, None)
            elif name == "model_path" or not self.can_be(name, value):
                continue
            else:
                given[name] = value
            yield replace(scene, given=given)

    def _with_variable(
        self, scene: Scene, source: str, name: str, wanted: Iterable[Value]
    ) -> Iterator[Scene]:
        for value in wanted:
            env = dict(scene.env)
            env.pop(name, None)
            if source == "env_set":
                texts = ["1"] if value else []
            else:
                texts = [] if value is None or isinstance(value, (list, dict, tuple, set)) else [_text(value)]
            if texts:
                env[name] = texts[0]
            if env != scene.env:
                yield replace(scene, env=env)

    def _that_say(
        self, table: Mapping[str, Mapping[str, Value]], fact: str, wanted: Iterable[Value]
    ) -> list[str]:
        values = list(wanted)
        return [
            name
            for name, facts in table.items()
            if any(
                facts.get(fact, UNKNOWN) is value or same(facts.get(fact, UNKNOWN), value) for value in values
            )
        ]

    def values_of(self, leaf: int) -> list[Value]:
        """The values that a fact of the machine or a model has anywhere."""
        name = self.program.names[leaf]
        source = name.partition(".")[0]
        table = {"model": self._by_model, "draft_model": self._by_draft}.get(source, self._by_machine)
        found: list[Value] = []
        for facts in table.values():
            value = facts.get(name, UNKNOWN)
            if value is not UNKNOWN and not any(value is each or same(value, each) for each in found):
                found.append(value)
        return found

    @cached_property
    def _by_model(self) -> dict[str, dict[str, Value]]:
        return {name: self._facts_of(name, "model.") for name in self.names}

    @cached_property
    def _by_draft(self) -> dict[str, dict[str, Value]]:
        return {name: self._facts_of(name, "draft_model.") for name in self.names}

    @cached_property
    def _by_machine(self) -> dict[str, dict[str, Value]]:
        return {
            machine: dict(world_of(self.executable, gpu=machine, facts=self._facts[machine]).facts)
            for machine in self.machines
        }

    def _facts_of(self, model: str, role: str) -> dict[str, Value]:
        known = model_facts(self.models / model)
        return {path: known.get(path) for path in self.program.leaf_of_fact if path.startswith(role)}

    def _world(self, scene: Scene) -> Mapping[str, Value]:
        facts = dict(self._facts[scene.machine])
        draft = str(scene.given.get(DRAFT) or "").removeprefix(f"{MODELS}/")
        if draft in self._by_draft:
            facts |= self._by_draft[draft]
        return world_of(
            self.executable,
            gpu=scene.machine,
            model_config=self.models / scene.model,
            env=scene.env,
            facts=facts,
        ).facts

    def _absolute(self, value: Value) -> Value:
        if isinstance(value, str):
            return value.replace(MODELS, str(self.models))
        return [self._absolute(each) for each in value] if isinstance(value, list) else value

    def _portable(self, value: Value) -> Value:
        if isinstance(value, str):
            return value.replace(str(self.models), MODELS)
        return [self._portable(each) for each in value] if isinstance(value, list) else value


def _text(value: Value) -> str:
    """A variable's text that is read as a value."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float) and value == math.floor(value):
        return str(int(value))
    return str(value)


def is_real(value: Value) -> bool:
    """Whether a value is one, and not a mark for the absence of one."""
    return value is not UNKNOWN and value is not MISSING
