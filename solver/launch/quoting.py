"""Writes a word so that a reader of the text reads it back: a shell, within quotes too, or JSON."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from solver.launch.words import Syntax

_SAFE = re.compile(r"(?!=)[A-Za-z0-9_@%+=:,./-]+", re.ASCII)
_DOUBLE_SAFE = re.compile(r"[^\"\\$`!\n]*")


def joined(words: Iterable[str], unknown: Collection[str] = ()) -> str:
    """Words as a shell command. Those that are `unknown`, such as `$PORT`, stay open to expansion."""
    return " ".join(f'"{word}"' if word in unknown and '"' not in word else quoted(word) for word in words)


def quoted(word: str, syntax: Syntax = "shell", quotes: Sequence[str] = ()) -> str:
    """One word as it is written.

    Args:
        word: what a program is to receive.
        syntax: what the text is; `words` is written for a shell.
        quotes: the quotes that the command lies within, outermost first.
    """
    if syntax == "json" and not quotes:
        return _json(word)
    written = _shell(word, avoid="'" if quotes and quotes[-1] == "'" else "")
    for level in range(len(quotes) - 1, -1, -1):
        if quotes[level] == "'":
            written = written.replace("'", "'\\''")
        elif level == 0 and syntax == "json":
            written = _json(written)[1:-1]
        else:
            written = re.sub(r"([\"\\$`])", r"\\\1", written)
    return written


def _shell(word: str, *, avoid: str) -> str:
    """A word for a shell: bare where it can be, `--flag='value'` where only the value needs quotes."""
    if _SAFE.fullmatch(word):
        return word
    name, equals, value = word.partition("=")
    if equals and re.fullmatch(r"--[a-z0-9-]+", name):
        return f"{name}={_in_quotes(value, avoid=avoid) if value else ''}"
    return _in_quotes(word, avoid=avoid)


def _in_quotes(text: str, *, avoid: str) -> str:
    if _SAFE.fullmatch(text):
        return text
    if avoid == "'" and "'" not in text and "!" not in text:
        return '"' + re.sub(r"([\"\\$`])", r"\\\1", text) + '"'
    if "'" in text and _DOUBLE_SAFE.fullmatch(text):
        return f'"{text}"'
    return "'" + text.replace("'", "'\"'\"'") + "'"


def _json(word: str) -> str:
    import json

    return json.dumps(word, ensure_ascii=False)
