"""Positions: wrong and unusual answers."""

import math

import numpy as np
import torch

from catalogue import mistake, variant


def _fill(table, angles):
    """Sines of the angles in the even columns and cosines in the odd ones, an odd width included."""
    table[:, 0::2] = torch.sin(angles)
    table[:, 1::2] = torch.cos(angles)[:, :table.shape[1] // 2]
    return table


@mistake("sinusoidal_encoding", "the number of the pair over D", named="half as large as it should be")
def M113(N, D, L=10000.0):
    pos = torch.arange(N, dtype=torch.float64)[:, None]
    pair = torch.arange((D + 1) // 2, dtype=torch.float64)
    return _fill(torch.zeros(N, D, dtype=torch.float64), pos * L ** (-pair / D))


@mistake("sinusoidal_encoding", "two times a column number that counts by two", named="an exponent that is doubled")
def M114(N, D, L=10000.0):
    table = torch.zeros(N, D, dtype=torch.float64)
    for n in range(N):
        for i in range(0, D, 2):
            angle = n / L ** (2 * i / D)
            table[n, i] = math.sin(angle)
            if i + 1 < D:
                table[n, i + 1] = math.cos(angle)
    return table


@mistake("sinusoidal_encoding", "2i in the sine and 2(i + 1) in the cosine, with i counting by two", named="2(i+1)/D in the cosine")
def M115(N, D, L=10000.0):
    table = torch.zeros(N, D, dtype=torch.float64)
    for n in range(N):
        for i in range(0, D, 2):
            table[n, i] = math.sin(n / L ** ((2 * i) / D))
            if i + 1 < D:
                table[n, i + 1] = math.cos(n / L ** ((2 * (i + 1)) / D))
    return table


@mistake("sinusoidal_encoding", "sines in both places", named="sines in all columns")
def M117(N, D, L=10000.0):
    i = torch.arange(D)
    angles = torch.arange(N).double()[:, None] / L ** (2 * (i // 2) / D).double()
    return torch.sin(angles)


@mistake("sinusoidal_encoding", "a zero lost in the base", named="the base 1000")
def M118(N, D, L=1000.0):
    pos = torch.arange(N).double().unsqueeze(1)
    return _fill(torch.empty(N, D, dtype=torch.float64), pos * torch.exp(-math.log(L) * torch.arange(0, D, 2).double() / D))


@mistake("sinusoidal_encoding", "positions from 1", named="counted from 1")
def M120(N, D, L=10000.0):
    pos = torch.arange(1, N + 1, dtype=torch.float64).unsqueeze(1)
    return _fill(torch.empty(N, D, dtype=torch.float64), pos / L ** (torch.arange(0, D, 2, dtype=torch.float64) / D))


@mistake("sinusoidal_encoding", "the exponent raised to the base", named="base and exponent exchanged")
def M123(N, D, L=10000.0):
    pos = torch.arange(N, dtype=torch.float64).unsqueeze(1)
    e = torch.arange(0, D, 2, dtype=torch.float64) / D
    return _fill(torch.empty(N, D, dtype=torch.float64), pos * e ** (1 / L))


@mistake("sinusoidal_encoding", "one row a feature", named="transposed")
def M125(N, D, L=10000.0):
    pos = np.arange(N)
    i = np.arange(D)[:, None]
    angles = pos / L ** ((i - i % 2) / D)
    return torch.from_numpy(np.where(i % 2 == 0, np.sin(angles), np.cos(angles)))


@mistake("sinusoidal_encoding", "an integer division", named="cut to whole numbers")
def M126(N, D, L=10000.0):
    pos = torch.arange(N, dtype=torch.float64).unsqueeze(1)
    angles = pos // L ** (torch.arange(0, D, 2, dtype=torch.float64) / D)
    return _fill(torch.empty(N, D, dtype=torch.float64), angles)


@mistake("sinusoidal_encoding", "a table in float16", named="half precision")
def M127(N, D, L=10000.0):
    i = np.arange(D)
    angles = np.arange(N)[:, None] / L ** ((i - i % 2) / D)
    return torch.tensor(np.where(i % 2, np.cos(angles), np.sin(angles)).astype(np.float16))


@mistake("sinusoidal_encoding", "degrees", named="degrees")
def M128(N, D, L=10000.0):
    pos = torch.arange(N, dtype=torch.float64).unsqueeze(1)
    angles = pos / L ** (torch.arange(0, D, 2, dtype=torch.float64) / D)
    return _fill(torch.empty(N, D, dtype=torch.float64), torch.deg2rad(angles))


@mistake("rotation_matrix", "the speed 1 in every block", named="one speed for all blocks")
def M133(k, D, L=10000.0):
    if D % 2:
        raise ValueError("D must be even")
    c, s = math.cos(k), math.sin(k)
    return torch.block_diag(*[torch.tensor([[c, s], [-s, c]], dtype=torch.float64)] * (D // 2))


@mistake("rotation_matrix", "feature j turned with feature j + D/2", named="the half-split layout")
def M134(k, D, L=10000.0):
    if D % 2:
        raise ValueError("D must be even")
    half = D // 2
    R = torch.zeros(D, D, dtype=torch.float64)
    for j in range(half):
        a = k * L ** (-2 * j / D)
        R[j, j], R[j, j + half], R[j + half, j], R[j + half, j + half] = math.cos(a), math.sin(a), -math.sin(a), math.cos(a)
    return R


@mistake("rope", "X comes back", named="rotates nothing")
def M135(X, positions=None, L=10000.0):
    if X.shape[-1] % 2:
        raise ValueError("odd width")
    return X.clone()


def _angles(X, positions, L):
    if X.shape[-1] % 2:
        raise ValueError("odd width")
    n = torch.arange(X.shape[-2]) if positions is None else positions
    return torch.outer(n.double(), L ** (-torch.arange(0, X.shape[-1], 2).double() / X.shape[-1]))


@mistake("rope", "rotate_half with angles repeated one by one", named="the angles are laid out for neighbours")
def M137(X, positions=None, L=10000.0):
    a = _angles(X, positions, L).repeat_interleave(2, dim=-1)
    left, right = X.chunk(2, dim=-1)
    return X * a.cos() + torch.cat((-right, left), dim=-1) * a.sin()


@mistake("rope", "the second line reads what the first one wrote", named="after it was rotated already")
def M140(X, positions=None, L=10000.0):
    a = _angles(X, positions, L)
    out = X.clone()
    out[..., 0::2] = out[..., 0::2] * a.cos() - out[..., 1::2] * a.sin()
    out[..., 1::2] = out[..., 0::2] * a.sin() + out[..., 1::2] * a.cos()
    return out


def _turned(X, angles):
    z = torch.view_as_complex(X.contiguous().unflatten(-1, (-1, 2))) * torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(z).flatten(-2)


@mistake("rope", "the 2 in the exponent forgotten", named="an exponent of i/D_k where 2i/D_k is meant")
def M141(X, positions=None, L=10000.0):
    D_k = X.shape[-1]
    if D_k % 2:
        raise ValueError("odd width")
    n = torch.arange(X.shape[-2]) if positions is None else positions
    theta = L ** (-torch.arange(D_k // 2).double() / D_k)
    return _turned(X, n.double()[:, None] * theta)


@mistake("rope", "2i + 1 in the exponent", named="(2i + 1)/D_k")
def M142(X, positions=None, L=10000.0):
    D_k = X.shape[-1]
    if D_k % 2:
        raise ValueError("odd width")
    n = torch.arange(X.shape[-2]) if positions is None else positions
    theta = torch.tensor([L ** (-(2 * i + 1) / D_k) for i in range(D_k // 2)], dtype=torch.float64)
    return _turned(X, n.double()[:, None] * theta)


@mistake("rope", "all pairs at the speed 1", named="one angle for all pairs")
def M144(X, positions=None, L=10000.0):
    if X.shape[-1] % 2:
        raise ValueError("odd width")
    n = (torch.arange(X.shape[-2]) if positions is None else positions).double()[:, None]
    out = torch.empty_like(X)
    out[..., 0::2] = X[..., 0::2] * n.cos() - X[..., 1::2] * n.sin()
    out[..., 1::2] = X[..., 0::2] * n.sin() + X[..., 1::2] * n.cos()
    return out


@mistake("rope", "every position one too large", named="counted from 1")
def M146(X, positions=None, L=10000.0):
    if positions is None:
        positions = torch.arange(X.shape[-2])
    return _turned(X, _angles(X, positions + 1, L))


@mistake("rope", "positions never read", named="an argument `positions` that is taken and not used")
def M147(X, positions=None, L=10000.0):
    return _turned(X, _angles(X, torch.arange(X.shape[-2]), L))


@mistake("rope", "the result copied into X", named="overwrites X")
def M148(X, positions=None, L=10000.0):
    return X.copy_(_turned(X, _angles(X, positions, L)))


@mistake("rope", "angles kept in half precision", named="angles in half precision")
def M150(X, positions=None, L=10000.0):
    return _turned(X, _angles(X, positions, L).half().double())


@mistake("rope", "all heads side by side take one set of speeds, as before the heads are split", named="one set of speeds")
def M152(X, positions=None, L=10000.0):
    if X.shape[-1] % 2:
        raise ValueError("odd width")
    if X.dim() < 3:
        return _turned(X, _angles(X, positions, L))
    wide = X.movedim(-3, -2).flatten(-2)
    return _turned(wide, _angles(wide, positions, L)).unflatten(-1, (X.shape[-3], -1)).movedim(-2, -3)


@mistake("rope_attention", "only the queries turned", named="queries that are rotated and keys that are not")
def M154(Q, K, V, positions=None, mask=None, L=10000.0):
    q = _turned(Q, _angles(Q, positions, L))
    s = q @ K.transpose(-1, -2) / math.sqrt(Q.shape[-1])
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf"))
    w = torch.nan_to_num(torch.softmax(s, -1))
    return w @ V, w


@variant("sinusoidal_encoding", "a table in float32", remark="float32")
def V036(N, D, L=10000.0):
    i = torch.arange(D)
    angles = torch.arange(N).float()[:, None] * torch.exp(-math.log(L) * (i - i % 2).float() / D)
    return torch.where(i % 2 == 0, angles.sin(), angles.cos())


@variant("sinusoidal_encoding", "all sines, then all cosines", named="the layout in halves",
         lost=("sine_and_cosine_stand_side_by_side", "agrees_with_the_reference"))
def V037(N, D, L=10000.0):
    angles = torch.arange(N).double()[:, None] * L ** (-torch.arange(0, D, 2).double() / D)
    return torch.cat([angles.sin(), angles.cos()[:, :D // 2]], dim=1)


@variant("sinusoidal_encoding", "cut from a long table")
def V038(N, D, L=10000.0):
    table = torch.zeros(5000, D + D % 2, dtype=torch.float64)
    a = torch.arange(5000).double()[:, None] * torch.exp(torch.arange(0, D, 2).double() * (-math.log(L) / D))
    table[:, 0::2], table[:, 1::2] = torch.sin(a), torch.cos(a)
    return table[:N, :D]


@variant("rope", "rotate_half", named="the half-split convention",
         lost=("neighbours_are_the_pairs", "agrees_with_the_reference"))
def V041(X, positions=None, L=10000.0):
    a = _angles(X, positions, L)
    a = torch.cat([a, a], dim=-1)
    left, right = X.chunk(2, dim=-1)
    return X * a.cos() + torch.cat([-right, left], dim=-1) * a.sin()


@variant("rope", "turned the other way", named="a rotation the other way",
         lost=("one_pair_turns_anticlockwise", "agrees_with_the_reference"))
def V042(X, positions=None, L=10000.0):
    return _turned(X, -_angles(X, positions, L))


@variant("rope", "angles in float32")
def V043(X, positions=None, L=10000.0):
    if X.shape[-1] % 2:
        raise ValueError("odd width")
    freqs = 1.0 / (L ** (torch.arange(0, X.shape[-1], 2).float() / X.shape[-1]))
    t = torch.arange(X.shape[-2]).float() if positions is None else positions.float()
    return _turned(X.float(), torch.outer(t, freqs)).to(X.dtype)
