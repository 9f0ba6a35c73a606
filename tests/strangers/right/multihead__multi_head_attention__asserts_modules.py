# Asserts what the statement promises of its inputs.
class _OneHead(nn.Module):
    def __init__(self, q, k, v):
        super().__init__()
        self.p = dict(q=q, k=k, v=v)
    def forward(self, X):
        Q, K, V = (X @ self.p[n] for n in "qkv")
        return torch.softmax(Q @ K.mT / math.sqrt(K.shape[-1]), -1) @ V
def multi_head_attention(X, W_q, W_k, W_v, W_o):
    assert all(type(w) is list for w in (W_q, W_k, W_v)) and len(W_q) == len(W_k) == len(W_v)
    assert W_o.shape[0] == sum(w.shape[1] for w in W_v) and W_o.shape[1] == X.shape[-1]
    heads = nn.ModuleList([_OneHead(*w) for w in zip(W_q, W_k, W_v)])
    return torch.concatenate([h(X) for h in heads], axis=-1) @ W_o
