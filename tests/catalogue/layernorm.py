"""LayerNorm, GELU and the position-wise network: wrong and unusual answers."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from catalogue import mistake, variant


@mistake("LayerNorm", "NumPy inside a layer that is to be trained: no gradient gets through", named="no gradient flows at all")
class M011a(nn.Module):
    def __init__(self, D, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(D))
        self.beta = nn.Parameter(torch.zeros(D))

    def forward(self, X):
        x = X.detach().numpy()
        x = (x - x.mean(-1, keepdims=True)) / (x.var(-1, keepdims=True) + self.eps) ** 0.5
        return torch.from_numpy(self.gamma.detach().numpy() * x + self.beta.detach().numpy())


@mistake("layer_norm", "mean and variance down the batch", named="over the first axis")
def M078(X, gamma, beta, eps=1e-5):
    m = X.mean(0, keepdim=True)
    v = ((X - m) ** 2).mean(0, keepdim=True)
    return gamma * (X - m) / torch.sqrt(v + eps) + beta


@mistake("layer_norm", "mean and variance down the tokens", named="over the tokens instead of the features")
def M079(X, gamma, beta, eps=1e-5):
    m = torch.mean(X, dim=-2, keepdim=True)
    v = torch.var(X, dim=-2, unbiased=False, keepdim=True)
    return (X - m) / torch.sqrt(v + eps) * gamma + beta


@mistake("layer_norm", "torch.var left as it is", named="unbiased variance")
def M081(X, gamma, beta, eps=1e-5):
    return gamma * (X - X.mean(-1, keepdim=True)) / torch.sqrt(X.var(-1, keepdim=True) + eps) + beta


@mistake("layer_norm", "eps added to the standard deviation", named="outside the root")
def M082(X, gamma, beta, eps=1e-5):
    std = X.std(-1, keepdim=True, unbiased=False)
    return gamma * (X - X.mean(-1, keepdim=True)) / (std + eps) + beta


@mistake("layer_norm", "std of torch, plus eps", named="two departures at once")
def M083(X, gamma, beta, eps=1e-5):
    mean = X.mean(-1, keepdim=True)
    std = X.std(-1, keepdim=True)
    return gamma * (X - mean) / (std + eps) + beta


@mistake("layer_norm", "1e-5 in the formula", named="eps fixed at 1e-5")
def M085(X, gamma, beta, eps=1e-5):
    m = X.mean(-1, keepdim=True)
    v = X.var(-1, keepdim=True, correction=0)
    return gamma * (X - m) * torch.rsqrt(v + 1e-5) + beta


@mistake("layer_norm", "no root", named="a division by the variance")
def M086(X, gamma, beta, eps=1e-5):
    m = X.mean(dim=-1, keepdim=True)
    v = X.var(dim=-1, keepdim=True, unbiased=False)
    return gamma * ((X - m) / (v + eps)) + beta


@mistake("layer_norm", "** 2 where ** 0.5 belongs", named="a square (** 2)")
def M087(X, gamma, beta, eps=1e-5):
    m = X.mean(dim=-1, keepdim=True)
    v = ((X - m) ** 2).mean(dim=-1, keepdim=True)
    return gamma * (X - m) / (v + eps) ** 2 + beta


@mistake("layer_norm", "gamma not used", named="gamma left out")
def M088(X, gamma, beta, eps=1e-5):
    m = X.mean(dim=-1, keepdim=True)
    v = ((X - m) ** 2).mean(dim=-1, keepdim=True)
    return (X - m) / (v + eps) ** 0.5 + beta


@mistake("layer_norm", "RMSNorm", named="RMSNorm")
def M091(X, gamma, beta, eps=1e-5):
    rms = torch.sqrt(torch.mean(X * X, -1, keepdim=True) + eps)
    return X / rms * gamma + beta


@mistake("layer_norm", "a bracket too wide", named="gamma multiplying beta")
def M093(X, gamma, beta, eps=1e-5):
    m, v = X.mean(-1, keepdim=True), X.var(-1, keepdim=True, unbiased=False)
    return gamma * ((X - m) / torch.sqrt(v + eps) + beta)


@mistake("layer_norm", "one mean for the whole tensor", named="for the whole tensor")
def M095(X, gamma, beta, eps=1e-5):
    return gamma * (X - X.mean()) / torch.sqrt(X.var(unbiased=False) + eps) + beta


@mistake("gelu", "ReLU", named="a ReLU")
def M098(X, approximate="none"):
    return torch.clamp(X, min=0)


@mistake("gelu", "a zero lost in the constant", named="0.44715 in place of 0.044715")
def M101(X, approximate="none"):
    if approximate == "tanh":
        return X / 2 * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (X + 0.44715 * X.pow(3))))
    return X / 2 * (1 + torch.erf(X / 2 ** 0.5))


@mistake("gelu", "the square of x", named="a square in place of the cube")
def M102(X, approximate="none"):
    if approximate == "tanh":
        return 0.5 * X * (1 + torch.tanh(math.sqrt(2 / math.pi) * (X + 0.044715 * X ** 2)))
    return 0.5 * X * torch.erfc(-X / math.sqrt(2))


@mistake("gelu", "the probability alone", named="without the factor x")
def M104(X, approximate="none"):
    if approximate == "tanh":
        return 0.5 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (X + 0.044715 * X ** 3)))
    return 0.5 * (1 + torch.erf(X / math.sqrt(2)))


@mistake("feed_forward", "no activation", named="no activation")
def M105(X, W_1, b_1, W_2, b_2):
    h = X @ W_1 + b_1
    return h @ W_2 + b_2


@mistake("feed_forward", "the activation twice", named="after the second map as well")
def M107(X, W_1, b_1, W_2, b_2):
    def g(x):
        return x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))
    return g(g(X @ W_1 + b_1) @ W_2 + b_2)


@mistake("feed_forward", "the mean of the sentence added to each token", named="the mean of the sentence")
def M110(X, W_1, b_1, W_2, b_2):
    X = X + X.mean(dim=-2, keepdim=True)
    return F.gelu(X @ W_1 + b_1) @ W_2 + b_2


@mistake("feed_forward", "the residual connection of the block", named="the token added to its output")
def M111(X, W_1, b_1, W_2, b_2):
    return X + (F.gelu(X @ W_1 + b_1) @ W_2 + b_2)


@variant("layer_norm", "rsqrt")
def V027(X, gamma, beta, eps=1e-5):
    c = X - X.mean(-1, keepdim=True)
    return c * torch.rsqrt(c.pow(2).mean(-1, keepdim=True) + eps) * gamma + beta


@variant("layer_norm", "mean of squares minus square of the mean")
def V028(X, gamma, beta, eps=1e-5):
    m = X.mean(-1, keepdim=True)
    v = (X ** 2).mean(-1, keepdim=True) - m ** 2
    return (X - m) / (v.clamp(min=0) + eps).sqrt() * gamma + beta


@variant("layer_norm", "torch.var with correction=0")
def V029a(X, gamma, beta, eps=1e-5):
    v, m = torch.var_mean(X, dim=-1, correction=0, keepdim=True)
    return gamma * (X - m) / (v + eps).sqrt() + beta


@variant("layer_norm", "the square of the standard deviation")
def V029b(X, gamma, beta, eps=1e-5):
    s = X.std(-1, keepdim=True, unbiased=False)
    return gamma * (X - X.mean(-1, keepdim=True)) / torch.sqrt(s ** 2 + eps) + beta


@variant("layer_norm", "torch's own function", remark="layer_norm")
def V029c(X, gamma, beta, eps=1e-5):
    return F.layer_norm(X, X.shape[-1:], gamma, beta, eps)


@variant("gelu", "the normal distribution's cdf")
def V031a(X, approximate="none"):
    if approximate == "tanh":
        return 0.5 * X * (1 + torch.tanh(math.sqrt(2 / math.pi) * (X + 0.044715 * X ** 3)))
    return X * torch.distributions.Normal(0.0, 1.0).cdf(X)


@variant("gelu", "erfc")
def V031b(X, approximate="none"):
    if approximate == "tanh":
        return X * torch.sigmoid(2 * math.sqrt(2 / math.pi) * (X + 0.044715 * X ** 3))
    return X / 2 * torch.special.erfc(-X / math.sqrt(2))


@variant("feed_forward", "a dense layer with its activation inside")
def V034(X, W_1, b_1, W_2, b_2):
    def dense(x, W, b, activation=lambda z: z):
        return activation(x @ W + b)
    return dense(dense(X, W_1, b_1, torch.nn.functional.gelu), W_2, b_2)
