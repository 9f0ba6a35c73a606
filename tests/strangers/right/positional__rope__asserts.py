# Asserts what the statement promises of its inputs.
def rope(X, positions=None, L=10000.0):
    N, D = X.shape[-2:]
    if D % 2: raise ValueError("odd D_k")
    assert isinstance(L, float) and L > 0, f"L is {L!r}"
    if positions is None: positions = torch.arange(N)
    assert positions.dtype == torch.int64 and positions.shape == (N,)
    a = positions[:, None] * torch.exp(torch.arange(0, D, 2, dtype=torch.float64) * (-math.log(L) / D))
    R = torch.stack([torch.stack([a.cos(), -a.sin()], -1), torch.stack([a.sin(), a.cos()], -1)], -2)   # N x D/2 x 2 x 2
    return (R @ X.unflatten(-1, (D // 2, 2, 1))).flatten(-3)
