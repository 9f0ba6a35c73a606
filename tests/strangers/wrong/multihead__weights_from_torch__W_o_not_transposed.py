# The output matrix is returned as torch stores it; being D x D, its shape does not give it away.
# Breaks: "Like all of torch's linear maps they are stored transposed, and used as `x @ weight.T`."
import torch


def weights_from_torch(in_proj_weight, out_proj_weight, H):
    """The matrices of multi_head_attention out of those of nn.MultiheadAttention(D, H, bias=False)."""
    W_q, W_k, W_v = (list(block.T.chunk(H, dim=1)) for block in in_proj_weight.chunk(3, dim=0))
    W_o = out_proj_weight.clone()
    return W_q, W_k, W_v, W_o
