"""The vision transformer: wrong and unusual answers."""

import torch
import torch.nn as nn
import torch.nn.functional as F

from autograder.exercises.vision._given import EncoderLayer, embed_patches  # in the notebook: from a locked cell
from catalogue import mistake, variant


def _sides(images, P):
    B, S, _ = images.shape
    if S % P:
        raise ValueError("P does not divide S")
    return B, S // P


@mistake("patchify", "a reshape and nothing else", named="a plain reshape")
def M194(images, P):
    B, n = _sides(images, P)
    return images.reshape(B, n * n, P * P)


@mistake("patchify", "cut in five axes, but the permutation forgotten", named="a plain reshape")
def M195(images, P):
    B, n = _sides(images, P)
    blocks = images.reshape(B, n, P, n, P)
    return blocks.reshape(B, n * n, P * P)


@mistake("patchify", "the grid read downwards first", named="read column by column")
def M196(images, P):
    B, n = _sides(images, P)
    return images.reshape(B, n, P, n, P).permute(0, 3, 1, 2, 4).reshape(B, n * n, P * P)


@mistake("patchify", "P and S/P exchanged in the reshape", named="every (S/P)-th pixel")
def M198(images, P):
    B, n = _sides(images, P)
    return images.reshape(B, P, n, P, n).permute(0, 2, 4, 1, 3).reshape(B, n * n, P * P)


@mistake("patchify", "the batch moved behind the patches", named="patches of different images mixed")
def M199(images, P):
    B, n = _sides(images, P)
    blocks = images.reshape(B, n, P, n, P).transpose(2, 3)
    return blocks.flatten(1, 2).transpose(0, 1).reshape(B, n * n, P * P)


@mistake("patchify", "a reshape where two axes should change places", named="a plain reshape")
def M202(images, P):
    B, n = _sides(images, P)
    rows = images.reshape(B, n, P, n, P)
    return rows.reshape(B, n, n, P, P).flatten(3).flatten(1, 2)


class _ViT(nn.Module):
    """The constructor that the stub gives, and right methods."""

    def __init__(self, P=2, S=8, D=32, H=4, n_layers=2, n_classes=10):
        super().__init__()
        self.P = P
        self.embed = nn.Linear(P * P, D)
        self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, D))
        self.positions = nn.Parameter(0.02 * torch.randn(1 + (S // P) ** 2, D))
        self.layers = nn.ModuleList([EncoderLayer(D, H) for _ in range(n_layers)])
        self.norm = nn.LayerNorm(D)
        self.head = nn.Linear(D, n_classes)

    def tokens(self, images):
        x = embed_patches(images, self.embed, self.P)
        return torch.cat([self.class_token.expand(x.shape[0], -1, -1), x], dim=1) + self.positions

    def forward(self, images):
        x = self.tokens(images)
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x)[:, 0])


@mistake("TinyViT", "the class token behind the patches", named="a class token appended behind the patches")
class M204(_ViT):
    def tokens(self, images):
        x = embed_patches(images, self.embed, self.P)
        return torch.cat([x, self.class_token.repeat(len(images), 1, 1)], dim=1) + self.positions


@mistake("TinyViT", "positions never added", named="tokens without positions")
class M207(_ViT):
    def tokens(self, images):
        x = embed_patches(images, self.embed, self.P)
        return torch.cat((self.class_token.expand(len(x), 1, -1), x), 1)


@mistake("TinyViT", "an index where a slice belongs", named="the position of the last row added to every token")
class M208(_ViT):
    def tokens(self, images):
        x = embed_patches(images, self.embed, self.P)
        x = torch.cat((self.class_token.expand(len(x), 1, -1), x), 1)
        return x + self.positions[x.shape[1] - 1]


@mistake("TinyViT", "the class token written over the first patch", named="takes the place of patch 0")
class M209(_ViT):
    def tokens(self, images):
        x = embed_patches(images, self.embed, self.P).clone()
        x[:, 0] = self.class_token[0, 0]
        return x + self.positions[:x.shape[1]]


@mistake("TinyViT", "the last token read", named="the last token read instead of the class token")
class M211(_ViT):
    def forward(self, images):
        x = self.tokens(images)
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x[:, -1]))


@mistake("attention_rollout", "the bare maps", named="without the identity")
def M213(alphas):
    R = torch.eye(alphas[0].shape[-1], dtype=alphas[0].dtype)
    for a in alphas:
        R = a.mean(0) @ R
    return R


@mistake("attention_rollout", "sums down the columns", named="columns that were made to sum to 1")
def M215(alphas):
    R = None
    for a in alphas:
        a = a.mean(0)
        a = a + torch.eye(len(a), dtype=a.dtype)
        a = a / a.sum(-2, keepdim=True)
        R = a if R is None else a @ R
    return R


@mistake("attention_rollout", "one head", named="the first head only")
def M218(alphas):
    R = torch.eye(alphas[0].shape[-1], dtype=alphas[0].dtype)
    for a in alphas:
        R = (0.5 * a[0] + 0.5 * torch.eye(len(R), dtype=a.dtype)) @ R
    return R


@mistake("attention_rollout", "the mean over the layers", named="mean")
def M220(alphas):
    eye = torch.eye(alphas[0].shape[-1], dtype=alphas[0].dtype)
    return sum((a.mean(0) + eye) / 2 for a in alphas) / len(alphas)


@mistake("attention_rollout", "a product entry by entry", named="entry by entry")
def M221(alphas):
    eye = torch.eye(alphas[0].shape[-1], dtype=alphas[0].dtype)
    R = (alphas[0].mean(0) + eye) / 2
    for a in alphas[1:]:
        R = R * ((a.mean(0) + eye) / 2)
    return R


@mistake("attention_rollout", "the last layer", named="last layer")
def M222(alphas):
    a = alphas[-1].mean(0)
    return (a + torch.eye(len(a), dtype=a.dtype)) / 2


def _gradients(model, X):
    X = X.detach().clone().requires_grad_(True)
    out = model(X)
    return torch.stack([torch.autograd.grad(out[k], X, retain_graph=True)[0] for k in range(len(out))])


def _rows(lengths):
    total = lengths.sum(-1, keepdim=True)
    return torch.where(total == 0, torch.zeros_like(lengths), lengths / total)


@mistake("gradient_saliency", "the sum of a gradient, signs and all", named="the signed sum")
def M225(model, X):
    return _rows(_gradients(model, X).sum(-1))


@mistake("gradient_saliency", "the maximum without absolute values", named="the largest entry of each gradient, with its sign")
def M226(model, X):
    return _rows(_gradients(model, X).amax(-1))


@mistake("gradient_saliency", "gradient times input", named="gradient times input")
def M227(model, X):
    return _rows((_gradients(model, X) * X).norm(dim=-1))


@mistake("gradient_saliency", "probabilities differentiated", named="a softmax was put over the outputs first")
def M229(model, X):
    return _rows(_gradients(lambda x: torch.softmax(model(x), dim=-1), X).norm(dim=-1))


@mistake("gradient_saliency", "the loss differentiated", named="a cross-entropy loss")
def M230(model, X):
    x = X.clone().requires_grad_()
    out = model(x)
    grads = []
    for k in range(out.shape[0]):
        loss = F.cross_entropy(out[None], torch.tensor([k]))
        grads.append(torch.autograd.grad(loss, x, retain_graph=True)[0])
    return _rows(torch.stack(grads).norm(dim=-1))


@mistake("gradient_saliency", "columns brought to the sum 1", named="columns that sum to 1")
def M233(model, X):
    lengths = _gradients(model, X).norm(dim=-1)
    total = lengths.sum(0, keepdim=True)
    return torch.where(total == 0, torch.zeros_like(lengths), lengths / total)


@mistake("gradient_saliency", "the tokens themselves, their gradient never taken", named="the lengths of the tokens themselves")
def M236(model, X):
    x = X.clone().requires_grad_()
    model(x).sum().backward()
    strength = x.detach().norm(dim=-1)
    return _rows(strength.repeat(len(model(X)), 1))


@variant("attention_rollout", "keepdim forgotten where all sums are equal: it makes no difference")
def M216(alphas):
    R = torch.eye(alphas[0].shape[-1], dtype=alphas[0].dtype)
    for a in alphas:
        a = a.mean(0) + torch.eye(len(R), dtype=a.dtype)
        R = (a / a.sum(-1)) @ R
    return R


@variant("patchify", "F.unfold")
def V051a(images, P):
    _sides(images, P)
    return F.unfold(images[:, None], P, stride=P).transpose(1, 2)


@variant("patchify", "Tensor.unfold")
def V051b(images, P):
    B, n = _sides(images, P)
    return images.unfold(1, P, P).unfold(2, P, P).flatten(3).flatten(1, 2)


@variant("patchify", "two loops")
def V051c(images, P):
    B, n = _sides(images, P)
    return torch.stack([images[:, i * P:(i + 1) * P, j * P:(j + 1) * P].reshape(B, -1) for i in range(n) for j in range(n)], dim=1)


@variant("TinyViT", "patches embedded by a convolution of one's own")
class V052(_ViT):
    def tokens(self, images):
        D, P = self.embed.weight.shape[0], self.P
        x = F.conv2d(images.unsqueeze(1), self.embed.weight.reshape(D, 1, P, P), self.embed.bias, stride=P)
        x = x.flatten(2).transpose(1, 2)
        return torch.cat([self.class_token.expand(len(x), -1, -1), x], 1) + self.positions


@variant("TinyViT", "repeat in place of expand")
class V053(_ViT):
    def tokens(self, images):
        x = embed_patches(images, self.embed, self.P)
        return torch.cat([self.class_token.repeat(x.shape[0], 1, 1), x], dim=1) + self.positions


@variant("patchify", "pixels of a patch read down, then right", named="pixels are read column by column",
         lost=("pixels_come_in_reading_order", "the_patches_can_be_put_back_together", "agrees_with_the_reference"))
def V054(images, P):
    B, n = _sides(images, P)
    return images.reshape(B, n, P, n, P).permute(0, 1, 3, 4, 2).reshape(B, n * n, P * P)


@variant("attention_rollout", "the identity added, then rows brought to 1")
def V057(alphas):
    R = torch.eye(alphas[0].shape[-1]).to(alphas[0])
    for a in alphas:
        a = a.mean(0) + torch.eye(len(R)).to(a)
        R = a / a.sum(1, keepdim=True) @ R
    return R


@variant("attention_rollout", "multi_dot on the list turned round")
def V058(alphas):
    mixed = [(a.mean(0) + torch.eye(a.shape[-1]).to(a)) / 2 for a in alphas]
    return torch.linalg.multi_dot(mixed[::-1]) if len(mixed) > 1 else mixed[0]


@variant("gradient_saliency", "torch.autograd.functional.jacobian")
def V059(model, X):
    return _rows(torch.autograd.functional.jacobian(model, X).norm(dim=-1))
