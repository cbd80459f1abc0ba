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
from solver.launch.shell_nodes import (
    adjacent,
    assigned_in,
    behind,
    errors_in,
    longest_pipeline,
    names_in,
    read_by,
    succeeds,
)
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
    if longest_pipeline(text.content) > PIPES_LIMIT:
        raise UnreadableInput(source.file, f"more than {PIPES_LIMIT} commands are piped together")
    tree = _parser().parse(text.content)
    script = _Script(source, text, variables, errors_in(tree.root_node))
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
                for name in names_in(node, "variable_name", "word"):
                    self._reader.forget(name)
                    self._exported.pop(name, None)
            case "if_statement" | "case_statement" | "elif_clause" | "else_clause" | "case_item":
                self._branch(node, depth)
            case "for_statement" | "c_style_for_statement" | "while_statement" | "function_definition":
                for name in assigned_in(node):
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
        for name in assigned_in(node):
            self._reader.forget(name)

    def _list(self, node: Node, depth: int) -> None:
        """`A && B`: B may not be run, unless A is something that does not fail on purpose."""
        left, *others = node.named_children
        self.walk(left, depth + 1)
        certain = any(child.type == "&&" for child in node.children) and succeeds(left)
        for child in others:
            if certain:
                self.walk(child, depth + 1)
            else:
                self._branch(child, depth) if child.type != "command" else self.walk(child, depth + 1)
                for name in assigned_in(child):
                    self._reader.forget(name)

    # --- variables

    def _assign(self, node: Node) -> None:
        name_node = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        if name_node is None:
            return
        if name_node.type == "subscript":
            for name in names_in(name_node, "variable_name"):
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
                names = names_in(child, "variable_name")
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
            word for child in node.named_children if child.type.endswith("redirect") for word in behind(child)
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
                late += behind(child)
            elif child.type != "comment":
                parts.append(child)
        for name in read_by(node):
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
                return self._source.place(first, first + 1)
        return None

    def _groups(self, nodes: list[Node]) -> Iterator[list[Node]]:
        """Nodes that stand side by side without a blank between them make one word."""
        return adjacent(nodes, self._text.content)

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
    remarks = [*before.remarks]
    if not any(remark.code == "ARG202" for remark in before.remarks):
        first = lost.words[0].text
        message = f"a shell takes {first} for a command of its own: nothing continues the line before"
        remarks.append(LaunchRemark("ARG201", message, lost.place))
    return replace(
        before,
        words=before.words + lost.words,
        remarks=(*remarks, *lost.remarks),
        broken_at=before.broken_at or lost.broken_at,
    )


def _too_deep(source: Source) -> UnreadableInput:
    return UnreadableInput(source.file, "its constructs are nested too deeply")


def _may_launch(words: Sequence[Word]) -> bool:
    """Whether a command is worth keeping the variables for: a long script has many others."""
    return words[0].text.startswith("--") or any("sglang" in word.text for word in words)
