# Unfold.
def split_heads(X, H):
    D = X.shape[-1]
    w, rest = divmod(D, H)
    if rest: raise ValueError(f"{H} does not divide {D}")
    return X.unfold(-1, w, w).transpose(-3, -2)
