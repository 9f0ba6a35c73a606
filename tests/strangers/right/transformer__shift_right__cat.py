# Cat.
def shift_right(targets, sos):
    return torch.cat([torch.full_like(targets[:, :1], sos), targets[:, :-1]], 1)
