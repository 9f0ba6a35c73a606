# Broadcast.
def counting_targets(x, V):
    return ((x[..., :, None] == x[..., None, :]).sum(-1) - 1).clamp(max=V - 1)
