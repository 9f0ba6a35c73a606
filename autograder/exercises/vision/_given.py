"""What the vision notebook gives to students in locked cells, and the models that the checks hand to their functions."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class EncoderLayer(nn.Module):
    """A pre-norm transformer layer with D features and H heads."""

    def __init__(self, D, H):
        super().__init__()
        self.norm1 = nn.LayerNorm(D)
        self.attention = nn.MultiheadAttention(D, H, batch_first=True)
        self.norm2 = nn.LayerNorm(D)
        self.mlp = nn.Sequential(nn.Linear(D, 4 * D), nn.ReLU(), nn.Linear(4 * D, D))

    def forward(self, X):
        """X: B x N x D. Returns the same shape."""
        Z = self.norm1(X)
        X = X + self.attention(Z, Z, Z)[0]
        return X + self.mlp(self.norm2(X))


def embed_patches(images, embed, P):
    """Cut images B x S x S into P x P patches and embed each with `embed`, a Linear from P² to D: B x (S/P)² x D.

    It does so by a convolution that moves by P pixels at a time, and needs no other function of this notebook.
    """
    kernels = embed.weight.unflatten(1, (1, P, P))
    return F.conv2d(images[:, None], kernels, embed.bias, stride=P).flatten(2).mT


class StandIn(nn.Module):
    """Has `tokens`, `layers`, `norm` and `head` as a TinyViT has, row 0 being the class token, and can be called; but it makes its
    tokens in another way and reads the mean of them all.

    D features, H heads, `depth` layers, N tokens of an image of S x S pixels. `shift` is added to every entry of every token.
    The first `inside` of the layers work inside `tokens` and are not in `layers`.
    """

    def __init__(self, D, H, depth, N, S, shift=0.0, inside=0):
        super().__init__()
        self.mixing = nn.Parameter(torch.zeros(N, D, S, S))
        self.stack = nn.ModuleList(EncoderLayer(D, H) for _ in range(depth))
        self.norm = nn.LayerNorm(D)
        self.head = nn.Linear(D, 2)
        self.shift, self.inside = shift, inside

    @property
    def layers(self):
        """The layers that come after the tokens, the first one first."""
        return self.stack[self.inside:]

    def tokens(self, images):
        """images: B x S x S. Returns B x N x D; all tokens of a black image are equal."""
        mixed = torch.tanh(torch.einsum("bij,ndij->bnd", images, self.mixing)) + self.shift
        return nn.Sequential(*self.stack[:self.inside])(mixed)

    def forward(self, images):
        """images: B x S x S. Returns B x 2."""
        return self.head(self.norm(nn.Sequential(*self.layers)(self.tokens(images))).mean(dim=1))


class LinearReadout(nn.Module):
    """K linear functions of N tokens: output k is the sum of W[k] * X, where W is K x N x D."""

    def __init__(self, W):
        super().__init__()
        self.W = nn.Parameter(W)

    def forward(self, X):
        """X: N x D. Returns K numbers."""
        return (self.W * X).sum((-2, -1))


class CurvedReadout(nn.Module):
    """K curved functions of N tokens: output k is the sum of V[k] * sin(X U), where V is K x N x M and U is D x M."""

    def __init__(self, V, U):
        super().__init__()
        self.V, self.U = nn.Parameter(V), nn.Parameter(U)

    def forward(self, X):
        """X: N x D. Returns K numbers."""
        return (self.V * torch.sin(X @ self.U)).sum((-2, -1))


def attention_maps(model, image):
    """The attention maps of a TinyViT for one image S x S: a list of H x N x N, the first layer first, as `attention_rollout` wants them."""
    seen = []
    hooks = [layer.attention.register_forward_pre_hook(lambda module, args: seen.append((module, args[0]))) for layer in model.layers]
    with torch.no_grad():
        model(image[None])
        for hook in hooks:
            hook.remove()
        return [attention(Z, Z, Z, average_attn_weights=False)[1][0] for attention, Z in seen]


class FromPatches(nn.Module):
    """A model of images as a function of the patches of one image: maps its (S/P)² x P² pixels to the model's outputs."""

    def __init__(self, model, P, S):
        super().__init__()
        self.model, self.P, self.S = model, P, S

    def forward(self, X):
        """X: N x P², in the order of `patchify`. Returns the outputs for the image that the patches make up."""
        return self.model(F.fold(X.mT[None], self.S, self.P, stride=self.P)[:, 0])[0]
