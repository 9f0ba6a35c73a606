# By hand einsum.
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
    def heard(self, X, mask):
        att = self.attention
        q, k, v = nn.functional.linear(X, att.in_proj_weight, att.in_proj_bias).chunk(3, -1)
        q, k, v = (T.unflatten(-1, (self.H, -1)) for T in (q, k, v))
        s = torch.einsum("...nhj,...mhj->...hnm", q, k) / q.shape[-1] ** .5
        if mask is not None:
            s = s.masked_fill(~mask.unsqueeze(-3), -math.inf)
        w = s.softmax(-1).nan_to_num()
        return att.out_proj(torch.einsum("...hnm,...mhj->...nhj", w, v).flatten(-2))
    def forward(self, X, mask=None):
        before, after = (lambda n, T: n(T), lambda n, T: T) if self.pre_norm else (lambda n, T: T, lambda n, T: n(T))
        Z = after(self.norm1, X + self.heard(before(self.norm1, X), mask))
        return after(self.norm2, Z + self.mlp(before(self.norm2, Z)))
