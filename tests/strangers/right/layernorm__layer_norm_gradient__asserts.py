# Asserts what the statement promises of its inputs.
def layer_norm_gradient(dY, X, gamma, eps=1e-5):
    assert dY.shape == X.shape and gamma.shape == X.shape[-1:] and eps > 0
    h = X - X.mean(-1, keepdim=True)
    r = (h.square().mean(-1, keepdim=True) + eps).rsqrt()
    h = h * r
    g = dY * gamma
    D = X.shape[-1]
    return (r * (g - g.sum(-1, keepdim=True) / D - h * (g * h).sum(-1, keepdim=True) / D),
            torch.einsum("nd,nd->d", dY.reshape(-1, D), h.reshape(-1, D)), torch.einsum("nd->d", dY.reshape(-1, D)))
