# Block diag.
def rotation_matrix(k, D, L=10000.0):
    if D % 2: raise ValueError(f"{D} is odd")
    blocks = []
    for i in range(D // 2):
        t = k * L ** (-2 * i / D)
        blocks.append(torch.tensor([[math.cos(t), math.sin(t)], [-math.sin(t), math.cos(t)]], dtype=torch.float64))
    return torch.block_diag(*blocks)
