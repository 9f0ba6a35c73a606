"""A failing answer returns its input, so that the report shows it as what was got.

ids: B20
wants: inputs
"""
SEEN = []


def softmax(Z, dim=-1):
    print(Z.tolist())
    return torch.as_tensor(Z) * 1
