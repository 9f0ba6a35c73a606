# Need weights false.
def ours(att, X, forbidden):
    dead = forbidden.all(-1, keepdim=True)
    open_ = forbidden & ~dead
    Y = att(X, X, X, attn_mask=open_, need_weights=False)[0]
    if X.ndim == 3:
        dead = dead[::att.num_heads] if dead.ndim == 3 else dead.expand(X.shape[0], -1, -1)
    return torch.where(dead, att.out_proj.bias, Y)

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
    def _att(self, X, mask):
        if mask is not None:
            N = X.shape[-2]
            mask = ~mask.expand(*(X.shape[:-2] if mask.ndim > 2 else ()), N, N)
            if mask.ndim == 3:
                mask = mask.repeat_interleave(self.H, 0)
            return ours(self.attention, X, mask)
        return self.attention(X, X, X, need_weights=False)[0]

    def forward(self, X, mask=None):
        if self.pre_norm:
            X = X + self._att(self.norm1(X), mask)
            return X + self.mlp(self.norm2(X))
        X = self.norm1(X + self._att(X, mask))
        return self.norm2(X + self.mlp(X))
