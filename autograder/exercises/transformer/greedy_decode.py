"""Public half of the exercise `greedy_decode`."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_equal, assert_true
from autograder.exercise import Exercise
from autograder.exercises.transformer._given import HistoryModel
from autograder.strategies import sizes
from autograder.student import Given, integers


def returns(model, src, steps, sos):
    return {"the tensor of tokens": integers(src.shape[0], steps)}


exercise = Exercise(__name__, title="Greedy decoding", returns=returns)


def _fill(drawn):
    vocab, seed, B, N, steps, sos = drawn
    generator = torch.Generator().manual_seed(seed)
    return Given("HistoryModel", vocab, seed % 100), torch.randint(0, vocab, (B, N), generator=generator), steps, sos % vocab


# a model, B x N source tokens, the number of steps, and a start token that is one of the model's tokens
decodings = st.tuples(sizes(3, 9), st.integers(0, 2**16), sizes(1, 3), sizes(1, 4), sizes(2, 7), st.integers(0, 8)).map(_fill)
batches = st.tuples(sizes(3, 9), st.integers(0, 2**16), sizes(2, 3), sizes(1, 4), sizes(2, 7), st.integers(0, 8)).map(_fill)


def logits_after(case, said):
    """B x (M + 1) x vocab: what the model of `case` scores next, after sos and after each of the B x M tokens that were `said`."""
    given, src, _, sos = case
    model = HistoryModel(*given.args)
    heard = torch.cat([torch.full((len(src), 1), sos), said], 1)
    with torch.no_grad():
        return model.decode(heard, model.encode(src))


@exercise.check(points=1,
                hint="Ask the model by hand: model.decode with nothing but sos, B x 1, and the memory. Which token has the largest logit, "
                     "and is that the first one you return?",
                kept="one call of the model by hand decides it, before there is any history to get wrong")
@given(decodings)
def the_first_token_is_the_models_first_choice(student, case):
    """The first token of each sequence is the one with the largest logit after sos."""
    tokens = student(*case)
    assert_equal(tokens[:, 0], logits_after(case, tokens[:, :0])[:, 0].argmax(-1), what="the column of first tokens")


@exercise.check(points=1.5,
                hint="Feed your own answer back, sos in front: at each place, the token with the largest logit must be the one that you "
                     "return there. At which place does it fail first, and what had the model been told by then?")
@given(decodings)
def each_token_is_the_choice_after_all_before_it(student, case):
    """Each token is the one with the largest logit after sos and ALL tokens before it."""
    tokens = student(*case)
    assert_equal(tokens, logits_after(case, tokens[:, :-1]).argmax(-1), what="the tensor of tokens, against the model's choice at each place,")


@exercise.check(points=1, examples=15,
                hint="Decode two sources at once and each of them alone. Does each row use its own memory, its own history and its own "
                     "largest logit?",
                kept="tells a batch that is mixed up from a history that is told wrongly: it shows a source that is decoded right when "
                     "alone")
@given(batches)
def each_sequence_is_decoded_on_its_own(student, case):
    """A batch gives for each source what that source gives alone."""
    model, src, steps, sos = case
    together = student(*case)
    alone = torch.cat([student(model, row[None].contiguous(), steps, sos) for row in src])
    assert_equal(alone[:, 0], logits_after(case, alone[:, :0])[:, 0].argmax(-1), what="the first token of a single source")
    assert_equal(together, alone, what="the answer for the batch, against that for each source alone,")


@exercise.check(points=0.5, examples=8, hint="If the message says that src was changed, which line writes into it? If not, the checks above say more.")
@given(decodings)
def the_source_stays_as_it_was(student, case):
    """The source that was passed in is unchanged afterwards."""
    tokens = student(*case)
    assert_equal(tokens[:, 0], logits_after(case, tokens[:, :0])[:, 0].argmax(-1), what="the column of first tokens")
    assert_equal(student.arguments_after(*case)[1], case[1], what="src after the call")
