import pytest

from solver.launch.spelling import nearest_choices, nearest_flags

FLAGS = [
    "--tp-size",
    "--dp-size",
    "--attention-backend",
    "--decode-attention-backend",
    "--trust-remote-code",
    "--port",
]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("--tp_size", "--tp-size"),
        ("--TP-SIZE", "--tp-size"),
        ("---tp-size", "--tp-size"),
        ("-port", "--port"),
        ("--prot", "--port"),
        ("--attention-backends", "--attention-backend"),
        ("--atention-bakend", "--attention-backend"),
        ("--backend-attention", "--attention-backend"),
        ("--trust-remote", "--trust-remote-code"),
    ],
)
def test_the_nearest_spelling_is_what_was_meant(written: str, meant: str) -> None:
    assert nearest_flags(written, FLAGS)[0] == meant


@pytest.mark.parametrize("written", ["--xyz", "--enable-everything", "--", ""])
def test_what_is_far_from_all_is_answered_with_nothing(written: str) -> None:
    assert nearest_flags(written, FLAGS) == ()


def test_a_choice_is_found_whatever_its_hyphens_and_capitals() -> None:
    assert nearest_choices("FlashInfer", ["fa3", "flashinfer"]) == ("flashinfer",)
    assert nearest_choices("fp8_e4m3fn", ["auto", "fp8_e5m2", "fp8_e4m3"])[0] == "fp8_e4m3"
