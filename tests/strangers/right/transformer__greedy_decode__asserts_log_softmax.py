# Asserts what the statement promises of its inputs.
def greedy_decode(model, src, steps, sos):
    assert steps >= 1 and type(steps) is int and type(sos) is int and src.ndim == 2
    assert hasattr(model, "encode") and hasattr(model, "decode")
    memory = model.encode(src).detach()
    tokens = [torch.full((src.shape[0],), sos, dtype=torch.int64)]
    for _ in range(steps):
        p = torch.log_softmax(model.decode(torch.stack(tokens, 1), memory), -1)
        tokens.append(p[:, -1].argmax(-1))
    return torch.stack(tokens[1:], 1)
