# Unusual but right: the identity is added first and rows are divided by their sums; torch.linalg.multi_dot multiplies the reversed list.
import torch


def attention_rollout(alphas):
    """How much of each input token is in each output token, by multiplying the attention maps of all layers."""
    def mixed(alpha):
        A = torch.einsum("hnm->nm", alpha) / alpha.shape[0]
        A = A + torch.diag(torch.ones_like(A[0]))
        return A / A.sum(dim=1, keepdim=True)

    last_first = [mixed(alpha) for alpha in reversed(alphas)]
    return torch.linalg.multi_dot(last_first) if len(last_first) > 1 else last_first[0]
