# By hand.
def class_token_attention(model, images):
    X = nn.Sequential(*model.layers[:-1])(model.tokens(images))
    Z, att = model.layers[-1].norm1(X), model.layers[-1].attention
    D, H = att.embed_dim, att.num_heads
    q = F.linear(Z[:, 0], att.in_proj_weight[:D], att.in_proj_bias[:D]).unflatten(-1, (H, -1))
    k = F.linear(Z, att.in_proj_weight[D:2 * D], att.in_proj_bias[D:2 * D]).unflatten(-1, (H, -1))
    s = torch.einsum("bhj,bnhj->bhn", q, k) / math.sqrt(D // H)
    return s.softmax(-1).mean(1)[:, 1:]
