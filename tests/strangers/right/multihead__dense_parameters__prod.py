# Prod.
dense_parameters = lambda N, D: math.prod([N, D] * 2)
