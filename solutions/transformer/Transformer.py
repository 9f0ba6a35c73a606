"""Staff half of the exercise `Transformer`: reference, alternates, misconceptions, hidden checks."""

import copy
import functools
import math

import torch
import torch.nn as nn
from hypothesis import given

from autograder.compare import assert_close, assert_true
from autograder.exercises.transformer._given import sinusoids
from autograder.exercises.transformer.Transformer import (every_place_reads_the_whole_memory, exercise,
                                                          has_235851_parameters_and_layers_of_their_own,
                                                          later_targets_do_not_reach_earlier_logits, longer_than_max_len_is_refused,
                                                          stacked, the_decoder_is_fed_embeddings_and_positions, the_decoder_is_its_layers_in_order,
                                                          the_encoder_is_fed_embeddings_and_positions, the_encoder_is_its_layers_in_order)
from autograder.strategies import fillers


@exercise.solution
class Transformer(nn.Module):
    """A transformer from sequences to sequences: an encoder that reads the source, a decoder that says the target.

    vocab: how many tokens there are, 0 to vocab - 1, in source and target. D: width. H: heads. n_enc, n_dec: layers of encoder
    and decoder. max_len: the longest sequence. The checks load weights by the names that are given here, so keep them.
    """

    def __init__(self, vocab, D=64, H=4, n_enc=2, n_dec=2, max_len=32):
        super().__init__()
        self.D = D
        self.max_len = max_len
        self.src_embedding = nn.Embedding(vocab, D)
        self.tgt_embedding = nn.Embedding(vocab, D)
        self.register_buffer("positions", sinusoids(max_len, D), persistent=False)  # max_len x D, not learned
        options = dict(dim_feedforward=4 * D, dropout=0.0, batch_first=True, norm_first=True)
        self.encoder = nn.ModuleList([nn.TransformerEncoderLayer(D, H, **options) for _ in range(n_enc)])
        self.decoder = nn.ModuleList([nn.TransformerDecoderLayer(D, H, **options) for _ in range(n_dec)])
        self.encoder_norm = nn.LayerNorm(D)
        self.decoder_norm = nn.LayerNorm(D)
        self.head = nn.Linear(D, vocab)

    def encode(self, src):
        """Read the source.

        src: int64 tensor B x N of tokens. Returns the memory, B x N x D: the encoder's output after encoder_norm.
        Raises ValueError if N is larger than max_len.
        """
        N = src.shape[1]
        if N > self.max_len:
            raise ValueError(f"the source has {N} tokens; there are positions for {self.max_len}")
        X = self.src_embedding(src) * math.sqrt(self.D) + self.positions[:N]
        for layer in self.encoder:
            X = layer(X)
        return self.encoder_norm(X)

    def decode(self, tgt_in, memory):
        """Say what comes next after each token of the target so far; always causal.

        tgt_in: int64 tensor B x M of tokens, sos in front. memory: B x N x D, from encode.
        Returns logits B x M x vocab: place m scores the token that follows tgt_in[:, m].
        Raises ValueError if M is larger than max_len.
        """
        M = tgt_in.shape[1]
        if M > self.max_len:
            raise ValueError(f"the target has {M} tokens; there are positions for {self.max_len}")
        X = self.tgt_embedding(tgt_in) * math.sqrt(self.D) + self.positions[:M]
        ahead = torch.ones(M, M, dtype=torch.bool, device=X.device).triu(1)  # True where torch must not look
        for layer in self.decoder:
            X = layer(X, memory, tgt_mask=ahead)
        return self.head(self.decoder_norm(X))


exercise.equivalent('if N > self.max_len: -> if False:',
                    because="there are no positions beyond max_len, so the sum breaks off, and any exception is a refusal")
exercise.equivalent('if M > self.max_len: -> if False:',
                    because="there are no positions beyond max_len, so the sum breaks off, and any exception is a refusal")
exercise.equivalent('ahead = torch.ones(M, M, dtype=torch.bool, device=X.device).triu(1) -> '
                    'ahead = torch.ones(M, M, dtype=torch.bool).triu(1)',
                    because="the checks use one device, the CPU")
exercise.equivalent('ahead = torch.ones(M, M, dtype=torch.bool, device=X.device).triu(1) -> '
                    'ahead = torch.ones(M, M, dtype=torch.bool, device=memory.device).triu(1)',
                    because="tokens and memory are on one device")


@exercise.hidden_check(points=0.5, examples=10,
                       hint="Follow one target token through decode with n_dec=1 and then 2: self-attention under the causal mask, the "
                            "memory as it is, every layer once and in order, decoder_norm, head.",
                       kept="the logits as a whole, on models seeded from the course's secret")
@given(stacked)
def the_logits_agree_with_the_reference(student, case):
    """The logits agree with the reference, for targets shorter and longer than the source and for any memory."""
    size, weights, _, tgt_in, memory = case
    model, ours = (made.build(**size).fill(weights) for made in (student, Transformer))
    assert_close(model.call("decode", tgt_in, memory), ours.call("decode", tgt_in, memory), what="the tensor of logits")


@exercise.hidden_check(points=0.5, examples=4,
                       hint="Is every parameter used, by each sequence of the batch, and does a gradient reach it? Is something kept from "
                            "an earlier call?")
@given(stacked, fillers(("normal",)), fillers(("normal",)))
def the_gradients_are_right(student, case, weights, filler):
    """The gradients that reach the memory and every parameter are those of the formula, in train mode too."""
    size, _, src, tgt_in, memory = case
    model, ours = (made.build(**size).fill(weights) for made in (student, Transformer))
    for method, arguments in (("encode", (src,)), ("decode", (tgt_in, memory))):
        wanted_value = ours.call(method, *arguments)
        assert_close(model.training().call(method, *arguments), wanted_value, what=f"what {method} returns in train mode")
        cotangent, = filler(tuple(wanted_value.shape))
        got = model.vjp_of(method, (cotangent,), *arguments)
        assert_true(got is not None, f"no gradient flows through {method}, so the model cannot be trained", what="the gradient")
        wanted_inputs, wanted = ours.vjp_of(method, (cotangent,), *arguments)
        if method == "decode":
            assert_close(got[0][0], wanted_inputs[0], what="the gradient with respect to the memory")
        for name, gradient in wanted.items():
            assert_close(got[1][name], gradient, what=f"the gradient with respect to {name}")


@exercise.hidden_check(points=0.5, examples=5,
                       hint="Encode one source, then decode with the memory of another; decode one token, then two. Is something kept in self "
                            "from the first call: a memory, a mask, tokens?")
@given(stacked)
def calls_leave_no_trace(student, case):
    """What encode and decode give depends on the arguments and the weights only, not on earlier calls of either."""
    size, weights, src, tgt_in, memory = case
    model, ours = (made.build(**size).fill(weights) for made in (student, Transformer))
    expected, logits = ours.call("encode", src), ours.call("decode", tgt_in, memory)
    others = (src + 1) % size["vocab"]
    assert_close(model.after_call("encode", others).call("encode", src), expected, what="the memory after another source was read")
    assert_close(model.after_call("encode", src[:, :1].contiguous()).call("encode", src), expected, what="the memory after a shorter source was read")
    assert_close(model.after_call("encode", others).call("decode", tgt_in, memory), logits, what="the tensor of logits after a source was read")
    assert_close(model.after_call("decode", tgt_in, -memory).call("decode", tgt_in, memory), logits, what="the tensor of logits after another memory")
    assert_close(model.after_call("decode", tgt_in[:, :1].contiguous(), memory).call("decode", tgt_in, memory), logits,
                 what="the tensor of logits after a decoding of one token")
    longer = torch.cat([tgt_in, tgt_in[:, :1]], 1)
    assert_close(model.after_call("decode", longer, memory).call("decode", tgt_in, memory), logits, what="the tensor of logits after longer targets")


class _Model(nn.Module):
    """The common part of the answers below; each step can be overridden."""

    def __init__(self, vocab, D=64, H=4, n_enc=2, n_dec=2, max_len=32):
        super().__init__()
        self.D, self.max_len = D, max_len
        self.src_embedding = nn.Embedding(vocab, D)
        self.tgt_embedding = nn.Embedding(vocab, D)
        self.register_buffer("positions", sinusoids(max_len, D), persistent=False)
        options = dict(dim_feedforward=4 * D, dropout=0.0, batch_first=True, norm_first=True)
        self.encoder = nn.ModuleList([nn.TransformerEncoderLayer(D, H, **options) for _ in range(n_enc)])
        self.decoder = nn.ModuleList([nn.TransformerDecoderLayer(D, H, **options) for _ in range(n_dec)])
        self.encoder_norm, self.decoder_norm = nn.LayerNorm(D), nn.LayerNorm(D)
        self.head = nn.Linear(D, vocab)

    def embed(self, tokens, table):
        if tokens.shape[1] > self.max_len:
            raise ValueError("too long")
        return table(tokens) * math.sqrt(self.D) + self.positions[:tokens.shape[1]]

    def ahead(self, M):
        return torch.ones(M, M, dtype=torch.bool).triu(1)

    def up(self, X):
        for layer in self.encoder:
            X = layer(X)
        return X

    def down(self, X, memory):
        for layer in self.decoder:
            X = layer(X, memory, tgt_mask=self.ahead(X.shape[1]))
        return X

    def encode(self, src):
        return self.encoder_norm(self.up(self.embed(src, self.src_embedding)))

    def decode(self, tgt_in, memory):
        return self.head(self.decoder_norm(self.down(self.embed(tgt_in, self.tgt_embedding), memory)))


class _EncoderLayer(nn.Module):
    """A layer as in the exercise `TransformerLayer`."""

    def __init__(self, D, H):
        super().__init__()
        self.attention = nn.MultiheadAttention(D, H, batch_first=True)
        self.norm1, self.norm2 = nn.LayerNorm(D), nn.LayerNorm(D)
        self.mlp = nn.Sequential(nn.Linear(D, 4 * D), nn.ReLU(), nn.Linear(4 * D, D))

    def forward(self, X):
        Z = self.norm1(X)
        X = X + self.attention(Z, Z, Z)[0]
        return X + self.mlp(self.norm2(X))


class _DecoderLayer(nn.Module):
    """A layer as in the exercise `DecoderLayer`; the mask is True where attending is allowed."""

    def __init__(self, D, H):
        super().__init__()
        self.self_attention = nn.MultiheadAttention(D, H, batch_first=True)
        self.cross_attention = nn.MultiheadAttention(D, H, batch_first=True)
        self.norm1, self.norm2, self.norm3 = nn.LayerNorm(D), nn.LayerNorm(D), nn.LayerNorm(D)
        self.mlp = nn.Sequential(nn.Linear(D, 4 * D), nn.ReLU(), nn.Linear(4 * D, D))

    def forward(self, X, memory, mask=None):
        Z = self.norm1(X)
        X = X + self.self_attention(Z, Z, Z, attn_mask=~mask)[0]
        X = X + self.cross_attention(self.norm2(X), memory, memory)[0]
        return X + self.mlp(self.norm3(X))


@exercise.alternate
class with_layers_of_its_own(_Model):
    """The student's own layers in the place of torch's."""

    def __init__(self, vocab, D=64, H=4, n_enc=2, n_dec=2, max_len=32):
        super().__init__(vocab, D, H, 0, 0, max_len)
        self.encoder = nn.ModuleList([_EncoderLayer(D, H) for _ in range(n_enc)])
        self.decoder = nn.ModuleList([_DecoderLayer(D, H) for _ in range(n_dec)])

    def down(self, X, memory):
        mask = torch.ones(X.shape[1], X.shape[1], dtype=torch.bool).tril()
        for layer in self.decoder:
            X = layer(X, memory, mask)
        return X


@exercise.alternate
class positions_computed_anew(_Model):
    """The positions come from the given function each time, in float32; the causal mask is additive."""

    def embed(self, tokens, table):
        if len(tokens[0]) > self.max_len:
            raise ValueError
        return self.D ** 0.5 * table.weight[tokens] + sinusoids(tokens.shape[-1], self.D).float()

    def ahead(self, M):
        return nn.Transformer.generate_square_subsequent_mask(M).double()


@exercise.alternate
class step_by_step(_Model):
    """Each place decoded from its own past; non-contiguous logits."""

    def decode(self, tgt_in, memory):
        X = self.embed(tgt_in, self.tgt_embedding)
        rows = [self.down(X[:, :m + 1], memory)[:, -1] for m in range(tgt_in.shape[1])]
        Y = self.decoder_norm(torch.stack(rows, 0))
        return self.head(Y).transpose(0, 1)


@exercise.alternate
class one_sequence_at_a_time(_Model):
    """A loop over the batch."""

    def encode(self, src):
        read = super().encode
        return torch.cat([read(one[None]) for one in src])

    def decode(self, tgt_in, memory):
        say = super().decode
        return torch.cat([say(t[None], m[None]) for t, m in zip(tgt_in, memory)])


@exercise.alternate
class with_one_hot_tokens(_Model):
    """Tokens as unit vectors, places looked up one by one, a mask of 0 and -inf."""

    def embed(self, tokens, table):
        B, N = tokens.shape
        if not N <= len(self.positions):
            raise ValueError(f"{N} tokens are too many")
        hot = nn.functional.one_hot(tokens, table.num_embeddings).to(table.weight.dtype)
        return hot @ table.weight * table.embedding_dim ** 0.5 + self.positions[torch.arange(N).expand(B, N)]

    def ahead(self, M):
        return torch.full((M, M), -torch.inf).triu(1)


@exercise.alternate
class layers_in_a_chain(_Model):
    """nn.Sequential and reduce; torch is told that the mask is causal."""

    def up(self, X):
        return nn.Sequential(*self.encoder)(X)

    def down(self, X, memory):
        ahead = self.ahead(X.shape[1])
        return functools.reduce(lambda Y, layer: layer(Y, memory, tgt_mask=ahead, tgt_is_causal=True), self.decoder, X)


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


_FED, _HEARD = the_encoder_is_fed_embeddings_and_positions, the_decoder_is_fed_embeddings_and_positions
_LAYERS, _LOGITS = the_encoder_is_its_layers_in_order, the_logits_agree_with_the_reference
_CAUSAL, _LONG = later_targets_do_not_reach_earlier_logits, longer_than_max_len_is_refused


@_wrong(_FED, "embeddings that are not multiplied by sqrt(D)")
class not_scaled(_Model):
    def embed(self, tokens, table):
        return super().embed(tokens, table) - table(tokens) * (math.sqrt(self.D) - 1)


@_wrong(_FED, "embeddings divided by sqrt(D) instead of multiplied")
class divided(_Model):
    def embed(self, tokens, table):
        return super().embed(tokens, table) + table(tokens) * (1 / math.sqrt(self.D) - math.sqrt(self.D))


@_wrong(_FED, "embeddings multiplied by D instead of its root")
class scaled_by_D(_Model):
    def embed(self, tokens, table):
        return super().embed(tokens, table) + table(tokens) * (self.D - math.sqrt(self.D))


@_wrong(_FED, "positions multiplied by sqrt(D) along with the embeddings")
class positions_scaled_too(_Model):
    def embed(self, tokens, table):
        return super().embed(tokens, table) + self.positions[:tokens.shape[1]] * (math.sqrt(self.D) - 1)


@_wrong(_FED, "a model without positions")
class no_positions(_Model):
    def embed(self, tokens, table):
        return super().embed(tokens, table) - self.positions[:tokens.shape[1]]


@_wrong(_HEARD, "a decoder without positions")
class no_positions_in_the_decoder(_Model):
    def embed(self, tokens, table):
        return super().embed(tokens, table) - (self.positions[:tokens.shape[1]] if table is self.tgt_embedding else 0)


@_wrong(_HEARD, "target embeddings that are not multiplied by sqrt(D), while the source's are")
class targets_not_scaled(_Model):
    def embed(self, tokens, table):
        return super().embed(tokens, table) - (table(tokens) * (math.sqrt(self.D) - 1) if table is self.tgt_embedding else 0)


@_wrong(_FED, "positions that run along the batch: every token of a sequence gets the same one")
class positions_along_the_batch(_Model):
    def embed(self, tokens, table):
        if max(tokens.shape) > self.max_len:
            raise ValueError("too long")
        return table(tokens) * math.sqrt(self.D) + self.positions[:len(tokens), None]


@_wrong(_FED, "positions counted from 1 instead of 0")
class positions_from_one(_Model):
    def embed(self, tokens, table):
        n = tokens.shape[1]
        return super().embed(tokens, table) - self.positions[:n] + sinusoids(n + 1, self.D)[1:]


@_wrong(_FED, "the same position for every token")
class one_position_for_all(_Model):
    def embed(self, tokens, table):
        return super().embed(tokens, table) - self.positions[:tokens.shape[1]] + self.positions[0]


@_wrong(_FED, "positions multiplied into the embeddings instead of added")
class positions_multiplied(_Model):
    def embed(self, tokens, table):
        super().embed(tokens, table)
        return table(tokens) * math.sqrt(self.D) * self.positions[:tokens.shape[1]]


@_wrong(_HEARD, "target tokens looked up among the source's embeddings")
class one_table(_Model):
    def decode(self, tgt_in, memory):
        return self.head(self.decoder_norm(self.down(self.embed(tgt_in, self.src_embedding), memory)))


@_wrong(_FED, "source tokens looked up among the target's embeddings")
class source_from_the_target_table(_Model):
    def encode(self, src):
        return self.encoder_norm(self.up(self.embed(src, self.tgt_embedding)))


@_wrong(_FED, "a memory without encoder_norm")
class encoder_norm_missing(_Model):
    def encode(self, src):
        return self.up(self.embed(src, self.src_embedding))


@_wrong(_HEARD, "logits without decoder_norm")
class decoder_norm_missing(_Model):
    def decode(self, tgt_in, memory):
        return self.head(self.down(self.embed(tgt_in, self.tgt_embedding), memory))


@_wrong(_FED, "the two final LayerNorms in each other's place")
class norms_exchanged(_Model):
    def encode(self, src):
        return self.decoder_norm(self.up(self.embed(src, self.src_embedding)))

    def decode(self, tgt_in, memory):
        return self.head(self.encoder_norm(self.down(self.embed(tgt_in, self.tgt_embedding), memory)))


@_wrong(_LAYERS, "encoder_norm in front of the layers instead of behind them")
class norm_in_front(_Model):
    def encode(self, src):
        return self.up(self.encoder_norm(self.embed(src, self.src_embedding)))


@_wrong(_LAYERS, "encoder_norm after every layer")
class norm_after_every_layer(_Model):
    def up(self, X):
        for layer in self.encoder[:-1]:
            X = self.encoder_norm(layer(X))
        return self.encoder[-1](X) if len(self.encoder) else X


@_wrong(_LAYERS, "the first encoder layer only")
class first_layer_only(_Model):
    def up(self, X):
        return self.encoder[0](X) if len(self.encoder) else X


@_wrong(_LAYERS, "the last encoder layer only: each layer is fed the embeddings, not what the one before it returned")
class layers_not_chained(_Model):
    def up(self, X):
        for layer in self.encoder:
            Y = layer(X)
        return Y if len(self.encoder) else X


@_wrong(_LAYERS, "one encoder layer used again and again")
class same_layer_again(_Model):
    def up(self, X):
        for _ in self.encoder:
            X = self.encoder[0](X)
        return X


@_wrong(_LAYERS, "encoder layers in reverse order")
class layers_reversed(_Model):
    def up(self, X):
        for layer in reversed(self.encoder):
            X = layer(X)
        return X


@_wrong(_LAYERS, "a causal encoder")
class causal_encoder(_Model):
    def up(self, X):
        for layer in self.encoder:
            X = layer(X, src_mask=self.ahead(X.shape[1]))
        return X


@_wrong(_LAYERS, "another residual connection around each encoder layer")
class residual_twice(_Model):
    def up(self, X):
        for layer in self.encoder:
            X = X + layer(X)
        return X


@_wrong(_LAYERS, "positions added again before every layer")
class positions_in_every_layer(_Model):
    def up(self, X):
        for number, layer in enumerate(self.encoder):
            X = layer(X + (self.positions[:X.shape[1]] if number else 0))
        return self.encoder[0](X + self.positions[:X.shape[1]]) if len(self.encoder) == 1 else X


@_wrong(_CAUSAL, "a decoder without a mask")
class decoder_not_causal(_Model):
    def ahead(self, M):
        return None


@_wrong(_CAUSAL, "a causal mask the wrong way round: True is forbidden to torch, and the past is what was forbidden")
class mask_inverted(_Model):
    def ahead(self, M):
        return torch.ones(M, M, dtype=torch.bool).tril(-1)


@_wrong(_LOGITS, "a causal mask without its diagonal, under which the first token sees nothing")
class mask_without_the_diagonal(_Model):
    def ahead(self, M):
        return torch.ones(M, M, dtype=torch.bool).triu(0)


@_wrong(_CAUSAL, "a causal mask that lets each token see one token too far")
class mask_one_too_far(_Model):
    def ahead(self, M):
        return torch.ones(M, M, dtype=torch.bool).triu(2)


@_wrong(_CAUSAL, "a causal mask in the first decoder layer only")
class mask_in_the_first_layer_only(_Model):
    def down(self, X, memory):
        for number, layer in enumerate(self.decoder):
            X = layer(X, memory, tgt_mask=None if number else self.ahead(X.shape[1]))
        return X


@_wrong(every_place_reads_the_whole_memory, "a causal mask on the memory too")
class memory_masked(_Model):
    def down(self, X, memory):
        ahead = torch.ones(X.shape[1], memory.shape[1], dtype=torch.bool).triu(1)
        for layer in self.decoder:
            X = layer(X, memory, tgt_mask=self.ahead(X.shape[1]), memory_mask=ahead)
        return X


@_wrong(every_place_reads_the_whole_memory, "a decoder that reads itself instead of the memory")
class memory_ignored(_Model):
    def down(self, X, memory):
        for layer in self.decoder:
            X = layer(X, X, tgt_mask=self.ahead(X.shape[1]))
        return X


@_wrong(_LOGITS, "the first decoder layer only")
class first_decoder_layer_only(_Model):
    def down(self, X, memory):
        return self.decoder[0](X, memory, tgt_mask=self.ahead(X.shape[1])) if len(self.decoder) else X


@_wrong(_LOGITS, "decoder layers in reverse order")
class decoder_reversed(_Model):
    def down(self, X, memory):
        for layer in reversed(self.decoder):
            X = layer(X, memory, tgt_mask=self.ahead(X.shape[1]))
        return X


@_wrong(_LOGITS, "one decoder layer used again and again")
class same_decoder_layer_again(_Model):
    def down(self, X, memory):
        for _ in self.decoder:
            X = self.decoder[0](X, memory, tgt_mask=self.ahead(X.shape[1]))
        return X


@_wrong(_LOGITS, "a memory that is normalised once more in the decoder")
class memory_normalised_again(_Model):
    def down(self, X, memory):
        return super().down(X, self.encoder_norm(memory))


@_wrong(every_place_reads_the_whole_memory, "the first sequence's memory for the whole batch")
class memory_of_the_first(_Model):
    def down(self, X, memory):
        return super().down(X, memory[:1].expand_as(memory))


@_wrong(_LOGITS, "memory and target exchanged in the decoder's layers, cut to the target's length")
class memory_and_target_exchanged(_Model):
    def down(self, X, memory):
        for layer in self.decoder:
            memory = layer(memory, X, tgt_mask=self.ahead(memory.shape[1]))
        return memory.mean(1, keepdim=True).expand_as(X) if len(self.decoder) else X


@_wrong(_HEARD, "probabilities instead of logits (a softmax too many)")
class probabilities(_Model):
    def decode(self, tgt_in, memory):
        return torch.softmax(super().decode(tgt_in, memory), -1)


@_wrong(_HEARD, "log-probabilities instead of logits")
class log_probabilities(_Model):
    def decode(self, tgt_in, memory):
        return torch.log_softmax(super().decode(tgt_in, memory), -1)


@_wrong(_HEARD, "logits for the last place only")
class last_place_only(_Model):
    def decode(self, tgt_in, memory):
        return super().decode(tgt_in, memory)[:, -1]


@_wrong(_HEARD, "tokens (an argmax) instead of logits")
class tokens_instead(_Model):
    def decode(self, tgt_in, memory):
        return super().decode(tgt_in, memory).argmax(-1)


@_wrong(_HEARD, "a head that shares its weights with the target embeddings")
class tied_head(_Model):
    def decode(self, tgt_in, memory):
        Y = self.decoder_norm(self.down(self.embed(tgt_in, self.tgt_embedding), memory))
        return Y @ self.tgt_embedding.weight.T + self.head.bias


@_wrong(_LONG, "encode accepts any length")
class any_source(_Model):
    def encode(self, src):
        n = src.shape[1]
        X = self.src_embedding(src) * math.sqrt(self.D) + sinusoids(n, self.D)
        return self.encoder_norm(self.up(X))


@_wrong(_LONG, "decode accepts any length")
class any_target(_Model):
    def decode(self, tgt_in, memory):
        X = self.tgt_embedding(tgt_in) * math.sqrt(self.D) + sinusoids(tgt_in.shape[1], self.D)
        return self.head(self.decoder_norm(self.down(X, memory)))


@_wrong(_LONG, "max_len tokens are refused already (>= instead of >)")
class one_too_strict(_Model):
    def embed(self, tokens, table):
        if tokens.shape[1] >= self.max_len:
            raise ValueError("too long")
        return super().embed(tokens, table)


@_wrong(_LONG, "one token too many is taken")
class one_too_lax(_Model):
    def embed(self, tokens, table):
        if tokens.shape[1] > self.max_len + 1:
            raise ValueError("too long")
        return table(tokens) * math.sqrt(self.D) + sinusoids(tokens.shape[1], self.D)


@_wrong(_LONG, "tokens beyond max_len cut off in silence")
class cut_off(_Model):
    def embed(self, tokens, table):
        Y = super().embed(tokens[:, :self.max_len], table)
        return torch.cat([Y, Y[:, -1:].expand(-1, tokens.shape[1] - Y.shape[1], -1)], 1)


_OWN = has_235851_parameters_and_layers_of_their_own


@_wrong(_OWN, "layers that all start from the same numbers: copies of one (deepcopy), or a seed set anew for each of them")
class copies(_Model):
    def __init__(self, vocab, D=64, H=4, n_enc=2, n_dec=2, max_len=32):
        with torch.random.fork_rng():
            torch.manual_seed(0)  # so that the start is known and can be named
            super().__init__(vocab, D, H, n_enc, n_dec, max_len)
        self.encoder = nn.ModuleList([copy.deepcopy(layer) for layer in [*self.encoder[:1]] * n_enc])
        self.decoder = nn.ModuleList([copy.deepcopy(layer) for layer in [*self.decoder[:1]] * n_dec])


@_wrong(_OWN, "one layer listed several times, so that all share its weights")
class shared(_Model):
    def __init__(self, vocab, D=64, H=4, n_enc=2, n_dec=2, max_len=32):
        super().__init__(vocab, D, H, n_enc, n_dec, max_len)
        self.encoder = nn.ModuleList([*self.encoder[:1]] * n_enc)
        self.decoder = nn.ModuleList([*self.decoder[:1]] * n_dec)


@_wrong(_OWN, "layers in a plain Python list, which parameters() does not look into")
class plain_list(_Model):
    def __init__(self, vocab, D=64, H=4, n_enc=2, n_dec=2, max_len=32):
        super().__init__(vocab, D, H, n_enc, n_dec, max_len)
        layers = [list(self.encoder.double()), list(self.decoder.double())]  # the module's own double() does not reach them any more
        del self.encoder, self.decoder
        self.encoder, self.decoder = layers


@_wrong(_OWN, "positions that are learned")
class positions_learned(_Model):
    def __init__(self, vocab, D=64, H=4, n_enc=2, n_dec=2, max_len=32):
        super().__init__(vocab, D, H, n_enc, n_dec, max_len)
        table = self.positions
        del self.positions
        self.positions = nn.Parameter(table)


@_wrong(calls_leave_no_trace, "the memory of its own last encode, read in the place of the one that decode is given")
class reads_its_own_memory(_Model):
    def encode(self, src):
        self.kept = super().encode(src)
        return self.kept

    def decode(self, tgt_in, memory):
        kept = getattr(self, "kept", memory)
        return super().decode(tgt_in, kept if kept.shape == memory.shape else memory)


@_wrong(calls_leave_no_trace, "a causal mask that is made at the first call and kept, too small for longer targets later")
class mask_of_the_first_call(_Model):
    def ahead(self, M):
        self.kept = getattr(self, "kept", super().ahead(M))
        return self.kept[:M, :M]


@_wrong(the_gradients_are_right, "a memory that is detached, so that the encoder never learns")
class memory_detached(_Model):
    def down(self, X, memory):
        return super().down(X, memory.detach())


@_wrong(the_gradients_are_right, "another output in train mode than in eval mode (dropout, which nobody asked for)")
class other_in_train_mode(_Model):
    def embed(self, tokens, table):
        Y = super().embed(tokens, table)
        return 2 * Y * (torch.arange(Y.shape[-1]) % 2) if self.training else Y  # what a dropout would do, but always the same


@_wrong(the_gradients_are_right, "an encoder under no_grad")
class encoder_under_no_grad(_Model):
    def up(self, X):
        with torch.no_grad():
            return super().up(X)
