# Loop.
def expected_rope_score(offsets, D_k, L=10000.0):
    total = torch.zeros(offsets.shape, dtype=torch.float64)
    for i in range(D_k // 2):
        total = total + 2 * torch.cos(offsets.double() * L ** (-2 * i / D_k))
    return total
