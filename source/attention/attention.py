# %% [markdown]
# # Attention
#
# *I swam across the river to get to the other* **bank**. *I walked across the road to get cash from the other* **bank**.
#
# You read the same word twice and thought of two different things, because you let the other words of the sentence speak.
# In the first sentence it was *swam* and *river* that settled the matter; in the second it was *cash*. Which words matter
# depends on the sentence, so fixed weights, like those of a dense layer or a convolution, cannot do it. Attention computes
# the weights **from the tokens themselves**: each token looks at all the others, decides how much each of them concerns it,
# and takes a weighted average. A transformer is built from little else.
#
# Here you write attention from its parts: the softmax, the simplest attention there is, the form that transformers use, the
# masks that keep it honest, and two instruments that show why one square root in the formula matters.
#
# **What you need**: matrix products, partial derivatives, and enough torch to index a tensor and to sum along an axis.
# No trained model and no graphics card. **Time**: about 90 minutes, some 60 of them for the seven functions.
#
# ## How the notebook works
#
# - Each exercise is one cell with a function to fill in. Under it stands a cell that calls `check`: run it as often as you
#   like. Where something is wrong it shows the smallest input it could find that goes wrong, what was expected and what you
#   returned. It also shows how many points each check carries.
# - Those are the *public* checks. There are *hidden* ones as well, which run only in grading and compare your answer with a
#   reference. To pass all public checks is a very good sign, but not yet the grade.
# - Figures are drawn with **your** functions, so a figure cell raises an error until the functions it uses are written.
# - Add cells wherever you like; your functions may use one another. The locked cells (imports, data, figures, checks) are put
#   back in their original form before grading, so what you write into them is lost.

# %% [markdown]
# ## What holds for every exercise
#
# - **Notation.** As in chapter 12 of Bishop, *Deep Learning: Foundations and Concepts*: a sentence is $N$ tokens of $D$
#   numbers each, and the tokens are the **rows** of an $N \times D$ matrix $X$. Row $n$ is $x_n^{\mathsf T}$.
# - **Leading dimensions.** `X` of shape `... x N x D` may have any number of dimensions in front: none for one sentence, one
#   for a batch, two for a batch with several heads. So count axes from the end (`-1` the features, `-2` the tokens) and
#   transpose with `X.mT` or `X.transpose(-2, -1)`. `X.T`, `torch.bmm` and `B, N, D = X.shape` suit one case only.
# - **Precision.** All floating inputs are `float64`. Helpers such as `torch.tensor(2.0)`, `torch.zeros(3)` or
#   `torch.arange(3.0)` are `float32`: at best they cost you digits, at worst a matrix product refuses to mix the two. Write
#   `math.sqrt(2)` for a number and `torch.zeros_like(X)` or `dtype=X.dtype` for a tensor.
# - **Gradients.** Models are trained through functions like these, so let gradients pass: no `.detach()`, `.data` or `.item()`
#   between the inputs and the result.
# - **Inputs stay as they are.** The caller still needs them: no `X -= ...`, no `X[...] = ...`, and no operation whose name ends
#   in `_` on something you were given.

# %% given=true
import math

import torch

from autograder import check, figures

# %% [markdown]
# ## 1. Softmax
#
# To turn scores $z_1, \dots, z_N$ into weights that are positive and sum to 1, take exponentials and divide by their sum:
#
# $$\mathrm{softmax}(z)_i = \frac{e^{z_i}}{\sum_{j=1}^{N} e^{z_j}}$$
#
# On paper that is all. On a computer $e^{1000}$ is infinite, and infinity over infinity is not a number. The way out is that
# a constant added to **all** scores of a row cancels: $\mathrm{softmax}(z + c)_i = \mathrm{softmax}(z)_i$. Choose $c$ so that no
# exponential can overflow and at least one of them is not tiny. The largest score of the row tells you how.
#
# - `dim` is the axis along which the weights sum to 1; the tensor may have any number of dimensions. The largest score, the
#   sum and the division all go along this axis (`keepdim=True` is your friend). Each row needs a largest score of its own: one
#   row may lie at 10000 and the next at -10000.
# - A score of $-\infty$ means "not this one": its weight is exactly 0. A row that is $-\infty$ everywhere does not occur in this
#   exercise.
# - Ready-made softmax functions (`torch.softmax`, `Z.softmax`, `log_softmax` and the like) are not allowed in this exercise. In
#   the later ones they are, and so is your own.

# %% exercise="softmax"

# %% [markdown]
# ## 2. Attention at its simplest
#
# Let each token be compared with each other token by a dot product. Token $n$ then gives token $m$ the weight
#
# $$\alpha_{nm} = \frac{\exp(x_n^{\mathsf T} x_m)}{\sum_{m'=1}^{N} \exp(x_n^{\mathsf T} x_{m'})}
# \qquad\text{and becomes}\qquad y_n = \sum_{m=1}^{N} \alpha_{nm}\, x_m .$$
#
# For all tokens at once, with the softmax along each row:
#
# $$Y = \mathrm{softmax}\!\left(X X^{\mathsf T}\right) X$$
#
# $X X^{\mathsf T}$ is $N \times N$. Its row $n$ belongs to the token that is looking, the *query*; its column $m$ belongs to the
# token that is looked at, the *key*. So each **row** of $\alpha$ sums to 1, and each $y_n$ is an average of the rows of $X$.
#
# Return the pair `(Y, alpha)`, of shapes `... x N x D` and `... x N x N`. There are no parameters yet, and **no** division by
# $\sqrt{D}$: it comes in the next exercise.

# %% exercise="simple_attention"

# %% [markdown]
# ### The two banks
#
# Here are word vectors small enough to read. Each has five coordinates, made up by hand: how much the word has to do with
# water, with money, with motion, with a place, and whether it is mere grammar. *Bank* is made ambiguous: one part water, one
# part money, and a place.

# %% given=true
COORDINATES = ["water", "money", "motion", "place", "grammar"]
VECTORS = {"swam": [1, 0, 1, 0, 0], "walked": [0, 0, 1, 0, 0], "across": [0, 0, 0.5, 0, 1], "river": [2, 0, 0, 1, 0],
           "road": [0, 0, 0, 1, 0], "cash": [0, 2, 0, 0, 0], "bank": [1, 1, 0, 1, 0]}
GRAMMAR = [0, 0, 0, 0, 1]   # I, the, to, get, from, other


def embed(words):
    """The vectors of N words, an N x 5 tensor of float64."""
    return torch.tensor([VECTORS.get(word, GRAMMAR) for word in words], dtype=torch.float64)


RIVER = "I swam across the river to get to the other bank".split()
CASH = "I walked across the road to get cash from the other bank".split()
X_river, X_cash = embed(RIVER), embed(CASH)   # 11 x 5 and 12 x 5

# %% figure=true
figures.heat_maps([simple_attention(X_river)[1], simple_attention(X_cash)[1]], [RIVER, CASH], ["by the river", "for cash"],
                  title="Who attends to whom")

# %% [markdown]
# Read the last row of each map, the one of *bank*. By the river its weight goes to *river* (.39), to itself (.39) and a little to
# *swam* (.05). For cash it goes to itself (.51), to *cash* (.19) and a little to *road* (.07). The rest is spread evenly over
# words whose score is 0, for the softmax never gives exactly nothing.
#
# One number by hand: by the river, *bank* has the score $1\cdot 2 + 1\cdot 0 + 1\cdot 1 = 3$ with *river*, 3 with itself, 1 with
# *swam* and 0 with the eight others. Hence
#
# $$\alpha_{\text{bank},\text{river}} = \frac{e^3}{2 e^3 + e + 8} = 0.3947 .$$
#
# And this is what becomes of *bank*:

# %% figure=true
figures.grouped_bars({"before attention": X_river[-1], "after, by the river": simple_attention(X_river)[0][-1],
                      "after, for cash": simple_attention(X_cash)[0][-1]}, COORDINATES, title="The output of 'bank' by context",
                     x_title="coordinate", y_title="value")

# %% [markdown]
# | | water | money | motion | place | grammar |
# |---|---|---|---|---|---|
# | by the river | 1.2375 | 0.3947 | 0.0632 | 0.7894 | 0.1572 |
# | for cash | 0.5125 | 0.8895 | 0.0383 | 0.5818 | 0.2041 |
#
# *Bank* went in as the same vector both times. It came out three times as watery as moneyed in one sentence, and more moneyed
# than watery in the other. Nobody trained anything: the context did it.
#
# Two things are not so good. A token can look for nothing but what is similar to itself, and what it looks for is also all that
# it can receive. And the order of the words plays no part: shuffle the sentence, and the outputs are shuffled in the same way.
# The first is mended now; the second is the subject of another notebook.

# %% [markdown]
# ## 3. Scaled dot-product attention
#
# Give each token three vectors instead of one: a **query** (what am I looking for?), a **key** (what can I be found by?) and a
# **value** (what do I hand over?). In a transformer they are three learned linear maps of $X$. Here they are simply given: $Q$
# is $N_q \times D_k$, $K$ is $N_{kv} \times D_k$, $V$ is $N_{kv} \times D_v$, each with the same leading dimensions. The
# queries need not come from the same sentence as the keys, so $N_q$ and $N_{kv}$ may differ, and so may $D_k$ and $D_v$.
#
# $$S = \frac{Q K^{\mathsf T}}{\sqrt{D_k}}, \qquad \alpha = \mathrm{softmax}(S), \qquad Y = \alpha V$$
#
# $S$ and $\alpha$ are $N_q \times N_{kv}$, and the softmax goes along the **keys**, the last axis. $Y$ is $N_q \times D_v$. Return
# `(Y, alpha)`.
#
# `mask` says who may look at whom:
#
# - `mask` is boolean and **True where attending is allowed**. (Elsewhere you will meet the opposite convention.) `None` means
#   that everything is allowed.
# - It broadcasts against `... x N_q x N_kv`: one `N_q x N_kv` mask may serve the whole batch, and a `B x 1 x N_kv` mask all the
#   queries of each sentence.
# - A pair that is not allowed gets weight 0, and the other weights of the row still sum to 1. Setting its **score** to $-\infty$
#   does both; setting its weight to 0 after the softmax does only the first.
# - A query that may look at **nothing at all** gets zero weights and a zero output. Left alone, the softmax of $-\infty$ everywhere
#   is NaN; with $-10^9$ in place of $-\infty$ it is an even spread over tokens that were forbidden. Neither will do.
#
# Fused attention (`torch.nn.functional.scaled_dot_product_attention`, `torch.nn.MultiheadAttention`) is not allowed here: it is
# the thing you are writing.

# %% exercise="scaled_dot_product_attention"

# %% [markdown]
# ## 4. The causal mask
#
# A language model predicts the next token. While it learns, the whole text lies before it, and a token that could look ahead
# would simply read the answer. So token $n$ may look at itself and at what came before, and at nothing later:
#
# $$\text{mask}_{nm} \text{ is True exactly if } m \le n .$$
#
# Return it as an `N x N` tensor of `torch.bool`: a lower triangle **with** its diagonal.

# %% exercise="causal_mask"

# %% [markdown]
# ## 5. The padding mask
#
# The river sentence has 11 words and the cash sentence 12. To stack them into one tensor, the shorter is filled up with padding
# tokens, and these must not be looked at. For `lengths`, a tensor of $B$ ints, return a `B x 1 x N` tensor of `torch.bool`. In
# sentence $b$, it is True for the first `lengths[b]` keys and False for the rest.
#
# The axis of length 1 stands where the queries are, so the mask broadcasts over them. Any length from 0 to `N` is allowed, both
# ends included. Note that padding is masked as a *key*: a padding token still gets an output, which nobody reads.

# %% exercise="padding_mask"

# %% given=true
PADDED = RIVER + ["(pad)"]
PAD = torch.ones(1, 5, dtype=torch.float64)   # it would attract attention if nothing hid it
X_both = torch.stack([torch.cat([X_river, PAD]), X_cash])   # 2 x 12 x 5


def attention_maps(X, mask):
    """The weights of X attending to itself under the mask, one map for each sentence of the batch."""
    return list(scaled_dot_product_attention(X, X, X, mask)[1])


# %% figure=true
figures.heat_maps(attention_maps(X_both, causal_mask(12) & padding_mask(torch.tensor([11, 12]), 12)), [PADDED, CASH],
                  ["by the river, one padding token", "for cash"], title="Both masks at once")

# %% [markdown]
# A plain `0` is exactly nothing, while `.00` would be a small number that was rounded. Everything above the diagonal is 0: the
# causal mask. In the left map the column of *(pad)* is 0 as well, in its own row too: the padding mask. The first word can look
# only at itself, so its weight there is 1. The masks were combined with `&`: a pair is allowed if both allow it. *Bank* sees its
# whole sentence as before, but spreads its weight more evenly than in the first figure: the scores are divided by $\sqrt{5}$.

# %% [markdown]
# ## 6. The Jacobian of the softmax
#
# The rest of the notebook is about the divisor $\sqrt{D_k}$. It takes two instruments. The first says how much the weights move
# when the scores move, which is what a gradient must pass through on its way back. With $\alpha = \mathrm{softmax}(z)$,
#
# $$J_{ij} = \frac{\partial \alpha_i}{\partial z_j} = \alpha_i\,(\delta_{ij} - \alpha_j),
# \qquad\text{that is}\qquad J = \mathrm{diag}(\alpha) - \alpha\,\alpha^{\mathsf T} .$$
#
# Here $\delta_{ij}$ is 1 if $i = j$ and 0 otherwise. Your function is given the **weights** $\alpha$, not the scores: `... x N` goes
# in, `... x N x N` comes out, one matrix for each row of weights. It computes the formula; automatic differentiation is not
# needed. To check yourself: add a constant to all scores and no weight moves, so each row of $J$ sums to 0.

# %% exercise="softmax_jacobian"

# %% given=true
SCORES = torch.tensor([0.0, 1.0, 2.0, 3.0], dtype=torch.float64)

# %% figure=true
figures.heat_maps([softmax_jacobian(softmax(factor * SCORES)) for factor in (1, 8)],
                  titles=["scores 0, 1, 2, 3", "scores 0, 8, 16, 24"], signed=True, label="derivative",
                  axes=("weight i", "score j"), title="How the weights answer to the scores")

# %% [markdown]
# Blue is positive and red negative. On the left, a larger score raises its own weight and takes from the others. On the right the
# scores are the same but for a factor 8, and hardly anything moves: the largest weight is .9997, and the largest entry of $J$ is
# .0003. A softmax in this state is *saturated*. What lies before it in the network is told next to nothing about how to improve.

# %% [markdown]
# ## 7. The entropy of the weights
#
# The second instrument says over how many tokens a query spreads its attention:
#
# $$H(\alpha) = -\sum_{m=1}^{N} \alpha_m \ln \alpha_m , \qquad 0 \ln 0 = 0 .$$
#
# It is in *nats*, with the natural logarithm, along the last axis: `... x N` goes in, `...` comes out. All weight on one token
# gives 0; equal weights give $\ln N$, the largest value there is. Masks produce weights that are exactly 0, and for the computer
# `0 * log(0)` is NaN, so the convention on the right needs a thought of yours. A small number added inside the logarithm is not a
# solution, since it changes the answer everywhere. Only the value is checked, not the gradient at 0.

# %% exercise="attention_entropy"

# %% [markdown]
# ## Why divide by the square root?
#
# Now an experiment. Draw a query and $N = 32$ keys with $D_k$ entries each, all of them independent and standard normal. Compute
# the weights twice: from the bare scores $q^{\mathsf T} k_m$, with your `softmax`, and from the divided ones, with your
# `scaled_dot_product_attention`. Measure the variance of the scores, the largest weight, the size of the Jacobian (the root of
# the sum of its squared entries) and the entropy. Repeat 200 times and take the mean, for each $D_k$ from 4 to 1024.

# %% given=true
WIDTHS = [4, 16, 64, 256, 1024]


def score_statistics(D_k, scaled, N=32, trials=200):
    """Four numbers over random queries with N keys each; see the titles of the panels below."""
    generator = torch.Generator().manual_seed(18)
    Q = torch.randn(trials, 1, D_k, generator=generator, dtype=torch.float64)
    K = torch.randn(trials, N, D_k, generator=generator, dtype=torch.float64)
    scores = Q @ K.mT / (math.sqrt(D_k) if scaled else 1)
    alpha = scaled_dot_product_attention(Q, K, K)[1] if scaled else softmax(scores)
    size = softmax_jacobian(alpha).square().sum((-2, -1)).sqrt()
    return scores.var(), alpha.amax(-1).mean(), size.mean(), attention_entropy(alpha).mean()


def score_panels():
    """The panels of the figure: title of the axis, then curve, then a number for each width."""
    titles = ["variance of the scores", "largest weight", "size of the Jacobian", "entropy in nats"]
    curves = {"scores as they are": False, "scores divided by √D<sub>k</sub>": True}
    numbers = {name: list(zip(*(score_statistics(D_k, scaled) for D_k in WIDTHS))) for name, scaled in curves.items()}
    return {title: {name: numbers[name][i] for name in curves} for i, title in enumerate(titles)}


# %% figure=true
figures.line_panels(WIDTHS, score_panels(), x_title="D<sub>k</sub>", log_y=["variance of the scores"],
                    title="Attention over 32 random keys, with and without the square root")

# %% [markdown]
# | $D_k$ | 4 | 64 | 1024 |
# |---|---|---|---|
# | variance, as they are | about 4 | about 64 | about 1024 |
# | variance, divided | about 1 | about 1 | about 1 |
# | largest weight, as they are | .34 | .82 | .96 |
# | largest weight, divided | .16 | .16 | .16 |
#
# As they are, the scores spread further the wider the vectors, and at $D_k = 1024$ one key out of 32 takes nearly everything,
# **although all of this is noise** and no key deserves it. The Jacobian shrinks from about .3 to about .05, and the entropy falls
# from 2.3 to 0.1 nats. Divided, all four curves are flat: the entropy stays near 3.0, not far below $\ln 32 = 3.47$.
# (If the curves of the last three panels lie on one another, look for the square root in exercise 3.)

# %% [markdown] question="why-divide-by-the-root" points=2
# ### In your own words
#
# Explain what you saw, in about ten sentences.
#
# 1. Why is the variance of $q^{\mathsf T} k$ equal to $D_k$ when all entries are independent, with mean 0 and variance 1? What does
#    the division by $\sqrt{D_k}$ do to it?
# 2. What would go wrong in the training of a network with $D_k = 1024$ and no division? Use at least two panels of the figure.
# 3. A friend divides by $D_k$ instead of $\sqrt{D_k}$, "to be on the safe side". To what do the largest weight and the entropy tend
#    as $D_k$ grows, for the 32 random keys of the experiment, and what is lost?

# %% [markdown]
# ## Handing in
#
# Restart the kernel and run all cells from the top, so that nothing depends on a cell you have deleted. Look once more at the
# seven check cells and at your answer to the written question, save, and hand in this one file, `attention.ipynb`, under this
# name. Its outputs do not matter: your functions are run again in grading. An exercise that you did not finish costs only its
# own points, so hand in what you have.
