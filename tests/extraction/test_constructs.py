from pathlib import Path

import pytest

from tests.extraction.engine import engine


@pytest.fixture
def differences(tmp_path: Path):
    """On which inputs Python and the extracted steps do not say the same, unknowns included."""

    def of(body: str, **domains) -> list[str]:
        return engine(tmp_path, body, **domains).differences()

    return of


NUMBERS = [1, 0, 2, 5]
TEXTS = ["x", "y", "12", ""]


def test_elif_chains_take_the_first_branch_that_holds(differences):
    body = """
    def resolve(server_args):
        cfg = resolving_view(server_args)
        if cfg.a == 1:
            declare_resolution(server_args, "r", b=10)
        elif cfg.a >= 1 and cfg.b:
            declare_resolution(server_args, "r", b=20)
        elif cfg.a == 0:
            raise ValueError("no")
        else:
            declare_resolution(server_args, "r", a=7)
        if cfg.b == 20 and cfg.a == 5:
            raise ValueError("no")
    """
    assert differences(body, a=NUMBERS, b=[0, 1]) == []


def test_an_early_return_leaves_the_rest_to_the_others(differences):
    body = """
    def check(server_args, cfg, limit=1, *, strict=False):
        if cfg.a > limit:
            return "large"
        if strict:
            raise ValueError("strict")
        if cfg.b:
            return None
        raise RuntimeError("no")

    def resolve(server_args):
        cfg = resolving_view(server_args)
        options = {"strict": True} if cfg.a == 0 else {}
        size = check(server_args, cfg, **options)
        if size is None and cfg.a == 1:
            declare_resolution(server_args, "r", b=5)
    """
    assert differences(body, a=NUMBERS, b=[0, 1]) == []


def test_calls_bind_defaults_keywords_and_the_rest(differences):
    body = """
    def most(first, *rest, low=0, **named):
        best = first
        for one in rest:
            if one > best:
                best = one
        return max(best, low, *named.values())

    def resolve(server_args):
        cfg = resolving_view(server_args)
        declare_resolution(server_args, "r", a=most(cfg.a, 1, low=cfg.b), b=most(cfg.a, cfg.b, x=3, y=cfg.a))
    """
    assert differences(body, a=NUMBERS, b=[0, 4]) == []


def test_loops_over_literals_unroll_with_break_continue_and_else(differences):
    body = """
    def resolve(server_args):
        cfg = resolving_view(server_args)
        total = 0
        for number in (1, 2, 3):
            if number == cfg.a:
                continue
            if number > cfg.b:
                break
            total += number
        else:
            total = 100
        declare_resolution(server_args, "r", a=total)
        for name, least in [("a", 3), ("b", 2)]:
            if getattr(cfg, name) < least:
                raise ValueError(name)
        for index in range(2):
            if cfg.b == index + 4:
                raise KeyError("no")
    """
    assert differences(body, a=NUMBERS, b=[2, 3, 4, 5]) == []


def test_a_loop_over_what_a_flag_holds_refuses_for_some_element(differences):
    body = """
    def resolve(server_args):
        cfg = resolving_view(server_args)
        for number in cfg.l:
            if number == 0:
                continue
            if number > cfg.a:
                raise ValueError("no")
        else:
            declare_resolution(server_args, "r", a=9)
        sizes = []
        for number in cfg.l:
            sizes.append(number * 2)
        declare_resolution(server_args, "r", l=sizes)
    """
    assert differences(body, a=NUMBERS, l=[[], [1], [0, 3], [7, 1]]) == []


def test_what_a_break_may_keep_a_loop_from_is_not_claimed(tmp_path):
    made = engine(
        tmp_path,
        """
        def resolve(server_args):
            cfg = resolving_view(server_args)
            for number in cfg.l:
                if number == 3:
                    break
                if number > 4:
                    raise ValueError("no")
        """,
        l=[[], [3, 5], [5, 3], [1]],
    )
    assert made.wrong() == []


def test_comprehensions_filter_map_and_quantify(differences):
    body = """
    def resolve(server_args):
        cfg = resolving_view(server_args)
        if any(number > cfg.a for number in cfg.l):
            raise ValueError("no")
        kept = [number + 1 for number in cfg.l if number]
        named = {str(number): number for number in (1, 2) if number < cfg.a}
        pairs = [(one, other) for one in (1, 2) for other in (1, 2) if one + other == cfg.a]
        declare_resolution(server_args, "r", l=kept, a=len(pairs) + len(named))
        if all(number > 1 for number in kept) and kept:
            raise RuntimeError("no")
    """
    assert differences(body, a=[1, 2, 3, 7], l=[[], [1], [0, 3]]) == []


def test_a_handler_catches_what_it_names_and_no_more(differences):
    body = """
    def number(text):
        try:
            return int(text)
        except ValueError:
            if text == "":
                raise
            return -1

    def resolve(server_args):
        cfg = resolving_view(server_args)
        try:
            if cfg.a == 2:
                raise KeyError("no")
            found = number(cfg.s)
        except ValueError:
            declare_resolution(server_args, "r", a=50)
        except (KeyError, RuntimeError) as error:
            raise RuntimeError("other") from error
        else:
            declare_resolution(server_args, "r", a=found)
        finally:
            declare_resolution(server_args, "r", s="z")
        if cfg.a < 0:
            raise ValueError("no")
    """
    assert differences(body, a=NUMBERS, s=TEXTS) == []


def test_a_division_by_zero_is_caught_or_refused(differences):
    body = """
    def resolve(server_args):
        cfg = resolving_view(server_args)
        try:
            share = int(cfg.s) % cfg.a
        except ZeroDivisionError:
            share = 4
        except ValueError:
            share = 5
        declare_resolution(server_args, "r", s=str(share))
        left = 10 // cfg.a
    """
    assert differences(body, a=NUMBERS, s=TEXTS) == []


def test_and_and_or_give_the_operand(differences):
    body = """
    def resolve(server_args):
        cfg = resolving_view(server_args)
        size = cfg.n or cfg.a or 3
        name = cfg.s and cfg.s.upper() or "none"
        rest = cfg.n is not None and cfg.n > 2
        declare_resolution(server_args, "r", a=size, s=name)
        if rest or (cfg.n and cfg.n < 2):
            raise ValueError("no")
    """
    assert differences(body, a=NUMBERS, n=[None, 0, 1, 2, 3], s=TEXTS) == []


def test_a_chained_comparison_stops_at_what_does_not_hold(differences):
    body = """
    def fails():
        raise RuntimeError("evaluated")

    def resolve(server_args):
        cfg = resolving_view(server_args)
        if 0 < cfg.a < 3 <= cfg.b:
            raise ValueError("no")
        if cfg.a < 2 == (fails() or 2):
            declare_resolution(server_args, "r", b=0)
    """
    assert differences(body, a=NUMBERS, b=[0, 3, 9]) == []


def test_formatted_texts_are_as_true_as_they_are_long(differences):
    body = """
    def resolve(server_args):
        cfg = resolving_view(server_args)
        problems = []
        if cfg.a == 0:
            problems.append(f"a is {cfg.a}")
        if cfg.s == "":
            problems.append(f"{cfg.s}")
        if any(problems):
            raise ValueError("; ".join(problems))
        declare_resolution(server_args, "r", s=f"{cfg.s}-{cfg.a}{'!' if cfg.a == 2 else ''}")
    """
    assert differences(body, a=NUMBERS, s=TEXTS) == []


def test_lists_sets_and_dicts_change_under_conditions(differences):
    body = """
    def resolve(server_args):
        cfg = resolving_view(server_args)
        names, seen, table = ["a"], {1}, {"x": 1}
        if cfg.a:
            names.append("b")
            table["y"] = cfg.a
            seen.add(cfg.a)
        if cfg.s in table:
            table.update(x=2, z=3)
        elif cfg.a == 5:
            table.pop("x")
        names += ["c"] if "z" in table else []
        table.setdefault("y", 8)
        declare_resolution(server_args, "r", l=names, s=str(table["y"]))
        if len(seen) == 2 and table.get("x") is None:
            raise ValueError("no")
        declare_resolution(server_args, "r", a=table["x"])
    """
    assert differences(body, a=NUMBERS, s=TEXTS, l=[[]]) == []


def test_a_key_that_is_not_there_is_caught_or_refused(differences):
    body = """
    SIZES = {"x": 1, "12": 2}

    def resolve(server_args):
        cfg = resolving_view(server_args)
        try:
            size = SIZES[cfg.s]
        except KeyError:
            size = 0
        if cfg.a == 2:
            ignored = SIZES[cfg.s]
        table = {}
        if cfg.a:
            table["k"] = size
        declare_resolution(server_args, "r", a=table["k"])
    """
    assert differences(body, a=NUMBERS, s=TEXTS) == []


def test_enums_are_looked_up_by_name_and_value_and_have_methods(differences):
    body = """
    class Kind(Enum):
        X = "x"
        Y = "y"

        @property
        def is_x(self):
            return self == Kind.X

        def other(self):
            return Kind.Y if self.is_x else Kind.X

        @classmethod
        def parse(cls, text):
            try:
                return cls[text.upper()]
            except KeyError:
                raise ValueError("no such kind")

    class Level(IntEnum):
        LOW = 0
        HIGH = 2

    def resolve(server_args):
        cfg = resolving_view(server_args)
        if cfg.a == 1:
            kind = Kind.parse(cfg.s)
        else:
            kind = Kind(cfg.s)
        level = Level.HIGH if kind in (Kind.X,) else cfg.a
        declare_resolution(server_args, "r", s=kind.other().value, a=level)
        if cfg.a < Level.HIGH and kind is Kind.Y:
            raise RuntimeError("no")
    """
    assert differences(body, a=NUMBERS, s=TEXTS) == []


def test_records_are_made_replaced_and_changed(differences):
    body = """
    @dataclass
    class Options:
        size: int = 1
        names: list = field(default_factory=list)
        LIMIT = 4

        def __post_init__(self):
            if self.size > self.LIMIT:
                raise ValueError("no")

        @property
        def is_small(self):
            return self.size < 2

        @classmethod
        def of(cls, size):
            return cls(size)

        @staticmethod
        def twice(number):
            return number * 2

    def resolve(server_args):
        cfg = resolving_view(server_args)
        options = Options.of(cfg.a)
        other = dataclasses.replace(options, size=Options.twice(cfg.a)) if cfg.a < 2 else options
        if other.is_small:
            other.size = 9
        options.names.append("n")
        declare_resolution(server_args, "r", a=options.size, b=other.size + len(other.names))
    """
    assert differences(body, a=NUMBERS, b=[0]) == []


def test_a_snapshot_does_not_see_what_is_declared_later(differences):
    body = """
    def a_pass(view):
        if view.a == 2:
            return {"b": view.b + 1}
        return {}

    def resolve(server_args):
        before = resolved_view(server_args)
        live = resolving_view(server_args)
        declare_resolution(server_args, "r", a=2 if live.a else 3)
        run_post_process_pass(server_args, a_pass)
        if before.a == live.a:
            raise ValueError("no")
        if server_args.a == 0 and live.b > 1:
            raise RuntimeError("no")
    """
    assert differences(body, a=NUMBERS, b=[0, 1]) == []


def test_a_structured_flag_is_changed_in_place(differences):
    body = """
    @dataclass
    class Phase:
        size: int = 0
        mode: str = "full"

    @dataclass
    class Config:
        decode: Phase = field(default_factory=Phase)
        prefill: Phase = field(default_factory=Phase)

    def resolve(server_args):
        cfg = resolving_view(server_args)
        declare_resolution(server_args, "r", c=Config(decode=Phase(size=cfg.a)))
        before = resolving_view(server_args).c
        if cfg.a == 2:
            cfg.c.prefill.mode = "none"
        if cfg.a == 5:
            changed = copy.deepcopy(cfg.c)
            changed.decode.size = 1
            declare_resolution(server_args, "r", c=changed)
        sizes = cfg.c.decode.size
        if before.prefill.mode == "none" and cfg.b:
            raise ValueError("no")
        declare_resolution(server_args, "r", b=cfg.c.decode.size, c=None)
    """
    assert differences(body, a=NUMBERS, b=[0, 1], c=[None]) == []


def test_environment_variables_are_read_set_and_asked_for(differences):
    body = """
    def resolve(server_args):
        cfg = resolving_view(server_args)
        if envs.TOY_SIZE.get() > 1 and not envs.TOY_ON.is_set():
            envs.TOY_ON.set(True)
        if envs.TOY_ON.get() and cfg.a == 1:
            raise ValueError("no")
        declare_resolution(server_args, "r", a=envs.TOY_SIZE.get() + int(envs.TOY_ON.is_set()))
    """
    assert differences(body, variables={"TOY_SIZE": [0, 1, 2], "TOY_ON": [False, True]}, a=NUMBERS) == []


def test_functions_close_over_and_rebind_what_is_around_them(differences):
    body = """
    def resolve(server_args):
        cfg = resolving_view(server_args)
        count = 0

        def seen(number):
            nonlocal count
            if number > 1:
                count += 1
            return count

        first = seen(cfg.a)
        seen(cfg.b)
        if (total := first + count) == 3:
            raise ValueError("no")
        declare_resolution(server_args, "r", a=total, b=(lambda number: number + count)(cfg.a))
    """
    assert differences(body, a=NUMBERS, b=[0, 2]) == []


def test_comparing_none_crashes(differences):
    body = """
    def resolve(server_args):
        cfg = resolving_view(server_args)
        if cfg.a == 1 and cfg.n > 2:
            raise ValueError("no")
        enough = cfg.n < cfg.a if cfg.a == 2 else True
        if cfg.n is not None and cfg.n > 2:
            declare_resolution(server_args, "r", a=0)
    """
    assert differences(body, a=NUMBERS, n=[None, 1, 3]) == []


def test_a_helper_that_always_raises_ends_only_the_path_that_calls_it(differences):
    body = """
    def fails():
        raise ValueError("no")

    def resolve(server_args):
        cfg = resolving_view(server_args)
        size = fails() if cfg.a == 2 else 3
        cfg.a == 0 and cfg.b and fails()
        if cfg.b == 1:
            raise RuntimeError("later")
        declare_resolution(server_args, "r", a=size)
    """
    assert differences(body, a=NUMBERS, b=[0, 1]) == []


def test_a_table_filled_by_registration_is_not_taken_to_be_empty(tmp_path):
    made = engine(
        tmp_path,
        """
        SIZES = {}

        def register(name, size):
            SIZES[name] = size

        register("x", 1)

        def resolve(server_args):
            cfg = resolving_view(server_args)
            if cfg.s not in SIZES:
                raise ValueError("no")
        """,
        s=TEXTS,
    )
    assert made.wrong() == []


def test_names_come_from_star_imports_lazy_modules_and_changed_tables(tmp_path):
    made = engine(
        tmp_path,
        """
        from sglang.srt import lazy
        from sglang.srt.tables import *

        def resolve(server_args):
            cfg = resolving_view(server_args)
            if cfg.s not in ALLOWED:
                raise ValueError("no")
            declare_resolution(server_args, "r", a=SIZES[cfg.s] + lazy.extra())
        """,
        modules={
            "tables": """
            ALLOWED = ["x"]
            SIZES = {"x": 1}
            if len(ALLOWED) == 1:
                ALLOWED.append("12")
                SIZES.update({"12": 4})
            for name in ("y",):
                SIZES[name] = 5
            """,
            "lazy": """
            _WHERE = {"extra": "sglang.srt.extras"}

            def __getattr__(name):
                import importlib

                if name in _WHERE:
                    return getattr(importlib.import_module(_WHERE[name]), name)
                raise AttributeError(name)
            """,
            "extras": """
            def extra():
                return 100
            """,
        },
        a=[1],
        s=TEXTS,
    )
    assert made.differences() == []
