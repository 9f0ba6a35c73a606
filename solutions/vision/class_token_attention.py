"""Staff half of the exercise `class_token_attention`: reference, alternates, misconceptions, hidden checks."""

import torch
import torch.nn as nn
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close
from autograder.exercises.vision.class_token_attention import (FILLERS, SIDE, a_shift_of_all_tokens_changes_nothing, a_single_layer_by_hand,
                                                               each_image_for_itself, equal_tokens_get_equal_attention, exercise,
                                                               only_the_last_layer_is_looked_at, the_images_stay_as_they_were)
from autograder.strategies import sizes
from autograder.student import Given


@exercise.solution
def class_token_attention(model, images):
    """How much attention the class token pays to each patch in the last layer.

    model: has `tokens(images)`, which gives B x N x D with the class token in row 0, and `layers`, at least one EncoderLayer,
    the first one first (a TinyViT, for example).
    images: float64 tensor B x S x S.
    Returns a tensor B x (N - 1): for each image the weights, in the attention of the last layer, of the class token as the query
    and each patch as the key, averaged over the heads. That attention acts on the normalised tokens (`norm1`). The class
    token's weight for itself is left out, so that each row sums to less than 1.
    """
    X = model.tokens(images)
    *earlier, last = model.layers
    for layer in earlier:
        X = layer(X)
    Z = last.norm1(X)
    _, alpha = last.attention(Z, Z, Z, average_attn_weights=True)  # B x N x N
    return alpha[:, 0, 1:]


exercise.equivalent('_, alpha = last.attention(Z, Z, Z, average_attn_weights=True) -> _, alpha = last.attention(Z, Z, Z)',
                    because="torch averages over the heads unless it is told not to")


@st.composite
def _any_model(draw):
    D, H = draw(st.sampled_from([(2, 1), (4, 1), (4, 2), (4, 4), (6, 3)]))
    model = Given("StandIn", D, H, draw(sizes(1, 3)), draw(sizes(2, 5)), SIDE, shift=draw(st.sampled_from([0.0, 0.5]))).fill(draw(FILLERS))
    return model, draw(FILLERS)((draw(sizes(1, 3)), SIDE, SIDE))[0]


@exercise.hidden_check(points=2, hint="Build a stand-in with two layers and two heads, and follow one image by hand: its tokens, the first layer, the "
                                      "second one's norm1, its attention.",
                       kept="several layers and heads together, a single image and a single patch, on models seeded from the course's "
                            "secret")
@given(_any_model())
def agrees_with_the_reference(student, case):
    """Agrees with the reference for one to three layers, with one and with several heads and images."""
    assert_close(student(*case), class_token_attention(*case), what="the attention")


@exercise.alternate
def with_average_afterwards(model, images):
    with torch.no_grad():
        X = nn.Sequential(*model.layers[:-1])(model.tokens(images))
        Z = model.layers[-1].norm1(X)
        alpha = model.layers[-1].attention(Z, Z, Z, need_weights=True, average_attn_weights=False)[1]
    return alpha[:, :, 0, 1:].mean(1)


@exercise.alternate
def with_a_hook(model, images):
    seen = {}
    last = model.layers[-1]
    handle = last.attention.register_forward_hook(lambda module, inputs, output: seen.update(Z=inputs[0]))
    model(images)
    handle.remove()
    return last.attention(seen["Z"], seen["Z"], seen["Z"])[1][:, 0, 1:].detach()


@exercise.alternate
def class_token_as_the_only_query(model, images):
    X = model.tokens(images)
    for layer in list(model.layers)[:-1]:
        X = layer(X)
    last = list(model.layers)[-1]
    Z = last.norm1(X)
    return last.attention(Z[:, :1], Z, Z)[1][:, 0, 1:]


@exercise.alternate
def from_the_projections(model, images):
    X = model.tokens(images)
    for i, layer in enumerate(model.layers):
        if i == len(model.layers) - 1:
            break
        X = layer(X)
    Z = layer.norm1(X)
    H = layer.attention.num_heads
    Q, K, _ = (Z @ layer.attention.in_proj_weight.T + layer.attention.in_proj_bias).chunk(3, -1)
    Q, K = (M.unflatten(-1, (H, -1)).transpose(1, 2) for M in (Q, K))
    alpha = torch.softmax(Q @ K.mT * Q.shape[-1] ** -0.5, -1)
    return alpha.mean(1)[:, 0, 1:].contiguous()


@exercise.alternate
def image_by_image(model, images):
    rows = []
    for image in images:
        X = model.tokens(image[None])
        for layer in model.layers:
            Z = layer.norm1(X)
            alpha = layer.attention(Z, Z, Z)[1]
            X = layer(X)
        rows.append(alpha[0, 0, 1:])
    return torch.stack(rows).float()


def _last_input(model, images, layers=None):
    """The tokens as they reach the last layer, and that layer."""
    layers = list(model.layers) if layers is None else layers
    X = model.tokens(images)
    for layer in layers[:-1]:
        X = layer(X)
    return X, layers[-1]


def _maps(layer, Z, average=True):
    return layer.attention(Z, Z, Z, average_attn_weights=average)[1]


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


@_wrong(a_shift_of_all_tokens_changes_nothing, "attention over tokens that did not go through the layer's norm1")
def without_the_norm(model, images):
    X, last = _last_input(model, images)
    return _maps(last, X)[:, 0, 1:]


@_wrong(a_single_layer_by_hand, "the layer's norm2 in place of its norm1")
def second_norm(model, images):
    X, last = _last_input(model, images)
    return _maps(last, last.norm2(X))[:, 0, 1:]


@_wrong(a_single_layer_by_hand, "the model's final norm in place of the layer's norm1")
def final_norm(model, images):
    X, last = _last_input(model, images)
    return _maps(last, model.norm(X))[:, 0, 1:]


@_wrong(a_single_layer_by_hand, "queries that were normalised and keys that were not")
def keys_not_normalised(model, images):
    X, last = _last_input(model, images)
    return last.attention(last.norm1(X), X, X)[1][:, 0, 1:]


@_wrong(a_single_layer_by_hand, "tokens that went through the last layer before its attention was asked")
def after_the_last_layer(model, images):
    X, last = _last_input(model, images)
    return _maps(last, last.norm1(last(X)))[:, 0, 1:]


@_wrong(only_the_last_layer_is_looked_at, "the first layer instead of the last")
def first_layer(model, images):
    first = list(model.layers)[0]
    return _maps(first, first.norm1(model.tokens(images)))[:, 0, 1:]


@_wrong(only_the_last_layer_is_looked_at, "the last layer's attention over the tokens as they are at the start, before any layer")
def last_layer_at_the_start(model, images):
    last = list(model.layers)[-1]
    return _maps(last, last.norm1(model.tokens(images)))[:, 0, 1:]


@_wrong(only_the_last_layer_is_looked_at, "the mean over all layers instead of the last one")
def mean_of_layers(model, images):
    X, maps = model.tokens(images), []
    for layer in model.layers:
        maps.append(_maps(layer, layer.norm1(X)))
        X = layer(X)
    return torch.stack(maps).mean(0)[:, 0, 1:]


@_wrong(only_the_last_layer_is_looked_at, "a rollout over all layers instead of the last one's attention")
def rollout(model, images):
    X, product = model.tokens(images), None
    for layer in model.layers:
        alpha = _maps(layer, layer.norm1(X))
        product = alpha if product is None else alpha @ product
        X = layer(X)
    return product[:, 0, 1:]


@_wrong(only_the_last_layer_is_looked_at, "layers taken in the opposite order")
def layers_reversed(model, images):
    X, last = _last_input(model, images, list(model.layers)[::-1])
    return _maps(last, last.norm1(X))[:, 0, 1:]


@_wrong(a_single_layer_by_hand, "the column of the class token: how much each patch attends to it")
def column_for_row(model, images):
    X, last = _last_input(model, images)
    return _maps(last, last.norm1(X))[:, 1:, 0]


@_wrong(a_single_layer_by_hand, "the weights for the first N - 1 tokens, the class token among them and the last patch left out")
def last_patch_left_out(model, images):
    X, last = _last_input(model, images)
    return _maps(last, last.norm1(X))[:, 0, :-1]


@_wrong(equal_tokens_get_equal_attention, "all N weights, the class token's own included")
def own_weight_included(model, images):
    X, last = _last_input(model, images)
    return _maps(last, last.norm1(X))[:, 0]


@_wrong(equal_tokens_get_equal_attention, "weights that were divided by their sum, so that each row sums to 1")
def renormalised(model, images):
    X, last = _last_input(model, images)
    alpha = _maps(last, last.norm1(X))[:, 0, 1:]
    return alpha / alpha.sum(-1, keepdim=True)


@_wrong(equal_tokens_get_equal_attention, "weights that leave the class token out as a key from the start")
def class_token_no_key(model, images):
    X, last = _last_input(model, images)
    Z = last.norm1(X)
    return last.attention(Z[:, :1], Z[:, 1:], Z[:, 1:])[1][:, 0]


@_wrong(a_single_layer_by_hand, "the row of the last token as the query")
def last_token_as_query(model, images):
    X, last = _last_input(model, images)
    return _maps(last, last.norm1(X))[:, -1, 1:]


@_wrong(a_single_layer_by_hand, "the row of the first patch as the query")
def first_patch_as_query(model, images):
    X, last = _last_input(model, images)
    return _maps(last, last.norm1(X))[:, 1, 1:]


@_wrong(a_single_layer_by_hand, "the mean over all queries instead of the class token's row")
def mean_of_queries(model, images):
    X, last = _last_input(model, images)
    return _maps(last, last.norm1(X)).mean(1)[:, 1:]


@_wrong(a_single_layer_by_hand, "the first head instead of the mean of the heads")
def first_head(model, images):
    X, last = _last_input(model, images)
    return _maps(last, last.norm1(X), average=False)[:, 0, 0, 1:]


@_wrong(a_single_layer_by_hand, "the largest weight over the heads instead of their mean")
def largest_head(model, images):
    X, last = _last_input(model, images)
    return _maps(last, last.norm1(X), average=False).amax(1)[:, 0, 1:]


@_wrong(equal_tokens_get_equal_attention, "the sum over the heads instead of their mean")
def sum_of_heads(model, images):
    X, last = _last_input(model, images)
    return _maps(last, last.norm1(X), average=False).sum(1)[:, 0, 1:]


@_wrong(equal_tokens_get_equal_attention, "one row a head instead of their mean")
def one_a_head(model, images):
    X, last = _last_input(model, images)
    return _maps(last, last.norm1(X), average=False)[:, :, 0, 1:]


@_wrong(a_single_layer_by_hand, "a single head of full width, scaled by the root of D")
def one_wide_head(model, images):
    X, last = _last_input(model, images)
    Z = last.norm1(X)
    Q, K, _ = (Z @ last.attention.in_proj_weight.T + last.attention.in_proj_bias).chunk(3, -1)
    return torch.softmax(Q @ K.mT / Q.shape[-1] ** 0.5, -1)[:, 0, 1:]


@_wrong(a_single_layer_by_hand, "scores of the normalised tokens themselves, without the layer's queries and keys")
def without_projections(model, images):
    X, last = _last_input(model, images)
    Z = last.norm1(X)
    return torch.softmax(Z @ Z.mT / Z.shape[-1] ** 0.5, -1)[:, 0, 1:]


@_wrong(equal_tokens_get_equal_attention, "the attention's output instead of its weights")
def output_for_weights(model, images):
    X, last = _last_input(model, images)
    Z = last.norm1(X)
    return last.attention(Z, Z, Z)[0][:, 0, 1:]


@_wrong(equal_tokens_get_equal_attention, "one row for the whole batch: the mean over the images")
def mean_of_the_batch(model, images):
    X, last = _last_input(model, images)
    alpha = _maps(last, last.norm1(X))[:, 0, 1:]
    return alpha.mean(0, keepdim=True).expand(alpha.shape).contiguous()


@_wrong(each_image_for_itself, "the first image's row for every image")
def first_image_for_all(model, images):
    X, last = _last_input(model, images)
    alpha = _maps(last, last.norm1(X))[:, 0, 1:]
    return alpha[:1].expand(alpha.shape).contiguous()


@_wrong(each_image_for_itself, "attention across the batch: the images were taken for tokens of one sequence")
def across_the_batch(model, images):
    X, last = _last_input(model, images)
    Z = last.norm1(X)
    flat = Z.flatten(0, 1)[None]
    alpha = last.attention(flat, flat, flat)[1][0].unflatten(1, Z.shape[:2]).unflatten(0, Z.shape[:2])
    return torch.stack([alpha[b, 0, b, 1:] for b in range(len(Z))])


@_wrong(the_images_stay_as_they_were, "a function that leaves its hook on the model")
def hook_left(model, images):
    seen = []
    last = list(model.layers)[-1]
    last.norm1.register_forward_hook(lambda module, inputs, output: seen.append(output))
    _last_input(model, images)[1](_last_input(model, images)[0])
    return _maps(last, seen[-1])[:, 0, 1:]


@_wrong(the_images_stay_as_they_were, "a function that leaves the model in eval mode, though it was given in train mode")
def left_in_eval_mode(model, images):
    X, last = _last_input(model.eval(), images)
    return _maps(last, last.norm1(X))[:, 0, 1:]


@_wrong(the_images_stay_as_they_were, "a function that leaves the model in train mode, though it was given in eval mode")
def left_in_train_mode(model, images):
    X, last = _last_input(model.train(), images)
    return _maps(last, last.norm1(X))[:, 0, 1:]


@_wrong(the_images_stay_as_they_were, "a function that overwrites parameters of the model: its last norm1 does nothing afterwards")
def overwrites_the_norm(model, images):
    X, last = _last_input(model, images)
    alpha = _maps(last, last.norm1(X))[:, 0, 1:]
    nn.init.ones_(last.norm1.weight)
    nn.init.zeros_(last.norm1.bias)
    return alpha


@_wrong(the_images_stay_as_they_were, "a function that switches off the gradients of the model's parameters for good")
def freezes_the_model(model, images):
    X, last = _last_input(model.requires_grad_(False), images)
    return _maps(last, last.norm1(X))[:, 0, 1:]


@_wrong(the_images_stay_as_they_were, "a function that overwrites its images")
def in_place(model, images):
    X, last = _last_input(model, images)
    alpha = _maps(last, last.norm1(X))[:, 0, 1:]
    images.zero_()
    return alpha
