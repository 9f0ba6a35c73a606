"""Staff half of the exercise `weights_from_torch`: reference, alternates, misconceptions, hidden checks."""

import math

import torch
from hypothesis import given

from autograder.compare import assert_close
from autograder.exercises.multihead.weights_from_torch import (a_head_gets_its_share_of_the_queries, attention_is_that_of_torch, exercise,
                                                               the_inputs_stay_as_they_were, the_output_matrix_multiplies_from_the_right,
                                                               torch_weights, with_one_head_a_third_each)
from autograder.strategies import sizes


@exercise.solution
def weights_from_torch(in_proj_weight, out_proj_weight, H):
    """The matrices of multi_head_attention out of those of nn.MultiheadAttention(D, H, bias=False), so that both compute the same.

    in_proj_weight: float64 tensor 3D x D, the rows for the queries above those for the keys above those for the values; torch computes x @ weight.T.
    out_proj_weight: D x D, used in the same way. H: the number of heads, an int that divides D.
    Returns (W_q, W_k, W_v, W_o): three lists of H matrices D x D/H and one matrix D x D, all of which multiply from the right (x @ W).
    """
    matrices = [weight.mT.chunk(H, dim=-1) for weight in in_proj_weight.chunk(3)]
    W_q, W_k, W_v = ([W.clone() for W in parts] for parts in matrices)
    return W_q, W_k, W_v, out_proj_weight.mT.clone()


exercise.equivalent("matrices = [weight.mT.chunk(H, dim=-1) for weight in in_proj_weight.chunk(3)] "
                    "-> matrices = [weight.mT.chunk(H, dim=1) for weight in in_proj_weight.chunk(3)]",
                    because="a matrix has two axes: the last one is axis 1")
exercise.equivalent("W_q, W_k, W_v = ([W.clone() for W in parts] for parts in matrices) "
                    "-> W_q, W_k, W_v = ([W for W in parts] for parts in matrices)",
                    because="a view holds the values of its copy, and copies are not asked for")
exercise.equivalent("return (W_q, W_k, W_v, out_proj_weight.mT.clone()) -> return (W_q, W_k, W_v, out_proj_weight.mT)",
                    because="a view holds the values of its copy, and copies are not asked for")


@exercise.hidden_check(points=1.5, examples=20, hint="Fill in_proj_weight with 0, 1, 2, … and follow a single number of each third to the matrix "
                                                     "and the place where it must end up.",
                       kept="the only one that looks at each matrix of each head; through the attention of the public check two "
                            "mistakes could hide each other")
@given(torch_weights(heads=sizes(1, 4), width=sizes(1, 4)))
def every_matrix_is_right(student, case):
    """Every matrix of every head is that of the reference, with up to four heads."""
    found, expected = student(*case), weights_from_torch(*case)
    for name, mine, theirs in zip(("W_q", "W_k", "W_v"), found, expected):
        for h in range(case[2]):
            assert_close(mine[h], theirs[h], what=f"{name}[{h}]")
    assert_close(found[3], expected[3], what="W_o")
    cotangents = (None, None, None, torch.eye(len(expected[3]), dtype=torch.float64))
    got = student.vjp(cotangents, *case)
    if got is not None:
        assert_close(got[1], weights_from_torch.vjp(cotangents, *case)[1], what="the gradient of W_o with respect to out_proj_weight")


@exercise.alternate
def rows_then_transposed(in_proj_weight, out_proj_weight, H):
    D = in_proj_weight.shape[1]
    w = D // H
    W = [[in_proj_weight[i * D + h * w:i * D + (h + 1) * w].T for h in range(H)] for i in range(3)]
    return W[0], W[1], W[2], out_proj_weight.T


@exercise.alternate
def tuples_of_views(in_proj_weight, out_proj_weight, H):
    D = out_proj_weight.shape[0]
    q, k, v = in_proj_weight.split(D)
    return (*(tuple(m.t().split(D // H, 1)) for m in (q, k, v)), out_proj_weight.t())


@exercise.alternate
def stacked_in_one_tensor(in_proj_weight, out_proj_weight, H):
    D = in_proj_weight.shape[-1]
    W = in_proj_weight.reshape(3, H, D // H, D).transpose(-1, -2)
    return [W[0], W[1], W[2], out_proj_weight.transpose(0, 1).contiguous()]


@exercise.alternate
def in_single_precision(in_proj_weight, out_proj_weight, H):
    q, k, v = in_proj_weight.float().T.chunk(3, 1)
    return list(q.chunk(H, 1)), list(k.chunk(H, 1)), list(v.chunk(H, 1)), out_proj_weight.float().T


def _cut(matrix, H):
    return [part.clone() for part in matrix.chunk(H, -1)]


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


@_wrong(with_one_head_a_third_each, "weights of queries, keys and values that were not transposed: torch multiplies by weight.T")
def not_transposed(in_proj_weight, out_proj_weight, H):
    return (*(_cut(third, H) for third in in_proj_weight.chunk(3)), out_proj_weight.T.clone())


@_wrong(with_one_head_a_third_each, "no weight transposed at all: torch multiplies by weight.T")
def nothing_transposed(in_proj_weight, out_proj_weight, H):
    return (*(_cut(third, H) for third in in_proj_weight.chunk(3)), out_proj_weight.clone())


@_wrong(a_head_gets_its_share_of_the_queries, "the rows of a head taken, but not transposed: D/H x D comes out")
def rows_of_a_head(in_proj_weight, out_proj_weight, H):
    return (*(list(third.chunk(H, 0)) for third in in_proj_weight.chunk(3)), out_proj_weight.T.clone())


@_wrong(with_one_head_a_third_each, "a reshape to D x 3D where a transposition is needed")
def reshaped_for_transposed(in_proj_weight, out_proj_weight, H):
    D = out_proj_weight.shape[0]
    return (*(_cut(third, H) for third in in_proj_weight.reshape(D, 3 * D).chunk(3, -1)), out_proj_weight.T.clone())


@_wrong(a_head_gets_its_share_of_the_queries, "a head's block cut out after a second reshape, not along the columns")
def block_reshaped(in_proj_weight, out_proj_weight, H):
    D = out_proj_weight.shape[0]
    return (*(list(third.T.reshape(H, D, D // H)) for third in in_proj_weight.chunk(3)), out_proj_weight.T.clone())


@_wrong(a_head_gets_its_share_of_the_queries, "heads dealt out like cards: head h gets every H-th column")
def head_axis_is_the_fast_one(in_proj_weight, out_proj_weight, H):
    return (*([third.T[:, h::H].clone() for h in range(H)] for third in in_proj_weight.chunk(3)), out_proj_weight.T.clone())


@_wrong(a_head_gets_its_share_of_the_queries, "heads in reverse order")
def heads_reversed(in_proj_weight, out_proj_weight, H):
    return (*(_cut(third.T, H)[::-1] for third in in_proj_weight.chunk(3)), out_proj_weight.T.clone())


@_wrong(a_head_gets_its_share_of_the_queries, "queries, keys and values of head 0 first, then those of head 1: the layout of another library")
def heads_before_thirds(in_proj_weight, out_proj_weight, H):
    D = out_proj_weight.shape[0]
    W = in_proj_weight.reshape(H, 3, D // H, D).transpose(0, 1).mT
    return (*(list(third) for third in W), out_proj_weight.T.clone())


@_wrong(a_head_gets_its_share_of_the_queries, "the first head's matrix for every head")
def first_head_for_all(in_proj_weight, out_proj_weight, H):
    return (*([_cut(third.T, H)[0]] * H for third in in_proj_weight.chunk(3)), out_proj_weight.T.clone())


@_wrong(a_head_gets_its_share_of_the_queries, "whole matrices of D x D for every head, not cut into heads")
def not_cut(in_proj_weight, out_proj_weight, H):
    return (*([third.T.clone()] * H for third in in_proj_weight.chunk(3)), out_proj_weight.T.clone())


@_wrong(with_one_head_a_third_each, "the thirds in the order keys, queries, values")
def keys_first(in_proj_weight, out_proj_weight, H):
    q, k, v = (_cut(third.T, H) for third in in_proj_weight.chunk(3))
    return k, q, v, out_proj_weight.T.clone()


@_wrong(with_one_head_a_third_each, "the thirds in the order values, keys, queries")
def values_first(in_proj_weight, out_proj_weight, H):
    q, k, v = (_cut(third.T, H) for third in in_proj_weight.chunk(3))
    return v, k, q, out_proj_weight.T.clone()


@_wrong(with_one_head_a_third_each, "the thirds in the order queries, values, keys")
def values_before_keys(in_proj_weight, out_proj_weight, H):
    q, k, v = (_cut(third.T, H) for third in in_proj_weight.chunk(3))
    return q, v, k, out_proj_weight.T.clone()


@_wrong(with_one_head_a_third_each, "the matrices of the queries used for keys and values as well")
def queries_for_all(in_proj_weight, out_proj_weight, H):
    q = in_proj_weight.chunk(3)[0].T
    return _cut(q, H), _cut(q, H), _cut(q, H), out_proj_weight.T.clone()


@_wrong(with_one_head_a_third_each, "rows taken in turns: row 0 for the queries, row 1 for the keys, row 2 for the values")
def rows_in_turns(in_proj_weight, out_proj_weight, H):
    return (*(_cut(in_proj_weight[i::3].T, H) for i in range(3)), out_proj_weight.T.clone())


@_wrong(the_output_matrix_multiplies_from_the_right, "an output matrix that was not transposed: torch multiplies by weight.T")
def W_o_not_transposed(in_proj_weight, out_proj_weight, H):
    return (*(_cut(third.T, H) for third in in_proj_weight.chunk(3)), out_proj_weight.clone())


@_wrong(the_output_matrix_multiplies_from_the_right, "an output matrix cut into H pieces, where one matrix is asked for")
def W_o_cut(in_proj_weight, out_proj_weight, H):
    return (*(_cut(third.T, H) for third in in_proj_weight.chunk(3)), _cut(out_proj_weight, H))


@_wrong(the_output_matrix_multiplies_from_the_right, "an output matrix whose blocks are in the reverse order of heads")
def W_o_reversed(in_proj_weight, out_proj_weight, H):
    blocks = out_proj_weight.T.chunk(H, 0)
    return (*(_cut(third.T, H) for third in in_proj_weight.chunk(3)), torch.cat(blocks[::-1], 0))


@_wrong(attention_is_that_of_torch, "matrices of the queries already divided by sqrt(D/H), so that the scores are divided twice")
def queries_divided(in_proj_weight, out_proj_weight, H):
    q, k, v = (_cut(third.T, H) for third in in_proj_weight.chunk(3))
    root = math.sqrt(q[0].shape[-1])
    return [W / root for W in q], k, v, out_proj_weight.T.clone()


@_wrong(attention_is_that_of_torch, "values whose heads are in reverse order, though queries and keys are right")
def values_reversed(in_proj_weight, out_proj_weight, H):
    q, k, v = (_cut(third.T, H) for third in in_proj_weight.chunk(3))
    return q, k, v[::-1], out_proj_weight.T.clone()


@_wrong(with_one_head_a_third_each, "whole matrices in place of lists when there is one head only")
def no_list_for_one_head(in_proj_weight, out_proj_weight, H):
    q, k, v = (_cut(third.T, H) for third in in_proj_weight.chunk(3))
    return (q[0], k[0], v[0], out_proj_weight.T) if H == 1 else (q, k, v, out_proj_weight.T)


@_wrong(the_inputs_stay_as_they_were, "an answer that transposes the weights it was given in place (t_)")
def transposed_in_place(in_proj_weight, out_proj_weight, H):
    q, k, v = in_proj_weight.t_().chunk(3, -1)
    return _cut(q, H), _cut(k, H), _cut(v, H), out_proj_weight.t_()


@_wrong(every_matrix_is_right, "matrices in half precision")
def in_half_precision(in_proj_weight, out_proj_weight, H):
    return (*([W.half().to(W.dtype) for W in _cut(third.T, H)] for third in in_proj_weight.chunk(3)), out_proj_weight.T.clone())
