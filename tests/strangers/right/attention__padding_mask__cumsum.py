# Cumsum.
def padding_mask(lengths, N):
    return torch.ones(len(lengths), 1, N).cumsum(-1) <= lengths[:, None, None]
