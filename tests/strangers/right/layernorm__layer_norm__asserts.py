# Asserts what the statement promises of its inputs.
def layer_norm(X, gamma, beta, eps=1e-5):
    assert X.dtype == gamma.dtype == beta.dtype == torch.float64
    assert gamma.shape == beta.shape == X.shape[-1:] and eps > 0 and X.ndim >= 2
    mu = X.mean(-1, keepdim=True)
    return (X - mu) / ((X - mu).norm(dim=-1, keepdim=True) ** 2 / X.shape[-1] + eps) ** 0.5 * gamma + beta
