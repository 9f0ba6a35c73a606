# Own rope.
def rope_attention(Q, K, V, positions=None, mask=None, L=10000.0):
    turn = lambda T: rope(T, positions=positions, L=L)
    S = turn(Q) @ turn(K).mT / Q.shape[-1] ** .5
    if mask is not None:
        S = torch.where(mask, S, -torch.inf)
    alpha = torch.nan_to_num(torch.softmax(S, -1), nan=0.0)
    return alpha @ V, alpha
