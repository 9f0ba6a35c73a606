# Asserts what the statement promises of its inputs.
def gelu(X, approximate="none"):
    assert approximate in ("none", "tanh") and X.dtype == torch.float64 and (X.numel() == 0 or X.abs().max() <= 100)
    if approximate == "tanh":
        return torch.lerp(torch.zeros_like(X), X, (1 + torch.tanh(math.sqrt(2 / math.pi) * torch.stack([X, 0.044715 * X**3]).sum(0))) / 2)
    return torch.where(X < 0, X * torch.erfc(X.abs() / 2**.5) / 2, X - X * torch.erfc(X.abs() / 2**.5) / 2)
