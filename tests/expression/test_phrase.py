import pytest
from hypothesis import given

from constraints.expression.parse import parse
from constraints.expression.phrase import phrase, value_phrase
from constraints.expression.syntax import Comparison, Literal, Name, Not, Or
from tests.expression.trees import any_expressions, sensible_expressions

FACTS = {"gpu.memory_mib": "the GPU's memory in MiB", "model.architecture": "the model's architecture"}


def called(path):
    return FACTS.get(path, path if "." in path else f"--{path.replace('_', '-')}")


def said(path, statement):
    if path == "gpu.is_sm100":
        return {"true": "is SM100", "false": "is not SM100"}.get(statement)
    if path.endswith("_paths"):
        return {"true": "is given", "false": "is not given"}.get(statement)
    return None


@pytest.mark.parametrize(
    ("condition", "sentence"),
    [
        # Names alone.
        ("enable_lora", "--enable-lora is on"),
        ("not enable_lora", "--enable-lora is off"),
        ("not lora_paths", "--lora-paths is not given"),
        ("chunked_prefill_size is None", "--chunked-prefill-size is not given"),
        ("chunked_prefill_size != None", "--chunked-prefill-size is given"),
        ("gpu.is_sm100", "gpu.is_sm100 is SM100"),
        ("x is True or y == False", "--x is on or --y is off"),
        ("has(model.config.heads)", "model.config.heads is there"),
        ("not has(model.config.heads)", "model.config.heads is not there"),
        # Comparisons.
        ("dcp_size > 1", "--dcp-size is greater than 1"),
        ("not dcp_size > 1", "--dcp-size is at most 1"),
        ("1 <= dcp_size", "--dcp-size is at least 1"),
        ("mode == 'host_pool'", "--mode is host_pool"),
        ("mode != 'host pool'", "--mode is not 'host pool'"),
        ("mode == '1'", "--mode is '1'"),
        ("mode == ''", "--mode is empty"),
        ("xs != []", "--xs is not empty"),
        ("tp_size == ep_size", "--tp-size equals --ep-size"),
        ("tp_size != ep_size", "--tp-size differs from --ep-size"),
        ("tp_size % dp_size != 0", "--tp-size is not a multiple of --dp-size"),
        ("not tp_size % 2", "--tp-size is a multiple of 2"),
        ("tp_size % 4 == 1", "--tp-size % 4 is 1"),
        ("gpu.memory_mib < 20480", "the GPU's memory in MiB is less than 20480"),
        # Membership.
        ("backend in ('fa3', 'fa4')", "--backend is fa3 or fa4"),
        ("backend in ('fa3', 'fa4', 'triton')", "--backend is one of fa3, fa4, triton"),
        ("backend not in ('fa3',)", "--backend is not fa3"),
        ("backend not in ('fa3', 'fa4')", "--backend is neither fa3 nor fa4"),
        ("backend not in ('fa3', 'fa4', 'triton')", "--backend is none of fa3, fa4, triton"),
        ("backend in (None, 'fa3', 'fa4')", "--backend is not given or is fa3 or fa4"),
        ("backend not in (None, 'fa3')", "--backend is given and not fa3"),
        ("backend == 'fa3' or backend == 'fa4'", "--backend is fa3 or fa4"),
        ("backend != 'fa3' and backend != 'fa4'", "--backend is neither fa3 nor fa4"),
        ("backend in ('fa3', 'fa4') and backend != 'fa3'", "--backend is fa4"),
        ("'fa3' in backends", "--backends contains fa3"),
        ("'fa3' not in (a, b)", "none of --a and --b is fa3"),
        ("dtype in 'half'", "--dtype is part of half"),
        (
            "model.architecture in ('A0', 'A1', 'A2', 'A3', 'A4', 'A5', 'A6', 'A7', 'A8', 'A9', 'A10')",
            "the model's architecture is one of A0, A1, A2, A3, A4, A5, A6, A7 and 3 more",
        ),
        # Functions.
        ("startswith(model_path, ('s3://', 'gs://'))", "--model-path starts with s3:// or gs://"),
        ("not endswith(model_path, '.gguf')", "--model-path does not end with .gguf"),
        ("'deepseek' in lower(model_path)", "--model-path contains deepseek in any letter case"),
        ("lower(x) == 'fa3'", "--x is fa3 in any letter case"),
        ("len(xs) > 0", "--xs is not empty"),
        ("len(xs) > 1", "the length of --xs is greater than 1"),
        ("not strip(x)", "--x is blank"),
        ("is_instance(x, ('int', 'float'))", "--x is a whole number or a floating-point number"),
        ("crashes(int(x))", "computing --x as a whole number fails"),
        ("crashes(x > 1)", "computing whether --x is greater than 1 fails"),
        ("version_at_least(package.torch, '2.6')", "package.torch is 2.6 or newer"),
        ("re_match('a+', x) is not None", "--x starts with a match of 'a+'"),
        ("default(model.config.kind, None) is None", "model.config.kind is not given"),
        ("default(model.config.n, 1) > 8", "model.config.n (or 1 where there is none) is greater than 8"),
        ("max(a, b) >= min(xs)", "the greater of --a and --b is at least the smallest of --xs"),
        # Parts of values.
        ("get(cfg, 'type') == 'yarn'", "type of --cfg is yarn"),
        ("cfg['rope'][0] == 'yarn'", "the first of rope of --cfg is yarn"),
        # Conjunctions.
        ("a and b", "--a is on and --b is on"),
        ("a and b and c", "--a is on, --b is on, and --c is on"),
        ("not (a or b)", "--a is off and --b is off"),
        ("a and (b or c)", "--a is on, and either --b is on or --c is on"),
        ("a and b or c", "--a is on and --b is on, or --c is on"),
        ("(b or c or d) and a", "(--b is on, --c is on, or --d is on), and --a is on"),
        (
            "a and (b or c and (d or e))",
            "--a is on, and (--b is on, or (--c is on, and either --d is on or --e is on))",
        ),
        ("x > 1 and x < 8", "--x is greater than 1 and less than 8"),
        ("x is None or x < 1", "--x is not given or is less than 1"),
        ("not (1 <= port <= 65535)", "--port is less than 1 or greater than 65535"),
        ("x > 1 and x < 8 and x % 2 == 0", "--x is greater than 1, less than 8, and a multiple of 2"),
        # What goes without saying.
        ("x is not None and x > 1", "--x is greater than 1"),
        ("x and x == 'fa3' and y", "--x is fa3 and --y is on"),
        ("x is not None and upper(x) == 'EAGLE'", "--x is EAGLE in any letter case"),
        # Conditionals.
        ("a if c else b", "if --c is on then --a is on, otherwise --b is on"),
        ("True if c else b", "--c is on or --b is on"),
        ("(a if c else b) > 2", "(--a if --c is on, otherwise --b) is greater than 2"),
        ("(a if a is not None else b) == 'fa3'", "(--a or else --b) is fa3"),
        ("(b if a is None else a) == 'fa3'", "(--a or else --b) is fa3"),
        # Comprehensions.
        ("any(x > 1 for x in xs)", "some value of --xs is greater than 1"),
        ("all(x > 1 for x in xs)", "every value of --xs is greater than 1"),
        ("not any(x == 'fa3' for x in xs)", "no value of --xs is fa3"),
        ("any(x == 'fa3' for x in (a, b))", "one of --a and --b is fa3"),
        ("all(x for x in (a, b))", "each of --a and --b is set"),
        ("any(a > x for x in xs if x)", "for some x in --xs where x is set, --a is greater than x"),
        ("len([x for x in xs if x]) > 2", "the length of (x in --xs where x is set) is greater than 2"),
        ("sum(x for x in xs) > 3", "the sum of --xs is greater than 3"),
        # Nothing to say, and nothing known.
        ("True", "always"),
        ("1 == 1 and False", "never"),
        ("unknown('a.py:1', 'loop')", "a condition that could not be followed (a.py:1) holds"),
    ],
)  # fmt: skip
def test_a_condition_is_said_in_english(condition, sentence):
    assert phrase(parse(condition), called, said) == sentence


@pytest.mark.parametrize(
    ("expression", "noun_phrase"),
    [
        ("tp_size // 2", "--tp-size // 2"),
        ("(a - b) * 2", "(--a - --b) * 2"),
        ("-x", "-(--x)"),
        ("gpu.memory_mib // 2", "(the GPU's memory in MiB) // 2"),
        ("a or 5", "--a or else 5"),
        ("a if enable else b", "--a if --enable is on, otherwise --b"),
        ("a > 1 and b", "--b if --a is greater than 1, otherwise false"),
        ("a > 1 and b > 2", "whether (--a is greater than 1 and --b is greater than 2)"),
        ("not a", "whether --a is off"),
        ("int(x)", "--x as a whole number"),
        ("int(x) + 1", "--x + 1"),
        ("str(True)", "'True'"),
        ("[a, 'b c', None]", "[--a, 'b c', none]"),
        ("{'k': a}", "{'k': --a}"),
        ("json(x)['type']", "type of --x read as JSON"),
        ("splitext(x)[1]", "the second of splitext(--x)"),
        ("slice(xs, 1)", "--xs without the first 1"),
        ("unknown('a.py:1')", "a value that could not be followed (a.py:1)"),
    ],
)
def test_a_value_is_said_as_a_noun(expression, noun_phrase):
    assert value_phrase(parse(expression), called, said) == noun_phrase


def test_a_condition_too_deep_for_a_sentence_is_shown_as_text():
    condition = Comparison(">", Name("x"), Literal(1))
    for _ in range(100):
        condition = Or((Not(condition), Name("y")))
    assert phrase(condition, called).startswith("`not (not (")
    assert phrase(condition, called).endswith("` holds")


@given(any_expressions | sensible_expressions)
def test_everything_can_be_said(expression):
    for sentence in (phrase(expression, called, said), value_phrase(expression, called, said)):
        assert sentence
        assert sentence == sentence.strip()
        assert sentence.count("(") >= sentence.count("()")


@given(sensible_expressions)
def test_a_sentence_has_no_gaps(expression):
    sentence = phrase(expression, called, said)
    assert "  " not in sentence
    assert " ," not in sentence
