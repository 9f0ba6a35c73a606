# Einsum stacked.
def multi_head_attention(X, W_q, W_k, W_v, W_o):
    Wq, Wk, Wv = map(torch.stack, (W_q, W_k, W_v))
    Q = torch.einsum("...nd,hdk->...hnk", X, Wq)
    K = torch.einsum("...nd,hdk->...hnk", X, Wk)
    V = torch.einsum("...nd,hdk->...hnk", X, Wv)
    A = torch.einsum("...hnk,...hmk->...hnm", Q, K).mul(Wq.shape[-1] ** -.5).softmax(-1)
    return torch.einsum("...hnm,...hmv,hvd->...nd", A, V, W_o.unflatten(0, (len(W_v), -1)))
