# %% [markdown]
# # Multi-head attention
#
# *I swam across the river to get to the other bank.* To make sense of **get**, you need to know several things at once: *who*
# gets there, and *where to*. One attention cannot answer two questions. Its weights sum to 1, so what it gives to *I* it takes
# from *bank*, and what comes out is an average in which the two can no longer be told apart.
#
# The remedy is to ask several times in parallel. Each **head** has queries, keys and values of its own, and so a set of weights
# of its own; the answers are put side by side, and one more matrix mixes them. To keep the costs down, each head works on vectors
# that are narrower in proportion. Twelve heads cost no more parameters than one.
#
# Here you write this twice: head by head, as the formula has it, and as a module that computes all heads at once, as everybody
# does in practice. Then you load the weights of torch's own layer into yours, count parameters, and see a task at which one head
# must fail.
#
# **What you need**: attention as in the notebook before this one (you need none of your answers from there), `torch.softmax`,
# indexing and reshaping, and `nn.Linear`. **Time**: about 100 minutes, some 70 of them for the seven exercises.

# %% [markdown]
# ## What holds for every exercise
#
# - **Notation.** As in chapter 12 of Bishop, *Deep Learning: Foundations and Concepts*: a sentence is $N$ tokens of $D$ numbers
#   each, and the tokens are the **rows** of an $N \times D$ matrix $X$. There are $H$ heads, counted from 0 here, with queries and
#   keys of $D_k$ numbers and values of $D_v$ numbers.
# - **Leading dimensions.** `...` stands for any number of dimensions in front: none for one sentence, one for a batch, two for a
#   batch of batches. So count axes from the end. `B, N, D = X.shape`, `torch.bmm` and `X.transpose(1, 2)` suit one case only.
# - **Precision.** All floating inputs are `float64`. A helper such as `torch.zeros(3)` is `float32` unless you say otherwise, and
#   half precision is never precise enough.
# - **Masks** are boolean and **True where attending is allowed**.
# - **Gradients.** Models are trained through functions like these, so let gradients pass: no `.detach()`, `.data` or `.item()`
#   between the inputs and the result.
# - **Inputs stay as they are**: no `X -= ...`, no operation whose name ends in `_` on something that you were given, and no
#   `pop` from a list.
#
# As before, the cell under an exercise runs its public checks; hidden ones run in grading. Figures are drawn with your functions,
# and your functions may use one another.

# %% given=true
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from autograder import check, figures, fill_parameters

torch.set_num_threads(1)

# %% [markdown]
# ## 1. Splitting the features into heads
#
# All heads at once means one tensor with an axis for the heads. Cut the $D$ numbers of each token into $H$ stretches of
# $D/H$ neighbours: head 0 gets the first $D/H$ columns, head 1 the next, and so on. With $w = D/H$:
#
# $$\text{heads}_{h n j} = X_{n,\; h w + j}, \qquad h = 0, \dots, H - 1, \quad n = 0, \dots, N - 1, \quad j = 0, \dots, w - 1$$
#
# `... x N x D` goes in and `... x H x N x D/H` comes out, so that `heads[..., h, :, :]` is an $N \times D/H$ matrix: the sentence as
# head $h$ sees it. Where $H$ does not divide $D$, raise a `ValueError` with a sentence that says so.
#
# **A trap.** `X.reshape(H, N, D // H)` has the right shape and the wrong numbers. A reshape reads the numbers in order, row by
# row, and starts a new axis whenever one is full: it would give the first *tokens* to head 0. Cut the last axis alone first, then
# let the axes change places. Try both on `torch.arange(8).reshape(2, 4)` with two heads.

# %% exercise="split_heads"

# %% [markdown]
# ## 2. Merging them again
#
# The way back: `... x H x N x D/H` goes in, `... x N x D` comes out, head 0 in the first columns.
#
# $$Y_{n,\; h w + j} = \text{heads}_{h n j}$$
#
# The same trap lies on this side. The two axes that are to become one must stand next to each other, in the right order, before
# they are joined: first the head, then the number within it. (`view` in place of `reshape` refuses a tensor whose axes have
# changed places; `reshape` copies it.)

# %% exercise="merge_heads"

# %% [markdown]
# ## 3. Multi-head attention, head by head
#
# Every head has three matrices. For $h = 0, \dots, H - 1$:
#
# $$Q_h = X W^{(q)}_h, \qquad K_h = X W^{(k)}_h, \qquad V_h = X W^{(v)}_h, \qquad
# \text{head}_h = \mathrm{softmax}\!\left(\frac{Q_h K_h^{\mathsf T}}{\sqrt{D_k}}\right) V_h$$
#
# Here $W^{(q)}_h$ and $W^{(k)}_h$ are $D \times D_k$ and $W^{(v)}_h$ is $D \times D_v$, so $\text{head}_h$ is $N \times D_v$. The
# heads are put side by side, and one matrix $W^{(o)}$ of $H D_v \times D$ takes them back to the width of the tokens:
#
# $$Y = \left[\,\text{head}_0 \;\; \text{head}_1 \;\cdots\; \text{head}_{H-1}\,\right] W^{(o)}$$
#
# This is Algorithm 12.2 in Bishop's chapter. `W_q`, `W_k` and `W_v` are **lists** of $H$ matrices, `W_o` is one matrix; `X` is
# `... x N x D`, and so is `Y`. Weights multiply from the **right**, as the tokens are rows. There are no biases and there is no mask.
#
# - $D_k$, $D_v$ and $D$ are independent of each other here. The root is that of $D_k$, the width of one head's keys.
# - A loop over the heads is the natural way to write it, and fast enough.
# - There is no interplay between heads before $W^{(o)}$: each has a softmax of its own. Nor is there any in the product with $W^{(o)}$:
#   the output is a sum over heads, $Y = \sum_h \text{head}_h W^{(o)}_h$, where $W^{(o)}_h$ is the $h$-th block of $D_v$ rows of $W^{(o)}$.

# %% exercise="multi_head_attention"

# %% [markdown]
# ## 4. All heads at once, as a module
#
# In practice $D_k = D_v = D/H$, and the $H$ matrices of the queries are the columns of a single $D \times D$ matrix. One large
# product makes the queries of all heads, and splitting the **result** gives each head its own. With keys and values in the same way,
# the heads are one more axis of the tensor, over which everything broadcasts.
#
# `MultiHeadAttention(D, H)` has four layers `W_q`, `W_k`, `W_v`, `W_o`, each `nn.Linear(D, D)`. `__init__` is given; write
# `forward(X_q, X_kv, mask=None)`:
#
# - The tokens `X_q` (`... x N_q x D`) ask, so they make the queries. The tokens `X_kv` (`... x N_kv x D`) answer: they make keys **and**
#   values. When both are the same sentence this is *self-attention*. When a decoder asks an encoder it is *cross-attention*, and
#   $N_q$ and $N_{kv}$ may differ.
# - Return `(Y, alpha)`. `Y` is `... x N_q x D`; `alpha` has the weights of every head, `... x H x N_q x N_kv`, not averaged.
# - `mask` broadcasts against `... x N_q x N_kv`, as in the notebook before: it has **no axis for the heads**, since the same holds
#   in each. Adding that axis is your job. With `B x N_q x N_kv` against scores of `B x H x N_q x N_kv`, broadcasting would pair
#   the sentences with the *heads*: an error if you are lucky, and wrong numbers without a word if $B = H$. A mask has at least two
#   axes.
# - A query that may see **nothing** gets weights of 0. Then $0$ goes into `W_o`, and the output is its bias.
# - The layer remembers nothing: what it was called on before makes no difference.
# - `nn.Linear` has a bias and stores its matrix **transposed**: it computes `X @ weight.T + bias`. If you call the layer, as in
#   `self.W_q(X)`, you need not care.
#
# `nn.MultiheadAttention` is not allowed in this exercise; it is fine for comparing in a cell that you delete afterwards. The checks compare
# with it, too, but it has other conventions: its mask is True where attending is **not** allowed, it expects the batch on axis 1 unless you
# say `batch_first=True`, and it returns the weights **averaged** over the heads unless you say `average_attn_weights=False`. Much code goes
# wrong at exactly these three.

# %% exercise="MultiHeadAttention"

# %% [markdown]
# ### What a head looks at
#
# A trained model has learned its matrices. To see what the heads do to each other, let us write some by hand. The word vectors
# below have six coordinates in three pairs, and three heads of two numbers each get one pair: $W^{(k)}$, $W^{(v)}$ and $W^{(o)}$ are the
# identity, and $W^{(q)}$ is three times the identity, to make the weights sharper. So head 0 compares words by what they have to do
# with water and motion, head 1 by money and place, and head 2 by grammar and person. Beside them stands a layer with **one** head and
# the very same matrices.

# %% given=true
COORDINATES = ["water", "motion", "money", "place", "grammar", "person"]
VECTORS = {"I": [0, 0, 0, 0, 0, 1], "swam": [1, 1, 0, 0, 0, 0], "across": [0, 0.5, 0, 0, 1, 0], "river": [2, 0, 0, 1, 0, 0],
           "bank": [1, 0, 1, 1, 0, 0]}
GRAMMAR = [0, 0, 0, 0, 1, 0]   # the, to, get, other
RIVER = "I swam across the river to get to the other bank".split()
X_river = torch.tensor([VECTORS.get(word, GRAMMAR) for word in RIVER], dtype=torch.float64)   # 11 x 6


def by_coordinates(H):
    """A layer whose H heads compare words by their own coordinates, 6/H of them each."""
    layer = MultiHeadAttention(6, H).double()
    with torch.no_grad():
        for name, parameter in layer.named_parameters():
            parameter.copy_(torch.eye(6) if name.endswith("weight") else torch.zeros(6))
        layer.W_q.weight *= 3
    return layer


def attend_to_itself(layer, X):
    """(Y, alpha) of a sentence, without gradients."""
    with torch.no_grad():
        return layer(X, X)


# %% figure=true
figures.heat_maps([*attend_to_itself(by_coordinates(3), X_river)[1], *attend_to_itself(by_coordinates(1), X_river)[1]], RIVER,
                  ["head 0: water, motion", "head 1: money, place", "head 2: grammar, person", "a single head: all six"],
                  title="Three heads, and one")

# %% [markdown]
# Read the last row, that of *bank*, in each map.
#
# - Head 0 sees it as something with water, and finds *river* (.74), then *swam* and *bank* itself (.09 each).
# - Head 1 sees a place with money: itself (.80) and *river* (.10). For *swam* this head has nothing to ask, as its query there is
#   zero, and the weights are even: 1/11 = .09 each.
# - Head 2 has nothing to ask for *bank*. But the grammatical words find each other here, and *I* finds *I*.
# - The single head has to strike a balance between all of this. It gives .44 to *river*, .44 to *bank* itself, and little to anything
#   else. What the first two heads had told apart is one compromise now.
#
# In all maps the rows sum to 1: each head has a full set of weights, not a third of one.

# %% figure=true
figures.grouped_bars({"before": X_river[-1], "after three heads": attend_to_itself(by_coordinates(3), X_river)[0][-1],
                      "after one head": attend_to_itself(by_coordinates(1), X_river)[0][-1]}, COORDINATES,
                     title="The output of 'bank'", x_title="coordinate", y_title="value")

# %% [markdown]
# Each head hands over its own two coordinates. Head 0 went to the river: the water grew to 1.65, as *bank* gave *river* .74. Head 1 stayed
# with the bank: the money is still .80. Head 2, which had nothing to ask, hands over the mean of all eleven words, hence the .64 of grammar
# (seven words of eleven have it). After the single head water **and** money are lower, 1.35 and .44, since both had to be fetched with the same
# weights.
#
# A trained layer does not cut its coordinates as neatly: its matrices $W^{(q)}$, $W^{(k)}$ and $W^{(v)}$ first turn the tokens into whatever
# its heads are to compare, and $W^{(o)}$ spreads the answers over all coordinates again.

# %% [markdown]
# ## 5. Weights out of torch's own layer
#
# Whoever loads a trained model into code of their own has to know how its weights are laid out. `nn.MultiheadAttention(D, H, bias=False)`
# has two parameters:
#
# - `in_proj_weight`, $3D \times D$: the matrix of the queries on top, below it that of the keys, below it that of the values;
# - `out_proj.weight`, $D \times D$.
#
# Like all of torch's linear maps they are stored transposed, and used as `x @ weight.T`. Of the $D$ numbers of a query vector, head $h$ gets
# the $h$-th stretch of $D/H$, as in your `split_heads`. Return `(W_q, W_k, W_v, W_o)` in the form that `multi_head_attention` wants: three
# lists of $H$ matrices $D \times D/H$, and one $D \times D$ matrix, all to be multiplied from the right. $H$ divides $D$ here.
#
# There is no standard for this. Other libraries store the matrices untransposed, or queries, keys and values of head 0 first, then those of
# head 1. A shape rarely gives it away: a $D \times D$ matrix has the same one transposed, and a $3D \times D$ matrix with its rows in another
# order. Only the numbers tell you that you took the wrong one.

# %% exercise="weights_from_torch"

# %% experiment=true
torch.manual_seed(12)
layer = nn.MultiheadAttention(64, 4, bias=False, batch_first=True).double()
X = torch.randn(2, 10, 64, dtype=torch.float64)
theirs = layer(X, X, X)[0].detach()
mine = multi_head_attention(X, *weights_from_torch(layer.in_proj_weight.detach(), layer.out_proj.weight.detach(), 4))
difference = (mine - theirs).abs().max().item()
print(f"your function with torch's weights against torch's own layer: they differ by {difference:.1e} at most")
assert difference < 1e-12, "with right answers to exercises 3 and 5 the difference is about 1e-16"

X, W_o = X.float(), torch.randn(64, 64) / 8
W_q, W_k, W_v = ([torch.randn(64, 16) / 8 for _ in range(4)] for _ in range(3))
Q, K, V = (split_heads(X @ torch.cat(W, -1), 4) for W in (W_q, W_k, W_v))
mine, theirs = multi_head_attention(X, W_q, W_k, W_v, W_o), merge_heads(F.scaled_dot_product_attention(Q, K, V)) @ W_o
difference = (mine - theirs).abs().max().item()
print(f"head by head against torch's fused attention on split heads, both in float32: {difference:.1e}")
assert difference <= 2e-6, "with right answers to exercises 1 to 3 the difference is at most 2e-6, the rounding of float32"

order = torch.randperm(10)
difference = (multi_head_attention(X[:, order], W_q, W_k, W_v, W_o) - mine[:, order]).abs().max().item()
print(f"tokens in another order, outputs in that order: {difference:.1e}")
assert difference <= 1e-6, "with a right answer to exercise 3 the order of the tokens changes nothing but the order of the outputs"

# %% [markdown]
# The first line compares in float64, the others in float32, where the last digits depend on the order of the additions: some
# $10^{-7}$ is as close as two correct programs come.

# %% [markdown]
# ## 6. Counting parameters
#
# How large is all this? Count the parameters of `MultiHeadAttention(D, H)`: four matrices, and four biases if `bias` is true.
# Return an `int`, and raise a `ValueError` where $H$ does not divide $D$. Work out what becomes of $H$ in your formula before you write it.

# %% exercise="attention_parameters"

# %% [markdown]
# ## 7. And the layer that attention replaces
#
# A dense layer could let every number of the sentence depend on every other as well: write all $N D$ numbers into one vector, and multiply
# it by one matrix that gives $N D$ numbers. Count the weights of that matrix, without biases. Return an `int`.

# %% exercise="dense_parameters"

# %% given=true
LENGTHS = [1, 4, 16, 64, 256, 1024]

# %% figure=true
figures.line_panels(LENGTHS, {"parameters": {"one dense layer on the sentence": [dense_parameters(N, 768) for N in LENGTHS],
                                             "multi-head attention, 12 heads": [attention_parameters(768, 12, bias=False) for N in LENGTHS]}},
                    x_title="tokens N", log_y=["parameters"], columns=1, title="Parameters for tokens of 768 numbers, no biases")

# %% experiment=true
print(f"queries, keys and values of GPT-2 small:         {attention_parameters(768, 12, bias=False) - 768 * 768:>15,}")
print(f"with the output matrix:                          {attention_parameters(768, 12, bias=False):>15,}")
print(f"and with biases:                                 {attention_parameters(768, 12):>15,}")
print(f"a dense layer on 1024 tokens:                    {dense_parameters(1024, 768):>15,}")
built = sum(p.numel() for p in nn.MultiheadAttention(768, 12, bias=False, device="meta").parameters())
assert attention_parameters(768, 12, bias=False) - 768 * 768 == 1_769_472, "with a right answer to exercise 6 this is 3 · 768² = 1,769,472"
assert attention_parameters(768, 12, bias=False) == built == 2_359_296, "with a right answer to exercise 6 this is 2,359,296, as in torch's own layer"
assert attention_parameters(768, 12) == 2_362_368, "with a right answer to exercise 6 this is 2,362,368"
assert dense_parameters(1024, 768) == 618_475_290_624, "with a right answer to exercise 7 this is 618,475,290,624"

# %% [markdown]
# Both axes are logarithmic (M, B and T stand for $10^6$, $10^9$ and $10^{12}$). Attention is a flat line: its parameters belong to
# *features*, and the same ones serve each token, however many there are. The dense layer grows by a factor 16 whenever $N$ grows by a
# factor 4. They cross at $N = 2$, where $(2D)^2 = 4D^2$.
#
# The numbers printed are those of GPT-2 small, with $D = 768$ and sentences of up to 1024 tokens. There the dense layer would need 618 billion
# weights, $1024^2 / 4 = 262144$ times as many as attention, and this for one of twelve layers. Nor could it be used on 1025 tokens, and what it
# had learned about a word at place 3 it would not know at place 4.
#
# None of this is free. The dense layer has its $N^2 D^2$ weights ready, while attention computes $N^2$ weights for each head anew, for
# every sentence. It saves parameters, not pairs.

# %% [markdown]
# ## A task for two heads
#
# Why not one head of full width? It has as many parameters. Here is a task that shows the difference. A sentence has eight tokens. One of
# them, somewhere, is marked $A$, another one is marked $B$, and each token carries a *load* $\ell$ of four random numbers (independent, with mean 0
# and variance 1). **Every** token shall put out $\ell_A - \ell_B$.
#
# That takes two lookups, and one head has one set of weights for each query. If it gives the weight $a$ to $A$ and $b$ to $B$, then $a\,\ell_A + b\,\ell_B$ is
# what it passes on, with $a, b \ge 0$: whatever factor $c$ the matrices put before it, both loads get the same sign. As long as $a$ and $b$ depend on the
# marks alone, the mean squared error for each of the four numbers is at least
#
# $$(1 - c\,a)^2 + (1 + c\,b)^2 ,$$
#
# which is smallest for $c\,a = 1$ and $b = 0$ (or $a = 0$ and $c\,b = -1$): the head looks at one of the two only, and the error is 1. A layer that
# puts out zeros has the error 2. Two heads can come as close to 0 as you like: one looks for $A$, the other for $B$, and $W^{(o)}$ subtracts.
#
# The next cell trains your `MultiHeadAttention(8, H)` with 1, 2 and 4 heads; each has the same 288 parameters. Training gets stuck now and then, so each is
# trained from three starting points, and the best one counts. It takes well under a minute.

# %% experiment=true
def sentences(B, generator):
    """B x 8 x 8 tokens (marks A and B, then the load, then two zeros) and B x 1 x 4 targets."""
    loads = torch.randn(B, 8, 4, generator=generator)
    places = torch.rand(B, 8, generator=generator).argsort(-1)[:, :2]   # A and B are never the same token
    marks = torch.zeros(B, 8, 2)
    marks[torch.arange(B), places[:, 0], 0] = 1
    marks[torch.arange(B), places[:, 1], 1] = 1
    load_A, load_B = (loads[torch.arange(B), places[:, i]] for i in (0, 1))
    return torch.cat([marks, loads, torch.zeros(B, 8, 2)], -1), (load_A - load_B)[:, None, :]


def trained(H, seed, steps=600):
    """The error on 1000 new sentences after training, and the layer with H heads."""
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    layer = MultiHeadAttention(8, H)
    optimiser = torch.optim.Adam(layer.parameters(), lr=0.05)
    for step in range(steps):
        X, target = sentences(64, generator)
        loss = (layer(X, X)[0][..., :4] - target).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    X, target = sentences(1000, generator)
    return (attend_to_itself(layer, X)[0][..., :4] - target).square().mean().item(), layer


results = {H: min((trained(H, seed) for seed in range(3)), key=lambda pair: pair[0]) for H in (1, 2, 4)}
for H, (error, layer) in results.items():
    print(f"{H} head{'s' if H > 1 else ' '} of width {8 // H}: mean squared error {error:.3f}")
assert results[1][0] > 0.7, "with a right answer to exercise 4 one head stays near an error of 1"
assert results[2][0] < 0.1 and results[4][0] < 0.1, "with a right answer to exercise 4 two and four heads come close to an error of 0"

X, _ = sentences(1, torch.Generator().manual_seed(3))
words = ["A" if a else "B" if b else "-" for a, b in X[0, :, :2].tolist()]
maps = [*attend_to_itself(results[2][1], X)[1][0], *attend_to_itself(results[1][1], X)[1][0]]
figures.heat_maps(maps, words, ["two heads: head 0", "two heads: head 1", "one head"], title="Who looks for A, and who for B?")

# %% [markdown]
# One head stays near 1. (It may come out a little below: it can let its weights depend on the loads as well, and gains up to about a tenth
# by it.)
# Two heads and four come down to about 0.
#
# Each row of a map is a token that asks, and all of them ask for the same. Of the two heads one looks at $A$ and the other at $B$, whichever token
# asks. Which head takes which is a matter of chance: exchange two heads together with their blocks of $W^{(o)}$, and the layer computes the same. The single
# head looks at one of the two in most rows, and the other load is lost. With four heads of width 2 nothing is won over two of width 4; the load has
# four numbers, so that each lookup now takes two heads.

# %% [markdown] question="why-several-heads" points=2
# ### In your own words
#
# Answer in about ten sentences.
#
# 1. One head of width $D$ and $H$ heads of width $D/H$ have the same number of parameters. What can the $H$ heads do that the one cannot? Use a
#    row of the first figure and the result of the experiment.
# 2. And what does a head pay for being narrow? Think of the rank of the $D \times D$ matrix $W^{(q)}_h W^{(k)\,\mathsf T}_h$ that makes the scores of
#    head $h$, and of the case $H = D$.
# 3. A friend's `split_heads` deals out the columns like cards, head $h$ getting the columns $h, h + H, h + 2H, \dots$, and the friend's `merge_heads`
#    collects them in the same way. Trained from scratch, the friend's module does as well as yours. Loaded with the weights of torch's layer it
#    puts out nonsense. Why the one, and why the other?

# %% [markdown]
# ## Handing in
#
# Restart the kernel and run all cells from the top, so that nothing depends on a cell you have deleted. Look once more at the
# seven check cells and at your answer to the written question, save, and hand in this one file, `multihead.ipynb`, under this
# name. An exercise that you did not finish costs only its own points, so hand in what you have.
