# Ndtr.
def gelu(X, approximate="none"):
    match approximate:
        case "none": return X * torch.special.ndtr(X)
        case "tanh": return X * torch.sigmoid(2 * math.sqrt(2 / math.pi) * (X + 0.044715 * X ** 3))
