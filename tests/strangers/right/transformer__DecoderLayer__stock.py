# Stock.
class DecoderLayer(nn.Module):
    """A decoder's layer."""

    def __init__(self, D, H):
        super().__init__()
        self.H = H
        self.self_attention = nn.MultiheadAttention(D, H, batch_first=True)
        self.cross_attention = nn.MultiheadAttention(D, H, batch_first=True)
        self.norm1 = nn.LayerNorm(D)
        self.norm2 = nn.LayerNorm(D)
        self.norm3 = nn.LayerNorm(D)
        self.mlp = nn.Sequential(nn.Linear(D, 4 * D), nn.ReLU(), nn.Linear(4 * D, D))
    def forward(self, X, memory, mask=None):
        if mask is not None:
            N = X.shape[-2]
            blocked = torch.logical_not(mask)
            if blocked.ndim == 3:
                blocked = blocked.expand(X.shape[0], N, N).repeat_interleave(self.H, dim=0)
            else:
                blocked = blocked.expand(N, N)
            mask = blocked
        Z = self.norm1(X)
        Z = X + self.self_attention(Z, Z, Z, attn_mask=mask, need_weights=False)[0]
        U = Z + self.cross_attention(self.norm2(Z), memory, memory)[0]
        return U + self.mlp(self.norm3(U))
