"""Public half of the exercise `class_token_attention`."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.exercises.vision._given import StandIn
from autograder.properties import assert_model_as_it_was
from autograder.strategies import fillers, sizes
from autograder.student import Given, floats
from autograder.untrusted.modules import fill_parameters


def returns(model, images):
    return {"the attention": floats(images.shape[0], model.args[3] - 1)}


exercise = Exercise(__name__, title="Where the class token looks", returns=returns)

FILLERS = fillers(("normal",))
SIDE = 2  # of the stand-in's images


def _model(D=4, H=2, depth=2, N=3, **more):
    return Given("StandIn", D, H, depth, N, SIDE, **more)


@st.composite
def _cases(draw):
    features, heads = draw(st.sampled_from([(4, 1), (4, 2), (6, 2), (6, 3)]))
    sizes_ = {"D": features, "H": heads, "N": draw(sizes(3, 5))}
    filler = draw(FILLERS)
    images, = draw(FILLERS)((draw(sizes(2, 3)), SIDE, SIDE))
    return sizes_, filler, images


cases = _cases()  # sizes of a stand-in (but for its depth), what fills it, and images


def _assert_plausible(attention):
    assert_true((attention > 0).all(), "a weight of the class token is 0, negative or not a number", what="the attention")
    assert_true((attention.sum(-1) < 1).all(), "the weights of the patches alone sum to 1 or more, so nothing is left for the class token itself",
                what="the attention")
    assert_true((attention[0] - attention[1]).abs().max() > 1e-6, "two different images get the same weights", what="the attention")


@exercise.check(points=1, examples=8, hint="On a black image all tokens of the stand-in are equal. How much attention does the class token then pay to "
                                           "each of N tokens, itself among them? Print a row of yours and its sum.",
                kept="1/N can be foretold without any model: finds weights that were divided, summed or left out once too often")
@given(cases)
def equal_tokens_get_equal_attention(student, case):
    """Rows are positive and sum to less than 1, and where all N tokens are equal each patch gets 1/N."""
    sizes_, filler, images = case
    model = _model(**sizes_).fill(filler)
    _assert_plausible(student(model, images))
    mixed = torch.cat([images[:1], 0 * images[:1]])
    assert_close(student(model, mixed)[1], 1 / sizes_["N"], what="the attention on a black image")


def one_layer_by_hand(sizes_, filler, images):
    """The attention of the class token in a stand-in with a single layer, from the queries and keys of each head."""
    model = fill_parameters(StandIn(sizes_["D"], sizes_["H"], 1, sizes_["N"], SIDE), filler.seed, filler.kind)
    layer, d = model.layers[0], sizes_["D"] // sizes_["H"]
    with torch.no_grad():
        Z = layer.norm1(model.tokens(images))
        W_q, W_k, _ = layer.attention.in_proj_weight.chunk(3)
        b_q, b_k, _ = layer.attention.in_proj_bias.chunk(3)
        heads = []
        for h in range(sizes_["H"]):
            mine = slice(h * d, (h + 1) * d)
            q, K = Z[:, :1] @ W_q[mine].T + b_q[mine], Z @ W_k[mine].T + b_k[mine]
            heads.append(torch.softmax((q @ K.mT)[:, 0] / d ** 0.5, -1))
    return torch.stack(heads).mean(0)[:, 1:]


@exercise.check(points=1.5, examples=10, hint="Make a stand-in with one layer and look at what goes into its attention in EncoderLayer.forward: is "
                                              "that what goes in at yours? Then print the whole N x N map: which row is the class token's, and which "
                                              "column do you leave out?")
@given(cases)
def a_single_layer_by_hand(student, case):
    """With one layer, row b is the mean over the heads of the class token's weights in image b, its weight for itself left out."""
    sizes_, filler, images = case
    expected = one_layer_by_hand(sizes_, filler, images)
    assert_close(student(_model(depth=1, **sizes_).fill(filler), images), expected, what="the attention in a single layer")


@exercise.check(points=1, examples=8, hint="Of several layers it is the last one's attention that is asked for, at what reaches it from the layer "
                                           "before. Print the layer that your attention comes from, and count how many layers your tokens have been "
                                           "through by then.")
@given(cases, st.integers(2, 3))
def only_the_last_layer_is_looked_at(student, case, depth):
    """It is the same whether the first layers stand in `layers` or work inside `tokens`: they only prepare the last one's input."""
    sizes_, filler, images = case
    inside = student(_model(depth=depth, inside=depth - 1, **sizes_).fill(filler), images)
    _assert_plausible(inside)
    assert_close(student(_model(depth=depth, **sizes_).fill(filler), images), inside,
                 what=f"the attention with {depth} layers, against the same with all but the last inside `tokens`,")


@exercise.check(points=0.5, examples=8, hint="Add 3 to every entry of every token: a LayerNorm takes it away again. Does yours come before the attention?",
                kept="one question, whether norm1 comes first, whose answer hangs on no weight of the model")
@given(cases, st.sampled_from([3.0, -2.0, 1.0]))
def a_shift_of_all_tokens_changes_nothing(student, case, shift):
    """With one layer, the same number added to all entries of all tokens changes nothing: the layer's LayerNorm comes first."""
    sizes_, filler, images = case
    before = student(_model(depth=1, **sizes_).fill(filler), images)
    _assert_plausible(before)
    assert_close(student(_model(depth=1, shift=shift, **sizes_).fill(filler), images), before, what="the attention after all tokens were shifted")


@exercise.check(points=0.5, examples=8, hint="Call it on two images together, then on the second one alone. What do you do with the batch axis?",
                kept="finds a batch axis that was taken for something else from the answers alone, where no number has to be expected")
@given(cases)
def each_image_for_itself(student, case):
    """Row b depends on image b alone, whatever else is in the batch."""
    sizes_, filler, images = case
    model = _model(**sizes_).fill(filler)
    together = student(model, images)
    _assert_plausible(together)
    assert_close(student(model, images[-1:].clone()), together[-1:], what="the row of the last image by itself")


@exercise.check(points=0.5, examples=5, hint="If the message says that the images or the model were changed: compare both before and after a call, the "
                                           "parameters, the mode (train or eval), the layers and their hooks. If not, the checks above say more.")
@given(cases)
def the_images_stay_as_they_were(student, case):
    """The images and the model that were passed in are unchanged afterwards, and looked at."""
    sizes_, filler, images = case
    model = _model(**sizes_).fill(filler)
    for given_ in (model, model.training()):
        model_after, images_after = student.arguments_after(given_, images)
        assert_close(images_after, images, what="each image after the call")
        assert_model_as_it_was(model_after, student.condition(given_))
    _assert_plausible(student(model, images))
