# The start token is barred from being said, so wherever sos has the largest logit the second best is said.
# Breaks: "says the token with the largest logit"
import math

import torch


def greedy_decode(model, src, steps, sos):
    """Let a model say `steps` tokens, each time the one it finds most likely after all that it has said before."""
    with torch.no_grad():
        memory = model.encode(src)
        said = torch.full((src.shape[0], 1), sos, dtype=torch.int64)
        for _ in range(steps):
            logits = model.decode(said, memory)[:, -1].clone()
            if sos < logits.shape[-1]:
                logits[:, sos] = -math.inf   # the answer has no sos in it
            said = torch.cat([said, logits.argmax(-1, keepdim=True)], dim=1)
    return said[:, 1:]
