"""Public half of the exercise `MultiHeadAttention`."""

import math
from functools import lru_cache

import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close
from autograder.exercise import Exercise
from autograder.exercises.multihead.split_heads import BATCHES, OTHER_BATCHES
from autograder.properties import assert_attention_weights
from autograder.strategies import fillers, sizes
from autograder.student import floats


def parameters(D, H):
    return {f"{name}.{part}": shape for name in ("W_q", "W_k", "W_v", "W_o") for part, shape in (("weight", (D, D)), ("bias", (D,)))}


def returns(layer, X_q, X_kv, mask=None):
    return {"Y": floats(*X_q.shape), "alpha": floats(*X_q.shape[:-2], layer.H, X_q.shape[-2], X_kv.shape[-2])}


exercise = Exercise(__name__, title="Multi-head attention as a module", parameters=parameters, returns={"forward": returns},
                    forbids=("torch.nn.MultiheadAttention", "torch.nn.functional.multi_head_attention_forward"))


@lru_cache(maxsize=None)
def attending(batch=BATCHES, *, heads=sizes(1, 3), low=1, tokens=4):
    """Draws (D, H, filler, X_q, X_kv): sizes of the module, what fills its parameters, and two sets of tokens."""
    return st.tuples(batch, heads, sizes(1, 3), sizes(low, tokens), sizes(low, tokens), fillers()).map(_fill)


def _fill(drawn):
    batch, H, width, N_q, N_kv, filler = drawn
    return H * width, H, filler, *filler((*batch, N_q, H * width), (*batch, N_kv, H * width))


@lru_cache(maxsize=None)
def masked(batch=BATCHES, *, tokens=4):
    """Draws (D, H, filler, X_q, X_kv, mask): masks of three forms that leave every query a key and forbid something."""
    return st.tuples(attending(batch, low=2, tokens=tokens), st.integers(0, 2**16), st.integers(0, 2)).map(_with_mask)


def _with_mask(drawn):
    (D, H, filler, X_q, X_kv), seed, form = drawn
    generator = torch.Generator().manual_seed(seed)
    batch, N_q, N_kv = X_q.shape[:-2], X_q.shape[-2], X_kv.shape[-2]
    shape = ((*batch, N_q, N_kv), (N_q, N_kv), (*batch, 1, N_kv))[form]
    mask = torch.rand(shape, generator=generator) < 0.5
    mask.scatter_(-1, torch.randint(N_kv, (*shape[:-1], 1), generator=generator), True)
    mask[..., 0, :] = True  # the first query may see all but its last key
    mask[..., 0, -1] = False
    return D, H, filler, X_q, X_kv, mask


def torch_s_own(layer, X_q, X_kv, mask=None):
    """(Y, alpha) of torch's multi-head attention with the weights of `layer`; no query may be without a key."""
    D, H, batch = layer.D, layer.H, X_q.shape[:-2]
    w = layer.weights
    weight, bias = (torch.cat([w[f"W_{name}.{part}"] for name in "qkv"]) for part in ("weight", "bias"))
    queries, memory = (X.reshape(-1, *X.shape[-2:]).transpose(0, 1) for X in (X_q, X_kv))
    if mask is not None:  # torch's masks are True where attending is not allowed, and there is one for each head
        every_head = mask.expand(*batch, X_q.shape[-2], X_kv.shape[-2]).unsqueeze(-3).expand(*batch, H, -1, -1)
        mask = ~every_head.reshape(-1, *every_head.shape[-2:])
    Y, alpha = F.multi_head_attention_forward(queries, memory, memory, D, H, weight, bias, None, None, False, 0.0, w["W_o.weight"], w["W_o.bias"],
                                              training=False, attn_mask=mask, average_attn_weights=False)
    return Y.transpose(0, 1).reshape(X_q.shape), alpha.reshape(*batch, *alpha.shape[-3:])


@exercise.check(points=1, examples=14, hint="With one head nothing is split or merged: apply W_q to X_q, W_k and W_v to X_kv, and W_o at the end. "
                                            "Each is a layer with a bias: call it, self.W_q(X_q). Compare the scores of two tokens by hand.",
                kept="the formula without heads, which can be worked out on paper: whoever splits or merges wrongly keeps this point")
@given(attending(heads=st.just(1)))
def one_head_is_attention_between_linear_maps(student, case):
    """With H = 1, Y is W_o applied to the attention of W_q(X_q) to W_k(X_kv) and W_v(X_kv)."""
    D, H, filler, X_q, X_kv = case
    layer = student.build(D, H).fill(filler)
    w = layer.weights
    Q, K, V = (F.linear(X, w[f"W_{name}.weight"], w[f"W_{name}.bias"]) for name, X in (("q", X_q), ("k", X_kv), ("v", X_kv)))
    alpha_expected = torch.softmax(Q @ K.mT / math.sqrt(D), -1)
    Y, alpha = layer(X_q, X_kv)
    assert_close(alpha[..., 0, :, :], alpha_expected, what="alpha of the only head")
    assert_close(Y, F.linear(alpha_expected @ V, w["W_o.weight"], w["W_o.bias"]), what="Y")


@exercise.check(points=0.5, examples=10, hint="alpha has a map of N_q x N_kv weights for each head, before the heads are merged and not averaged. "
                                              "Add up a row of one of them.",
                kept="pays for alpha alone: a wrong merge, a forgotten W_o and a wrong scale keep this point")
@given(attending(low=2))
def each_head_shares_out_its_own_attention(student, case):
    """alpha holds, for each head, N_q rows of positive weights that sum to 1, and that follow the scores of this head."""
    D, H, filler, X_q, X_kv = case
    layer = student.build(D, H).fill(filler)
    _, alpha = layer(X_q, X_kv)
    assert_attention_weights(alpha, torch_s_own(layer, X_q, X_kv)[1].log())


@exercise.check(points=1, examples=14, hint="Build nn.MultiheadAttention(D, H, batch_first=True), put your weights into in_proj_weight, "
                                            "in_proj_bias and out_proj, and call both on two tokens. Do the weights agree already, or only Y not? "
                                            "Check for H = 2 which columns each head got.",
                kept="several heads without a second sentence and without a mask, against a layer that the student can build: split "
                     "and merge are found out here")
@given(attending(heads=sizes(2, 3)))
def in_itself_it_agrees_with_torch(student, case):
    """Tokens that attend to themselves get what nn.MultiheadAttention gives with the same weights, and alpha is the same head by head."""
    D, H, filler, X, _ = case
    layer = student.build(D, H).fill(filler)
    Y_torch, alpha_torch = torch_s_own(layer, X, X)
    Y, alpha = layer(X, X)
    assert_close(alpha, alpha_torch, what="alpha")
    assert_close(Y, Y_torch, what="Y")


@exercise.check(points=0.5, examples=10, hint="X_q asks, X_kv answers. Change X_kv alone: does Y move? Which of the three linear maps get X_q, and "
                                              "which X_kv?",
                kept="the only one in which several heads look at another sentence, longer or shorter, without a mask: X_q and X_kv "
                     "mixed up lose this and keep self-attention")
@given(attending(heads=sizes(2, 3)))
def across_two_sentences_it_agrees_with_torch(student, case):
    """Tokens X_q that attend to other tokens X_kv, more of them or fewer, get what nn.MultiheadAttention gives."""
    D, H, filler, X_q, X_kv = case
    layer = student.build(D, H).fill(filler)
    Y_torch, alpha_torch = torch_s_own(layer, X_q, X_kv)
    Y, alpha = layer(X_q, X_kv)
    assert_close(alpha, alpha_torch, what="alpha")
    assert_close(Y, Y_torch, what="Y")


@exercise.check(points=1, examples=16, hint="True means that attending is allowed, the opposite of nn.MultiheadAttention. Print the shape of your "
                                            "scores and that of the mask: where does the axis of the heads go, for a mask of N_q x N_kv and for one "
                                            "of B x N_q x N_kv?",
                kept="the plain case of a mask, one batch axis and every form: a forward written for three dimensions keeps this point"
                     " and loses that of the leading ones")
@given(masked())
def a_mask_holds_in_every_head(student, case):
    """Under a mask, one for all sentences or one for each, forbidden pairs get the weight 0 in every head, and the rest sums to 1."""
    D, H, filler, X_q, X_kv, mask = case
    layer = student.build(D, H).fill(filler)
    Y_torch, alpha_torch = torch_s_own(layer, X_q, X_kv, mask)
    Y, alpha = layer(X_q, X_kv, mask=mask)
    assert_close(alpha[alpha_torch == 0], 0.0, what="the weight of a pair that the mask forbids")
    assert_close(alpha, alpha_torch, what="alpha under a mask")
    assert_close(Y, Y_torch, what="Y under a mask")


@st.composite
def padded(draw):
    """As many sentences as heads, each with a length of its own, and the padding mask B x 1 x N of their lengths."""
    B = draw(sizes(2, 3))
    D, H, filler, X, _ = draw(attending(st.just((B,)), heads=st.just(B), low=2))
    N = X.shape[-2]
    lengths = torch.tensor(draw(st.lists(st.integers(1, N), min_size=B - 1, max_size=B - 1)) + [1])
    return D, H, filler, X, (torch.arange(N) < lengths[:, None])[:, None, :]


@exercise.check(points=0.5, examples=10, hint="Take two sentences and two heads, so that no shape can warn you, and hide a token of the second "
                                              "sentence only. Look at alpha[0, 1] and alpha[1, 0]: which of the two has the zeros?",
                kept="has as many sentences as heads, so that no error of shapes warns whoever lets the batch axis of the mask land on"
                     " the heads")
@given(padded())
def each_sentence_has_its_own_mask(student, case):
    """With as many sentences as heads, a padding mask B x 1 x N hides in each sentence its own padding and nothing else."""
    D, H, filler, X, mask = case
    layer = student.build(D, H).fill(filler)
    _, alpha = layer(X, X, mask=mask)
    hidden = ~mask[:, None].expand(alpha.shape)
    assert_close(alpha.sum(-1), 1.0, what="the sum of each row of alpha under a mask")
    assert_close(alpha[hidden], 0.0, what="the weight of padding")
    assert_attention_weights(alpha, torch_s_own(layer, X, X)[1].log().masked_fill(hidden, float("-inf")))


@st.composite
def with_empty_row(draw):
    """Two sets of tokens and a mask that leaves one query, of one sentence or of all, or all queries of one sentence no key at all."""
    D, H, filler, X_q, X_kv = draw(attending(low=2))
    B, N_q = X_q.shape[:2]
    mask = torch.ones(*draw(st.sampled_from([(N_q,), (N_q,), (B, N_q), (B, 1)])), X_kv.shape[1], dtype=torch.bool)
    rows = mask if mask.dim() == 2 else mask[draw(st.integers(0, B - 1))]
    rows[draw(st.integers(0, N_q - 1)) % len(rows)] = False
    return D, H, filler, X_q, X_kv, mask


emptied = with_empty_row()


@exercise.check(points=0.5, examples=16, hint="What does your softmax give for a row of -inf only, and what does W_o make of a row of zeros? The "
                                              "rule is in the text above.")
@given(emptied)
def a_query_that_sees_nothing_gets_the_bias(student, case):
    """A query that may see nothing gets zero weights in every head, so that its output is the bias of W_o; other queries are unaffected."""
    D, H, filler, X_q, X_kv, mask = case
    layer = student.build(D, H).fill(filler)
    Y_before, before = layer(X_q, X_kv)
    Y, alpha = layer(X_q, X_kv, mask=mask)
    empty = ~mask.any(-1).expand(X_q.shape[:-1])
    rows = empty.unsqueeze(-2).expand(alpha.shape[:-1])
    assert_close(alpha[rows], 0.0, what="alpha of a query that sees nothing")
    assert_close(Y[empty], layer.weights["W_o.bias"].expand(Y[empty].shape), what="Y of a query that sees nothing")
    assert_close(alpha[~rows].sum(-1), 1.0, what="the sum of each other row of alpha")
    assert_close(alpha[~rows], before[~rows], what="alpha of the other queries")
    assert_close(Y[~empty], Y_before[~empty], what="Y of the other queries")


@exercise.check(points=0.5, examples=10, hint="Call the layer on X of shape 3 x D, and on one of shape 2 x 2 x 3 x D. Does a line count on three "
                                              "dimensions, or put the axis of the heads at a place counted from the front?")
@given(masked(OTHER_BATCHES, tokens=3))
def any_leading_dimensions_will_do(student, case):
    """A single sentence, or a batch with two dimensions, is treated in the same way, with and without a mask."""
    D, H, filler, X_q, X_kv, mask = case
    layer = student.build(D, H).fill(filler)
    assert_close(layer(X_q, X_kv)[0], torch_s_own(layer, X_q, X_kv)[0], what="Y")
    assert_close(layer(X_q, X_kv, mask=mask)[0], torch_s_own(layer, X_q, X_kv, mask)[0], what="Y under a mask")


@exercise.check(points=0.5, examples=8, hint="If the message says that an input was changed, which line writes into it (`/=`, `+=`, `|=`, masked_fill_, "
                                             "logical_not_)? Have a look at a mask that hides all keys from a query. If not, the checks above say more.")
@given(emptied)
def the_inputs_stay_as_they_were(student, case):
    """X_q, X_kv and the mask that were passed in are unchanged afterwards (and used)."""
    D, H, filler, X_q, X_kv, mask = case
    layer = student.build(D, H).fill(filler)
    after = layer.arguments_after(X_q, X_kv, mask)
    for name, tensor, left in zip(("X_q", "X_kv", "the mask"), (X_q, X_kv, mask), after):
        assert_close(left.to(torch.float64), tensor.to(torch.float64), what=f"{name} after the call")
    assert_attention_weights(layer(X_q, X_kv)[1], torch_s_own(layer, X_q, X_kv)[1].log())
