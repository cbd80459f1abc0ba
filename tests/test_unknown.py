"""Why a value is not known: the unknown leaves behind it, and no others."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from constraints.expression.values import UNKNOWN
from solver.program import bits
from solver.resolution import Resolution
from solver.unknown import Unknowns
from tests import toy


def missing(resolution: Resolution, code: str) -> set[str]:
    node = resolution.program.codes.index(code)
    return {resolution.program.names[leaf] for leaf in bits(Unknowns(resolution).leaves(node))}


def test_a_rule_hangs_on_the_facts_that_it_reads_and_that_nobody_said():
    resolution = toy.executable().resolve({"gpu.is_cuda": True}, {"attention_backend": "trtllm_mla"})
    assert missing(resolution, "TOY0011") == {"gpu.sm", "model.architecture"}


def test_a_rule_hangs_on_facts_through_what_was_chosen_by_them():
    resolution = toy.executable().resolve({"gpu.is_cuda": True}, {})
    assert missing(resolution, "TOY0010") == {"gpu.sm", "model.architecture"}


def test_a_part_that_is_known_is_none_of_the_reasons():
    resolution = toy.executable().resolve({"gpu.sm": 100}, {"attention_backend": "trtllm_mla"})
    assert missing(resolution, "TOY0011") == {"model.architecture"}


def test_a_flag_that_could_not_be_read_is_one():
    resolution = toy.executable().resolve({}, {"tp_size": UNKNOWN})
    assert missing(resolution, "TOY0001") == {"tp_size"}


def test_what_was_not_understood_hangs_on_nothing():
    resolution = toy.executable().resolve({}, {"quantization": "mxfp4"})
    assert missing(resolution, "TOY0023") == set()


@given(toy.worlds(unknown=True), toy.configurations(unknown=True))
def test_what_makes_a_value_unknown_is_unknown(facts, flags):
    resolution = toy.executable().resolve(facts, flags)
    unknowns = Unknowns(resolution)
    for node in resolution.undecided:
        assert all(resolution.values[leaf] is UNKNOWN for leaf in bits(unknowns.leaves(node)))


@settings(max_examples=60)
@given(toy.worlds(), toy.worlds(unknown=True), toy.configurations(), st.data())
def test_saying_what_is_missing_decides(facts, partial, flags, data):
    """Rules that hang on something are decided once all of it is said, or then hang on something else."""
    resolution = toy.executable().resolve(partial, flags)
    if not resolution.undecided:
        return
    node = data.draw(st.sampled_from(resolution.undecided))
    names = {resolution.program.names[leaf] for leaf in bits(Unknowns(resolution).leaves(node))}
    said = {name: value for name, value in facts.items() if name in names}
    after = toy.executable().resolve(partial | said, flags)
    assert (
        after.values[node] is not UNKNOWN
        or not names
        or Unknowns(after).leaves(node) != Unknowns(resolution).leaves(node)
    )
