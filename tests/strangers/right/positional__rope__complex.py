# Complex.
def rope(X, positions=None, L=10000.0):
    *_, N, D = X.shape
    if D % 2: raise ValueError("odd width")
    n = torch.arange(N) if positions is None else positions
    phase = torch.outer(n.double(), L ** (-torch.arange(0, D, 2, dtype=torch.float64) / D))
    z = torch.view_as_complex(X.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(z * torch.exp(1j * phase)).flatten(-2)
