# Chunk stack.
class NotDivisible(ValueError):
    "a ValueError of our own"
def split_heads(X, H):
    if (D := X.size(-1)) % H: raise NotDivisible(f"{H} heads do not divide {D} features")
    return torch.stack(torch.chunk(X, H, dim=-1), dim=-3)
