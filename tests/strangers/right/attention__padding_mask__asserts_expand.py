# Asserts what the statement promises of its inputs.
def padding_mask(lengths, N):
    assert isinstance(N, int) and lengths.ndim == 1 and not lengths.is_floating_point()
    assert (0 <= lengths).all() and (lengths <= N).all()
    return torch.arange(N).expand(len(lengths), 1, N) < lengths.view(-1, 1, 1)
