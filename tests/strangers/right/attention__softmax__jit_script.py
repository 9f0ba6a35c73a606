# Jit script.
@torch.jit.script
def softmax(Z, dim: int = -1):
    m = torch.amax(Z, [dim], True)
    e = torch.exp(Z - m)
    return e / torch.sum(e, [dim], True)
