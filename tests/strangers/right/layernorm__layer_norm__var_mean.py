# Var mean.
def layer_norm(X, gamma, beta, eps=1e-5):
    v, m = torch.var_mean(X, -1, correction=0, keepdim=True)
    return torch.addcmul(beta, gamma, (X - m) * torch.rsqrt(v + eps))
