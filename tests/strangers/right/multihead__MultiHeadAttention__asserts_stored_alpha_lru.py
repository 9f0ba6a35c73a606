# Asserts what the statement promises of its inputs.
import functools

class MultiHeadAttention(nn.Module):
    """Multi-head attention."""

    def __init__(self, D, H):
        super().__init__()
        if D % H != 0:
            raise ValueError(f"{H} heads do not divide {D} features")
        self.D, self.H = D, H
        self.W_q = nn.Linear(D, D)
        self.W_k = nn.Linear(D, D)
        self.W_v = nn.Linear(D, D)
        self.W_o = nn.Linear(D, D)

    @functools.lru_cache(maxsize=8)
    def _scale(self, d): return 1 / math.sqrt(d)

    def forward(self, X_q, X_kv, mask=None):
        assert X_q.shape[:-2] == X_kv.shape[:-2] and X_q.shape[-1] == X_kv.shape[-1] == self.D
        q, k, v = (t.view(*t.shape[:-1], self.H, -1).transpose(-3, -2) for t in (self.W_q(X_q), self.W_k(X_kv), self.W_v(X_kv)))
        s = q @ k.mT * self._scale(q.shape[-1])
        if mask is not None:
            assert mask.dtype is torch.bool and mask.ndim >= 2
            assert torch.broadcast_shapes(mask.shape, (*X_q.shape[:-1], X_kv.shape[-2])) == (*X_q.shape[:-1], X_kv.shape[-2])
            s = s.masked_fill(~mask[..., None, :, :], -math.inf)
            self.alpha = s.softmax(-1).masked_fill(~mask[..., None, :, :], 0.0)
        else:
            self.alpha = s.softmax(-1)
        self.last = X_q
        return self.W_o((self.alpha @ v).transpose(-3, -2).flatten(-2)), self.alpha
