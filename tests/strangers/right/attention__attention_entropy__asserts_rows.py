# Asserts what the statement promises of its inputs.
def attention_entropy(alpha):
    assert alpha.dtype == torch.float64 and torch.allclose(alpha.sum(-1), torch.ones_like(alpha[..., 0])) and (alpha >= 0).all()
    return -(alpha * torch.where(alpha == 0, torch.ones_like(alpha), alpha).log()).sum(-1)
