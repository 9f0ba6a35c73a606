# Unusual but right: functools.partial and N^2 as the sum of the first N odd numbers (each further token brings 2N - 1 new D x D blocks).
import functools


def _blocks(D, N):
    """N^2 D^2 as the sum of the odd numbers 1, 3, ..., 2N - 1, times D^2."""
    block = D * D
    return sum(range(1, 2 * N, 2)) * block


def dense_parameters(N, D):
    """The number of weights of one dense layer, without biases, that maps all N·D numbers of a sentence to N·D numbers."""
    count = functools.partial(_blocks, D)
    return count(N)
