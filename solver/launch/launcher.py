"""Finds what starts the engine among the words of a command: what follows are its flags."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from solver.launch.words import Form, Word

MODULE = "sglang.launch_server"
_PYTHON = re.compile(r"(?:python|pypy)(?:\d+(?:\.\d+)*)?(?:\.exe)?")
_SCRIPT = re.compile(r"(?:.*/)?sglang/launch_server\.py|launch_server\.py")
_OTHER = re.compile(r"dynamo\.sglang|sgl_jax\.launch_server|sglang_router\.\w+|sglang\.(?!launch_server)\w+")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.ASCII | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Launcher:
    """Where in a command the engine is started.

    Attributes:
        end: the index of the first word behind the launcher.
        form: how the engine is started.
    """

    end: int
    form: Form


def find_launcher(words: Sequence[Word]) -> Launcher | None:
    """The launcher among the words of a command, behind wrappers of any kind; None where there is none."""
    for index, word in enumerate(words):
        following = words[index + 1].text if index + 1 < len(words) else ""
        if word.text == "-m" and following == MODULE and _is_python_before(words, index):
            return Launcher(index + 2, "module")
        if word.text == f"-m{MODULE}" and _is_python_before(words, index):
            return Launcher(index + 1, "module")
        name = file_name(word.text)
        if name in ("sglang", "sglang.exe") and following == "serve":
            return Launcher(index + 2, "serve")
        if _SCRIPT.fullmatch(word.text) and _is_python_before(words, index):
            return Launcher(index + 1, "module")
    return None


def other_launcher(words: Sequence[Word]) -> str | None:
    """What else of SGLang's family a command starts, which has flags of its own."""
    for before, word in pairwise(words):
        if before.text == "-m" and _OTHER.fullmatch(word.text):
            return word.text
        if before.text == "--model-type" and word.text not in ("auto", "llm"):
            return f"a {word.text} server"
        if word.text.startswith("--model-type=") and word.text.partition("=")[2] not in ("auto", "llm"):
            return f"a {word.text.partition('=')[2]} server"
    return None


def are_flags(words: Sequence[Word]) -> bool:
    """Whether words are flags without a launcher before them."""
    return bool(words) and words[0].text.startswith("--") and len(words[0].text) > 2


def wrapped_environment(
    prefix: Sequence[Word], inherited: Mapping[str, Word]
) -> Iterator[tuple[str, Word | None]]:
    """The variables that the words before the launcher set, in order; None for one that is taken away.

    Knows `env NAME=value`, `env -u NAME`, and `-e` and `--env` of `docker run` and its like, where
    `-e NAME` hands on what is `inherited`.
    """
    index = 0
    in_env = False
    while index < len(prefix):
        word = prefix[index]
        text = word.text
        following = prefix[index + 1] if index + 1 < len(prefix) else None
        match = _ASSIGNMENT.fullmatch(text)
        if file_name(text) == "env":
            in_env = True
        elif in_env and match is not None:
            yield match[1], _behind(word, match.start(2))
        elif in_env and text in ("-u", "--unset") and following is not None:
            yield following.text, None
            index += 1
        elif in_env and not text.startswith("-"):
            in_env = False
        elif text in ("-e", "--env") and following is not None:
            match = _ASSIGNMENT.fullmatch(following.text)
            if match is not None:
                yield match[1], _behind(following, match.start(2))
            elif following.text in inherited:
                yield following.text, inherited[following.text]
            index += 1
        elif text.startswith("--env="):
            match = _ASSIGNMENT.fullmatch(text, len("--env="))
            if match is not None:
                yield match[1], _behind(word, match.start(2))
        index += 1


def file_name(path: str) -> str:
    """The last part of a path."""
    return path.rpartition("/")[2]


def _behind(word: Word, start: int) -> Word:
    return Word(word.text[start:], word.place, word.known, max(0, word.unknown_from - start))


def _is_python_before(words: Sequence[Word], index: int) -> bool:
    """Whether an interpreter stands before a word, with nothing but options between them."""
    if index == 0:
        # The log of a supervisor: `command=python -m …`.
        return True
    for word in reversed(words[:index]):
        name = file_name(word.text)
        if _PYTHON.fullmatch(name):
            return True
        # A variable may hold the interpreter: `$PYTHON -m …`; `python -X dev -m …` has a value in between.
        if not word.known:
            return True
        if not word.text.startswith("-") and word.text not in ("dev", "faulthandler", "utf8", "ignore"):
            return False
    return False
