"""Staff half of the exercise `rotation_matrix`: reference, alternates, misconceptions, hidden checks."""

import math

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close
from autograder.exercises.positional.rotation_matrix import (an_odd_width_is_refused, each_pair_turns_at_its_own_speed, exercise,
                                                             it_is_a_rotation, it_moves_an_encoding_on, one_pair_is_turned_the_right_way,
                                                             only_neighbours_mix, steps_add_up, the_base_is_an_argument)
from autograder.strategies import sizes


@exercise.solution
def rotation_matrix(k, D, L=10000.0):
    """The matrix R_k that moves sinusoidal encodings on by k positions: R_k r_n = r_(n+k), with encodings as columns.

    k: number of steps, an int that may be negative or 0. D: number of features, an even int. L: the base, a float above 0.
    With c_i, s_i the cosine and sine of k L^(-2i/D), its block for the features 2i and 2i + 1 is [[c_i, s_i], [-s_i, c_i]],
    and everything outside these blocks is 0.
    Returns a float64 tensor D x D. Raises ValueError if D is odd.
    """
    if D % 2 == 1:
        raise ValueError(f"an odd number of features, {D}, cannot be split into pairs")
    angles = k * L ** (-torch.arange(0, D, 2, dtype=torch.float64) / D)
    even = torch.arange(0, D, 2)
    R = torch.zeros(D, D, dtype=torch.float64)
    R[even, even] = R[even + 1, even + 1] = torch.cos(angles)
    R[even, even + 1] = torch.sin(angles)
    R[even + 1, even] = -torch.sin(angles)
    return R


exercise.equivalent('if D % 2 == 1: -> if False:',
                    because="an odd D breaks off all the same, at an index beyond R, and any exception is a refusal")
exercise.equivalent('if D % 2 == 1: -> if D % 1 == 1:',
                    because="an odd D breaks off all the same, at an index beyond R, and any exception is a refusal")
exercise.equivalent('if D % 2 == 1: -> if D % 2 == 2:',
                    because="an odd D breaks off all the same, at an index beyond R, and any exception is a refusal")


@st.composite
def steps_widths_bases(draw):
    """Steps, an even width, and a base or none."""
    return draw(st.integers(-8, 8)), 2 * draw(sizes(1, 4)), draw(st.sampled_from([{}, {"L": 30.0}, {"L": 700.0}, {"L": 1.5}]))


@exercise.hidden_check(points=2, hint="Write down R_1 for D = 4 by hand: 16 numbers, 8 of them 0. Then the same with L = 100 and with k = "
                                      "-1.")
@given(steps_widths_bases())
def agrees_with_the_reference(student, case):
    """Agrees with the reference entry by entry, for several widths and bases and for steps of either sign."""
    k, D, base = case
    assert_close(student(k, D, **base), rotation_matrix(k, D, **base), what="R_k")


@exercise.alternate
def with_block_diag(k, D, L=10000.0):
    if D % 2:
        raise ValueError("D must be even")
    blocks = []
    for i in range(D // 2):
        angle = k / L ** (2 * i / D)
        c, s = math.cos(angle), math.sin(angle)
        blocks.append(torch.tensor([[c, s], [-s, c]], dtype=torch.float64))
    return torch.block_diag(*blocks)


@exercise.alternate
def with_numpy_loops(k, D, L=10000.0):
    assert D % 2 == 0, "D must be even"
    R = np.zeros((D, D))
    for i in range(0, D, 2):
        angle = k * L ** (-i / D)
        R[i, i] = R[i + 1, i + 1] = np.cos(angle)
        R[i, i + 1], R[i + 1, i] = np.sin(angle), -np.sin(angle)
    return torch.from_numpy(R)


@exercise.alternate
def as_an_exponential(k, D, L=10000.0):
    if D % 2:
        raise ValueError("D must be even")
    speeds = L ** (-torch.arange(0, D, 2, dtype=torch.float64) / D)
    generator = torch.zeros(D, D, dtype=torch.float64)
    even = torch.arange(0, D, 2)
    generator[even, even + 1], generator[even + 1, even] = speeds, -speeds
    return torch.linalg.matrix_exp(k * generator)


@exercise.alternate
def in_float32(k, D, L=10000.0):
    if D % 2:
        raise ValueError("D must be even")
    angles = (k * torch.exp(torch.arange(0, D, 2).float() * -(math.log(L) / D))).repeat_interleave(2)
    signs = torch.tensor([1.0, 0.0]).repeat(D // 2)[:-1]
    sines = torch.sin(angles)[:-1] * signs
    return torch.diag(torch.cos(angles)) + torch.diag(sines, 1) - torch.diag(sines, -1)


def _rotation(angles, pairs=None):
    """Blocks [[c, s], [-s, c]] for the given pairs of features: neighbours unless told otherwise."""
    D = 2 * len(angles)
    first, second = pairs or (torch.arange(0, D, 2), torch.arange(1, D, 2))
    R = torch.zeros(D, D, dtype=torch.float64)
    R[first, first] = R[second, second] = torch.cos(angles)
    R[first, second] = torch.sin(angles)
    R[second, first] = -torch.sin(angles)
    return R


def _angles(k, D, L):
    if D % 2:
        raise ValueError("D must be even")
    return k * L ** (-torch.arange(0, D, 2, dtype=torch.float64) / D)


@exercise.alternate
def in_one_line(k, D, L=10000.0):
    return _rotation(_angles(k, D, L))


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


@_wrong(only_neighbours_mix,
        "the half-split layout "
        "(legitimate elsewhere: feature i turns with feature i + D/2; this course pairs 2i, 2i + 1)")
def half_split(k, D, L=10000.0):
    angles = _angles(k, D, L)
    half = torch.arange(D // 2)
    return _rotation(angles, (half, half + D // 2))


@_wrong(one_pair_is_turned_the_right_way,
        "a rotation the other way "
        "(the transpose, legitimate where it acts on rows from the right; here it moves encodings back by k)")
def transposed(k, D, L=10000.0):
    return _rotation(_angles(k, D, L)).mT


@_wrong(each_pair_turns_at_its_own_speed, "one speed for all blocks")
def one_speed(k, D, L=10000.0):
    return _rotation(_angles(k, D, 1.0))


@_wrong(each_pair_turns_at_its_own_speed, "an exponent of i/D where 2i/D is meant, i being the number of the block")
def half_the_exponent(k, D, L=10000.0):
    return _rotation(_angles(k, D, L ** 0.5))


@_wrong(each_pair_turns_at_its_own_speed, "an exponent that is doubled: the feature number already counts by two")
def twice_the_exponent(k, D, L=10000.0):
    return _rotation(_angles(k, D, L ** 2))


@_wrong(each_pair_turns_at_its_own_speed, "speeds that begin with the second one: every block is one place too slow")
def one_pair_too_slow(k, D, L=10000.0):
    return _rotation(_angles(k, D, L) * L ** (-2 / D))


@_wrong(each_pair_turns_at_its_own_speed, "an exponent that lost its minus sign, so that later blocks turn faster")
def exponent_of_the_wrong_sign(k, D, L=10000.0):
    return _rotation(_angles(k, D, 1 / L))


@_wrong(each_pair_turns_at_its_own_speed, "the base 1000 where 10000 is meant")
def base_1000(k, D, L=1000.0):
    return _rotation(_angles(k, D, L))


@_wrong(the_base_is_an_argument, "a base of 10000 written into the code: the argument L is not used")
def base_ignored(k, D, L=10000.0):
    return _rotation(_angles(k, D, 10000.0))


@_wrong(it_is_a_rotation, "a reflection: both sines have the same sign")
def reflection(k, D, L=10000.0):
    R = _rotation(_angles(k, D, L))
    R[1::2] = -R[1::2]
    return R


@_wrong(it_is_a_rotation, "two sines without a minus sign")
def no_minus_sign(k, D, L=10000.0):
    angles = _angles(k, D, L)
    R = _rotation(angles)
    even = torch.arange(0, D, 2)
    R[even + 1, even] = torch.sin(angles)
    return R


@_wrong(steps_add_up, "sine and cosine exchanged")
def sine_for_cosine(k, D, L=10000.0):
    return _rotation(math.pi / 2 - _angles(k, D, L))


@_wrong(steps_add_up, "a rotation by k + 1 steps")
def one_step_too_far(k, D, L=10000.0):
    return _rotation(_angles(k + 1, D, L))


@_wrong(steps_add_up, "a number of steps whose sign is lost")
def sign_lost(k, D, L=10000.0):
    return _rotation(_angles(abs(k), D, L))


@_wrong(each_pair_turns_at_its_own_speed, "the identity in all blocks but the first")
def first_block_only(k, D, L=10000.0):
    return _rotation(_angles(k, D, L) * (torch.arange(D // 2) == 0))


@_wrong(it_is_a_rotation, "zeros in all blocks but the first")
def first_block_and_zeros(k, D, L=10000.0):
    R = _rotation(_angles(k, D, L))
    R[2:] = 0
    return R


@_wrong(it_is_a_rotation, "a diagonal of cosines without the sines")
def cosines_only(k, D, L=10000.0):
    return torch.diag(torch.cos(_angles(k, D, L)).repeat_interleave(2))


@_wrong(each_pair_turns_at_its_own_speed, "angles taken for degrees")
def degrees(k, D, L=10000.0):
    return _rotation(torch.deg2rad(_angles(k, D, L)))


@_wrong(each_pair_turns_at_its_own_speed, "angles cut to whole numbers (an integer division)")
def whole_numbers(k, D, L=10000.0):
    return _rotation(torch.floor(_angles(k, D, L)))


@_wrong(only_neighbours_mix, "the blocks in the opposite order: the slowest comes first")
def slowest_first(k, D, L=10000.0):
    return _rotation(_angles(k, D, L).flip(0))


@_wrong(agrees_with_the_reference, "entries rounded to a few digits")
def rounded(k, D, L=10000.0):
    return _rotation(_angles(k, D, L)).round(decimals=4)


@_wrong(agrees_with_the_reference, "angles in half precision")
def half_precision(k, D, L=10000.0):
    return _rotation(_angles(k, D, L).half().double())


@_wrong(an_odd_width_is_refused, "a function that takes an odd D and leaves the last feature alone")
def odd_width_accepted(k, D, L=10000.0):
    even = D - D % 2
    R = torch.eye(D, dtype=torch.float64)
    R[:even, :even] = _rotation(k * L ** (-torch.arange(0, even, 2, dtype=torch.float64) / D))
    return R


@_wrong(it_moves_an_encoding_on, "sines of the opposite sign in every second block")
def every_second_block_the_other_way(k, D, L=10000.0):
    angles = _angles(k, D, L)
    return _rotation(torch.where(torch.arange(D // 2) % 2 == 0, angles, -angles))


@_wrong(agrees_with_the_reference, "a base L that reaches the cosines and not the sines")
def base_in_the_cosines_only(k, D, L=10000.0):
    cosines, sines = torch.cos(_angles(k, D, L)), _rotation(_angles(k, D, 10000.0))
    return sines - torch.diag(sines.diagonal()) + torch.diag(cosines.repeat_interleave(2))


@_wrong(one_pair_is_turned_the_right_way, "steps cut off at 100")
def steps_cut_off(k, D, L=10000.0):
    return _rotation(_angles(max(-100, min(100, k)), D, L))
