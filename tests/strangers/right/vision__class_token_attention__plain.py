# Plain.
def class_token_attention(model, images):
    X = model.tokens(images)
    *first, last = model.layers
    for layer in first: X = layer(X)
    Z = last.norm1(X)
    return last.attention(Z, Z, Z)[1][:, 0, 1:]
