"""What becomes of a command: rules that it breaks, what is rewritten, what is undecided. Mends nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from constraints.expression.values import UNKNOWN, Fault, is_known
from solver.answers import Report, Verdict, plain
from solver.case import Case, Source, case_of
from solver.program import Kind

if TYPE_CHECKING:
    from constraints.catalog import Catalog
    from constraints.vocabulary import Value
    from solver.answers import Reason, Remark, Rewrite, Undecided, Violation
    from solver.launch import ArgumentProblem
    from solver.worlds import ModelConfig


_UNREAD_FILE = "ARG105"


def check(
    launch: Source,
    *,
    release: str | None = None,
    gpu: str | None = None,
    model_config: ModelConfig | None = None,
    model_arch: str | None = None,
    draft_model_config: ModelConfig | None = None,
    env: Mapping[str, str] | None = None,
    facts: Mapping[str, Value] | None = None,
    catalog: Catalog | None = None,
    ignore: Collection[str] = (),
) -> Report:
    """What becomes of a launch command.

    Args:
        launch: a command as one text, its words, or a launch that was read from a file.
        release: the engine's version, `0.5.23`. Without one: that which is installed beside this package,
            if there is a catalog of it; else the newest there is.
        gpu: the machine, `h100`; without one, facts of it are not known.
        model_config: the model's `config.json`: its path, its folder, or its content.
        model_arch: the name of its architecture, `LlamaForCausalLM`, where there is no configuration at hand.
        draft_model_config: the same of the model that drafts for it, where there is one.
        env: environment variables of the server, beside those that the command sets itself.
        facts: single facts by dotted path, `{"gpu.count": 8}`; these win over all others.
        catalog: a catalog to use instead of one on offer.
        ignore: codes of violations, undecided rules and notices to leave out, of the verdict too.

    Returns:
        All violations, not the first alone.

    Raises:
        LaunchNotFound: the source starts no engine.
        UnreadableInput: the source or the model's configuration can't be read.
        UnknownRelease: there is no catalog of that release.
        CatalogError: the catalog can't be read.
        FactError: the machine, or a fact's name, is not known.
    """
    case = case_of(
        launch,
        release=release,
        gpu=gpu,
        model_config=model_config,
        model_arch=model_arch,
        draft_model_config=draft_model_config,
        env=env,
        facts=facts,
        catalog=catalog,
    )
    return report_of(case, ignore=ignore)


def report_of(case: Case, *, ignore: Collection[str] = ()) -> Report:
    """The report on a case."""
    violations = tuple(each for each in _violations(case) if each.code not in ignore)
    undecided = tuple(each for each in (*_unread_file(case), *_undecided(case)) if each.code not in ignore)
    verdict = Verdict.REFUSED if violations else Verdict.DEPENDS if undecided else Verdict.ACCEPTED
    return Report(
        verdict=verdict,
        violations=violations,
        rewrites=tuple(_rewrites(case)),
        undecided=undecided,
        notices=tuple(each for each in _notices(case) if each.code not in ignore),
        release=case.program.version,
        launch=case.launch,
        world=case.world,
        release_source=case.release_source,
    )


def _violations(case: Case) -> Iterator[Violation]:
    for problem in case.arguments.problems:
        yield _argument_violation(case, problem)
    earlier: list[frozenset[str]] = []
    for node in case.resolution.broken:
        reason = case.explainer.reason(node)
        given = frozenset(cause.name for cause in reason.causes if cause.kind == "given")
        leaves = given or frozenset(cause.name for cause in reason.causes)
        is_crash = isinstance(case.resolution.values[node], Fault)
        # What comes after a refusal may take for granted that it was not reached.
        if not is_crash or not any(leaves & each for each in earlier):
            yield _rule_violation(case, node, reason)
        earlier.append(leaves)


def _rule_violation(case: Case, node: int, reason: Reason) -> Violation:
    from solver.answers import Violation

    program, value = case.program, case.resolution.values[node]
    is_crash = isinstance(value, Fault)
    return Violation(
        code=program.codes[node],
        kind="crash" if is_crash else "rule",
        at=program.places[node],
        function=program.functions[node],
        condition=case.explainer.condition(node),
        message=case.explainer.message(node),
        flags=reason.flags,
        reason=reason,
        exception=value.kind if isinstance(value, Fault) else program.exceptions[node],
    )


def _argument_violation(case: Case, problem: ArgumentProblem) -> Violation:
    from solver.answers import Cause, Reason, Violation

    words = [case.arguments.words[index] for index in problem.words]
    written = words[0].text.partition("=")[0] if words else ""
    name = problem.flag or written
    given = case.arguments.given.get(name)
    value = UNKNOWN if given is None else given.value
    causes = (Cause(name, "given", value, written, words[0].place),) if words else ()
    return Violation(
        code=problem.code,
        kind="argument",
        at="",
        function="",
        condition=None,
        message=problem.message,
        flags=() if problem.flag is None else (problem.flag,),
        reason=Reason(causes),
        suggestion=problem.suggestion,
    )


def _unread_file(case: Case) -> Iterator[Undecided]:
    """A configuration file that is not here: SGLang fails where it has none, and its flags are unknown."""
    for notice in case.arguments.notices:
        if notice.code == _UNREAD_FILE:
            from solver.answers import Undecided

            flags = () if notice.flag is None else (notice.flag,)
            yield Undecided(notice.code, "", "", missing=(), flags=flags, message=notice.message)


def _undecided(case: Case) -> Iterator[Undecided]:
    program = case.program
    if not any(program.near[node] & case.different for node in case.resolution.undecided):
        return  # none reads a flag that the command gives
    telling = case.telling()
    unread = {problem.flag for problem in case.arguments.problems}
    for node in case.resolution.undecided:
        flags = telling.flags(node)
        if not flags:
            continue
        from solver.answers import Undecided

        explainer = case.explainer
        missing = explainer.missing(node)
        if missing and unread.issuperset(missing):
            continue  # it is refused for these already
        yield Undecided(
            code=program.codes[node],
            at=program.places[node],
            function=program.functions[node],
            missing=missing,
            flags=flags,
            condition=explainer.condition(node),
            message=explainer.message(node),
        )


def _rewrites(case: Case) -> Iterator[Rewrite]:
    program, resolution = case.program, case.resolution
    for name, given in sorted(case.given.items()):
        final = resolution.final(name)
        if not is_known(given) or not is_known(final) or plain(final) == plain(given):
            continue
        from constraints.expression.syntax import TRUE
        from solver.answers import Rewrite

        node = _chooser(case, program.final[name])
        why = "" if case.explainer.condition(node) == TRUE else case.explainer.message(node)
        yield Rewrite(
            flag=name,
            given=given,
            final=final,
            at=program.places[node],
            function=program.functions[node],
            why=why,
            reason=case.explainer.reason(node),
        )


def _chooser(case: Case, node: int) -> int:
    """The last of a variable's steps, from this one back, that took effect."""
    from solver.stepping import condition_of

    program, values = case.program, case.resolution.values
    while program.kinds[node] == Kind.SET:
        if condition_of(program, node, program.terms(node), values) is not False:
            return node
        node = program.previous[node]
    return node


def _notices(case: Case) -> Iterator[Remark]:
    for remark in case.launch.remarks:
        from solver.answers import Remark

        yield Remark(remark.code, "argument", f"line {remark.place.line}: {remark.message}", ())
    for notice in case.arguments.notices:
        if notice.code == _UNREAD_FILE:
            continue
        from solver.answers import Remark

        flags = () if notice.flag is None else (notice.flag,)
        yield Remark(notice.code, "argument", notice.message, flags)
    program = case.program
    usual = frozenset(case.base.noticed)
    for node in case.resolution.noticed:
        if node not in usual:
            from solver.answers import Remark

            explainer = case.explainer
            yield Remark(
                code=program.codes[node],
                kind="engine",
                message=explainer.message(node),
                flags=tuple(sorted(program.flags_of(program.near[node] & case.different))),
                at=program.places[node],
                function=program.functions[node],
                condition=explainer.condition(node),
            )
