# %% [markdown]
# # Positions
#
# *Dog bites man* is no news, *man bites dog* is. The words are the same; their order makes the difference. Attention does not see
# it: shuffle the tokens, and the outputs are shuffled in the same way and otherwise unchanged. Nothing in
# $\mathrm{softmax}(QK^{\mathsf T}/\sqrt{D_k})\,V$ asks where a token stands.
#
# So the position has to be put into the tokens, and it is worth some thought how. Number the positions 0, 1, 2, …, and the
# thousandth token is swamped by its own number. Divide by the length, and the step from one word to the next means something else
# in each sentence. What one would like is an encoding with bounded entries, a different one for every position, and the
# same step everywhere: *three places to the left* should look the same at the beginning and at the end of a text.
#
# The hands of a clock do all that. Here you write the two forms in which transformers use them. **Sinusoidal encodings** are added to
# the tokens, and moving on by $k$ places is a rotation. **Rotary position encoding** (RoPE) takes the hint and rotates queries and
# keys themselves; most large language models of today do this.
#
# **What you need**: sine and cosine of a sum, matrix products, the attention assignment (its ideas, not your code), and least
# squares as a one-line call. No trained model and no graphics card. **Time**: about 90 minutes, some 60 of them for the six functions.
#
# - Each exercise is one cell with a function to fill in, and under it a cell that calls `check`. The public checks run there;
#   hidden ones run in grading only and compare your answer with a reference.
# - Figures and experiments use **your** functions, so they raise an error until those are written. Experiments (cells that measure or
#   train) are not run in grading.
# - Locked cells (imports, data, figures, checks, experiments) are put back in their original form before grading.

# %% [markdown]
# ## What holds for every exercise
#
# - **Notation.** As in chapter 12 of Bishop, *Deep Learning: Foundations and Concepts*: $N$ tokens of $D$ features are the rows of an
#   $N \times D$ matrix; queries and keys have $D_k$ features, values $D_v$. Positions $n$ and features $i$ are counted **from 0**.
# - **Pairs.** Features come in pairs of neighbours: $(0, 1), (2, 3), \dots$, pair $i$ being the features $2i$ and $2i + 1$. Each pair
#   is one hand of the clock. In one step it turns by the angle
#
#   $$\theta_i = L^{-2i/D}, \qquad i = 0, \dots, D/2 - 1,$$
#
#   in radians. So $\theta_0 = 1$, and the hands turn ever more slowly. The *base* $L$ is 10000 unless another one is passed; use the
#   argument.
# - **Leading dimensions.** `... x N x D_k` may have any number of dimensions in front. Count axes from the end.
# - **Precision.** Everything floating is `float64`, and so should your helpers be: `torch.arange(N, dtype=torch.float64)`. In `float32`
#   an angle of 1000 radians is known to four decimals only, which the checks forgive (they stay at small positions) and the
#   experiments do not.
# - **Inputs stay as they are**: no operation that writes into what you were given. A slice such as `X[..., 0::2]` is no copy.
#
# **Traps, if you look elsewhere.** Other texts and libraries arrange the same numbers in other ways: all sines first and then all
# cosines; pairs made of features $i$ and $i + D/2$ ("half-split", as in many language models); rotation by minus the angle. They work
# as well, each with weights trained for it, but they are **not** the convention here, and weights do not carry over from one to
# another.

# %% given=true
import math

import torch
from torch import nn

from autograder import check, figures

# %% [markdown]
# ## 1. Sinusoidal encodings
#
# The encoding of position $n$ is a vector $r_n$ of $D$ numbers,
#
# $$r_{n,i} = \begin{cases} \sin\!\left(n / L^{\,i/D}\right) & i \text{ even,} \\[2pt] \cos\!\left(n / L^{\,(i-1)/D}\right) & i \text{ odd,} \end{cases}$$
#
# so that the pair $i$ is $(\sin n\theta_i, \cos n\theta_i)$: note that both members of a pair have the **same** exponent, and that
# here the index $i$ of the formula is the number of the feature, which counts by two from pair to pair already. With $D = 4$ and
# $L = 10000$ the first rows are
#
# | $n$ | feature 0 | 1 | 2 | 3 |
# |---|---|---|---|---|
# | 0 | 0 | 1 | 0 | 1 |
# | 1 | .8415 | .5403 | .0100 | 1.0000 |
# | 2 | .9093 | -.4161 | .0200 | .9998 |
#
# Return the $N \times D$ table whose row $n$ is $r_n$, for $n = 0, \dots, N - 1$. $D$ may be **odd**: then the last feature is a sine
# that has no cosine, with the exponent $(D - 1)/D$ that the formula gives it.

# %% exercise="sinusoidal_encoding"

# %% figure=true
figures.heat_maps([sinusoidal_encoding(64, 64)], signed=True, axes=("position n", "feature i"), label="entry", columns=1,
                  title="Encodings of 64 positions, 64 features each")

# %% [markdown]
# Each row is one position. On the left the hands turn fast: the pair 0 goes round once in $2\pi \approx 6.3$ positions, which gives
# the stripes of red and blue. To the right they slow down, and the last pair would need 47,000 positions for one turn: over these 64
# its sine (even features) stays near 0, white, and its cosine (odd features) near 1, dark blue. Fast hands tell neighbours apart, slow
# ones tell the beginning of the text from its end, much as the digits of a number do.
#
# In a transformer the table is simply added: $X + R$, the same $R$ for every sentence of a batch ($B \times N \times D$ plus
# $N \times D$; the positions belong to the axis of the tokens, not to that of the batch), the token embeddings
# multiplied by $\sqrt{D}$ beforehand so that the positions do not drown them.

# %% [markdown]
# ### What the inner products know
#
# With $\cos a \cos b + \sin a \sin b = \cos(a - b)$, for even $D$,
#
# $$r_n^{\mathsf T} r_m = \sum_{i=0}^{D/2-1} \cos\big((n - m)\,\theta_i\big) .$$
#
# The positions $n$ and $m$ have dropped out; only their difference is left, the **offset**. Here is the matrix of all these inner
# products, and then the same numbers over the offset.

# %% given=true
OFFSETS = torch.arange(48)[:, None] - torch.arange(48)   # 48 x 48, entry (n, m) is n - m


def inner_products():
    """The inner products of the encodings of 48 positions, 48 x 48."""
    R = sinusoidal_encoding(48, 64)
    return R @ R.mT


# %% figure=true
figures.heat_maps([inner_products()], axes=("position n", "position m"), label="inner product", columns=1,
                  title="Inner products of the encodings")

# %% figure=true
figures.scatter_panels({"inner product": {"all 2304 pairs of positions": (OFFSETS.flatten(), inner_products().flatten())}},
                       x_title="offset n - m", columns=1, title="The same numbers over the offset")

# %% [markdown]
# The matrix has the same number all along each diagonal. In the second figure 2304 points lie on 95 places: for each offset there is
# one value only. It is 32 (that is $D/2$) at offset 0, 30.9 one place away and 21.1 ten places away, and it is the same to the left
# and to the right, since the cosine is even. So the inner product knows how far, but not in which direction.

# %% experiment=true
R = sinusoidal_encoding(200, 64)
G = R @ R.mT
spread = max((G.diagonal(d).max() - G.diagonal(d).min()).item() for d in range(-199, 200))
print(f"largest spread along a diagonal, 200 positions: {spread:.1e}")
assert spread <= 1e-12, "with a right answer in float64 this is about 1e-13; are there float32 numbers in sinusoidal_encoding?"

# %% [markdown]
# ## 2. Moving on is a rotation
#
# How does $r_{n+k}$ come from $r_n$? For a single pair, by the sines and cosines of a sum,
#
# $$\begin{pmatrix} \sin (n+k)\theta \\ \cos (n+k)\theta \end{pmatrix} =
# \begin{pmatrix} \cos k\theta & \sin k\theta \\ -\sin k\theta & \cos k\theta \end{pmatrix}
# \begin{pmatrix} \sin n\theta \\ \cos n\theta \end{pmatrix} .$$
#
# The matrix on the right does not depend on $n$: it is the **same** for all positions. For the whole vector put such $2 \times 2$
# blocks on the diagonal of a $D \times D$ matrix $R_k$, one for each pair, with zeros everywhere else. Then
#
# $$R_k\, r_n = r_{n+k} \quad \text{for all } n, \qquad R_j R_k = R_{j+k}, \qquad R_0 = I, \qquad R_{-k} = R_k^{\mathsf T} .$$
#
# Return $R_k$, with the blocks $\begin{pmatrix} c & s \\ -s & c \end{pmatrix}$, where $c = \cos k\theta_i$ and $s = \sin k\theta_i$.
# It acts on encodings as **columns**; since they are the rows of your table, the whole table is moved on by
# `R @ rotation_matrix(k, D).mT`. The number of steps $k$ is a Python int, which may be negative. An odd $D$ cannot be split into pairs: raise a `ValueError`.

# %% exercise="rotation_matrix"

# %% experiment=true
R = sinusoidal_encoding(200, 64)
for k in (1, 5, 50):
    error = (R[:-k] @ rotation_matrix(k, 64).mT - R[k:]).abs().max().item()
    print(f"k = {k:2}: largest error of R_k r_n = r_(n+k) over {200 - k} positions: {error:.1e}")
    assert error <= 1e-13, "with right answers in float64 this is below 1e-13"

# %% [markdown]
# ## 3. Could a network find this rotation?
#
# If you did not know the formula, you could ask the data. Given a table $R$ of encodings, look for the matrix $M$ that moves them on
# best:
#
# $$M = \arg\min_M \sum_{n=0}^{N-k-1} \lVert M r_n - r_{n+k} \rVert^2 .$$
#
# The sum takes every $n$ for which both $r_n$ and $r_{n+k}$ are in the table. This is a linear least-squares problem, for which
# `torch.linalg.lstsq(A, B).solution` returns the $X$ that minimises $\lVert A X - B \rVert^2$. Mind what stands where: the encodings
# are the **rows** of $R$, while $M$ acts on **columns**.
#
# `fit_rotation(R, k)` gets an $N \times D$ table, any table, and $1 \le k < N$, with enough rows for $M$ to be unique. Nothing says
# that $M$ must be a rotation, and on another table it will not be one.

# %% exercise="fit_rotation"

# %% figure=true
figures.heat_maps([rotation_matrix(5, 8, L=30.0), fit_rotation(sinusoidal_encoding(100, 8, L=30.0), 5)],
                  titles=["R<sub>5</sub> from the formula", "M fitted to 100 positions"], signed=True, label="entry", axes=("row", "column"),
                  title="Moving on by 5: formula and fit (D = 8, L = 30)")

# %% [markdown]
# The fit found the rotation without being told of it: four blocks, and zeros around them. (A plain 0 is exactly nothing, .00 a number
# that was rounded.) The first pair has turned by 5 radians, the last by $5 \cdot 30^{-3/4} = 0.39$. The maps that make queries and
# keys are linear as well, so a head that looks five places back is within their reach. That is the point of having sines *and*
# cosines.

# %% experiment=true
def distance_to_the_rotation(N, D, L, k=5):
    """The largest entries of M - R_k and of M r_n - r_(n+k), and the condition number of the first N - k rows."""
    R = sinusoidal_encoding(N, D, L)
    M = fit_rotation(R, k)
    return ((M - rotation_matrix(k, D, L)).abs().max().item(), (R[:-k] @ M.mT - R[k:]).abs().max().item(), torch.linalg.cond(R[:-k]).item())


for N, L in ((200, 30.0), (100, 10000.0)):
    apart, error, condition = distance_to_the_rotation(N, 16, L)
    print(f"N = {N}, D = 16, L = {L:5.0f}: |M - R_k| {apart:.1e}, |M r_n - r_(n+k)| {error:.1e}, condition number {condition:.1e}")
    assert L != 30.0 or apart <= 1e-14, "with a right answer in float64 this is about 1e-15 for L = 30"

# %% [markdown]
# With $L = 30$ the fit agrees with $R_k$ to the last digit. With 100 positions and $L = 10000$, `lstsq` still moves every encoding of
# the table on with an error of $10^{-9}$ or less, and yet its $M$ is **another matrix**: some entries are wrong by 0.5 or more. In
# 100 positions the slowest pairs hardly turn, so their cosines are all nearly 1, nearly the same column, and the table does not
# determine $M$. The *condition number* says so: it is above $10^{15}$ here, where 1 would be ideal. (If you solved the normal
# equations $A^{\mathsf T}\!A X = A^{\mathsf T} B$ instead, even the predictions suffer, since the condition number of
# $A^{\mathsf T}\!A$ is the square.) Hence the small base above. The lesson holds beyond this notebook: that a fit predicts well does
# not mean that its coefficients are the true ones.

# %% [markdown]
# ## 4. Rotary position encoding
#
# If moving on is a rotation, one may as well rotate the queries and keys themselves, and add nothing to anything. RoPE turns each pair
# of features of the token at position $n$ by the angle $n\theta_i$:
#
# $$\begin{pmatrix} x'_{2i} \\ x'_{2i+1} \end{pmatrix} =
# \begin{pmatrix} \cos n\theta_i & -\sin n\theta_i \\ \sin n\theta_i & \cos n\theta_i \end{pmatrix}
# \begin{pmatrix} x_{2i} \\ x_{2i+1} \end{pmatrix}, \qquad \theta_i = L^{-2i/D_k} .$$
#
# Look at the signs. Here a pair is a point $(x, y)$ of the plane that turns **anticlockwise** by $+n\theta_i$. In exercise 2 the pair
# was $(\sin, \cos)$, for which moving on is the opposite rotation: the matrix here is $R_n^{\mathsf T}$, the transpose of the one
# there. Lengths stay as they are, and so does the token at position 0.
#
# Call the rotation for position $n$ $T_n$. Rotations are orthogonal and their angles add up, so for a query at $n$ and a key at $m$
#
# $$(T_n q)^{\mathsf T} (T_m k) = q^{\mathsf T}\, T_n^{\mathsf T} T_m\, k = q^{\mathsf T}\, T_{m-n}\, k :$$
#
# both positions enter the score, but only their difference survives.
#
# - `X` is `... x N x D_k`, and the result has the same shape. Tokens are the rows, whatever stands in front of them.
# - `positions` is `None`, which means $0, \dots, N - 1$, or a tensor of $N$ ints, one for each token, shared by the whole batch. A
#   decoder that writes its 8th token passes that one token with `positions=torch.tensor([7])`.
# - Compute both new features from the **old** ones, and put them back where they were: neighbours in, neighbours out.
# - With several heads, RoPE is applied to each head's queries and keys, after the split, so its width is $D_k$ and not $D$.
# - An odd $D_k$ is a `ValueError`.

# %% exercise="rope"

# %% given=true
generator = torch.Generator().manual_seed(12)
q, k = torch.randn(2, 32, generator=generator, dtype=torch.float64)   # one query and one key with D_k = 32
PLACES = 40
OFFSETS_40 = torch.arange(PLACES)[:, None] - torch.arange(PLACES)   # 40 x 40


def scores_at_all_positions(way):
    """The scores of q at position n with k at position m, 40 x 40: encodings added, or RoPE."""
    Q, K = q.repeat(PLACES, 1), k.repeat(PLACES, 1)
    if way == "added":
        r = sinusoidal_encoding(PLACES, 32)
        return (Q + r) @ (K + r).mT
    return rope(Q) @ rope(K).mT


# %% figure=true
figures.scatter_panels({"score, encodings added": {"q at n, k at m": (OFFSETS_40.flatten(), scores_at_all_positions("added").flatten())},
                        "score, with RoPE": {"q at n, k at m": (OFFSETS_40.flatten(), scores_at_all_positions("rotated").flatten())}},
                       x_title="offset n - m", title="One query and one key at all pairs of 40 positions")

# %% [markdown]
# Both panels show the same query and the same key, put at every pair of positions. With encodings **added**, the score is
# $(q + r_n)^{\mathsf T}(k + r_m) = q^{\mathsf T}k + r_n^{\mathsf T} r_m + q^{\mathsf T} r_m + r_n^{\mathsf T} k$: the second term
# depends on the offset, but the last two depend on where the tokens stand, so each offset has a whole column of values. With **RoPE**
# there is one value for each offset. And it is not the same to the left and to the right: unlike the inner product of two encodings,
# this score knows the direction.

# %% experiment=true
generator = torch.Generator().manual_seed(7)
Q, K = torch.randn(2, 16, 32, generator=generator, dtype=torch.float64)
here = torch.arange(16)
change = (rope(Q, here + 1000) @ rope(K, here + 1000).mT - rope(Q) @ rope(K).mT).abs().max().item()
print(f"largest change of a score when all positions move by 1000: {change:.1e}")
assert change <= 1e-12, "with a right answer in float64 this is below 1e-12; with angles in float32 it is about 1e-4"

# %% [markdown]
# ## 5. Attention with RoPE
#
# Put together what you have: rotate queries and keys, leave the **values** alone, and attend as usual.
#
# $$\alpha = \mathrm{softmax}\!\left(\frac{\mathrm{rope}(Q)\,\mathrm{rope}(K)^{\mathsf T}}{\sqrt{D_k}}\right), \qquad Y = \alpha V$$
#
# The tokens attend to one another, so there are as many queries as keys, $N$, and **one** set of positions for both. `Q` and `K` are
# `... x N x D_k`, `V` is `... x N x D_v`. Return `(Y, alpha)`, of shapes `... x N x D_v` and `... x N x N`. `positions` and `L` are
# those of `rope`.
#
# The mask follows the rules of the attention assignment: boolean, **True where attending is allowed**, broadcast against
# `... x N x N`. A pair that is not allowed gets weight 0 and the rest of its row sums to 1; a query that may attend to **nothing** gets zero
# weights and a zero output. Your `rope` may be used, and `torch.softmax`; fused attention is not allowed.

# %% exercise="rope_attention"

# %% [markdown]
# ### An experiment: three places back
#
# A task in which only the position helps: given 16 random letters out of 8, say for each place which letter stood **three places
# before**. One head of causal attention is trained for 300 steps, without positions, with encodings added, and with RoPE. Then it is
# tested on new letters: at the positions it was trained on, and with all positions moved on by 1000. A guess is right in one of 8
# cases. (The cell trains through your functions, so a gradient must flow through `rope_attention`: torch inside, not NumPy.)

# %% experiment=true
BACK, LETTERS, WIDTH, LENGTH = 3, 8, 32, 16


def answer(parts, letters, way, start):
    """Logits for each place of each row: B x N x 8. way: none, added or rope; start: position of the first letter."""
    embedding, query, key, value, head = parts
    X, mask = embedding(letters), torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril()
    if way == "added":
        X = X + sinusoidal_encoding(start + LENGTH, WIDTH)[start:]
    if way == "rope":
        return head(rope_attention(query(X), key(X), value(X), torch.arange(LENGTH) + start, mask)[0])
    scores = query(X) @ key(X).mT / math.sqrt(WIDTH)
    return head(torch.softmax(scores.masked_fill(~mask, -math.inf), -1) @ value(X))


def train(way, steps=300):
    """The five parts of a head that was trained on the task."""
    torch.manual_seed(0)
    parts = nn.ModuleList([nn.Embedding(LETTERS, WIDTH), *[nn.Linear(WIDTH, WIDTH) for _ in range(3)], nn.Linear(WIDTH, LETTERS)]).double()
    optimizer = torch.optim.Adam(parts.parameters(), lr=1e-2)
    for _ in range(steps):
        letters = torch.randint(LETTERS, (32, LENGTH))
        loss = nn.functional.cross_entropy(answer(parts, letters, way, 0)[:, BACK:].reshape(-1, LETTERS), letters[:, :-BACK].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return parts


def share_right(parts, way, start):
    """How many letters are right, out of 200 new rows."""
    letters = torch.randint(LETTERS, (200, LENGTH), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        return (answer(parts, letters, way, start)[:, BACK:].argmax(-1) == letters[:, :-BACK]).double().mean().item()


torch.set_num_threads(1)
results = {}
for way in ("none", "added", "rope"):
    trained = train(way)
    results[way] = [share_right(trained, way, start) for start in (0, 1000)]
    print(f"{way:5}: {results[way][0]:.3f} right where it was trained, {results[way][1]:.3f} with all positions moved on by 1000")
assert results["none"][0] < 0.5, "without positions, attention cannot know which letter stood three places before"
assert min(results["added"][0], results["rope"][0]) > 0.95, "with right answers, both ways learn the task"
assert results["rope"][1] > 0.95, "with RoPE the positions may all be moved: only offsets count"

# %% [markdown]
# Without positions a third of the letters are right: the head can only vote for those that occur often. Both encodings learn the task
# completely. Moved on by 1000, the head with added encodings gets worse: what it learned about the rotation holds for the pairs it has
# seen turn, and the slow pairs are somewhere else now. With RoPE **nothing** changes, because nothing can: the scores depend on the
# offsets only.

# %% [markdown]
# ## 6. How far does attention reach?
#
# Suppose that a key is just what the query looks for: $k = q$, with entries that are independent, of mean 0 and variance 1. What score
# can the query expect from this key at the offset $d$? A pair $(x, y)$ and the same pair turned by the angle $d\theta_i$ have the
# inner product $(x^2 + y^2)\cos d\theta_i$, whose mean is $2 \cos d\theta_i$. So, before the division by $\sqrt{D_k}$,
#
# $$\mathbb{E}\left[\,\mathrm{score}(d)\,\right] = 2 \sum_{i=0}^{D_k/2-1} \cos(d\,\theta_i), \qquad \theta_i = L^{-2i/D_k} .$$
#
# Compute it for a tensor of offsets of **any shape**, ints or floats, positive or negative, and return float64 of the same shape.
# $D_k$ is even. For $D_k = 32$ and $L = 10000$, rounded to one decimal:
#
# | offset | 0 | 10 | 100 | 1000 | 10000 |
# |---|---|---|---|---|---|
# | expected score | 32.0 | 20.1 | 18.7 | 8.2 | 3.1 |

# %% exercise="expected_rope_score"

# %% given=true
FAR = torch.logspace(0, 4, 250, dtype=torch.float64).round().unique()   # offsets from 1 to 10000
AROUND = FAR[:, None] * torch.linspace(0.8, 1.25, 101, dtype=torch.float64)   # and near each of them 101 more


def decay(L, D_k=32):
    """The series of one panel: the expected score at single offsets, and its mean over the offsets around each."""
    return {"at one offset": (FAR, expected_rope_score(FAR, D_k, L=L)),
            "mean of the offsets around it": (FAR, expected_rope_score(AROUND, D_k, L=L).mean(-1))}


# %% figure=true
figures.scatter_panels({"expected score, L = 10000": decay(10000.0), "expected score, L = 100": decay(100.0)}, x_title="offset d",
                       lines=["mean of the offsets around it"], log_x=True,
                       title="The expected score for a key that equals the query (D<sub>k</sub> = 32)")

# %% experiment=true
offsets = torch.tensor([0, 10, 100, 1000, 10000])
expected = expected_rope_score(offsets, 32)
ones = torch.ones(1, 32, dtype=torch.float64)
turned = torch.cat([rope(ones, positions=offset[None]) for offset in offsets])
generator = torch.Generator().manual_seed(3)
tokens = torch.randn(4000, 1, 32, generator=generator, dtype=torch.float64)
measured = torch.stack([(rope(tokens, positions=offset[None]) * tokens).sum((-2, -1)).mean() for offset in offsets])
for d, e, m in zip(offsets.tolist(), expected.tolist(), measured.tolist()):
    print(f"offset {d:5}: expected {e:5.1f}, mean over 4000 random queries {m:5.1f}")
assert [round(e, 1) for e in expected.tolist()] == [32.0, 20.1, 18.7, 8.2, 3.1], "with a right answer the scores are 32.0, 20.1, 18.7, 8.2, 3.1"
assert (turned @ ones.mT - expected[:, None]).abs().max() <= 1e-9, "a token of ones has exactly the expected score with itself, if rope is right"
assert (measured - expected).abs().max() < 0.7, "the mean over many queries should come near the expected score"

# %% [markdown]
# On the whole the score falls with the distance, though no one asked it to: near tokens are preferred, other things being equal. The
# dots scatter because the fast pairs have lost count of their turns after a few positions; what carries the curve is the slow pairs,
# which still agree. With $L = 100$ even the slowest pair goes round in under 500 positions. From there on the score wavers about 0 and
# has nothing more to say about distance. This is why models for long texts raise $L$, some of them to a million.

# %% [markdown] question="why-rotate" points=2
# ### In your own words
#
# Answer in about ten sentences.
#
# 1. Show in two lines why the score of RoPE depends only on $m - n$. Which two properties of rotations do you use? What would the
#    scores depend on if queries were turned by $+n\theta_i$ and keys by $-m\theta_i$?
# 2. A friend rotates the values as well, "for symmetry". Move all positions on by 1000: what happens to the weights, and what to the
#    output? Why is that unwanted?
# 3. You load a model whose weights were trained with the half-split pairs ($i$ with $i + D_k/2$) into code that turns neighbours. All
#    shapes fit. What goes wrong, and how could the columns of $W_q$ and $W_k$ be reordered to mend it?

# %% [markdown]
# ## Handing in
#
# Restart the kernel and run all cells from the top, so that nothing depends on a cell you have deleted. Look once more at the six
# check cells and at your answer to the written question, save, and hand in this one file, `positional.ipynb`, under this name. Its
# outputs do not matter: your functions are run again in grading. An exercise that you did not finish costs only its own points, so
# hand in what you have.
