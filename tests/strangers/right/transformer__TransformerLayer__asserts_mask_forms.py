# Asserts what the statement promises of its inputs.
class TransformerLayer(nn.Module):
    """A transformer layer."""

    def __init__(self, D, H, pre_norm=True):
        super().__init__()
        self.H = H
        self.pre_norm = pre_norm
        self.attention = nn.MultiheadAttention(D, H, batch_first=True)
        self.norm1 = nn.LayerNorm(D)
        self.norm2 = nn.LayerNorm(D)
        self.mlp = nn.Sequential(nn.Linear(D, 4 * D), nn.ReLU(), nn.Linear(4 * D, D))
    def forward(self, X, mask=None):
        assert X.ndim in (2, 3) and X.is_floating_point()
        N = X.shape[-2]
        if mask is not None:
            assert mask.dtype is torch.bool and mask.ndim in (2, 3)
            assert mask.shape[-1] == N and mask.shape[-2] in (1, N)
            if mask.ndim == 3: assert X.ndim == 3 and mask.shape[0] == X.shape[0], (mask.shape, X.shape)
        a = self.attention
        def att(T):
            q, k, v = torch.einsum("...d,ed->...e", T, a.in_proj_weight).add(a.in_proj_bias).unflatten(-1, (3, self.H, -1)).unbind(-3)
            s = torch.einsum("...nhj,...mhj->...hnm", q, k) / math.sqrt(q.shape[-1])
            e = s.exp() if mask is None else s.exp() * mask.unsqueeze(-3)
            w = e / (e.sum(-1, keepdim=True) + 1e-300)
            return a.out_proj(torch.einsum("...hnm,...mhj->...nhj", w, v).flatten(-2))
        if self.pre_norm:
            Z = att(self.norm1(X)) + X
            return self.mlp(self.norm2(Z)) + Z
        Z = self.norm1(att(X) + X)
        return self.norm2(self.mlp(Z) + Z)
