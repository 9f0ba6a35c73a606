# Closed.
transformer_parameters = lambda D, n_layers: 12 * n_layers * D ** 2
