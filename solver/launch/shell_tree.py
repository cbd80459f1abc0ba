"""The commands of a shell script, by tree-sitter's grammar of bash: order, scopes, variables, redirections.

Branches and loops are not followed, only read: a variable that a branch may set is not known behind it.
What stands in a word is `solver.launch.shell_words`' matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from constraints.errors import UnreadableInput
from solver.launch.shell import ShellCommand, Source
from solver.launch.shell_words import Masked, WordReader, masked
from solver.launch.words import MENTION, LaunchRemark, Place, Word

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

DEPTH_LIMIT = 150
"""How deep constructs may be nested; deeper ones are no script that a person wrote."""

LENGTH_LIMIT = 300_000
"""How many characters are parsed, which takes a second or two at worst."""

PIPES_LIMIT = 500
"""How many commands may be piped together: the parser's memory grows with the square."""


def read_tree(source: Source, variables: Mapping[str, Word]) -> tuple[ShellCommand, ...]:
    """The simple commands of a shell text, in the order in which they are written.

    Raises:
        UnreadableInput: it is too long, or nested too deeply.
    """
    if len(source.text) > LENGTH_LIMIT:
        raise UnreadableInput(source.file, f"it is longer than {LENGTH_LIMIT} characters")
    text = masked(source.text)
    if _longest_pipeline(text.content) > PIPES_LIMIT:
        raise UnreadableInput(source.file, f"more than {PIPES_LIMIT} commands are piped together")
    tree = _parser().parse(text.content)
    script = _Script(source, text, variables, _errors(tree.root_node))
    try:
        script.walk(tree.root_node, 0)
    except RecursionError:
        raise _too_deep(source) from None
    return tuple(script.finished())


@lru_cache(maxsize=1)
def _parser() -> Parser:
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


class _Script:
    """A walk over one script."""

    def __init__(
        self, source: Source, text: Masked, variables: Mapping[str, Word], errors: list[tuple[int, int]]
    ) -> None:
        self.commands: list[ShellCommand] = []
        self._source = source
        self._text = text
        self._reader = WordReader(source, text)
        self._reader.variables.update(variables)
        self._exported: dict[str, Word] = {}
        self._errors = errors
        self._end = 0

    def finished(self) -> list[ShellCommand]:
        """The commands. What could not be read in a place of its own is a command without words."""
        if self._errors:
            start = self._errors[0][0]
            place = self._source.place(start, start + 1)
            self.commands.append(ShellCommand((), {}, place, broken_at=place))
        return self.commands

    def walk(self, node: Node, depth: int) -> None:
        """Reads the commands at and below a node."""
        if depth > DEPTH_LIMIT:
            raise _too_deep(self._source)
        match node.type:
            case "command":
                self._command(node, [], depth)
            case "redirected_statement":
                self._redirected(node, depth)
            case "variable_assignment":
                self._assign(node)
            case "declaration_command":
                self._declare(node)
            case "unset_command":
                for name in _names_in(node, "variable_name", "word"):
                    self._reader.forget(name)
                    self._exported.pop(name, None)
            case "if_statement" | "case_statement" | "elif_clause" | "else_clause" | "case_item":
                self._branch(node, depth)
            case "for_statement" | "c_style_for_statement" | "while_statement" | "function_definition":
                for name in _assigned_in(node):
                    self._reader.forget(name)
                self._branch(node, depth)
            case "subshell" | "command_substitution":
                before, exported = dict(self._reader.variables), dict(self._exported)
                self._children(node, depth)
                self._reader.variables, self._exported = before, exported
            case "list":
                self._list(node, depth)
            case "heredoc_body" | "comment" | "string" | "raw_string":
                pass
            case _:
                self._children(node, depth)

    def _children(self, node: Node, depth: int) -> None:
        for child in node.named_children:
            self.walk(child, depth + 1)

    def _branch(self, node: Node, depth: int) -> None:
        """A part that may not be run: what it sets is known within, not behind it."""
        self._children(node, depth)
        for name in _assigned_in(node):
            self._reader.forget(name)

    def _list(self, node: Node, depth: int) -> None:
        """`A && B`: B may not be run, unless A is something that does not fail on purpose."""
        left, *others = node.named_children
        self.walk(left, depth + 1)
        certain = any(child.type == "&&" for child in node.children) and _succeeds(left)
        for child in others:
            if certain:
                self.walk(child, depth + 1)
            else:
                self._branch(child, depth) if child.type != "command" else self.walk(child, depth + 1)
                for name in _assigned_in(child):
                    self._reader.forget(name)

    # --- variables

    def _assign(self, node: Node) -> None:
        name_node = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        if name_node is None:
            return
        if name_node.type == "subscript":
            for name in _names_in(name_node, "variable_name"):
                self._reader.forget(name)
            return
        name = self._reader.source_of(name_node)
        appended = any(child.type == "+=" for child in node.children)
        if value is not None and value.type == "array":
            groups = self._groups(value.named_children)
            elements = [word for group in groups for word in self._reader.words(group)]
            self._reader.set_array(name, elements, appended=appended)
            self._nested_launch(elements, node)
            return
        word = self._reader.assigned(value, node)
        if MENTION.search(word.text):
            # The variable holds a whole command, to be run later.
            variables = dict(self._reader.variables)
            self.commands.append(
                ShellCommand((word,), dict(self._exported), word.place or self._here(node), variables)
            )
        self._reader.set(name, word, appended=appended)
        if name in self._exported:
            self._exported[name] = self._reader.variables.get(name, Word(f"${name}", word.place, known=False))

    def _nested_launch(self, elements: list[Word], node: Node) -> None:
        """An array may hold a whole command: `CMD=(python -m sglang.launch_server …)`."""
        if elements and not elements[0].text.startswith("-") and len(elements) > 1:
            variables = dict(self._reader.variables)
            self.commands.append(
                ShellCommand(tuple(elements), dict(self._exported), self._here(node), variables)
            )

    def _here(self, node: Node) -> Place:
        return self._source.place(node.start_byte, node.end_byte)

    def _declare(self, node: Node) -> None:
        keyword = node.children[0].type if node.children else ""
        flags = [self._reader.source_of(child) for child in node.children if child.type == "word"]
        exports = keyword == "export" or any(flag.startswith("-") and "x" in flag for flag in flags)
        for child in node.named_children:
            name = None
            if child.type == "variable_assignment":
                self._assign(child)
                names = _names_in(child, "variable_name")
                name = next(names, None)
            elif child.type == "variable_name":
                name = self._reader.source_of(child)
            if name is not None and exports:
                unknown = Word(f"${name}", self._here(child), known=False)
                self._exported[name] = self._reader.variables.get(name, unknown)

    # --- commands

    def _redirected(self, node: Node, depth: int) -> None:
        """A command with redirections, behind whose targets further words of the command may stand."""
        body = node.child_by_field_name("body")
        late = [
            word
            for child in node.named_children
            if child.type.endswith("redirect")
            for word in _behind(child)
        ]
        if body is not None and body.type == "command":
            self._command(body, late, depth)
        elif body is not None:
            self.walk(body, depth + 1)
        for child in node.named_children:
            if child.type == "heredoc_redirect":
                for inner in child.named_children:
                    if inner.type in ("pipeline", "command", "redirected_statement"):
                        self.walk(inner, depth + 1)

    def _command(self, node: Node, late: list[Node], depth: int) -> None:
        environment: dict[str, Word] = {}
        parts: list[Node] = []
        late = list(late)
        for child in node.children:
            if child.type == "variable_assignment":
                name_node = child.child_by_field_name("name")
                if name_node is not None and name_node.type == "variable_name":
                    value = self._reader.assigned(child.child_by_field_name("value"), child)
                    environment[self._reader.source_of(name_node)] = value
            elif child.type == "command_name":
                parts.extend(child.named_children or [child])
            elif child.type.endswith("redirect"):
                late += _behind(child)
            elif child.type != "comment":
                parts.append(child)
        for name in _read_by(node):
            self._reader.forget(name)
        nodes = sorted([*parts, *late], key=lambda each: each.start_byte)
        words: list[Word] = []
        remarks: list[LaunchRemark] = []
        end = node.start_byte
        for group in self._groups(nodes):
            if words:
                remarks += self._escaped_blanks(end, group[0].start_byte)
            words += self._reader.words(group)
            end = group[-1].end_byte
        remarks += self._reader.take_remarks()
        for child in nodes:
            if child.type in ("command_substitution", "process_substitution"):
                self.walk(child, depth + 1)
        if not words:
            return
        remarks += self._escaped_blanks(end, self._line_end(end))
        place = words[0].place or self._here(node)
        broken_at = self._broken(node.start_byte, self._line_end(end))
        variables: dict[str, Word] = {}
        if _may_launch(words):
            environment = {**self._exported, **environment}
            variables = dict(self._reader.variables)
        command = ShellCommand(tuple(words), environment, place, variables, tuple(remarks), broken_at)
        if words[0].text.startswith("--") and self.commands and self._only_comments(node.start_byte):
            self.commands[-1] = _joined(self.commands[-1], command)
        else:
            self.commands.append(command)
        self._end = end

    def _only_comments(self, start: int) -> bool:
        """Whether nothing but blanks and comments lies between the last command and an offset."""
        return _COMMENTS.fullmatch(self._text.content, self._end, max(start, self._end)) is not None

    def _broken(self, start: int, end: int) -> Place | None:
        """Where between two offsets something could not be read."""
        for first, last in self._errors:
            if first < end and last > start:
                offset = first
                return self._source.place(offset, offset + 1)
        return None

    def _groups(self, nodes: list[Node]) -> Iterator[list[Node]]:
        """Nodes that stand side by side without a blank between them make one word."""
        return _adjacent(nodes, self._text.content)

    def _line_end(self, start: int) -> int:
        end = self._text.content.find(b"\n", start)
        return len(self._text.content) if end < 0 else end

    def _escaped_blanks(self, start: int, end: int) -> Iterator[LaunchRemark]:
        """A backslash and a blank at the end of a line, after the word that ends at `start`.

        To a shell that is a word of one blank, and the end of the command.
        """
        match = _ESCAPED_BLANK.match(self._text.content, start, end)
        if match is not None:
            at = match.end() - 2
            message = "the blank behind the backslash keeps it from continuing the line"
            yield LaunchRemark("ARG202", message, self._source.place(at, at + 2))


_ESCAPED_BLANK = re.compile(rb"[ \t]*\\[ \t](?=[ \t]*(?:#[^\n]*)?\r?(?:\n|\Z))")
_COMMENTS = re.compile(rb"(?:\s|\\[ \t\r]*(?=\n|#)|#[^\n]*)*")


def _joined(before: ShellCommand, lost: ShellCommand) -> ShellCommand:
    """A command with the line of flags behind it, which was meant to belong to it."""
    remarks = (*before.remarks, *lost.remarks)
    if not any(remark.code == "ARG202" for remark in before.remarks):
        message = (
            f"a shell takes {lost.words[0].text} for a command of its own: nothing continues the line before"
        )
        remarks = (*before.remarks, LaunchRemark("ARG201", message, lost.place), *lost.remarks)
    broken_at = before.broken_at or lost.broken_at
    return replace(before, words=before.words + lost.words, remarks=remarks, broken_at=broken_at)


def _longest_pipeline(content: bytes) -> int:
    """How many pipe signs follow each other at most, with nothing that ends a command between them."""
    longest = current = 0
    previous = -1
    for match in re.finditer(rb"[|;&\n]", content):
        if match[0] == b"|":
            current += 1
            longest = max(longest, current)
            previous = match.start()
        elif match[0] == b"&" and previous == match.start() - 1:
            previous = match.start()
        elif match[0] != b"\n" or not _continues(content, previous + 1, match.start()):
            current = 0
        else:
            previous = match.start()
    return longest


def _continues(content: bytes, start: int, end: int) -> bool:
    """Whether a line break at `end` ends no pipeline: a pipe sign or a backslash is right before it."""
    return content[end - 1 : end] == b"\\" or not content[max(start, end - 200) : end].strip()


def _too_deep(source: Source) -> UnreadableInput:
    return UnreadableInput(source.file, "its constructs are nested too deeply")


def _may_launch(words: Sequence[Word]) -> bool:
    """Whether a command is worth keeping the variables for: a long script has many others."""
    return words[0].text.startswith("--") or any("sglang" in word.text for word in words)


def _adjacent(nodes: list[Node], content: bytes | None = None) -> Iterator[list[Node]]:
    """Nodes in groups that stand side by side; given the content, a continuation does not part them."""
    group: list[Node] = []
    for node in nodes:
        if node.type == "comment":
            continue
        if group:
            end, start = group[-1].end_byte, node.start_byte
            if start > end and (content is None or content[end:start].replace(b"\\\n", b"")):
                yield group
                group = []
        group.append(node)
    if group:
        yield group


def _behind(redirect: Node) -> list[Node]:
    """The nodes behind a redirection's target, which belong to the command."""
    if redirect.type != "file_redirect":
        return [child for child in redirect.named_children if child.type in _ARGUMENTS]
    targets = [child for child in redirect.named_children if child.type != "file_descriptor"]
    groups = list(_adjacent(targets))
    return [node for group in groups[1:] for node in group]


_ARGUMENTS = ("word", "string", "raw_string", "concatenation", "number", "simple_expansion", "expansion")

_SURE = frozenset(
    {"cd", "set", "source", ".", "echo", "mkdir", "rm", "ulimit", "export", "conda", "pip", "pip3"}
)


def _succeeds(node: Node) -> bool:
    """Whether a command before `&&` is there for its effect, so that what follows it is run."""
    if node.type in ("variable_assignment", "variable_assignments", "declaration_command"):
        return True
    if node.type == "list":
        return all(_succeeds(child) for child in node.named_children)
    if node.type == "redirected_statement":
        body = node.child_by_field_name("body")
        return body is not None and _succeeds(body)
    name = node.child_by_field_name("name") if node.type == "command" else None
    return name is not None and name.text is not None and name.text.decode() in _SURE


def _assigned_in(node: Node) -> list[str]:
    """The names of the variables that are assigned somewhere below a node."""
    names: list[str] = []
    stack = [node]
    while stack:
        current = stack.pop()
        if current.type == "variable_assignment":
            names += list(_names_in(current.child_by_field_name("name"), "variable_name"))
        elif current.type == "for_statement":
            names += list(_names_in(current.child_by_field_name("variable"), "variable_name"))
        elif current.type == "command":
            names += _read_by(current)
        stack.extend(current.named_children)
    return names


def _read_by(command: Node) -> list[str]:
    """The variables that a command sets by name: `read X` and its like."""
    name = command.child_by_field_name("name")
    if name is None or name.text not in (b"read", b"mapfile", b"readarray", b"printf"):
        return []
    return [
        child.text.decode("utf-8", "replace") for child in command.named_children if child.text is not None
    ]


def _names_in(node: Node | None, *types: str) -> Iterator[str]:
    if node is None:
        return
    if node.type in types and node.text is not None:
        yield node.text.decode("utf-8", "replace")
        return
    for child in node.named_children:
        yield from _names_in(child, *types)


def _errors(root: Node) -> list[tuple[int, int]]:
    """The spans that the grammar could not read, in bytes, in order."""
    spans: list[tuple[int, int]] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if node.is_missing and node.parent is not None:
            # A quote that is not closed: what counts is where it was opened.
            spans.append((node.parent.start_byte, node.parent.end_byte))
        elif node.is_error:
            spans.append((node.start_byte, max(node.end_byte, node.start_byte + 1)))
        elif node.has_error:
            stack.extend(node.children)
    return sorted(spans)
