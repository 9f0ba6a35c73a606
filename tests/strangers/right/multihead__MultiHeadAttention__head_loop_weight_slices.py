# Head loop weight slices.
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

    def _head(self, h, a, b, mask):
        w = self.D // self.H
        rows = slice(h * w, (h + 1) * w)
        q = F.linear(a, self.W_q.weight[rows], self.W_q.bias[rows])
        k = F.linear(b, self.W_k.weight[rows], self.W_k.bias[rows])
        v = F.linear(b, self.W_v.weight[rows], self.W_v.bias[rows])
        s = q @ k.mT / math.sqrt(w)
        if mask is not None:
            m = mask.expand(s.shape)
            e = torch.where(m, s, -1e300)
            e = torch.exp(e - e.amax(-1, keepdim=True)) * m
            alpha = e / e.sum(-1, keepdim=True).clamp(min=1e-300)
        else:
            alpha = s.softmax(-1)
        return alpha @ v @ self.W_o.weight[:, rows].T, alpha

    def forward(self, X_q, X_kv, mask=None):
        ys, alphas = zip(*(self._head(h, X_q, X_kv, mask) for h in range(self.H)))
        return sum(ys) + self.W_o.bias, torch.stack(alphas, -3)
