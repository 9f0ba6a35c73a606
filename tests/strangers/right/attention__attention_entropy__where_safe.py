# Where safe.
def attention_entropy(alpha):
    safe = torch.where(alpha > 0, alpha, 1.0)
    return torch.einsum("...m,...m->...", alpha, -safe.log())
