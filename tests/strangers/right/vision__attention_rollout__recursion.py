# Recursion.
def attention_rollout(alphas):
    if not alphas: return 1.0
    *before, last = alphas
    A_ = last.mean(0)
    A_ = A_ + torch.eye(len(A_), dtype=A_.dtype)
    A_ = A_ / A_.sum(-1, keepdim=True)
    return A_ @ attention_rollout(before) if before else A_
