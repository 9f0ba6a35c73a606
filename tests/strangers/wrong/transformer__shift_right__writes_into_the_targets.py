# The right sequence is returned, but it is written into the caller's targets.
# Breaks: "The targets are left as they are."
import torch


def shift_right(targets, sos):
    """What the decoder hears while it learns to say the targets: sos, then all targets but the last."""
    heard = targets
    heard[:, 1:] = targets[:, :-1].clone()
    heard[:, 0] = sos
    return heard
