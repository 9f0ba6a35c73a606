"""Staff half of the exercise `expected_rope_score`: reference, alternates, misconceptions, hidden checks."""

import math

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close
from autograder.exercises.positional.expected_rope_score import (exercise, offsets_have_any_shape_and_may_be_ints, one_pair_gives_a_cosine,
                                                                 the_input_stays_as_it_was, the_score_is_largest_at_offset_zero,
                                                                 the_table_comes_out, two_pairs_and_the_base)
from autograder.strategies import on_grid, sizes


@exercise.solution
def expected_rope_score(offsets, D_k, L=10000.0):
    """The expected score with RoPE of a query and an equal key at the offset d: 2 sum_i cos(d L^(-2i/D_k)), i = 0, ..., D_k/2 - 1.

    offsets: tensor of offsets d of any shape, floats or ints, of either sign. D_k: width of query and key, an even int. L: the base.
    Returns a float64 tensor of the shape of offsets.
    """
    speeds = L ** (-torch.arange(0, D_k, 2, dtype=torch.float64) / D_k)
    return 2 * torch.cos(offsets.to(torch.float64).unsqueeze(-1) * speeds).sum(dim=-1)


exercise.equivalent('speeds = L ** (-torch.arange(0, D_k, 2, dtype=torch.float64) / D_k) -> speeds = L ** (-torch.arange(0, D_k, 2) / D_k)',
                    because="speeds in float32 are off by less than the tolerance allows")
exercise.equivalent('return 2 * torch.cos(offsets.to(torch.float64).unsqueeze(-1) * speeds).sum(dim=-1) -> '
                    'return 2 * torch.cos(offsets.unsqueeze(-1) * speeds).sum(dim=-1)',
                    because="ints times float64 speeds are float64 already")


@st.composite
def offsets_of_any_shape(draw):
    """Offsets of several shapes, whole and broken, an even width, and a base or none."""
    shape = draw(st.sampled_from([(1,), (), (4,), (2, 3), (3, 1, 2)]))
    offsets = torch.rand(shape, generator=torch.Generator().manual_seed(draw(st.integers(0, 2**16))), dtype=torch.float64) * 8 - 4
    whole = draw(st.booleans())
    return offsets.round().long() if whole else on_grid(offsets), 2 * draw(sizes(1, 6)), draw(st.sampled_from([{}, {"L": 30.0}, {"L": 700.0}, {"L": 1.5}]))


@exercise.hidden_check(points=1.5, hint="Compute the score by hand for D_k = 6 at offset 1: three cosines. Then for offsets in a 2 x 3 "
                                        "tensor, and with L = 30.",
                       kept="the only check with offsets that are no whole numbers, more than two pairs and another base at once, on "
                            "inputs seeded from the course's secret")
@given(offsets_of_any_shape())
def agrees_with_the_reference(student, case):
    """Agrees with the reference for offsets of any shape and several widths and bases."""
    offsets, D_k, base = case
    assert_close(student(offsets, D_k, **base), expected_rope_score(offsets, D_k, **base), what="the expected score")


@exercise.alternate
def pair_by_pair(offsets, D_k, L=10000.0):
    total = torch.zeros(offsets.shape, dtype=torch.float64)
    for i in range(D_k // 2):
        total = total + 2 * torch.cos(offsets.double() / L ** (2 * i / D_k))
    return total


@exercise.alternate
def with_numpy(offsets, D_k, L=10000.0):
    angles = np.multiply.outer(offsets.numpy().astype(float), L ** (-np.arange(0, D_k, 2) / D_k))
    return torch.as_tensor(2 * np.cos(angles).sum(-1))


@exercise.alternate
def in_float32(offsets, D_k, L=10000.0):
    theta = 1.0 / (L ** (torch.arange(0, D_k, 2).float() / D_k))
    return (2 * torch.cos(offsets.float()[..., None] * theta)).sum(-1)


@exercise.alternate
def over_all_features(offsets, D_k, L=10000.0):
    i = torch.arange(D_k, dtype=torch.float64) // 2
    return torch.cos(offsets.double()[..., None] * torch.exp(-2 * i * math.log(L) / D_k)).sum(-1)


@exercise.alternate
def one_by_one(offsets, D_k, L=10000.0):
    scores = [sum(2 * math.cos(d * L ** (-2 * i / D_k)) for i in range(D_k // 2)) for d in offsets.flatten().tolist()]
    return torch.tensor(scores, dtype=torch.float64).reshape(offsets.shape)


def _score(offsets, exponents, L=10000.0):
    return 2 * torch.cos(offsets.double()[..., None] * L ** -torch.as_tensor(exponents, dtype=torch.float64)).sum(-1)


def _exponents(D_k):
    return [2 * i / D_k for i in range(D_k // 2)]


@exercise.alternate
def in_one_line(offsets, D_k, L=10000.0):
    return _score(offsets, _exponents(D_k), L)


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


@_wrong(the_score_is_largest_at_offset_zero, "a sum of cosines without the factor 2")
def without_the_two(offsets, D_k, L=10000.0):
    return _score(offsets, _exponents(D_k), L) / 2


@_wrong(the_score_is_largest_at_offset_zero, "the mean of the cosines instead of twice their sum")
def the_mean(offsets, D_k, L=10000.0):
    return _score(offsets, _exponents(D_k), L) / D_k


@_wrong(the_score_is_largest_at_offset_zero, "a score divided by the square root of D_k")
def divided_by_the_root(offsets, D_k, L=10000.0):
    return _score(offsets, _exponents(D_k), L) / math.sqrt(D_k)


@_wrong(the_score_is_largest_at_offset_zero, "a sum over D_k pairs where there are D_k/2")
def twice_as_many_pairs(offsets, D_k, L=10000.0):
    return _score(offsets, [2 * i / D_k for i in range(D_k)], L)


@_wrong(the_score_is_largest_at_offset_zero, "sines in place of cosines")
def sines(offsets, D_k, L=10000.0):
    return 2 * torch.sin(offsets.double()[..., None] * L ** -torch.tensor(_exponents(D_k), dtype=torch.float64)).sum(-1)


@_wrong(the_score_is_largest_at_offset_zero, "a sum that leaves out the first pair")
def first_pair_left_out(offsets, D_k, L=10000.0):
    return _score(offsets, _exponents(D_k)[1:], L)


@_wrong(two_pairs_and_the_base, "an exponent of i/D_k where 2i/D_k is meant")
def half_the_exponent(offsets, D_k, L=10000.0):
    return _score(offsets, [e / 2 for e in _exponents(D_k)], L)


@_wrong(two_pairs_and_the_base, "an exponent that is doubled: the feature number already counts by two")
def twice_the_exponent(offsets, D_k, L=10000.0):
    return _score(offsets, [2 * e for e in _exponents(D_k)], L)


@_wrong(one_pair_gives_a_cosine, "speeds that begin with the second one (i from 1 instead of 0)")
def one_pair_too_slow(offsets, D_k, L=10000.0):
    return _score(offsets, [e + 2 / D_k for e in _exponents(D_k)], L)


@_wrong(two_pairs_and_the_base, "an exponent that lost its minus sign")
def exponent_of_the_wrong_sign(offsets, D_k, L=10000.0):
    return _score(offsets, [-e for e in _exponents(D_k)], L)


@_wrong(two_pairs_and_the_base, "one speed for all pairs")
def one_speed(offsets, D_k, L=10000.0):
    return D_k * torch.cos(offsets.double())


@_wrong(the_table_comes_out, "the base 1000 where 10000 is meant")
def base_1000(offsets, D_k, L=1000.0):
    return _score(offsets, _exponents(D_k), L)


@_wrong(two_pairs_and_the_base, "a base of 10000 written into the code: the argument L is not used")
def base_ignored(offsets, D_k, L=10000.0):
    return _score(offsets, _exponents(D_k))


@_wrong(one_pair_gives_a_cosine, "angles taken for degrees")
def degrees(offsets, D_k, L=10000.0):
    return _score(offsets.double() * math.pi / 180, _exponents(D_k), L)


@_wrong(one_pair_gives_a_cosine, "absolute values of the cosines")
def absolute_values(offsets, D_k, L=10000.0):
    return 2 * torch.cos(offsets.double()[..., None] * L ** -torch.tensor(_exponents(D_k), dtype=torch.float64)).abs().sum(-1)


@_wrong(two_pairs_and_the_base, "the cosine of the summed angles instead of the sum of the cosines")
def cosine_of_the_sum(offsets, D_k, L=10000.0):
    return D_k * torch.cos((offsets.double()[..., None] * L ** -torch.tensor(_exponents(D_k), dtype=torch.float64)).sum(-1))


@_wrong(offsets_have_any_shape_and_may_be_ints, "speeds in the dtype of the offsets: ints turn them into 0 and 1")
def speeds_cut_to_ints(offsets, D_k, L=10000.0):
    speeds = (L ** -torch.tensor(_exponents(D_k), dtype=torch.float64)).to(offsets.dtype)
    return 2 * torch.cos(offsets[..., None] * speeds).double().sum(-1)


@_wrong(offsets_have_any_shape_and_may_be_ints, "scores cut to ints where the offsets are ints")
def scores_cut_to_ints(offsets, D_k, L=10000.0):
    return _score(offsets, _exponents(D_k), L).to(offsets.dtype)


@_wrong(offsets_have_any_shape_and_may_be_ints, "offsets that were flattened, their shape lost")
def flattened(offsets, D_k, L=10000.0):
    return _score(offsets.flatten(), _exponents(D_k), L)


@_wrong(offsets_have_any_shape_and_may_be_ints, "one sum over pairs and offsets together")
def summed_over_everything(offsets, D_k, L=10000.0):
    return _score(offsets, _exponents(D_k), L).sum().expand(offsets.shape).clone()


@_wrong(agrees_with_the_reference, "cosines in half precision")
def half_precision(offsets, D_k, L=10000.0):
    speeds = L ** -torch.tensor(_exponents(D_k), dtype=torch.float64)
    return 2 * torch.cos((offsets.double()[..., None] * speeds).half()).double().sum(-1)


@_wrong(agrees_with_the_reference, "scores rounded to one decimal")
def rounded(offsets, D_k, L=10000.0):
    return _score(offsets, _exponents(D_k), L).round(decimals=1)


@_wrong(the_input_stays_as_it_was, "a function that overwrites the offsets")
def in_place(offsets, D_k, L=10000.0):
    scores = _score(offsets, _exponents(D_k), L)
    offsets.mul_(0)
    return scores


@_wrong(the_table_comes_out, "offsets clipped at a largest distance, as relative position embeddings do: far away, the score stays the same")
def far_offsets_clipped(offsets, D_k, L=10000.0):
    return _score(offsets.double().clamp(-512, 512), _exponents(D_k), L)
