# Augmented.
def feed_forward(X, W_1, b_1, W_2, b_2):
    one = lambda T: torch.cat([T, torch.ones_like(T[..., :1])], -1)
    h = gelu(one(X) @ torch.vstack([W_1, b_1]))
    return one(h) @ torch.vstack([W_2, b_2])
