# Tensor unfold.
def patchify(images, P):
    B, S, _ = images.shape
    if S % P != 0: raise ValueError(f"{P} does not divide {S}")
    return images.unfold(1, P, P).unfold(2, P, P).reshape(B, -1, P * P)
