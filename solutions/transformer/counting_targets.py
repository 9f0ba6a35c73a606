"""Staff half of the exercise `counting_targets`: reference, alternates, misconceptions, hidden check."""

import torch
from hypothesis import given

from autograder.compare import assert_equal
from autograder.exercises.transformer.counting_targets import (counts_the_other_equal_tokens, crowded, exercise, never_more_than_V_minus_1,
                                                               the_order_plays_no_part, the_tokens_stay_as_they_were)


@exercise.solution
def counting_targets(x, V):
    """For each token the number of OTHER tokens in its sequence that are equal to it, at most V - 1.

    x: int64 tensor ... x N of tokens 0 to V - 1; each of the leading entries is a sequence of its own. V: an int, at least 2.
    Returns an int64 tensor ... x N.
    """
    equal = x[..., :, None] == x[..., None, :]
    return (equal.sum(dim=-1) - 1).clamp(max=V - 1)


exercise.equivalent('return (equal.sum(dim=-1) - 1).clamp(max=V - 1) -> return (equal.sum(dim=-2) - 1).clamp(max=V - 1)',
                    because="being equal is mutual, so rows and columns have the same sums")


@exercise.hidden_check(points=1, examples=15,
                       hint="Take two short sequences in a batch, one of them with a token that occurs more than V times.",
                       kept="count, cap and leading dimensions together, on sequences seeded from the course's secret")
@given(crowded)
def agrees_with_the_reference(student, case):
    """Agrees with the reference, with none, one and two leading dimensions."""
    assert_equal(student(*case), counting_targets(*case), what="the tensor of targets")


@exercise.alternate
def with_loops(x, V):
    rows = [[min(row.count(token) - 1, V - 1) for token in row] for row in x.reshape(-1, x.shape[-1]).tolist()]
    return torch.tensor(rows).reshape(x.shape)


@exercise.alternate
def with_one_hot(x, V):
    counts = torch.nn.functional.one_hot(x, V).sum(-2)
    return torch.minimum(counts.gather(-1, x) - 1, torch.tensor(V - 1))


@exercise.alternate
def in_floats_without_the_diagonal(x, V):
    equal = (x.unsqueeze(-1) == x.unsqueeze(-2)).float() * (1 - torch.eye(x.shape[-1]))
    return torch.where(equal.sum(-1) > V - 1, float(V - 1), equal.sum(-1))


@exercise.alternate
def token_by_token(x, V):
    columns = [(x == x[..., n:n + 1]).sum(-1) - 1 for n in range(x.shape[-1])]
    return torch.stack(columns, -1).clamp(0, V - 1)


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


def _equal(x):
    return x[..., :, None] == x[..., None, :]


@_wrong(counts_the_other_equal_tokens, "a count that includes the token itself")
def counts_itself(x, V):
    return _equal(x).sum(-1).clamp(max=V - 1)


@_wrong(never_more_than_V_minus_1, "a count without an upper end")
def no_cap(x, V):
    return _equal(x).sum(-1) - 1


@_wrong(never_more_than_V_minus_1, "a cap at V instead of V - 1")
def cap_at_V(x, V):
    return (_equal(x).sum(-1) - 1).clamp(max=V)


@_wrong(never_more_than_V_minus_1, "a cap taken before the token itself is subtracted, so that V - 2 is the largest target")
def cap_before_the_subtraction(x, V):
    return _equal(x).sum(-1).clamp(max=V - 1) - 1


@_wrong(never_more_than_V_minus_1, "a count modulo V instead of one with a cap")
def modulo(x, V):
    return (_equal(x).sum(-1) - 1) % V


@_wrong(the_order_plays_no_part, "a running count: earlier equal tokens only")
def only_to_the_left(x, V):
    return _equal(x).tril(-1).sum(-1).clamp(max=V - 1)


@_wrong(counts_the_other_equal_tokens, "a count of later equal tokens only")
def only_to_the_right(x, V):
    return _equal(x).triu(1).sum(-1).clamp(max=V - 1)


@_wrong(counts_the_other_equal_tokens, "a count over the whole batch instead of the token's own sequence")
def over_the_batch(x, V):
    flat = x.flatten()
    return ((flat[:, None] == flat).sum(-1) - 1).clamp(max=V - 1).reshape(x.shape)


@_wrong(counts_the_other_equal_tokens, "a count of the tokens that are different")
def counts_the_different(x, V):
    return (~_equal(x)).sum(-1).clamp(max=V - 1)


@_wrong(counts_the_other_equal_tokens, "a count of equal neighbours only")
def neighbours_only(x, V):
    same = x[..., 1:] == x[..., :-1]
    return (torch.nn.functional.pad(same.long(), (1, 0)) + torch.nn.functional.pad(same.long(), (0, 1))).clamp(max=V - 1)


@_wrong(counts_the_other_equal_tokens, "one number for the whole sequence: how many tokens occur more than once")
def one_number_a_sequence(x, V):
    repeated = (_equal(x).sum(-1) > 1).sum(-1, keepdim=True)
    return repeated.expand(x.shape).clamp(max=V - 1).contiguous()


@_wrong(counts_the_other_equal_tokens, "only whether another equal token exists, 0 or 1")
def whether_there_is_another(x, V):
    return (_equal(x).sum(-1) > 1).long()


@_wrong(counts_the_other_equal_tokens, "the counts of the first sequence of the batch used for all")
def first_sequence_for_all(x, V):
    row = x.reshape(-1, x.shape[-1])[0]
    return ((x[..., None] == row).sum(-1) - 1).clamp(0, V - 1)


@_wrong(counts_the_other_equal_tokens, "a count along the first axis instead of the last")
def along_the_first_axis(x, V):
    return ((x[None] == x[:, None]).sum(0) - 1).clamp(max=V - 1)


@_wrong(never_more_than_V_minus_1, "a cap at the largest token of the sequence instead of V - 1")
def cap_at_the_largest_token(x, V):
    return torch.minimum((_equal(x).sum(-1) - 1), x.amax(-1, keepdim=True))


@_wrong(the_tokens_stay_as_they_were, "an answer that is written into x itself")
def in_place(x, V):
    x.copy_((_equal(x).sum(-1) - 1).clamp(max=V - 1))
    return x
