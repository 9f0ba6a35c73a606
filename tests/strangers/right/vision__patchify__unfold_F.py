# Unfold f.
def patchify(images, P):
    if images.shape[-1] % P: raise ValueError("P does not divide S")
    return F.unfold(images[:, None], P, stride=P).mT
