# Einsum namedtuple.
from typing import NamedTuple
class Out(NamedTuple):
    Y: torch.Tensor
    alpha: torch.Tensor

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

    def forward(self, X_q, X_kv, mask=None):
        cut = lambda T: T.unflatten(-1, (self.H, -1))
        q, k, v = cut(self.W_q(X_q)), cut(self.W_k(X_kv)), cut(self.W_v(X_kv))
        s = torch.einsum("...nhj,...mhj->...hnm", q, k) / q.shape[-1] ** .5
        if mask is not None:
            s = s.masked_fill(~mask[..., None, :, :], -math.inf)
        alpha = s.softmax(-1).nan_to_num()
        return Out(self.W_o(torch.einsum("...hnm,...mhj->...nhj", alpha, v).flatten(-2)), alpha)
