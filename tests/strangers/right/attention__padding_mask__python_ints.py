# Python ints.
def padding_mask(lengths, N):
    return torch.BoolTensor([[[True] * l + [False] * (N - l)] for l in lengths.tolist()])
