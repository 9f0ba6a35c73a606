"""Staff half of the exercise `gradient_saliency`: reference, alternates, misconceptions, hidden checks."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercises.vision.gradient_saliency import (a_curved_model_is_differentiated_at_the_tokens,
                                                           a_linear_model_has_the_same_saliency_everywhere,
                                                           a_linear_model_is_read_off_its_weights, an_output_without_gradient_gets_zeros,
                                                           curved, every_output_for_itself, exercise, linear, rows_sum_to_one,
                                                           the_tokens_stay_as_they_were)
from autograder.student import Given


@exercise.solution
def gradient_saliency(model, X):
    """How strongly each output of a model answers to each token.

    model: maps a tensor N x D to K outputs (a tensor of K numbers), differentiable in every entry of X.
    X: float64 tensor N x D, at which to differentiate.
    Returns a tensor K x N: row k holds the Euclidean length of d output_k / d x_n for each token n, divided by the sum of these
    lengths over the tokens; where all of them are 0, the row is 0.
    """
    X = X.detach().clone().requires_grad_()
    outputs = model(X)
    gradients = torch.stack([torch.autograd.grad(output, X, retain_graph=True)[0] for output in outputs])
    lengths = gradients.norm(dim=-1)
    total = lengths.sum(dim=-1, keepdim=True)
    return lengths / torch.where(total == 0, 1.0, total)


exercise.equivalent('X = X.detach().clone().requires_grad_() -> X = X.detach().requires_grad_()',
                    because="a detached view is a leaf of its own, and nothing is written into it")
exercise.equivalent('X = X.detach().clone().requires_grad_() -> X = X.clone().requires_grad_()',
                    because="X comes without a graph, so there is nothing to detach it from")
exercise.equivalent('gradients = torch.stack([torch.autograd.grad(output, X, retain_graph=True)[0] for output in outputs]) -> '
                    'gradients = torch.stack([torch.autograd.grad(output, X, retain_graph=True)[-1] for output in outputs])',
                    because="there is one gradient, as there is one input")
exercise.equivalent('total = lengths.sum(dim=-1, keepdim=True) -> total = lengths.sum(dim=1, keepdim=True)',
                    because="the axis 1 of K x N is its last one")
exercise.equivalent('return lengths / torch.where(total == 0, 1.0, total) -> return lengths / torch.where(total == 0, 2.0, total)',
                    because="0 over any number is 0")
exercise.equivalent('return lengths / torch.where(total == 0, 1.0, total) -> return lengths / torch.where(total == 0, 0.5, total)',
                    because="0 over any number is 0")


@exercise.hidden_check(points=1.5, hint="Compare with finite differences: move one entry of X by 1e-5 to either side and watch all K outputs. Then try "
                                        "a single token, a single feature, a single output.",
                       kept="single tokens, features and outputs as well, on curved models seeded from the course's secret")
@given(curved())
def agrees_with_the_reference(student, case):
    """Agrees with the reference on curved models, with one and with several outputs, tokens and features."""
    V, U, X = case
    model = Given("CurvedReadout", V, U)
    assert_close(student(model, X), gradient_saliency(model, X), what="the saliency")


_sparse = st.tuples(linear(low=1), st.integers(0, 2**12)).map(
    lambda drawn: (drawn[0][0] * torch.randint(0, 2, drawn[0][0].shape[:2], generator=torch.Generator().manual_seed(drawn[1]))[..., None],
                   drawn[0][1]))  # linear models in which half of the pairs of output and token are unconnected


@exercise.hidden_check(points=0.5, examples=15, hint="Try LinearReadout with several rows of zeros in W: some tokens, or a whole output. Then "
                                                     "with 1e-7 * W: what is small is not 0.",
                       kept="several dead outputs at once, and outputs that hang on a single token, on weights seeded from the course's "
                            "secret")
@given(_sparse)
def agrees_where_outputs_ignore_tokens(student, case):
    """Agrees with the reference where outputs ignore some tokens, or all of them; gradients that are merely small do not count as 0."""
    W, X = case
    model = Given("LinearReadout", W)
    saliency = gradient_saliency(model, X)
    assert_close(student(model, X), saliency, what="the saliency")
    total = W.norm(dim=-1).sum(-1)[:, None, None]
    faint = student(Given("LinearReadout", 5e-7 * W / torch.where(total == 0, 1.0, total)), X)
    assert_true(((faint - saliency).abs() < 0.1).all(), "an output all of whose gradients are small is treated as if it had none", what="the saliency")


@exercise.alternate
def with_a_jacobian(model, X):
    lengths = torch.autograd.functional.jacobian(model, X).norm(dim=-1)
    total = lengths.sum(1, keepdim=True)
    return torch.where(total > 0, lengths / total.clamp(min=1e-300), torch.zeros_like(lengths))


@exercise.alternate
def with_jacrev(model, X):
    gradients = torch.func.jacrev(model)(X)
    size = torch.sqrt((gradients ** 2).sum(-1))
    return torch.nan_to_num(size / size.sum(-1, keepdim=True)).detach()


@exercise.alternate
def with_backward_in_a_loop(model, X):
    K, rows = len(model(X)), []
    for k in range(K):
        x = X.clone().requires_grad_(True)
        model(x)[k].backward()
        row = torch.linalg.vector_norm(x.grad, dim=1)
        rows.append(row / row.sum() if row.sum() > 0 else row)
    return torch.stack(rows)


@exercise.alternate
def grad_set_to_none_each_time(model, X):
    leaf = nn.Parameter(X.clone())
    outputs = model(leaf)
    saliency = torch.zeros(len(outputs), len(X))
    for k in range(len(outputs)):
        leaf.grad = None
        outputs[k].backward(retain_graph=True)
        saliency[k] = leaf.grad.pow(2).sum(1).sqrt().float()
    return saliency / (saliency.sum(1, keepdim=True) + 1e-12)


@exercise.alternate
def batched_gradients(model, X):
    leaf = X.detach().clone().requires_grad_()
    outputs = model(leaf)
    eye = torch.eye(len(outputs), dtype=outputs.dtype)
    G, = torch.autograd.grad(outputs, leaf, eye, is_grads_batched=True)
    return F.normalize(G.norm(dim=-1), p=1, dim=-1)


@exercise.alternate
def with_finite_differences(model, X):
    h = 1e-5
    with torch.no_grad():
        columns = []
        for n in range(X.shape[0]):
            step = torch.zeros(X.shape[1], *X.shape, dtype=X.dtype)
            step[range(X.shape[1]), n, range(X.shape[1])] = h
            columns.append(torch.stack([(model(X + s) - model(X - s)) / (2 * h) for s in step]).norm(dim=0))
    lengths = torch.stack(columns, 1)
    total = lengths.sum(1, keepdim=True)
    return lengths / (total + (total == 0))


def _gradients(function, X):
    return torch.autograd.functional.jacobian(function, X)


def _shares(lengths, dim=-1):
    total = lengths.sum(dim, keepdim=True)
    return lengths / torch.where(total == 0, 1.0, total)


@exercise.alternate
def in_one_line(model, X):
    return _shares(_gradients(model, X).norm(dim=-1))


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


@_wrong(a_linear_model_is_read_off_its_weights, "the signed sum of each gradient's entries instead of its length")
def signed_sum(model, X):
    return _shares(_gradients(model, X).sum(-1))


@_wrong(a_linear_model_is_read_off_its_weights, "the largest entry of each gradient, with its sign")
def largest_entry(model, X):
    return _shares(_gradients(model, X).amax(-1))


@_wrong(a_linear_model_is_read_off_its_weights, "the largest absolute entry of each gradient instead of its Euclidean length")
def largest_absolute_entry(model, X):
    return _shares(_gradients(model, X).abs().amax(-1))


@_wrong(a_linear_model_is_read_off_its_weights, "the sum of absolute entries instead of the Euclidean length")
def sum_of_absolute_entries(model, X):
    return _shares(_gradients(model, X).abs().sum(-1))


@_wrong(a_linear_model_is_read_off_its_weights, "squared lengths: the root was forgotten")
def squared_lengths(model, X):
    return _shares(_gradients(model, X).square().sum(-1))


@_wrong(a_linear_model_has_the_same_saliency_everywhere, "the length of gradient times input instead of the plain gradient's")
def gradient_times_input(model, X):
    return _shares((_gradients(model, X) * X).norm(dim=-1))


@_wrong(a_linear_model_has_the_same_saliency_everywhere, "the absolute value of gradient times input, summed over the features")
def gradient_dot_input(model, X):
    return _shares((_gradients(model, X) * X).sum(-1).abs())


@_wrong(a_linear_model_has_the_same_saliency_everywhere, "gradients of probabilities or of a cross-entropy loss: a softmax was put over the outputs first")
def of_the_probabilities(model, X):
    """The loss of class k, -log p_k, gives the same: its gradient is p_k's over p_k, and that factor goes with the sum."""
    return _shares(_gradients(lambda x: torch.softmax(model(x), -1), X).norm(dim=-1))


@_wrong(rows_sum_to_one, "columns that sum to 1: normalised over the outputs")
def columns_normalised(model, X):
    return _shares(_gradients(model, X).norm(dim=-1), 0)


@_wrong(rows_sum_to_one, "one sum for the whole matrix")
def normalised_together(model, X):
    lengths = _gradients(model, X).norm(dim=-1)
    return lengths / lengths.sum() if lengths.sum() > 0 else lengths


@_wrong(rows_sum_to_one, "lengths that were never divided by their sum")
def not_normalised(model, X):
    return _gradients(model, X).norm(dim=-1)


@_wrong(rows_sum_to_one, "rows divided by their largest entry instead of their sum")
def divided_by_the_largest(model, X):
    lengths = _gradients(model, X).norm(dim=-1)
    most = lengths.amax(-1, keepdim=True)
    return lengths / torch.where(most == 0, 1.0, most)


@_wrong(rows_sum_to_one, "rows divided by their Euclidean length instead of their sum")
def divided_by_the_length(model, X):
    return F.normalize(_gradients(model, X).norm(dim=-1), dim=-1)


@_wrong(rows_sum_to_one, "a softmax of the lengths instead of a division by their sum")
def softmax_of_lengths(model, X):
    return torch.softmax(_gradients(model, X).norm(dim=-1), -1)


@_wrong(a_linear_model_is_read_off_its_weights, "the lengths of the tokens themselves instead of those of the gradients")
def lengths_of_the_tokens(model, X):
    return _shares(X.norm(dim=-1)).expand(len(model(X)), -1).contiguous()


@_wrong(every_output_for_itself, "gradients that pile up from one output to the next (they were not reset)")
def piling_up(model, X):
    return _shares(_gradients(model, X).cumsum(0).norm(dim=-1))


@_wrong(every_output_for_itself, "the gradient of the sum of all outputs in every row")
def of_the_sum_of_outputs(model, X):
    total = _gradients(lambda x: model(x).sum(), X)
    return _shares(total.norm(dim=-1)).expand(len(model(X)), -1).contiguous()


@_wrong(every_output_for_itself, "the gradient of the largest output in every row")
def of_the_largest_output(model, X):
    gradients = _gradients(model, X)
    return _shares(gradients[model(X).argmax()].norm(dim=-1)).expand(len(gradients), -1).contiguous()


@_wrong(every_output_for_itself, "the gradient of output 0 in every row")
def of_the_first_output(model, X):
    gradients = _gradients(model, X)
    return _shares(gradients[0].norm(dim=-1)).expand(len(gradients), -1).contiguous()


@_wrong(an_output_without_gradient_gets_zeros, "0 / 0 where an output has no gradient")
def nan_where_all_are_zero(model, X):
    lengths = _gradients(model, X).norm(dim=-1)
    return lengths / lengths.sum(-1, keepdim=True)


@_wrong(an_output_without_gradient_gets_zeros, "equal shares where an output has no gradient")
def equal_where_all_are_zero(model, X):
    lengths = _gradients(model, X).norm(dim=-1)
    total = lengths.sum(-1, keepdim=True)
    return torch.where(total == 0, 1 / X.shape[0], lengths / total)


@_wrong(rows_sum_to_one, "a thousandth added to each sum against a division by 0, which changes every row")
def with_a_large_epsilon(model, X):
    lengths = _gradients(model, X).norm(dim=-1)
    return lengths / (lengths.sum(-1, keepdim=True) + 1e-3)


@_wrong(a_curved_model_is_differentiated_at_the_tokens, "gradients taken at zero instead of at X")
def at_zero(model, X):
    return _shares(_gradients(model, torch.zeros_like(X)).norm(dim=-1))


@_wrong(a_curved_model_is_differentiated_at_the_tokens, "gradients averaged along the way from zero to X (integrated gradients)")
def integrated(model, X):
    return _shares(torch.stack([_gradients(model, X * t / 5) for t in range(1, 6)]).mean(0).norm(dim=-1))


@_wrong(a_curved_model_is_differentiated_at_the_tokens, "a forward difference with a coarse step instead of a gradient")
def coarse_difference(model, X):
    h, lengths = 1e-2, []
    for n in range(X.shape[0]):
        steps = torch.zeros(X.shape[1], *X.shape, dtype=X.dtype)
        steps[range(X.shape[1]), n, range(X.shape[1])] = h
        lengths.append(torch.stack([(model(X + s) - model(X)) / h for s in steps]).norm(dim=0))
    return _shares(torch.stack(lengths, 1)).detach()


@_wrong(a_linear_model_is_read_off_its_weights, "a saliency of features: the lengths were taken over the tokens")
def over_the_tokens(model, X):
    return _shares(_gradients(model, X).norm(dim=-2))


@_wrong(a_linear_model_is_read_off_its_weights, "an N x K result: rows and columns exchanged")
def tokens_by_outputs(model, X):
    return _shares(_gradients(model, X).norm(dim=-1)).mT.contiguous()


@_wrong(a_linear_model_is_read_off_its_weights, "the largest output's row only")
def one_row_only(model, X):
    return _shares(_gradients(model, X).norm(dim=-1))[model(X).argmax()]


@_wrong(every_output_for_itself, "one backward pass only: the second raises, because the first freed the graph")
def graph_freed(model, X):
    X = X.clone().requires_grad_()
    outputs = model(X)
    return _shares(torch.stack([torch.autograd.grad(output, X)[0] for output in outputs]).norm(dim=-1))


@_wrong(agrees_where_outputs_ignore_tokens, "a row of zeros where the sum is small, though not 0 (below 1e-6)")
def small_taken_for_zero(model, X):
    lengths = _gradients(model, X).norm(dim=-1)
    total = lengths.sum(-1, keepdim=True)
    return torch.where(total > 1e-6, lengths / total, 0.0)


@_wrong(the_tokens_stay_as_they_were, "a function that differentiates at the caller's own X, which is left requiring a gradient")
def at_the_callers_own_tokens(model, X):
    outputs = model(X.requires_grad_())
    return _shares(torch.stack([torch.autograd.grad(output, X, retain_graph=True)[0] for output in outputs]).norm(dim=-1))


@_wrong(the_tokens_stay_as_they_were, "a function that switches off the gradients of the model's parameters for good")
def freezes_the_model(model, X):
    model.requires_grad_(False)
    return _shares(_gradients(model, X).norm(dim=-1))


@_wrong(the_tokens_stay_as_they_were, "a function that overwrites X")
def in_place(model, X):
    saliency = _shares(_gradients(model, X).norm(dim=-1))
    X.sub_(0.1 * X.sign() + 0.1)
    return saliency
