# Recursion.
def greedy_decode(model, src, steps, sos):
    with torch.inference_mode():
        memory = model.encode(src)
        def go(said, left):
            if left == 0: return said
            nxt = model.decode(said, memory)[:, -1].max(dim=-1).indices
            return go(torch.column_stack([said, nxt]), left - 1)
        return go(src.new_full((src.shape[0], 1), sos), steps)[:, 1:]
