"""Staff half of the exercise `MultiHeadAttention`: reference, alternates, misconceptions, hidden checks."""

import math

import torch
import torch.nn as nn
from hypothesis import given

from autograder.compare import assert_close
from autograder.exercises.multihead.MultiHeadAttention import (a_mask_holds_in_every_head, a_query_that_sees_nothing_gets_the_bias,
                                                               across_two_sentences_it_agrees_with_torch, any_leading_dimensions_will_do,
                                                               attending, each_head_shares_out_its_own_attention, each_sentence_has_its_own_mask,
                                                               exercise, in_itself_it_agrees_with_torch, masked,
                                                               one_head_is_attention_between_linear_maps, the_inputs_stay_as_they_were)
from autograder.strategies import fillers, leading, sizes


@exercise.solution
class MultiHeadAttention(nn.Module):
    """Multi-head attention of one set of tokens to another (or to itself), with H heads of width D/H.

    D: features of a token, an int. H: the number of heads, an int that divides D (anything else is a ValueError).
    The checks load the parameters of W_q, W_k, W_v and W_o by name, and build the layer in float64: leave __init__ as it is.
    """

    def __init__(self, D, H):
        super().__init__()
        if D % H != 0:
            raise ValueError(f"{H} heads do not divide {D} features")
        self.D, self.H = D, H
        self.W_q = nn.Linear(D, D)
        self.W_k = nn.Linear(D, D)
        self.W_v = nn.Linear(D, D)
        self.W_o = nn.Linear(D, D)

    def forward(self, X_q, X_kv, mask=None):
        """Let the tokens X_q attend to the tokens X_kv: queries are W_q(X_q), keys W_k(X_kv), values W_v(X_kv).

        X_q: float64 tensor ... x N_q x D. X_kv: ... x N_kv x D, the same leading dimensions (any number). For self-attention both are the same.
        mask: None, or booleans with two or more axes that broadcast against ... x N_q x N_kv, the same for every head; True where attending is allowed.
        A query that may attend to nothing gets weights of 0, and so the bias of W_o as its output.
        Returns (Y, alpha): the outputs ... x N_q x D and the weights of each head, ... x H x N_q x N_kv.
        """
        inputs = ((self.W_q, X_q), (self.W_k, X_kv), (self.W_v, X_kv))
        Q, K, V = (linear(X).unflatten(-1, (self.H, -1)).transpose(-3, -2) for linear, X in inputs)
        scores = Q @ K.transpose(-2, -1) / math.sqrt(self.D // self.H)
        if mask is None:
            alpha = torch.softmax(scores, dim=-1)
        else:
            allowed = mask.bool().unsqueeze(-3)
            alpha = torch.softmax(scores.masked_fill(~allowed, float("-inf")), dim=-1)
            alpha = alpha.masked_fill(~allowed.any(dim=-1, keepdim=True), 0.0)
        Y = self.W_o((alpha @ V).transpose(-3, -2).flatten(-2))
        return Y, alpha


exercise.equivalent("allowed = mask.bool().unsqueeze(-3) -> allowed = mask.unsqueeze(-3)",
                    because="a mask holds booleans")
exercise.equivalent("alpha = torch.softmax(scores.masked_fill(~allowed, float('-inf')), dim=-1) "
                    "-> alpha = torch.softmax(scores.masked_fill(~allowed, float('-1e9')), dim=-1)",
                    because="beside an allowed key exp(-1e9) is 0, and a row without one is set to 0 in the next line")
exercise.equivalent("alpha = alpha.masked_fill(~allowed.any(dim=-1, keepdim=True), 0.0) -> alpha = alpha.masked_fill(~allowed, 0.0)",
                    because="a forbidden key has the weight 0 already, and in an empty row all are forbidden")


@exercise.hidden_check(points=1, examples=20, hint="Fill the layer with small whole numbers, D = 2 and H = 2, and follow a single token through it "
                                                   "on paper, biases and all.",
                       kept="one sentence, batches and batches of batches in one check, alpha and Y of all heads: points for the whole"
                            " that no single mistake leaves")
@given(attending(leading()))
def agrees_with_the_reference(student, case):
    """Agrees with the reference on a sentence, a batch and a batch of batches, attending to itself or to another one."""
    D, H, filler, X_q, X_kv = case
    Y_ref, alpha_ref = MultiHeadAttention.build(D, H).fill(filler)(X_q, X_kv)
    Y, alpha = student.build(D, H).fill(filler)(X_q, X_kv)
    assert_close(alpha, alpha_ref, what="alpha")
    assert_close(Y, Y_ref, what="Y")


@exercise.hidden_check(points=1, examples=20, hint="Try a mask of every shape that the text allows, with other numbers of sentences than of heads "
                                                   "and with the same.",
                       kept="every form of mask with every number of leading dimensions; the public checks take plain batches and "
                            "others apart, and the others look at Y alone")
@given(masked(leading()))
def agrees_under_a_mask(student, case):
    """Agrees with the reference under masks of every broadcastable shape."""
    D, H, filler, X_q, X_kv, mask = case
    X_q, X_kv = X_q / 2, X_kv / 2  # large scores would make a float32 answer's rounding show
    Y_ref, alpha_ref = MultiHeadAttention.build(D, H).fill(filler)(X_q, X_kv, mask=mask)
    Y, alpha = student.build(D, H).fill(filler)(X_q, X_kv, mask=mask)
    assert_close(alpha, alpha_ref, what="alpha under a mask")
    assert_close(Y, Y_ref, what="Y under a mask")


@exercise.hidden_check(points=0.5, examples=8, hint="Call the layer twice, first with a mask and then without, or on a longer sentence. Does "
                                                    "anything of the first call stay behind in self? Does train mode change anything?")
@given(masked(), sizes(1, 5))
def it_has_no_memory(student, case, N):
    """What it was called on before, other tokens under other masks, makes no difference, and neither does train mode."""
    D, H, filler, X_q, X_kv, mask = case
    other, = filler((2, N, D))
    expected = MultiHeadAttention.build(D, H).fill(filler)(X_q, X_kv, mask=mask)[0]
    layer = student.build(D, H).fill(filler)
    assert_close(layer(X_q, X_kv, mask=mask)[0], expected, what="Y of a first call")
    causal, open_to_all = torch.ones(N, N, dtype=torch.bool).tril(), torch.ones_like(mask)
    used = layer.after(other, other, causal).after(-X_q, -X_kv, open_to_all)
    assert_close(used(X_q, X_kv, mask=mask)[0], expected, what="Y of a third call")
    assert_close(layer.training()(X_q, X_kv, mask=mask)[0], expected, what="Y in train mode")
    unmasked = MultiHeadAttention.build(D, H).fill(filler)(X_q, X_kv)[0]
    assert_close(layer.after(X_q, X_kv, mask)(X_q, X_kv)[0], unmasked, what="Y without a mask, after a call with one")


@exercise.hidden_check(points=0.5, examples=6, hint="Does something inside cut the way back to the parameters (detach, no_grad, .data, a new "
                                                    "nn.Parameter)?")
@given(attending(leading(1), heads=sizes(1, 2), low=2, tokens=3), fillers(("normal",)))
def the_gradient_is_right(student, case, noise):
    """Where gradients flow through Y, or through alpha, they are the formula's, with respect to the tokens and to every parameter."""
    D, H, filler, X_q, X_kv = case
    # gradients as large as the numbers they are computed from
    for_Y, for_alpha = (cotangent / 32 for cotangent in noise(tuple(X_q.shape), (*X_q.shape[:-2], H, X_q.shape[-2], X_kv.shape[-2])))
    layer, reference = student.build(D, H).fill(filler), MultiHeadAttention.build(D, H).fill(filler)
    assert_close(layer(X_q, X_kv)[0], reference(X_q, X_kv)[0], what="Y")
    for result, cotangents in (("Y", (for_Y, None)), ("alpha", (None, for_alpha))):
        got = layer.vjp(cotangents, X_q, X_kv)
        if got is not None:
            inputs, weights = reference.vjp(cotangents, X_q, X_kv)
            for name, mine, theirs in zip(("X_q", "X_kv"), got[0], inputs):
                assert_close(mine, theirs, what=f"the gradient of {result} with respect to {name}")
            for name, theirs in weights.items():
                assert_close(got[1][name], theirs, what=f"the gradient of {result} with respect to {name}")


class _Layer(nn.Module):
    """The parts that the answers below change one at a time."""

    def __init__(self, D, H):
        super().__init__()
        if D % H != 0:
            raise ValueError("H does not divide D")
        self.D, self.H = D, H
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(D, D) for _ in range(4))

    def split(self, X):
        return X.unflatten(-1, (self.H, -1)).transpose(-3, -2)

    def merge(self, heads):
        return heads.transpose(-3, -2).flatten(-2)

    def projected(self, X_q, X_kv):
        return self.W_q(X_q), self.W_k(X_kv), self.W_v(X_kv)

    def scores(self, Q, K):
        return Q @ K.mT / math.sqrt(self.D // self.H)

    def weights(self, scores, mask):
        if mask is not None:
            scores = scores.masked_fill(mask.unsqueeze(-3) == 0, -torch.inf)
        alpha = torch.softmax(scores, -1)
        return torch.where(torch.isneginf(scores).all(-1, keepdim=True), 0.0, alpha)

    def out(self, Y):
        return self.W_o(Y)

    def forward(self, X_q, X_kv, mask=None):
        Q, K, V = map(self.split, self.projected(X_q, X_kv))
        alpha = self.weights(self.scores(Q, K), mask)
        return self.out(self.merge(alpha @ V)), alpha


@exercise.alternate
class head_by_head(_Layer):
    def forward(self, X_q, X_kv, mask=None):
        w, heads, alphas = self.D // self.H, [], []
        for h in range(self.H):
            rows = slice(h * w, (h + 1) * w)
            q = X_q @ self.W_q.weight[rows].T + self.W_q.bias[rows]
            k = X_kv @ self.W_k.weight[rows].T + self.W_k.bias[rows]
            v = X_kv @ self.W_v.weight[rows].T + self.W_v.bias[rows]
            s = (q * w ** -0.5) @ k.transpose(-1, -2)
            if mask is not None:
                s = torch.where(mask.bool(), s, torch.full_like(s, -torch.inf))
            a = torch.softmax(s, -1).nan_to_num(0.0)
            heads.append(a @ v)
            alphas.append(a)
        return [self.W_o(torch.cat(heads, -1)), torch.stack(alphas, -3)]


@exercise.alternate
class with_einsum(_Layer):
    def forward(self, X_q, X_kv, mask=None):
        q, k, v = (m(X).reshape(*X.shape[:-1], self.H, -1) for m, X in ((self.W_q, X_q), (self.W_k, X_kv), (self.W_v, X_kv)))
        s = torch.einsum("...nhd,...mhd->...hnm", q, k) / (self.D / self.H) ** 0.5
        if mask is not None:
            blocked = torch.logical_not(mask)[..., None, :, :]
            s = s - 1e30 * blocked
            a = s.softmax(-1) * ~blocked
        else:
            a = s.softmax(-1)
        return self.W_o(torch.einsum("...hnm,...mhd->...nhd", a, v).reshape(X_q.shape)), a


@exercise.alternate
class fused_projection(_Layer):
    def forward(self, X_q, X_kv, mask=None):
        W = torch.cat([self.W_q.weight, self.W_k.weight, self.W_v.weight])
        b = torch.cat([self.W_q.bias, self.W_k.bias, self.W_v.bias])
        q = nn.functional.linear(X_q, W, b)[..., :self.D]
        k, v = nn.functional.linear(X_kv, W, b)[..., self.D:].chunk(2, -1)
        q, k, v = self.split(q), self.split(k), self.split(v)
        a = self.weights(self.scores(q, k), mask)
        return self.W_o(torch.cat((a @ v).unbind(-3), -1)), a


@exercise.alternate
class tokens_before_the_batch(_Layer):
    def forward(self, X_q, X_kv, mask=None):
        batch = X_q.shape[:-2]
        x, m = (X.reshape(-1, *X.shape[-2:]).transpose(0, 1).contiguous() for X in (X_q, X_kv))
        q, k, v = (f(z).view(z.shape[0], -1, self.D // self.H).transpose(0, 1) for f, z in ((self.W_q, x), (self.W_k, m), (self.W_v, m)))
        s = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.D // self.H)
        s = s.view(*batch, self.H, *s.shape[-2:])
        a = self.weights(s, mask)
        y = torch.bmm(a.reshape(-1, *a.shape[-2:]), v).transpose(0, 1).reshape(x.shape[0], x.shape[1], self.D)
        return self.W_o(y).transpose(0, 1).reshape(X_q.shape), a


@exercise.alternate
class with_numpy(_Layer):
    def forward(self, X_q, X_kv, mask=None):
        Q, K, V = (self.split(P).detach().numpy() for P in self.projected(X_q, X_kv))
        alpha = self.weights(torch.from_numpy(Q @ K.swapaxes(-1, -2) / math.sqrt(Q.shape[-1])), mask)
        return self.W_o(self.merge(torch.from_numpy(alpha.numpy() @ V))).detach(), alpha


@exercise.alternate
class in_single_precision(_Layer):
    def forward(self, X_q, X_kv, mask=None):
        def apply(linear, X):
            return X.float() @ linear.weight.float().T + linear.bias.float()
        Q, K, V = (self.split(apply(f, X)) for f, X in ((self.W_q, X_q), (self.W_k, X_kv), (self.W_v, X_kv)))
        alpha = self.weights(self.scores(Q, K), mask)
        return apply(self.W_o, self.merge(alpha @ V)), alpha


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


@_wrong(in_itself_it_agrees_with_torch, "heads reshaped without swapping the axes back: token 0 gets pieces of other tokens")
class merged_without_swapping(_Layer):
    def merge(self, heads):
        return heads.reshape(*heads.shape[:-3], heads.shape[-2], self.D)


@_wrong(in_itself_it_agrees_with_torch, "reshapes without any transposition: heads cut up the sentence, not the features")
class never_transposed(_Layer):
    def split(self, X):
        return X.reshape(*X.shape[:-2], self.H, X.shape[-2], -1)

    def merge(self, heads):
        return heads.reshape(*heads.shape[:-3], heads.shape[-2], self.D)


@_wrong(in_itself_it_agrees_with_torch, "features split by a bare reshape (no transposition), though the heads are merged correctly")
class split_without_swapping(_Layer):
    def split(self, X):
        return X.reshape(*X.shape[:-2], self.H, X.shape[-2], -1)


@_wrong(in_itself_it_agrees_with_torch, "batch and heads joined into one axis and taken apart in the wrong order")
class batch_and_heads_mixed(_Layer):
    def merge(self, heads):
        return torch.cat(heads.unbind(-3), 0).reshape(*heads.shape[:-3], heads.shape[-2], self.D)


@_wrong(in_itself_it_agrees_with_torch, "heads dealt out like cards: head h gets every H-th column (the head axis was the fast one)")
class head_axis_is_the_fast_one(_Layer):
    def split(self, X):
        return X.unflatten(-1, (-1, self.H)).movedim(-1, -3)

    def merge(self, heads):
        return heads.movedim(-3, -1).flatten(-2)


@_wrong(in_itself_it_agrees_with_torch, "heads shuffled like cards when they are merged: feature 0 of every head first")
class features_before_heads(_Layer):
    def merge(self, heads):
        return heads.movedim(-3, -1).flatten(-2)


@_wrong(in_itself_it_agrees_with_torch, "heads side by side in reverse order")
class heads_reversed(_Layer):
    def merge(self, heads):
        return heads.flip(-3).transpose(-3, -2).flatten(-2)


@_wrong(one_head_is_attention_between_linear_maps, "an output layer W_o that was never used")
class without_W_o(_Layer):
    def out(self, Y):
        return Y


@_wrong(one_head_is_attention_between_linear_maps, "scores that were never divided by sqrt(D/H)")
class without_the_scale(_Layer):
    def scores(self, Q, K):
        return Q @ K.mT


@_wrong(in_itself_it_agrees_with_torch, "scores divided by sqrt(D), where a head's keys have D/H numbers")
class scale_from_D(_Layer):
    def scores(self, Q, K):
        return Q @ K.mT / math.sqrt(self.D)


@_wrong(one_head_is_attention_between_linear_maps, "scores divided by D/H without the square root")
class scale_without_the_root(_Layer):
    def scores(self, Q, K):
        return Q @ K.mT / Q.shape[-1]


@_wrong(in_itself_it_agrees_with_torch, "scores divided by sqrt(H), the number of heads, in place of their width")
class scale_from_the_number_of_heads(_Layer):
    def scores(self, Q, K):
        return Q @ K.mT / math.sqrt(self.H)


@_wrong(one_head_is_attention_between_linear_maps, "values made with W_k")
class values_from_W_k(_Layer):
    def projected(self, X_q, X_kv):
        return self.W_q(X_q), self.W_k(X_kv), self.W_k(X_kv)


@_wrong(one_head_is_attention_between_linear_maps, "keys made with W_q")
class keys_from_W_q(_Layer):
    def projected(self, X_q, X_kv):
        return self.W_q(X_q), self.W_q(X_kv), self.W_v(X_kv)


@_wrong(one_head_is_attention_between_linear_maps, "W_q and W_k in each other's place")
class W_q_and_W_k_swapped(_Layer):
    def projected(self, X_q, X_kv):
        return self.W_k(X_q), self.W_q(X_kv), self.W_v(X_kv)


@_wrong(across_two_sentences_it_agrees_with_torch, "keys and values taken from X_q: the other sentence is never looked at")
class memory_ignored(_Layer):
    def projected(self, X_q, X_kv):
        return self.W_q(X_q), self.W_k(X_q), self.W_v(X_q)


@_wrong(across_two_sentences_it_agrees_with_torch, "values taken from X_q, though the keys are those of X_kv")
class values_from_the_queries(_Layer):
    def projected(self, X_q, X_kv):
        return self.W_q(X_q), self.W_k(X_kv), self.W_v(X_q)


@_wrong(across_two_sentences_it_agrees_with_torch, "keys taken from X_q, though the values are those of X_kv")
class keys_from_the_queries(_Layer):
    def projected(self, X_q, X_kv):
        return self.W_q(X_q), self.W_k(X_q), self.W_v(X_kv)


@_wrong(across_two_sentences_it_agrees_with_torch, "X_q and X_kv in each other's place: the wrong sentence asks")
class asked_the_wrong_way(_Layer):
    def projected(self, X_q, X_kv):
        return self.W_q(X_kv), self.W_k(X_q), self.W_v(X_q)


@_wrong(one_head_is_attention_between_linear_maps, "X @ weight in place of X @ weight.T: nn.Linear stores its matrix transposed")
class weights_not_transposed(_Layer):
    def projected(self, X_q, X_kv):
        return [X @ f.weight + f.bias for f, X in ((self.W_q, X_q), (self.W_k, X_kv), (self.W_v, X_kv))]

    def out(self, Y):
        return Y @ self.W_o.weight + self.W_o.bias


@_wrong(one_head_is_attention_between_linear_maps, "biases left out of all four maps")
class without_biases(_Layer):
    def projected(self, X_q, X_kv):
        return [X @ f.weight.T for f, X in ((self.W_q, X_q), (self.W_k, X_kv), (self.W_v, X_kv))]

    def out(self, Y):
        return Y @ self.W_o.weight.T


@_wrong(one_head_is_attention_between_linear_maps, "the queries added to the output: that is the residual connection of a whole layer")
class residual_inside(_Layer):
    def forward(self, X_q, X_kv, mask=None):
        Y, alpha = super().forward(X_q, X_kv, mask)
        return X_q + Y, alpha


@_wrong(each_head_shares_out_its_own_attention, "a softmax over the queries: columns of the weights sum to 1 in place of rows")
class softmax_over_the_queries(_Layer):
    def weights(self, scores, mask):
        return super().weights(scores.mT, None if mask is None else mask.expand(*scores.shape[:-3], *scores.shape[-2:]).mT).mT


@_wrong(each_head_shares_out_its_own_attention, "a softmax over the heads: for one pair of tokens the weights of all heads sum to 1")
class softmax_over_the_heads(_Layer):
    def weights(self, scores, mask):
        alpha = torch.softmax(scores, -3)
        return alpha if mask is None else alpha * mask.unsqueeze(-3)


@_wrong(in_itself_it_agrees_with_torch, "the attention weights of the first head used by all")
class weights_of_the_first_head(_Layer):
    def weights(self, scores, mask):
        return super().weights(scores[..., :1, :, :].expand(scores.shape), mask)


@_wrong(in_itself_it_agrees_with_torch, "one attention of full width for all heads")
class one_head_of_full_width(_Layer):
    def scores(self, Q, K):
        whole = self.merge(Q) @ self.merge(K).mT / math.sqrt(self.D)
        return whole.unsqueeze(-3).expand(*whole.shape[:-2], self.H, *whole.shape[-2:])


@_wrong(each_head_shares_out_its_own_attention, "weights that are averaged over the heads before they are returned (torch's own layer does so "
                                                "unless told otherwise)")
class weights_averaged(_Layer):
    def forward(self, X_q, X_kv, mask=None):
        Y, alpha = super().forward(X_q, X_kv, mask)
        return Y, alpha.mean(-3)


@_wrong(each_head_shares_out_its_own_attention, "scores returned where the weights are asked for")
class scores_returned(_Layer):
    def forward(self, X_q, X_kv, mask=None):
        Q, K, V = map(self.split, self.projected(X_q, X_kv))
        return super().forward(X_q, X_kv, mask)[0], self.scores(Q, K)


@_wrong(one_head_is_attention_between_linear_maps, "the output alone, without the weights")
class output_alone(_Layer):
    def forward(self, X_q, X_kv, mask=None):
        return super().forward(X_q, X_kv, mask)[0]


@_wrong(each_sentence_has_its_own_mask, "a mask whose batch axis lands on the axis of the heads")
class mask_lands_on_the_heads(_Layer):
    def weights(self, scores, mask):
        if mask is None:
            return super().weights(scores, None)
        scores = scores.masked_fill(mask == 0, -torch.inf)
        return torch.where(torch.isneginf(scores).all(-1, keepdim=True), 0.0, torch.softmax(scores, -1))


@_wrong(a_mask_holds_in_every_head, "a head axis put at place 1 of every mask, which is wrong for a mask of N_q x N_kv")
class head_axis_at_place_one(_Layer):
    def weights(self, scores, mask):
        if mask is None:
            return super().weights(scores, None)
        scores = scores.masked_fill(mask.unsqueeze(1) == 0, -torch.inf)
        return torch.where(torch.isneginf(scores).all(-1, keepdim=True), 0.0, torch.softmax(scores, -1))


@_wrong(a_mask_holds_in_every_head, "a mask that was taken and never used")
class mask_ignored(_Layer):
    def weights(self, scores, mask):
        return super().weights(scores, None)


@_wrong(a_mask_holds_in_every_head,
        "a mask read the other way round: True taken for forbidden "
        "(legitimate elsewhere, as in nn.MultiheadAttention; here True means that attending is allowed)")
class mask_inverted(_Layer):
    def weights(self, scores, mask):
        return super().weights(scores, None if mask is None else ~mask)


@_wrong(a_mask_holds_in_every_head, "a mask that holds in the first head only")
class mask_in_the_first_head(_Layer):
    def weights(self, scores, mask):
        alpha = super().weights(scores, mask)
        return torch.cat([alpha[..., :1, :, :], super().weights(scores, None)[..., 1:, :, :]], -3)


@_wrong(a_mask_holds_in_every_head, "a mask transposed before use")
class mask_transposed(_Layer):
    def weights(self, scores, mask):
        square = mask is not None and mask.shape[-1] == mask.shape[-2]
        return super().weights(scores, mask.mT if square else mask)


@_wrong(a_mask_holds_in_every_head, "a mask that blanks whole queries (rows) in place of keys (columns)")
class mask_on_the_queries(_Layer):
    def weights(self, scores, mask):
        return super().weights(scores, None if mask is None else mask[..., :1])


@_wrong(a_mask_holds_in_every_head, "a mask applied after the softmax, without normalising again")
class mask_after_the_softmax(_Layer):
    def weights(self, scores, mask):
        alpha = super().weights(scores, None)
        return alpha if mask is None else alpha * mask.unsqueeze(-3)


@_wrong(a_mask_holds_in_every_head, "forbidden scores set to 0: a score of 0 still gets weight")
class mask_times_scores(_Layer):
    def weights(self, scores, mask):
        return super().weights(scores if mask is None else scores * mask.unsqueeze(-3), None)


@_wrong(a_mask_holds_in_every_head, "a boolean mask added to the scores, which only nudges them by 1")
class mask_added(_Layer):
    def weights(self, scores, mask):
        return super().weights(scores if mask is None else scores + mask.unsqueeze(-3).to(scores.dtype), None)


@_wrong(a_mask_holds_in_every_head, "a fill value that is too small (-10): the masked keys leak")
class mask_leaks(_Layer):
    def weights(self, scores, mask):
        return super().weights(scores if mask is None else scores.masked_fill(mask.unsqueeze(-3) == 0, -10.0), None)


@_wrong(a_mask_holds_in_every_head, "weights that are masked and an output that is not")
class output_not_masked(_Layer):
    def forward(self, X_q, X_kv, mask=None):
        return super().forward(X_q, X_kv)[0], super().forward(X_q, X_kv, mask)[1]


@_wrong(each_sentence_has_its_own_mask, "the first sentence's mask used for all")
class mask_of_the_first(_Layer):
    def weights(self, scores, mask):
        return super().weights(scores, mask if mask is None or mask.dim() < 3 else mask[(0,) * (mask.dim() - 2)])


@_wrong(each_sentence_has_its_own_mask, "a key hidden in all sentences as soon as one of them hides it")
class hidden_for_all(_Layer):
    def weights(self, scores, mask):
        return super().weights(scores, mask if mask is None or mask.dim() < 3 else mask.flatten(0, -3).all(0))


@_wrong(a_query_that_sees_nothing_gets_the_bias, "an even spread over forbidden tokens for a query that sees nothing (a large negative number in "
                                                 "place of -inf)")
class mean_for_an_empty_row(_Layer):
    def weights(self, scores, mask):
        return super().weights(scores if mask is None else scores.masked_fill(mask.unsqueeze(-3) == 0, -1e9), None)


@_wrong(a_query_that_sees_nothing_gets_the_bias, "NaN for a query that sees nothing")
class nan_for_an_empty_row(_Layer):
    def weights(self, scores, mask):
        return torch.softmax(scores if mask is None else scores.masked_fill(mask.unsqueeze(-3) == 0, -torch.inf), -1)


@_wrong(a_query_that_sees_nothing_gets_the_bias, "an output of 0 for a query that sees nothing, though W_o adds its bias")
class zero_for_an_empty_row(_Layer):
    def forward(self, X_q, X_kv, mask=None):
        Y, alpha = super().forward(X_q, X_kv, mask)
        return (Y, alpha) if mask is None else (Y * mask.any(-1, keepdim=True), alpha)


@_wrong(any_leading_dimensions_will_do, "a forward written for exactly three dimensions")
class three_dimensions_only(_Layer):
    def forward(self, X_q, X_kv, mask=None):
        B, N, D = X_q.shape
        return super().forward(X_q, X_kv, mask)


@_wrong(any_leading_dimensions_will_do, "axes counted from the front, which is right only with one batch dimension")
class axes_from_the_front(_Layer):
    def split(self, X):
        return X.unflatten(-1, (self.H, -1)).transpose(1, 2)

    def merge(self, heads):
        return heads.transpose(1, 2).flatten(-2)


@_wrong(in_itself_it_agrees_with_torch, "the first sentence of the batch taken for all keys and values")
class keys_of_the_first_sentence(_Layer):
    def projected(self, X_q, X_kv):
        first = X_kv[(0,) * (X_kv.dim() - 2)].expand(X_kv.shape)
        return self.W_q(X_q), self.W_k(first), self.W_v(first)


@_wrong(in_itself_it_agrees_with_torch, "a causal mask that nobody asked for, when the tokens attend to themselves")
class causal_by_default(_Layer):
    def forward(self, X_q, X_kv, mask=None):
        if mask is None and X_q is X_kv:
            mask = torch.ones(X_q.shape[-2], X_q.shape[-2], dtype=torch.bool).tril()
        return super().forward(X_q, X_kv, mask)


@_wrong(the_inputs_stay_as_they_were, "an answer that opens empty rows in the caller's own mask (|=)")
class opens_empty_rows_in_place(_Layer):
    def forward(self, X_q, X_kv, mask=None):
        if mask is not None:
            given_, closed = mask.clone(), ~mask.any(-1, keepdim=True)
            mask |= closed
            mask = given_
        return super().forward(X_q, X_kv, mask)


@_wrong(it_has_no_memory, "a layer that keeps the first mask of each shape")
class keeps_a_mask_by_its_shape(_Layer):
    def forward(self, X_q, X_kv, mask=None):
        if mask is not None:
            mask = self.__dict__.setdefault("masks", {}).setdefault(mask.shape, mask)
        return super().forward(X_q, X_kv, mask)


@_wrong(the_inputs_stay_as_they_were, "a mask that is turned round in place")
class mask_turned_in_place(_Layer):
    def forward(self, X_q, X_kv, mask=None):
        if mask is not None:
            mask.logical_not_()
        return super().forward(X_q, X_kv, None if mask is None else ~mask)


@_wrong(the_inputs_stay_as_they_were, "an answer that scales X_q in place")
class scales_in_place(_Layer):
    def scores(self, Q, K):
        return Q @ K.mT

    def projected(self, X_q, X_kv):
        X_kv = X_kv.clone()
        X_q /= math.sqrt(self.D // self.H)
        return self.W_q(X_q) - self.W_q.bias * (1 - 1 / math.sqrt(self.D // self.H)), self.W_k(X_kv), self.W_v(X_kv)


@_wrong(it_has_no_memory, "a layer that keeps the mask of its first call")
class keeps_its_mask(_Layer):
    def forward(self, X_q, X_kv, mask=None):
        if getattr(self, "kept", None) is None or self.kept.shape[-1] != X_kv.shape[-2]:
            self.kept = mask
        return super().forward(X_q, X_kv, self.kept)


@_wrong(it_has_no_memory, "a layer that keeps keys and values of earlier calls")
class keeps_its_keys(_Layer):
    def projected(self, X_q, X_kv):
        Q, K, V = super().projected(X_q, X_kv)
        if getattr(self, "kept", None) is None:
            self.kept = K, V
        return Q, *self.kept


@_wrong(the_gradient_is_right, "weights through which no gradient flows")
class weights_detached(_Layer):
    def weights(self, scores, mask):
        return super().weights(scores, mask).detach()


@_wrong(the_gradient_is_right, "parameters used through .data, so that they are never trained")
class parameters_through_data(_Layer):
    def projected(self, X_q, X_kv):
        return [nn.functional.linear(X, f.weight.data, f.bias.data) for f, X in ((self.W_q, X_q), (self.W_k, X_kv), (self.W_v, X_kv))]


@_wrong(agrees_with_the_reference, "attention weights computed in half precision")
class weights_in_half(_Layer):
    def weights(self, scores, mask):
        return super().weights(scores, mask).half().to(scores.dtype)


@_wrong(it_has_no_memory, "a layer that keeps its last mask and uses it in a call without one")
class keeps_the_last_mask(_Layer):
    def forward(self, X_q, X_kv, mask=None):
        self.kept = getattr(self, "kept", None) if mask is None else mask
        return super().forward(X_q, X_kv, self.kept)


@_wrong(it_has_no_memory, "another output in train mode than in eval mode (a dropout of weights, which nobody asked for)")
class dropout_in_training(_Layer):
    def weights(self, scores, mask):
        alpha = super().weights(scores, mask)
        return 2 * alpha * (torch.arange(alpha.shape[-1]) % 2) if self.training else alpha  # what a dropout does, but always the same


@_wrong(a_query_that_sees_nothing_gets_the_bias, "a guard against empty rows along an axis counted from the front, "
                                                 "which misses masks of N_q x N_kv")
class empty_rows_from_the_front(_Layer):
    def weights(self, scores, mask):
        if mask is None:
            return super().weights(scores, None)
        allowed = mask.unsqueeze(-3)
        alpha = torch.softmax(scores.masked_fill(~allowed, -torch.inf), -1)
        return alpha.masked_fill(~allowed.any(1, keepdim=True), 0.0)
