# Asserts what the statement promises of its inputs.
def split_heads(X, H):
    assert isinstance(H, int) and X.dtype == torch.float64 and X.is_contiguous()
    *B, N, D = X.shape
    if D % H: raise ValueError(f"{H} heads do not divide {D} features.")
    w = D // H
    s = X.stride()
    return X.as_strided((*B, H, N, w), (*s[:-2], w * s[-1], s[-2], s[-1]))
