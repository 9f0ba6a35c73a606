# Asserts what the statement promises of its inputs.
def patchify(images, P):
    assert images.ndim == 3 and images.shape[1] == images.shape[2] and type(P) is int and images.is_contiguous()
    B, S, _ = images.shape
    if S % P: raise ValueError(f"{P} does not divide {S}")
    n = S // P
    return images.as_strided((B, n, n, P, P), (S * S, P * S, P, S, 1)).reshape(B, n * n, P * P)
