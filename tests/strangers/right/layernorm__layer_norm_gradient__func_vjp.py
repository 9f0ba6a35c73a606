# Func vjp.
def layer_norm_gradient(dY, X, gamma, eps=1e-5):
    def f(X, gamma, beta):
        c = X - X.mean(-1, keepdim=True)
        return gamma * c / torch.sqrt((c * c).mean(-1, keepdim=True) + eps) + beta
    _, back = torch.func.vjp(f, X, gamma, torch.zeros_like(gamma))
    return back(dY)
