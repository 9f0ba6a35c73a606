# Namedtuple loops.
import collections
Weights = collections.namedtuple("Weights", ["W_q", "W_k", "W_v", "W_o"])
def weights_from_torch(in_proj_weight, out_proj_weight, H):
    D = out_proj_weight.shape[0]; w = D // H
    parts = {}
    for i, name in enumerate("qkv"):
        parts["W_" + name] = [torch.stack([in_proj_weight[i * D + h * w + j] for j in range(w)], 1) for h in range(H)]
    return Weights(**parts, W_o=out_proj_weight.t().clone())
