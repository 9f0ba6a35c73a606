# Diag embed.
def softmax_jacobian(alpha):
    return torch.diag_embed(alpha) - torch.einsum("...i,...j->...ij", alpha, alpha)
