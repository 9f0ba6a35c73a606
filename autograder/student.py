"""The student's function as a check sees it: called, differentiated, its answer brought to the agreed form.

A check body is written once. At the desk it gets a `Student` around the student's own function; in grading one around a
connection to the worker, or around answers that were given before. All of them are this class with another `ask`.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable

import torch

from autograder.case import current_case
from autograder.compare import Mismatch
from autograder.conform import booleans, conform, floats, integers
from autograder.given import Given, described
from autograder.untrusted.modules import condition, resolved
from autograder.untrusted.operations import AFTER, BUILD, CALL, VJP, perform
from autograder.untrusted.plain import plain

if TYPE_CHECKING:
    from autograder.built import Built

__all__ = ["Given", "OverLimit", "Student", "StudentRaised", "booleans", "floats", "integers", "local"]
Ask = Callable[[tuple], tuple]


class StudentRaised(Exception):
    """The student's code raised: `name` and `message` of the exception, `line` and `text` of the student's line."""

    def __init__(self, name: str, message: str, line: int, text: str) -> None:
        super().__init__(f"{name}: {message}")
        self.name, self.message, self.line, self.text = name, message, line, text


class OverLimit(BaseException):
    """The student's code ran over a limit or died. A BaseException, so that hypothesis stops at the first one."""


@dataclass(frozen=True)
class Student:
    """`ask` carries an operation to the function or class and brings the answer back.

    exercise: what is known about it: the results' shapes, a class's parameters. recorded: whether the running case notes the calls
    (the student's, not the reference's).
    """

    ask: Ask
    exercise: Any
    recorded: bool = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function on copies of the arguments; floating results come back as float64."""
        value = self.asked((CALL, described(args), described(kwargs), None))
        return conform(value, self.exercise.returns(*args, **kwargs))

    def arguments_after(self, *args: Any, **kwargs: Any) -> list[Any]:
        """The arguments as the function left them, in order; in the place of a model its condition (see `modules.condition`)."""
        return self.asked((AFTER, described(args), described(kwargs), None))

    def left_requiring_grad(self, *args: Any, **kwargs: Any) -> list[bool]:
        """For each argument in order, whether it is a tensor that requires a gradient after the call."""
        return self.asked((AFTER, described(args), described(kwargs), True))

    def condition(self, model: Given) -> dict[str, Any]:
        """The condition in which a model is given."""
        return plain(condition(resolved(described(model), self.exercise.context)))

    def vjp(self, cotangents: tuple, *args: Any, **kwargs: Any) -> list[torch.Tensor] | None:
        """Gradients of sum_i <cotangent_i, output_i> with respect to the floating tensors in `args`, or None.

        None means that no gradient flows at all (NumPy inside the function). A cotangent of None leaves an output out.
        """
        return self.remarked(self.asked((VJP, described(args), described(kwargs), tuple(cotangents))))

    def refuses(self, *args: Any, **kwargs: Any) -> bool:
        """Whether the function raises on these arguments; for a class, whether constructing it does."""
        if self.exercise.parameters is not None:
            return self.build(*args, **kwargs).refused(BUILD)
        return self.answer((CALL, described(args), described(kwargs), None))[0] == "raised"

    def build(self, *args: Any, **kwargs: Any) -> Built:
        """A module of the student's class, as constructed with these arguments. Nothing is asked yet."""
        from autograder.built import Built
        bound = inspect.signature(self.exercise.parameters).bind(*args, **kwargs)
        bound.apply_defaults()
        return Built(self, (args, kwargs), dict(bound.arguments))

    def answer(self, operation: tuple) -> tuple:
        """The raw answer to an operation, noted in the running case."""
        answer = self.ask(operation)
        if self.recorded:
            current_case().calls.append((operation, answer))
        return answer

    def asked(self, operation: tuple) -> Any:
        """The value of an operation, as `value_of`."""
        return value_of(self.answer(operation), {})

    def remarked(self, gradients: Any) -> Any:
        """`gradients` as they are; where there are none, the student is told."""
        if gradients is None and self.recorded:
            current_case().remarks.add("No gradient flows through the result, so nothing could be trained through it.")
        return gradients


def value_of(answer: tuple, shapes: dict[str, tuple[int, ...]]) -> Any:
    """The value that an answer carries; `shapes` are the parameters that a module was expected to have.

    Raises `StudentRaised`, `OverLimit` or `Mismatch` where there is none.
    """
    if answer[0] == "raised":
        raise StudentRaised(*answer[1:])
    if answer[0] == "limit":
        raise OverLimit(answer[1])
    if answer[0] == "unsupported":
        raise Mismatch("type", "the result", f"the result is {answer[1]}, which cannot be compared{_remedy(answer[1])}")
    if answer[0] == "unfit":
        raise Mismatch("type", "the module", _unfit_sentence(answer, shapes))
    return answer[1]


_REMEDIES = {"a sparse tensor": "return it with .to_dense()", "a nested tensor": "return a plain one", "a module": "call it",
             "a subclass of": "return a plain tensor, as .as_subclass(torch.Tensor) makes it",
             "a tensor on the device": "keep it where the inputs are", "a masked NumPy": "return it with .filled(0)"}


def _remedy(phrase: str) -> str:
    return next((f"; {remedy}" for start, remedy in _REMEDIES.items() if phrase.startswith(start)), "")


def _unfit_sentence(answer: tuple, shapes: dict[str, tuple[int, ...]]) -> str:
    _, what, name = answer
    if what == "no module":
        return "what the class makes is no torch.nn.Module: its line must read class Name(nn.Module), and __init__ call super().__init__()"
    if name not in shapes:
        return "the parameters cannot be loaded by the names that the exercise gives"
    if what == "missing":
        return (f"the module has no parameter called {name} (a layer kept in a plain list, or a tensor that is no nn.Parameter, "
                "is not registered)")
    return f"the parameter {name} has another shape than {tuple(shapes[name])}"


def local(function: Callable, exercise: Any) -> Student:
    """A `Student` around a function or class of this process."""
    return Student(lambda operation: perform(function, operation, exercise.context), exercise)
