# %% [markdown]
# # The transformer
#
# Attention lets tokens speak to one another, an MLP lets each of them think on its own, LayerNorm keeps the numbers in bounds, and
# positions say who stands where. None of these is a network yet. What makes a network of them is mostly *plumbing*: what is added to
# what, what is normalised when, who may hear whom. Plumbing is cheap to write and easy to get wrong, and a network with a wrong pipe often
# still trains: you will see one below that reaches a **lower** loss than the right one and cannot sort a single row of digits.
#
# Here you build the layer that nearly every transformer repeats, in its two arrangements, and see why one of them is easy to
# train sixteen layers deep and the other is not. Then come the layer of a decoder, a whole model that reads one sequence and says another, the
# trick by which it learns, and the loop by which it speaks. At the end it has learned to sort, and you look at how it does that.
#
# **What you need**: attention and its masks, LayerNorm, positional encodings, and how a `torch.nn.Module` works (`__init__` makes
# the parts, `forward` uses them). The layers inside come from torch, so you do not need your answers to other notebooks.
# **Time**: about two hours, and some three minutes in which the computer trains and you may watch.

# %% [markdown]
# ## What holds for every exercise
#
# - **Notation.** As in chapter 12 of Bishop, *Deep Learning: Foundations and Concepts*: $N$ tokens of $D$ features are the rows of an
#   $N \times D$ matrix $X$; $H$ is the number of heads, and $B$ the number of sequences in a batch.
# - **Shapes.** torch's `nn.MultiheadAttention` takes one sequence or one batch of them, so here `X` is `N x D` or `B x N x D`, and never
#   more. A module that is written for both counts its axes from the end.
# - **Masks.** `mask` is boolean and **True where attending is allowed**. It has no axis for the heads and broadcasts against `N x N` or
#   `B x N x N`: a causal mask is `N x N`, a padding mask `B x 1 x N`.
# - **The trap.** `nn.MultiheadAttention` and torch's own layers use the **opposite**: in their `attn_mask` (or `tgt_mask`), True means
#   *forbidden*. They are also strict about its shape. It must be `N x N`, or `(B * H) x N x N` with one matrix for each head of each
#   sequence: first all heads of sequence 0, then all heads of sequence 1, and so on. Repeating the batch's masks $H$ times over
#   gives the right shape and the wrong order.
# - **Classes.** `__init__` is given, and you write the other methods. The checks fill the parameters by their names, so leave names and
#   `__init__` as they are. There is no dropout.
# - **Inputs stay as they are.** `X = X + Y` makes a new tensor. `X += Y` writes into the caller's.

# %% given=true
import math

import torch
import torch.nn as nn

from autograder import check, figures, fill_parameters

# %% [markdown]
# ## 1. The layer
#
# A layer has two parts: self-attention, and an MLP that widens each token to $4D$ numbers, applies a ReLU and comes back to $D$. Each
# part has a *residual connection*: its output is **added** to what went in. The LayerNorms can stand in two places. In the
# original arrangement they come after the additions (*post-norm*):
#
# $$Z = \mathrm{LN}_1\bigl(X + \mathrm{Att}(X)\bigr), \qquad Y = \mathrm{LN}_2\bigl(Z + \mathrm{MLP}(Z)\bigr) .$$
#
# In the one that is usual today they come before the two parts, and the sums are left alone (*pre-norm*):
#
# $$Z = X + \mathrm{Att}\bigl(\mathrm{LN}_1(X)\bigr), \qquad Y = Z + \mathrm{MLP}\bigl(\mathrm{LN}_2(Z)\bigr) .$$
#
# Here $\mathrm{Att}(X)$ is attention of $X$ to itself: queries, keys and values are all the **same** tensor, so in the pre-norm layer
# all three are normalised. Note what the second residual connection carries: $Z$, in which attention's contribution is already
# contained.
#
# - `self.attention(Q, K, V, attn_mask=...)` returns a pair, the output and the weights.
# - `mask` may be `N x N`, `1 x N`, `B x N x N` or `B x 1 x N`; see the trap above for what torch wants instead. Useful: `expand`, `~` and
#   `repeat_interleave`.
# - **A token that may attend to nothing** gets zero from each head, so what attention adds to it is the bias of the output matrix,
#   `self.attention.out_proj.bias`. torch gives NaN there when it also has to return the weights; `need_weights=False` spares it that,
#   as long as gradients are recorded. You may also treat such rows yourself. A check of its own is about this case, with few points.
#
# To see whether the plumbing is right, think of what must pass through it. A LayerNorm does not notice a constant that is
# added to all features of a token. So in a pre-norm layer such a constant runs along the residual connections and comes out as
# it went in. In a post-norm layer attention hears of it, and the first LayerNorm takes it out of the sum.
#
# torch's own transformer layers are not allowed in this exercise and the one on the decoder's layer; they are what you are writing.

# %% exercise="TransformerLayer"

# %% [markdown]
# ### Who hears of whom?
#
# Replace one token, and see which outputs move, and how far. That is a test of the masks that needs no formula.

# %% given=true
def influence(layer, X):
    """How far each output of `layer` moves when one token of X is replaced, outputs x tokens; the largest distance is 1."""
    other = torch.randn(X.shape, generator=torch.Generator().manual_seed(4), dtype=X.dtype)
    with torch.no_grad():
        before = layer(X)
        columns = [(layer(torch.cat([X[:m], other[m:m + 1], X[m + 1:]])) - before).norm(dim=-1) for m in range(len(X))]
    distances = torch.stack(columns, dim=1)
    return distances / distances.max()


WORDS = "the cat sat on the mat".split()
CAUSAL = torch.ones(6, 6, dtype=torch.bool).tril()
X_cat = torch.randn(6, 16, generator=torch.Generator().manual_seed(3), dtype=torch.float64)   # any six tokens will do


def heard_in_a_layer(mask):
    """The influence of six tokens on one another in your layer, with random weights."""
    layer = fill_parameters(TransformerLayer(16, 2), 3)
    return influence(lambda X: layer(X, mask), X_cat)


# %% figure=true
figures.heat_maps([heard_in_a_layer(None), heard_in_a_layer(CAUSAL)], WORDS, ["no mask", "causal mask"], label="distance",
                  axes=("output", "replaced token"), title="How far an output moves when a token is replaced")

# %% [markdown]
# Without a mask every output hears of every token. Under the causal mask all that lies above the diagonal is a plain 0, which
# is *exactly* nothing: no output hears of a later token. A token hears of itself in two ways, through attention and along the residual
# connection, so the diagonal is mostly large. (The weights are random, so nothing else in the maps means anything.) The last rows
# are the same in both, up to the scale: the last token may look at everything anyhow.
#
# ### How large is a layer?

# %% experiment=true
def parameters(module):
    """How many parameters a module has."""
    return sum(parameter.numel() for parameter in module.parameters())


for D, H in ((64, 4), (768, 12)):
    layer = TransformerLayer(D, H)
    norms = parameters(layer.norm1) + parameters(layer.norm2)
    print(f"D = {D}: attention {parameters(layer.attention):,} + MLP {parameters(layer.mlp):,} + LayerNorms {norms:,} = {parameters(layer):,}")
    expected = {64: (16_640, 33_088, 256), 768: (2_362_368, 4_722_432, 3_072)}[D]
    assert (parameters(layer.attention), parameters(layer.mlp), norms) == expected, f"as given, a layer has {expected}; was __init__ changed?"
assert parameters(layer) == 7_087_872, "as given, a layer with D = 768 has 7,087,872 parameters"

# %% [markdown]
# Two thirds of a layer are its MLP. With $D = 768$, the width of GPT-2 small, attention has 2,362,368 parameters, the MLP 4,722,432, and
# the LayerNorms 3,072: together 7,087,872.

# %% [markdown]
# ## 2. A task to learn: counting
#
# To compare the two arrangements, they need something to learn that takes attention but no language. Here is one: for each token, say
# how many **other** tokens of the sequence are equal to it. There are $V$ different tokens, $0$ to $V - 1$, and as many classes; a
# count that is larger than $V - 1$ becomes $V - 1$.
#
# `x` is `... x N`, and so is the answer: each of the leading entries is a sequence of its own. For $V = 3$ the sequence
# `[2, 0, 2, 2, 2, 1]` has the targets `[2, 0, 2, 2, 2, 0]`: each 2 has three equals, but there is no class 3.

# %% exercise="counting_targets"

# %% [markdown]
# ### Which of the two can be trained?
#
# Now 16 layers are stacked, once pre-norm and once post-norm, and trained on the counting task ($N = 16$, $V = 8$), each for 200 steps at
# four learning rates. The error is the cross-entropy on fresh sequences, in nats. Someone who only knows how often each count occurs,
# and never looks at the sequence, has an error of 1.62: the *error of the marginal*. (The sums of a pre-norm stack are never normalised,
# so it gets one more LayerNorm at its very end.) This takes one to two minutes.

# %% experiment=true
torch.set_num_threads(1)
N_COUNT, V_COUNT = 16, 8
RATES = [1e-4, 3e-4, 1e-3, 3e-3]


class CountingModel(nn.Module):
    """Tokens in, the logits of their counts out; `depth` of your layers between."""

    def __init__(self, pre_norm, depth=16, D=32, H=4):
        super().__init__()
        self.embedding = nn.Embedding(V_COUNT, D)
        self.layers = nn.ModuleList([TransformerLayer(D, H, pre_norm) for _ in range(depth)])
        self.norm = nn.LayerNorm(D) if pre_norm else nn.Identity()
        self.head = nn.Linear(D, V_COUNT)

    def streams(self, x):
        """The tokens before the first layer and after each of them."""
        streams = [self.embedding(x)]
        for layer in self.layers:
            streams.append(layer(streams[-1]))
        return streams

    def error(self, x):
        """The mean cross-entropy of the counts in nats, and the streams on the way."""
        streams = self.streams(x)
        logits = self.head(self.norm(streams[-1]))
        return nn.functional.cross_entropy(logits.flatten(0, 1), counting_targets(x, V_COUNT).flatten()), streams


def counting_model(pre_norm, rate, steps, seed=2):
    """A model after `steps` steps of training."""
    torch.manual_seed(seed)
    model = CountingModel(pre_norm)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    for _ in range(steps):
        error, _ = model.error(torch.randint(0, V_COUNT, (32, N_COUNT)))
        optimizer.zero_grad()
        error.backward()
        optimizer.step()
    return model


def final_error(pre_norm, rate):
    """The error after 200 steps, on fresh sequences."""
    model = counting_model(pre_norm, rate, 200)
    with torch.no_grad():
        error = model.error(torch.randint(0, V_COUNT, (512, N_COUNT)))[0].item()
    print(f"{'pre' if pre_norm else 'post'}-norm, learning rate {rate:g}: {error:.2f} nats")
    return error


counts = counting_targets(torch.randint(0, V_COUNT, (20_000, N_COUNT), generator=torch.Generator().manual_seed(1)), V_COUNT).flatten()
shares = counts.bincount() / len(counts)
marginal = -(shares * shares.log()).sum().item()
print(f"error of the marginal: {marginal:.2f} nats")
assert abs(marginal - 1.62) < 0.01, "with right targets, the error of the marginal is 1.62 nats"
errors = {"pre-norm": [final_error(True, rate) for rate in RATES], "post-norm": [final_error(False, rate) for rate in RATES]}
assert errors["pre-norm"][2] < 0.6, "a right pre-norm stack is below 0.6 nats after 200 steps at a learning rate of 0.001"
assert errors["post-norm"][2] > 1.0, "a right post-norm stack is still above 1.0 nats after 200 steps at a learning rate of 0.001"

# %% experiment=true
figures.line_panels(RATES, {"error in nats": errors | {"the marginal": [marginal] * 4}}, x_title="learning rate",
                    title="The counting task after 200 steps, 16 layers")

# %% [markdown]
# At a learning rate of 0.001 the pre-norm stack has learned to count (about 0.2 nats; between 0.15 and 0.5 with other seeds), and the
# post-norm stack knows no more than the marginal. At smaller rates it begins to move at best, and then the pre-norm stack is well ahead
# of it. Post-norm networks of this depth can be trained, but they want a learning rate that starts near zero and grows over thousands
# of steps. Why are they so hard to move? Look inside both after the first 20 steps.

# %% experiment=true
def inside(pre_norm, steps=20, rate=1e-3):
    """By depth: how different two tokens of a sequence are (1 - cosine, on average), and how large the error's gradient is."""
    model = counting_model(pre_norm, rate, steps)
    error, streams = model.error(torch.randint(0, V_COUNT, (64, N_COUNT)))
    gradients = torch.autograd.grad(error, streams)
    directions = [nn.functional.normalize(X - X.mean(-1, keepdim=True), dim=-1) for X in streams]
    different = [(1 - U @ U.mT).sum((-2, -1)).mean() / (N_COUNT * (N_COUNT - 1)) for U in directions]
    return [d.item() for d in different][::2], [g.norm().item() for g in gradients][::2]


seen = {"pre-norm": inside(True), "post-norm": inside(False)}
for name, (different, sizes) in seen.items():
    print(f"{name}: difference {different[0]:.2f} before the first layer and {different[-1]:.5f} after the last, "
          f"gradient {sizes[0]:.5f} and {sizes[-1]:.5f}")
panels = {"difference of two tokens": {name: different for name, (different, _) in seen.items()},
          "size of the gradient": {name: sizes for name, (_, sizes) in seen.items()}}
figures.line_panels(range(0, 17, 2), panels, x_title="layers passed", log_x=False, log_y=list(panels),
                    title="Inside both stacks after 20 steps").update_yaxes(exponentformat="power")

# %% [markdown]
# On the left is how different two tokens of a sequence are: 1 minus the cosine of the angle between them, so 1 is a right angle and 0 the
# same direction (each token less the mean of its features, which a LayerNorm does not notice). In both stacks the tokens grow alike: each
# attention mixes them, and nothing has been learned yet. In the pre-norm stack some of the difference survives (about .02), since each
# token's own features stay in the sum. In the post-norm stack, where every sum is squeezed to one size again and again, hardly
# anything survives (less than .0001). Then the head sees the same token sixteen
# times, and the best that it can say is the marginal.
#
# On the right is the size of the error's gradient at each depth; it is computed from right to left. In the pre-norm stack it arrives at the
# first layer as large as it set out, because the residual connections hand it on untouched. In the post-norm stack it has to
# pass 32 LayerNorms, and about a ninetieth of it arrives: the layers that would have to keep the tokens apart are told
# next to nothing.

# %% [markdown]
# ## 3. The decoder's layer
#
# A model that *says* something needs two kinds of attention: to what it has said so far, and to what it is talking about. A layer of
# the decoder has three parts, each with its residual connection, here pre-norm:
#
# $$Z = X + \mathrm{Att}_{\text{self}}\bigl(\mathrm{LN}_1(X)\bigr), \qquad
# U = Z + \mathrm{Att}_{\text{cross}}\bigl(\mathrm{LN}_2(Z),\, M\bigr), \qquad
# Y = U + \mathrm{MLP}\bigl(\mathrm{LN}_3(U)\bigr) .$$
#
# In the *cross-attention* the queries come from the decoder's tokens and **both keys and values from the memory** $M$, the output of the
# encoder. The memory may have another number of tokens than $X$, and is taken as it is: it has been normalised already.
#
# `mask` is for the self-attention only. The whole memory is known before the first word is said, so no token may be kept from any part of
# it. `None` means no mask: the layer is causal when it is given a causal mask, and not otherwise. Each row of the mask allows
# something.

# %% exercise="DecoderLayer"

# %% given=true
M_chat = torch.randn(4, 16, generator=torch.Generator().manual_seed(5), dtype=torch.float64)   # a memory of four tokens


def heard_in_the_decoder():
    """The influence of the tokens, and of the memory, on the outputs of your decoder's layer, with random weights."""
    layer = fill_parameters(DecoderLayer(16, 2), 3)
    return [influence(lambda X: layer(X, M_chat, CAUSAL), X_cat), influence(lambda M: layer(X_cat, M, CAUSAL), M_chat)]


# %% figure=true
figures.heat_maps(heard_in_the_decoder(), [WORDS, "le chat est assis".split()], ["tokens, causal mask", "memory"], queries=[WORDS, WORDS],
                  label="distance", axes=("output", "replaced"), title="What reaches an output of the decoder's layer")

# %% [markdown]
# On the left is the triangle again. On the right nothing is exactly 0: even the first output hears of the last token of the memory. If
# the upper right corner of the right map is 0, the causal mask has reached your cross-attention.

# %% [markdown]
# ## 4. A whole transformer
#
# ```
# src ─ embedding · √D + positions ─ encoder layers ─ encoder_norm ── memory
#                                                                       │
# tgt_in ─ embedding · √D + positions ─ decoder layers (causal) ────────┴─ decoder_norm ─ head ── logits
# ```
#
# - Source and target have an embedding table each. A token's embedding is **multiplied by** $\sqrt D$, and *then* its position is
#   added, so that the embeddings outweigh the positions, whose entries are sines and cosines. The positions are not learned:
#   `self.positions` holds a row for each place, from `sinusoids` below. They run along the tokens, not along the batch.
# - `encode(src)`: `B x N` tokens in, the memory `B x N x D` out. The encoder has no mask: it sees both ways.
# - `decode(tgt_in, memory)`: `B x M` tokens in, logits `B x M x vocab` out. The decoder is **always causal**. The logits at place $m$
#   are about the token that comes *after* `tgt_in[:, m]`. They are logits: no softmax.
# - Each stack ends with a LayerNorm, since the sums in a pre-norm stack are never normalised.
# - Sequences longer than `max_len` have no positions: both methods raise a `ValueError`. `max_len` tokens are fine.
#
# The stub is built from torch's own layers, which agree with yours up to the names of their parts, so that a slip in exercise 1 or 3 does
# not cost you points twice. Call them as `layer(X)` in the encoder and `layer(X, memory, tgt_mask=...)` in the decoder; in `tgt_mask`,
# **True means forbidden**. If you would rather see your own layers at work, put `TransformerLayer(D, H)` and `DecoderLayer(D, H)` in
# their places (and remember that to yours True means *allowed*): the checks take them as well. `nn.Transformer` is not allowed.

# %% given="sinusoids"

# %% exercise="Transformer"

# %% experiment=true
model = Transformer(11)
print(f"{parameters(model):,} parameters")
assert parameters(model) == 235_851, "as given, the model with 11 tokens has 235,851 parameters"

# %% [markdown]
# ## 5. Teacher forcing
#
# How does the decoder learn to say a target? Word by word it would take as many passes as there are words, and an early slip would
# spoil the rest. Instead it is told what it *should* have said so far, and is asked at all places at once what comes next:
#
# | place | 0 | 1 | 2 | 3 |
# |---|---|---|---|---|
# | the decoder hears | sos | 2 | 5 | 5 |
# | and must say | 2 | 5 | 5 | 9 |
#
# The upper row is the lower one, moved **one** place to the right, with a start token `sos` in front; the last target is heard by nobody.
# The causal mask does the rest. Both halves are needed: without the shift, the answer stands at the very place where it is asked for;
# without the mask, one place further on.

# %% exercise="shift_right"

# %% [markdown]
# ## 6. Greedy decoding
#
# When the model speaks for itself, nobody tells it what it should have said. It hears `sos`, says the token with the largest logit, hears
# that as well, says the next, and so on, for `steps` tokens:
#
# $$y_n = \operatorname*{argmax}_v \; \mathrm{logits}(\text{sos}, y_1, \dots, y_{n-1})_{v}, \text{ at the last place.}$$
#
# The source is the same all along, so it need be encoded only once. The model is told **all** it has said before, not only the last token,
# and each sequence of the batch goes its own way. Return the `B x steps` tokens, without `sos`.
#
# The model is an argument: anything with `encode` and `decode`. The checks use the little machine below, not your `Transformer`. A
# freshly made transformer tends to say the same token for ever, whatever it is told; this one listens.

# %% given="HistoryModel"

# %% exercise="greedy_decode"

# %% [markdown]
# ### Sorting
#
# Now everything comes together. The source is ten random digits, the target the same digits in ascending order, and token 10 is `sos`. Six hundred
# steps are enough. Then the model sorts 500 new sequences by itself, and a sequence counts as right only if **all** ten digits are.
#
# The same is done once more with one line changed: the decoder hears the targets as they are, *without* the shift. This takes about a
# minute.

# %% experiment=true
SOS, N_SORT = 10, 10


def sorter(shift, steps=600, batch=64, seed=0):
    """A trained model and its loss over the last 50 steps. shift: whether the decoder hears shifted targets."""
    torch.manual_seed(seed)
    model, losses = Transformer(11), []
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = 2e-3 * min(1, (step + 1) / 50, 2 * (steps - step) / steps)
        src = torch.randint(0, 10, (batch, N_SORT))
        targets = src.sort(dim=-1).values
        heard = shift_right(targets, SOS) if shift else targets
        loss = nn.functional.cross_entropy(model.decode(heard, model.encode(src)).flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return model.eval(), sum(losses[-50:]) / 50


def exact_match(model, sequences=500):
    """The share of new sequences that the model sorts without a single error."""
    src = torch.randint(0, 10, (sequences, N_SORT), generator=torch.Generator().manual_seed(7))
    said = greedy_decode(model, src, N_SORT, SOS)
    return (said == src.sort(dim=-1).values).all(dim=-1).double().mean().item()


trained = {"shifted": sorter(True), "not shifted": sorter(False)}
matches = {name: exact_match(model) for name, (model, _) in trained.items()}
for name, (_, loss) in trained.items():
    print(f"{name}: loss {loss:.4f}, exact match {matches[name]:.1%}")
assert matches["shifted"] >= 0.95, "with right parts, at least 95 % of the sequences are sorted without an error"
assert matches["not shifted"] < 0.05, "a model that never had to guess sorts next to nothing"

# %% [markdown]
# The model that was trained without the shift has the **lower** loss and does not sort one sequence. It learned to repeat what
# it hears, which is a perfect answer as long as somebody whispers it. A falling loss says that a model gets better at what it is asked.
# It does not say that it is asked the right thing. Judge a model by what it does on its own.
#
# ### How does it sort?
#
# The next cell listens in on every attention of the model while it sorts one sequence, and draws four of them: both layers of the encoder,
# and the two attentions of the decoder's second layer. The weights are averaged over the heads.

# %% experiment=true
def attention_maps(model, src, heard):
    """The weights (N_q x N_kv, mean over heads) of every attention in the model, in the order in which they are used."""
    maps = []

    def listen(module, args, kwargs, output):
        called = dict(zip(("query", "key", "value"), args)) | kwargs | {"need_weights": True, "average_attn_weights": True}
        with torch.no_grad():
            maps.append(nn.MultiheadAttention.forward(module, **called)[1][0])

    attentions = [module for module in model.modules() if isinstance(module, nn.MultiheadAttention)]
    hooks = [module.register_forward_hook(listen, with_kwargs=True) for module in attentions]
    model.decode(heard, model.encode(src))
    for hook in hooks:
        hook.remove()
    return maps


src = torch.tensor([[7, 2, 9, 4, 0, 5, 2, 8, 1, 6]])
sorting = trained["shifted"][0]
said = greedy_decode(sorting, src, N_SORT, SOS)
heard = shift_right(said, SOS)
print("source", src[0].tolist(), "\nsaid  ", said[0].tolist())
maps = attention_maps(sorting, src, heard)   # two of the encoder, then self and cross of each decoder layer
source_words = [str(token) for token in src[0].tolist()]
heard_words = ["sos" if token == SOS else str(token) for token in heard[0].tolist()]
figures.heat_maps([maps[0], maps[1], maps[4], maps[5]], [source_words, source_words, heard_words, source_words],
                  ["encoder, layer 1", "encoder, layer 2", "decoder, layer 2: self", "decoder, layer 2: cross"],
                  queries=[source_words, source_words, heard_words, heard_words], axes=("token that looks", "token looked at"),
                  title="The attention of the sorter")

# %% [markdown]
# Read the lower right map first. Its rows are the tokens that the decoder has just heard, its columns the source. After *sos* it looks at
# the smallest digit, 0. After 0 it looks at 1, after the 1 at both 2s, after 4 at 5, after 5 at 6, and so on: **at what comes next**,
# which is what the layer has to hand to the head. Nobody told it to; it was told only which token should have been said.
#
# The lower left map has the triangle of the causal mask. The rows of the two 2s differ: after the second one the model must know
# that there is no third, and it finds out from what it has said already. In the upper maps the source looks at itself, without a
# triangle. Here the rows of the two 2s, which stand at different places, are nearly **the same**. The encoder hardly uses the
# positions, for in sorting it does not matter where a digit stands. A task that a model solves does not prove that every part of it works:
# this one would not notice an encoder without positions.

# %% [markdown]
# ## 7. How many parameters?
#
# The large models are stacks of the very layer of exercise 1, with wider vectors and more layers. Nearly all their weights are in the
# matrices of these layers: four of $D \times D$ in attention (for queries, keys, values and the output) and two in the MLP, $D \times 4D$ and
# $4D \times D$. Add them up for `n_layers` layers, without biases, LayerNorms, embeddings and head, and return the number as an `int`.
#
# | model | $D$ | layers | weights in the layers' matrices | published size |
# |---|---|---|---|---|
# | GPT-2 small | 768 | 12 | 84,934,656 | 124 million |
# | GPT-2 XL | 1,600 | 48 | 1,474,560,000 | 1.56 billion |
# | GPT-3 | 12,288 | 96 | 173,946,175,488 | 175 billion |
#
# The number of heads plays no part: more heads are narrower heads.

# %% exercise="transformer_parameters"

# %% experiment=true
for name, D, n_layers, billions in (("GPT-2 small", 768, 12, "0.08"), ("GPT-2 XL", 1600, 48, "1.47"), ("GPT-3", 12288, 96, "173.95")):
    count = transformer_parameters(D, n_layers)
    print(f"{name}: {count:,}, or {count / 1e9:.2f} billion")
    assert f"{count / 1e9:.2f}" == billions, f"with a right answer, {name} has {billions} billion weights"
rest = 13 * 768 * 12 + 2 * 768 + (50_257 + 1_024) * 768
assert transformer_parameters(768, 12) + rest == 124_439_808, "with the rest, GPT-2 small has 124,439,808 parameters"

# %% [markdown]
# The rest of GPT-2 small: an embedding for each of 50,257 tokens and 1,024 learned positions, 768 numbers each; 13 $D$ biases and LayerNorm
# parameters in each of 12 layers; and one last LayerNorm. With these it has 124,439,808 parameters, nearly a third of
# them embeddings. In GPT-3 the layers are more than 99 % of the whole: the rest grows with $D$, the layers with $D^2$.

# %% [markdown] question="what-the-loss-does-not-say" points=2
# ### In your own words
#
# Explain in about ten sentences.
#
# 1. Why does the sorter that was trained without the shift have the lower loss, and why does it sort nothing? Say what its decoder hears at
#    place $n$ in training, and what it hears there when it decodes on its own.
# 2. Somebody keeps the shift and forgets the causal mask. What will the loss in training look like, and what the exact match? From which
#    place does the decoder take its answers?
# 3. In the figure of the two stacks after 20 steps: why does the gradient pass through a pre-norm stack without shrinking? Use the formula of
#    the layer and its derivative with respect to $X$. What in the post-norm formula stands in the way?

# %% [markdown]
# ## Handing in
#
# Restart the kernel and run all cells from the top, so that nothing depends on a cell you have deleted. Look once more at the
# seven check cells and at your answer to the written question, save, and hand in this one file, `transformer.ipynb`, under this
# name. Its outputs do not matter: your functions and classes are run again in grading, without the experiments. An exercise that you did not
# finish costs only its own points, so hand in what you have.
