"""Staff half of the exercise `greedy_decode`: reference, alternates, misconceptions, hidden check."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_equal
from autograder.exercises.transformer.greedy_decode import (decodings, each_sequence_is_decoded_on_its_own,
                                                            each_token_is_the_choice_after_all_before_it, exercise,
                                                            the_first_token_is_the_models_first_choice, the_source_stays_as_it_was)
from autograder.strategies import sizes
from autograder.student import Given


@exercise.solution
def greedy_decode(model, src, steps, sos):
    """Let a model say `steps` tokens, each time the one it finds most likely after all that it has said before.

    model: has encode(src), which gives the memory, and decode(tgt_in, memory), which gives logits B x M x vocab for the
    tokens that follow. src: int64 tensor B x N. steps: an int, at least 1. sos: the id of the start token, an int.
    Returns an int64 tensor B x steps, without sos.
    """
    with torch.no_grad():
        memory = model.encode(src)
        heard = torch.full((src.shape[0], 1), sos, dtype=torch.int64, device=src.device)
        for _ in range(steps):
            logits = model.decode(heard, memory)
            heard = torch.cat([heard, logits[:, -1:].argmax(dim=-1)], dim=1)
    return heard[:, 1:]


exercise.equivalent('heard = torch.full((src.shape[0], 1), sos, dtype=torch.int64, device=src.device) -> '
                    'heard = torch.full((src.shape[0], 1), sos, device=src.device)',
                    because="sos is an int, from which torch makes an int64 tensor")
exercise.equivalent('heard = torch.full((src.shape[0], 1), sos, dtype=torch.int64, device=src.device) -> '
                    'heard = torch.full((src.shape[0], 1), sos, dtype=torch.int64)',
                    because="the checks use one device, the CPU")


def _long(drawn):
    vocab, seed, B, N, steps, sos = drawn
    generator = torch.Generator().manual_seed(seed)
    return Given("HistoryModel", vocab, seed % 500), torch.randint(0, vocab, (B, N), generator=generator), steps, sos % vocab


longer = st.tuples(sizes(5, 30), st.integers(0, 2**16), sizes(1, 4), sizes(1, 6), sizes(1, 12), st.integers(0, 29)).map(_long)


forty = st.tuples(sizes(5, 9), st.integers(0, 2**16), st.just(1), sizes(1, 2), st.just(40), st.integers(0, 8)).map(_long)


@exercise.hidden_check(points=0.5, examples=2,
                       hint="Decode 40 tokens and feed them back: at each place the model's choice must be the one that you return there. Is the "
                            "model told all of them, and does the loop go on to the end?")
@given(forty)
def a_long_answer_is_right_to_its_end(student, case):
    """Forty tokens agree with the reference, the last one chosen after all before it."""
    assert_equal(student(*case), greedy_decode(*case), what="the tensor of tokens")


@exercise.hidden_check(points=1, examples=15,
                       hint="Decode one step, then two, then three, and look at the first place where the model was not told everything, "
                            "or was told it in another order.")
@given(longer)
def agrees_with_the_reference(student, case):
    """Agrees with the reference for models of up to 30 tokens, and for a single step too."""
    assert_equal(student(*case), greedy_decode(*case), what="the tensor of tokens")


@exercise.alternate
def encoding_anew_each_step(model, src, steps, sos):
    tokens = []
    for _ in range(steps):
        heard = torch.tensor([[sos] + [t[b] for t in tokens] for b in range(len(src))])
        tokens.append(torch.softmax(model.decode(heard, model.encode(src))[:, -1], -1).topk(1).indices.flatten().tolist())
    return torch.tensor(tokens).T


@exercise.alternate
def source_by_source(model, src, steps, sos):
    model.eval()
    rows = []
    for source in src.unbind(0):
        memory, said = model.encode(source.unsqueeze(0)), [sos]
        while len(said) <= steps:
            logits = model.decode(torch.tensor([said]), memory).detach().numpy()
            said.append(int(logits[0, len(said) - 1].argmax()))
        rows.append(said[1:])
    return torch.tensor(rows)


@exercise.alternate
def in_a_table_of_full_length(model, src, steps, sos):
    device = next(model.parameters()).device
    heard = torch.full((len(src), steps + 1), sos, dtype=torch.long, device=device)
    memory = model.encode(src)
    for n in range(steps):
        heard[:, n + 1] = model.decode(heard, memory)[:, n].max(-1)[1]
    return heard[:, 1:].clone()


@exercise.alternate
def with_log_probabilities_in_float32(model, src, steps, sos):
    memory = model.encode(src)
    heard = src.new_full((src.size(0), 1), sos)
    while heard.size(1) < steps + 1:
        best = torch.log_softmax(model.decode(heard, memory).float(), dim=-1)[:, -1].argmax(1, keepdim=True)
        heard = torch.hstack((heard, best))
    return heard[:, -steps:].float()


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


_FIRST, _EACH = the_first_token_is_the_models_first_choice, each_token_is_the_choice_after_all_before_it


def _decoded(model, src, steps, sos, told=lambda heard: heard, choose=lambda logits: logits[:, -1].argmax(-1)):
    """The common part of the answers below: `told` makes what the model is told of what was heard, `choose` picks the next tokens."""
    memory = model.encode(src)
    heard = torch.full((len(src), 1), sos)
    for _ in range(steps):
        heard = torch.cat([heard, choose(model.decode(told(heard), memory))[:, None]], 1)
    return heard[:, 1:]


@_wrong(_FIRST, "an answer that begins with sos and lacks the last token")
def sos_kept(model, src, steps, sos):
    said = _decoded(model, src, steps, sos)
    return torch.cat([torch.full((len(src), 1), sos), said[:, :-1]], 1)


@_wrong(_FIRST, "an answer with sos in front: one column too many")
def sos_in_front(model, src, steps, sos):
    return torch.cat([torch.full((len(src), 1), sos), _decoded(model, src, steps, sos)], 1)


@_wrong(_FIRST, "one step too few")
def one_step_too_few(model, src, steps, sos):
    return _decoded(model, src, steps - 1, sos)


@_wrong(_FIRST, "an answer that begins with the second token (one step too many, and the first one dropped)")
def first_token_dropped(model, src, steps, sos):
    return _decoded(model, src, steps + 1, sos)[:, 1:]


@_wrong(_EACH, "a model that is told its last token only, not all it has said")
def last_token_only(model, src, steps, sos):
    return _decoded(model, src, steps, sos, told=lambda heard: heard[:, -1:])


@_wrong(_EACH, "a model that is told sos and its last token, and nothing between")
def sos_and_the_last(model, src, steps, sos):
    return _decoded(model, src, steps, sos, told=lambda heard: heard if heard.shape[1] < 3 else heard[:, [0, -1]])


@_wrong(_EACH, "a model that is never told sos again after the first step")
def sos_forgotten(model, src, steps, sos):
    return _decoded(model, src, steps, sos, told=lambda heard: heard[:, 1:] if heard.shape[1] > 1 else heard)


@_wrong(_EACH, "all tokens said at once, from sos repeated (no token hears of another)")
def all_at_once(model, src, steps, sos):
    return model.decode(torch.full((len(src), steps), sos), model.encode(src)).argmax(-1)


@_wrong(_EACH, "the first choice again and again: logits read at the first place, or a history that is never extended")
def first_place_read(model, src, steps, sos):
    return _decoded(model, src, steps, sos, choose=lambda logits: logits[:, 0].argmax(-1))


@_wrong(_EACH, "a history told backwards: new tokens put in front")
def history_backwards(model, src, steps, sos):
    return _decoded(model, src, steps, sos, told=lambda heard: torch.cat([heard[:, 1:].flip(1), heard[:, :1]], 1))


@_wrong(_EACH, "the source told in the place of what was said (teacher forcing in decoding)")
def source_as_history(model, src, steps, sos):
    return _decoded(model, src, steps, sos, told=lambda heard: torch.cat([heard[:, :1], src], 1)[:, :heard.shape[1]])


@_wrong(_EACH, "an answer that stops at a token it has said before and repeats it")
def stops_at_a_repetition(model, src, steps, sos):
    said = _decoded(model, src, steps, sos)
    for n in range(1, steps):
        again = (said[:, :n] == said[:, n:n + 1]).any(1)
        said[again, n:] = said[again, n:n + 1]
    return said


@_wrong(_EACH, "an answer that avoids tokens it has said already")
def without_repetitions(model, src, steps, sos):
    memory, heard = model.encode(src), torch.full((len(src), 1), sos)
    for _ in range(steps):
        logits = model.decode(heard, memory)[:, -1].detach().clone()
        for b, said in enumerate(heard[:, 1:]):
            logits[b, said] -= 100.0
        heard = torch.cat([heard, logits.argmax(-1, keepdim=True)], 1)
    return heard[:, 1:]


@_wrong(_FIRST, "the smallest logit instead of the largest")
def least_likely(model, src, steps, sos):
    return _decoded(model, src, steps, sos, choose=lambda logits: logits[:, -1].argmin(-1))


@_wrong(_FIRST, "the largest logit in absolute value")
def largest_in_size(model, src, steps, sos):
    return _decoded(model, src, steps, sos, choose=lambda logits: logits[:, -1].abs().argmax(-1))


@_wrong(_FIRST, "the second choice of the model")
def second_choice(model, src, steps, sos):
    return _decoded(model, src, steps, sos, choose=lambda logits: logits[:, -1].topk(2).indices[:, 1])


@_wrong(_FIRST, "tokens drawn at random from the probabilities, instead of the most likely one")
def sampled(model, src, steps, sos):
    generator = torch.Generator().manual_seed(1)
    return _decoded(model, src, steps, sos, choose=lambda logits: torch.multinomial(torch.softmax(logits[:, -1], -1), 1, generator=generator)[:, 0])


@_wrong(_FIRST, "0 as the start token instead of sos")
def starts_with_zero(model, src, steps, sos):
    return _decoded(model, src, steps, 0)


@_wrong(_FIRST, "the last source token in the place of sos")
def starts_with_the_source(model, src, steps, sos):
    heard, memory = src[:, -1:].clone(), model.encode(src)
    for _ in range(steps):
        heard = torch.cat([heard, model.decode(heard, memory)[:, -1:].argmax(-1)], 1)
    return heard[:, 1:]


@_wrong(_FIRST, "the memory of the source read backwards")
def source_backwards(model, src, steps, sos):
    return _decoded(model, src.flip(1), steps, sos)


@_wrong(each_sequence_is_decoded_on_its_own,
        "the first sequence's answer given to the whole batch (its choice, or its memory, taken for all)")
def choice_of_the_first(model, src, steps, sos):
    return _decoded(model, src, steps, sos, choose=lambda logits: logits[0, -1].argmax(-1).expand(len(logits)))


@_wrong(_FIRST, "the largest logit over batch and tokens together")
def choice_over_everything(model, src, steps, sos):
    return _decoded(model, src, steps, sos, choose=lambda logits: (logits[:, -1].flatten().argmax() % logits.shape[-1]).expand(len(logits)))


@_wrong(_FIRST, "the place of the largest logit in time instead of its token")
def choice_along_time(model, src, steps, sos):
    return _decoded(model, src, steps, sos, choose=lambda logits: logits.argmax(1)[:, -1])


@_wrong(the_source_stays_as_it_was, "an answer that overwrites the source on its way")
def source_overwritten(model, src, steps, sos):
    said = _decoded(model, src, steps, sos)
    src[:, 0] = sos
    src[:, -1:] = said[:, -1:] + 1
    return said


@_wrong(a_long_answer_is_right_to_its_end, "a model that is told its last sixteen tokens only (a context window)")
def window_of_sixteen(model, src, steps, sos):
    return _decoded(model, src, steps, sos, told=lambda heard: heard[:, -16:])


@_wrong(a_long_answer_is_right_to_its_end, "an answer that never has more than 32 tokens")
def stops_at_32(model, src, steps, sos):
    return _decoded(model, src, min(steps, 32), sos)


@_wrong(agrees_with_the_reference, "a model that is told its last eight tokens only (a context window), so that it forgets how a long answer began")
def window_of_eight(model, src, steps, sos):
    return _decoded(model, src, steps, sos, told=lambda heard: heard[:, -8:])
