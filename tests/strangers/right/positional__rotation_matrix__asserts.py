# Asserts what the statement promises of its inputs.
def rotation_matrix(k, D, L=10000.0):
    assert type(k) is int and type(D) is int
    if D % 2: raise ValueError("D is odd")
    assert isinstance(L, float) and L > 0, f"L is {L!r}"
    t = (k * L ** (-torch.arange(0, D, 2, dtype=torch.float64) / D)).repeat_interleave(2)
    sin = t.sin() * (1 - torch.arange(D) % 2)
    return t.cos().diag() + torch.diag(sin[:-1], 1) - torch.diag(sin[:-1], -1)
