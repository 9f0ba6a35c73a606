"""Staff half of the exercise `rope`: reference, alternates, misconceptions, hidden checks."""

import math

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercises.positional.rope import (an_odd_width_is_refused, each_pair_turns_at_its_own_speed, each_sequence_of_a_batch_is_by_itself,
                                                  exercise, lengths_are_kept, neighbours_are_the_pairs, one_pair_turns_anticlockwise,
                                                  position_zero_stays, scores_depend_on_the_offset_only, the_base_is_an_argument,
                                                  the_input_stays_as_it_was, the_positions_are_the_ones_given, tokens)
from autograder.strategies import fillers, leading, sizes


@exercise.solution
def rope(X, positions=None, L=10000.0):
    """Rotary position encoding: the pair (x_2i, x_2i+1) of the token at position n is turned anticlockwise by n L^(-2i/D_k).

    X: float64 tensor ... x N x D_k with an even D_k; any number of leading batch dimensions.
    positions: None, which means 0 to N - 1, or an int64 tensor of the N positions of the tokens, shared by the whole batch.
    L: the base, a float above 0. With c, s the cosine and sine of the angle, the new pair is (x_2i c - x_2i+1 s, x_2i s + x_2i+1 c).
    Returns a new tensor of the shape of X. Raises ValueError if D_k is odd.
    """
    N, D_k = X.shape[-2:]
    if D_k % 2 == 1:
        raise ValueError(f"an odd number of features, {D_k}, cannot be split into pairs")
    if positions is None:
        positions = torch.arange(N)
    speeds = L ** (-torch.arange(0, D_k, 2, dtype=torch.float64) / D_k)
    angles = positions.to(torch.float64).unsqueeze(-1) * speeds
    c, s = torch.cos(angles), torch.sin(angles)
    x, y = X[..., 0::2], X[..., 1::2]
    return torch.stack([x * c - y * s, x * s + y * c], dim=-1).flatten(-2)


exercise.equivalent('speeds = L ** (-torch.arange(0, D_k, 2, dtype=torch.float64) / D_k) -> speeds = L ** (-torch.arange(0, D_k, 2) / D_k)',
                    because="speeds in float32 are off by less than the tolerance allows at the positions that are drawn")
exercise.equivalent('angles = positions.to(torch.float64).unsqueeze(-1) * speeds -> angles = positions.unsqueeze(-1) * speeds',
                    because="whole positions times float64 speeds are float64 already")
exercise.equivalent('angles = positions.to(torch.float64).unsqueeze(-1) * speeds -> '
                    'angles = positions.to(torch.float64).unsqueeze(1) * speeds',
                    because="positions have one axis, so a new axis 1 is the last one")


@st.composite
def tokens_positions_bases(draw):
    """Tokens with leading dimensions, positions or none, a base or none; at the default base positions lie as far out as float32 allows."""
    batch, N, D_k, filler = draw(leading()), draw(sizes(1, 5)), 2 * draw(sizes(1, 4)), draw(fillers())
    options = dict(draw(st.sampled_from([{}, {"L": 30.0}, {"L": 700.0}, {"L": 1.5}])))
    if draw(st.booleans()):
        options["positions"] = torch.tensor(draw(st.lists(st.integers(0, 8), min_size=N, max_size=N))) * (1 if options else 125 if D_k == 2 else 12)
    return filler((*batch, N, D_k))[0], options


@exercise.hidden_check(points=1.5, hint="Work out rope by hand for one token (1, 0, 1, 0) at position 1: (cos 1, sin 1, cos .01, sin .01). "
                                        "Then for positions that do not start at 0.")
@given(tokens_positions_bases())
def agrees_with_the_reference(student, case):
    """Agrees with the reference for none, one and two batch dimensions, given positions and several bases."""
    X, options = case
    assert_close(student(X, **options), rope(X, **options), what="the rotated X")


@exercise.hidden_check(points=0.5, examples=8, hint="A rotation is linear, so its gradient is a rotation back. Does something inside cut "
                                                    "the gradient (detach, no_grad, .data, torch.tensor(X))?")
@given(tokens, fillers(("normal",)))
def the_gradient_turns_back(student, X, filler):
    """Where a gradient flows, it is that of a linear map: the inner product of rope(U) with a cotangent is that of U with the gradient."""
    U, cotangent = filler(tuple(X.shape), tuple(X.shape))
    Y = student(U)
    assert_true((Y[1:] - U[1:]).abs().max() > 1e-3, "nothing was rotated", what="the rotated X")
    assert_close((Y ** 2).sum(), (U ** 2).sum(), what="the sum of the squares of all entries")
    got = student.vjp((cotangent,), X)
    if got is not None:
        assert_close((got[0] * U).sum() / 10, (Y * cotangent).sum() / 10, what="a tenth of <gradient, U>, against <rope(U), cotangent>,")


@exercise.alternate
def with_complex_numbers(X, positions=None, L=10000.0):
    if X.shape[-1] % 2:
        raise ValueError("D_k must be even")
    n = torch.arange(X.shape[-2]) if positions is None else positions
    angles = torch.outer(n.double(), L ** (-torch.arange(0, X.shape[-1], 2).double() / X.shape[-1]))
    turned = torch.view_as_complex(X.reshape(*X.shape[:-1], -1, 2)) * torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(turned).reshape(X.shape)


@exercise.alternate
def with_repeated_angles(X, positions=None, L=10000.0):
    D = X.shape[-1]
    assert D % 2 == 0
    n = torch.arange(X.shape[-2]) if positions is None else positions
    angles = (n[:, None] / L ** (torch.arange(0, D, 2, dtype=X.dtype) / D)).repeat_interleave(2, -1)
    partner = torch.stack([-X[..., 1::2], X[..., ::2]], -1).reshape(X.shape)
    return X * angles.cos() + partner * angles.sin()


@exercise.alternate
def position_by_position(X, positions=None, L=10000.0):
    D = X.shape[-1]
    if D % 2:
        raise ValueError("D_k must be even")
    n = list(range(X.shape[-2])) if positions is None else positions.tolist()
    Y = X.clone()
    for row, position in enumerate(n):
        for i in range(D // 2):
            c, s = math.cos(position * L ** (-2 * i / D)), math.sin(position * L ** (-2 * i / D))
            Y[..., row, 2 * i] = c * X[..., row, 2 * i] - s * X[..., row, 2 * i + 1]
            Y[..., row, 2 * i + 1] = s * X[..., row, 2 * i] + c * X[..., row, 2 * i + 1]
    return Y


@exercise.alternate
def with_matrices(X, positions=None, L=10000.0):
    D = X.shape[-1]
    if D % 2:
        raise ValueError("D_k must be even")
    matrices = []
    for n in range(X.shape[-2]) if positions is None else positions.tolist():
        angles = [n * L ** (-2 * i / D) for i in range(D // 2)]
        matrices.append(torch.block_diag(*[torch.tensor([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]], dtype=X.dtype) for a in angles]))
    return torch.einsum("nij,...nj->...ni", torch.stack(matrices), X)


@exercise.alternate
def angles_in_float32(X, positions=None, L=10000.0):
    D = X.shape[-1]
    if D % 2 != 0:
        raise ValueError(D)
    inv_freq = 1.0 / (L ** (torch.arange(0, D, 2).float() / D))
    t = torch.arange(X.shape[-2]).float() if positions is None else positions.float()
    freqs = torch.outer(t, inv_freq)
    out = torch.empty_like(X)
    out[..., 0::2] = X[..., 0::2] * freqs.cos() - X[..., 1::2] * freqs.sin()
    out[..., 1::2] = X[..., 0::2] * freqs.sin() + X[..., 1::2] * freqs.cos()
    return out


@exercise.alternate
def all_in_float32(X, positions=None, L=10000.0):
    if X.shape[-1] % 2:
        raise ValueError("D_k must be even")
    n = torch.arange(X.shape[-2]) if positions is None else positions
    angles = n.float()[:, None] * torch.exp(-math.log(L) * torch.arange(0, X.shape[-1], 2).float() / X.shape[-1])
    x, y = X.float().unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack([x * angles.cos() - y * angles.sin(), y * angles.cos() + x * angles.sin()], -1).flatten(-2)


@exercise.alternate
def with_numpy(X, positions=None, L=10000.0):
    X = X.detach().numpy()
    if X.shape[-1] % 2:
        raise ValueError("D_k must be even")
    n = np.arange(X.shape[-2]) if positions is None else positions.numpy()
    turned = (X[..., 0::2] + 1j * X[..., 1::2]) * np.exp(1j * n[:, None] * L ** (-np.arange(0, X.shape[-1], 2) / X.shape[-1]))
    Y = np.empty_like(X)
    Y[..., 0::2], Y[..., 1::2] = turned.real, turned.imag
    return torch.tensor(Y)


@exercise.alternate
def from_a_long_table(X, positions=None, L=10000.0):
    D = X.shape[-1]
    if D % 2:
        raise ValueError("D_k must be even")
    table = torch.arange(2048, dtype=torch.float64)[:, None] * L ** (-torch.arange(0, D, 2, dtype=torch.float64) / D)
    cos, sin = table.cos().repeat_interleave(2, 1), table.sin().repeat_interleave(2, 1)
    rows = slice(0, X.shape[-2]) if positions is None else positions
    swapped = X.reshape(*X.shape[:-1], D // 2, 2).flip(-1) * torch.tensor([-1.0, 1.0], dtype=X.dtype)
    return X * cos[rows] + swapped.reshape(X.shape) * sin[rows]


def _places(X, positions):
    if X.shape[-1] % 2:
        raise ValueError("D_k must be even")
    return torch.arange(X.shape[-2], dtype=torch.float64) if positions is None else positions.double()


def _speeds(D, L, exponent=2.0):
    return L ** (-exponent * torch.arange(D // 2, dtype=torch.float64) / D)


def _turn(X, angles):
    c, s = angles.cos(), angles.sin()
    x, y = X[..., 0::2], X[..., 1::2]
    return torch.stack([x * c - y * s, x * s + y * c], -1).flatten(-2)


def _turn_halves(X, angles):
    c, s = angles.cos(), angles.sin()
    x, y = X.chunk(2, -1)
    return torch.cat([x * c - y * s, x * s + y * c], -1)


@exercise.alternate
def in_one_line(X, positions=None, L=10000.0):
    return _turn(X, _places(X, positions)[:, None] * _speeds(X.shape[-1], L))


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


@_wrong(lengths_are_kept, "a function that rotates nothing and returns X")
def not_rotated(X, positions=None, L=10000.0):
    _places(X, positions)
    return X.clone()


@_wrong(neighbours_are_the_pairs,
        "the half-split convention "
        "(legitimate elsewhere: feature i turns with feature i + D_k/2; this course pairs 2i, 2i + 1)")
def half_split(X, positions=None, L=10000.0):
    return _turn_halves(X, _places(X, positions)[:, None] * _speeds(X.shape[-1], L))


@_wrong(one_pair_turns_anticlockwise,
        "a rotation the other way, by minus n times theta "
        "(legitimate elsewhere; this course turns by plus n times theta, anticlockwise)")
def reversed_rotation(X, positions=None, L=10000.0):
    return _turn(X, -_places(X, positions)[:, None] * _speeds(X.shape[-1], L))


@_wrong(one_pair_turns_anticlockwise,
        "the half-split convention, and a rotation the other way as well "
        "(both legitimate elsewhere; this course pairs 2i, 2i + 1 and turns by plus n times theta)")
def half_split_and_reversed(X, positions=None, L=10000.0):
    return _turn_halves(X, -_places(X, positions)[:, None] * _speeds(X.shape[-1], L))


@_wrong(lengths_are_kept, "two conventions mixed: the pairs are halves (i, i + D_k/2), the angles are laid out for neighbours")
def halves_with_angles_for_neighbours(X, positions=None, L=10000.0):
    angles = (_places(X, positions)[:, None] * _speeds(X.shape[-1], L)).repeat_interleave(2, -1)
    x, y = X.chunk(2, -1)
    return X * angles.cos() + torch.cat([-y, x], -1) * angles.sin()


@_wrong(lengths_are_kept, "two conventions mixed: the pairs are neighbours, the angles are laid out for halves (repeated as a whole)")
def neighbours_with_angles_for_halves(X, positions=None, L=10000.0):
    angles = (_places(X, positions)[:, None] * _speeds(X.shape[-1], L)).repeat(1, 2)
    partner = torch.stack([-X[..., 1::2], X[..., 0::2]], -1).flatten(-2)
    return X * angles.cos() + partner * angles.sin()


@_wrong(neighbours_are_the_pairs, "rotated neighbours that were put together as two halves, all first features before all second ones")
def neighbours_put_together_as_halves(X, positions=None, L=10000.0):
    Y = _turn(X, _places(X, positions)[:, None] * _speeds(X.shape[-1], L))
    return torch.cat([Y[..., 0::2], Y[..., 1::2]], -1)


@_wrong(lengths_are_kept, "a second feature computed from the first one after it was rotated already")
def second_line_reads_the_new_first(X, positions=None, L=10000.0):
    angles = _places(X, positions)[:, None] * _speeds(X.shape[-1], L)
    Y = X.clone()
    Y[..., 0::2] = Y[..., 0::2] * angles.cos() - Y[..., 1::2] * angles.sin()
    Y[..., 1::2] = Y[..., 0::2] * angles.sin() + Y[..., 1::2] * angles.cos()
    return Y


@_wrong(each_pair_turns_at_its_own_speed, "an exponent of i/D_k where 2i/D_k is meant, i being the number of the pair")
def half_the_exponent(X, positions=None, L=10000.0):
    return _turn(X, _places(X, positions)[:, None] * _speeds(X.shape[-1], L, 1.0))


@_wrong(each_pair_turns_at_its_own_speed, "an exponent that is doubled: the feature number already counts by two")
def twice_the_exponent(X, positions=None, L=10000.0):
    return _turn(X, _places(X, positions)[:, None] * _speeds(X.shape[-1], L, 4.0))


@_wrong(each_pair_turns_at_its_own_speed, "an exponent of (2i + 1)/D_k: half a pair too slow")
def half_a_pair_too_slow(X, positions=None, L=10000.0):
    return _turn(X, _places(X, positions)[:, None] * _speeds(X.shape[-1], L) * L ** (-1 / X.shape[-1]))


@_wrong(each_pair_turns_at_its_own_speed, "pairs counted from 1: every pair is one place too slow")
def one_pair_too_slow(X, positions=None, L=10000.0):
    return _turn(X, _places(X, positions)[:, None] * _speeds(X.shape[-1], L) * L ** (-2 / X.shape[-1]))


@_wrong(each_pair_turns_at_its_own_speed, "pairs counted from -1: every pair is one place too fast")
def one_pair_too_fast(X, positions=None, L=10000.0):
    return _turn(X, _places(X, positions)[:, None] * _speeds(X.shape[-1], L) * L ** (2 / X.shape[-1]))


@_wrong(each_pair_turns_at_its_own_speed, "an exponent that lost its minus sign, so that later pairs turn faster")
def exponent_of_the_wrong_sign(X, positions=None, L=10000.0):
    return _turn(X, _places(X, positions)[:, None] * _speeds(X.shape[-1], L, -2.0))


@_wrong(each_pair_turns_at_its_own_speed, "exponents that end at 1 (a division by D_k/2 - 1) instead of just below it")
def exponents_up_to_one(X, positions=None, L=10000.0):
    pairs = X.shape[-1] // 2
    return _turn(X, _places(X, positions)[:, None] * L ** -torch.linspace(0, 1 if pairs > 1 else 0, max(pairs, 1), dtype=torch.float64))


@_wrong(each_pair_turns_at_its_own_speed, "one angle for all pairs")
def one_angle(X, positions=None, L=10000.0):
    return _turn(X, _places(X, positions)[:, None] * torch.ones(X.shape[-1] // 2, dtype=torch.float64))


@_wrong(each_pair_turns_at_its_own_speed, "a rotation of the first half of the features only")
def first_half_of_the_features_only(X, positions=None, L=10000.0):
    speeds = _speeds(X.shape[-1], L)
    speeds = torch.where(torch.arange(len(speeds)) < (len(speeds) + 1) // 2, speeds, 0.0)
    return _turn(X, _places(X, positions)[:, None] * speeds)


@_wrong(agrees_with_the_reference, "the speeds in the opposite order: the slowest pair comes first")
def slowest_first(X, positions=None, L=10000.0):
    return _turn(X, _places(X, positions)[:, None] * _speeds(X.shape[-1], L).flip(0))


@_wrong(each_pair_turns_at_its_own_speed, "the base 1000 where 10000 is meant")
def base_1000(X, positions=None, L=1000.0):
    return _turn(X, _places(X, positions)[:, None] * _speeds(X.shape[-1], L))


@_wrong(the_base_is_an_argument, "a base of 10000 written into the code: the argument L is not used")
def base_ignored(X, positions=None, L=10000.0):
    return _turn(X, _places(X, positions)[:, None] * _speeds(X.shape[-1], 10000.0))


@_wrong(position_zero_stays, "positions that are counted from 1")
def from_one(X, positions=None, L=10000.0):
    return _turn(X, (_places(X, positions) + 1)[:, None] * _speeds(X.shape[-1], L))


@_wrong(position_zero_stays, "positions counted from 1 where none are given")
def from_one_by_default(X, positions=None, L=10000.0):
    n = _places(X, positions) + (positions is None)
    return _turn(X, n[:, None] * _speeds(X.shape[-1], L))


@_wrong(the_positions_are_the_ones_given, "an argument `positions` that is taken and not used")
def positions_ignored(X, positions=None, L=10000.0):
    return _turn(X, _places(X, None)[:, None] * _speeds(X.shape[-1], L))


@_wrong(the_positions_are_the_ones_given, "given positions that are added to 0, 1, 2, … instead of replacing them")
def positions_added(X, positions=None, L=10000.0):
    n = _places(X, None) + (0 if positions is None else positions)
    return _turn(X, n[:, None] * _speeds(X.shape[-1], L))


@_wrong(the_positions_are_the_ones_given, "positions that count only from the first one given")
def counted_from_the_first(X, positions=None, L=10000.0):
    n = _places(X, positions)
    return _turn(X, (n - n[0])[:, None] * _speeds(X.shape[-1], L))


@_wrong(the_positions_are_the_ones_given, "the first of the given positions, continued by counting up")
def first_position_continued(X, positions=None, L=10000.0):
    n = _places(X, None) + (0 if positions is None else positions[0])
    return _turn(X, n[:, None] * _speeds(X.shape[-1], L))


@_wrong(each_pair_turns_at_its_own_speed, "positions divided by their number N")
def positions_from_zero_to_one(X, positions=None, L=10000.0):
    return _turn(X, (_places(X, positions) / X.shape[-2])[:, None] * _speeds(X.shape[-1], L))


@_wrong(lengths_are_kept, "both sines with the same sign")
def no_minus_sign(X, positions=None, L=10000.0):
    angles = _places(X, positions)[:, None] * _speeds(X.shape[-1], L)
    c, s = angles.cos(), angles.sin()
    x, y = X[..., 0::2], X[..., 1::2]
    return torch.stack([x * c + y * s, x * s + y * c], -1).flatten(-2)


@_wrong(position_zero_stays, "a reflection in place of a rotation: the second feature changes its sign")
def reflection(X, positions=None, L=10000.0):
    Y = _turn(X, _places(X, positions)[:, None] * _speeds(X.shape[-1], L))
    return Y * torch.tensor([1.0, -1.0], dtype=X.dtype).repeat(X.shape[-1] // 2)


@_wrong(position_zero_stays, "sine and cosine exchanged")
def sine_for_cosine(X, positions=None, L=10000.0):
    return _turn(X, math.pi / 2 - _places(X, positions)[:, None] * _speeds(X.shape[-1], L))


@_wrong(lengths_are_kept, "features multiplied by cosines only, the sines left out")
def cosines_only(X, positions=None, L=10000.0):
    angles = _places(X, positions)[:, None] * _speeds(X.shape[-1], L)
    return X * angles.cos().repeat_interleave(2, -1)


@_wrong(lengths_are_kept, "sinusoidal encodings added to X instead of a rotation")
def encodings_added(X, positions=None, L=10000.0):
    angles = _places(X, positions)[:, None] * _speeds(X.shape[-1], L)
    return X + torch.stack([angles.sin(), angles.cos()], -1).flatten(-2)


@_wrong(each_pair_turns_at_its_own_speed, "angles taken for degrees")
def degrees(X, positions=None, L=10000.0):
    return _turn(X, torch.deg2rad(_places(X, positions)[:, None] * _speeds(X.shape[-1], L)))


@_wrong(each_pair_turns_at_its_own_speed, "angles cut to whole numbers (an integer division)")
def whole_numbers(X, positions=None, L=10000.0):
    return _turn(X, torch.floor(_places(X, positions)[:, None] * _speeds(X.shape[-1], L)))


@_wrong(agrees_with_the_reference, "angles in half precision, which keeps three digits")
def half_precision(X, positions=None, L=10000.0):
    return _turn(X, (_places(X, positions)[:, None] * _speeds(X.shape[-1], L)).half().double())


@_wrong(agrees_with_the_reference, "results rounded to a few digits")
def rounded(X, positions=None, L=10000.0):
    return _turn(X, _places(X, positions)[:, None] * _speeds(X.shape[-1], L)).round(decimals=3)


@_wrong(lengths_are_kept, "tokens scaled to length 1")
def normalised(X, positions=None, L=10000.0):
    Y = _turn(X, _places(X, positions)[:, None] * _speeds(X.shape[-1], L))
    return Y / Y.norm(dim=-1, keepdim=True).clamp(min=1e-9)


@_wrong(each_sequence_of_a_batch_is_by_itself, "positions that run on from one sequence of the batch to the next")
def batch_flattened(X, positions=None, L=10000.0):
    n = _places(X, positions)
    n = n if positions is not None else torch.arange(math.prod(X.shape[:-1]), dtype=torch.float64).reshape(X.shape[:-1])
    return _turn(X, n[..., None] * _speeds(X.shape[-1], L))


@_wrong(each_sequence_of_a_batch_is_by_itself, "one set of speeds for all heads together, as if rotated before the heads were split")
def speeds_over_all_heads(X, positions=None, L=10000.0):
    D = X.shape[-1] * (X.shape[-3] if X.dim() > 2 else 1)
    speeds = _speeds(D, L) if X.dim() < 3 else _speeds(D, L).reshape(X.shape[-3], 1, -1)
    return _turn(X, _places(X, positions)[:, None] * speeds)


@_wrong(each_sequence_of_a_batch_is_by_itself, "positions counted along the first axis, which with a batch is not that of the tokens")
def along_the_first_axis(X, positions=None, L=10000.0):
    if X.shape[-1] % 2:
        raise ValueError("D_k must be even")
    n = torch.arange(X.shape[0], dtype=torch.float64) if positions is None else positions.double()
    n = n.reshape(-1, *[1] * (X.dim() - 1)) if positions is None else n[:, None]
    return _turn(X, n * _speeds(X.shape[-1], L))


@_wrong(each_sequence_of_a_batch_is_by_itself, "a function for three dimensions only (a batch of sequences)")
def three_dimensions_only(X, positions=None, L=10000.0):
    B, N, D = X.shape
    return _turn(X, _places(X, positions)[:, None] * _speeds(D, L))


@_wrong(an_odd_width_is_refused, "a function that takes an odd D_k and leaves the last feature alone")
def odd_width_accepted(X, positions=None, L=10000.0):
    even = X.shape[-1] - X.shape[-1] % 2
    n = _places(X[..., :even], positions)
    return torch.cat([_turn(X[..., :even], n[:, None] * _speeds(X.shape[-1], L)), X[..., even:]], -1)


@_wrong(the_input_stays_as_it_was, "a rotation that overwrites X")
def in_place(X, positions=None, L=10000.0):
    Y = _turn(X, _places(X, positions)[:, None] * _speeds(X.shape[-1], L))
    X.copy_(Y)
    return Y


@_wrong(the_gradient_turns_back, "a rotation through half of which no gradient flows (one term was detached)")
def half_detached(X, positions=None, L=10000.0):
    angles = _places(X, positions)[:, None] * _speeds(X.shape[-1], L)
    c, s = angles.cos(), angles.sin()
    x, y = X[..., 0::2], X[..., 1::2]
    return torch.stack([x * c - y.detach() * s, x.detach() * s + y * c], -1).flatten(-2)


@_wrong(scores_depend_on_the_offset_only, "angles that grow with the square of the position")
def squared_positions(X, positions=None, L=10000.0):
    return _turn(X, _places(X, positions)[:, None] ** 2 * _speeds(X.shape[-1], L))


@_wrong(each_sequence_of_a_batch_is_by_itself, "a function for one sequence or a batch of them, which refuses the four axes of a batch of heads")
def at_most_three_dimensions(X, positions=None, L=10000.0):
    B, N, D = X.shape if X.dim() > 2 else (1, *X.shape)
    return _turn(X, _places(X, positions)[:, None] * _speeds(D, L))


@_wrong(one_pair_turns_anticlockwise, "positions cut off at 63, the last row of a table")
def positions_cut_off(X, positions=None, L=10000.0):
    return _turn(X, _places(X, positions).clamp(max=63)[:, None] * _speeds(X.shape[-1], L))
