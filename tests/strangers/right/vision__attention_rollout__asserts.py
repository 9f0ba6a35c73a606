# Asserts what the statement promises of its inputs.
def attention_rollout(alphas):
    assert type(alphas) is list and len(alphas) >= 1
    for x in alphas:
        assert x.ndim == 3 and x.shape[1] == x.shape[2] and torch.allclose(x.sum(-1), torch.ones_like(x[..., 0]))
    R = torch.eye(alphas[0].shape[-1], dtype=torch.float64)
    for x in alphas: R = (x.mean(0) @ R + R) / 2
    return R
