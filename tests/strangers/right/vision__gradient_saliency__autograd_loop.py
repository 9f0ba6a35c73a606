# Autograd loop.
def gradient_saliency(model, X):
    x = X.detach().clone().requires_grad_()
    out = model(x)
    rows = []
    for k in range(len(out)):
        g, = torch.autograd.grad(out[k], x, retain_graph=True, allow_unused=True)
        g = torch.zeros_like(x) if g is None else g
        length = torch.linalg.vector_norm(g, dim=-1)
        rows.append(length / length.sum() if length.any() else length)
    return torch.stack(rows)
