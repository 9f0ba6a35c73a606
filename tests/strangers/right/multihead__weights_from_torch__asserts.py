# Asserts what the statement promises of its inputs.
def weights_from_torch(in_proj_weight, out_proj_weight, H):
    D = out_proj_weight.shape[0]
    assert in_proj_weight.shape == (3 * D, D) and out_proj_weight.shape == (D, D) and D % H == 0 and type(H) is int
    out = []
    for t in range(3):
        W = in_proj_weight[t * D:(t + 1) * D].T.contiguous()
        out.append([W[:, h * D // H:(h + 1) * D // H] for h in range(H)])
    q, k, v = out
    return q, k, v, out_proj_weight.T
