"""Questions about the nodes of tree-sitter's grammar of bash, and about a text before it is parsed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node


def adjacent(nodes: list[Node], content: bytes | None = None) -> Iterator[list[Node]]:
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


def behind(redirect: Node) -> list[Node]:
    """The nodes behind a redirection's target, which belong to the command."""
    if redirect.type != "file_redirect":
        return [child for child in redirect.named_children if child.type in _ARGUMENTS]
    targets = [child for child in redirect.named_children if child.type != "file_descriptor"]
    groups = list(adjacent(targets))
    return [node for group in groups[1:] for node in group]


_ARGUMENTS = ("word", "string", "raw_string", "concatenation", "number", "simple_expansion", "expansion")

_SURE = frozenset(
    {"cd", "set", "source", ".", "echo", "mkdir", "rm", "ulimit", "export", "conda", "pip", "pip3"}
)


def succeeds(node: Node) -> bool:
    """Whether a command before `&&` is there for its effect, so that what follows it is run."""
    if node.type in ("variable_assignment", "variable_assignments", "declaration_command"):
        return True
    if node.type == "list":
        return all(succeeds(child) for child in node.named_children)
    if node.type == "redirected_statement":
        body = node.child_by_field_name("body")
        return body is not None and succeeds(body)
    name = node.child_by_field_name("name") if node.type == "command" else None
    return name is not None and name.text is not None and name.text.decode() in _SURE


def assigned_in(node: Node) -> list[str]:
    """The names of the variables that are assigned somewhere below a node."""
    names: list[str] = []
    stack = [node]
    while stack:
        current = stack.pop()
        if current.type == "variable_assignment":
            names += list(names_in(current.child_by_field_name("name"), "variable_name"))
        elif current.type == "for_statement":
            names += list(names_in(current.child_by_field_name("variable"), "variable_name"))
        elif current.type == "command":
            names += read_by(current)
        stack.extend(current.named_children)
    return names


def read_by(command: Node) -> list[str]:
    """The variables that a command sets by name: `read X` and its like."""
    name = command.child_by_field_name("name")
    if name is None or name.text not in (b"read", b"mapfile", b"readarray", b"printf"):
        return []
    return [
        child.text.decode("utf-8", "replace") for child in command.named_children if child.text is not None
    ]


def names_in(node: Node | None, *types: str) -> Iterator[str]:
    """The texts of the nodes of some types at or below a node, outermost first."""
    if node is None:
        return
    if node.type in types and node.text is not None:
        yield node.text.decode("utf-8", "replace")
        return
    for child in node.named_children:
        yield from names_in(child, *types)


def errors_in(root: Node) -> list[tuple[int, int]]:
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


def longest_pipeline(content: bytes) -> int:
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
