"""Staff half of the exercise `TransformerLayer`: reference, alternates, misconceptions, hidden checks."""

import torch
import torch.nn as nn
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercises.transformer.TransformerLayer import (_fill, a_single_sequence_is_a_batch_of_one,
                                                               a_token_that_sees_nothing_gets_the_bias,
                                                               exercise, masked, padded, padding_is_as_good_as_absent, several,
                                                               the_inputs_stay_as_they_were, the_post_norm_layer_agrees_with_torch,
                                                               the_pre_norm_layer_agrees_with_torch, what_is_hidden_changes_nothing,
                                                               what_layernorm_removes_runs_past_it, without_a_mask_order_plays_no_part)
from autograder.strategies import fillers, sizes


@exercise.solution
class TransformerLayer(nn.Module):
    """A transformer layer: self-attention, then an MLP for each token, each with a residual connection and a LayerNorm.

    D: width of the tokens. H: heads, a divisor of D. pre_norm: normalise what goes into attention and the MLP (True), or
    the sums that come out (False). The checks load weights by the names that are given here, so keep them.
    """

    def __init__(self, D, H, pre_norm=True):
        super().__init__()
        self.H = H
        self.pre_norm = pre_norm
        self.attention = nn.MultiheadAttention(D, H, batch_first=True)
        self.norm1 = nn.LayerNorm(D)
        self.norm2 = nn.LayerNorm(D)
        self.mlp = nn.Sequential(nn.Linear(D, 4 * D), nn.ReLU(), nn.Linear(4 * D, D))

    def forward(self, X, mask=None):
        """Apply the layer to the tokens X.

        X: float tensor N x D or B x N x D. mask: None, or booleans that broadcast against N x N or B x N x N: N x N, 1 x N,
        B x N x N or B x 1 x N; True where attending is allowed. To a token that may attend to nothing, attention gives the bias
        of its output matrix. Returns a tensor like X.
        """
        def attend(Z):
            if mask is None:
                return self.attention(Z, Z, Z, need_weights=False)[0]
            N = Z.shape[-2]
            allowed = (mask != 0).expand(*Z.shape[:-2], N, N)
            empty = ~allowed.any(dim=-1, keepdim=True)
            blocked = ~(allowed | empty)
            if Z.dim() == 3:
                blocked = blocked.repeat_interleave(self.H, dim=0)
            attended = self.attention(Z, Z, Z, attn_mask=blocked, need_weights=False)[0]
            return torch.where(empty, self.attention.out_proj.bias, attended)

        if self.pre_norm:
            X = X + attend(self.norm1(X))
            return X + self.mlp(self.norm2(X))
        X = self.norm1(X + attend(X))
        return self.norm2(X + self.mlp(X))


exercise.equivalent('return self.attention(Z, Z, Z, need_weights=False)[0] -> return self.attention(Z, Z, Z)[0]',
                    because="the output is the same, whether torch returns the weights or not")
exercise.equivalent('return self.attention(Z, Z, Z, need_weights=False)[0] -> return self.attention(Z, Z, Z, need_weights=True)[0]',
                    because="the output is the same, whether torch returns the weights or not")
exercise.equivalent('empty = ~allowed.any(dim=-1, keepdim=True) -> empty = ~allowed.any(keepdim=True)',
                    because="with need_weights=False torch itself gives the bias to a token that sees nothing")
exercise.equivalent('blocked = ~(allowed | empty) -> blocked = ~allowed',
                    because="with need_weights=False torch itself gives the bias to a token that sees nothing")
exercise.equivalent('attended = self.attention(Z, Z, Z, attn_mask=blocked, need_weights=False)[0] -> '
                    'attended = self.attention(Z, Z, Z, attn_mask=blocked)[0]',
                    because="no row is blocked as a whole, so the output is the same, whether torch returns the weights or not")
exercise.equivalent('attended = self.attention(Z, Z, Z, attn_mask=blocked, need_weights=False)[0] -> '
                    'attended = self.attention(Z, Z, Z, attn_mask=blocked, need_weights=True)[0]',
                    because="no row is blocked as a whole, so the output is the same, whether torch returns the weights or not")


# several sequences and several heads, so that their masks can be mixed up
headed = st.tuples(st.sampled_from([(2,), (3,)]), sizes(2, 5), st.sampled_from([(4, 2), (6, 3), (8, 2)]), fillers(("normal", "uniform")),
                   fillers(("normal", "uniform"))).map(_fill)


@st.composite
def under_any_mask(draw):
    """Tokens, an arrangement and a mask of every broadcastable shape that leaves each token something to attend to."""
    size, weights, X = draw(headed)
    N = X.shape[-2]
    shapes = [(len(X), N, N), (len(X), 1, N), (N, N), (1, N)]
    shape, seed = draw(st.sampled_from(shapes)), draw(st.integers(0, 2**16))
    generator = torch.Generator().manual_seed(seed)
    mask = torch.rand(shape, generator=generator) < 0.5
    mask.scatter_(-1, torch.randint(N, (*shape[:-1], 1), generator=generator), True)
    if len(shape) == 3:
        mask[0, :, 0], mask[-1, :, 0] = True, False   # no two sequences but one mask
        mask[-1, :, 1] = True
    return size, weights, X, mask, draw(st.booleans())


@exercise.hidden_check(points=1.5, examples=16,
                       hint="Try masks of the shapes N x N, 1 x N, B x N x N and B x 1 x N, with more than one head.")
@given(under_any_mask())
def agrees_under_every_mask(student, case):
    """Agrees with the reference under masks of every shape, in both arrangements."""
    (D, H), weights, X, mask, pre_norm = case
    layer = student.build(D, H, pre_norm=pre_norm).fill(weights)
    assert_close(layer(X, mask=mask), TransformerLayer.build(D, H, pre_norm=pre_norm).fill(weights)(X, mask=mask), what="Y under a mask")


smooth = st.tuples(several, fillers(("normal",)), fillers(("normal",)), st.booleans())


@exercise.hidden_check(points=0.5, examples=6,
                       hint="This layer will be trained. Does something inside cut the gradient off (detach, no_grad, .data), or does it "
                            "reach a parameter twice or not at all?")
@given(smooth)
def the_gradients_are_right(student, case):
    """The gradients that reach the input and every parameter are those of the formula."""
    ((D, H), _, X), weights, filler, pre_norm = case
    layer, ours = (made.build(D, H, pre_norm=pre_norm).fill(weights) for made in (student, TransformerLayer))
    assert_close(layer(X), ours(X), what="Y")
    cotangent, = filler(tuple(X.shape))
    got = layer.vjp((cotangent,), X)
    assert_true(got is not None, "no gradient flows through the layer, so it cannot be trained", what="the gradient")
    (d_X,), d_parameters = got
    (wanted_X,), wanted = ours.vjp((cotangent,), X)
    assert_close(d_X, wanted_X, what="the gradient with respect to X")
    for name, gradient in wanted.items():
        assert_close(d_parameters[name], gradient, what=f"the gradient with respect to {name}")


@exercise.hidden_check(points=0.5, examples=5,
                       hint="Call the layer on one batch with a mask and then on another without: is something kept from the first call "
                            "(self.mask = ...), for the next of the same shape or for every other? Does train mode change the output, although there "
                            "is no dropout?")
@given(masked, several)
def calls_leave_no_trace(student, case, other):
    """The output depends on the arguments and the weights only: not on earlier calls, and not on train mode."""
    (D, H), weights, X, mask = case
    layer, ours = (made.build(D, H).fill(weights) for made in (student, TransformerLayer))
    first = torch.cat([X, X], dim=-2)
    expected = ours(X)
    assert_close(layer.training()(X), expected, what="Y in train mode")
    assert_close(layer.after(first, mask=torch.ones(first.shape[-2], first.shape[-2], dtype=torch.bool).tril())(X), expected,
                 what="Y after a call with another mask")
    assert_close(layer.after(X, mask=mask)(X), expected, what="Y after a call on the same tokens with a mask")
    other = torch.ones_like(mask).triu()
    expected = ours(X, mask=other)
    one = torch.ones(1, 1, dtype=torch.bool)
    assert_close(layer(X, mask=other), expected, what="Y under a mask")
    assert_close(layer.after(X, mask=mask)(X, mask=other), expected, what="Y under a mask, after a call with another mask of its shape")
    assert_close(layer.after(X[..., :1, :].contiguous(), mask=one)(X, mask=other), expected, what="Y under a mask, after a call on one token")


class _Layer(nn.Module):
    """The common part of the answers below: `attend` is right, and so is everything unless it is overridden."""

    def __init__(self, D, H, pre_norm=True):
        super().__init__()
        self.H = H
        self.pre_norm = pre_norm
        self.attention = nn.MultiheadAttention(D, H, batch_first=True)
        self.norm1 = nn.LayerNorm(D)
        self.norm2 = nn.LayerNorm(D)
        self.mlp = nn.Sequential(nn.Linear(D, 4 * D), nn.ReLU(), nn.Linear(4 * D, D))

    def blocked(self, X, mask):
        """What torch wants: True where attending is forbidden, one matrix for each head of each sequence."""
        N = X.shape[-2]
        forbidden = ~mask.expand(*X.shape[:-2], N, N)
        return forbidden.repeat_interleave(self.H, 0) if X.dim() == 3 else forbidden

    def attend(self, X, mask, keys=None):
        keys = X if keys is None else keys
        if mask is None:
            return self.attention(X, keys, keys)[0]
        Y = self.attention(X, keys, keys, attn_mask=self.blocked(X, mask), need_weights=False)[0]
        empty = ~mask.expand(*X.shape[:-2], X.shape[-2], X.shape[-2]).any(-1, keepdim=True)
        return torch.where(empty, self.attention.out_proj.bias, Y)

    def forward(self, X, mask=None):
        if self.pre_norm:
            Z = X + self.attend(self.norm1(X), mask)
            return Z + self.mlp(self.norm2(Z))
        Z = self.norm1(X + self.attend(X, mask))
        return self.norm2(Z + self.mlp(Z))


@exercise.alternate
class with_its_own_heads(_Layer):
    """Attention written out with the module's weights, head by head."""

    def attend(self, X, mask, keys=None):
        W_q, W_k, W_v = self.attention.in_proj_weight.chunk(3)
        b_q, b_k, b_v = self.attention.in_proj_bias.chunk(3)
        Q, K, V = X @ W_q.T + b_q, X @ W_k.T + b_k, X @ W_v.T + b_v
        heads = []
        for q, k, v in zip(Q.chunk(self.H, -1), K.chunk(self.H, -1), V.chunk(self.H, -1)):
            scores = torch.einsum("...qd,...kd->...qk", q, k) / q.shape[-1] ** 0.5
            if mask is not None:
                scores = scores.masked_fill(~mask, -torch.inf)
            heads.append(torch.softmax(scores, -1).nan_to_num(0.0) @ v)
        return nn.functional.linear(torch.cat(heads, -1), self.attention.out_proj.weight, self.attention.out_proj.bias)


@exercise.alternate
class sequence_by_sequence(_Layer):
    """A loop over the batch, an additive mask, layer norm and MLP by functions."""

    def attend(self, X, mask, keys=None):
        if X.dim() == 3:
            masks = [None] * len(X) if mask is None else mask.expand(len(X), *mask.shape[-2:])
            return torch.stack([self.attend(x, m) for x, m in zip(X, masks)])
        if mask is None:
            return self.attention(X, X, X)[0]
        full = mask.expand(len(X), len(X))
        added = torch.zeros(full.shape, dtype=X.dtype).masked_fill(~full, -1e9)
        Y = self.attention(X, X, X, attn_mask=added, need_weights=False)[0]
        return torch.where(full.any(-1, keepdim=True), Y, self.attention.out_proj.bias)

    def forward(self, X, mask=None):
        def norm(Z, by):
            return nn.functional.layer_norm(Z, Z.shape[-1:], by.weight, by.bias, by.eps)
        inner = norm(X, self.norm1) if self.pre_norm else X
        X = X + self.attend(inner, mask)
        X = X if self.pre_norm else norm(X, self.norm1)
        inner = norm(X, self.norm2) if self.pre_norm else X
        X = X + self.mlp[2](torch.relu(self.mlp[0](inner)))
        return X if self.pre_norm else norm(X, self.norm2)


@exercise.alternate
class in_float32(_Layer):
    """The attention weights pass through float32."""

    def attend(self, X, mask, keys=None):
        W_q, W_k, W_v = self.attention.in_proj_weight.chunk(3)
        b_q, b_k, b_v = self.attention.in_proj_bias.chunk(3)
        Q, K, V = (t.unflatten(-1, (self.H, -1)).transpose(-2, -3) for t in (X @ W_q.T + b_q, X @ W_k.T + b_k, X @ W_v.T + b_v))
        scores = Q @ K.mT / Q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~(mask if mask.dim() == 2 else mask[:, None]), -torch.inf)
        alpha = torch.softmax(scores, -1).nan_to_num(0.0).float().to(X.dtype)
        return self.attention.out_proj((alpha @ V).transpose(-2, -3).flatten(-2))


@exercise.alternate
class batch_in_the_middle(_Layer):
    """Non-contiguous results; a key padding mask where the mask is one."""

    def attend(self, X, mask, keys=None):
        if X.dim() == 3 and mask is not None and mask.shape[-2] == 1 and mask.dim() == 3 and mask.any(-1).all():
            padding = ~mask[:, 0].expand(len(X), X.shape[1])
            return self.attention(X, X, X, key_padding_mask=padding)[0]
        return super().attend(X.mT.contiguous().mT, mask)


@exercise.alternate
class with_fused_attention(_Layer):
    """torch's attention function on heads of one's own, with NaN taken out where nothing is seen."""

    def attend(self, X, mask, keys=None):
        projected = nn.functional.linear(X, self.attention.in_proj_weight, self.attention.in_proj_bias)
        Q, K, V = (t.unflatten(-1, (self.H, -1)).transpose(-2, -3) for t in projected.chunk(3, -1))
        Y = nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=None if mask is None else mask.unsqueeze(-3))
        return self.attention.out_proj(torch.nan_to_num(Y).transpose(-2, -3).flatten(-2))


@exercise.alternate
class one_line_for_both_arrangements(_Layer):
    """Four norms, two of which do nothing."""

    def forward(self, X, mask=None):
        nothing = nn.Identity()
        before1, after1 = (self.norm1, nothing) if self.pre_norm else (nothing, self.norm1)
        before2, after2 = (self.norm2, nothing) if self.pre_norm else (nothing, self.norm2)
        X = after1(X + self.attend(before1(X), mask))
        return after2(X + self.mlp(before2(X)))


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


_PRE, _POST = the_pre_norm_layer_agrees_with_torch, the_post_norm_layer_agrees_with_torch


@_wrong(_PRE, "the post-norm layer, whatever pre_norm says")
class post_norm_always(_Layer):
    def forward(self, X, mask=None):
        Z = self.norm1(X + self.attend(X, mask))
        return self.norm2(Z + self.mlp(Z))


@_wrong(_POST, "the pre-norm layer, whatever pre_norm says")
class pre_norm_always(_Layer):
    def forward(self, X, mask=None):
        Z = X + self.attend(self.norm1(X), mask)
        return Z + self.mlp(self.norm2(Z))


@_wrong(_PRE, "the two arrangements swapped: pre_norm=True gives the post-norm layer")
class swapped(_Layer):
    def forward(self, X, mask=None):
        if not self.pre_norm:
            Z = X + self.attend(self.norm1(X), mask)
            return Z + self.mlp(self.norm2(Z))
        Z = self.norm1(X + self.attend(X, mask))
        return self.norm2(Z + self.mlp(Z))


class _Pre(_Layer):
    """Answers that are wrong before the norm and right after it."""

    def before(self, X, mask):
        Z = X + self.attend(self.norm1(X), mask)
        return Z + self.mlp(self.norm2(Z))

    def after(self, X, mask):
        Z = self.norm1(X + self.attend(X, mask))
        return self.norm2(Z + self.mlp(Z))

    def forward(self, X, mask=None):
        return self.before(X, mask) if self.pre_norm else self.after(X, mask)


@_wrong(what_layernorm_removes_runs_past_it, "a residual connection that carries the normalised tokens instead of the tokens")
class residual_of_the_normalised(_Pre):
    def before(self, X, mask):
        X = self.norm1(X)
        Z = X + self.attend(X, mask)
        Z = self.norm2(Z)
        return Z + self.mlp(Z)


@_wrong(what_layernorm_removes_runs_past_it, "a first residual connection that carries the normalised tokens (the second one is right)")
class first_residual_of_the_normalised(_Pre):
    def before(self, X, mask):
        X = self.norm1(X)
        Z = X + self.attend(X, mask)
        return Z + self.mlp(self.norm2(Z))


@_wrong(_PRE, "a second residual connection that carries the normalised tokens (the first one is right)")
class second_residual_of_the_normalised(_Pre):
    def before(self, X, mask):
        Z = self.norm2(X + self.attend(self.norm1(X), mask))
        return Z + self.mlp(Z)


@_wrong(what_layernorm_removes_runs_past_it, "a layer without the residual connection around the MLP")
class no_residual_around_the_mlp(_Pre):
    def before(self, X, mask):
        return self.mlp(self.norm2(X + self.attend(self.norm1(X), mask)))

    def after(self, X, mask):
        return self.norm2(self.mlp(self.norm1(X + self.attend(X, mask))))


@_wrong(what_layernorm_removes_runs_past_it, "a layer without the residual connection around attention")
class no_residual_around_attention(_Pre):
    def before(self, X, mask):
        Z = self.attend(self.norm1(X), mask)
        return Z + self.mlp(self.norm2(Z))

    def after(self, X, mask):
        Z = self.norm1(self.attend(X, mask))
        return self.norm2(Z + self.mlp(Z))


@_wrong(what_layernorm_removes_runs_past_it, "a layer without residual connections")
class no_residuals(_Pre):
    def before(self, X, mask):
        return self.mlp(self.norm2(self.attend(self.norm1(X), mask)))

    def after(self, X, mask):
        return self.norm2(self.mlp(self.norm1(self.attend(X, mask))))


@_wrong(_PRE, "a second residual connection that starts at the layer's input and so loses what attention added")
class second_residual_from_the_input(_Pre):
    def before(self, X, mask):
        Z = X + self.attend(self.norm1(X), mask)
        return X + self.mlp(self.norm2(Z))

    def after(self, X, mask):
        Z = self.norm1(X + self.attend(X, mask))
        return self.norm2(X + self.mlp(Z))


@_wrong(_PRE, "a second residual connection that starts at the layer's input and so loses what attention added")
class pre_norm_residual_from_the_input(_Pre):
    def before(self, X, mask):
        Z = X + self.attend(self.norm1(X), mask)
        return X + self.mlp(self.norm2(Z))


@_wrong(_PRE, "attention and MLP side by side, both on the layer's input, instead of one after the other")
class in_parallel(_Pre):
    def before(self, X, mask):
        return X + self.attend(self.norm1(X), mask) + self.mlp(self.norm2(X))

    def after(self, X, mask):
        return self.norm2(self.norm1(X + self.attend(X, mask)) + self.mlp(X))


@_wrong(_PRE, "an MLP that is fed the tokens without their LayerNorm")
class mlp_without_its_norm(_Pre):
    def before(self, X, mask):
        Z = X + self.attend(self.norm1(X), mask)
        return Z + self.mlp(Z)


@_wrong(_PRE, "attention that is fed the tokens without their LayerNorm")
class attention_without_its_norm(_Pre):
    def before(self, X, mask):
        Z = X + self.attend(X, mask)
        return Z + self.mlp(self.norm2(Z))


@_wrong(_PRE, "attention whose queries are normalised while its keys and values are not")
class only_the_query_normalised(_Pre):
    def before(self, X, mask):
        Z = X + self.attend(self.norm1(X), mask, keys=X)
        return Z + self.mlp(self.norm2(Z))


@_wrong(_PRE, "the MLP before attention")
class mlp_first(_Pre):
    def before(self, X, mask):
        Z = X + self.mlp(self.norm2(X))
        return Z + self.attend(self.norm1(Z), mask)

    def after(self, X, mask):
        Z = self.norm2(X + self.mlp(X))
        return self.norm1(Z + self.attend(Z, mask))


@_wrong(_PRE, "norm1 and norm2 in each other's place")
class norms_exchanged(_Pre):
    def before(self, X, mask):
        Z = X + self.attend(self.norm2(X), mask)
        return Z + self.mlp(self.norm1(Z))

    def after(self, X, mask):
        Z = self.norm2(X + self.attend(X, mask))
        return self.norm1(Z + self.mlp(Z))


@_wrong(_PRE, "norm1 used in both places, and norm2 never")
class one_norm_twice(_Pre):
    def before(self, X, mask):
        Z = X + self.attend(self.norm1(X), mask)
        return Z + self.mlp(self.norm1(Z))

    def after(self, X, mask):
        Z = self.norm1(X + self.attend(X, mask))
        return self.norm1(Z + self.mlp(Z))


@_wrong(what_layernorm_removes_runs_past_it, "a LayerNorm both before and after")
class norms_on_both_sides(_Pre):
    def before(self, X, mask):
        Z = self.norm1(X + self.attend(self.norm1(X), mask))
        return self.norm2(Z + self.mlp(self.norm2(Z)))


@_wrong(what_layernorm_removes_runs_past_it, "a LayerNorm on what attention and the MLP return, before it is added")
class norm_on_the_branch_output(_Pre):
    def before(self, X, mask):
        Z = X + self.norm1(self.attend(X, mask))
        return Z + self.norm2(self.mlp(Z))


@_wrong(_PRE, "x + x where attention's result should be added: the result was lost")
class added_to_itself(_Pre):
    def before(self, X, mask):
        Z = self.attend(self.norm1(X), mask)
        Z = Z + Z
        return Z + self.mlp(self.norm2(Z))


@_wrong(_PRE, "x + x where the MLP's result should be added: the result was lost, or x was")
class mlp_added_to_itself(_Pre):
    def before(self, X, mask):
        Z = self.mlp(self.norm2(X + self.attend(self.norm1(X), mask)))
        return Z + Z


@_wrong(_PRE, "a layer without its MLP")
class no_mlp(_Pre):
    def before(self, X, mask):
        return X + self.attend(self.norm1(X), mask)

    def after(self, X, mask):
        return self.norm2(self.norm1(X + self.attend(X, mask)))


@_wrong(_PRE, "a layer without attention")
class no_attention(_Pre):
    def before(self, X, mask):
        return X + self.mlp(self.norm2(X))

    def after(self, X, mask):
        return self.norm2(self.norm1(X) + self.mlp(self.norm1(X)))


@_wrong(_POST, "a post-norm layer without the second LayerNorm")
class second_norm_missing(_Pre):
    def after(self, X, mask):
        Z = self.norm1(X + self.attend(X, mask))
        return Z + self.mlp(Z)


@_wrong(_POST, "a post-norm layer without the first LayerNorm")
class first_norm_missing(_Pre):
    def after(self, X, mask):
        Z = X + self.attend(X, mask)
        return self.norm2(Z + self.mlp(Z))


@_wrong(_POST, "a post-norm layer whose residual connection runs past the LayerNorm: x + LayerNorm(attention)")
class residual_past_the_post_norm(_Pre):
    def after(self, X, mask):
        Z = X + self.norm1(self.attend(X, mask))
        return Z + self.norm2(self.mlp(Z))


@_wrong(_PRE, "an MLP without its ReLU")
class no_relu(_Layer):
    def forward(self, X, mask=None):
        linear = nn.Sequential(self.mlp[0], self.mlp[2])
        if self.pre_norm:
            Z = X + self.attend(self.norm1(X), mask)
            return Z + linear(self.norm2(Z))
        Z = self.norm1(X + self.attend(X, mask))
        return self.norm2(Z + linear(Z))


@_wrong(_PRE, "an MLP with GELU instead of ReLU")
class gelu_instead(_Pre):
    def before(self, X, mask):
        Z = X + self.attend(self.norm1(X), mask)
        return Z + self.mlp[2](nn.functional.gelu(self.mlp[0](self.norm2(Z))))


@_wrong(without_a_mask_order_plays_no_part, "a layer that is always causal, whether it is given a mask or not")
class always_causal(_Layer):
    def attend(self, X, mask, keys=None):
        N = X.shape[-2]
        causal = torch.ones(N, N, dtype=torch.bool).tril()
        return super().attend(X, causal if mask is None else mask, keys)


@_wrong(what_is_hidden_changes_nothing, "a mask that was taken and never passed on")
class mask_ignored(_Layer):
    def attend(self, X, mask, keys=None):
        return super().attend(X, None, keys)


@_wrong(what_is_hidden_changes_nothing, "a mask handed to torch as it is, where True means the opposite")
class mask_inverted(_Layer):
    def attend(self, X, mask, keys=None):
        return super().attend(X, None if mask is None else ~mask, keys)


@_wrong(what_is_hidden_changes_nothing,
        "a boolean mask turned into floats, which torch adds to the scores: what is allowed is raised by 1, and nothing is hidden")
class mask_added(_Layer):
    def attend(self, X, mask, keys=None):
        added = None if mask is None else (~self.blocked(X, mask)).to(X.dtype)
        return self.attention(X, X if keys is None else keys, X if keys is None else keys, attn_mask=added)[0]


@_wrong(agrees_under_every_mask, "the causal mask whenever there is a mask at all")
class any_mask_is_causal(_Layer):
    def attend(self, X, mask, keys=None):
        N = X.shape[-2]
        return super().attend(X, None if mask is None else torch.ones(N, N, dtype=torch.bool).tril(), keys)


@_wrong(padding_is_as_good_as_absent, "masks repeated in the wrong order: all sequences for the first head, then all for the second")
class heads_first(_Layer):
    def blocked(self, X, mask):
        N = X.shape[-2]
        forbidden = ~mask.expand(*X.shape[:-2], N, N)
        return forbidden.repeat(self.H, 1, 1) if X.dim() == 3 else forbidden


@_wrong(padding_is_as_good_as_absent, "the first sequence's mask used for the whole batch")
class mask_of_the_first(_Layer):
    def attend(self, X, mask, keys=None):
        return super().attend(X, mask[0] if mask is not None and mask.dim() == 3 else mask, keys)


@_wrong(padding_is_as_good_as_absent, "a mask that blanks the queries (rows) instead of the keys (columns): transposed before use")
class mask_transposed(_Layer):
    def blocked(self, X, mask):
        N = X.shape[-2]
        forbidden = ~mask.expand(*X.shape[:-2], N, N).mT
        return forbidden.repeat_interleave(self.H, 0) if X.dim() == 3 else forbidden


@_wrong(padding_is_as_good_as_absent, "a mask on the first head only")
class first_head_only(_Layer):
    def blocked(self, X, mask):
        N = X.shape[-2]
        forbidden = (~mask.expand(*X.shape[:-2], N, N)).expand(*(X.shape[:1] if X.dim() == 3 else (1,)), N, N)
        heads = torch.arange(self.H)[:, None, None] == 0
        return (forbidden[:, None] & heads).flatten(0, 1)


@_wrong(agrees_under_every_mask, "a fill value that is too small (-10): what is hidden leaks")
class mask_leaks(_Layer):
    def attend(self, X, mask, keys=None):
        if mask is None:
            return self.attention(X, X, X)[0]
        added = self.blocked(X, mask).to(X.dtype) * -10.0
        return self.attention(X, X, X, attn_mask=added)[0]


@_wrong(without_a_mask_order_plays_no_part, "attention along the batch instead of along the tokens (the axes were exchanged)")
class along_the_batch(_Layer):
    def attend(self, X, mask, keys=None):
        if X.dim() == 3 and mask is None:
            first = X[:, :1]
            return self.attention(X, first, first)[0]
        return super().attend(X, mask, keys)


@_wrong(_PRE, "batch and tokens exchanged before attention and back afterwards, so that tokens attend to other sequences")
class batch_and_tokens_exchanged(_Layer):
    def attend(self, X, mask, keys=None):
        if X.dim() == 3 and mask is None:
            return super().attend(X.transpose(0, 1), None).transpose(0, 1)
        return super().attend(X, mask, keys)


@_wrong(a_single_sequence_is_a_batch_of_one, "code for three dimensions only: a single sequence, N x D, is refused")
class three_dimensions_only(_Layer):
    def forward(self, X, mask=None):
        B, N, D = X.shape
        return super().forward(X, mask)


@_wrong(a_token_that_sees_nothing_gets_the_bias, "NaN for a token that may attend to nothing")
class nan_for_an_empty_row(_Layer):
    def attend(self, X, mask, keys=None):
        return self.attention(X, X, X, attn_mask=None if mask is None else self.blocked(X, mask))[0]


@_wrong(a_token_that_sees_nothing_gets_the_bias,
        "the mean of all values for a token that may attend to nothing (a large negative number instead of -inf)")
class mean_for_an_empty_row(_Layer):
    def attend(self, X, mask, keys=None):
        added = None if mask is None else torch.zeros(self.blocked(X, mask).shape, dtype=X.dtype).masked_fill(self.blocked(X, mask), -1e9)
        return self.attention(X, X, X, attn_mask=added)[0]


@_wrong(a_token_that_sees_nothing_gets_the_bias,
        "exactly zero from attention for a token that may attend to nothing, without the output bias")
class zero_for_an_empty_row(_Layer):
    def attend(self, X, mask, keys=None):
        Y = super().attend(X, mask, keys)
        if mask is None:
            return Y
        return torch.where(mask.expand(*X.shape[:-2], X.shape[-2], X.shape[-2]).any(-1, keepdim=True), Y, 0.0)


@_wrong(the_inputs_stay_as_they_were, "a layer that adds to its input in place")
class in_place(_Pre):
    def before(self, X, mask):
        X += self.attend(self.norm1(X), mask)
        X += self.mlp(self.norm2(X))
        return X


@_wrong(the_inputs_stay_as_they_were, "a layer that inverts the caller's mask in place")
class mask_in_place(_Layer):
    def attend(self, X, mask, keys=None):
        Y = super().attend(X, mask, keys)
        if mask is not None:
            mask.logical_not_()
        return Y


@_wrong(the_gradients_are_right, "attention through which no gradient flows")
class attention_detached(_Layer):
    def attend(self, X, mask, keys=None):
        return super().attend(X, mask, keys).detach()


@_wrong(the_gradients_are_right, "a forward pass under no_grad")
class under_no_grad(_Layer):
    def forward(self, X, mask=None):
        with torch.no_grad():
            return super().forward(X, mask)


@_wrong(the_gradients_are_right, "a residual connection that lets no gradient through")
class residual_detached(_Layer):
    def forward(self, X, mask=None):
        if self.pre_norm:
            Z = X.detach() + self.attend(self.norm1(X), mask)
            return Z + self.mlp(self.norm2(Z))
        Z = self.norm1(X.detach() + self.attend(X, mask))
        return self.norm2(Z + self.mlp(Z))


@_wrong(calls_leave_no_trace, "the first mask of each shape kept for all later ones")
class mask_kept_by_shape(_Layer):
    def blocked(self, X, mask):
        return self.__dict__.setdefault("kept", {}).setdefault((X.shape, mask.shape), super().blocked(X, mask))


@_wrong(a_single_sequence_is_a_batch_of_one, "a mask of 1 x N that is handed on as it is for a single sequence, where torch wants N x N")
class row_not_expanded(_Layer):
    def blocked(self, X, mask):
        return ~mask if X.dim() == 2 else super().blocked(X, mask)


@_wrong(a_single_sequence_is_a_batch_of_one, "a mask of 1 x N that is ignored for a single sequence")
class row_ignored(_Layer):
    def forward(self, X, mask=None):
        return super().forward(X, None if mask is not None and X.dim() == 2 and len(mask) == 1 else mask)


@_wrong(the_inputs_stay_as_they_were, "a layer that opens empty rows in the caller's own mask (|=)")
class opens_empty_rows_in_place(_Layer):
    def forward(self, X, mask=None):
        if mask is not None:
            given_, closed = mask.clone(), ~mask.any(-1, keepdim=True)
            mask |= closed
            mask = given_
        return super().forward(X, mask)


@_wrong(calls_leave_no_trace, "a mask kept from an earlier call")
class mask_kept(_Layer):
    def forward(self, X, mask=None):
        if mask is not None:
            self.kept = mask
        kept = getattr(self, "kept", None)
        fits = kept is not None and kept.dim() == 2 and kept.shape[-1] == X.shape[-2]
        return super().forward(X, kept if mask is None and fits else mask)


@_wrong(calls_leave_no_trace, "another output in train mode than in eval mode (dropout, which nobody asked for)")
class other_in_train_mode(_Layer):
    def attend(self, X, mask, keys=None):
        Y = super().attend(X, mask, keys)
        return 2 * Y * (torch.arange(Y.shape[-1]) % 2) if self.training else Y  # what a dropout would do, but always the same


@_wrong(_PRE, "attention with half precision inside")
class half_precision(_Layer):
    def attend(self, X, mask, keys=None):
        return super().attend(X, mask, keys).half().to(X.dtype)


@_wrong(agrees_under_every_mask, "a mask that differs within the batch taken for a padding mask, of which only the first row counts")
class first_row_of_the_mask(_Layer):
    def attend(self, X, mask, keys=None):
        return super().attend(X, mask if mask is None or mask.dim() == 2 else mask[:, :1], keys)
