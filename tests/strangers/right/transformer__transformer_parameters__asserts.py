# Asserts what the statement promises of its inputs.
def transformer_parameters(D, n_layers):
    assert type(D) is int and type(n_layers) is int
    return sum([4 * D * D, D * 4 * D, 4 * D * D]) * n_layers
