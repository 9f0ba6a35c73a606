# Views.
def weights_from_torch(in_proj_weight, out_proj_weight, H):
    q, k, v = in_proj_weight.T.chunk(3, 1)
    return tuple([*m.chunk(H, 1)] for m in (q, k, v)) + (out_proj_weight.T,)
