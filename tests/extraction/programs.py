"""Random functions over a few flags, made of the constructs that the engine's source is made of.

Each is a Python function `resolve(server_args)` with helpers, typed well enough that what it does wrong (a
missing key, a division by zero, text that is no number) is what the engine's own source might do wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from hypothesis import strategies as st

DOMAINS: dict[str, list[Any]] = {
    "a": [1, 0, 3],
    "n": [None, 2],
    "c": [False, True],
    "s": ["x", "12"],
    "l": [[], [1], [3, 0]],
}
Draw = Callable[[st.SearchStrategy[Any]], Any]
T = TypeVar("T")


@dataclass
class Writer:
    """Writes one program; `loops` says whether a break is possible here, `helpers` what may be called."""

    draw: Draw
    helpers: list[str] = field(default_factory=list)
    ints: list[str] = field(default_factory=lambda: ["cfg.a", "i", "j"])
    loop: bool = False
    returns: bool = False

    def pick(self, *options: T) -> T:
        chosen: T = self.draw(st.sampled_from(options))
        return chosen

    def number(self, depth: int = 2) -> str:
        if depth == 0:
            return self.pick("0", "1", "2", *self.ints)
        d = depth - 1
        kind = self.pick(*range(16 if self.helpers else 15))
        if kind <= 2:
            return self.number(0)
        if kind == 3:
            return f"({self.number(d)} {self.pick('+', '-', '*')} {self.number(d)})"
        if kind == 4:
            return f"({self.number(d)} {self.pick('%', '//')} {self.pick('2', '3', 'cfg.a', 'i')})"
        if kind == 5:
            return f"({self.number(d)} if {self.test(d)} else {self.number(d)})"
        if kind == 6:
            return f"(cfg.n or {self.number(d)})"
        if kind == 7:
            return f"len({self.pick('cfg.l', 'q', 'cfg.s', 'u', 'd')})"
        if kind == 8:
            return f"{self.pick('max', 'min')}({self.number(d)}, {self.number(d)})"
        if kind == 9:
            return f"d.get({self.key()}, {self.number(d)})"
        if kind == 10:
            return f"d[{self.key()}]"
        if kind == 11:
            return "int(cfg.s)"
        if kind == 12:
            return f"sum(e for e in {self.pick('q', 'cfg.l')} if {self.with_element(d)})"
        if kind == 13:
            return f"{self.pick('next((e for e in q if e > 1), 7)', 'len(Mode[cfg.s].value)', 'o.size')}"
        if kind == 14:
            return f"(bool({self.test(d)}) + {self.number(d)})"
        number, by_name = self.number(d), self.pick("", "p=")
        return f"{self.pick(*self.helpers)}(server_args, cfg, {number}, {by_name}{self.test(d)})"

    def key(self) -> str:
        return self.pick('"x"', '"y"', "cfg.s")

    def with_element(self, depth: int) -> str:
        outer, self.ints = self.ints, [*self.ints, "e", "e"]
        try:
            return self.test(depth)
        finally:
            self.ints = outer

    def test(self, depth: int = 2) -> str:
        if depth == 0:
            return self.pick("cfg.c", "p", "cfg.n is None", "cfg.s == 'x'", "q", "cfg.l", "m is Mode.x")
        d = depth - 1
        kind = self.pick(*range(15))
        if kind <= 1:
            return self.test(0)
        if kind == 2:
            return f"{self.number(d)} {self.pick('<', '<=', '==', '!=', '>')} {self.number(d)}"
        if kind == 3:
            least, middle = (
                f"{self.number(d)} {self.pick('<', '<=')}",
                f"{self.number(d)} {self.pick('<', '==')}",
            )
            return f"{least} {middle} {self.number(d)}"
        if kind == 4:
            return f"(not {self.test(d)})"
        if kind in {5, 6}:
            return f"({self.test(d)} {self.pick('and', 'or')} {self.test(d)})"
        if kind == 7:
            return f"{self.text(d)} {self.pick('==', '!=')} {self.text(d)}"
        if kind == 8:
            return f"{self.text(d)} {self.pick('in', 'not in')} ('x', 'X', '12')"
        if kind == 9:
            return f"{self.pick('any', 'all')}({self.with_element(d)} for e in {self.pick('q', 'cfg.l')})"
        if kind == 10:
            return f"{self.number(d)} {self.pick('in', 'not in')} {self.pick('q', 'cfg.l', 'u')}"
        if kind == 11:
            return f"{self.key()} in d"
        if kind == 12:
            return f"({self.test(d)} if {self.test(d)} else {self.test(d)})"
        if kind == 13:
            return f"bool({self.number(d)})"
        return self.pick("m.is_x()", "o.on", "o.size > 1", "isinstance(cfg.n, int)", "(w := cfg.a) > 1")

    def text(self, depth: int = 1) -> str:
        if depth == 0:
            return self.pick("'x'", "'y'", "cfg.s", "t")
        d = depth - 1
        kind = self.pick(*range(6))
        if kind <= 2:
            return self.text(0)
        if kind == 3:
            return f"{self.text(d)}.{self.pick('upper', 'lower')}()"
        if kind == 4:
            return f"({self.text(d)} if {self.test(d)} else {self.text(d)})"
        return self.pick("f'{cfg.a}{t}'", "f'{i}'", "f'{cfg.s!r}'", "f'{t}-{cfg.n}'")

    def block(self, depth: int, indent: str) -> list[str]:
        lines: list[str] = []
        for _ in range(self.pick(1, 1, 2, 3)):
            lines += self.statement(depth, indent)
        return lines

    def statement(self, depth: int, indent: str) -> list[str]:
        kind = self.pick(*range(20 if depth else 12))
        within = indent + "    "
        if kind <= 1:
            return [f"{indent}{self.pick('i', 'j')} {self.pick('=', '=', '+=')} {self.number()}"]
        if kind == 2:
            return [indent + self.pick(f"p = {self.test()}", f"t = {self.text()}")]
        if kind in {3, 4}:
            value = self.pick(
                f"a={self.number()}",
                f"n={self.number()}",
                "n=None",
                f"c=bool({self.test()})",
                f"s={self.text()}",
                f"a={self.number()}, s={self.text()}",
                "**{'a': " + self.number() + "}",
            )
            return [f"{indent}declare_resolution(server_args, 'r', {value})"]
        if kind == 5:
            return [
                indent
                + self.pick(
                    f"q.append({self.number()})",
                    f"q = [{self.number()}, {self.number()}]",
                    "q = []",
                    f"q = [{self.number()} for e in q if {self.with_element(1)}]",
                    f"u.add({self.number(0)})",
                    f"q.extend([{self.number()}])",
                    "q = sorted(q)",
                    "q = list(u)",
                    f"u = {{{self.number(0)}}}",
                    f"q += [{self.number()}]",
                )
            ]
        if kind == 6:
            return [
                indent
                + self.pick(
                    f"d['x'] = {self.number()}",
                    f"d['y'] = {self.number()}",
                    "d.pop('x', None)",
                    f"d = {{'y': {self.number()}}}",
                    f"d.setdefault('y', {self.number()})",
                    f"d.update(x={self.number()})",
                    f"d = {{k: v for k, v in d.items() if {self.test(1)}}}",
                )
            ]
        if kind == 7:
            return [
                indent
                + self.pick(
                    f"o.size = {self.number()}",
                    f"o = dataclasses.replace(o, on={self.test()})",
                    "m = Mode.y",
                    "m = Mode('x' if cfg.c else 'y')",
                    f"o = Options({self.number()})",
                    "m = Mode[cfg.s]",
                )
            ]
        if kind == 8:
            return [f"{indent}assert {self.test()}"]
        if kind == 9:
            return [f"{indent}if {self.test()}:", within + self.refusal()]
        if kind == 10 and self.loop:
            return [f"{indent}if {self.test()}:", within + self.pick("break", "continue")]
        if kind == 11 and self.returns:
            return [f"{indent}if {self.test()}:", f"{within}return {self.number()}"]
        if kind in {10, 11}:
            return [f"{indent}i = {self.number()}"]
        d = depth - 1
        if kind <= 14:
            lines = [f"{indent}if {self.test()}:", *self.block(d, within)]
            if self.pick(False, True):
                lines += [f"{indent}elif {self.test()}:", *self.block(d, within)]
            return [*lines, f"{indent}else:", *self.block(d, within)] if self.pick(False, True) else lines
        if kind <= 16:
            return self.loop_over(d, indent)
        lines = [f"{indent}try:", *self.block(d, within)]
        for names in self.pick(
            ("ValueError",), ("KeyError", "ValueError"), ("Exception",), ("(KeyError, ZeroDivisionError)",)
        ):
            ends = self.pick([], [], [f"{within}raise"], [f"{within}raise ValueError('other')"])
            lines += [f"{indent}except {names}:", *self.block(d, within), *ends]
        if self.pick(False, False, True):
            lines += [f"{indent}else:", *self.block(d, within)]
        if self.pick(False, False, True):
            lines += [f"{indent}finally:", within + self.cleaning()]
        return lines

    def loop_over(self, depth: int, indent: str) -> list[str]:
        within = indent + "    "
        over = self.pick("(1, 2)", "range(3)", "list(q)", "[cfg.a, 2]", "cfg.l")
        outer, loop = self.ints, self.loop
        self.ints, self.loop = [*self.ints, "e"], True
        try:
            if over == "cfg.l":
                body = [f"{within}if {self.with_element(2)}:", f"{within}    {self.refusal()}"]
            else:
                body = self.block(depth, within)
        finally:
            self.ints, self.loop = outer, loop
        ends = [f"{indent}else:", f"{within}i = 5"] if self.pick(False, False, True) else []
        return [f"{indent}for e in {over}:", *body, *ends]

    def cleaning(self) -> str:
        """What a `finally` does: nothing that fails, which no engine would write."""
        return self.pick(
            "j = 3", "q.append(4)", "declare_resolution(server_args, 'r', n=j)", "d['y'] = i", "t = cfg.s"
        )

    def refusal(self) -> str:
        return f"raise {self.pick('ValueError', 'KeyError', 'RuntimeError')}('no')"

    def function(self, name: str) -> list[str]:
        head = (
            f"def {name}(server_args, cfg, i, p=False):" if name != "resolve" else "def resolve(server_args):"
        )
        lines = [head]
        if name == "resolve":
            lines += ["    cfg = resolving_view(server_args)", "    i = 1", "    p = cfg.c"]
        lines += [
            "    j = 2",
            "    t = 'y'",
            "    q = [1, 2]",
            "    u = {1}",
            "    d = {'x': 1}",
            "    m = Mode.x",
            "    o = Options(2)",
        ]
        self.returns = name != "resolve"
        for _ in range(self.pick(1, 2, 3)):
            lines += self.statement(2, "    ")
        if name != "resolve":
            lines.append(f"    return {self.number(1)}")
        return [*lines, ""]


CLASSES = """
class Mode(Enum):
    x = "x"
    y = "y"

    def is_x(self):
        return self is Mode.x


@dataclass
class Options:
    size: int = 1
    on: bool = False

"""


@st.composite
def programs(draw: Draw) -> str:
    """The text of a program."""
    writer = Writer(draw)
    lines: list[str] = []
    for number in range(writer.pick(0, 1, 1, 2)):
        lines += writer.function(f"helper_{number}")
        writer.helpers.append(f"helper_{number}")
    lines += writer.function("resolve")
    return CLASSES + "\n".join(lines)
