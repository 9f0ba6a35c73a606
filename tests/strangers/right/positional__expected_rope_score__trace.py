# Trace.
def expected_rope_score(offsets, D_k, L=10000.0):
    i = torch.arange(0, D_k, 2, dtype=torch.float64)
    z = torch.exp(1j * offsets.to(torch.float64)[..., None] * torch.exp(-i / D_k * math.log(L)))
    return (z + z.conj()).sum(-1).real
