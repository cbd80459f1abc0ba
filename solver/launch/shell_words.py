"""What a word of a shell script comes to: quoting undone, variables with known values filled in.

Other expansions are not carried out: they make the word, or its part, unknown.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from solver.launch.words import LaunchRemark, Word, is_left_out

if TYPE_CHECKING:
    from tree_sitter import Node

    from solver.launch.shell import Source

LIMIT_CHARACTERS = 100_000
"""How long a word may become by filling in variables: a few lines can double a value over and over."""

LIMIT_ELEMENTS = 5_000
"""The same for an array."""

_PLACEHOLDERS = re.compile(
    r"\{\{[^\n]{0,300}?\}\}"  # a template
    r"|(?<![<\w])<[A-Za-z][\w ./:-]{0,60}(?<! )>(?![\w&])"  # <model-path>
    r"|\$\{[A-Za-z_]\w*(?:\.\w+)+\}"  # a Python or JavaScript string's
)
_PROMPT = re.compile(r"^[^\n'\"=]{0,80}@[^\n'\"=]{0,80}[$#] |^[ \t]*\$ ", re.MULTILINE)
_CARRIAGE = re.compile(r"\\\r\n")
_BACKTICK = re.compile(r"(?<=[ \t])`(?=[ \t]*\r?\n)")
_DANGLING = re.compile(r"\\(?=\s*\Z)")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_LONE_DOLLAR = re.compile(r"\$(?![\w{('\"@*#?$!-])")


class Masked:
    """A text for the parser, with what it would stumble over replaced by something of equal length.

    Attributes:
        content: the text in ASCII, one byte for each character, so that offsets in both are the same.
    """

    def __init__(self, content: bytes, spans: list[tuple[int, int]]) -> None:
        self.content = content
        self._spans = spans
        self._starts = [start for start, _ in spans]

    def replaced(self, start: int, end: int) -> int | None:
        """Where in `content[start:end]` the first placeholder begins; None where there is none."""
        index = max(0, bisect_right(self._starts, start) - 1)
        for first, last in self._spans[index:]:
            if first >= end:
                return None
            if last > start:
                return max(first, start)
        return None


def masked(text: str) -> Masked:
    """A text for the parser.

    Placeholders, letters beyond ASCII (on some of which the grammar's scanner crashes) and dollar signs
    that expand nothing become plain letters; a prompt in front of a command and a backslash at the very end
    become blanks; a continuation may end in a carriage return and a newline.
    """
    changed = _CARRIAGE.sub(" \\\\\n", text)
    changed = _PROMPT.sub(_blanked, changed)
    if 0 < changed.count("`") == len(_BACKTICK.findall(changed)):
        # PowerShell continues a line so.
        changed = _BACKTICK.sub("\\\\", changed)
    changed = _DANGLING.sub(" ", changed)
    changed = _LONE_DOLLAR.sub("X", changed)
    spans = [match.span() for match in _PLACEHOLDERS.finditer(changed)]
    changed = _PLACEHOLDERS.sub(_lettered, changed)
    return Masked(_BEYOND_ASCII.sub("X", changed).encode("ascii"), spans)


def _blanked(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _lettered(match: re.Match[str]) -> str:
    return "X" * len(match[0])


@dataclass(slots=True)
class _Part:
    """A piece of a word.

    Attributes:
        quoted: whether it stands in quotes, so that blanks in it do not end the word.
        known: whether the text is known; if not, it is what was written.
        elements: for an array, its elements instead of a text.
        literal: whether the text was written as it is, not filled in.
    """

    text: str
    quoted: bool
    known: bool = True
    elements: Sequence[Word] | None = None
    literal: bool = False
    many: bool = False


class WordReader:
    """Reads words of one script and keeps its variables.

    Attributes:
        variables: shell variables with known values.
    """

    def __init__(self, source: Source, text: Masked) -> None:
        self.variables: dict[str, Word] = {}
        self._arrays: dict[str, list[Word]] = {}
        self._source = source
        self._text = text
        self._remarks: list[LaunchRemark] = []

    def source_of(self, node: Node) -> str:
        """What is written at a node."""
        return self._slice(node.start_byte, node.end_byte)

    def take_remarks(self) -> list[LaunchRemark]:
        """What was odd about the words read since the last time."""
        remarks, self._remarks = self._remarks, []
        return remarks

    # --- variables

    def forget(self, name: str) -> None:
        """The variable's value is not known any more."""
        self.variables.pop(name, None)
        self._arrays.pop(name, None)

    def set(self, name: str, value: Word, *, appended: bool) -> None:
        """Keeps a variable's new value."""
        before = self.variables.get(name)
        self.forget(name)
        if not value.known or (appended and before is None):
            return
        text = value.text if before is None or not appended else before.text + value.text
        if len(text) <= LIMIT_CHARACTERS:
            self.variables[name] = Word(text, value.place)

    def set_array(self, name: str, elements: list[Word], *, appended: bool) -> None:
        """Keeps an array's new value; elements that are not known stay among them."""
        before = self._arrays.get(name)
        self.forget(name)
        if appended and before is None:
            return
        together = [*before, *elements] if appended and before is not None else elements
        if len(together) <= LIMIT_ELEMENTS:
            self._arrays[name] = together

    def assigned(self, node: Node | None, assignment: Node) -> Word:
        """The value of an assignment: one word, whatever blanks are in it."""
        start, end = (assignment.end_byte,) * 2 if node is None else (node.start_byte, node.end_byte)
        place = self._source.place(start, end)
        if node is None:
            return Word("", place)
        parts = list(self._parts(node, quoted=True))
        known = all(part.known and part.elements is None for part in parts)
        text = "".join(part.text for part in parts)
        if not known:
            at = next(i for i, part in enumerate(parts) if not part.known or part.elements is not None)
            return Word(text, place, known=False, unknown_from=len("".join(part.text for part in parts[:at])))
        return Word(text, place)

    # --- words

    def words(self, group: list[Node]) -> list[Word]:
        """The words that nodes side by side come to: mostly one; an unquoted variable may be several."""
        start, end = group[0].start_byte, group[-1].end_byte
        place = self._source.place(start, end)
        replaced = self._text.replaced(start, end)
        parts = [part for node in group for part in self._parts(node, quoted=False)]
        if replaced is not None:
            return [self._with_placeholder(start, end, parts)]
        if len(parts) == 1 and parts[0].elements is not None:
            return list(parts[0].elements)
        if len(parts) == 1 and not parts[0].known:
            splits = parts[0].many or not parts[0].quoted
            return [Word(parts[0].text, place, known=False, splits=splits)]
        if any(not part.known or part.elements is not None for part in parts):
            text = ""
            unknown_from = None
            for part in parts:
                if unknown_from is None and (not part.known or part.elements is not None):
                    unknown_from = len(text)
                text += part.text
            return [Word(text, place, known=False, unknown_from=unknown_from or 0)]
        if sum(len(part.text) for part in parts) > LIMIT_CHARACTERS:
            return [Word(self._slice(start, end), place, known=False, splits=True)]
        if self._expands_braces(parts):
            text = "".join(part.text for part in parts)
            message = (
                "braces with a comma outside quotes are expanded by a shell: put the value in single quotes"
            )
            self._remarks.append(LaunchRemark("ARG203", message, place))
            return [Word(text, place, known=False, unknown_from=text.find("{"))]
        texts = _split(parts)
        return [Word(text, place, not is_left_out(text), splits=is_left_out(text)) for text in texts]

    def _with_placeholder(self, start: int, end: int, parts: list[_Part]) -> Word:
        """A word with something in it that is yet to be filled in, as it was written."""
        written = self._slice(start, end)
        quote = written[0] if len(written) > 1 and written[0] in "'\"" and written[-1] == written[0] else ""
        text = written.strip(quote) if quote else written
        at = max(0, text.find("{{") if "{{" in text else text.find("<"))
        place = self._source.place(start, end)
        # A template alone may come to any number of words, and `{{- if …}}` is none.
        splits = not quote and at == 0 and text.startswith("{{")
        return Word(text, place, known=False, unknown_from=at, splits=splits and len(parts) == 1)

    def _expands_braces(self, parts: list[_Part]) -> bool:
        unquoted = "".join(part.text if part.literal and not part.quoted else "\0" for part in parts)
        return bool(_BRACES.search(unquoted))

    def _parts(self, node: Node, *, quoted: bool) -> Iterator[_Part]:
        match node.type:
            case "raw_string":
                yield _Part(self.source_of(node)[1:-1], quoted=True)
            case "ansi_c_string":
                yield _Part(_ansi(self.source_of(node)[2:-1]), quoted=True)
            case "string" | "translated_string":
                yield from self._in_quotes(node)
            case "concatenation":
                yield from self._beside(node, quoted=quoted)
            case "simple_expansion" | "expansion":
                yield from self._expansion(node, quoted=quoted)
            case (
                "command_substitution" | "process_substitution" | "arithmetic_expansion" | "brace_expression"
            ):
                yield _Part(self.source_of(node), quoted=quoted, known=False)
            case _:
                yield _Part(_unescaped(self.source_of(node)), quoted=quoted, literal=True)

    def _beside(self, node: Node, *, quoted: bool) -> Iterator[_Part]:
        position = node.start_byte
        for child in node.children:
            if child.start_byte > position:
                yield _Part(_unescaped(self._slice(position, child.start_byte)), quoted=quoted, literal=True)
            yield from self._parts(child, quoted=quoted)
            position = child.end_byte

    def _in_quotes(self, node: Node) -> Iterator[_Part]:
        """The parts of a double-quoted string. The grammar leaves out blanks: literals are read by place."""
        position = node.start_byte + (2 if node.type == "translated_string" else 1)
        end = node.end_byte - 1
        empty = True
        for child in node.children:
            if child.type in _EXPANSIONS:
                if child.start_byte > position:
                    yield _Part(_unescaped_in_quotes(self._slice(position, child.start_byte)), quoted=True)
                yield from self._parts(child, quoted=True)
                position = child.end_byte
                empty = False
        if end > position or empty:
            yield _Part(_unescaped_in_quotes(self._slice(position, end)), quoted=True)

    def _expansion(self, node: Node, *, quoted: bool) -> Iterator[_Part]:
        written = self.source_of(node)
        match = _EXPANSION.fullmatch(written)
        if match is None or match["length"]:
            yield _Part(written, quoted=quoted, known=False)
            return
        name = match["name"] or match["simple"]
        subscript = match["subscript"]
        if subscript in ("[@]", "[*]"):
            elements = self._arrays.get(name)
            yield _Part(written, quoted=quoted, known=elements is not None, elements=elements, many=True)
            return
        value = None if subscript else self.variables.get(name)
        operation = match["operation"]
        if (
            operation in ("-", ":-", "=", ":=")
            and (value is None or (operation[0] == ":" and not value.text))
        ) or (operation in ("+", ":+") and value is not None and value.text):
            yield from self._default(node, written, quoted=quoted)
        elif operation in (None, "-", ":-", "=", ":=", "?", ":?") and value is not None:
            yield _Part(value.text, quoted=quoted)
        else:
            yield _Part(written, quoted=quoted, known=False, many=name in ("@", "*"))

    def _default(self, node: Node, written: str, *, quoted: bool) -> Iterator[_Part]:
        """The word behind the operator of `${X:-word}`."""
        operator = next((child for child in node.children if child.type in _OPERATORS), None)
        if operator is None or any(child.is_error for child in node.children):
            yield _Part(written, quoted=quoted, known=False)
            return
        position, end = operator.end_byte, node.end_byte - 1
        if position == end:
            yield _Part("", quoted=quoted)
        for child in node.children:
            if child.start_byte < position or child.end_byte > end:
                continue
            if child.start_byte > position:
                yield _Part(_unescaped(self._slice(position, child.start_byte)), quoted=quoted)
            yield from self._parts(child, quoted=quoted)
            position = child.end_byte
        if position < end:
            yield _Part(_unescaped(self._slice(position, end)), quoted=quoted)

    def _slice(self, start: int, end: int) -> str:
        return self._source.text[start:end]


_EXPANSIONS = frozenset({
    *("simple_expansion", "expansion", "command_substitution", "arithmetic_expansion"),
})  # fmt: skip
_OPERATORS = frozenset({"-", ":-", "=", ":=", "+", ":+"})
_BRACES = re.compile(r"\{[^{}]*,[^{}]*\}|\{[^{}]*,")
_EXPANSION = re.compile(
    r"\$(?P<simple>[A-Za-z_]\w*|[0-9@*#?$!-])"
    r"|\$\{(?P<length>#)?(?P<name>[A-Za-z_]\w*|[0-9]+|[@*?$!-])(?P<subscript>\[[^\]]*\])?"
    r"(?:(?P<operation>:?[-=+?])(?P<word>.*))?\}",
    re.DOTALL,
)


def _split(parts: list[_Part]) -> list[str]:
    """The words of a group of known parts: blanks in an unquoted variable's value end a word."""
    words: list[str] = []
    current: str | None = None
    for part in parts:
        if part.quoted or part.literal:
            current = (current or "") + part.text
            continue
        pieces = part.text.split()
        if not pieces:
            if part.text and current is not None:
                words.append(current)
                current = None
            continue
        if part.text[0].isspace() and current is not None:
            words.append(current)
            current = None
        current = (current or "") + pieces[0]
        for piece in pieces[1:]:
            words.append(current)
            current = piece
        if part.text[-1].isspace():
            words.append(current)
            current = None
    if current is not None:
        words.append(current)
    return words


def _unescaped(text: str) -> str:
    """Unquoted text with its backslashes undone."""
    return re.sub(r"\\(\n|.)", lambda match: "" if match[1] == "\n" else match[1], text, flags=re.DOTALL)


def _unescaped_in_quotes(text: str) -> str:
    """Double-quoted text with its backslashes undone, where they mean something."""
    return re.sub(r"\\([$`\"\\\n])", lambda match: "" if match[1] == "\n" else match[1], text)


_ANSI = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}


def _ansi(text: str) -> str:
    """The text of `$'…'`."""

    def replaced(match: re.Match[str]) -> str:
        code = match[1]
        if code[0] in "xuU":
            return chr(min(int(code[1:], 16), 0x10FFFF))
        if code[0] in "01234567":
            return chr(int(code, 8))
        return _ANSI.get(code, code)

    pattern = r"\\(x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[0-7]{1,3}|.)"
    return re.sub(pattern, replaced, text, flags=re.DOTALL)
