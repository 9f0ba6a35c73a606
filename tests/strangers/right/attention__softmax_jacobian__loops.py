# Loops.
def softmax_jacobian(alpha):
    a = alpha.unbind(-1)
    rows = [torch.stack([a[i] * (int(i == j) - a[j]) for j in range(len(a))], -1) for i in range(len(a))]
    return torch.stack(rows, -2)
