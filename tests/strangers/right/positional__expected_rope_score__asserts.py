# Asserts what the statement promises of its inputs.
def expected_rope_score(offsets, D_k, L=10000.0):
    assert isinstance(offsets, torch.Tensor) and type(D_k) is int and D_k % 2 == 0 and isinstance(L, float), f"L is {L!r}"
    d = offsets.reshape(-1).to(torch.float64)
    R = [2 * sum(math.cos(x * L ** (-2 * i / D_k)) for i in range(D_k // 2)) for x in d.tolist()]
    return torch.tensor(R, dtype=torch.float64).reshape(offsets.shape)
