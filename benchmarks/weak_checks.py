"""The checks that are usually made: a sum or a shape and an invariance. Each takes an answer to its exercise and raises where it fails."""

from __future__ import annotations

from typing import Any, Callable

import torch

ORDER = torch.tensor([2, 0, 3, 1])


def _random(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape)), dtype=torch.float64)


def _same(one: torch.Tensor, other: Any, tolerance: float = 1e-5) -> None:
    assert torch.allclose(one.double(), torch.as_tensor(other, dtype=torch.float64), rtol=0, atol=tolerance)


def _shares(weights: torch.Tensor) -> None:
    """Nonnegative, and each row sums to 1."""
    assert (weights >= 0).all()
    _same(weights.sum(-1), torch.ones(weights.shape[:-1]))


def _toeplitz(matrix: torch.Tensor) -> None:
    _same(matrix[1:, 1:], matrix[:-1, :-1])


def _softmax(answer: Callable) -> None:
    Z = _random(3, 4)
    _shares(answer(Z))
    _same(answer(Z + 7), answer(Z))


def _simple_attention(answer: Callable) -> None:
    X = _random(4, 3)
    Y, alpha = answer(X)
    _shares(alpha)
    _same(answer(X[ORDER])[0], Y[ORDER])


def _attention(answer: Callable) -> None:
    Q, K, V = _random(2, 4, 3), _random(2, 4, 3) + 1, _random(2, 4, 3) * 2
    Y, alpha = answer(Q.clone(), K, V)
    _shares(alpha)
    _same(answer(Q.clone(), K[:, ORDER], V[:, ORDER])[0], Y)
    _shares(answer(Q, K, V, torch.ones(4, 4, dtype=torch.bool).tril())[1])


def _causal_mask(answer: Callable) -> None:
    assert not answer(5).triu(1).any()


def _multi_head_attention(answer: Callable) -> None:
    X, W = _random(4, 4), [list(_random(4, 4).roll(shift, 0).chunk(2, 1)) for shift in range(3)]
    _same(answer(X[ORDER], *W, _random(4, 4)), answer(X, *W, _random(4, 4))[ORDER])


def _multi_head_module(answer: Callable) -> None:
    layer, X = answer(4, 2), _random(2, 4, 4)
    Y, alpha = layer(X, X)
    _shares(alpha)
    _same(layer(X[:, ORDER], X[:, ORDER])[0], Y[:, ORDER])


def _normalised(normalise: Callable) -> None:
    X = _random(2, 3, 8)
    Y = normalise(X)
    _same(Y.mean(-1), torch.zeros(2, 3))
    _same(Y.var(-1, correction=0), torch.ones(2, 3), 1e-3)
    _same(normalise(X + 7), Y)


def _gelu(answer: Callable) -> None:
    X = _random(50)
    _same(answer(X) - answer(-X), X)


def _feed_forward(answer: Callable) -> None:
    X, rest = _random(4, 3), (_random(3, 5), _random(5), _random(5, 3), _random(3))
    _same(answer(X[ORDER], *rest), answer(X, *rest)[ORDER])


def _sinusoids(answer: Callable) -> None:
    R = answer(12, 8).double()
    _same(R.square().sum(-1), torch.full((12,), 4.0))
    _toeplitz(R @ R.T)


def _rotation(answer: Callable) -> None:
    R = answer(1, 6)
    _same(R @ R.T, torch.eye(6))
    _same(R @ answer(2, 6), answer(3, 6))


def _rope(answer: Callable) -> None:
    X = _random(6, 8)
    _same(answer(X.clone()).norm(dim=-1), X.norm(dim=-1))
    q, k = answer(X[:1].repeat(6, 1)), answer(X[1:2].repeat(6, 1))
    _toeplitz(q @ k.T)


def _rope_attention(answer: Callable) -> None:
    Q, K, V = _random(4, 6), _random(4, 6) + 1, _random(4, 3)
    _, alpha = answer(Q, K, V)
    _shares(alpha)
    _same(answer(Q, K, V, positions=torch.arange(5, 9))[1], alpha)


def _parameters(module: torch.nn.Module) -> int:
    return sum(p.numel() for p in module.parameters())


def _transformer_layer(answer: Callable) -> None:
    layer, X = answer(8, 2).eval(), _random(2, 4, 8)
    assert _parameters(layer) == 12 * 64 + 13 * 8
    _same(layer(X[:, ORDER].clone()), layer(X.clone())[:, ORDER])


def _decoder_layer(answer: Callable) -> None:
    layer, X, memory = answer(8, 2).eval(), _random(2, 3, 8), _random(2, 4, 8)
    Y = layer(X, memory)
    assert Y.shape == X.shape
    _same(layer(X, memory[:, ORDER]), Y)


def _transformer(answer: Callable) -> None:
    model, tokens = answer(11).eval(), torch.arange(8).reshape(2, 4)
    assert _parameters(model) == 235_851
    memory = model.encode(tokens)
    logits = model.decode(tokens, memory)
    assert logits.shape == (2, 4, 11)
    _same(model.decode(tokens, memory[:, ORDER]), logits)


def _shift_right(answer: Callable) -> None:
    Y = answer(torch.arange(2, 10).reshape(2, 4), 1)
    assert Y.shape == (2, 4) and (Y[:, 0] == 1).all()


def _patchify(answer: Callable) -> None:
    images = _random(2, 8, 8)
    patches = answer(images, 2)
    assert patches.shape == (2, 16, 4)
    _same(patches.reshape(2, -1).sort(-1).values, images.reshape(2, -1).sort(-1).values)


def _tiny_vit(answer: Callable) -> None:
    model, images = answer().eval(), _random(2, 8, 8)
    assert _parameters(model) == 26_538
    logits = model(images)
    assert logits.shape == (2, 10)
    _same(model(images[1:]), logits[1:])


def _rollout(answer: Callable) -> None:
    alphas = [torch.softmax(_random(2, 4, 4) * scale, -1) for scale in (1, 2, 3)]
    R = answer(alphas)
    _shares(R)
    _same(answer([alpha[:, ORDER][:, :, ORDER] for alpha in alphas]), R[ORDER][:, ORDER])


def _saliency(answer: Callable) -> None:
    W = _random(3, 6, 4)
    _shares(answer(lambda X: torch.sin((W[:, :4] * X).sum((-2, -1))), _random(4, 4)))


WEAK_CHECKS: dict[str, Callable[[Callable], None]] = {
    "softmax": _softmax, "simple_attention": _simple_attention, "scaled_dot_product_attention": _attention, "causal_mask": _causal_mask,
    "multi_head_attention": _multi_head_attention, "MultiHeadAttention": _multi_head_module,
    "layer_norm": lambda answer: _normalised(lambda X: answer(X, torch.ones(8), torch.zeros(8))),
    "LayerNorm": lambda answer: _normalised(answer(8)), "gelu": _gelu, "feed_forward": _feed_forward,
    "sinusoidal_encoding": _sinusoids, "rotation_matrix": _rotation, "rope": _rope, "rope_attention": _rope_attention,
    "TransformerLayer": _transformer_layer, "DecoderLayer": _decoder_layer, "Transformer": _transformer, "shift_right": _shift_right,
    "patchify": _patchify, "TinyViT": _tiny_vit, "attention_rollout": _rollout, "gradient_saliency": _saliency,
}


def passes(exercise: str, answer: Callable) -> bool:
    """Whether an answer passes the usual checks of an exercise; one that raises does not."""
    torch.manual_seed(0)
    try:
        WEAK_CHECKS[exercise](answer)
    except Exception:  # noqa: BLE001 - whatever a wrong answer raises
        return False
    return True
