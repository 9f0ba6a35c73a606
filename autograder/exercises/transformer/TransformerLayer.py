"""Public half of the exercise `TransformerLayer`."""

import torch
import torch.nn as nn
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.strategies import fillers, permutations, sizes
from autograder.student import floats


def parameters(D, H, pre_norm=True):
    norms = {f"norm{i}.{name}": (D,) for i in (1, 2) for name in ("weight", "bias")}
    return {"attention.in_proj_weight": (3 * D, D), "attention.in_proj_bias": (3 * D,), "attention.out_proj.weight": (D, D),
            "attention.out_proj.bias": (D,), **norms, "mlp.0.weight": (4 * D, D), "mlp.0.bias": (4 * D,), "mlp.2.weight": (D, 4 * D),
            "mlp.2.bias": (D,)}


def returns(layer, X, mask=None):
    return {"Y": floats(*X.shape)}


exercise = Exercise(__name__, title="The transformer layer", parameters=parameters, returns={"forward": returns},
                    aliases=((r"^attention\.", "self_attn."), (r"^mlp\.0\.", "linear1."), (r"^mlp\.2\.", "linear2.")),
                    forbids=("torch.nn.TransformerEncoderLayer", "torch.nn.TransformerEncoder", "torch.nn.TransformerDecoderLayer",
                             "torch.nn.TransformerDecoder", "torch.nn.Transformer"))

TORCH_NAMES = {"attention.": "self_attn.", "mlp.0.": "linear1.", "mlp.2.": "linear2."}


def torch_layer(layer):
    """torch's own layer with the weights of `layer`."""
    twin = nn.TransformerEncoderLayer(layer.D, layer.H, 4 * layer.D, dropout=0.0, batch_first=True, norm_first=layer.pre_norm,
                                      dtype=torch.float64)
    weights = {}
    for name, value in layer.weights.items():
        for ours, theirs in TORCH_NAMES.items():
            name = name.replace(ours, theirs, 1) if name.startswith(ours) else name
        weights[name] = value
    twin.load_state_dict(weights)
    return twin


def assert_works(Y, X):
    """Fail unless `Y` is more than X handed on, and more than one number repeated."""
    assert_true((Y - X).abs().max() > 1e-3, "the layer hands its input on unchanged", what="Y")
    assert_true(Y.amax() - Y.amin() > 1e-3, "the layer gives one number everywhere", what="Y")


def _fill(drawn):
    batch, N, (D, H), weights, filler = drawn
    X, = filler((*batch, N, D))
    return (D, H), weights, X


# constructor's arguments, a filler for the weights, and tokens B x N x D; a single sequence has a check of its own
widths = st.sampled_from([(4, 2), (6, 3), (4, 1), (8, 2)])
batches = st.sampled_from([(1,), (2,), (3,)])
tokens = st.tuples(batches, sizes(1, 5), widths, fillers(), fillers(("normal", "uniform"))).map(_fill)
several = st.tuples(batches, sizes(2, 5), widths, fillers(), fillers(("normal", "uniform"))).map(_fill)


def _causal_or_random(drawn):
    case, seed = drawn
    X = case[2]
    N = X.shape[-2]
    mask = torch.ones(N, N, dtype=torch.bool).tril()
    if seed % 2:
        generator = torch.Generator().manual_seed(seed)
        mask = (torch.rand((N, N), generator=generator) < 0.5) | torch.eye(N, dtype=torch.bool)
        mask[0, -1] = False
    return *case, mask


masked = st.tuples(several, st.integers(0, 2**16)).map(_causal_or_random)


@exercise.check(points=1, examples=12,
                hint="Take one token, so that attention has nothing to choose, and follow it: normalise, attend, add to what you had; "
                     "normalise, MLP, add to what you had THEN. Which of the two sums is off first?")
@given(tokens)
def the_pre_norm_layer_agrees_with_torch(student, case):
    """With pre_norm=True, the layer agrees with torch's own one with norm_first=True and the same weights."""
    (D, H), weights, X = case
    layer = student.build(D, H).fill(weights)
    assert_close(layer(X), torch_layer(layer)(X), what="Y")


@exercise.check(points=1, examples=12,
                hint="In the older arrangement the sum itself is normalised, after each of the two additions. Is the mean of a token that "
                     "comes out the mean of norm2's bias, where norm2's weights are 1?")
@given(tokens)
def the_post_norm_layer_agrees_with_torch(student, case):
    """With pre_norm=False, the layer agrees with torch's own one with norm_first=False and the same weights."""
    (D, H), weights, X = case
    layer = student.build(D, H, pre_norm=False).fill(weights)
    assert_close(layer(X), torch_layer(layer)(X), what="Y")


@exercise.check(points=0.5, examples=8,
                hint="A LayerNorm does not notice that all features of a token have grown by 1. What runs past the LayerNorms does. Add 1 "
                     "to X: by how much does your output grow, and what should run past?",
                kept="says what a residual connection is for, and its hint tells which one is missing, where torch's layer only gives "
                     "another number")
@given(tokens)
def what_layernorm_removes_runs_past_it(student, case):
    """In a pre-norm layer, a constant added to all features of a token comes out again unchanged."""
    (D, H), weights, X = case
    layer = student.build(D, H).fill(weights)
    Y = layer(X)
    assert_works(Y, X)
    constants = torch.arange(1.0, X.shape[-2] + 1, dtype=torch.float64)[:, None]
    assert_close(layer(X + constants), Y + constants, what="Y after a constant was added to each token")


@st.composite
def with_order(draw):
    """A case of `several` with an arrangement and a new order for the tokens."""
    case = draw(several)
    return *case, draw(st.booleans()), draw(permutations(case[2].shape[-2]))


@exercise.check(points=0.5, examples=8,
                hint="Without a mask, the layer does not know which token comes first. Does your code build a mask of its own, or mix up "
                     "the axes of batch and tokens?",
                kept="the sentence from which the need for positions follows; its hint finds masks that nobody asked for and axes that "
                     "were exchanged")
@given(with_order())
def without_a_mask_order_plays_no_part(student, case):
    """Without a mask, tokens in another order give the same outputs in that order."""
    (D, H), weights, X, pre_norm, order = case
    layer = student.build(D, H, pre_norm=pre_norm).fill(weights)
    Y = layer(X)
    assert_works(Y, X)
    assert_close(layer(X[..., order, :].contiguous()), Y[..., order, :], what="Y of the reordered tokens")


@exercise.check(points=1, examples=12,
                hint="Two tokens and the mask [[True, False], [True, True]]: the first output must not move when the second token does. "
                     "What does True mean to nn.MultiheadAttention, and what does it mean to us?",
                kept="masks that all sequences share: who only mixes up the masks of different sequences keeps these points")
@given(masked, fillers(("normal",)), st.booleans())
def what_is_hidden_changes_nothing(student, case, filler, pre_norm):
    """Under a mask, tokens that a token may not attend to can be replaced by noise without changing its output."""
    (D, H), weights, X, mask = case
    layer = student.build(D, H, pre_norm=pre_norm).fill(weights)
    noise, = filler(tuple(X.shape))
    before = layer(X, mask=mask)
    assert_works(before, X)
    other = torch.where(mask[0, :, None], X, 3 * noise)
    after = layer(other, mask=mask)
    assert_close(after[..., 0, :], before[..., 0, :], what="the output of the first token after those it may not see were replaced")


@st.composite
def padded(draw):
    """Sequences of different lengths, one of them shorter than N, in a batch of two or three."""
    D, H = draw(st.sampled_from([(4, 2), (6, 3), (8, 2)]))
    B, N = draw(st.integers(2, 3)), draw(sizes(2, 5))
    lengths = [draw(st.integers(1, N - 1)), *(draw(st.integers(1, N)) for _ in range(B - 1))]
    X, = draw(fillers(("normal", "uniform")))((B, N, D))
    return (D, H), draw(fillers()), X, draw(st.permutations(lengths)), draw(st.integers(0, B - 1))


@exercise.check(points=1, examples=12,
                hint="Two sequences of lengths 1 and 2 under their padding mask, B x 1 x N. nn.MultiheadAttention wants one N x N mask for "
                     "every head of every sequence: in which order does its documentation count them, heads or batch first?")
@given(padded(), st.booleans())
def padding_is_as_good_as_absent(student, case, pre_norm):
    """Under a padding mask that differs within the batch, a sequence gives what it gives alone, without its padding."""
    (D, H), weights, X, lengths, b = case
    layer = student.build(D, H, pre_norm=pre_norm).fill(weights)
    alone = layer(X[b:b + 1, :lengths[b]].contiguous())
    assert_works(alone, X[b:b + 1, :lengths[b]])
    mask = (torch.arange(X.shape[1]) < torch.tensor(lengths)[:, None])[:, None, :]
    assert_close(layer(X, mask=mask)[b:b + 1, :lengths[b]], alone, what="Y of a padded sequence, where it has tokens")


@st.composite
def with_empty_row(draw):
    """Tokens and a mask that leaves one of them nothing to attend to."""
    case = draw(several)
    N = case[2].shape[-2]
    mask = torch.ones(N, N, dtype=torch.bool)
    row = draw(st.integers(0, N - 1))
    mask[row] = False
    return *case, mask, row


@exercise.check(points=0.5, examples=8,
                hint="A softmax over nothing but -inf is NaN. The rule is in the text above: attention gives such a token zero, before the "
                     "output matrix and its bias. Look at need_weights, or treat such rows yourself.")
@given(with_empty_row())
def a_token_that_sees_nothing_gets_the_bias(student, case):
    """A token that may attend to nothing gets the bias of the output matrix from attention; the others are unaffected."""
    (D, H), weights, X, mask, row = case
    layer = student.build(D, H).fill(weights)
    unmasked, Y = layer(X), layer(X, mask=mask)
    silent = torch_layer(layer)  # with values of zero, attention gives its output bias and nothing else
    with torch.no_grad():
        silent.self_attn.in_proj_weight[2 * D:] = 0.0
        silent.self_attn.in_proj_bias[2 * D:] = 0.0
    assert_close(Y[..., row, :], silent(X)[..., row, :], what="Y of the token that sees nothing")
    others = [n for n in range(X.shape[-2]) if n != row]
    assert_close(Y[..., others, :], unmasked[..., others, :], what="Y of the other tokens")


@exercise.check(points=0.5, examples=8,
                hint="X may also be N x D, one sequence without a batch. Does your code read a batch size from X, or repeat the mask for "
                     "the heads of a batch that is not there?")
@given(several)
def a_single_sequence_is_a_batch_of_one(student, case):
    """A single sequence, N x D, gives what a batch of one gives, without a mask and with one, N x N or 1 x N."""
    (D, H), weights, X = case
    layer, mask = student.build(D, H).fill(weights), torch.ones(X.shape[1], X.shape[1], dtype=torch.bool).tril()
    for options in ({}, {"mask": mask}, {"mask": mask[-2:-1].clone()}):
        batch = layer(X[:1].contiguous(), **options)
        assert_works(batch, X[:1])
        assert_close(layer(X[0].contiguous(), **options), batch[0], what="Y of a single sequence, against a batch of one,")


in_batches = st.tuples(st.sampled_from([(2,), (3,)]), sizes(2, 5), widths, fillers(), fillers(("normal", "uniform"))).map(_fill)


@exercise.check(points=0.5, examples=8,
                hint="If the message says that X or the mask was changed, which line writes into it? `X += ...` and `mask |= ...` do: the caller's "
                     "tensor and yours are the same one. Have a look at a mask with an empty row. If not, the checks above say more.")
@given(in_batches)
def the_inputs_stay_as_they_were(student, case):
    """The tokens and the mask that were passed in are unchanged afterwards."""
    (D, H), weights, X = case
    layer, mask = student.build(D, H).fill(weights), torch.ones(X.shape[1], X.shape[1], dtype=torch.bool).tril()
    emptied = mask & (torch.arange(X.shape[1]) > 0)  # its first row is empty
    for given_ in (mask, emptied, emptied.expand(len(X), -1, -1).contiguous()):
        X_after, mask_after = layer.arguments_after(X, given_)
        assert_close(X_after, X, what="X after the call")
        assert_close(mask_after.double(), given_.double(), what="the mask after the call")
    Y = layer(X, mask=mask)
    assert_works(Y, X)
    assert_close(layer(X[:1].contiguous(), mask=mask), Y[:1], what="Y of the first sequence without the others")
