"""Staff half of the exercise `sinusoidal_encoding`: reference, alternates, misconceptions, hidden checks."""

import math

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close
from autograder.exercises.positional.sinusoidal_encoding import (an_odd_width_ends_with_a_sine, each_pair_has_its_own_speed, exercise,
                                                                 inner_products_depend_on_the_offset_only,
                                                                 sine_and_cosine_stand_side_by_side, the_base_is_an_argument,
                                                                 two_columns_are_sine_and_cosine)
from autograder.strategies import sizes


@exercise.solution
def sinusoidal_encoding(N, D, L=10000.0):
    """Sinusoidal encodings of the positions 0 to N - 1: r_{n,i} = sin(n / L^(i/D)) for even i, cos(n / L^((i-1)/D)) for odd i.

    N: number of positions, an int. D: number of features, an int of at least 1, which may be odd. L: the base, a float above 0.
    Returns a float64 tensor N x D, row n for position n.
    """
    n = torch.arange(N, dtype=torch.float64).unsqueeze(1)
    i = torch.arange(D)
    angles = n * L ** (-(i - i % 2).to(torch.float64) / D)
    return torch.where(i % 2 == 0, torch.sin(angles), torch.cos(angles))


exercise.equivalent('n = torch.arange(N, dtype=torch.float64).unsqueeze(1) -> n = torch.arange(N).unsqueeze(1)',
                    because="whole positions times float64 speeds are float64 already")
exercise.equivalent('angles = n * L ** (-(i - i % 2).to(torch.float64) / D) -> angles = n * L ** (-(i - i % 2) / D)',
                    because="speeds in float32 are off by less than the tolerance allows in tables as short as those drawn")


@st.composite
def tables_and_bases(draw):
    """N, any D, and a base or none; or a long narrow table at the default base."""
    if draw(st.integers(0, 5)) == 5:
        return 150, draw(sizes(1, 4)), {}
    return draw(sizes(1, 8)), draw(sizes(1, 9)), draw(st.sampled_from([{}, {"L": 30.0}, {"L": 700.0}, {"L": 1.5}]))


@exercise.hidden_check(points=2, hint="Write down the rows for n = 0 and n = 1 with D = 5 by hand, then with L = 30, and compare entry by "
                                      "entry.",
                       kept="entry by entry for every width and base: the public checks see inner products beyond two columns, and "
                            "these do not see signs")
@given(tables_and_bases())
def agrees_with_the_reference(student, case):
    """Agrees with the reference entry by entry, for even and odd D and several bases."""
    N, D, base = case
    assert_close(student(N, D, **base), sinusoidal_encoding(N, D, **base), what="the encoding")


@exercise.alternate
def column_by_column(N, D, L=10000.0):
    R = torch.zeros(N, D, dtype=torch.float64)
    n = torch.arange(N, dtype=torch.float64)
    for i in range(D):
        R[:, i] = torch.sin(n / L ** (i / D)) if i % 2 == 0 else torch.cos(n / L ** ((i - 1) / D))
    return R


@exercise.alternate
def entry_by_entry(N, D, L=10000.0):
    return torch.tensor([[(math.sin, math.cos)[i % 2](n / L ** ((i - i % 2) / D)) for i in range(D)] for n in range(N)]).reshape(N, D).double()


@exercise.alternate
def in_float32(N, D, L=10000.0):
    R = torch.zeros(N, D)
    div_term = torch.exp(torch.arange(0, D, 2).float() * (-math.log(L) / D))
    position = torch.arange(N).unsqueeze(1).float()
    R[:, 0::2] = torch.sin(position * div_term)
    R[:, 1::2] = torch.cos(position * div_term)[:, :D // 2]
    return R


@exercise.alternate
def with_numpy(N, D, L=10000.0):
    angles = np.arange(N)[:, None] / np.power(L, 2 * (np.arange(D) // 2) / D)[None, :]
    angles[:, 0::2] = np.sin(angles[:, 0::2])
    angles[:, 1::2] = np.cos(angles[:, 1::2])
    return torch.from_numpy(angles)


@exercise.alternate
def cosine_as_a_shifted_sine(N, D, L=10000.0):
    i = torch.arange(D, dtype=torch.float64)
    odd = i.remainder(2)
    return torch.sin(torch.outer(torch.arange(N, dtype=torch.float64), torch.exp(-math.log(L) * (i - odd) / D)) + odd * math.pi / 2)


@exercise.alternate
def cut_from_a_long_table(N, D, L=10000.0):
    n = torch.arange(5000, dtype=torch.float64)
    waves = [wave(n / L ** (2 * i / D)) for i in range(D // 2 + 1) for wave in (torch.sin, torch.cos)]
    return torch.stack(waves, 0)[:D, :N].T


def _encode(N, D, exponents, L=10000.0, first=0.0, unit=1.0):
    """Sine in even columns, cosine in odd ones, of position times L to the power of minus the column's exponent."""
    n = torch.arange(N, dtype=torch.float64)[:, None] + first
    angles = unit * n * L ** -torch.as_tensor(exponents, dtype=torch.float64)
    return torch.where(torch.arange(D) % 2 == 0, angles.sin(), angles.cos())


def _exponents(D):
    return [(i - i % 2) / D for i in range(D)]


@exercise.alternate
def in_one_line(N, D, L=10000.0):
    return _encode(N, D, _exponents(D), L)


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


@_wrong(sine_and_cosine_stand_side_by_side,
        "the layout in halves, all sines first, then all cosines (legitimate elsewhere; here they alternate)")
def in_halves(N, D, L=10000.0):
    R = _encode(N, D, _exponents(D), L)
    return torch.cat([R[:, 0::2], R[:, 1::2]], 1)


@_wrong(two_columns_are_sine_and_cosine, "a table with the cosine in the even columns and the sine in the odd ones")
def cosine_first(N, D, L=10000.0):
    n = torch.arange(N, dtype=torch.float64)[:, None]
    angles = n * L ** -torch.tensor(_exponents(D), dtype=torch.float64)
    return torch.where(torch.arange(D) % 2 == 0, angles.cos(), angles.sin())


@_wrong(each_pair_has_its_own_speed, "an exponent that is half as large as it should be (pair number over D): the slowest wave is much too fast")
def half_the_exponent(N, D, L=10000.0):
    return _encode(N, D, [i // 2 / D for i in range(D)], L)


@_wrong(each_pair_has_its_own_speed, "an exponent that is doubled: the column number already counts by two")
def twice_the_exponent(N, D, L=10000.0):
    return _encode(N, D, [2 * (i - i % 2) / D for i in range(D)], L)


@_wrong(inner_products_depend_on_the_offset_only,
        "a cosine that uses its own column number in the exponent, so that it turns more slowly than its sine")
def cosine_slower_than_its_sine(N, D, L=10000.0):
    return _encode(N, D, [i / D for i in range(D)], L)


@_wrong(inner_products_depend_on_the_offset_only, "exponents 2i/D in the sine and 2(i+1)/D in the cosine, with i the column number")
def both_slips(N, D, L=10000.0):
    return _encode(N, D, [2 * i / D for i in range(D)], L)


@_wrong(inner_products_depend_on_the_offset_only, "sines in all columns")
def sine_everywhere(N, D, L=10000.0):
    return torch.sin(torch.arange(N, dtype=torch.float64)[:, None] * L ** -torch.tensor(_exponents(D), dtype=torch.float64))


@_wrong(inner_products_depend_on_the_offset_only, "cosines in all columns")
def cosine_everywhere(N, D, L=10000.0):
    return torch.cos(torch.arange(N, dtype=torch.float64)[:, None] * L ** -torch.tensor(_exponents(D), dtype=torch.float64))


@_wrong(each_pair_has_its_own_speed, "the base 1000 where 10000 is meant")
def base_1000(N, D, L=1000.0):
    return _encode(N, D, _exponents(D), L)


@_wrong(the_base_is_an_argument, "a base of 10000 written into the code: the argument L is not used")
def base_ignored(N, D, L=10000.0):
    return _encode(N, D, _exponents(D), 10000.0)


@_wrong(two_columns_are_sine_and_cosine, "positions that are counted from 1")
def from_one(N, D, L=10000.0):
    return _encode(N, D, _exponents(D), L, first=1.0)


@_wrong(each_pair_has_its_own_speed, "positions divided by their number N, so that the encoding of a position depends on the length")
def positions_from_zero_to_one(N, D, L=10000.0):
    return _encode(N, D, _exponents(D), L, unit=1 / N)


@_wrong(each_pair_has_its_own_speed, "base and exponent exchanged")
def base_and_exponent_exchanged(N, D, L=10000.0):
    speeds = torch.tensor([e ** (1 / L) for e in _exponents(D)], dtype=torch.float64)
    angles = torch.arange(N, dtype=torch.float64)[:, None] * speeds
    return torch.where(torch.arange(D) % 2 == 0, angles.sin(), angles.cos())


@_wrong(each_pair_has_its_own_speed, "the base multiplied by the exponent instead of raised to it")
def product_for_power(N, D, L=10000.0):
    speeds = torch.tensor([1 / max(L * e, 1.0) for e in _exponents(D)], dtype=torch.float64)
    angles = torch.arange(N, dtype=torch.float64)[:, None] * speeds
    return torch.where(torch.arange(D) % 2 == 0, angles.sin(), angles.cos())


@_wrong(each_pair_has_its_own_speed, "positions multiplied by the power of the base instead of divided by it: the exponent lost its minus sign")
def exponent_of_the_wrong_sign(N, D, L=10000.0):
    return _encode(N, D, [-e for e in _exponents(D)], L)


@_wrong(each_pair_has_its_own_speed, "one speed for all pairs")
def one_speed(N, D, L=10000.0):
    return _encode(N, D, [0.0] * D, L)


@_wrong(each_pair_has_its_own_speed, "exponents that end at 1 (a division by D/2 - 1, as in some libraries) instead of just below it")
def exponents_up_to_one(N, D, L=10000.0):
    return _encode(N, D, [i // 2 / max(1, (D + 1) // 2 - 1) for i in range(D)], L)


@_wrong(each_pair_has_its_own_speed, "speeds that start at the second power (exponents 2(i+1)/D): every pair is one place too slow")
def one_pair_too_slow(N, D, L=10000.0):
    return _encode(N, D, [e + 2 / D for e in _exponents(D)], L)


@_wrong(sine_and_cosine_stand_side_by_side, "the pairs in the opposite order: the slowest comes first")
def slowest_first(N, D, L=10000.0):
    pairs = max(1, D // 2)
    return _encode(N, D, [2 * max(0, pairs - 1 - i // 2) / D if i // 2 < pairs else i // 2 * 2 / D for i in range(D)], L)


@_wrong(inner_products_depend_on_the_offset_only, "a table with one row for each feature instead of for each position (transposed)")
def transposed(N, D, L=10000.0):
    return _encode(N, D, _exponents(D), L).T


@_wrong(each_pair_has_its_own_speed, "angles cut to whole numbers (an integer division)")
def whole_numbers(N, D, L=10000.0):
    n = torch.arange(N, dtype=torch.float64)[:, None]
    angles = torch.floor(n / L ** torch.tensor(_exponents(D), dtype=torch.float64))
    return torch.where(torch.arange(D) % 2 == 0, angles.sin(), angles.cos())


@_wrong(inner_products_depend_on_the_offset_only, "a table in half precision, which keeps three digits")
def in_half_precision(N, D, L=10000.0):
    return _encode(N, D, _exponents(D), L).half()


@_wrong(agrees_with_the_reference, "entries rounded to a few digits")
def rounded(N, D, L=10000.0):
    return _encode(N, D, _exponents(D), L).round(decimals=4)


@_wrong(two_columns_are_sine_and_cosine, "angles taken for degrees")
def degrees(N, D, L=10000.0):
    return _encode(N, D, _exponents(D), L, unit=math.pi / 180)


@_wrong(two_columns_are_sine_and_cosine, "angles multiplied by 2 pi")
def whole_turns(N, D, L=10000.0):
    return _encode(N, D, _exponents(D), L, unit=2 * math.pi)


@_wrong(inner_products_depend_on_the_offset_only, "rows scaled to length 1")
def normalised(N, D, L=10000.0):
    R = _encode(N, D, _exponents(D), L)
    return R / R.norm(dim=1, keepdim=True).clamp(min=1e-9)


@_wrong(inner_products_depend_on_the_offset_only, "a leading dimension of 1 that was not asked for")
def extra_dimension(N, D, L=10000.0):
    return _encode(N, D, _exponents(D), L)[None]


@_wrong(an_odd_width_ends_with_a_sine, "the table of the next even width with its last column cut off: the exponents are divided by D + 1")
def odd_width_cut_from_even(N, D, L=10000.0):
    return _encode(N, D + D % 2, _exponents(D + D % 2), L)[:, :D]


@_wrong(an_odd_width_ends_with_a_sine, "a function that breaks off at an odd width: there is one cosine fewer than there are sines")
def even_widths_only(N, D, L=10000.0):
    R = torch.zeros(N, D, dtype=torch.float64)
    angles = torch.arange(N, dtype=torch.float64)[:, None] * L ** (-torch.arange(0, D, 2, dtype=torch.float64) / D)
    R[:, 0::2] = torch.sin(angles)
    R[:, 1::2] = torch.cos(angles)
    return R


@_wrong(an_odd_width_ends_with_a_sine, "an odd width whose last column stays at zero")
def odd_width_ends_with_zeros(N, D, L=10000.0):
    R = torch.zeros(N, D, dtype=torch.float64)
    R[:, :D - D % 2] = _encode(N, D, _exponents(D), L)[:, :D - D % 2]
    return R


@_wrong(two_columns_are_sine_and_cosine, "a table of 64 positions whose last row stands for all later ones")
def positions_cut_off(N, D, L=10000.0):
    R = _encode(N, D, _exponents(D), L)
    return R[torch.arange(N).clamp(max=63)]
