# Unusual but right: one unflatten to 3 x H x w x D and iteration over the tensor; the matrices are non-contiguous views, and the four come in a list.
import torch


def weights_from_torch(in_proj_weight, out_proj_weight, H):
    """The matrices of multi_head_attention out of those of nn.MultiheadAttention(D, H, bias=False)."""
    blocks = in_proj_weight.unflatten(0, (3, H, -1)).mT     # 3 x H x D x w
    return [*(list(block) for block in blocks), out_proj_weight.t()]
