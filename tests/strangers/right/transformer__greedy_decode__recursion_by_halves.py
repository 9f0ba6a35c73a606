# Unusual but right: a recursion that says the first half of the tokens and then the second, under a decorator; the source is encoded once.
import torch


def _go_on(model, memory, said, left):
    if left > 1:
        return _go_on(model, memory, _go_on(model, memory, said, left // 2), left - left // 2)
    logits = model.decode(said, memory).select(1, -1)              # B x vocab, at the last place
    following = logits.topk(1, dim=-1).indices                     # B x 1
    return torch.hstack((said, following))


@torch.no_grad()
def greedy_decode(model, src, steps, sos):
    """Let a model say `steps` tokens, each time the one it finds most likely after all that it has said before."""
    start = src.new_full((src.size(0), 1), sos)
    return _go_on(model, model.encode(src), start, steps).narrow(1, 1, steps)
