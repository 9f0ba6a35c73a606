# %% [markdown]
# # LayerNorm and the position-wise network
#
# Whisper a sentence or shout it: the words are the same. Much of what makes a deep network hard to train is that its layers
# *do* mind the loudness. Each one multiplies the numbers that pass through it by some factor. A factor of 2 becomes a million
# after twenty layers, a factor of one half a millionth, and a gradient on its way back fares no better.
#
# **LayerNorm** is the volume control. It takes each token by itself, removes what all its features have in common, and brings
# the rest to one fixed loudness. The **position-wise network** is the other half of a transformer block: where attention
# carries information between tokens, this one works on each token alone. It holds two thirds of a block's parameters. Between
# its two dense maps stands **GELU**, a smooth relative of the ReLU.
#
# Here you write all three, LayerNorm both as a function and as a module that can be trained, and its gradient by hand.
#
# **What you need**: means and variances, the chain rule, matrix products in torch, and what an `nn.Module` and an
# `nn.Parameter` are. Nothing from the attention notebooks. **Time**: about 90 minutes, some 30 of them for the gradient, which
# comes last.
#
# ## How the notebook works
#
# - Each exercise is one cell with a function or a class to fill in. Under it stands a cell that calls `check`: run it as often
#   as you like. Where something is wrong it shows the smallest input it could find that goes wrong, what was expected and what
#   you returned.
# - Those are the *public* checks. There are *hidden* ones as well, which run only in grading and compare your answer with a
#   reference.
# - Figures are drawn with **your** functions, so a figure cell raises an error until the functions it uses are written. The
#   same holds for experiment cells, which train something or measure it; they take a few seconds and are not run in grading.
# - Add cells wherever you like. The locked cells are put back in their original form before grading, so what you write into
#   them is lost.

# %% [markdown]
# ## What holds for every exercise
#
# - **Notation.** As in chapter 12 of Bishop, *Deep Learning: Foundations and Concepts*: a sentence is $N$ tokens of $D$ numbers
#   each, and the tokens are the **rows** of an $N \times D$ matrix $X$. Entry $x_{ni}$ is feature $i$ of token $n$.
# - **Leading dimensions.** `X` of shape `... x N x D` may have any number of dimensions in front: none for one sentence, one
#   for a batch, two for a batch of batches. So count axes from the end (`-1` the features, `-2` the tokens).
# - **Weights multiply from the right**: $X W$, with $W$ of shape $D \times M$. An `nn.Linear` stores the transpose, `M x D`.
# - **Precision.** All floating inputs are `float64`. Helpers such as `torch.tensor(2.0)` or `torch.zeros(3)` are `float32`;
#   write `math.sqrt(2)` for a number and `torch.zeros_like(X)` or `dtype=X.dtype` for a tensor.
# - **Gradients.** Models are trained through functions like these, so let gradients pass: no `.detach()`, `.data` or `.item()`
#   between the inputs and the result.
# - **Inputs stay as they are.** No `X -= ...`, and no operation whose name ends in `_` on something you were given.

# %% given=true
import math

import torch
import torch.nn as nn

from autograder import check, figures, fill_parameters

# %% [markdown]
# ## 1. LayerNorm as a function
#
# Each token has a mean and a variance of its own, taken over its $D$ features:
#
# $$\mu_n = \frac{1}{D} \sum_{i=1}^{D} x_{ni}, \qquad \sigma_n^2 = \frac{1}{D} \sum_{i=1}^{D} (x_{ni} - \mu_n)^2 .$$
#
# LayerNorm subtracts the one, divides by the root of the other, and lets each **feature** be scaled and shifted by learned
# numbers $\gamma_i$ and $\beta_i$:
#
# $$\hat{x}_{ni} = \frac{x_{ni} - \mu_n}{\sqrt{\sigma_n^2 + \varepsilon}}, \qquad y_{ni} = \gamma_i\, \hat{x}_{ni} + \beta_i .$$
#
# By hand, with $\gamma = 1$, $\beta = 0$: the token $(0, 2, 4)$ has the mean 2 and the variance $8/3$, so it becomes
# $(-1.2247, 0, 1.2247)$. So do $(5, 7, 9)$ and, but for $\varepsilon$, $(0, 20, 40)$.
#
# Four things that go wrong easily, since both sides of each are in use somewhere:
#
# - **The axis.** The statistics of a token come from its own $D$ features, never from other tokens or other sentences.
#   (BatchNorm averages over the batch for each feature instead.)
# - **The divisor** of the variance is $D$. What torch calls `var` and `std` divides by $D - 1$ unless told otherwise.
# - **$\varepsilon$ is added to the variance, under the root**, not to the standard deviation. With the usual $10^{-5}$ it is
#   hard to see the difference, so the checks also pass an `eps` of 0.1 or more.
# - **The mean is subtracted.** A relative called RMSNorm leaves that out, and many recent language models use it.
#
# A token whose features are all equal has nothing left once its mean is gone: it becomes $\beta$. That is what $\varepsilon$ is
# for.
#
# Ready-made layer normalisation (`torch.nn.functional.layer_norm`, `torch.nn.LayerNorm`) is not allowed in this notebook: it is
# the thing you are writing. It is fine for comparing in a cell that you delete afterwards.

# %% exercise="layer_norm"

# %% [markdown]
# ### Before and after
#
# Seven tokens of eight features. Every token has an offset and a loudness of its own; apart from that they are noise.

# %% given=true
WORDS = "she sat by the old river bank".split()
OFFSETS = torch.tensor([0.0, 3.0, -2.0, 0.0, 1.0, -4.0, 2.0], dtype=torch.float64)
LOUDNESS = torch.tensor([1.0, 0.3, 2.0, 0.1, 1.0, 0.5, 3.0], dtype=torch.float64)


def noisy_tokens(D=8):
    """Seven tokens with offsets and loudness of their own, 7 x D."""
    generator = torch.Generator().manual_seed(12)
    noise = torch.randn(len(WORDS), D, generator=generator, dtype=torch.float64)
    return OFFSETS[:, None] + LOUDNESS[:, None] * noise


def plain_norm(X):
    """Your LayerNorm with gamma = 1 and beta = 0."""
    D = X.shape[-1]
    return layer_norm(X, torch.ones(D, dtype=X.dtype), torch.zeros(D, dtype=X.dtype))


# %% figure=true
figures.heat_maps([noisy_tokens(), plain_norm(noisy_tokens())], queries=WORDS, titles=["before", "after LayerNorm"], signed=True,
                  axes=("token", "feature"), label="value", title="Activations of seven tokens")

# %% [markdown]
# Blue is positive and red negative, on one scale for both maps. On the left you can tell the tokens apart by their colour
# alone: *sat* is blue throughout, *river* red, *the* almost white, and *bank* swings from -1.87 to 5.78. On the right the
# colours say nothing of that any more. Each row has the mean 0 and the variance 1, and what is left is the *pattern* of a
# token: which features stand above its mean, and by how much compared with the others. The pattern of *the*, invisible on the
# left, is as strong as any.
#
# Offset and loudness are lost for good, for two numbers of each token have been fixed. What the next layer can get back is one
# loudness and one offset for each *feature*, the same for all tokens: $\gamma$ and $\beta$.

# %% [markdown]
# ## 2. LayerNorm as a module
#
# To be trained, $\gamma$ and $\beta$ must belong to a module. Write the class `LayerNorm(D, eps=1e-5)`, `__init__` included:
#
# - It is a subclass of `nn.Module`, with two parameters called `gamma` and `beta`, $D$ numbers each. At the start $\gamma$ is
#   all ones and $\beta$ all zeros, so that a fresh LayerNorm only normalises. The names matter: the checks load values into
#   your module **by name**, as one loads a model from a file. (`nn.LayerNorm` calls its own `weight` and `bias`.)
# - An optimiser sees only what is registered as an `nn.Parameter`. A plain tensor stored in `self` is computed with and never
#   trained.
# - `forward(X)` is the formula of section 1; it may call your `layer_norm`. Gradients must reach `X`, `gamma` and `beta`, so no
#   `.data`, `.detach()` or `.item()`, and no NumPy on the way.
# - It does the same in training and in evaluation, and remembers nothing between calls. (BatchNorm does neither, which makes it
#   awkward for sentences.)

# %% exercise="LayerNorm"

# %% experiment=true
norms = [LayerNorm(64), LayerNorm(64)]
sizes = [sum(parameter.numel() for parameter in norm.parameters()) for norm in norms]
print(f"parameters of one LayerNorm at D = 64: {sizes[0]}; of the two in a transformer block: {sum(sizes)}")
assert sizes[0] == 128, "with gamma and beta both registered this is 128"
assert sum(sizes) == 256, "two of them have 256"

# %% [markdown]
# A LayerNorm has $2D$ parameters: 128 at $D = 64$, and 256 for the two in a block. Keep the figure in mind until section 4.

# %% [markdown]
# ## 3. GELU
#
# A ReLU lets a number through if it is positive and stops it if not. The *Gaussian error linear unit* opens its gate little by
# little: it multiplies $x$ by the probability that a standard normal variable lies below $x$.
#
# $$\mathrm{GELU}(x) = x\,\Phi(x), \qquad \Phi(x) = \frac{1}{2}\left(1 + \mathrm{erf}\!\left(\frac{x}{\sqrt{2}}\right)\right)$$
#
# When $\mathrm{erf}$ was slow, people used a formula that comes close to it, and models that were trained with it still need it
# (GPT-2 does):
#
# $$\mathrm{GELU}_{\tanh}(x) = \frac{x}{2}\left(1 + \tanh\!\left(\sqrt{\frac{2}{\pi}}\,\left(x + 0.044715\, x^3\right)\right)\right)$$
#
# `gelu(X, approximate="none")` acts on each entry of a tensor of any shape. The exact form is the default; with
# `approximate="tanh"` it is the other one. Beware of `if approximate:`, since the text `"none"` counts as true. Entries lie
# between -100 and 100, so nothing may overflow there. `torch.nn.functional.gelu` and `nn.GELU` are not allowed in this
# exercise; `torch.erf`, `torch.special` and `torch.tanh` are.

# %% exercise="gelu"

# %% given=true
AXIS = torch.linspace(-4, 4, 801, dtype=torch.float64)
DIFFERENCE = "10<sup>4</sup> × (tanh form − exact form)"


def gelu_panels():
    """The panels of the figure below: the two forms beside the ReLU, and the difference of the forms."""
    exact, tanh = gelu(AXIS), gelu(AXIS, approximate="tanh")
    return {"value": {"exact form": exact, "tanh form": tanh, "ReLU": AXIS.clamp(min=0)},
            DIFFERENCE: {"difference": 1e4 * (tanh - exact)}}


# %% figure=true
figures.smooth_panels(AXIS, gelu_panels(), x_title="x", title="GELU in two forms",
                      notes={"value": [(-0.75, -0.17, "lowest: -0.170")], DIFFERENCE: [(-2.7, 4.73, "4.73")]})

# %% [markdown]
# In the left panel the two forms lie on each other. Both fall below zero, to $-0.170$ at $x = -0.75$, and both follow the ReLU
# away from zero: at 3 the result is 2.996. In the right panel their difference is drawn ten thousand times enlarged. The
# difference is largest at $x = \pm 2.70$, where it is $4.73 \cdot 10^{-4}$, and it has the other sign around $\pm 1.4$. It is
# far too large for rounding: a model that is given the wrong form answers slightly, and in every layer a little more,
# differently.

# %% experiment=true
grid = torch.linspace(-8, 8, 160001, dtype=torch.float64)
gap = (gelu(grid, approximate="tanh") - gelu(grid)).abs()
where = grid[gap.argmax()].item()
print(f"the two forms differ by {gap.max():.3e} at most, at x = {where:.2f}")
print(f"the lowest value of the exact form is {gelu(grid).min():.4f}, at x = {grid[gelu(grid).argmin()]:.2f}")
assert abs(gap.max() - 4.73e-4) < 1e-6, "with two right forms the largest difference is 4.73e-4"
assert abs(abs(where) - 2.70) < 0.01, "with two right forms it is largest at x = -2.70 and 2.70"

# %% [markdown]
# ## 4. The position-wise network
#
# Two affine maps with GELU between them, from $D$ features to $M$ hidden units and back:
#
# $$Y = \mathrm{GELU}\!\left(X W_1 + b_1\right) W_2 + b_2$$
#
# $W_1$ is $D \times M$ and $b_1$ has $M$ numbers; $W_2$ is $M \times D$ and $b_2$ has $D$ numbers. $Y$ has the shape of $X$.
# The biases are added to every token. GELU is the **exact** form; use your own `gelu` or torch's.
#
# *Position-wise* means that each row of $X$ goes through by itself: token 4 can be changed without moving token 0. Nothing
# comes after the second map, neither an activation nor the token itself. The residual connection of a block is added outside,
# and so is its LayerNorm.

# %% exercise="feed_forward"

# %% experiment=true
def network_shapes(D):
    """The shapes of W_1, b_1, W_2, b_2 with M = 4 D hidden units, as in most transformers."""
    return [(D, 4 * D), (4 * D,), (4 * D, D), (D,)]


for D, expected in [(64, 33_088), (768, 4_722_432)]:
    weights = [torch.zeros(shape, dtype=torch.float64) for shape in network_shapes(D)]
    tokens = torch.ones(3, D, dtype=torch.float64)
    assert feed_forward(tokens, *weights).shape == (3, D), "a right answer takes weights of these shapes and returns 3 x D"
    count = sum(weight.numel() for weight in weights)
    print(f"parameters of the position-wise network at D = {D}: {count:,}")
    assert count == expected, f"8 D^2 + 5 D is {expected:,} at D = {D}"

# %% [markdown]
# With the usual $M = 4D$ there are $4D^2 + 4D$ parameters in the first map and $4D^2 + D$ in the second, $8D^2 + 5D$ together:
# 33,088 at $D = 64$ and 4,722,432 at the $D = 768$ of GPT-2 small. Attention has about half as many, $4D^2$, and a LayerNorm
# hardly any.
#
# ### Twelve layers deep
#
# Send 64 random tokens through 12 such networks with random weights, $D = 64$ and $M = 256$. All that varies is one factor on
# the weights: 1 is the usual choice, a standard deviation of $1/\sqrt{\text{number of inputs}}$, and the others are half and
# twice that. Once each layer is fed with what the last one returned, once with the LayerNorm of it. Measured is the size of the
# activations, that is, the root of the mean of their squares.

# %% given=true
DEPTHS = [1, 2, 4, 6, 8, 10, 12]


def size_by_depth(factor, normalise, D=64, M=256):
    """The logarithm (base 10) of the size of the activations after the layers in DEPTHS."""
    generator = torch.Generator().manual_seed(3)
    X, sizes = torch.randn(64, D, generator=generator, dtype=torch.float64), []
    for depth in range(1, DEPTHS[-1] + 1):
        W_1 = factor / math.sqrt(D) * torch.randn(D, M, generator=generator, dtype=torch.float64)
        W_2 = factor / math.sqrt(M) * torch.randn(M, D, generator=generator, dtype=torch.float64)
        X = feed_forward(plain_norm(X) if normalise else X, W_1, torch.zeros_like(W_1[0]), W_2, torch.zeros_like(W_2[0]))
        if depth in DEPTHS:
            sizes.append(X.square().mean().sqrt().log10())
    return sizes


def depth_panels():
    """The panels of the figure below: the size of the activations without and with LayerNorm, for three factors."""
    curves = {"weights halved": 0.5, "usual weights": 1.0, "weights doubled": 2.0}
    return {f"log<sub>10</sub> of the size, {how} LayerNorm":
            {name: size_by_depth(factor, how == "with") for name, factor in curves.items()} for how in ("without", "with")}


# %% figure=true
figures.line_panels(DEPTHS, depth_panels(), x_title="layers passed", log_x=False,
                    title="The size of the activations on their way through 12 layers").update_yaxes(range=[-12, 7])

# %% [markdown]
# The vertical axis counts powers of ten. Without LayerNorm (left), each layer multiplies the size by much the same factor as
# the last, so the curves are nearly straight. After 12 layers the size is about $2 \cdot 10^{-11}$ with halved weights,
# $4 \cdot 10^{-4}$ with the usual ones and $2 \cdot 10^5$ with doubled ones. Weights that are to keep the size for dozens of
# layers would have to be chosen very exactly, and training would not leave them there. With LayerNorm (right), every layer is
# fed at the same size. The three curves are flat, near 0.14, 0.65 and 2.8: a factor on the weights acts once, not twelve times.
#
# Gradients are multiplied by the same kind of factors on their way back. Does it matter in practice? Here is a network of 16
# layers of width 32 that is to learn a smooth function of the plane, with and without **your** `LayerNorm` module. Everything
# else is the same. The error is measured in units of the target's variance, so a network that ignores its input can reach 1.

# %% experiment=true
def deep_network(normalise, depth=16, D=32):
    """`depth` dense layers of width D with GELU, with or without a LayerNorm in front of each GELU; 2 numbers in, 1 out."""
    torch.manual_seed(1)
    layers = [nn.Linear(2, D)]
    for _ in range(depth):
        layers += [*([LayerNorm(D)] if normalise else []), nn.GELU(), nn.Linear(D, D)]
    return nn.Sequential(*layers, nn.Linear(D, 1)).double()


def train(network, steps=300):
    """The gradient's size in the first layer at the start, and the error after training."""
    points = 4 * torch.rand(256, 2, generator=torch.Generator().manual_seed(5), dtype=torch.float64) - 2
    target = torch.sin(2 * points[:, :1]) * torch.cos(2 * points[:, 1:])
    target = target / target.std(correction=0)
    optimiser, gradient = torch.optim.Adam(network.parameters(), lr=1e-3), None
    for _ in range(steps):
        error = (network(points) - target).square().mean()
        optimiser.zero_grad()
        error.backward()
        gradient = network[0].weight.grad.norm().item() if gradient is None else gradient
        optimiser.step()
    return gradient, error.item()


torch.set_num_threads(1)
for normalise in (False, True):
    gradient, error = train(deep_network(normalise))
    name = "with LayerNorm" if normalise else "without LayerNorm"
    print(f"{name}: gradient in the first layer {gradient:.1e} at the start, error {error:.3f} after 300 steps")
    assert (error < 0.1) == normalise, "with a right LayerNorm the error falls below 0.1; without any it stays near 1"

# %% [markdown]
# Without LayerNorm the first layer receives a gradient of about $3 \cdot 10^{-10}$ and the error stays at 1.000: the network
# has learned the mean. With LayerNorm the gradient is hundreds of millions of times larger, and after the same 300 steps less
# than one percent of the error is left. (A transformer has residual connections as well, which help in another way. How the two
# go together is the subject of the notebook on the transformer block.)

# %% [markdown]
# ## 5. The gradient of LayerNorm
#
# What did automatic differentiation do in that experiment? Let $\ell$ be the loss, and let $\mathrm{d}Y$, of the shape of $Y$,
# hold the derivatives $\partial \ell / \partial y_{ni}$ that arrive from above. Wanted are the derivatives with respect to $X$,
# $\gamma$ and $\beta$, called $\mathrm{d}X$, $\mathrm{d}\gamma$ and $\mathrm{d}\beta$.
#
# **The parameters.** $\beta_i$ is added to, and $\gamma_i$ multiplies, feature $i$ of *every* token. Whatever is used many
# times collects a derivative from each use:
#
# $$\mathrm{d}\beta_i = \sum_n \mathrm{d}y_{ni}, \qquad \mathrm{d}\gamma_i = \sum_n \mathrm{d}y_{ni}\, \hat{x}_{ni} .$$
#
# The sums run over all tokens of all sentences, that is, over every axis but the last. The results have $D$ numbers each.
#
# **The token.** $x_{nj}$ acts on $y_{ni}$ in three ways: directly if $j = i$, through the mean, and through the variance. Since
#
# $$\frac{\partial \mu_n}{\partial x_{nj}} = \frac{1}{D} \qquad\text{and}\qquad
# \frac{\partial}{\partial x_{nj}} \sqrt{\sigma_n^2 + \varepsilon}
# = \frac{x_{nj} - \mu_n}{D \sqrt{\sigma_n^2 + \varepsilon}} = \frac{\hat{x}_{nj}}{D},$$
#
# the chain rule gives, with $g_{ni} = \gamma_i\, \mathrm{d}y_{ni}$,
#
# $$\mathrm{d}x_{ni} = \frac{1}{\sqrt{\sigma_n^2 + \varepsilon}} \left( g_{ni} - \frac{1}{D} \sum_{j=1}^{D} g_{nj}
# - \hat{x}_{ni}\, \frac{1}{D} \sum_{j=1}^{D} g_{nj}\, \hat{x}_{nj} \right) .$$
#
# The first term is the direct way, the second goes through the mean, the third through the variance. The same root, with
# $\varepsilon$ in it, stands in front and inside each $\hat{x}$.
#
# Return `(dX, dgamma, dbeta)`: `dX` has the shape `... x N x D` of `X`, the other two have $D$ numbers. Compute the formulas;
# automatic differentiation is not needed here, but it is a good way to check yourself.

# %% exercise="layer_norm_gradient"

# %% given=true
TOKEN = torch.tensor([0.0, 1.0, 2.0, 5.0], dtype=torch.float64)


def layer_norm_jacobian(x):
    """The D x D derivatives of a normalised token y_i (rows) by x_j (columns), each row a gradient that you compute."""
    D = len(x)
    return layer_norm_gradient(torch.eye(D, dtype=x.dtype), x.expand(D, D).contiguous(), torch.ones(D, dtype=x.dtype))[0]


# %% figure=true
figures.heat_maps([layer_norm_jacobian(TOKEN), layer_norm_jacobian(4 * TOKEN)], signed=True,
                  titles=["token 0, 1, 2, 5", "token 0, 4, 8, 20"], label="derivative", axes=("output i", "input j"),
                  title="How a normalised token answers to its features")

# %% [markdown]
# Blue is positive and red negative. Every feature raises its own output (the diagonal) and, for the most part, lowers the
# others, because it raises the mean that they are compared with. Feature 2 sits exactly at the mean of its token, so it does
# not change the variance to first order: in its row and column, the three entries off the diagonal are equal. For 0 and 3, at
# the two ends of the token, the entry is positive: raising feature 3 widens the spread, and feature 0 comes out *less* far
# below the mean.
#
# Two things hold for every token, and neither is easy to see by eye. Each row sums to 0: adding a constant to all features
# changes nothing. And each row times $x_n - \mu_n$ gives 0 (but for $\varepsilon$): making the token louder changes nothing
# either. No gradient ever asks for a change of offset or loudness.
#
# The right map belongs to the same token, four times louder. It has the same pattern, four times paler. LayerNorm hands a loud
# token a small gradient and a quiet one a large gradient.

# %% [markdown] question="what-layer-norm-forgets" points=2
# ### In your own words
#
# Answer in about ten sentences.
#
# 1. A friend says: "LayerNorm destroys information, but $\gamma$ and $\beta$ restore it, so in the end nothing is lost." What
#    exactly can LayerNorm not tell apart, and what can $\gamma$ and $\beta$ do about it, and what not?
# 2. Suppose that the mean and the variance were taken over the tokens of a sentence as well as over the features. Give two
#    reasons why that would be wrong for a language model that reads from left to right and whose batches contain padding.
# 3. The gradient that passes a LayerNorm is divided by the root of the token's variance. Suppose that the weights in front of
#    it grow during training, so that all tokens become louder. What happens to the output of the LayerNorm, and what to the
#    gradient that reaches those weights? Is that good or bad for the stability of training?

# %% [markdown]
# ## Handing in
#
# Restart the kernel and run all cells from the top, so that nothing depends on a cell you have deleted. Look once more at the
# five check cells and at your answer to the written question, save, and hand in this one file, `layernorm.ipynb`, under this
# name. Its outputs do not matter: your functions are run again in grading. An exercise that you did not finish costs only its
# own points, so hand in what you have.
