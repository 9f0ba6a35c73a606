"""Staff half of the exercise `gelu`: reference, alternates, misconceptions, hidden checks."""

import math

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close
from autograder.exercises.layernorm.gelu import (drawn_numbers, each_entry_stands_alone, exercise, far_from_zero_it_opens_and_shuts,
                                                 the_gates_of_x_and_minus_x_sum_to_one, the_input_stays_as_it_was,
                                                 with_tanh_it_is_the_other_form, without_approximate_it_is_the_exact_form)
from autograder.strategies import fillers

forms = st.sampled_from(["none", "tanh"])


@exercise.solution
def gelu(X, approximate="none"):
    """GELU of each entry of X.

    X: float64 tensor of any shape, entries between -100 and 100.
    approximate: "none" for the exact form with erf, "tanh" for the form with tanh.
    Returns a tensor of the shape of X. X itself is not changed.
    """
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (X + 0.044715 * X ** 3)
        return 0.5 * X * (1 + torch.tanh(inner))
    return 0.5 * X * (1 + torch.erf(X / math.sqrt(2)))


@exercise.hidden_check(points=1.5, hint="Compare both forms with the formula at -3, -0.75, 0, 1 and 2.",
                       kept="both forms in one check, `approximate` by position: the public ones pay for each form apart and pass it "
                            "by name")
@given(drawn_numbers, forms)
def agrees_with_the_reference(student, X, approximate):
    """Agrees with the reference in both forms on tensors of one to four dimensions."""
    assert_close(student(X, approximate), gelu(X, approximate), what="gelu(X)")


@exercise.hidden_check(points=0.5, examples=8, hint="Does something inside cut or bend the gradient (detach, no_grad, .data, "
                                                    "item, rounding)?")
@given(drawn_numbers, forms, fillers(("normal",)))
def the_gradient_is_right(student, X, approximate, filler):
    """Where a gradient flows through the result, it is the gradient of GELU, in both forms."""
    cotangent, = filler(tuple(X.shape))
    assert_close(student(X, approximate), gelu(X, approximate), what="gelu(X)")
    got = student.vjp((cotangent,), X, approximate)
    if got is not None:
        assert_close(got[0], gelu.vjp((cotangent,), X, approximate)[0], what="the gradient with respect to X")


@exercise.alternate
def with_the_complement(X, approximate="none"):
    if approximate != "none":
        return X * torch.sigmoid(2 * math.sqrt(2 / math.pi) * X * (1 + 0.044715 * X * X))
    return X / 2 * torch.erfc(-X / math.sqrt(2))


@exercise.alternate
def with_a_normal_distribution(X, approximate="none"):
    if approximate == "none":
        return X * torch.distributions.Normal(0, 1).cdf(X)
    return torch.nn.functional.gelu(X, approximate=approximate)


@exercise.alternate
def number_by_number(X, approximate="none"):
    def one(x):
        if approximate == "tanh":
            return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))
        return x * 0.5 * (1 + math.erf(x / 2 ** 0.5))
    return torch.tensor([one(x) for x in X.reshape(-1).tolist()], dtype=X.dtype).reshape(X.shape)


@exercise.alternate
def in_single_precision(X, approximate="none"):
    X = X.float()
    if approximate == "tanh":
        return 0.5 * X * (1 + torch.tanh(0.7978845608 * (X + 0.044715 * torch.pow(X, 3))))
    return 0.5 * X * (1 + torch.erf(X / torch.sqrt(torch.tensor(2.0))))


def _exact(X):
    return 0.5 * X * (1 + torch.erf(X / math.sqrt(2)))


def _tanh(X, constant=0.044715, scale=math.sqrt(2 / math.pi), power=3):
    return 0.5 * X * (1 + torch.tanh(scale * (X + constant * X ** power)))


@exercise.alternate
def in_two_forms(X, approximate="none"):
    return _tanh(X) if approximate == "tanh" else _exact(X)


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


@_wrong(the_gates_of_x_and_minus_x_sum_to_one, "a ReLU, with its sharp corner at 0 and no dip below it")
def relu(X, approximate="none"):
    return torch.relu(X)


@_wrong(without_approximate_it_is_the_exact_form,
        "the tanh form whatever `approximate` says "
        "(legitimate elsewhere, as in GPT-2; here it is exact where \"none\" is passed, a text that counts as true)")
def always_tanh(X, approximate="none"):
    return _tanh(X)


@_wrong(with_tanh_it_is_the_other_form, "the exact form whatever `approximate` says")
def never_tanh(X, approximate="none"):
    return _exact(X)


@_wrong(without_approximate_it_is_the_exact_form, "the two forms swapped")
def forms_swapped(X, approximate="none"):
    return _exact(X) if approximate == "tanh" else _tanh(X)


@_wrong(with_tanh_it_is_the_other_form, "0.44715 in place of 0.044715 in the tanh form")
def a_zero_lost(X, approximate="none"):
    return _tanh(X, 0.44715) if approximate == "tanh" else _exact(X)


@_wrong(with_tanh_it_is_the_other_form, "a square in place of the cube in the tanh form")
def square_for_cube(X, approximate="none"):
    return _tanh(X, power=2) if approximate == "tanh" else _exact(X)


@_wrong(with_tanh_it_is_the_other_form, "a cubic term that lost its sign in the tanh form")
def cubic_term_without_sign(X, approximate="none"):
    return 0.5 * X * (1 + torch.tanh(math.sqrt(2 / math.pi) * (X + 0.044715 * X.abs() ** 3))) if approximate == "tanh" else _exact(X)


@_wrong(with_tanh_it_is_the_other_form, "a tanh form without its cubic term")
def no_cubic_term(X, approximate="none"):
    return _tanh(X, 0.0) if approximate == "tanh" else _exact(X)


@_wrong(with_tanh_it_is_the_other_form, "sqrt(2 / pi) left out of the tanh form")
def no_root_of_two_over_pi(X, approximate="none"):
    return _tanh(X, scale=1.0) if approximate == "tanh" else _exact(X)


@_wrong(with_tanh_it_is_the_other_form, "2 / pi in the tanh form without the root")
def two_over_pi(X, approximate="none"):
    return _tanh(X, scale=2 / math.pi) if approximate == "tanh" else _exact(X)


@_wrong(with_tanh_it_is_the_other_form, "sqrt(pi / 2) in place of sqrt(2 / pi) in the tanh form")
def pi_over_two(X, approximate="none"):
    return _tanh(X, scale=math.sqrt(math.pi / 2)) if approximate == "tanh" else _exact(X)


@_wrong(with_tanh_it_is_the_other_form, "sqrt(2) / pi in place of sqrt(2 / pi) in the tanh form")
def root_of_two_over_pi_misread(X, approximate="none"):
    return _tanh(X, scale=math.sqrt(2) / math.pi) if approximate == "tanh" else _exact(X)


@_wrong(with_tanh_it_is_the_other_form, "a constant rounded to 0.8 in place of sqrt(2 / pi) in the tanh form")
def rounded_constant(X, approximate="none"):
    return _tanh(X, scale=0.8) if approximate == "tanh" else _exact(X)


@_wrong(with_tanh_it_is_the_other_form, "sqrt(2 / pi) applied to x alone in the tanh form, not to the cubic term")
def bracket_misplaced(X, approximate="none"):
    return 0.5 * X * (1 + torch.tanh(math.sqrt(2 / math.pi) * X + 0.044715 * X ** 3)) if approximate == "tanh" else _exact(X)


@_wrong(far_from_zero_it_opens_and_shuts, "a tanh made of exponentials that overflow")
def overflowing_tanh(X, approximate="none"):
    if approximate != "tanh":
        return _exact(X)
    inner = math.sqrt(2 / math.pi) * (X + 0.044715 * X ** 3)
    return 0.5 * X * (1 + (inner.exp() - (-inner).exp()) / (inner.exp() + (-inner).exp()))


@_wrong(without_approximate_it_is_the_exact_form, "x sigmoid(1.702 x), a rougher approximation")
def sigmoid_form(X, approximate="none"):
    return X * torch.sigmoid(1.702 * X)


@_wrong(without_approximate_it_is_the_exact_form, "SiLU, x sigmoid(x)")
def silu(X, approximate="none"):
    return X * torch.sigmoid(X)


@_wrong(the_gates_of_x_and_minus_x_sum_to_one, "the probability alone, without the factor x")
def factor_missing(X, approximate="none"):
    return ((_tanh(X) if approximate == "tanh" else _exact(X)) / X).nan_to_num(0.5)


@_wrong(without_approximate_it_is_the_exact_form, "erf(x) in place of erf(x / sqrt(2))")
def root_of_two_missing(X, approximate="none"):
    return _tanh(X) if approximate == "tanh" else 0.5 * X * (1 + torch.erf(X))


@_wrong(without_approximate_it_is_the_exact_form, "erf(sqrt(2) x) in place of erf(x / sqrt(2))")
def root_of_two_multiplied(X, approximate="none"):
    return _tanh(X) if approximate == "tanh" else 0.5 * X * (1 + torch.erf(X * math.sqrt(2)))


@_wrong(without_approximate_it_is_the_exact_form, "erf(x / 2) in place of erf(x / sqrt(2))")
def two_for_its_root(X, approximate="none"):
    return _tanh(X) if approximate == "tanh" else 0.5 * X * (1 + torch.erf(X / 2))


@_wrong(the_gates_of_x_and_minus_x_sum_to_one, "the half left out: twice GELU")
def half_missing(X, approximate="none"):
    return 2 * (_tanh(X) if approximate == "tanh" else _exact(X))


@_wrong(the_gates_of_x_and_minus_x_sum_to_one, "the 1 left out: x erf(x / sqrt(2)) / 2")
def one_missing(X, approximate="none"):
    return (_tanh(X) if approximate == "tanh" else _exact(X)) - X / 2


@_wrong(the_gates_of_x_and_minus_x_sum_to_one, "the probability of lying above x in place of below it")
def other_tail(X, approximate="none"):
    return X - (_tanh(X) if approximate == "tanh" else _exact(X))


@_wrong(the_gates_of_x_and_minus_x_sum_to_one, "the density of the normal distribution in place of the probability below x")
def density(X, approximate="none"):
    return X * torch.exp(-X * X / 2) / math.sqrt(2 * math.pi)


@_wrong(the_gates_of_x_and_minus_x_sum_to_one, "the derivative of GELU")
def derivative(X, approximate="none"):
    return 0.5 * (1 + torch.erf(X / math.sqrt(2))) + X * torch.exp(-X * X / 2) / math.sqrt(2 * math.pi)


@_wrong(the_gates_of_x_and_minus_x_sum_to_one, "softplus, ln(1 + e^x)")
def softplus(X, approximate="none"):
    return torch.nn.functional.softplus(X)


@_wrong(the_gates_of_x_and_minus_x_sum_to_one, "ELU, with e^x - 1 for negative numbers")
def elu(X, approximate="none"):
    return torch.nn.functional.elu(X)


@_wrong(the_gates_of_x_and_minus_x_sum_to_one, "GELU cut off at 0: negative results are lost")
def cut_off_at_zero(X, approximate="none"):
    return (_tanh(X) if approximate == "tanh" else _exact(X)).clamp(min=0)


@_wrong(each_entry_stands_alone, "numbers standardised by the mean and the variance of the tensor before the gate")
def gate_on_standardised_numbers(X, approximate="none"):
    centred = (X - X.mean()) / (X.var(correction=0) + 1e-5).sqrt()
    return 0.5 * X * (1 + torch.erf(centred / math.sqrt(2)))


@_wrong(the_input_stays_as_it_was, "a GELU that scales X in place")
def scales_in_place(X, approximate="none"):
    Y = _tanh(X) if approximate == "tanh" else _exact(X)
    X *= 0.5
    return Y


@_wrong(the_gradient_is_right, "a gate through which no gradient flows")
def gate_detached(X, approximate="none"):
    Y = _tanh(X) if approximate == "tanh" else _exact(X)
    gate = torch.where(X == 0, 0.5, Y / torch.where(X == 0, 1.0, X)).detach()
    return X * gate


@_wrong(agrees_with_the_reference, "a GELU computed in half precision")
def in_half_precision(X, approximate="none"):
    return torch.nn.functional.gelu(X.half(), approximate=approximate).double()
