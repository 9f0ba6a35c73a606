# Entr.
def attention_entropy(alpha):
    return torch.special.entr(alpha).sum(dim=-1)
