# Asserts what the statement promises of its inputs.
def softmax_jacobian(alpha):
    assert alpha.dtype == torch.float64 and (alpha.sum(-1) - 1).abs().max() < 1e-6 and (alpha >= 0).all()
    return torch.diag_embed(alpha) - alpha[..., None] * alpha[..., None, :]
