"""Whole runs of the program, on the small catalog of the tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from solver.cli import run
from solver.report.json_report import schema
from tests.toy import PATH

FLAGFIT = Path(sys.executable).with_name("flagfit")
LAUNCH = ("python", "-m", "sglang.launch_server", "--model-path", "m")
REFUSED = (*LAUNCH, "--tp", "3", "--dp-size", "2", "--enable-dp-attention")


@pytest.fixture(autouse=True)
def _toy_release(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [*os.environ]:
        if name.startswith("FLAGFIT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("FLAGFIT_RELEASE", str(PATH))
    monkeypatch.setenv("FLAGFIT_CACHE_DIR", str(tmp_path / "cache"))


def test_an_accepted_launch_ends_with_0_and_two_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--", *LAUNCH]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("accepted")
    assert len(out.splitlines()) == 2
    assert err == ""


def test_a_refused_launch_ends_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--", *REFUSED]) == 1
    out, err = capsys.readouterr()
    assert "TOY0004" in out
    assert err == ""


def test_a_launch_that_depends_ends_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--", *LAUNCH, "--tp", "3", "--ep-size", "3", "--moe-a2a-backend", "deepep"]
    assert run(["check", *words]) == 0
    assert capsys.readouterr().out.startswith("depends")
    assert run(["check", "--fact", "model.config.num_experts=9", *words]) == 0
    assert capsys.readouterr().out.startswith("accepted")
    assert run(["check", "--fact", "model.config.num_experts=8", *words]) == 1


def test_a_configuration_file_that_is_not_here_is_told_as_what_it_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["--", *LAUNCH, "--config", "nowhere.yaml"]
    assert run(["check", "--verbose", *words]) == 0
    out = capsys.readouterr().out
    assert out.startswith("depends")
    assert "a file could not be read" in out
    assert "nowhere.yaml is not here" in out
    assert "rule" not in out
    assert run(["check", "--output-format", "concise", *words]) == 0
    assert capsys.readouterr().out.endswith("nowhere.yaml is not here\n")


def test_a_rule_can_be_ignored(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--ignore", "TOY0004", "--", *REFUSED]) == 0
    assert capsys.readouterr().out.startswith("accepted")


def test_json_keeps_to_its_schema_also_where_a_source_is_unreadable(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    script = tmp_path / "launch.sh"
    script.write_text(" ".join(REFUSED))
    assert run(["check", "--output-format", "json", str(script), str(tmp_path / "none.sh")]) == 2
    out, err = capsys.readouterr()
    read = json.loads(out)
    Draft202012Validator(schema()).validate(read)
    assert read["summary"] == {"launches": 1, "accepted": 0, "refused": 1, "depends": 0, "unreadable": 1}
    assert len(err.splitlines()) == 1


def test_a_report_can_go_to_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "report.txt"
    assert run(["check", "--output-file", str(target), "--", *REFUSED]) == 1
    assert capsys.readouterr().out == ""
    assert "TOY0004" in target.read_text()


def test_colour_is_as_asked_for(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def is_coloured(*options: str) -> bool:
        run(["check", *options, "--", *REFUSED])
        return "\x1b[" in capsys.readouterr().out

    assert not is_coloured()
    assert is_coloured("--color", "always")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert is_coloured()
    assert not is_coloured("--color", "never")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not is_coloured()


def test_each_launch_of_a_script_is_reported_by_its_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    script = tmp_path / "launch.sh"
    script.write_text(f"{' '.join(LAUNCH)} &\n\n{' '.join(REFUSED)}\n")
    assert run(["check", str(script)]) == 1
    out = capsys.readouterr().out
    assert f"{script}:1\naccepted" in out
    assert f"{script}:3\nrefused" in out
    assert "2 launches: 1 accepted, 1 refused" in out


def test_fixes_are_shown_and_the_launch_is_still_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["suggest-fix", "--", *REFUSED]) == 1
    out = capsys.readouterr().out
    assert "Smallest fix: 1 flag to change" in out
    assert "remove --enable-dp-attention" in out
    assert f"{' '.join(LAUNCH)} --tp 3 --dp-size 2\n" in out


def test_what_must_be_kept_is_in_no_fix(capsys: pytest.CaptureFixture[str]) -> None:
    run(["suggest-fix", "--keep", "--enable-dp-attention", "--keep", "dp-size", "--", *REFUSED])
    out = capsys.readouterr().out
    assert "remove --enable-dp-attention" not in out
    assert "change --tp 3 to 2" in out


def test_a_change_that_mends_ends_with_0_and_one_that_does_not_with_1(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["what-if", "--set", "tp=4", "--", *REFUSED]) == 0
    assert "Mends TOY0004." in capsys.readouterr().out
    assert run(["what-if", "--unset", "--dp-size", "--set", "tp-size=0", "--", *REFUSED]) == 1
    assert "Breaks" in capsys.readouterr().out


def test_the_values_that_a_flag_may_take_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["what-if", "--allowed", "tp", "--", *REFUSED]) == 0
    out = capsys.readouterr().out
    assert "refused  --tp 3  (TOY0004)" in out
    assert "fine     --tp 2" in out


@pytest.mark.parametrize(
    "arguments",
    [
        ("suggest-fix", "--", *REFUSED),
        ("suggest-fix", "--", *LAUNCH),
        ("suggest-fix", "--", *LAUNCH, "--tpp", "2"),
        ("what-if", "--set", "tp=5", "--allowed", "dp-size", "--", *REFUSED),
        ("check", "--", *LAUNCH, "--moe-a2a-backend", "deepep", "--ep-size", "3", "--tp", "3"),
    ],
)
def test_every_question_answers_in_json_that_keeps_to_the_schema(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    command, *rest = arguments
    run([command, "--output-format", "json", *rest])
    Draft202012Validator(schema()).validate(json.loads(capsys.readouterr().out))


def test_rules_and_flags_are_listed_found_and_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "lora"]) == 0
    assert "TOY0017" in capsys.readouterr().out
    assert run(["rules", "no such rule"]) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("0 rules")
    assert run(["flags", "--output-format", "json", "--dcp-size"]) == 0
    [flag] = json.loads(capsys.readouterr().out)["flags"]
    assert flag["name"] == "dcp_size"
    assert run(["explain", "toy0014", "--dcp-size"]) == 0
    out = capsys.readouterr().out
    assert "SGLang refuses when --retraction-backup is host_pool" in out
    assert "read by" in out
    assert run(["explain", "--output-format", "concise", "TOY0014"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_catalogs_are_listed_and_verified(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["catalog", "list", "--output-format", "json"]) == 0
    assert all(row["engine"] == "sglang" for row in json.loads(capsys.readouterr().out)["catalogs"])
    assert run(["catalog", "verify", str(PATH)]) == 0
    assert capsys.readouterr().out == f"{PATH}  fine\n"


LONG = "x" * 5000


def unreadable(folder: Path) -> dict[str, list[str]]:
    """Wrong command lines, by what is wrong with them."""
    (folder / "empty.sh").write_text("")
    (folder / "blank.sh").write_text(" \n\n")
    (folder / "quotes.sh").write_text("python -m sglang.launch_server --model-path 'm\n")
    (folder / "other.sh").write_text("vllm serve m --tp 2\n")
    (folder / "binary.sh").write_bytes(os.urandom(4096) + b"\0")
    (folder / "huge.sh").write_bytes(b"x " * 2_000_000)
    (folder / "latin.sh").write_bytes("python -m sglang.launch_server --model-path é".encode("latin-1"))
    (folder / "broken.json").write_text("{")
    launch = ["--", *LAUNCH]
    return {
        "no such command": ["chekc"],
        "no such option": ["check", "--gup", "h100", *launch],
        "no value": ["check", "--gpu"],
        "no words": ["check", "--"],
        "empty word": ["check", "--", ""],
        "no launcher": ["check", "--", "ls", "-l"],
        "another engine": ["check", str(folder / "other.sh")],
        "no such file": ["check", str(folder / "none.sh")],
        "a folder": ["check", str(folder)],
        "empty file": ["check", str(folder / "empty.sh")],
        "blank file": ["check", str(folder / "blank.sh")],
        "unclosed quote": ["check", str(folder / "quotes.sh")],
        "binary file": ["check", str(folder / "binary.sh")],
        "huge file": ["check", str(folder / "huge.sh")],
        "not UTF-8": ["check", str(folder / "latin.sh")],
        "name with a NUL": ["check", "a\0b"],
        "word with a NUL": ["check", "--", *LAUNCH, "\0"],
        "no such release": ["check", "--release", "9.9.9", *launch],
        "no such catalog": ["check", "--release", str(folder / "none.json"), *launch],
        "broken catalog": ["check", "--release", str(folder / "broken.json"), *launch],
        "catalog is a folder": ["check", "--release", f"{folder}/.json", *launch],
        "unknown GPU": ["check", "--gpu", "voodoo2", *launch],
        "no model config": ["check", "--model-config", str(folder / "none.json"), *launch],
        "broken model config": ["check", "--model-config", str(folder / "broken.json"), *launch],
        "unknown fact": ["check", "--fact", "gpu.colour=red", *launch],
        "bad variable": ["check", "--env", "X", *launch],
        "bad format": ["check", "--output-format", "xml", *launch],
        "unwritable file": ["check", "--output-file", str(folder / "none" / "x"), *launch],
        "both": ["check", "x.sh", *launch],
        "unknown flag to keep": ["suggest-fix", "--keep", "--no-such", *launch],
        "bad timeout": ["suggest-fix", "--timeout", "soon", *launch],
        "empty operand": ["check", ""],
        **{
            f"empty {option}": ["check", option, "", *launch]
            for option in ("--release", "--gpu", "--model-config", "--model-arch", "--draft-model-config")
        },
        "long file name": ["check", LONG],
        "long catalog": ["check", "--release", f"{LONG}.json", *launch],
        "long build": ["catalog", "build", LONG],
        "long fact": ["check", "--fact", f"gpu.count={LONG}", *launch],
        "long words": ["check", "--fact", f"gpu.count={'x ' * 2500}", *launch],
        "long control characters": ["check", "--gpu", "\x1b" * 5000, *launch],
        **{
            f"long {option}": ["check", option, LONG, *launch]
            for option in (
                "--release",
                "--gpu",
                "--model-config",
                "--fact",
                "--output-format",
                "--output-file",
            )
        },
        "nothing asked": ["what-if", *launch],
        "nothing to explain": ["explain"],
        "no such rule": ["explain", "SGL9999"],
        "no such flag": ["explain", "--no-such-flag"],
        "no such catalog command": ["catalog", "destroy"],
    }


def test_wrong_input_ends_with_2_and_one_line_that_says_what(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for what, arguments in unreadable(tmp_path).items():
        with subtests.test(what):
            assert run(arguments) == 2
            out, err = capsys.readouterr()
            assert out == ""
            assert err.startswith("flagfit: ")
            assert len(err.splitlines()) == 1
            assert len(err) < 500
            assert "bug" not in err


@pytest.mark.parametrize("option", ["--release", "--model-config", "--draft-model-config", "--output-file"])
def test_an_empty_word_is_quoted_with_its_option(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", option, "", "--", *LAUNCH]) == 2
    assert capsys.readouterr().err == f"flagfit: {option}: '' names nothing\n"


def test_a_long_value_leaves_room_for_what_is_wrong_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", LONG]) == 2
    err = capsys.readouterr().err
    assert err.startswith("flagfit: xxx")
    assert err.endswith("xxx: file name too long\n")


def test_nothing_given_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    assert "suggest-fix" in capsys.readouterr().out


def test_a_bug_is_named_as_one_and_hides_no_interrupt(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("solver.check", broken)
    assert run(["check", "--", *LAUNCH]) == 2
    err = capsys.readouterr().err
    assert "bug in flagfit" in err
    assert "ZeroDivisionError" in err
    assert "test_run.py" in err

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("solver.check", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(["check", "--", *LAUNCH])


def program(*arguments: str, stdin: bytes = b"", **variables: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [FLAGFIT, *arguments], input=stdin, capture_output=True, check=False, env=os.environ | variables
    )


def test_the_installed_program_reads_standard_input() -> None:
    done = program("check", stdin=" ".join(REFUSED).encode())
    assert done.returncode == 1
    assert b"TOY0004" in done.stdout
    assert done.stderr == b""


def test_words_that_are_no_text_are_shown_not_crashed_on() -> None:
    done = subprocess.run(
        [os.fsencode(FLAGFIT), b"check", b"--", *map(os.fsencode, LAUNCH), b"--\xff\xfe"],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr


def test_reports_are_the_same_bytes_whatever_the_hash_seed() -> None:
    words = ("check", "-v", "--output-format", "json", "--", *REFUSED, "--attention-backend", "fa3")
    assert program(*words, PYTHONHASHSEED="1").stdout == program(*words, PYTHONHASHSEED="2").stdout


@pytest.mark.skipif(sys.platform == "win32", reason="no such pipes there")
def test_a_reader_that_leaves_early_is_no_error() -> None:
    done = subprocess.run(
        ["bash", "-c", f"{FLAGFIT} rules | true; exit ${{PIPESTATUS[0]}}"], capture_output=True, check=False
    )
    assert done.returncode == 0
    assert done.stderr == b""


def test_a_check_loads_neither_typer_nor_the_search() -> None:
    code = (
        "import sys; from solver.cli import run; run(sys.argv[1:]);"
        "heavy = ('typer', 'networkx', 'constraint', 'solver.repair.search');"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "check", "--", *LAUNCH], capture_output=True, check=False, text=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
