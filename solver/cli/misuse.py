"""The error for a command line that flagfit itself can't make sense of."""

from __future__ import annotations

from constraints.errors import FlagfitError


class Misuse(FlagfitError):
    """The words given to flagfit are wrong; its text says which and what to write instead."""
