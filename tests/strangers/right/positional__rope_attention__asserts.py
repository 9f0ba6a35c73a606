# Asserts what the statement promises of its inputs.
def rope_attention(Q, K, V, positions=None, mask=None, L=10000.0):
    N, D = Q.shape[-2:]
    assert Q.shape == K.shape and V.shape[:-1] == Q.shape[:-1] and D % 2 == 0
    if positions is None: positions = torch.arange(N)
    assert positions.shape == (N,) and positions.dtype == torch.long and isinstance(L, float), f"L is {L!r}"
    theta = positions[:, None].double() * L ** (-torch.arange(0, D, 2).double() / D)
    turn = lambda T: torch.view_as_real(torch.view_as_complex(T.reshape(*T.shape[:-1], -1, 2)) * torch.polar(torch.ones_like(theta), theta)).flatten(-2)
    S = turn(Q).matmul(turn(K).transpose(-2, -1)).div(math.sqrt(D))
    if mask is not None:
        assert mask.dtype == torch.bool
        S = S.masked_fill(~mask, -math.inf)
    W = S.softmax(-1).nan_to_num(0)
    return W @ V, W
