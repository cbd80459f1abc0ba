"""Searches for commands that break one rule and nothing before it: best first, with restarts.

What real SGLang says of them, only it can tell.
"""

from __future__ import annotations

import heapq
import random
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from scripts.truth.distance import Distance, Value
from scripts.truth.scenes import Scene, Stage
from solver.resolution import Resolution

_EXPANSIONS = 30
_MOVES = 60
_HOPELESS = 25.0
_WHOLE = frozenset({"model.config", "model.text_config", "model.config.text_config", "draft_model.config"})
"""Facts that tell all of a model: what is wished of them, others say better."""
_EARLIER = 5
"""Of the rules broken before, how many are minded at a time."""


@dataclass(frozen=True)
class Found:
    """A scene that breaks a rule, and nothing before it."""

    node: int
    scene: Scene


@dataclass(frozen=True, order=True)
class _Seen:
    """A scene, how far it is, and what may bring it nearer. The nearest go first."""

    cost: float
    number: int
    scene: Scene = field(compare=False)
    wishes: dict[int, list[Value]] = field(compare=False)
    is_there: bool = field(compare=False, default=False)


class Search:
    """Looks for witnesses.

    Args:
        stage: resolves scenes.
        pool: values worth trying, by the name of a flag or of a fact.
        seed: of the draws.
    """

    def __init__(self, stage: Stage, pool: dict[str, list[Value]], seed: int) -> None:
        self._stage = stage
        self._pool = pool
        self._rng = random.Random(seed)

    def witness(self, nodes: Sequence[int], starts: Iterable[Scene], *, seconds: float) -> Found | None:
        """A scene in which one of some rules is the first to be broken, and none before it is undecided."""
        until = time.monotonic() + seconds
        for start in starts:
            for node in nodes:
                found = self._search(node, start, until)
                if found is not None:
                    return found
            if time.monotonic() > until:
                break
        return None

    def _search(self, node: int, start: Scene, until: float) -> Found | None:
        """Goes on from the most promising scene that it has seen, wherever it came from."""
        seen = {start.key()}
        frontier = [self._looked_at(node, start, 0)]
        for _ in range(_EXPANSIONS):
            if not frontier or time.monotonic() > until:
                return None
            promising = heapq.heappop(frontier)
            if promising.is_there:
                return Found(node, self._trimmed(node, promising.scene))
            if promising.cost >= _HOPELESS:
                return None
            for moved in self._moves(promising.scene, promising.wishes, seen):
                seen.add(moved.key())
                there = self._looked_at(node, moved, len(seen))
                if there.is_there:
                    return Found(node, self._trimmed(node, moved))
                heapq.heappush(frontier, there)
                if there.cost <= promising.cost - 1.0 or time.monotonic() > until:
                    heapq.heappush(frontier, promising)  # the rest of its moves can wait
                    break
        return None

    def _looked_at(self, node: int, scene: Scene, number: int) -> _Seen:
        resolution = self._stage.resolve(scene)
        if first(resolution) == node:
            return _Seen(0.0, number, scene, {}, is_there=True)
        cost, wishes = self._look(node, resolution)
        return _Seen(cost + 0.02 * (len(scene.given) + len(scene.env)), number, scene, wishes)

    def _look(self, node: int, resolution: Resolution) -> tuple[float, dict[int, list[Value]]]:
        """How far a rule is from being the first broken, and what may bring it nearer."""
        distance = Distance(self._stage, resolution, self._pool)
        cost = distance.of_node(node, want=True)
        earlier = [each for each in resolution.broken if each < node]
        open_before = [each for each in resolution.undecided if each < node]
        for each in (*earlier, *open_before)[:_EARLIER]:
            cost += 0.6 + 0.4 * min(3.0, distance.of_node(each, want=False))
        return cost + 0.3 * max(0, len(earlier) - _EARLIER), distance.wishes

    def _moves(self, scene: Scene, wishes: dict[int, list[Value]], seen: set[str]) -> Iterator[Scene]:
        moves: list[tuple[float, Scene]] = []
        for leaf, wanted in sorted(wishes.items()):
            if self._stage.program.names[leaf] in _WHOLE:
                continue
            some = wanted if len(wanted) <= 6 else self._rng.sample(wanted, 6)
            options = list(self._stage.changed(scene, leaf, some))
            options = options if len(options) <= 6 else self._rng.sample(options, 6)
            moves += ((self._dearness(leaf), option) for option in options)
        for name in scene.given:
            given = {each: value for each, value in scene.given.items() if each != name}
            moves.append((self._rng.random(), Scene(scene.machine, scene.model, scene.env, given)))
        moves.sort(key=lambda move: move[0])
        for _, moved in moves[:_MOVES]:
            if moved.key() not in seen:
                yield moved

    def _dearness(self, leaf: int) -> float:
        """A draw: flags come first, and last what needs another world, which is slow to look at."""
        is_flag = self._stage.program.names[leaf] in self._stage.program.leaf_of_flag
        return self._rng.random() if is_flag else 0.6 + self._rng.random()

    def _trimmed(self, node: int, scene: Scene) -> Scene:
        """The scene without what it does not need."""
        for name in sorted(scene.given):
            given = {each: value for each, value in scene.given.items() if each != name}
            less = Scene(scene.machine, scene.model, scene.env, given)
            if first(self._stage.resolve(less)) == node:
                scene = less
        for name in sorted(scene.env):
            env = {each: value for each, value in scene.env.items() if each != name}
            less = Scene(scene.machine, scene.model, env, scene.given)
            if first(self._stage.resolve(less)) == node:
                scene = less
        return scene


def first(resolution: Resolution) -> int:
    """The first rule broken, if none before it is undecided; else -1."""
    broken, undecided = resolution.broken, resolution.undecided
    if not broken or (undecided and undecided[0] < broken[0]):
        return -1
    return broken[0]
