# Head h gets the columns h, h + H, h + 2H, ... instead of D/H neighbours.
# Breaks: "Cut the $D$ numbers of each token into $H$ stretches of $D/H$ neighbours"
import torch


def split_heads(X, H):
    """Cut the D features of every token into H heads of D/H features."""
    D = X.shape[-1]
    if D % H != 0:
        raise ValueError(f"{H} heads do not divide {D} features")
    return X.reshape(*X.shape[:-1], D // H, H).movedim(-1, -3)
