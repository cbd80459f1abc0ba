from pathlib import Path

import pytest

from constraints.catalog import Fact
from constraints.errors import CatalogError
from constraints.sglang.environment_declarations import extract_environment

REGISTRY = """
import os
import torch

_LIMIT = 2 * 1024
_NAMES = ["x", "y"]


class EnvField:
    pass


class EnvBool(EnvField):
    pass


class EnvInt(EnvField):
    pass


class EnvStr(EnvField):
    pass


class EnvTuple(EnvField):
    pass


class EnvBoolWithAlias(Older, EnvBool):
    pass


class EnvOdd(EnvInt):
    def parse(self, value):
        return odd(value)


def _on_amd():
    try:
        return torch.version.hip is not None
    except Exception:
        return False


class Envs:
    SGLANG_FAST = EnvBool(True)
    SGLANG_LIMIT: EnvInt = EnvInt(_LIMIT)
    SGLANG_MODE = EnvStr(None)
    SGLANG_NAMES = EnvTuple(_NAMES)
    SGLANG_ODD = EnvOdd(3)
    SGLANG_FOLDER = EnvStr(os.path.expanduser("~/.cache"))
    SGLANG_ON_AMD = EnvBool(_on_amd)
    SGLANG_SAME = EnvBool(lambda: envs.SGLANG_FAST.get())
    SGLANG_NEW = EnvBoolWithAlias(False, deprecated_name="SGLANG_OLD")
    SGLANG_WRONG = EnvInt("four")
    note = "not a variable"


envs = Envs()
"""


def registry(root: Path, text: str) -> Path:
    folder = root / "sglang" / "srt"
    folder.mkdir(parents=True)
    (folder / "environ.py").write_text(text)
    return root


def test_declarations_are_read_without_importing(tmp_path: Path) -> None:
    facts = extract_environment(registry(tmp_path, REGISTRY))
    expected = [
        Fact("env.SGLANG_FAST", "bool", default=True, has_default=True),
        Fact("env.SGLANG_FOLDER", "str"),
        Fact("env.SGLANG_LIMIT", "int", default=2048, has_default=True),
        Fact("env.SGLANG_MODE", "str", default=None, has_default=True),
        Fact("env.SGLANG_NAMES", "tuple[str]", default=["x", "y"], has_default=True),
        Fact("env.SGLANG_NEW", "bool", default=False, has_default=True, fallback="env.SGLANG_OLD"),
        Fact("env.SGLANG_ODD", "any"),
        Fact("env.SGLANG_OLD", "bool", default=False, has_default=True),
        Fact("env.SGLANG_ON_AMD", "bool", fallback="gpu.is_hip"),
        Fact("env.SGLANG_SAME", "bool", fallback="env.SGLANG_FAST"),
        Fact("env.SGLANG_WRONG", "int"),
    ]
    assert list(facts.values()) == expected
    assert list(facts) == [fact.name for fact in expected]


@pytest.mark.parametrize("text", ["", "class Envs:\n    pass\n"])
def test_a_source_without_variables_is_told(text: str, tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="declares no variables"):
        extract_environment(registry(tmp_path, text))


def test_a_source_without_the_registry_is_told(tmp_path: Path) -> None:
    (tmp_path / "sglang").mkdir()
    with pytest.raises(CatalogError, match="environ"):
        extract_environment(tmp_path)
