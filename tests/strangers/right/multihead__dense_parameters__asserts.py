# Asserts what the statement promises of its inputs.
def dense_parameters(N, D):
    assert type(N) is int and type(D) is int
    return N * D * N * D
