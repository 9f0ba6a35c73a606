# Nan to num.
def scaled_dot_product_attention(Q, K, V, mask=None):
    match mask:
        case None:
            bias = 0.0
        case torch.Tensor():
            bias = torch.zeros(mask.shape, dtype=Q.dtype).masked_fill(~mask, -torch.inf)
    alpha = (Q @ K.mT / math.sqrt(K.shape[-1]) + bias).softmax(-1).nan_to_num(0.0)
    return alpha @ V, alpha
