# Einsum where.
def scaled_dot_product_attention(Q, K, V, mask=None):
    S = torch.einsum("...id,...jd->...ij", Q, K) * Q.size(-1) ** -0.5
    if mask is None:
        mask = torch.ones((), dtype=torch.bool)
    mask = mask.expand(S.shape)
    e = torch.where(mask, torch.exp(S - S.amax(-1, keepdim=True)), torch.zeros_like(S))
    top = torch.where(mask, S, -math.inf).amax(-1, keepdim=True)
    top = torch.where(top.isinf(), 0.0, top)
    e = torch.where(mask, torch.exp(torch.where(mask, S, top) - top), torch.zeros_like(S))
    z = e.sum(-1, keepdim=True)
    alpha = e / torch.where(z == 0, torch.ones_like(z), z)
    return alpha @ V, alpha
