# Asserts what the statement promises of its inputs.
def softmax(*args, **kwargs):
    def inner(Z, dim=-1):
        assert isinstance(Z, torch.Tensor) and Z.dtype is torch.float64, Z.dtype
        assert type(dim) is int and -Z.ndim <= dim < Z.ndim
        f = Z[Z != -torch.inf]
        assert f.abs().max() <= 10000 and not (Z == -torch.inf).all(dim).any() and Z.is_contiguous()
        e = torch.exp(Z - Z.amax(dim, keepdim=True))
        return e / e.sum(dim, keepdim=True)
    return inner(*args, **kwargs)
