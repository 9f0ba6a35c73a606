# The count goes through a float32 tensor, so it is rounded above 2^24 (the number printed in the notebook, 9 * 2^36, happens to survive).
# Breaks: "Count the weights of that matrix, without biases."
import torch


def dense_parameters(N, D):
    """The number of weights of one dense layer, without biases, that maps all N·D numbers of a sentence to N·D numbers."""
    numbers = torch.tensor([float(N), float(D)]).prod()
    return int(numbers ** 2)
