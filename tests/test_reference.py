from solver.questions.reference import flag_entries, rule_entries
from tests.toy import executable

PROGRAM = executable().program


def test_every_rule_has_an_entry_with_a_place_and_a_sentence() -> None:
    entries = rule_entries(PROGRAM)
    assert entries
    for entry in entries:
        assert entry.at
        assert entry.function
        assert entry.message


def test_rules_can_be_had_by_their_code() -> None:
    code = rule_entries(PROGRAM)[0].code
    assert {entry.code for entry in rule_entries(PROGRAM, code=code)} == {code}
    assert rule_entries(PROGRAM, code="SGL9999") == ()


def test_every_flag_has_an_entry() -> None:
    assert [entry.name for entry in flag_entries(PROGRAM)] == list(PROGRAM.flags)


def test_flags_and_rules_name_each_other() -> None:
    flags = {entry.name: entry for entry in flag_entries(PROGRAM)}
    for rule in rule_entries(PROGRAM):
        for flag in rule.flags:
            assert rule.code in flags[flag].rules


def test_entries_are_json() -> None:
    import json

    for entry in (*rule_entries(PROGRAM), *flag_entries(PROGRAM)):
        json.dumps(entry.to_dict(), allow_nan=False)
