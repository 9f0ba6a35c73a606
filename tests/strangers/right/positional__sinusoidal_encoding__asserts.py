# Asserts what the statement promises of its inputs.
def sinusoidal_encoding(N, D, L=10000.0):
    assert type(N) is int and type(D) is int and D >= 1
    assert isinstance(L, float) and L > 0, f"L is {L!r}"
    i = torch.arange(D, dtype=torch.float64)
    e = torch.where(i % 2 == 0, i, i - 1) / D
    a = torch.arange(N, dtype=torch.float64).unsqueeze(1) / L ** e
    return torch.where(i % 2 == 0, a.sin(), a.cos())
