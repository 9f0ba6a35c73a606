"""Public half of the exercise `scaled_dot_product_attention`."""

from functools import lru_cache

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.properties import assert_answered, assert_attention_weights
from autograder.strategies import KINDS, fillers, leading, permutations, sizes
from autograder.student import floats


def returns(Q, K, V, mask=None):
    return {"Y": floats(*Q.shape[:-1], V.shape[-1]), "alpha": floats(*Q.shape[:-1], K.shape[-2])}


exercise = Exercise(__name__, title="Scaled dot-product attention", returns=returns,
                    forbids=("torch.nn.functional.scaled_dot_product_attention", "torch.nn.MultiheadAttention",
                             "torch.nn.functional.multi_head_attention_forward"))


TWO = torch.tensor([[0.0, 1.0], [2.0, 0.5]], dtype=torch.float64)


@lru_cache(maxsize=None)
def qkv(*, batch=leading(), low=1, kinds=KINDS):
    """Draws queries, keys and values: N_q, N_kv, D_k and D_v are drawn apart."""
    return st.tuples(batch, *[sizes(low, 5)] * 4, fillers(kinds)).map(_fill)


def _fill(drawn):
    shape, N_q, N_kv, D_k, D_v, filler = drawn
    return tuple(filler(shape + (N_q, D_k), shape + (N_kv, D_k), shape + (N_kv, D_v)))


@lru_cache(maxsize=None)
def masked(*, batch=leading(), low=2):
    """Draws queries, keys, values and a mask that leaves every query a key and forbids the first one its last key."""
    return st.tuples(qkv(batch=batch, low=low), st.integers(0, 2**16), st.integers(0, 3)).map(_with_mask)


def _with_mask(drawn):
    (Q, K, V), seed, form = drawn
    generator = torch.Generator().manual_seed(seed)
    N_q, N_kv = Q.shape[-2], K.shape[-2]
    shape = ((*Q.shape[:-1], N_kv), (N_q, N_kv), (*Q.shape[:-2], 1, N_kv), (*Q.shape[1:-2], N_q, N_kv))[form]
    mask = torch.rand(shape, generator=generator) < 0.5
    mask.scatter_(-1, torch.randint(N_kv, (*shape[:-1], 1), generator=generator), True)
    mask[..., 0, :] = True  # the first query may see all but its last key
    mask[..., 0, -1] = False
    return Q, K, V, mask


@exercise.check(points=1, hint="Add up one row of alpha. Each query shares out its attention over the keys: which axis is that?",
                kept="says in one line what row-stochastic means, whatever the scale: a forgotten sqrt(D_k) keeps this point")
@given(qkv())
def rows_of_the_weights_sum_to_one(student, q_k_v):
    """Each row of the N_q x N_kv weights is positive, sums to 1, and grows with the inner products."""
    _, alpha = student(*q_k_v)
    assert_attention_weights(alpha, q_k_v[0] @ q_k_v[1].mT)


@exercise.check(points=1, hint="Row n of alpha belongs to query n. What should come out if all values are the same?",
                kept="holds Y against the student's own weights, so that wrong weights alone lose nothing here; it finds the mistake "
                     "in the second line of code")
@given(qkv())
def the_output_mixes_the_values(student, q_k_v):
    """Row n of Y is the mean of the values with the weights in row n of alpha."""
    Q, K, V = q_k_v
    Y, alpha = student(Q, K, V)
    assert_attention_weights(alpha, Q @ K.mT)
    assert_close(Y, alpha @ V, what="Y, against alpha @ V,")


@exercise.check(points=1, hint="A larger D_k gives larger scores, and the softmax too sharp. Try one query [1, 0, 0, 0] and the keys "
                               "[2, 0, 0, 0] and [0, 0, 0, 0]: their weights should be in the ratio e to 1.")
@given(qkv())
def weights_follow_the_scaled_scores(student, q_k_v):
    """The weights are the softmax of the scores divided by the square root of D_k."""
    Q, K, V = q_k_v
    _, alpha = student(Q, K, V)
    assert_close(alpha, torch.softmax(Q @ K.mT * Q.shape[-1] ** -0.5, -1), what="alpha")


@st.composite
def with_orders(draw):
    """Queries, keys and values, with a new order for the queries and one for the keys."""
    Q, K, V = draw(qkv(low=2))
    return Q, K, V, draw(permutations(Q.shape[-2])), draw(permutations(K.shape[-2]))


@exercise.check(points=1, examples=10, hint="Reorder keys together with their values by hand for N_kv = 2: what may change in Y, and what in alpha?",
                kept="says what order means for queries and what for keys, which the lesson on positions starts from; it compares the "
                     "answer with itself alone")
@given(with_orders())
def order_matters_as_it_should(student, case):
    """Reordering keys with their values leaves Y alone; reordering queries reorders Y."""
    Q, K, V, queries, keys = case
    Y, alpha = student(Q, K, V)
    assert_attention_weights(alpha, Q @ K.mT)
    Y_keys, alpha_keys = student(Q, K[..., keys, :].contiguous(), V[..., keys, :].contiguous())
    assert_close(Y_keys, Y, what="Y after keys and values were reordered together")
    assert_close(alpha_keys, alpha[..., keys], what="alpha after keys and values were reordered together")
    assert_close(student(Q[..., queries, :].contiguous(), K, V)[0], Y[..., queries, :], what="Y after the queries were reordered")


@exercise.check(points=1, hint="True means that attending is allowed. Print alpha for a 2 x 2 mask: where should the exact zeros be, and do "
                               "the rows still sum to 1?")
@given(masked())
def a_masked_key_is_as_good_as_absent(student, case):
    """Pairs where the mask is False get the weight 0, and the other weights still sum to 1."""
    Q, K, V, mask = case
    _, alpha = student(Q, K, V, mask)
    allowed = mask.expand(alpha.shape)
    assert_close(alpha[~allowed], 0.0, what="the weight of a pair that the mask forbids")
    assert_attention_weights(alpha, (Q @ K.mT).masked_fill(~allowed, float("-inf")))


@exercise.check(points=1, examples=15, hint="Give your function one query, two keys and the mask [[True, False]]: Y must be the first value, whatever the "
                               "second key and value are.")
@given(masked(), fillers(("normal",)))
def hidden_keys_change_nothing(student, case, filler):
    """What a query may not see can be replaced by noise without changing its output."""
    Q, K, V, mask = case
    visible = mask.expand(*Q.shape[:-1], K.shape[-2])[..., :1, :].mT
    noise_K, noise_V = filler(tuple(K.shape), tuple(V.shape))
    K_new, V_new = torch.where(visible, K, 3 * noise_K), torch.where(visible, V, 3 * noise_V)
    (before, alpha), (after, _) = student(Q, K, V, mask), student(Q, K_new, V_new, mask)
    assert_close(alpha.sum(-1), 1.0, what="the sum of each row of alpha under a mask")
    assert_close(before, alpha @ V, what="Y, against alpha @ V,")
    assert_close(after[..., 0, :], before[..., 0, :], what="the output of the first query after keys it may not see were replaced")


@st.composite
def with_empty_row(draw):
    """Queries, keys, values and a mask that leaves one query no key at all."""
    Q, K, V = draw(qkv(low=2))
    mask = torch.ones(*Q.shape[:-1], K.shape[-2], dtype=torch.bool)
    mask[..., draw(st.integers(0, Q.shape[-2] - 1)), :] = False
    return Q, K, V, mask


@exercise.check(points=1, examples=15, hint="What does your softmax return for a row of -inf only? The rule is in the text above: such a query gets zeros.")
@given(with_empty_row())
def a_query_that_sees_nothing_gets_zeros(student, case):
    """A row of the mask that is False everywhere gives zero weights and a zero output, and other rows are unaffected."""
    Q, K, V, mask = case
    unmasked = student(Q, K, V)[1]
    Y, alpha = student(Q, K, V, mask)
    empty = ~mask.any(-1)
    assert_close(alpha[empty], 0.0, what="alpha of a query that sees nothing")
    assert_close(Y[empty], 0.0, what="Y of a query that sees nothing")
    assert_attention_weights(alpha[~empty], (Q @ K.mT)[~empty])
    assert_close(alpha[~empty], unmasked[~empty], what="alpha of the other queries")


@exercise.check(points=0.5, examples=8, hint="If one of them changed, which line writes into Q, K, V or the mask (`/=`, `|=`, masked_fill_, "
                                             "copy_)? Anything else the checks above tell better.")
@given(masked())
def the_inputs_stay_as_they_were(student, case):
    """Q, K, V and the mask that were passed in are unchanged afterwards (and used), also where a query sees nothing."""
    Q, K, V, mask = case
    nothing_for_one = mask.clone()
    nothing_for_one[..., -1, :] = False
    for allowed in (mask, nothing_for_one):
        after = student.arguments_after(Q, K, V, allowed)
        for name, tensor, left in zip(("Q", "K", "V", "the mask"), (Q, K, V, allowed), after):
            assert_close(left.to(torch.float64), tensor.to(torch.float64), what=f"{name} after the call")
    assert_answered(student, (TWO, TWO + 1, TWO), (TWO.flip(-1), TWO + 1, TWO), case)
