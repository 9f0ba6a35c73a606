"""Public half of the exercise `LayerNorm`."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true, wrong_shape
from autograder.exercise import Exercise
from autograder.exercises.layernorm.layer_norm import FORBIDDEN, UNEVEN, assert_mirrored, assert_normalising, normalised, spread
from autograder.properties import assert_answered
from autograder.strategies import Filler, fillers, leading, sizes
from autograder.student import floats


def parameters(D, eps=1e-5):
    return {"gamma": (D,), "beta": (D,)}


def returns(layer, X):
    return {"Y": floats(*X.shape)}


# Under other names the parameters are found as well, so that a wrong name costs the points of the check about names only.
exercise = Exercise(__name__, title="LayerNorm as a module", parameters=parameters, returns={"forward": returns}, gives_init=False,
                    aliases=((r"^gamma$", "weight"), (r"^beta$", "bias")), forbids=FORBIDDEN)


@st.composite
def _layers(draw, narrowest=2):
    """(X, filler): tokens ... x N x D of variance 0.25 or more, and what fills gamma and beta."""
    shape, N, D, filler = draw(leading()), draw(sizes(1, 3)), draw(sizes(narrowest, 5)), draw(fillers())
    return spread(filler((*shape, N, D))[0]), draw(fillers(("normal", "uniform")))


layers = _layers()
wider_layers = _layers(narrowest=3)


@exercise.check(points=1, examples=12, hint="Print dict(LayerNorm(3).named_parameters()). Are gamma and beta both there, and "
                                            "nothing else? A tensor that is not an nn.Parameter is not registered. With which "
                                            "values do they start, and does each layer make its own?")
@given(layers)
def a_fresh_layer_only_normalises(student, case):
    """The parameters are gamma, D ones, and beta, D zeros, and no others, so that a fresh layer only normalises, whatever other layers hold."""
    X, filler = case
    D = X.shape[-1]
    layer = student.build(D)
    own = layer.shapes()
    for name in sorted(own.keys() & {"gamma", "beta"}):
        if own[name] != (D,):
            raise wrong_shape(name, torch.ones(own[name]), (D,))
    assert_normalising(layer(16 * X), X)
    only_these = sorted(own) == ["beta", "gamma"]
    assert_true(only_these, "the module's parameters are not gamma and beta, and these two only", what="the parameters")
    another = student.build(D).fill(filler)
    another(X)
    state = layer.state()
    assert_close(state["gamma"], 1.0, what="gamma at the start")
    assert_close(state["beta"], 0.0, what="beta at the start")


@exercise.check(points=1, hint="Set layer.gamma.data and layer.beta.data to values of your own and call the layer on [[0., "
                               "2., 4.]]. Which values does forward use: those, or others that were put aside in __init__? "
                               "With gamma = 1 and beta = 0, is the result [-1.2247, 0, 1.2247]?",
                kept="asks for the values alone: whoever writes forward right and trains nothing, or drops eps, keeps this point")
@given(layers)
def loaded_values_are_used(student, case):
    """With values loaded into gamma and beta, each token is normalised, scaled by gamma and shifted by beta, in batches too."""
    X, filler = case
    layer = student.build(X.shape[-1]).fill(filler)
    gamma, beta = layer.weights["gamma"], layer.weights["beta"]
    assert_close(layer(X), gamma * normalised(X, 1e-5)[0] + beta, what="Y")


@exercise.check(points=1, examples=15, hint="Print LayerNorm(2, eps=3.0) of the token [-1, 1]: it is [-0.5, 0.5]. Does "
                                            "__init__ keep eps, and does forward use it?")
@given(layers, st.sampled_from([0.1, 1.0, 3.0]))
def eps_is_kept(student, case, eps):
    """The eps given to the constructor is the one that forward adds to the variance."""
    X, filler = case
    layer = student.build(X.shape[-1], eps=eps).fill(filler)
    assert_close(layer(X), layer.weights["gamma"] * normalised(X, eps)[0] + layer.weights["beta"], what=f"Y at eps = {eps}")


@exercise.check(points=1.5, examples=15, hint="Call (layer(X) * C).sum().backward() with some fixed C and print "
                                              "layer.gamma.grad and layer.beta.grad. Are they there? For beta it is the sum "
                                              "of C over all tokens. Which line takes the values out of the graph?")
@given(layers, fillers(("normal",)))
def gamma_and_beta_can_be_trained(student, case, cotangent_filler):
    """The gradients reach gamma and beta, and they are right: otherwise an optimiser could not train them."""
    X, filler = case
    D = X.shape[-1]
    C, = cotangent_filler(tuple(X.shape))
    layer = student.build(D).fill(filler)
    X_hat, _ = normalised(X, 1e-5)
    assert_close(layer(X), layer.weights["gamma"] * X_hat + layer.weights["beta"], what="Y")
    got = layer.vjp((C,), X)
    assert_true(got is not None, "no gradient flows through the layer, so nothing can be trained", what="the gradient")
    assert_close(got[1]["beta"], C.reshape(-1, D).sum(0), what="the gradient with respect to beta")
    assert_close(got[1]["gamma"], (C * X_hat).reshape(-1, D).sum(0), what="the gradient with respect to gamma")


@exercise.check(points=1, examples=15, hint="The layers below are trained through X. Its mean and variance depend on X as "
                                            "well: is one of them cut off (detach, no_grad, .data, .item)?")
@given(wider_layers, fillers(("normal",)))
def the_layers_below_can_be_trained(student, case, step_filler):
    """The gradient with respect to X is right: it tells how Y changes when X changes a little."""
    X, filler = case
    C, step = step_filler(tuple(X.shape), tuple(X.shape))
    C = C / 4  # gradients as large as the numbers they are computed from
    layer = student.build(X.shape[-1]).fill(filler)
    gamma, beta = layer.weights["gamma"], layer.weights["beta"]
    assert_close(layer(X), gamma * normalised(X, 1e-5)[0] + beta, what="Y")
    got = layer.vjp((C,), X)
    assert_true(got is not None, "no gradient flows through the layer, so nothing below it can be trained", what="the gradient")
    h = 1e-4
    up, down = (gamma * normalised(X + sign * h * step, 1e-5)[0] for sign in (1, -1))
    change = (C * (up - down)).sum(-1) / (2 * h)
    assert_close((got[0][0] * step).sum(-1), change, what="the gradient with respect to X times a change of X, token by token,")


@exercise.check(points=0.5, examples=10, hint="Call the layer twice, in between with something else, then after "
                                              "layer.train(). Does it store anything in self while it runs?")
@given(layers, fillers(("normal",)))
def it_remembers_nothing(student, case, other_filler):
    """The result is the same in training and in evaluation, and whatever the layer has seen before."""
    X, filler = case
    other, = other_filler(tuple(X.shape))
    layer = student.build(X.shape[-1]).fill(filler)
    assert_mirrored(layer(X), layer(-X), layer.weights["beta"])
    before = layer(X)
    assert_close(layer.after(3 * other)(X), before, what="Y after another call")
    assert_close(layer.training().after(3 * other)(X), before, what="Y in train mode after another call")


@exercise.check(points=0.5, examples=8, hint="If X changed, which line of forward writes into it (`X -= ...`, an operation ending in _)? "
                                             "Anything else the checks above tell better.")
@given(layers)
def the_input_stays_as_it_was(student, case):
    """X is unchanged afterwards (and used)."""
    X, filler = case
    assert_close(student.build(X.shape[-1]).fill(filler).arguments_after(X)[0], X, what="X after the call")
    assert_answered(student.build(3).fill(Filler("normal", 0)), (UNEVEN,), (UNEVEN.flip(-1),), case)
