"""Public half of the exercise `Transformer`."""

import math

import torch
import torch.nn as nn
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.exercises.transformer._given import sinusoids
from autograder.strategies import fillers, sizes
from autograder.student import floats
from autograder.untrusted.modules import in_float64


def _attention(name, D):
    return {f"{name}.in_proj_weight": (3 * D, D), f"{name}.in_proj_bias": (3 * D,), f"{name}.out_proj.weight": (D, D), f"{name}.out_proj.bias": (D,)}


def _norm(name, D):
    return {f"{name}.weight": (D,), f"{name}.bias": (D,)}


def _mlp(name, D):
    return {f"{name}.linear1.weight": (4 * D, D), f"{name}.linear1.bias": (4 * D,), f"{name}.linear2.weight": (D, 4 * D), f"{name}.linear2.bias": (D,)}


def parameters(vocab, D=64, H=4, n_enc=2, n_dec=2, max_len=32):
    shapes = {"src_embedding.weight": (vocab, D), "tgt_embedding.weight": (vocab, D)}
    for i in range(n_enc):
        name = f"encoder.{i}"
        shapes |= {**_attention(f"{name}.self_attn", D), **_mlp(name, D), **_norm(f"{name}.norm1", D), **_norm(f"{name}.norm2", D)}
    for i in range(n_dec):
        name = f"decoder.{i}"
        shapes |= {**_attention(f"{name}.self_attn", D), **_attention(f"{name}.multihead_attn", D), **_mlp(name, D),
                   **_norm(f"{name}.norm1", D), **_norm(f"{name}.norm2", D), **_norm(f"{name}.norm3", D)}
    return {**shapes, **_norm("encoder_norm", D), **_norm("decoder_norm", D), "head.weight": (vocab, D), "head.bias": (vocab,)}


def encoded(model, src):
    return {"the memory": floats(*src.shape, model.D)}


def decoded(model, tgt_in, memory):
    return {"the tensor of logits": floats(*tgt_in.shape, model.vocab)}


# a student may put the own layers of the exercises above in the place of torch's
exercise = Exercise(__name__, title="A whole transformer", parameters=parameters, returns={"encode": encoded, "decode": decoded},
                    aliases=((r"^(encoder\.\d+)\.self_attn\.", r"\1.attention."), (r"^(decoder\.\d+)\.self_attn\.", r"\1.self_attention."),
                             (r"^(decoder\.\d+)\.multihead_attn\.", r"\1.cross_attention."), (r"^((?:en|de)coder\.\d+)\.linear1\.", r"\1.mlp.0."),
                             (r"^((?:en|de)coder\.\d+)\.linear2\.", r"\1.mlp.2.")),
                    forbids=("torch.nn.Transformer",))


def torch_stack(model, side):
    """torch's own layers of the encoder or the decoder, with the weights of `model`."""
    made = {"encoder": nn.TransformerEncoderLayer, "decoder": nn.TransformerDecoderLayer}[side]
    count = model.n_enc if side == "encoder" else model.n_dec
    layers = [made(model.D, model.H, 4 * model.D, dropout=0.0, batch_first=True, norm_first=True, dtype=torch.float64) for _ in range(count)]
    for i, layer in enumerate(layers):
        start = f"{side}.{i}."
        layer.load_state_dict({name.removeprefix(start): value for name, value in model.weights.items() if name.startswith(start)})
    return layers


def positions(N, D):
    """The N x D positions in float64."""
    with in_float64():
        return sinusoids(N, D)


def normalised(model, name, X):
    """X after the model's LayerNorm of that name."""
    return nn.functional.layer_norm(X, (model.D,), model.weights[f"{name}.weight"], model.weights[f"{name}.bias"])


def assert_varied(values, what):
    """Fail if one number is repeated everywhere."""
    assert_true(values.amax() - values.amin() > 1e-3, f"{what} holds one number everywhere", what=what)


MAX_LEN = 6


def _fill(drawn):
    (D, H), vocab, B, N, M, layers, seed, weights, filler = drawn
    generator = torch.Generator().manual_seed(seed)
    src, tgt_in = (torch.randint(0, vocab, (B, length), generator=generator) for length in (N, M))
    memory, = filler((B, N, D))
    return {"vocab": vocab, "D": D, "H": H, "n_enc": layers[0], "n_dec": layers[1], "max_len": MAX_LEN}, weights, src, tgt_in, memory


def models(layers, least=1):
    """Draws a constructor's arguments, a filler for the weights, B x N source tokens, B x M target tokens and a memory B x N x D."""
    return st.tuples(st.sampled_from([(4, 2), (6, 3), (4, 1), (5, 1)]), sizes(2, 5), sizes(1, 3), sizes(least, 5), sizes(least, 5), st.sampled_from(layers),
                     st.integers(0, 2**16), fillers(("normal", "uniform")), fillers(("normal", "uniform"))).map(_fill)


bare = models([(0, 0)])
stacked = models([(1, 1), (3, 2), (2, 3), (3, 4), (4, 3)], least=2)


@exercise.check(points=1, examples=6,
                hint="With n_enc=0 the memory is nothing but the LayerNorm of what enters the encoder. Print it for one token at place 0, "
                     "where the positions are 0, 1, 0, 1: by what is the embedding multiplied, and along which axis do the positions run?",
                kept="without layers nothing but the embedding can be wrong, so that a factor, a table or an axis shows before "
                     "attention blurs it")
@given(bare)
def the_encoder_is_fed_embeddings_and_positions(student, case):
    """Into the encoder go the source embeddings times the square root of D, plus the positions, for each sequence of the batch."""
    size, weights, src, _, _ = case
    model = student.build(**size).fill(weights)
    X = model.weights["src_embedding.weight"][src] * size["D"] ** 0.5 + positions(src.shape[1], size["D"])
    assert_close(model.call("encode", src), normalised(model, "encoder_norm", X), what="the memory of a model without layers")


@exercise.check(points=1, examples=6,
                hint="With n_dec=0 the logits are head(decoder_norm(...)) of what enters the decoder. Which embedding table do target "
                     "tokens have, and do they get positions like the source?",
                kept="without layers nothing but embedding, decoder_norm and head can be wrong: layers in a wrong order keep this point")
@given(bare)
def the_decoder_is_fed_embeddings_and_positions(student, case):
    """Into the decoder go the target embeddings times the square root of D, plus the positions; out come decoder_norm and head."""
    size, weights, _, tgt_in, memory = case
    model = student.build(**size).fill(weights)
    X = model.weights["tgt_embedding.weight"][tgt_in] * size["D"] ** 0.5 + positions(tgt_in.shape[1], size["D"])
    logits = normalised(model, "decoder_norm", X) @ model.weights["head.weight"].T + model.weights["head.bias"]
    assert_close(model.call("decode", tgt_in, memory), logits, what="the tensor of logits of a model without layers")


@exercise.check(points=1.5, examples=8,
                hint="Follow one source token through encode, layer by layer: is each layer fed what the one before it returned, every "
                     "layer used once and in order, with no mask, and encoder_norm once at the end?")
@given(stacked)
def the_encoder_is_its_layers_in_order(student, case):
    """The memory is what torch's own layers give, one after the other, and then encoder_norm."""
    size, weights, src, _, _ = case
    model = student.build(**size).fill(weights)
    X = model.weights["src_embedding.weight"][src] * size["D"] ** 0.5 + positions(src.shape[1], size["D"])
    for layer in torch_stack(model, "encoder"):
        X = layer(X)
    assert_close(model.call("encode", src), normalised(model, "encoder_norm", X), what="the memory")


@exercise.check(points=0.5, examples=8,
                hint="Follow one target token through decode, layer by layer: is each layer fed what the one before it returned and the "
                     "memory as it is, every layer used once and in order, and decoder_norm once at the end?")
@given(stacked)
def the_decoder_is_its_layers_in_order(student, case):
    """The logits are what torch's own layers give under the causal mask, one after the other, and then decoder_norm and head."""
    size, weights, _, tgt_in, memory = case
    model = student.build(**size).fill(weights)
    X = model.weights["tgt_embedding.weight"][tgt_in] * size["D"] ** 0.5 + positions(tgt_in.shape[1], size["D"])
    for layer in torch_stack(model, "decoder"):
        X = layer(X, memory, tgt_mask=torch.ones(X.shape[1], X.shape[1], dtype=torch.bool).triu(1))
    logits = normalised(model, "decoder_norm", X) @ model.weights["head.weight"].T + model.weights["head.bias"]
    assert_close(model.call("decode", tgt_in, memory), logits, what="the tensor of logits")


@exercise.check(points=1, examples=8,
                hint="Decode [[1, 2]] and [[1, 0]] with the same memory: the first logits must be the same. Which mask do the decoder's "
                     "layers get, and what does True mean there?",
                kept="asks for the causal mask alone: a wrong embedding or wrong layers keep this point")
@given(stacked)
def later_targets_do_not_reach_earlier_logits(student, case):
    """If a target token is replaced, no logits before its place change."""
    size, weights, _, tgt_in, memory = case
    model = student.build(**size).fill(weights)
    before = model.call("decode", tgt_in, memory)
    assert_varied(before, "the tensor of logits")
    other = torch.cat([tgt_in[:, :-1], (tgt_in[:, -1:] + 1) % size["vocab"]], 1)
    after = model.call("decode", other, memory)
    assert_close(after[:, :-1], before[:, :-1], what="each logit before the place of the token that was replaced")


@exercise.check(points=0.5, examples=8,
                hint="Decode the same targets with another memory for the first sequence only: which logits should change, and which not? "
                     "Does a mask for the memory get in the way, and is each sequence given its own memory?",
                kept="asks only how the memory is read: its hint finds a mask on it, and sequences that are given another's")
@given(stacked)
def every_place_reads_the_whole_memory(student, case):
    """A new order of the memory changes nothing, and another memory for one sequence changes all its logits and no others."""
    size, weights, _, tgt_in, memory = case
    model = student.build(**size).fill(weights)
    before = model.call("decode", tgt_in, memory)
    other = torch.cat([-memory[:1], memory[1:]])
    after = model.call("decode", tgt_in, other)
    assert_close(after[1:], before[1:], what="each logit of a sequence whose memory is as it was")
    assert_true(((after - before)[0].abs().amax(-1) > 1e-6).all(), "the logits at a place do not change when the memory does", what="the tensor of logits")
    assert_close(model.call("decode", tgt_in, memory.flip(1).contiguous()), before, what="the tensor of logits after the memory was turned round")


@exercise.check(points=0.5, examples=4,
                hint="There are positions for max_len tokens only. Try max_len tokens and one more, as source and as target: only the "
                     "second must raise a ValueError.")
@given(stacked)
def longer_than_max_len_is_refused(student, case):
    """Up to max_len tokens are taken, as source and as target, and more are refused."""
    size, weights, src, _, memory = case
    model = student.build(**size).fill(weights)
    full = src[:, :1].expand(-1, MAX_LEN).contiguous()
    longer = src[:, :1].expand(-1, MAX_LEN + 1).contiguous()
    assert_varied(model.call("encode", full), "the memory")
    assert_varied(model.call("decode", full, memory), "the tensor of logits")
    assert_true(model.refuses_call("encode", longer), "a source longer than max_len is not refused", what="encode")
    assert_true(model.refuses_call("decode", longer, memory), "targets longer than max_len are not refused", what="decode")


@exercise.check(points=0.5, examples=3,
                hint="Print the shapes of all parameters and add them up. Is a layer missing from parameters() because it stands in a "
                     "plain list, is one there twice, or is one a copy of another?")
@given(stacked)
def has_235851_parameters_and_layers_of_their_own(student, case):
    """With 11 tokens the default model has 235,851 parameters, and every layer starts from numbers of its own."""
    size, weights, src, _, _ = case
    small = student.build(**size).fill(weights)
    memory = small.call("encode", src)
    assert_varied(memory, "the memory")
    assert_close(small.call("encode", src[:1].contiguous()), memory[:1], what="the memory of the first sequence without the others")
    model = student.build(11)
    count = sum(math.prod(shape) for shape in model.shapes().values())
    assert_true(count == 235_851, f"the default model has {count:,} parameters instead of 235,851", what="the number of parameters")
    state = model.state()
    for one in ("encoder.{}.self_attn.in_proj_weight", "decoder.{}.linear1.weight"):
        assert_true(not torch.equal(state[one.format(0)], state[one.format(1)]), "two layers start from the same numbers", what="the parameters")
