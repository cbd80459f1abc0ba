"""The words for what the rule language can say: tables alone. `phrase` makes sentences of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias

Statement: TypeAlias = Literal["true", "false", "none", "not none", "present", "absent"]
"""What can be said of a name alone: its truth, whether it is None, whether there is such a thing at all."""

PREDICATES: Final[dict[Statement, str]] = {
    "true": "is on",
    "false": "is off",
    "none": "is not given",
    "not none": "is given",
    "present": "is there",
    "absent": "is not there",
}
"""The usual predicates."""

VARIABLE_PREDICATES: Final[dict[Statement, str]] = {
    "true": "is set",
    "false": "is not set",
    "none": "is none",
    "not none": "is not none",
}

AGAINST_LITERALS: Final = {
    "==": "is",
    "!=": "is not",
    "is": "is",
    "is not": "is not",
    "<": "is less than",
    "<=": "is at most",
    ">": "is greater than",
    ">=": "is at least",
}
AGAINST_OTHERS: Final = {**AGAINST_LITERALS, "==": "equals", "!=": "differs from"}

LENGTHS: Final[dict[tuple[str, object], bool]] = {
    ("==", 0): True,
    ("<=", 0): True,
    ("<", 1): True,
    ("!=", 0): False,
    (">", 0): False,
    (">=", 1): False,
}

CALL_PREDICATES: Final = {
    "startswith": (0, "starts with {}", "does not start with {}"),
    "endswith": (0, "ends with {}", "does not end with {}"),
    "isdigit": (0, "consists of digits", "does not consist of digits"),
    "isnumeric": (0, "consists of digits", "does not consist of digits"),
    "is_absolute": (0, "is an absolute path", "is not an absolute path"),
    "re_match": (1, "starts with a match of {}", "does not start with a match of {}"),
    "re_search": (1, "contains a match of {}", "contains no match of {}"),
    "re_fullmatch": (1, "matches {}", "does not match {}"),
    "version_at_least": (0, "is {} or newer", "is older than {}"),
    "any": (0, "has a value that is set", "has no value that is set"),
    "all": (0, "has only values that are set", "has a value that is not set"),
}
"""Which argument is the subject, and the predicates for true and false with the others in them."""

VERBATIM: Final[Mapping[str, Callable[[object], str]]] = {
    "version_at_least": str,
    "re_match": repr,
    "re_search": repr,
    "re_fullmatch": repr,
}
"""How text is shown in those predicates where it is no ordinary word: versions bare, patterns quoted."""

TYPE_WORDS: Final = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a floating-point number",
    "str": "text",
    "list": "a list",
    "tuple": "a tuple",
    "dict": "a mapping",
    "set": "a set",
    "NoneType": "none",
}

NUMERIC: Final = frozenset({"abs", "sum", "min", "max", "round", "floor", "ceil", "int", "float", "gcd"})

ABSENCE: Final = {
    **dict.fromkeys(("len", "lower", "upper", "str", "list", "tuple", "set", "dict", "sorted"), "empty"),
    **dict.fromkeys(("keys", "values", "items"), "empty"),
    "strip": "blank",
}
"""What the argument is where these functions give something empty."""

ORDINALS: Final = {
    **dict(enumerate(("first", "second", "third", "fourth", "fifth", "sixth"))),
    -1: "last",
    -2: "last but one",
}
"""Elements by index, as people count."""

EXTREMES: Final = {"min": ("smallest", "smaller"), "max": ("greatest", "greater")}

CALL_TERMS: Final = {
    ("len", 1): "the length of {}",
    ("abs", 1): "the absolute value of {}",
    ("sum", 1): "the sum of {}",
    ("round", 1): "{} rounded",
    ("floor", 1): "{} rounded down",
    ("ceil", 1): "{} rounded up",
    ("sqrt", 1): "the square root of {}",
    ("log2", 1): "the binary logarithm of {}",
    ("gcd", 2): "the greatest common divisor of {} and {}",
    ("int", 1): "{} as a whole number",
    ("float", 1): "{} as a number",
    ("str", 1): "{} as text",
    ("lower", 1): "{} in lower case",
    ("upper", 1): "{} in upper case",
    ("strip", 1): "{} without surrounding blanks",
    ("sorted", 1): "{} in order",
    ("list", 1): "{}",
    ("tuple", 1): "{}",
    ("set", 1): "{}",
    ("dict", 1): "{}",
    ("keys", 1): "the keys of {}",
    ("values", 1): "the values of {}",
    ("items", 1): "the entries of {}",
    ("type_name", 1): "the type of {}",
    ("json", 1): "{} read as JSON",
    ("to_json", 1): "{} as JSON",
    ("basename", 1): "the last part of {}",
    ("dirname", 1): "the folder of {}",
    ("get", 2): "{1} of {0}",
    ("get", 3): "{1} of {0} (or {2} where there is none)",
    ("count", 2): "how often {1} is in {0}",
    ("re_match", 2): "the match of {} at the start of {}",
    ("re_search", 2): "the match of {} in {}",
    ("re_fullmatch", 2): "the match of {} with {}",
    ("slice", 2): "{} without the first {}",
    ("default", 2): "{} (or {} where there is none)",
}
"""Noun phrases by function and number of arguments; others are shown as the language writes them."""
