"""Public half of the exercise `DecoderLayer`."""

import torch
import torch.nn as nn
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.strategies import fillers, permutations, sizes
from autograder.student import floats


def parameters(D, H):
    attention = {f"{name}_attention.{part}": shape for name in ("self", "cross")
                 for part, shape in (("in_proj_weight", (3 * D, D)), ("in_proj_bias", (3 * D,)), ("out_proj.weight", (D, D)), ("out_proj.bias", (D,)))}
    norms = {f"norm{i}.{name}": (D,) for i in (1, 2, 3) for name in ("weight", "bias")}
    return {**attention, **norms, "mlp.0.weight": (4 * D, D), "mlp.0.bias": (4 * D,), "mlp.2.weight": (D, 4 * D), "mlp.2.bias": (D,)}


def returns(layer, X, memory, mask=None):
    return {"Y": floats(*X.shape)}


exercise = Exercise(__name__, title="The decoder's layer", parameters=parameters, returns={"forward": returns},
                    aliases=((r"^self_attention\.", "self_attn."), (r"^cross_attention\.", "multihead_attn."), (r"^cross_attention\.", "cross_attn."),
                             (r"^mlp\.0\.", "linear1."), (r"^mlp\.2\.", "linear2.")),
                    forbids=("torch.nn.TransformerEncoderLayer", "torch.nn.TransformerEncoder", "torch.nn.TransformerDecoderLayer",
                             "torch.nn.TransformerDecoder", "torch.nn.Transformer"))

TORCH_NAMES = {"self_attention.": "self_attn.", "cross_attention.": "multihead_attn.", "mlp.0.": "linear1.", "mlp.2.": "linear2."}


def torch_layer(layer):
    """torch's own layer with the weights of `layer`."""
    twin = nn.TransformerDecoderLayer(layer.D, layer.H, 4 * layer.D, dropout=0.0, batch_first=True, norm_first=True, dtype=torch.float64)
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
    batch, N, M, (D, H), weights, filler = drawn
    X, memory = filler((*batch, N, D), (*batch, M, D))
    return (D, H), weights, X, memory


# constructor's arguments, a filler for the weights, N tokens and M tokens of memory in batches; a single sequence has a check of its own
widths = st.sampled_from([(4, 2), (6, 3), (4, 1), (8, 2)])
batches = st.sampled_from([(1,), (2,), (3,)])
tokens = st.tuples(batches, sizes(1, 5), sizes(1, 4), widths, fillers(), fillers(("normal", "uniform"))).map(_fill)
several = st.tuples(batches, sizes(2, 5), sizes(2, 4), widths, fillers(("normal", "uniform")), fillers(("normal", "uniform"))).map(_fill)


def causal(N):
    return torch.ones(N, N, dtype=torch.bool).tril()


@exercise.check(points=1.5, examples=12,
                hint="Take one token and one token of memory, so that no attention has anything to choose, and follow the token through "
                     "its three stations. After which of the three sums does your value leave torch's?")
@given(tokens)
def agrees_with_torch(student, case):
    """The layer agrees with torch's own decoder layer (norm_first=True) with the same weights."""
    (D, H), weights, X, memory = case
    layer = student.build(D, H).fill(weights)
    assert_close(layer(X, memory), torch_layer(layer)(X, memory), what="Y")


@exercise.check(points=1, examples=12,
                hint="Under the causal mask the first output must not move when the second token does. Which of the two attentions does "
                     "the mask belong to, and what does True mean to nn.MultiheadAttention?")
@given(several, fillers(("normal",)))
def no_token_hears_of_later_ones(student, case, filler):
    """Under the causal mask, later tokens can be replaced by noise without changing the outputs before them."""
    (D, H), weights, X, memory = case
    layer, N = student.build(D, H).fill(weights), X.shape[-2]
    noise, = filler(tuple(X.shape))
    before = layer(X, memory, mask=causal(N))
    assert_works(before, X)
    other = torch.cat([X[..., :1, :], 3 * noise[..., 1:, :]], -2)
    after = layer(other, memory, mask=causal(N))
    assert_close(after[..., 0, :], before[..., 0, :], what="the output of the first token after the later ones were replaced")


@st.composite
def with_memory_order(draw):
    """A case of `several` with a new order for the memory."""
    case = draw(several)
    return *case, draw(permutations(case[3].shape[-2]))


@exercise.check(points=1, examples=12,
                hint="The memory is the whole source, all of it known. Does the causal mask reach your cross-attention? It would hide the "
                     "end of the source from the first tokens, and does not fit a memory that is longer or shorter than X.")
@given(with_memory_order())
def the_whole_memory_is_open_to_every_token(student, case):
    """Under the causal mask too, a new order of the memory changes nothing, and another memory changes every output."""
    (D, H), weights, X, memory, order = case
    layer, mask = student.build(D, H).fill(weights), causal(X.shape[-2])
    Y = layer(X, memory, mask=mask)
    assert_works(Y, X)
    moved = (layer(X, -memory, mask=mask) - Y).abs().amax(-1)
    assert_true((moved > 1e-6).all(), "a token's output does not change when the memory does", what="Y after the memory changed its sign")
    assert_close(layer(X, memory[..., order, :].contiguous(), mask=mask), Y, what="Y after the memory was put in another order")


@exercise.check(points=0.5, examples=8,
                hint="Add 1 to all features of every token: a LayerNorm does not notice, the residual connections do. What should be left "
                     "of the 1 at the end?",
                kept="finds a residual connection that is missing or carries the wrong thing, where torch's layer only says that some "
                     "number is off")
@given(tokens)
def what_layernorm_removes_runs_past_it(student, case):
    """A constant added to all features of a token comes out again unchanged."""
    (D, H), weights, X, memory = case
    layer = student.build(D, H).fill(weights)
    Y = layer(X, memory)
    assert_works(Y, X)
    constants = torch.arange(1.0, X.shape[-2] + 1, dtype=torch.float64)[:, None]
    assert_close(layer(X + constants, memory), Y + constants, what="Y after a constant was added to each token")


@st.composite
def with_order(draw):
    """A case of `several` with a new order for the tokens."""
    case = draw(several)
    return *case, draw(permutations(case[2].shape[-2]))


@exercise.check(points=0.5, examples=8,
                hint="No mask means none: the layer is causal only when it is told to be. Does your code build a mask of its own?",
                kept="tells a mask that nobody asked for from the many other ways of disagreeing with torch's layer")
@given(with_order())
def no_mask_means_none(student, case):
    """Without a mask, tokens in another order give the same outputs in that order."""
    (D, H), weights, X, memory, order = case
    layer = student.build(D, H).fill(weights)
    Y = layer(X, memory)
    assert_works(Y, X)
    assert_close(layer(X[..., order, :].contiguous(), memory), Y[..., order, :], what="Y of the reordered tokens")


@exercise.check(points=0.5, examples=8,
                hint="X and the memory may also be N x D and M x D, one sequence without a batch. Does your code read a batch size from X, "
                     "or repeat the mask for the heads of a batch that is not there?")
@given(several)
def a_single_sequence_is_a_batch_of_one(student, case):
    """A single sequence, N x D, gives what a batch of one gives, without a mask and with one, N x N or 1 x N."""
    (D, H), weights, X, memory = case
    layer = student.build(D, H).fill(weights)
    for options in ({}, {"mask": causal(X.shape[1])}, {"mask": causal(X.shape[1])[-2:-1].clone()}):
        batch = layer(X[:1].contiguous(), memory[:1].contiguous(), **options)
        assert_works(batch, X[:1])
        assert_close(layer(X[0].contiguous(), memory[0].contiguous(), **options), batch[0], what="Y of a single sequence, against a batch of one,")


in_batches = st.tuples(st.sampled_from([(2,), (3,)]), sizes(2, 5), sizes(2, 4), widths, fillers(), fillers(("normal", "uniform"))).map(_fill)


@exercise.check(points=0.5, examples=8,
                hint="If the message says that an input was changed, which line writes into it? `X += ...` does: the caller's tensor and yours are "
                     "the same one. If not, the checks above say more.")
@given(in_batches)
def the_inputs_stay_as_they_were(student, case):
    """Tokens, memory and mask are unchanged afterwards."""
    (D, H), weights, X, memory = case
    layer, mask = student.build(D, H).fill(weights), causal(X.shape[-2])
    X_after, memory_after, mask_after = layer.arguments_after(X, memory, mask)
    assert_close(X_after, X, what="X after the call")
    assert_close(memory_after, memory, what="the memory after the call")
    assert_close(mask_after.double(), mask.double(), what="the mask after the call")
    Y = layer(X, memory, mask=mask)
    assert_works(Y, X)
    assert_close(layer(X[:1].contiguous(), memory[:1].contiguous(), mask=mask), Y[:1], what="Y of the first sequence without the others")
