# Complex scores.
def rope_attention(Q, K, V, positions=None, mask=None, L=10000.0):
    """Scores by offsets: the real part of q conj(k) e^(i (n - m) theta), nothing is ever rotated."""
    N, D = Q.shape[-2:]
    n = torch.arange(N) if positions is None else positions
    q, k = (torch.complex(T[..., 0::2], T[..., 1::2]) for T in (Q, K))
    theta = L ** (-torch.arange(0, D, 2, dtype=torch.float64) / D)
    turn = torch.exp(1j * (n[:, None] - n[None, :])[..., None] * theta)
    S = torch.einsum("...ni,...mi,nmi->...nm", q, k.conj(), turn).real / math.sqrt(D)
    E = torch.exp(S - S.amax(-1, keepdim=True))
    if mask is not None: E = E * mask
    Z = E.sum(-1, keepdim=True)
    alpha = E / torch.where(Z > 0, Z, 1.0)
    return alpha @ V, alpha
