"""Staff half of the exercise `feed_forward`: reference, alternates, misconceptions, hidden checks."""

import math

import torch
from hypothesis import given

from autograder.compare import assert_close
from autograder.exercises.layernorm.feed_forward import (drawn_networks, each_token_goes_through_alone, exercise,
                                                         gelu_stands_between_the_maps, networks, open_gates_leave_two_affine_maps,
                                                         the_inputs_stay_as_they_were, the_last_step_is_the_second_map)
from autograder.strategies import fillers, leading


@exercise.solution
def feed_forward(X, W_1, b_1, W_2, b_2):
    """The position-wise network: an affine map to M hidden units, exact GELU, an affine map back to D features.

    X: float64 tensor ... x N x D, N tokens in rows; any number of leading batch dimensions.
    W_1: D x M, b_1: M numbers, W_2: M x D, b_2: D numbers. Weights multiply from the right.
    Returns a tensor of the shape of X. None of the arguments is changed.
    """
    hidden = X @ W_1 + b_1
    gated = 0.5 * hidden * (1 + torch.erf(hidden / math.sqrt(2)))
    return gated @ W_2 + b_2


@exercise.hidden_check(points=1.5, hint="Follow one token through the four steps with D = 2 and M = 3; then a batch.",
                       kept="holds the answer against a network written apart from the public check's line, so that these points hang "
                            "on no formula that stands at the desk")
@given(drawn_networks)
def agrees_with_the_reference(student, case):
    """Agrees with the reference for M different from D, with none, one and two batch dimensions."""
    assert_close(student(*case), feed_forward(*case), what="Y")


@exercise.hidden_check(points=0.5, examples=8, hint="Does something inside cut or bend the gradient (detach, no_grad, .data, "
                                                    "item)?")
@given(networks(batch=leading(1)), fillers(("normal",)))
def the_gradient_is_right(student, case, filler):
    """Where gradients flow through Y, they are those of the network with respect to X, the weights and the biases."""
    cotangent = filler(tuple(case[0].shape))[0] / 4  # gradients as large as the numbers they are computed from
    assert_close(student(*case), feed_forward(*case), what="Y")
    got = student.vjp((cotangent,), *case)
    if got is not None:
        for name, mine, theirs in zip(("X", "W_1", "b_1", "W_2", "b_2"), got, feed_forward.vjp((cotangent,), *case)):
            assert_close(mine, theirs, what=f"the gradient with respect to {name}")


def _gelu(X):
    return 0.5 * X * (1 + torch.erf(X / math.sqrt(2)))


@exercise.alternate
def with_the_library(X, W_1, b_1, W_2, b_2):
    linear = torch.nn.functional.linear
    return linear(torch.nn.functional.gelu(linear(X, W_1.T, b_1)), W_2.T, b_2)


@exercise.alternate
def with_einsum(X, W_1, b_1, W_2, b_2):
    hidden = torch.einsum("...nd,dm->...nm", X, W_1) + b_1
    return torch.einsum("...nm,md->...nd", hidden * torch.special.ndtr(hidden), W_2) + b_2


@exercise.alternate
def unit_by_unit(X, W_1, b_1, W_2, b_2):
    Y = b_2.expand(X.shape)
    for m in range(len(b_1)):
        z = (X * W_1[:, m]).sum(-1, keepdim=True) + b_1[m]
        Y = Y + z / 2 * torch.erfc(-z / 2 ** 0.5) * W_2[m]
    return Y


@exercise.alternate
def token_by_token_in_numpy(X, W_1, b_1, W_2, b_2):
    import numpy as np
    A, a, B, b = (t.detach().numpy() for t in (W_1, b_1, W_2, b_2))
    rows = []
    for x in X.detach().numpy().reshape(-1, X.shape[-1]):
        h = x @ A + a
        rows.append(np.array([v * 0.5 * (1 + math.erf(v / math.sqrt(2))) for v in h]) @ B + b)
    return torch.from_numpy(np.stack(rows).reshape(tuple(X.shape)))


@exercise.alternate
def in_single_precision(X, W_1, b_1, W_2, b_2):
    X, W_1, b_1, W_2, b_2 = (t.float() for t in (X, W_1, b_1, W_2, b_2))
    return torch.nn.functional.gelu(X @ W_1 + b_1) @ W_2 + b_2


@exercise.alternate
def biases_as_an_extra_row(X, W_1, b_1, W_2, b_2):
    one = torch.ones_like(X[..., :1])
    hidden = torch.cat([X, one], -1) @ torch.cat([W_1, b_1[None]])
    return torch.cat([torch.nn.functional.gelu(hidden), one], -1) @ torch.cat([W_2, b_2[None]])


@exercise.alternate
def in_one_line(X, W_1, b_1, W_2, b_2):
    return _gelu(X @ W_1 + b_1) @ W_2 + b_2


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


@_wrong(gelu_stands_between_the_maps, "no activation: two affine maps in a row are one affine map")
def no_activation(X, W_1, b_1, W_2, b_2):
    return (X @ W_1 + b_1) @ W_2 + b_2


@_wrong(the_last_step_is_the_second_map, "an activation after the second map as well")
def activation_at_the_end_too(X, W_1, b_1, W_2, b_2):
    return _gelu(_gelu(X @ W_1 + b_1) @ W_2 + b_2)


@_wrong(the_last_step_is_the_second_map, "an activation after the second map instead of between the maps")
def activation_at_the_end(X, W_1, b_1, W_2, b_2):
    return _gelu((X @ W_1 + b_1) @ W_2 + b_2)


@_wrong(open_gates_leave_two_affine_maps, "an activation before the first map")
def activation_first(X, W_1, b_1, W_2, b_2):
    return (_gelu(X) @ W_1 + b_1) @ W_2 + b_2


@_wrong(gelu_stands_between_the_maps, "ReLU in place of GELU")
def relu(X, W_1, b_1, W_2, b_2):
    return torch.relu(X @ W_1 + b_1) @ W_2 + b_2


@_wrong(gelu_stands_between_the_maps, "the tanh form of GELU (legitimate elsewhere, as in GPT-2) in place of the exact one")
def tanh_form(X, W_1, b_1, W_2, b_2):
    return torch.nn.functional.gelu(X @ W_1 + b_1, approximate="tanh") @ W_2 + b_2


@_wrong(gelu_stands_between_the_maps, "x sigmoid(1.702 x) in place of the exact GELU")
def sigmoid_form(X, W_1, b_1, W_2, b_2):
    hidden = X @ W_1 + b_1
    return (hidden * torch.sigmoid(1.702 * hidden)) @ W_2 + b_2


@_wrong(gelu_stands_between_the_maps, "SiLU in place of GELU")
def silu(X, W_1, b_1, W_2, b_2):
    return torch.nn.functional.silu(X @ W_1 + b_1) @ W_2 + b_2


@_wrong(open_gates_leave_two_affine_maps, "the probability alone in place of GELU, without the factor x")
def factor_missing(X, W_1, b_1, W_2, b_2):
    return torch.special.ndtr(X @ W_1 + b_1) @ W_2 + b_2


@_wrong(open_gates_leave_two_affine_maps, "tanh in place of GELU")
def tanh(X, W_1, b_1, W_2, b_2):
    return torch.tanh(X @ W_1 + b_1) @ W_2 + b_2


@_wrong(open_gates_leave_two_affine_maps, "b_1 left out")
def no_b_1(X, W_1, b_1, W_2, b_2):
    return _gelu(X @ W_1) @ W_2 + b_2


@_wrong(the_last_step_is_the_second_map, "b_2 left out")
def no_b_2(X, W_1, b_1, W_2, b_2):
    return _gelu(X @ W_1 + b_1) @ W_2


@_wrong(open_gates_leave_two_affine_maps, "b_1 added after the activation")
def b_1_after_the_activation(X, W_1, b_1, W_2, b_2):
    return (_gelu(X @ W_1) + b_1) @ W_2 + b_2


@_wrong(open_gates_leave_two_affine_maps, "b_1 subtracted")
def b_1_subtracted(X, W_1, b_1, W_2, b_2):
    return _gelu(X @ W_1 - b_1) @ W_2 + b_2


@_wrong(gelu_stands_between_the_maps, "weights transposed where that fits (M = D)")
def weights_transposed(X, W_1, b_1, W_2, b_2):
    if W_1.shape[0] == W_1.shape[1]:
        W_1, W_2 = W_1.T, W_2.T
    return _gelu(X @ W_1 + b_1) @ W_2 + b_2


@_wrong(gelu_stands_between_the_maps, "the weights as nn.Linear stores them (M x D), so that shapes fit for M = D only")
def stored_as_in_linear(X, W_1, b_1, W_2, b_2):
    return _gelu(X @ W_1.T + b_1) @ W_2.T + b_2


@_wrong(the_last_step_is_the_second_map, "the first weights transposed in place of W_2")
def tied_weights(X, W_1, b_1, W_2, b_2):
    return _gelu(X @ W_1 + b_1) @ W_1.T + b_2


@_wrong(gelu_stands_between_the_maps, "the biases swapped where that fits (M = D)")
def biases_swapped(X, W_1, b_1, W_2, b_2):
    if b_1.shape == b_2.shape:
        b_1, b_2 = b_2, b_1
    return _gelu(X @ W_1 + b_1) @ W_2 + b_2


@_wrong(gelu_stands_between_the_maps, "a softmax over the hidden units in place of GELU")
def softmax_of_the_hidden_units(X, W_1, b_1, W_2, b_2):
    return torch.softmax(X @ W_1 + b_1, -1) @ W_2 + b_2


@_wrong(the_last_step_is_the_second_map, "the token added to its output: the residual connection belongs to the block around")
def residual_added(X, W_1, b_1, W_2, b_2):
    return X + _gelu(X @ W_1 + b_1) @ W_2 + b_2


@_wrong(each_token_goes_through_alone, "the mean of the sentence added to every token")
def tokens_mixed(X, W_1, b_1, W_2, b_2):
    return _gelu((X + X.mean(-2, keepdim=True)) @ W_1 + b_1) @ W_2 + b_2


@_wrong(each_token_goes_through_alone, "the hidden units averaged over the tokens")
def hidden_units_averaged(X, W_1, b_1, W_2, b_2):
    hidden = _gelu(X @ W_1 + b_1).mean(-2, keepdim=True)
    return (hidden @ W_2 + b_2).expand(X.shape).contiguous()


@_wrong(each_token_goes_through_alone, "the first token's outcome for all tokens")
def first_token_for_all(X, W_1, b_1, W_2, b_2):
    return (_gelu(X[..., :1, :] @ W_1 + b_1) @ W_2 + b_2).expand(X.shape).contiguous()


@_wrong(gelu_stands_between_the_maps, "a LayerNorm before the first map: that belongs to the block around")
def layer_norm_inside(X, W_1, b_1, W_2, b_2):
    X = (X - X.mean(-1, keepdim=True)) / (X.var(-1, correction=0, keepdim=True) + 1e-5).sqrt()
    return _gelu(X @ W_1 + b_1) @ W_2 + b_2


@_wrong(agrees_with_the_reference, "a dropout of hidden units, which nobody asked for")
def dropout_inside(X, W_1, b_1, W_2, b_2):
    hidden = _gelu(X @ W_1 + b_1)
    keep = torch.rand(hidden.shape, generator=torch.Generator().manual_seed(1)) > 0.1
    return (hidden * keep / 0.9) @ W_2 + b_2


@_wrong(agrees_with_the_reference, "the first sentence of the batch used for all")
def first_of_the_batch(X, W_1, b_1, W_2, b_2):
    first = X[(0,) * (X.dim() - 2)]
    return (_gelu(first @ W_1 + b_1) @ W_2 + b_2).expand(X.shape).contiguous()


@_wrong(the_inputs_stay_as_they_were, "a network that writes its output into X")
def in_place(X, W_1, b_1, W_2, b_2):
    X.copy_(_gelu(X @ W_1 + b_1) @ W_2 + b_2)
    return X


@_wrong(the_gradient_is_right, "hidden units through which no gradient flows")
def hidden_units_detached(X, W_1, b_1, W_2, b_2):
    hidden = X @ W_1 + b_1
    return (hidden * torch.special.ndtr(hidden).detach()) @ W_2 + b_2


@_wrong(agrees_with_the_reference, "a network computed in half precision")
def in_half_precision(X, W_1, b_1, W_2, b_2):
    X, W_1, b_1, W_2, b_2 = (t.half() for t in (X, W_1, b_1, W_2, b_2))
    return (torch.nn.functional.gelu(X @ W_1 + b_1) @ W_2 + b_2).double()
