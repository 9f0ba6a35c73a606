"""What `autograder new` writes: a tiny exercise that builds and can be checked, with TODO wherever something is the author's to say."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from string import Template

TODO = "TODO"


@dataclass(frozen=True)
class Signature:
    """The parameters of a function or constructor as text; `required` are the names of those without a default, `optional` of the others."""

    text: str
    required: tuple[str, ...]
    optional: tuple[str, ...] = ()


def read_signature(text: str) -> Signature:
    """A signature as it is written between the parentheses. Raises ValueError in words where it is none."""
    try:
        body = ast.parse(f"def f({text}): pass").body
        if len(body) > 1 or "\n" in text:
            raise SyntaxError
        arguments = body[0].args
    except SyntaxError as error:
        raise ValueError(f"{text!r} does not stand between the parentheses of a def; write it like \"Z, eps=1e-5\"") from error
    plain = arguments.args[:len(arguments.args) - len(arguments.defaults)]
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs or not plain:
        raise ValueError(f"{text!r} must name its parameters one by one, and at least one without a default; write it like \"Z, eps=1e-5\"")
    return Signature(text.strip(), tuple(argument.arg for argument in plain), tuple(argument.arg for argument in arguments.args[len(plain):]))


def function_halves(assignment: str, name: str, signature: Signature) -> tuple[str, str]:
    """The public and the staff half of a function: of tokens X (... x N x D) and D further numbers for each other parameter."""
    first, *others = signature.required
    names = {"assignment": assignment, "name": name, "signature": signature.text, "X": first,
             "case": ", ".join(signature.required) + "," * (not others), "doubled": " + ".join([f"2 * {first}", *others]),
             "added": " + ".join([first, first, *others]), "kept": " + ".join([first, *others]),
             "shapes": ", ".join(["(*shape, N, D)", *["(D,)"] * len(others)]),
             "others": "".join(f" {other}: D numbers ({TODO})." for other in others) + "".join(f" {other}: {TODO}." for other in signature.optional),
             "defaults": ", ".join(signature.optional) or "none here"}
    return Template(_FUNCTION).substitute(names), Template(_FUNCTION_STAFF).substitute(names)


def class_halves(assignment: str, name: str, signature: Signature) -> tuple[str, str]:
    """The public and the staff half of a module whose constructor has `signature`; its first parameter is the number of features."""
    first, *others = signature.required
    names = {"assignment": assignment, "name": name, "signature": signature.text, "D": first,
             "arguments": ", ".join(["X.shape[-1]", *["2"] * len(others)]), "others": "".join(f" {other}: {TODO}." for other in others)}
    return Template(_CLASS).substitute(names), Template(_CLASS_STAFF).substitute(names)


_FUNCTION = '''"""Public half of the exercise `$name`: all that students may read of it. `autograder doctor` lists what is still to be written."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close
from autograder.exercise import Exercise
from autograder.strategies import fillers, leading, sizes
from autograder.student import floats


# TODO: name and shape of each result, from the function's own parameters (there are also booleans and integers in autograder.student).
def returns($signature):
    return {"the result": floats(*$X.shape)}


# TODO: the title, and forbids=("torch.…",), the dotted names of library functions that would be the whole answer.
exercise = Exercise(__name__, title="TODO: $name", returns=returns)


def _fill(drawn):
    shape, N, D, filler = drawn
    return filler($shapes)


# TODO: the inputs, small ones first: here ... x N x D numbers (none, one or two leading dimensions) and D numbers for every other
# parameter. Draw whole numbers with st.integers, and parameters that have a default too ($defaults), or no check asks for them.
# Leave out inputs on which right answers may differ.
inputs = st.tuples(leading(), sizes(1, 4), sizes(1, 5), fillers()).map(_fill)


# TODO: what every right answer has and zeros or the input itself have not; it needs no reference, for students can read it.
def assert_doubled(Y, case):
    $case = case
    assert_close(Y, $doubled, what="the result")


# TODO: one check for each thing that can be wrong. The docstring is the title, the hint a question or a computation on paper.
@exercise.check(points=1, hint="TODO: what could somebody who fails this look at?", kept="the values alone; the check below asks for more")
@given(inputs)
def it_doubles(student, case):
    """TODO: what holds, in one sentence."""
    assert_doubled(student(*case), case)


@exercise.check(points=0.5, examples=8, hint="If only this check fails: which of your lines writes into an argument (`$X *= ...`, an operation "
                                               "ending in _)?")
@given(inputs)
def the_inputs_stay_as_they_were(student, case):
    """The arguments are unchanged afterwards (and used)."""
    assert_doubled(student(*case), case)
    for tensor, left in zip(case, student.arguments_after(*case)):
        assert_close(left, tensor, what="an argument after the call")
'''

_FUNCTION_STAFF = '''"""Staff half of the exercise `$name`, never given to students: reference, other right answers, known wrong ones, hidden checks."""

import torch
from hypothesis import given

from autograder.compare import assert_close
from autograder.exercises.$assignment.$name import exercise, inputs, it_doubles, the_inputs_stay_as_they_were


# TODO: the reference. Students get its signature and docstring; what stands below the docstring is theirs to write.
@exercise.solution
def $name($signature):
    """TODO: what it computes, in one sentence.

    $X: float64 tensor ... x N x D, any number of leading dimensions.$others
    Returns a tensor of the shape of $X. The arguments are not changed.
    """
    return $doubled


@exercise.hidden_check(points=1, hint="TODO: on which input can it be worked out by hand?", kept="the whole formula at once")
@given(inputs)
def agrees_with_the_reference(student, case):
    """Gives what the reference gives, with any leading dimensions."""
    assert_close(student(*case), $name(*case), what="the result")


# TODO: right answers written in other ways (with loops, in NumPy, in float32): none of the checks may fail them.
@exercise.alternate
def added($signature):
    return $added


# TODO: wrong answers that people really give. caught_by is the check that must fail it; tell completes "It behaves like ...".
@exercise.misconception(caught_by=it_doubles, tell="the input that was never doubled")
def kept_as_it_is($signature):
    return $kept


@exercise.misconception(caught_by=the_inputs_stay_as_they_were, tell="a function that writes into $X")
def in_place($signature):
    $X *= 2
    return $kept
'''

_CLASS = '''"""Public half of the exercise `$name`: all that students may read of it. `autograder doctor` lists what is still to be written."""

from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close
from autograder.exercise import Exercise
from autograder.strategies import fillers, leading, sizes
from autograder.student import floats


# TODO: name and shape of every parameter of the module, from the constructor's arguments.
def parameters($signature):
    return {"weight": ($D,)}


# TODO: name and shape of each result of forward, from the module and forward's arguments.
def returns(layer, X):
    return {"the result": floats(*X.shape)}


# TODO: the title, forbids=("torch.nn.…",), and gives_init=True where students are to be given __init__ whole.
exercise = Exercise(__name__, title="TODO: $name", parameters=parameters, returns={"forward": returns}, gives_init=False)


@st.composite
def _layers(draw):
    """(X, filler): an input of the module, ... x N x D, and what fills its parameters."""
    shape, N, D = draw(leading()), draw(sizes(1, 3)), draw(sizes(2, 5))
    return draw(fillers())((*shape, N, D))[0], draw(fillers(("normal", "uniform")))


layers = _layers()


# TODO: one check for each thing that can be wrong. The docstring is the title, the hint a question or a computation on paper.
@exercise.check(points=1, hint="TODO: what could somebody who fails this look at?", kept="the values alone; the check below asks for more")
@given(layers)
def loaded_values_are_used(student, case):
    """TODO: what holds, in one sentence."""
    X, filler = case
    layer = student.build($arguments).fill(filler)
    assert_close(layer(X), layer.weights["weight"] * X, what="the result")


@exercise.check(points=0.5, examples=8, hint="Print dict($name(...).named_parameters()) of a new module. With which values does it start?")
@given(layers)
def it_starts_with_ones(student, case):
    """A new module's weights are ones (and others are used when they are loaded)."""
    X, filler = case
    loaded = student.build($arguments).fill(filler)
    assert_close(loaded(X), loaded.weights["weight"] * X, what="the result with loaded weights")
    layer = student.build($arguments)
    assert_close(layer(X), X, what="the result of a new module")
    assert_close(layer.state()["weight"], 1.0, what="weight at the start")
'''

_CLASS_STAFF = '''"""Staff half of the exercise `$name`, never given to students: reference, other right answers, known wrong ones, hidden checks."""

import torch
import torch.nn as nn
from hypothesis import given

from autograder.compare import assert_close
from autograder.exercises.$assignment.$name import exercise, it_starts_with_ones, layers, loaded_values_are_used


# TODO: the reference. Students get the signatures and docstrings; what stands below a docstring is theirs to write.
@exercise.solution
class $name(nn.Module):
    """TODO: what it computes, in one sentence.

    Parameters, by these names: weight, $D ones at the start.
    """

    def __init__(self, $signature):
        """$D: number of features of a token.$others"""
        super().__init__()
        self.weight = nn.Parameter(torch.ones($D))

    def forward(self, X):
        """X: float64 tensor ... x N x $D, any number of leading dimensions. Returns a tensor of the same shape; X is not changed."""
        return self.weight * X


@exercise.hidden_check(points=1, hint="TODO: on which input can it be worked out by hand?", kept="the whole module at once")
@given(layers)
def agrees_with_the_reference(student, case):
    """Gives what the reference gives, with any leading dimensions."""
    X, filler = case
    mine, theirs = (one.build($arguments).fill(filler) for one in (student, $name))
    assert_close(mine(X), theirs(X), what="the result")


# TODO: right answers written in other ways: none of the checks may fail them.
@exercise.alternate
class WithMul(nn.Module):
    def __init__(self, $signature):
        super().__init__()
        self.weight = nn.Parameter(torch.full(($D,), 1.0))

    def forward(self, X):
        return torch.mul(X, self.weight)


# TODO: wrong answers that people really give. caught_by is the check that must fail it; tell completes "It behaves like ...".
@exercise.misconception(caught_by=loaded_values_are_used, tell="a module whose weight is never used")
class WeightUnused(nn.Module):
    def __init__(self, $signature):
        super().__init__()
        self.weight = nn.Parameter(torch.ones($D))

    def forward(self, X):
        return 1 * X


@exercise.misconception(caught_by=it_starts_with_ones, tell="a weight that starts at zero")
class StartsAtZero(nn.Module):
    def __init__(self, $signature):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros($D))

    def forward(self, X):
        return self.weight * X
'''
