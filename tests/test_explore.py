"""Drawing inputs: a function of the seed alone."""

import sys

from support import ROOT

from autograder.assignment import with_staff_half
from autograder.explore import draw_cases, seed_of
from autograder.strategies import packed


def test_draws_depend_on_the_seed_and_not_on_the_modules_that_are_loaded(tmp_path, monkeypatch):
    """Hypothesis collects numbers from the source of loaded modules, the student's too, and draws some of them."""
    check = with_staff_half("attention", ROOT)["softmax"].checks[0]
    before = [repr(packed(draw_cases(check, seed=seed))) for seed in range(20)]
    (tmp_path / "numbers_of_a_student.py").write_text(f"NUMBERS = {list(range(1, 2000, 3))}")
    monkeypatch.syspath_prepend(tmp_path)
    import numbers_of_a_student  # noqa: F401
    try:
        assert [repr(packed(draw_cases(check, seed=seed))) for seed in range(20)] == before
    finally:
        del sys.modules["numbers_of_a_student"]


def test_no_deck_is_made_of_repetitions():
    """Hypothesis repeats parts of what it drew in the examples that follow: a deck then met hardly any axis but the last one (seed 139)."""
    check = next(check for check in with_staff_half("attention", ROOT)["softmax"].checks if check.name == "the_axis_is_the_one_asked_for")
    for seed in range(130, 190):
        drawn = [case["Z_dim"] for case in draw_cases(check, seed=seed_of(seed, "attention", "softmax", check.name))]
        assert sum(dim % Z.ndim < Z.ndim - 1 for Z, dim in drawn) >= 4, seed
        assert len({(tuple(Z.shape), dim) for Z, dim in drawn}) >= 14, seed
