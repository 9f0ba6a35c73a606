"""Public half of the exercise `weights_from_torch`."""

import math
from functools import lru_cache

import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close
from autograder.exercise import Exercise
from autograder.strategies import fillers, sizes
from autograder.student import floats


def returns(in_proj_weight, out_proj_weight, H):
    D = out_proj_weight.shape[0]
    heads = [floats(D, D // H)] * H
    return {"W_q": heads, "W_k": heads, "W_v": heads, "W_o": floats(D, D)}


exercise = Exercise(__name__, title="Weights out of torch's own layer", returns=returns)


@lru_cache(maxsize=None)
def torch_weights(*, heads=sizes(2, 3), width=sizes(1, 3)):
    """Draws (in_proj_weight of 3D x D, out_proj_weight of D x D, H) with D = H · width."""
    return st.tuples(heads, width, fillers()).map(_fill)


def _fill(drawn):
    H, width, filler = drawn
    W_in, W_out = filler((3 * H * width, H * width), (H * width, H * width))
    return W_in / 2, W_out / 2, H


@exercise.check(points=1, examples=12, hint="With one head, W_q[0] is a whole third of in_proj_weight, put into the form x W. torch multiplies by "
                                            "the transposed matrix: x @ weight.T. Which third is whose?")
@given(torch_weights(heads=st.just(1), width=sizes(1, 5)))
def with_one_head_a_third_each(student, case):
    """With H = 1 the matrices of queries, keys and values are the three thirds of in_proj_weight, turned to multiply from the right."""
    W_in, W_out, H = case
    found = student(*case)
    for name, (W,), third in zip(("W_q", "W_k", "W_v"), found, W_in.chunk(3)):
        assert_close(W, third.mT, what=f"{name}[0]")


@exercise.check(points=1, examples=12, hint="Print W_q[0] for in_proj_weight = torch.arange(48.).reshape(12, 4) and H = 2. torch computes all "
                                            "queries, then gives head 0 the first D/H of the numbers: which rows of in_proj_weight made them?",
                kept="the first step with several heads: only queries count here, so that keys and values in each other's place keep "
                     "this point")
@given(torch_weights())
def a_head_gets_its_share_of_the_queries(student, case):
    """x W_q[h] is the h-th stretch of D/H numbers of torch's query vector."""
    W_in, W_out, H = case
    W_q = student(*case)[0]
    x = torch.eye(W_in.shape[1], dtype=W_in.dtype)
    queries = (x @ W_in[:W_in.shape[1]].mT).chunk(H, -1)
    for h in range(H):
        assert_close(x @ W_q[h], queries[h], what=f"x W_q[{h}]")


@exercise.check(points=0.5, examples=12, hint="out_proj_weight is a torch weight like the others. Does x W_o give what torch gives, x @ "
                                              "out_proj_weight.T?",
                kept="pays for W_o alone: whoever cuts up queries, keys and values wrongly keeps this point")
@given(torch_weights())
def the_output_matrix_multiplies_from_the_right(student, case):
    """x W_o is torch's x @ out_proj_weight.T."""
    W_in, W_out, H = case
    assert_close(student(*case)[3], W_out.mT, what="W_o")


@exercise.check(points=1.5, examples=15, hint="Compare with torch for N = 1 first: there only W_v and W_o count. Then set rows of in_proj_weight to "
                                              "zero, one third after the other, to find the one that goes astray.")
@given(torch_weights(), fillers(("normal", "uniform")))
def attention_is_that_of_torch(student, case, filler):
    """Multi-head attention with these matrices gives what nn.MultiheadAttention gives with its own."""
    W_in, W_out, H = case
    D = W_out.shape[0]
    X, = filler((3, D))
    theirs, _ = F.multi_head_attention_forward(X, X, X, D, H, W_in, None, None, None, False, 0.0, W_out, None, training=False)
    W_q, W_k, W_v, W_o = student(*case)
    heads = [torch.softmax((X @ W_q[h]) @ (X @ W_k[h]).mT / math.sqrt(D // H), -1) @ X @ W_v[h] for h in range(H)]
    assert_close(torch.cat(heads, -1) @ W_o, theirs, what="the output of multi-head attention")


@exercise.check(points=0.5, examples=8, hint="If the message says that a weight was changed: slices and transposed tensors share their memory. Does a "
                                             "line write into one? If not, the checks above say more.")
@given(torch_weights())
def the_inputs_stay_as_they_were(student, case):
    """Both weights that were passed in are unchanged afterwards (and used)."""
    W_in, W_out, H = case
    assert_close(student(*case)[3].sum(), float(W_out.sum()), what="the sum over all entries of W_o")
    after = student.arguments_after(*case)
    for name, tensor, left in zip(("in_proj_weight", "out_proj_weight"), case, after):
        assert_close(left, tensor, what=f"{name} after the call")
