# Register helper module.
class _Standardise(nn.Module):
    def __init__(self, eps): super().__init__(); self.eps = eps
    def forward(self, X):
        X = X - X.mean(-1, keepdim=True)
        return X / torch.sqrt(torch.mean(X * X, dim=-1, keepdim=True) + self.eps)
class _Affine(nn.Module):
    def __init__(self, D):
        nn.Module.__init__(self)
        for name, value in dict(gamma=1.0, beta=0.0).items():
            self.register_parameter(name, nn.Parameter(torch.full([D], value)))
    def affine(self, X): return self.gamma * X + self.beta
class LayerNorm(_Affine):
    def __init__(self, D, eps=1e-5):
        super().__init__(D)
        self.standardise = _Standardise(eps)
    def forward(self, X): return self.affine(self.standardise(X))
