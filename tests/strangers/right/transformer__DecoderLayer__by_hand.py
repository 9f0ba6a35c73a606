# By hand.
def _listen(att, q, kv, mask=None):
    D, H = att.embed_dim, att.num_heads
    W, b = att.in_proj_weight, att.in_proj_bias
    q = (q @ W[:D].T + b[:D]).unflatten(-1, (H, -1)).transpose(-2, -3)
    k = (kv @ W[D:2 * D].T + b[D:2 * D]).unflatten(-1, (H, -1)).transpose(-2, -3)
    v = (kv @ W[2 * D:].T + b[2 * D:]).unflatten(-1, (H, -1)).transpose(-2, -3)
    s = q @ k.mT / (D // H) ** .5
    if mask is not None:
        s = s.masked_fill(~mask[..., None, :, :], -math.inf)
    return att.out_proj((s.softmax(-1) @ v).transpose(-2, -3).flatten(-2))

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
        stream = X
        stream = stream + _listen(self.self_attention, *[self.norm1(stream)] * 2, mask)
        stream = stream + _listen(self.cross_attention, self.norm2(stream), memory)
        return stream + self.mlp(self.norm3(stream))
