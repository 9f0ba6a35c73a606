# Asserts what the statement promises of its inputs.
def feed_forward(X, W_1, b_1, W_2, b_2):
    D, M = W_1.shape
    assert W_2.shape == (M, D) and b_1.shape == (M,) and b_2.shape == (D,) and X.shape[-1] == D
    return torch.baddbmm(b_2, F_gelu(torch.baddbmm(b_1, X.reshape(1, -1, D), W_1[None])), W_2[None]).reshape(X.shape)
F_gelu = torch.nn.GELU(approximate="none")
