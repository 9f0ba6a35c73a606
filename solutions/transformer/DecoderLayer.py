"""Staff half of the exercise `DecoderLayer`: reference, alternates, misconceptions, hidden checks."""

import torch
import torch.nn as nn
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercises.transformer.DecoderLayer import (_fill, a_single_sequence_is_a_batch_of_one, agrees_with_torch, causal, exercise,
                                                           no_mask_means_none, no_token_hears_of_later_ones, several,
                                                           the_inputs_stay_as_they_were, the_whole_memory_is_open_to_every_token,
                                                           what_layernorm_removes_runs_past_it)
from autograder.strategies import fillers, sizes


@exercise.solution
class DecoderLayer(nn.Module):
    """A decoder's layer, pre-norm: self-attention, then cross-attention to a memory, then an MLP for each token.

    D: width of the tokens and of the memory. H: heads, a divisor of D. Each of the three is fed normalised tokens and has a
    residual connection. The checks load weights by the names that are given here, so keep them.
    """

    def __init__(self, D, H):
        super().__init__()
        self.H = H
        self.self_attention = nn.MultiheadAttention(D, H, batch_first=True)
        self.cross_attention = nn.MultiheadAttention(D, H, batch_first=True)
        self.norm1 = nn.LayerNorm(D)
        self.norm2 = nn.LayerNorm(D)
        self.norm3 = nn.LayerNorm(D)
        self.mlp = nn.Sequential(nn.Linear(D, 4 * D), nn.ReLU(), nn.Linear(4 * D, D))

    def forward(self, X, memory, mask=None):
        """Apply the layer to the tokens X, which read the memory.

        X: float tensor N x D or B x N x D. memory: M x D or B x M x D; used as it is, without a LayerNorm. mask: for the
        self-attention only; None, or booleans that broadcast against N x N or B x N x N, True where attending is allowed,
        with something allowed in each row. None means no mask. Returns a tensor like X.
        """
        blocked = None
        if mask is not None:
            N = X.shape[-2]
            blocked = (mask == 0).expand(*X.shape[:-2], N, N)
            if X.dim() == 3:
                blocked = blocked.repeat_interleave(self.H, dim=0)
        Z = self.norm1(X)
        X = X + self.self_attention(Z, Z, Z, attn_mask=blocked, need_weights=False)[0]
        X = X + self.cross_attention(self.norm2(X), memory, memory, need_weights=False)[0]
        return X + self.mlp(self.norm3(X))


exercise.equivalent('blocked = (mask == 0).expand(*X.shape[:-2], N, N) -> blocked = (mask == 0).expand(*memory.shape[:-2], N, N)',
                    because="tokens and memory come in the same batch")
exercise.equivalent('if X.dim() == 3: -> if memory.dim() == 3:',
                    because="tokens and memory come in the same batch")
exercise.equivalent('X = X + self.self_attention(Z, Z, Z, attn_mask=blocked, need_weights=False)[0] -> '
                    'X = X + self.self_attention(Z, Z, Z, attn_mask=blocked)[0]',
                    because="the output is the same, whether torch returns the weights or not")
exercise.equivalent('X = X + self.self_attention(Z, Z, Z, attn_mask=blocked, need_weights=False)[0] -> '
                    'X = X + self.self_attention(Z, Z, Z, attn_mask=blocked, need_weights=True)[0]',
                    because="the output is the same, whether torch returns the weights or not")
exercise.equivalent('X = X + self.cross_attention(self.norm2(X), memory, memory, need_weights=False)[0] -> '
                    'X = X + self.cross_attention(self.norm2(X), memory, memory)[0]',
                    because="the output is the same, whether torch returns the weights or not")
exercise.equivalent('X = X + self.cross_attention(self.norm2(X), memory, memory, need_weights=False)[0] -> '
                    'X = X + self.cross_attention(self.norm2(X), memory, memory, need_weights=True)[0]',
                    because="the output is the same, whether torch returns the weights or not")


# several sequences and several heads, so that their masks can be mixed up
headed = st.tuples(st.sampled_from([(2,), (3,)]), sizes(2, 5), sizes(2, 4), st.sampled_from([(4, 2), (6, 3), (8, 2)]), fillers(("normal", "uniform")),
                   fillers(("normal", "uniform"))).map(_fill)


@st.composite
def under_any_mask(draw):
    """Tokens, memory and a mask of every broadcastable shape that leaves each token something to attend to."""
    size, weights, X, memory = draw(headed)
    N = X.shape[-2]
    shapes = [(len(X), N, N), (len(X), 1, N), (N, N), (1, N)]
    shape, seed = draw(st.sampled_from(shapes)), draw(st.integers(0, 2**16))
    generator = torch.Generator().manual_seed(seed)
    mask = torch.rand(shape, generator=generator) < 0.5
    mask.scatter_(-1, torch.randint(N, (*shape[:-1], 1), generator=generator), True)
    if len(shape) == 3:
        mask[0, :, 0], mask[-1, :, 0] = True, False   # no two sequences but one mask
        mask[-1, :, 1] = True
    return size, weights, X, memory, mask


@exercise.hidden_check(points=1.5, examples=16,
                       hint="Try masks of the shapes N x N, B x N x N and B x 1 x N with more than one head, and a memory that is longer "
                            "or shorter than X.")
@given(under_any_mask())
def agrees_under_every_mask(student, case):
    """Agrees with the reference under masks of every shape."""
    (D, H), weights, X, memory, mask = case
    layer, ours = (made.build(D, H).fill(weights) for made in (student, DecoderLayer))
    assert_close(layer(X, memory, mask=mask), ours(X, memory, mask=mask), what="Y under a mask")


@exercise.hidden_check(points=1, examples=6,
                       hint="Gradients must reach the memory too, or the encoder never learns. Does something cut them off (detach, "
                            "no_grad, .data)?")
@given(several, fillers(("normal",)), fillers(("normal",)))
def the_gradients_are_right(student, case, weights, filler):
    """The gradients that reach the input, the memory and every parameter are those of the formula."""
    (D, H), _, X, memory = case
    layer, ours = (made.build(D, H).fill(weights) for made in (student, DecoderLayer))
    assert_close(layer(X, memory), ours(X, memory), what="Y")
    cotangent, = filler(tuple(X.shape))
    got = layer.vjp((cotangent,), X, memory)
    assert_true(got is not None, "no gradient flows through the layer, so it cannot be trained", what="the gradient")
    wanted_inputs, wanted = ours.vjp((cotangent,), X, memory)
    for name, mine, theirs in zip(("X", "the memory"), got[0], wanted_inputs):
        assert_close(mine, theirs, what=f"the gradient with respect to {name}")
    for name, gradient in wanted.items():
        assert_close(got[1][name], gradient, what=f"the gradient with respect to {name}")


@exercise.hidden_check(points=0.5, examples=5,
                       hint="Call the layer with a mask and a memory and then with others: is something kept from the first call, or for the next "
                            "one of the same shape?")
@given(several)
def calls_leave_no_trace(student, case):
    """The output depends on the arguments and the weights only: not on earlier calls, and not on train mode."""
    (D, H), weights, X, memory = case
    layer, ours = (made.build(D, H).fill(weights) for made in (student, DecoderLayer))
    expected = ours(X, memory)
    assert_close(layer.training()(X, memory), expected, what="Y in train mode")
    assert_close(layer.after(X, 2 * memory)(X, memory), expected, what="Y after a call with another memory")
    mask, other = causal(X.shape[-2]), causal(X.shape[-2]).mT.contiguous()
    assert_close(layer.after(X, memory, mask=mask)(X, memory), expected, what="Y after a call with a mask")
    expected = ours(X, memory, mask=other)
    one, one_of_memory = (Z[..., :1, :].contiguous() for Z in (X, memory))
    assert_close(layer(X, memory, mask=other), expected, what="Y under a mask")
    assert_close(layer.after(X, memory, mask=mask)(X, memory, mask=other), expected, what="Y under a mask, after a call with another mask of its shape")
    assert_close(layer.after(one, one_of_memory, mask=causal(1))(X, memory, mask=other), expected, what="Y under a mask, after a call on one token")


class _Decoder(nn.Module):
    """The common part of the answers below; each of the three steps can be overridden."""

    def __init__(self, D, H):
        super().__init__()
        self.H = H
        self.self_attention = nn.MultiheadAttention(D, H, batch_first=True)
        self.cross_attention = nn.MultiheadAttention(D, H, batch_first=True)
        self.norm1 = nn.LayerNorm(D)
        self.norm2 = nn.LayerNorm(D)
        self.norm3 = nn.LayerNorm(D)
        self.mlp = nn.Sequential(nn.Linear(D, 4 * D), nn.ReLU(), nn.Linear(4 * D, D))

    def blocked(self, X, mask):
        N = X.shape[-2]
        if mask is None:
            return None
        forbidden = ~mask.expand(*X.shape[:-2], N, N)
        return forbidden.repeat_interleave(self.H, 0) if X.dim() == 3 else forbidden

    def attend(self, Z, mask):
        return self.self_attention(Z, Z, Z, attn_mask=self.blocked(Z, mask))[0]

    def read(self, Z, memory, mask):
        return self.cross_attention(Z, memory, memory)[0]

    def forward(self, X, memory, mask=None):
        X = X + self.attend(self.norm1(X), mask)
        X = X + self.read(self.norm2(X), memory, mask)
        return X + self.mlp(self.norm3(X))


@exercise.alternate
class with_its_own_heads(_Decoder):
    """Both attentions written out with the modules' weights, head by head."""

    def heads(self, module, Z, source, mask):
        W_q, W_k, W_v = module.in_proj_weight.chunk(3)
        b_q, b_k, b_v = module.in_proj_bias.chunk(3)
        Q, K, V = Z @ W_q.T + b_q, source @ W_k.T + b_k, source @ W_v.T + b_v
        found = []
        for q, k, v in zip(Q.chunk(self.H, -1), K.chunk(self.H, -1), V.chunk(self.H, -1)):
            scores = torch.einsum("...qd,...kd->...qk", q, k) * q.shape[-1] ** -0.5
            scores = scores if mask is None else torch.where(mask, scores, -1e9)
            found.append(torch.softmax(scores, -1) @ v)
        return torch.cat(found, -1) @ module.out_proj.weight.T + module.out_proj.bias

    def attend(self, Z, mask):
        return self.heads(self.self_attention, Z, Z, mask)

    def read(self, Z, memory, mask):
        return self.heads(self.cross_attention, Z, memory, None)


@exercise.alternate
class sequence_by_sequence(_Decoder):
    """A loop over the batch, with an additive mask in float32."""

    def forward(self, X, memory, mask=None):
        if X.dim() == 3:
            masks = [None] * len(X) if mask is None else mask.expand(len(X), *mask.shape[-2:])
            return torch.stack([self.forward(x, m, a) for x, m, a in zip(X, memory, masks)])
        added = None
        if mask is not None:
            added = torch.zeros(len(X), len(X)).masked_fill(~mask.expand(len(X), len(X)), float("-inf")).to(X.dtype)
        Z = self.norm1(X)
        Z = self.self_attention(Z, Z, Z, attn_mask=added)[0] + X
        Z = self.cross_attention(self.norm2(Z), memory, memory)[0] + Z
        hidden = nn.functional.linear(self.norm3(Z), self.mlp[0].weight, self.mlp[0].bias).clamp(min=0)
        return nn.functional.linear(hidden, self.mlp[2].weight, self.mlp[2].bias) + Z


@exercise.alternate
class always_a_batch(_Decoder):
    """A batch axis is put in front and taken off again; the result is not contiguous."""

    def forward(self, X, memory, mask=None):
        single = X.dim() == 2
        if single:
            X, memory = X[None], memory[None]
        Y = super().forward(X, memory, mask)
        Y = Y.mT.contiguous().mT
        return Y[0] if single else Y


@exercise.alternate
class with_fused_attention(_Decoder):
    """torch's attention function on heads of one's own."""

    def fused(self, module, Z, source, mask):
        W, b = module.in_proj_weight.split(Z.shape[-1]), module.in_proj_bias.split(Z.shape[-1])
        Q, K, V = (nn.functional.linear(t, w, c).unflatten(-1, (self.H, -1)).transpose(-2, -3) for t, w, c in zip((Z, source, source), W, b))
        Y = nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=mask)
        return module.out_proj(Y.transpose(-2, -3).flatten(-2))

    def attend(self, Z, mask):
        return self.fused(self.self_attention, Z, Z, None if mask is None else mask.unsqueeze(-3))

    def read(self, Z, memory, mask):
        return self.fused(self.cross_attention, Z, memory, None)


@exercise.alternate
class added_masks(_Decoder):
    """A mask of 0 and -inf, written out for every head."""

    def blocked(self, X, mask):
        if mask is None:
            return None
        N = X.shape[-2]
        added = torch.zeros(*X.shape[:-2], N, N, dtype=X.dtype)
        added = added.masked_fill(mask.logical_not(), -torch.inf)
        return added if X.dim() == 2 else torch.stack([added] * self.H, dim=1).flatten(0, 1)


@exercise.alternate
class with_a_helper(_Decoder):
    """One helper for all three steps; the weights of the cross-attention are asked for and not used."""

    def forward(self, X, memory, mask=None):
        def around(step, norm, Z):
            return torch.add(step(norm(Z)), Z)

        X = around(lambda Z: self.attend(Z, mask), self.norm1, X)
        X = around(lambda Z: self.cross_attention(Z, key=memory, value=memory, average_attn_weights=False)[0], self.norm2, X)
        return around(self.mlp, self.norm3, X)


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


@_wrong(the_whole_memory_is_open_to_every_token, "a causal mask on the cross-attention too")
class causal_cross_attention(_Decoder):
    def read(self, Z, memory, mask):
        if mask is None:
            return super().read(Z, memory, mask)
        ahead = torch.ones(Z.shape[-2], memory.shape[-2], dtype=torch.bool).triu(1)
        return self.cross_attention(Z, memory, memory, attn_mask=ahead)[0]


@_wrong(the_whole_memory_is_open_to_every_token, "the self-attention's mask handed to the cross-attention as well")
class mask_on_both(_Decoder):
    def read(self, Z, memory, mask):
        return self.cross_attention(Z, memory, memory, attn_mask=self.blocked(Z, mask))[0]


@_wrong(no_token_hears_of_later_ones, "a mask on the cross-attention instead of the self-attention")
class mask_on_the_wrong_one(_Decoder):
    def attend(self, Z, mask):
        return super().attend(Z, None)

    def read(self, Z, memory, mask):
        if mask is None:
            return super().read(Z, memory, mask)
        ahead = torch.ones(Z.shape[-2], memory.shape[-2], dtype=torch.bool).triu(1)
        return self.cross_attention(Z, memory, memory, attn_mask=ahead)[0]


@_wrong(no_token_hears_of_later_ones, "a mask that was taken and never passed on")
class mask_ignored(_Decoder):
    def attend(self, Z, mask):
        return super().attend(Z, None)


@_wrong(no_token_hears_of_later_ones, "a mask handed to torch as it is, where True means the opposite")
class mask_inverted(_Decoder):
    def attend(self, Z, mask):
        return super().attend(Z, None if mask is None else ~mask)


@_wrong(no_token_hears_of_later_ones,
        "a boolean mask turned into floats, which torch adds to the scores: what is allowed is raised by 1, and nothing is hidden")
class mask_added(_Decoder):
    def attend(self, Z, mask):
        added = None if mask is None else (~self.blocked(Z, mask)).to(Z.dtype)
        return self.self_attention(Z, Z, Z, attn_mask=added)[0]


@_wrong(no_mask_means_none, "a decoder that is always causal, whether it is given a mask or not")
class always_causal(_Decoder):
    def attend(self, Z, mask):
        N = Z.shape[-2]
        return super().attend(Z, torch.ones(N, N, dtype=torch.bool).tril() if mask is None else mask)


@_wrong(agrees_under_every_mask, "the causal mask whenever there is a mask at all")
class any_mask_is_causal(_Decoder):
    def attend(self, Z, mask):
        N = Z.shape[-2]
        return super().attend(Z, None if mask is None else torch.ones(N, N, dtype=torch.bool).tril())


@_wrong(agrees_under_every_mask, "masks repeated in the wrong order: all sequences for the first head, then all for the second")
class heads_first(_Decoder):
    def blocked(self, X, mask):
        N = X.shape[-2]
        if mask is None or X.dim() == 2:
            return super().blocked(X, mask)
        return (~mask.expand(*X.shape[:-2], N, N)).repeat(self.H, 1, 1)


@_wrong(agrees_under_every_mask, "the first sequence's mask used for the whole batch")
class mask_of_the_first(_Decoder):
    def attend(self, Z, mask):
        return super().attend(Z, mask[0] if mask is not None and mask.dim() == 3 else mask)


@_wrong(agrees_under_every_mask, "a mask that was transposed before use")
class mask_transposed(_Decoder):
    def blocked(self, X, mask):
        N = X.shape[-2]
        return super().blocked(X, None if mask is None else mask.expand(*X.shape[:-2], N, N).mT)


@_wrong(agrees_with_torch, "cross-attention before self-attention")
class cross_first(_Decoder):
    def forward(self, X, memory, mask=None):
        X = X + self.read(self.norm2(X), memory, mask)
        X = X + self.attend(self.norm1(X), mask)
        return X + self.mlp(self.norm3(X))


@_wrong(agrees_with_torch, "self- and cross-attention side by side instead of one after the other")
class in_parallel(_Decoder):
    def forward(self, X, memory, mask=None):
        X = X + self.attend(self.norm1(X), mask) + self.read(self.norm2(X), memory, mask)
        return X + self.mlp(self.norm3(X))


@_wrong(agrees_with_torch, "the MLP before the cross-attention")
class mlp_in_the_middle(_Decoder):
    def forward(self, X, memory, mask=None):
        X = X + self.attend(self.norm1(X), mask)
        X = X + self.mlp(self.norm3(X))
        return X + self.read(self.norm2(X), memory, mask)


@_wrong(agrees_with_torch, "one attention module for both: the cross-attention's own weights are never used")
class one_module_for_both(_Decoder):
    def read(self, Z, memory, mask):
        return self.self_attention(Z, memory, memory)[0]


@_wrong(agrees_with_torch, "the two attention modules in each other's place")
class modules_exchanged(_Decoder):
    def attend(self, Z, mask):
        return self.cross_attention(Z, Z, Z, attn_mask=self.blocked(Z, mask))[0]

    def read(self, Z, memory, mask):
        return self.self_attention(Z, memory, memory)[0]


@_wrong(the_whole_memory_is_open_to_every_token, "a layer that never looks at its memory")
class memory_ignored(_Decoder):
    def read(self, Z, memory, mask):
        return self.cross_attention(Z, Z, Z)[0]


@_wrong(agrees_with_torch, "a layer without cross-attention")
class no_cross_attention(_Decoder):
    def read(self, Z, memory, mask):
        return 0.0


@_wrong(agrees_with_torch, "queries and memory exchanged in the cross-attention, and the rest cut to fit")
class memory_asks(_Decoder):
    def read(self, Z, memory, mask):
        Y = self.cross_attention(memory, Z, Z)[0]
        return Y.mean(-2, keepdim=True)


@_wrong(agrees_with_torch, "keys from the memory and values from the tokens, or the other way round")
class values_from_elsewhere(_Decoder):
    def read(self, Z, memory, mask):
        n = min(Z.shape[-2], memory.shape[-2])
        return self.cross_attention(Z, memory[..., :n, :], Z[..., :n, :])[0]


@_wrong(agrees_with_torch, "a memory that is normalised before it is read")
class memory_normalised(_Decoder):
    def read(self, Z, memory, mask):
        memory = self.norm2(memory)
        return self.cross_attention(Z, memory, memory)[0]


@_wrong(what_layernorm_removes_runs_past_it, "a layer without the residual connection around the cross-attention")
class cross_residual_missing(_Decoder):
    def forward(self, X, memory, mask=None):
        X = X + self.attend(self.norm1(X), mask)
        X = self.read(self.norm2(X), memory, mask)
        return X + self.mlp(self.norm3(X))


@_wrong(what_layernorm_removes_runs_past_it, "a layer without the residual connection around the self-attention")
class self_residual_missing(_Decoder):
    def forward(self, X, memory, mask=None):
        X = self.attend(self.norm1(X), mask)
        X = X + self.read(self.norm2(X), memory, mask)
        return X + self.mlp(self.norm3(X))


@_wrong(what_layernorm_removes_runs_past_it, "a layer without the residual connection around the MLP")
class mlp_residual_missing(_Decoder):
    def forward(self, X, memory, mask=None):
        X = X + self.attend(self.norm1(X), mask)
        X = X + self.read(self.norm2(X), memory, mask)
        return self.mlp(self.norm3(X))


@_wrong(agrees_with_torch, "a later residual connection that starts at the layer's input")
class residual_from_the_input(_Decoder):
    def forward(self, X, memory, mask=None):
        Z = X + self.attend(self.norm1(X), mask)
        Z = X + self.read(self.norm2(Z), memory, mask)
        return Z + self.mlp(self.norm3(Z))


@_wrong(agrees_with_torch, "LayerNorms after the three additions (post-norm, legitimate elsewhere) instead of before the three parts")
class post_norm(_Decoder):
    def forward(self, X, memory, mask=None):
        X = self.norm1(X + self.attend(X, mask))
        X = self.norm2(X + self.read(X, memory, mask))
        return self.norm3(X + self.mlp(X))


@_wrong(what_layernorm_removes_runs_past_it, "residual connections that carry the normalised tokens instead of the tokens")
class residual_of_the_normalised(_Decoder):
    def forward(self, X, memory, mask=None):
        X = self.norm1(X)
        X = X + self.attend(X, mask)
        X = self.norm2(X)
        X = X + self.read(X, memory, mask)
        X = self.norm3(X)
        return X + self.mlp(X)


@_wrong(agrees_with_torch, "a cross-attention whose queries are not normalised")
class queries_not_normalised(_Decoder):
    def forward(self, X, memory, mask=None):
        X = X + self.attend(self.norm1(X), mask)
        X = X + self.read(X, memory, mask)
        return X + self.mlp(self.norm3(X))


@_wrong(agrees_with_torch, "norm2 and norm3 in each other's place")
class norms_exchanged(_Decoder):
    def forward(self, X, memory, mask=None):
        X = X + self.attend(self.norm1(X), mask)
        X = X + self.read(self.norm3(X), memory, mask)
        return X + self.mlp(self.norm2(X))


@_wrong(agrees_with_torch, "a layer without its MLP")
class no_mlp(_Decoder):
    def forward(self, X, memory, mask=None):
        X = X + self.attend(self.norm1(X), mask)
        return X + self.read(self.norm2(X), memory, mask)


@_wrong(a_single_sequence_is_a_batch_of_one, "code for three dimensions only: a single sequence, N x D, is refused")
class three_dimensions_only(_Decoder):
    def forward(self, X, memory, mask=None):
        B, N, D = X.shape
        return super().forward(X, memory, mask)


@_wrong(the_inputs_stay_as_they_were, "a layer that adds to its input in place")
class in_place(_Decoder):
    def forward(self, X, memory, mask=None):
        X += self.attend(self.norm1(X), mask)
        X += self.read(self.norm2(X), memory, mask)
        X += self.mlp(self.norm3(X))
        return X


@_wrong(the_gradients_are_right, "a memory that is detached, so that the encoder never learns")
class memory_detached(_Decoder):
    def read(self, Z, memory, mask):
        return super().read(Z, memory.detach(), mask)


@_wrong(the_gradients_are_right, "a forward pass under no_grad")
class under_no_grad(_Decoder):
    def forward(self, X, memory, mask=None):
        with torch.no_grad():
            return super().forward(X, memory, mask)


@_wrong(calls_leave_no_trace, "the first mask of each shape kept for all later ones")
class mask_kept_by_shape(_Decoder):
    def attend(self, Z, mask):
        if mask is not None:
            mask = self.__dict__.setdefault("masks", {}).setdefault(mask.shape, mask)
        return super().attend(Z, mask)


@_wrong(a_single_sequence_is_a_batch_of_one, "a mask of 1 x N that is ignored for a single sequence")
class row_ignored(_Decoder):
    def attend(self, Z, mask):
        return super().attend(Z, None if mask is not None and Z.dim() == 2 and len(mask) == 1 else mask)


@_wrong(calls_leave_no_trace, "the first memory kept and read ever after")
class memory_kept(_Decoder):
    def read(self, Z, memory, mask):
        if getattr(self, "kept", None) is None or self.kept.shape != memory.shape:
            self.kept = memory
        return super().read(Z, self.kept, mask)


@_wrong(calls_leave_no_trace, "another output in train mode than in eval mode (dropout, which nobody asked for)")
class other_in_train_mode(_Decoder):
    def read(self, Z, memory, mask):
        Y = super().read(Z, memory, mask)
        return 2 * Y * (torch.arange(Y.shape[-1]) % 2) if self.training else Y  # what a dropout would do, but always the same
