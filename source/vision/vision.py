# %% [markdown]
# # A small vision transformer
#
# A transformer reads a sequence of tokens. An image is no sequence, and its pixels are no words. And yet the model that you
# build here reads handwritten digits with little more than the parts you know: cut the image into small squares, call each
# square a token, and let attention do the rest. Nothing in it is told that a square has neighbours, or that 3 and 8 look
# alike. What it needs of that it learns from 1300 digits, in a few seconds on an ordinary computer.
#
# Then you ask it **where it looked**, in three ways: the attention of its last layer, the attention of all layers multiplied
# together, and gradients. They do not always agree, and at the end you will know why.
#
# **What you need**: attention with several heads, LayerNorm, the pre-norm layer (given below), and what a gradient is. No
# graphics card. **Time**: about two hours, 75 minutes of them for the five exercises; the experiments take about a minute.
#
# ## How the notebook works
#
# - Each exercise is one cell to fill in. Under it stands a cell that calls `check`: run it as often as you like. Where something
#   is wrong it shows the smallest input it could find that goes wrong, what was expected and what you returned.
# - Those are the *public* checks. There are *hidden* ones as well, which run only in grading and compare your answer with a
#   reference. To pass all public checks is a very good sign, but not yet the grade.
# - Figures are drawn with **your** functions, so a figure cell raises an error until the functions it uses are written.
#   Experiments train a model; they are yours to run and are not run in grading.
# - Add cells wherever you like; your functions may use one another. The locked cells (imports, data, figures, checks) are put
#   back in their original form before grading, so what you write into them is lost.

# %% [markdown]
# ## What holds for every exercise
#
# - **Notation.** As in chapter 12 of Bishop, *Deep Learning: Foundations and Concepts*: $N$ tokens of $D$ numbers are the
#   **rows** of an $N \times D$ matrix $X$. An image has $S \times S$ pixels, a patch $P \times P$, and there are $B$ images in
#   a batch and $H$ heads. Rows and columns, tokens and layers are counted from 0.
# - **Precision.** The checks send `float64` and build your model in it; the experiments train in `float32`. Helpers such as
#   `torch.zeros(3)` are `float32`, so write `torch.zeros_like(X)` or `dtype=X.dtype`.
# - **Inputs stay as they are.** The caller still needs them: no `X -= ...`, no `images[...] = ...`, and no operation whose name
#   ends in `_` on something you were given. The same goes for a model that you are given and for its parameters.

# %% given=true
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from autograder import check, figures, fill_parameters

# %% [markdown]
# ## The data
#
# The digits come with scikit-learn: 1797 images of $8 \times 8$ pixels. We shuffle them once, train on 1300 and hold back 497.

# %% given=true
def digits():
    """Images and labels to train on (1300 x 8 x 8 and 1300) and to test with (497 x 8 x 8 and 497); ink from 0 to 1, in float32."""
    from sklearn.datasets import load_digits
    data = load_digits()
    order = torch.randperm(1797, generator=torch.Generator().manual_seed(0))
    images, labels = torch.tensor(data.images, dtype=torch.float32)[order] / 16, torch.tensor(data.target)[order]
    return images[:1300], labels[:1300], images[1300:], labels[1300:]


# %% figure=true
figures.picture_rows({"ink": digits()[0][:6]}, [f"a {label}" for label in digits()[1][:6].tolist()], title="Six of the digits")

# %% [markdown]
# ## 1. Patches
#
# A patch is a square of $P \times P$ neighbouring pixels. If $P$ divides $S$, the image falls into $(S/P)^2$ patches, and each of
# them becomes a row of $P^2$ numbers:
#
# $$B \times S \times S \quad\longrightarrow\quad B \times (S/P)^2 \times P^2$$
#
# - The patches come in **reading order**: from left to right, then the next row of patches. Patch $n$ covers the pixel rows
#   from $P\lfloor n P/S\rfloor$ on and the pixel columns from $P\,(n \bmod S/P)$ on.
# - The pixels of a patch come in reading order too. (Elsewhere you will meet patches read column by column, and images with a
#   colour axis in front or at the end. A trained model only works with the order it was trained on.)
# - If $P$ does not divide $S$, raise a `ValueError`. Cutting off the rest or filling it up would be a decision that the caller
#   should know of.
#
# A test to do by hand: in `torch.arange(64.).reshape(1, 8, 8)`, whose pixels are numbered from 0 to 63, patch 0 for $P = 2$ is
# 0, 1, 8, 9 and patch 1 is 2, 3, 10, 11. A bare `reshape` gives 0, 1, 2, 3: it has the right shape and holds the right pixels,
# and still the patches are thin strips.

# %% exercise="patchify"

# %% given=true
def where_pixels_go(S=8, P=2):
    """Two S x S matrices that say for each pixel which patch it goes to, and to which place in that patch."""
    numbers = patchify(torch.arange(S * S, dtype=torch.float64).reshape(1, S, S), P)[0].long()
    patch, place = torch.zeros(S * S, dtype=torch.long), torch.zeros(S * S, dtype=torch.long)
    for n, pixels in enumerate(numbers):
        patch[pixels], place[pixels] = n, torch.arange(P * P)
    return patch.reshape(S, S), place.reshape(S, S)


# %% figure=true
figures.heat_maps(where_pixels_go(), titles=["number of its patch", "place in its patch"], axes=("pixel row", "pixel column"), label="number",
                  title="Where each pixel goes")

# %% [markdown]
# On the left you should see sixteen squares of $2 \times 2$ equal numbers, growing to the right and then downwards. On the right
# each of these squares reads 0 1 above 2 3. Stripes on the left are the sign of a bare `reshape`.

# %% [markdown]
# ## 2. The model
#
# A vision transformer is this, and no more:
#
# 1. Each patch is **embedded**: a linear map from its $P^2$ pixels to $D$ features.
# 2. A **class token** is put in front: $D$ numbers that are learned, the same for every image. It starts out empty-handed, and
#    attention lets it collect from the patches what is needed to name the digit.
# 3. A **position** is added to each token, also learned, one for each of the $1 + (S/P)^2$ rows. Without them the model would
#    see a bag of patches.
# 4. The tokens go through the **layers**, each on what the one before returned, and through a final LayerNorm (pre-norm layers
#    leave their sum as it grew).
# 5. The **head**, a linear map, reads the class token alone and gives the logits, one for each class. No softmax: the loss
#    function contains it.
#
# $$X_0 = \begin{pmatrix} c^{\mathsf T} \\ \mathrm{embed}(\text{patch } 0) \\ \vdots \end{pmatrix} + R, \qquad
# X_l = \mathrm{layer}_l(X_{l-1}), \qquad \text{logits} = \mathrm{head}\big(\mathrm{norm}(X_L)_0\big)$$
#
# Here $c$ is the class token, $R$ holds the positions in its rows, and the index 0 at the end takes row 0. Two things are given:

# %% given="EncoderLayer embed_patches"

# %% [markdown]
# `embed_patches` cuts and embeds in one step. A convolution whose kernel is as wide as its stride looks at each patch once, and
# each of its $D$ kernels takes one weighted sum: that is the linear map `embed`, applied to each patch. Published models are
# mostly written so. It is the same as `embed(patchify(images, P))`, and you may write that instead; with `embed_patches`, a
# mistake in your `patchify` does not follow you into this exercise.
#
# You write `tokens` and `forward`. `__init__` is given, since the checks load parameters by name. For the default sizes they
# are
#
# | part | parameters |
# |---|---|
# | `embed` | $4 \cdot 32 + 32 = 160$ |
# | `class_token` | $32$ |
# | `positions` | $17 \cdot 32 = 544$ |
# | `layers`, two of 12,704 | $25{,}408$ |
# | `norm` | $64$ |
# | `head` | $32 \cdot 10 + 10 = 330$ |
# | together | $26{,}538$ |
#
# In `forward`, get the tokens from `self.tokens(images)`. The model is going to be trained, so everything stays in torch: no
# `.detach()`, no `.data`, no NumPy. `self.class_token` is $1 \times 1 \times D$; `expand` repeats it for $B$ images without
# copying it.

# %% exercise="TinyViT"

# %% experiment=true
torch.set_num_threads(1)   # for a model this small, more threads are slower
torch.manual_seed(0)
model, images = TinyViT(), digits()[2]
cut = model.embed(patchify(images, 2))
assert torch.allclose(cut, embed_patches(images, model.embed, 2), atol=1e-5), "embed(patchify(images, 2)) and embed_patches should agree"
parameters = {name: sum(p.numel() for p in part.parameters()) for name, part in model.named_children()}
parameters |= {"class_token": model.class_token.numel(), "positions": model.positions.numel()}
print(*(f"{name:12}{count:8,}" for name, count in parameters.items()), sep="\n")
print(f"{'together':12}{sum(parameters.values()):8,}")
assert sum(parameters.values()) == 26538, "with the given __init__ this is 26,538"

# %% [markdown]
# ### Training it
#
# Thirty times through the 1300 digits, with Adam and the cross-entropy as loss.

# %% given=true
def train(seed=0, pixels=None, positions=True, epochs=30):
    """Train a TinyViT and return it with its accuracy on the 497 digits held back.

    pixels: an order of the 64 pixels in which all images are rearranged first. positions: without them, all positions stay 0.
    """
    torch.manual_seed(seed)
    images, labels, test_images, test_labels = digits()
    if pixels is not None:
        images, test_images = (x.flatten(1)[:, pixels].unflatten(1, (8, 8)) for x in (images, test_images))
    model = TinyViT()
    if not positions:
        nn.init.zeros_(model.positions).requires_grad_(False)
    optimiser = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=1e-3)
    for _ in range(epochs):
        for batch in torch.randperm(1300).split(64):
            optimiser.zero_grad()
            F.cross_entropy(model(images[batch]), labels[batch]).backward()
            optimiser.step()
    with torch.no_grad():
        accuracy = (model.eval()(test_images).argmax(-1) == test_labels).double().mean().item()
    return model, accuracy


# %% experiment=true
vit, accuracy = train()
print(f"accuracy on 497 digits that it has never seen: {accuracy:.3f}")
assert accuracy >= 0.88, "with a right answer this is between 0.92 and 0.98, whatever the seed"

# %% [markdown]
# Now two models that are worse off. For the first, the 64 pixels of **every** image are rearranged in one and the same random
# order before anything else: to your eye, noise. For the second, all positions stay 0.

# %% experiment=true
scrambled = train(pixels=torch.randperm(64, generator=torch.Generator().manual_seed(1)))[1]
without_positions = train(positions=False)[1]
print(f"as it should be {accuracy:.3f}   pixels scrambled {scrambled:.3f}   without positions {without_positions:.3f}")
assert scrambled > 0.85 and without_positions < 0.85, "with right answers: well above 0.85 scrambled, well below it without positions"

# %% [markdown]
# The scrambled digits cost the model a few hundredths at most. It was never told which patches are neighbours, so it misses
# nothing: any fixed order of the pixels is as good as another, or nearly. Without positions it falls to about .7, which is what
# can be had from a bag of patches.
#
# Note what that means for **testing**. If your `patchify` had scrambled the pixels by mistake, the accuracy would have hidden
# it. A number that is good proves little about the code that produced it; that is why the checks look at the parts.

# %% [markdown]
# ## 3. Where the class token looks
#
# The head reads the class token, and the class token got what it knows from the patches, by attention. So a first answer to "where
# did the model look?" is row 0 of the attention weights **in the last layer**.
#
# For `images` of $B$ images, return $B \times (N - 1)$ numbers, one for each patch. $N$ counts the class token too:
#
# - The weights are those that the layer really uses. Look at `EncoderLayer.forward` to see what goes into its attention: the
#   tokens as the *previous* layer left them, and after a LayerNorm.
# - `nn.MultiheadAttention` returns a pair: the output, and the weights, $B \times N \times N$ and by default averaged over the
#   heads. Row $n$ belongs to query $n$, column $m$ to key $m$.
# - The class token's weight for **itself** is left out, and the rest is left as it is: the row sums to less than 1. Do not divide by
#   the sum, or you could no longer see how much the class token keeps to itself.
#
# The model that you are given has `tokens` and `layers` like your `TinyViT`, but in the checks it is **not** your `TinyViT`: it is this
# one, so that a mistake there does not follow you here. You need not understand how it makes its tokens.

# %% given="StandIn"

# %% exercise="class_token_attention"

# %% experiment=true
_, _, test_images, test_labels = digits()
shown = [(test_labels == digit).nonzero()[0, 0].item() for digit in (0, 3, 4, 6, 7)]
names = [f"a {test_labels[i].item()}, read as {vit(test_images[[i]]).argmax().item()}" for i in shown]
with torch.no_grad():
    looks = class_token_attention(vit, test_images[shown])
print("left for the class token itself:", *(f"{1 - row.sum().item():.2f}" for row in looks))
assert (looks.sum(-1) < 1).all(), "a row of weights, the class token's own left out, sums to less than 1"
figures.picture_rows({"ink": test_images[shown], "attention": looks.unflatten(1, (4, 4))}, names, title="Where the class token looks, last layer")

# %% [markdown]
# Each small square of the lower row stands for a patch, the number in it for its weight; if all 17 tokens got the same, it would be
# .06. The maps differ from digit to digit, and some patches get three times their equal share. But the patches that get much are not
# always where the ink is. (In our run it was the thinly inked patch left of the stem that got most in the 7.) Two reasons: a *pale*
# patch can be what tells a digit from its neighbours, as the open side of a 6 does; and by the last layer, a token is no longer
# the patch it started as. It has been mixed with all others in the layer before.

# %% [markdown]
# ## 4. Attention rollout
#
# If tokens are mixed in every layer, follow the mixing. In layer $l$ let $A_l$ be the attention weights, $N \times N$, averaged over the
# heads. The layer's residual connection hands each token on as it is, beside what attention brings. Count both alike:
#
# $$\tilde A_l = \tfrac12 \left(A_l + I\right), \qquad
# R = \tilde A_L \, \tilde A_{L-1} \cdots \tilde A_1$$
#
# Each row of $\tilde A_l$ sums to 1 (if you add $I$ first, divide each row by its sum), and so does each row of $R$. Row $n$ of $R$
# says what share of output token $n$ comes from each of the **input** tokens.
#
# The order matters, since matrices do not commute. $\tilde A_1$ acts first, on the input, so it stands on the **right**.
# Two tokens are enough to see it: if in the first layer both look at token 0 only, and in the second both at token 1 only, then
#
# $$R = \begin{pmatrix} \frac12 & \frac12 \\ 0 & 1 \end{pmatrix} \begin{pmatrix} 1 & 0 \\ \frac12 & \frac12 \end{pmatrix}
# = \begin{pmatrix} \frac34 & \frac14 \\ \frac12 & \frac12 \end{pmatrix} .$$
#
# `alphas` is a list of $L$ tensors, each $H \times N \times N$, **the first layer first**, and all rows sum to 1. There is no batch
# axis here: one image at a time.

# %% exercise="attention_rollout"

# %% given=true
def looking_at(token, N=4):
    """One head of N tokens that all look at the same token, as 1 x N x N."""
    alpha = torch.zeros(1, N, N, dtype=torch.float64)
    alpha[..., token] = 1
    return alpha


# %% figure=true
figures.heat_maps([attention_rollout([looking_at(0)]), attention_rollout([looking_at(0), looking_at(3)]),
                   attention_rollout([looking_at(3), looking_at(0)]), attention_rollout([looking_at(0)] * 4)],
                  titles=["one layer looks at 0", "first at 0, then at 3", "first at 3, then at 0", "four layers look at 0"], label="share",
                  axes=("output token", "input token"), title="Rollout of layers that look at one token")

# %% [markdown]
# In the second map, every token takes a half from token 0 and a quarter from token 3, and keeps a quarter of itself, although it was
# token 3 that the *last* layer looked at: by then, token 3 was half token 0 itself. With the layers exchanged the two columns change
# their parts. And the last map shows the weakness of the method. With every layer half of the rest moves on to token 0, only one
# sixteenth of each other token is still itself after four layers, and in a deep model all rows of the rollout grow alike.

# %% [markdown]
# ## 5. Gradient saliency
#
# Attention weights say where information *may* have come from. They leave out the values, the MLPs and the head. A gradient goes
# through all of it: $\partial\,\text{output}_k / \partial x_n$ says how output $k$ would answer to a small change of token $n$. Its
# length is a measure of how much that token matters. In terms of $g_{kn} = \partial\,\text{output}_k/\partial x_n$, a vector of
# $D$ numbers,
#
# $$s_{kn} = \frac{\lVert g_{kn} \rVert}{\sum_{m} \lVert g_{km} \rVert}, \qquad
# \lVert g \rVert = \sqrt{g_1^2 + \dots + g_D^2} .$$
#
# `model` maps a tensor $X$ of $N \times D$ to $K$ outputs. Return the $K \times N$ matrix $s$:
#
# - Each row sums to 1. Where an output does not depend on any token, all lengths are 0, and so is the **row**: not NaN.
# - The outputs are taken **as they are**. If they are logits, do not put a softmax over them: a confident softmax is flat, and its
#   gradient is close to 0 for the wrong reason. Do not use a loss either.
# - It is the plain gradient that is asked for, not gradient times input (also in use), and the Euclidean length, not a signed sum,
#   in which entries would cancel.
# - Differentiate at `X`, but leave `X` as it is: work on `X.detach().clone().requires_grad_()`. Each output needs a gradient of
#   its own. If you call `backward` in a loop, gradients of one output are *added* to those of the last; and the graph is
#   freed after the first one unless you pass `retain_graph=True`. `torch.autograd.grad` and
#   `torch.autograd.functional.jacobian` are worth a look.
#
# The checks use two models whose gradients can be worked out on paper. The first is linear, $\text{output}_k = \sum_{n,d} W_{knd}\,
# x_{nd}$, so that $g_{kn}$ is row $n$ of $W_k$. The second is curved, $\text{output}_k = \sum_{n,m} V_{knm} \sin\big((XU)_{nm}\big)$.

# %% given="LinearReadout CurvedReadout"

# %% exercise="gradient_saliency"

# %% given=true
W_SHOWN = torch.tensor([[[3.0, 4.0], [0.0, 5.0], [0.0, 0.0]], [[1.0, -1.0], [2.0, 0.0], [-1.0, 1.0]]], dtype=torch.float64)

# %% figure=true
figures.heat_maps([gradient_saliency(LinearReadout(W_SHOWN.clone()), torch.zeros(3, 2, dtype=torch.float64))], label="saliency",
                  axes=("output", "token"), title="Saliency of a linear model")

# %% [markdown]
# Output 0 has the weight vectors (3, 4), (0, 5) and (0, 0) for the three tokens, of lengths 5, 5 and 0: the shares are .5, .5 and
# exactly 0. For output 1 they are (1, -1), (2, 0) and (-1, 1), of lengths 1.414, 2 and 1.414: the shares are .293, .414 and .293.
# A signed sum would have given tokens 0 and 2 nothing.

# %% [markdown]
# ### Three answers side by side
#
# Last, all three on the trained model and the five digits from above. The attention maps of all layers come from a helper that
# listens to the layers while the model runs. Of the rollout, row 0 is shown, the class token's, without its first entry, the
# class token's share in itself. For the saliency the tokens are the raw patches, $16 \times 4$, and the output
# is the logit of the digit that the model read.

# %% experiment=true
from autograder.exercises.vision._given import FromPatches, attention_maps


def three_answers(images):
    """B x 16 numbers by the name of the method, one for each patch of the B images."""
    read = vit(images).argmax(-1)
    rollouts = [attention_rollout(attention_maps(vit, image))[0, 1:] for image in images]
    saliencies = [gradient_saliency(FromPatches(vit, 2, 8), patchify(image[None], 2)[0])[k] for image, k in zip(images, read)]
    return {"attention": class_token_attention(vit, images).detach(), "rollout": torch.stack(rollouts), "saliency": torch.stack(saliencies)}


answers = three_answers(test_images[shown])
last_maps = torch.stack([attention_maps(vit, image)[-1] for image in test_images[shown]])   # 5 x H x 17 x 17
assert torch.allclose(last_maps.mean(1)[:, 0, 1:], answers["attention"], atol=1e-5), "class_token_attention should be row 0 of the last map"
pictures = {name: answer.unflatten(1, (4, 4)) for name, answer in answers.items()}
figures.picture_rows({"ink": test_images[shown]} | pictures, names, title="Where did it look?")

# %% [markdown]
# The rollout looks like a flatter copy of the attention (each row of pictures has a scale of its own: compare the numbers, not the
# shades). Half of every layer is the identity, and attention is spread over what the first layer had mixed. The saliency is another
# matter. It often agrees on the strongest patch or two, and then goes its own way.
#
# Which of them is right? One way to find out is to take the patches away. For 200 digits, replace the four patches that a method
# ranks highest by what these patches look like in the average digit, and see how often the model still reads the same.
# Patches that matter should hurt more than four patches chosen at random.

# %% experiment=true
def correlation(a, b):
    """The correlation of two B x 16 tensors over the patches of an image, averaged over the images."""
    a, b = (x - x.mean(1, keepdim=True) for x in (a, b))
    return ((a * b).sum(1) / (a.norm(dim=1) * b.norm(dim=1))).mean().item()


def still_read(images, ranks, average):
    """How often the model reads the same after the four patches with the highest `ranks` (B x 16) were replaced by the average's."""
    chosen = torch.zeros_like(ranks).scatter(1, ranks.topk(4, dim=1).indices, 1.0).unflatten(1, (4, 4))
    chosen = chosen.repeat_interleave(2, 1).repeat_interleave(2, 2) == 1
    with torch.no_grad():
        return (vit(torch.where(chosen, average, images)).argmax(-1) == vit(images).argmax(-1)).double().mean().item()


some, average = test_images[:200], digits()[0].mean(0)
answers = three_answers(some)
print(f"correlation: attention and rollout {correlation(answers['attention'], answers['rollout']):.2f}, "
      f"attention and saliency {correlation(answers['attention'], answers['saliency']):.2f}, "
      f"rollout and saliency {correlation(answers['rollout'], answers['saliency']):.2f}")
answers["at random"] = torch.rand(200, 16, generator=torch.Generator().manual_seed(0))
kept = {name: still_read(some, answer, average) for name, answer in answers.items()}
print("still read the same without the four highest patches:", ", ".join(f"{name} {share:.2f}" for name, share in kept.items()))
assert max(kept["attention"], kept["rollout"], kept["saliency"]) < kept["at random"], "with right answers each method finds patches that matter more"

# %% [markdown]
# In our run, attention and rollout had a correlation of .85, and attention and saliency of .53. Four patches at random left 83 of
# 100 digits as they were read; four chosen by any of the three methods left about half or fewer. So all three point at something real,
# and none of them is the whole story: the map of the last layer's attention is *one* measurement of a model, not its reasons.

# %% [markdown] question="what-the-model-saw" points=2
# ### In your own words
#
# Answer in about twelve sentences.
#
# 1. A friend's `patchify` is a bare `reshape`. Her model uses it, and once trained it still reads well over 9 digits in 10 correctly.
#    Why can it? Why can the same model not do without positions?
# 2. What would go wrong if the class token were put at the *end* of the tokens by mistake, so that `forward`, which reads row 0,
#    reads patch 0 after the last layer? Would the accuracy tell you?
# 3. A patch without any ink gets a large weight in the attention of the last layer, and a saliency that is not small. Give one reason why
#    each of the two need not be a mistake, and one reason why the two can differ from one another.

# %% [markdown]
# ## Handing in
#
# Restart the kernel and run all cells from the top, so that nothing depends on a cell you have deleted. Look once more at the
# five check cells and at your answer to the written question, save, and hand in this one file, `vision.ipynb`, under this
# name. Its outputs do not matter: your functions are run again in grading, and the experiments are not. An exercise that you
# did not finish costs only its own points, so hand in what you have.
