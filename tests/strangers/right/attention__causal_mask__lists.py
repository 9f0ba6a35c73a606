# Lists.
def causal_mask(N):
    return torch.tensor([[m <= n for m in range(N)] for n in range(N)], dtype=torch.bool).reshape(N, N)
