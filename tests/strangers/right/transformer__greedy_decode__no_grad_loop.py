# No grad loop.
@torch.no_grad()
def greedy_decode(model, src, steps, sos):
    memory = model.encode(src)
    said = torch.full((len(src), 1), sos)
    while said.shape[1] <= steps:
        said = torch.hstack([said, model.decode(said, memory)[:, -1:].argmax(-1)])
    return said[:, 1:]
