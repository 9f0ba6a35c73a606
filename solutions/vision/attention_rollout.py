"""Staff half of the exercise `attention_rollout`: reference, alternates, misconceptions, hidden checks."""

import functools

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close
from autograder.exercises.vision.attention_rollout import (an_idle_layer_changes_nothing, deep_layers_act_on_what_earlier_ones_made,
                                                           exercise, maps, one_layer_is_half_attention_half_identity,
                                                           only_the_mean_of_the_heads_counts, rows_sum_to_one,
                                                           the_maps_stay_as_they_were, two_layers_by_hand)
from autograder.strategies import distributions, sizes


@exercise.solution
def attention_rollout(alphas):
    """How much of each input token is in each output token, by multiplying the attention maps of all layers.

    alphas: a list of L >= 1 float64 tensors H x N x N, the first layer first; alphas[l][h, n, m] is the weight that query n
    gives to key m in head h of layer l, so each row sums to 1.
    For each layer, take the mean of the heads, mix in the identity half and half (for the residual connection), and let each
    row sum to 1.
    Returns a tensor N x N: row n says what share of output token n comes from each input token; each row sums to 1.
    """
    rollout = torch.eye(alphas[0].shape[-1], dtype=alphas[0].dtype)
    for alpha in alphas:
        mixed = alpha.mean(dim=0) + torch.eye(alpha.shape[-1], dtype=alpha.dtype)
        rollout = mixed / mixed.sum(dim=-1, keepdim=True) @ rollout
    return rollout


exercise.equivalent('rollout = torch.eye(alphas[0].shape[-1], dtype=alphas[0].dtype) -> '
                    'rollout = torch.eye(alphas[-1].shape[-1], dtype=alphas[0].dtype)',
                    because="the maps of all layers have one shape")
exercise.equivalent('rollout = torch.eye(alphas[0].shape[-1], dtype=alphas[0].dtype) -> '
                    'rollout = torch.eye(alphas[0].shape[1], dtype=alphas[0].dtype)',
                    because="maps are square")
exercise.equivalent('rollout = torch.eye(alphas[0].shape[-1], dtype=alphas[0].dtype) -> '
                    'rollout = torch.eye(alphas[0].shape[-2], dtype=alphas[0].dtype)',
                    because="maps are square")
exercise.equivalent('rollout = torch.eye(alphas[0].shape[-1], dtype=alphas[0].dtype) -> '
                    'rollout = torch.eye(alphas[0].shape[-1], dtype=alphas[-1].dtype)',
                    because="the maps of all layers have one dtype")
exercise.equivalent('mixed = alpha.mean(dim=0) + torch.eye(alpha.shape[-1], dtype=alpha.dtype) -> '
                    'mixed = alpha.mean(dim=0) + torch.eye(alpha.shape[-1])',
                    because="zeros and ones are exact in every dtype, and the sum has the map's")
exercise.equivalent('mixed = alpha.mean(dim=0) + torch.eye(alpha.shape[-1], dtype=alpha.dtype) -> '
                    'mixed = alpha.mean(dim=0) + torch.eye(alpha.shape[1], dtype=alpha.dtype)',
                    because="maps are square")
exercise.equivalent('mixed = alpha.mean(dim=0) + torch.eye(alpha.shape[-1], dtype=alpha.dtype) -> '
                    'mixed = alpha.mean(dim=0) + torch.eye(alpha.shape[-2], dtype=alpha.dtype)',
                    because="maps are square")
exercise.equivalent('rollout = mixed / mixed.sum(dim=-1, keepdim=True) @ rollout -> rollout = mixed / mixed.sum(dim=-1) @ rollout',
                    because="every row sums to 2, so it does not matter along which axis the sums stand")
exercise.equivalent('rollout = mixed / mixed.sum(dim=-1, keepdim=True) @ rollout -> '
                    'rollout = mixed / mixed.sum(dim=1, keepdim=True) @ rollout',
                    because="the axis 1 of a matrix is its last one")
exercise.equivalent('rollout = mixed / mixed.sum(dim=-1, keepdim=True) @ rollout -> '
                    'rollout = mixed / mixed.sum(dim=-1, keepdim=False) @ rollout',
                    because="every row sums to 2, so it does not matter along which axis the sums stand")


@exercise.hidden_check(points=1.5, hint="Two layers, one head, N = 2, numbers that you can multiply by hand; then three heads, then one token only.",
                       kept="up to four layers and four heads, and a single token, on maps seeded from the course's secret")
@given(maps(layers=(1, 4), heads=(1, 4), tokens=(1, 5)))
def agrees_with_the_reference(student, alphas):
    """Agrees with the reference for one to four layers, whose maps do not commute, and for eight."""
    assert_close(student(alphas), attention_rollout(alphas), what="the rollout")
    eight = [alpha.clone() for alpha in (alphas * 8)[:8]]
    assert_close(student(eight), attention_rollout(eight), what="the rollout of eight layers")


_with_zeros = st.tuples(sizes(1, 3), sizes(1, 3), sizes(2, 5)).flatmap(lambda shape: st.lists(
    distributions(batch=st.just((shape[1], shape[2])), low=shape[2], high=shape[2], zeros=True), min_size=shape[0], max_size=shape[0]))


@exercise.hidden_check(points=0.5, examples=15, hint="A weight of exactly 0 is an ordinary weight here. Is anything in your code divided by a weight, "
                                                     "or its logarithm taken?")
@given(_with_zeros)
def agrees_where_weights_are_zero(student, alphas):
    """Agrees with the reference where some weights are exactly 0, as under a mask."""
    assert_close(student(alphas), attention_rollout(alphas), what="the rollout of maps with zeros")


@exercise.alternate
def half_and_half(alphas):
    eye = 0.5 * torch.eye(alphas[0].shape[-1], dtype=alphas[0].dtype)
    layers = [0.5 * alpha.mean(0) + eye for alpha in alphas]
    return functools.reduce(lambda earlier, layer: layer @ earlier, layers)


@exercise.alternate
def with_multi_dot(alphas):
    eye = torch.eye(alphas[0].size(-1), dtype=alphas[0].dtype)
    layers = [(alpha.mean(0) + eye) / 2 for alpha in alphas]
    return layers[0] if len(layers) == 1 else torch.linalg.multi_dot(layers[::-1])


@exercise.alternate
def stacked_with_einsum(alphas):
    layers = torch.stack(list(alphas)).mean(1)
    layers = layers + torch.eye(layers.shape[-1], dtype=layers.dtype)
    layers = layers / layers.sum(-1, keepdim=True)
    rollout = layers[0]
    for layer in layers[1:]:
        rollout = torch.einsum("nk,km->nm", layer, rollout)
    return rollout


@exercise.alternate
def from_the_last_layer_down(alphas):
    N = alphas[0].shape[-1]
    rollout = torch.eye(N).double()
    for alpha in reversed(alphas):
        rollout = rollout @ (alpha.mean(0) + torch.eye(N)) * 0.5
    return rollout


@exercise.alternate
def in_numpy(alphas):
    rollout = np.eye(alphas[0].shape[-1])
    for alpha in alphas:
        mixed = 0.5 * alpha.numpy().mean(axis=0) + 0.5 * np.eye(len(rollout))
        rollout = np.dot(mixed, rollout)
    return torch.tensor(rollout)


@exercise.alternate
def in_float32(alphas):
    rollout = torch.eye(alphas[0].shape[-1])
    for alpha in alphas:
        rollout = (alpha.float().mean(0) + torch.eye(len(rollout))) / 2 @ rollout
    return rollout


@exercise.alternate
def normalised_without_keepdim(alphas):
    """The sums are all 2, so a missing keepdim divides by the right number all the same."""
    rollout = torch.eye(alphas[0].shape[-1], dtype=alphas[0].dtype)
    for alpha in alphas:
        mixed = alpha.mean(0) + torch.eye(len(rollout), dtype=alpha.dtype)
        rollout = (mixed / mixed.sum(-1)) @ rollout
    return rollout


@exercise.alternate
def token_by_token(alphas):
    N = alphas[0].shape[-1]
    shares = [[1.0 if n == m else 0.0 for m in range(N)] for n in range(N)]
    for alpha in alphas:
        mean = alpha.mean(0).tolist()
        shares = [[0.5 * shares[n][m] + 0.5 * sum(mean[n][k] * shares[k][m] for k in range(N)) for m in range(N)] for n in range(N)]
    return torch.tensor(shares, dtype=torch.float64)


def _mixed(alpha, keep=0.5):
    return (1 - keep) * alpha.mean(0) + keep * _eye(alpha)


def _eye(alpha):
    return torch.eye(alpha.shape[-1], dtype=alpha.dtype)


def _product(layers):
    """The matrix product with the first layer on the right."""
    return functools.reduce(lambda earlier, layer: layer @ earlier, layers)


@exercise.alternate
def in_one_line(alphas):
    return _product([_mixed(alpha) for alpha in alphas])


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


@_wrong(one_layer_is_half_attention_half_identity, "a product of the bare maps, without the identity for the residual connection")
def identity_missing(alphas):
    return _product([alpha.mean(0) for alpha in alphas])


@_wrong(deep_layers_act_on_what_earlier_ones_made, "the layers multiplied in the opposite order")
def opposite_order(alphas):
    return _product([_mixed(alpha) for alpha in reversed(alphas)])


@_wrong(rows_sum_to_one, "columns that were made to sum to 1 instead of rows")
def columns_normalised(alphas):
    mixed = [alpha.mean(0) + _eye(alpha) for alpha in alphas]
    return _product([layer / layer.sum(-2, keepdim=True) for layer in mixed])


@_wrong(rows_sum_to_one, "a sum with the identity whose rows were never brought back to 1")
def not_normalised(alphas):
    return _product([alpha.mean(0) + _eye(alpha) for alpha in alphas])


@_wrong(rows_sum_to_one, "halves of each map with the whole identity added: rows that sum to 1.5")
def whole_identity(alphas):
    return _product([0.5 * alpha.mean(0) + _eye(alpha) for alpha in alphas])


@_wrong(only_the_mean_of_the_heads_counts, "the first head only")
def first_head_only(alphas):
    return _product([_mixed(alpha[:1]) for alpha in alphas])


@_wrong(only_the_mean_of_the_heads_counts, "the last head only")
def last_head_only(alphas):
    return _product([_mixed(alpha[-1:]) for alpha in alphas])


@_wrong(one_layer_is_half_attention_half_identity, "the largest weight over the heads instead of their mean")
def largest_head(alphas):
    mixed = [alpha.amax(0) + _eye(alpha) for alpha in alphas]
    return _product([layer / layer.sum(-1, keepdim=True) for layer in mixed])


@_wrong(one_layer_is_half_attention_half_identity, "the smallest weight over the heads instead of their mean")
def smallest_head(alphas):
    mixed = [alpha.amin(0) + _eye(alpha) for alpha in alphas]
    return _product([layer / layer.sum(-1, keepdim=True) for layer in mixed])


@_wrong(one_layer_is_half_attention_half_identity, "the sum of the heads instead of their mean, so that the identity gets less than a half")
def sum_of_heads(alphas):
    mixed = [alpha.sum(0) + _eye(alpha) for alpha in alphas]
    return _product([layer / layer.sum(-1, keepdim=True) for layer in mixed])


@_wrong(only_the_mean_of_the_heads_counts, "a rollout of each head by itself, with the mean taken at the end")
def heads_rolled_out_apart(alphas):
    heads = [_product([_mixed(alpha[h:h + 1]) for alpha in alphas]) for h in range(alphas[0].shape[0])]
    return torch.stack(heads).mean(0)


@_wrong(an_idle_layer_changes_nothing, "the mean of the layers instead of their product")
def layers_averaged(alphas):
    return torch.stack([_mixed(alpha) for alpha in alphas]).mean(0)


@_wrong(rows_sum_to_one, "the layers multiplied entry by entry instead of as matrices")
def entry_by_entry(alphas):
    return functools.reduce(torch.mul, [_mixed(alpha) for alpha in alphas])


@_wrong(two_layers_by_hand, "the layers multiplied entry by entry, with rows made to sum to 1 at the end")
def entry_by_entry_normalised(alphas):
    product = functools.reduce(torch.mul, [_mixed(alpha) for alpha in alphas])
    return product / product.sum(-1, keepdim=True)


@_wrong(deep_layers_act_on_what_earlier_ones_made, "the last layer only")
def last_layer_only(alphas):
    return _mixed(alphas[-1])


@_wrong(deep_layers_act_on_what_earlier_ones_made, "the first layer only")
def first_layer_only(alphas):
    return _mixed(alphas[0])


@_wrong(one_layer_is_half_attention_half_identity, "a product that leaves the first layer out")
def first_layer_left_out(alphas):
    return _product([_eye(alphas[0]), *(_mixed(alpha) for alpha in alphas[1:])])


@_wrong(one_layer_is_half_attention_half_identity, "a product that leaves the last layer out")
def last_layer_left_out(alphas):
    return _product([_eye(alphas[0]), *(_mixed(alpha) for alpha in alphas[:-1])])


@_wrong(one_layer_is_half_attention_half_identity, "a product in which the first layer counts twice")
def first_layer_twice(alphas):
    return _product([_mixed(alphas[0]), *(_mixed(alpha) for alpha in alphas)])


@_wrong(one_layer_is_half_attention_half_identity, "a product that begins with a bare map: the identity is missing in the first layer")
def first_map_bare(alphas):
    return _product([alphas[0].mean(0), *(_mixed(alpha) for alpha in alphas[1:])])


@_wrong(deep_layers_act_on_what_earlier_ones_made, "the identity mixed in once, at the end, instead of in each layer")
def identity_once_at_the_end(alphas):
    return 0.5 * _product([alpha.mean(0) for alpha in alphas]) + 0.5 * _eye(alphas[0])


@_wrong(deep_layers_act_on_what_earlier_ones_made, "the identity, not what came before, mixed in at each layer (half A R and half I)")
def back_to_the_start_each_time(alphas):
    rollout = _eye(alphas[0])
    for alpha in alphas:
        rollout = 0.5 * alpha.mean(0) @ rollout + 0.5 * _eye(alpha)
    return rollout


@_wrong(one_layer_is_half_attention_half_identity, "nine tenths of identity instead of a half")
def too_much_identity(alphas):
    return _product([_mixed(alpha, 0.9) for alpha in alphas])


@_wrong(one_layer_is_half_attention_half_identity, "ones added everywhere instead of on the diagonal only")
def ones_for_the_identity(alphas):
    mixed = [alpha.mean(0) + torch.ones_like(alpha[0]) for alpha in alphas]
    return _product([layer / layer.sum(-1, keepdim=True) for layer in mixed])


@_wrong(rows_sum_to_one, "the transpose of the rollout: rows and columns exchanged")
def transposed(alphas):
    return _product([_mixed(alpha) for alpha in alphas]).mT.contiguous()


@_wrong(rows_sum_to_one, "maps with rows and columns exchanged")
def maps_transposed(alphas):
    return _product([_mixed(alpha.mT) for alpha in alphas])


@_wrong(one_layer_is_half_attention_half_identity, "a softmax taken over weights that already were weights")
def softmax_again(alphas):
    return _product([_mixed(torch.softmax(alpha, -1)) for alpha in alphas])


@_wrong(one_layer_is_half_attention_half_identity, "one rollout a head (H x N x N) instead of one in all")
def one_a_head(alphas):
    return functools.reduce(lambda earlier, layer: layer @ earlier, [0.5 * alpha + 0.5 * _eye(alpha) for alpha in alphas])


@_wrong(one_layer_is_half_attention_half_identity, "the row of the class token only")
def first_row_only(alphas):
    return _product([_mixed(alpha) for alpha in alphas])[0]


@_wrong(only_the_mean_of_the_heads_counts, "the geometric mean of the heads, through the logarithms of the weights")
def geometric_mean(alphas):
    mixed = [alpha.log().mean(0).exp() + _eye(alpha) for alpha in alphas]
    return _product([layer / layer.sum(-1, keepdim=True) for layer in mixed])


@_wrong(the_maps_stay_as_they_were, "maps that are overwritten with their sum with the identity")
def in_place(alphas):
    rollout = _eye(alphas[0])
    for alpha in alphas:
        alpha += _eye(alpha)
        rollout = alpha.mean(0) / 2 @ rollout
    return rollout


@_wrong(the_maps_stay_as_they_were, "a list that is emptied on the way")
def list_emptied(alphas):
    rollout = _eye(alphas[0])
    while alphas:
        rollout = _mixed(alphas.pop(0)) @ rollout
    return rollout


@_wrong(agrees_with_the_reference, "the first six layers only")
def six_layers(alphas):
    return _product([_mixed(alpha) for alpha in alphas[:6]])


@_wrong(agrees_where_weights_are_zero, "a mean over those heads only that give a token some weight")
def heads_that_look_only(alphas):
    means = [alpha.sum(0) / (alpha > 0).sum(0).clamp(min=1) for alpha in alphas]
    mixed = [mean + _eye(mean) for mean in means]
    return _product([layer / layer.sum(-1, keepdim=True) for layer in mixed])
