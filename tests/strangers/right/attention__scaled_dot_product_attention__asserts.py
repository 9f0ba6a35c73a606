# Asserts what the statement promises of its inputs.
def scaled_dot_product_attention(Q, K, V, mask=None):
    assert Q.dtype == K.dtype == V.dtype == torch.float64
    assert Q.shape[:-2] == K.shape[:-2] == V.shape[:-2] and K.shape[-2] == V.shape[-2] and Q.shape[-1] == K.shape[-1]
    assert all(t.is_contiguous() for t in (Q, K, V))
    shape = (*Q.shape[:-1], K.shape[-2])
    S = Q @ K.mT / math.sqrt(Q.shape[-1])
    if mask is not None:
        assert type(mask) is torch.Tensor and mask.dtype is torch.bool
        assert torch.broadcast_shapes(mask.shape, shape) == shape
        S = S.masked_fill(~mask, -math.inf)
    w = S.softmax(-1)
    if mask is not None: w = torch.where(w.isnan(), 0.0, w)
    assert w.shape == shape
    return w @ V, w
