# Each head is rolled out by itself and the mean of the heads is taken of the products, which differs for several heads and several layers.
# Breaks: "For each layer, take the mean of the heads, mix in the identity half and half"
import torch


def attention_rollout(alphas):
    """How much of each input token is in each output token, by multiplying the attention maps of all layers."""
    eye = torch.eye(alphas[0].shape[-1], dtype=alphas[0].dtype)
    R = eye
    for alpha in alphas:
        R = (0.5 * alpha + 0.5 * eye) @ R
    R = R.mean(0)
    return R / R.sum(-1, keepdim=True)
