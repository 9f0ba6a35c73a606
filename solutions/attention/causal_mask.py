"""Staff half of the exercise `causal_mask`: reference, alternates, misconceptions, hidden checks."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_equal
from autograder.exercises.attention.causal_mask import a_token_sees_itself_and_the_past, exercise, the_future_changes_nothing
from autograder.strategies import sizes


@exercise.solution
def causal_mask(N):
    """The causal mask: entry (n, m) is True where token n may attend to token m, that is for m <= n.

    N: number of tokens, an int.
    Returns an N x N tensor of bools.
    """
    return torch.ones(N, N, dtype=torch.bool).tril()


exercise.equivalent("return torch.ones(N, N, dtype=torch.bool).tril() -> return torch.ones(N, N).tril()",
                    because="0 and 1 count as False and True whatever their type (values decide)")


@exercise.hidden_check(points=1, hint="Which corner of the matrix must be False: the upper right or the lower left?",
                       kept="the only one that looks at every entry, up to N = 300; the public ones count them and try them out")
@given(st.one_of(sizes(1, 12), st.sampled_from([20, 70, 300])))
def is_the_lower_triangle(student, N):
    """Is exactly the lower triangle, diagonal included."""
    assert_equal(student(N), causal_mask(N), what="the mask")


@exercise.alternate
def by_comparing_positions(N):
    n = torch.arange(N)
    return n[:, None] >= n[None, :]


@exercise.alternate
def zeros_and_ones(N):
    return torch.tril(torch.ones(N, N))


@exercise.alternate
def with_loops(N):
    return torch.tensor([[m <= n for m in range(N)] for n in range(N)]).reshape(N, N)


@exercise.alternate
def from_the_other_triangle(N):
    return ~torch.triu(torch.ones(N, N), diagonal=1).bool()


@exercise.misconception(caught_by=a_token_sees_itself_and_the_past, tell="a mask without its diagonal: a token may not see itself")
def diagonal_excluded(N):
    return torch.ones(N, N, dtype=torch.bool).tril(-1)


@exercise.misconception(caught_by=a_token_sees_itself_and_the_past,
                        tell="a mask in which True means blocked "
                             "(legitimate elsewhere, as in nn.MultiheadAttention; here True means that attending is allowed)")
def true_means_blocked(N):
    return torch.ones(N, N, dtype=torch.bool).triu(1)


@exercise.misconception(caught_by=the_future_changes_nothing, tell="the upper triangle: tokens see the future instead of the past")
def upper_triangle(N):
    return torch.ones(N, N, dtype=torch.bool).triu()


@exercise.misconception(caught_by=the_future_changes_nothing, tell="a mask that is one too wide: each token also sees the next one")
def one_too_wide(N):
    return torch.ones(N, N, dtype=torch.bool).tril(1)


@exercise.misconception(caught_by=the_future_changes_nothing, tell="a mask that allows everything")
def all_true(N):
    return torch.ones(N, N, dtype=torch.bool)


@exercise.misconception(caught_by=a_token_sees_itself_and_the_past, tell="a mask that allows only the token itself")
def diagonal_only(N):
    return torch.eye(N, dtype=torch.bool)


@exercise.misconception(caught_by=a_token_sees_itself_and_the_past, tell="a mask of 0 and -inf to be added to the scores, where booleans are asked")
def additive(N):
    return torch.zeros(N, N).masked_fill(torch.ones(N, N).triu(1).bool(), float("-inf"))


@exercise.misconception(caught_by=a_token_sees_itself_and_the_past, tell="a mask with a leading dimension of 1 that was not asked for")
def extra_dimension(N):
    return torch.ones(1, N, N, dtype=torch.bool).tril()


@exercise.misconception(caught_by=a_token_sees_itself_and_the_past, tell="a mask for one query only, lined up with the first key")
def one_query(N):
    return torch.ones(1, N, dtype=torch.bool).tril()


@exercise.misconception(caught_by=a_token_sees_itself_and_the_past, tell="a mask cut from a table of 32 x 32, which is too small for longer texts")
def cut_from_a_table(N):
    return torch.ones(32, 32, dtype=torch.bool).tril()[:N, :N]


@exercise.misconception(caught_by=a_token_sees_itself_and_the_past, tell="a window: a token sees the last 12 tokens only")
def window(N):
    return torch.ones(N, N, dtype=torch.bool).tril().triu(-11)
