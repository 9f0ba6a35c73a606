"""A module of the student's class as a check sees it: built, filled, called and differentiated where the class lives."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch

from autograder.compare import Mismatch
from autograder.conform import conform, floats
from autograder.given import described
from autograder.student import Student, value_of
from autograder.untrusted.modules import checksum, filled
from autograder.untrusted.operations import AFTER, BUILD, CALL, SHAPES, STATE, VJP


@dataclass(frozen=True)
class Built:
    """A module as a check sees it: a description of how it is built and filled. Methods give a new description or an answer.

    The constructor's arguments are attributes (``layer.D``). Each answer is given by a module that was built for it.
    """

    student: Student
    constructed: tuple[tuple, dict[str, Any]]
    bound: dict[str, Any]
    filling: tuple[str, int] | None = None
    in_training: bool = False
    earlier: tuple = ()

    def __getattr__(self, name: str) -> Any:
        if name != "bound" and name in self.bound:
            return self.bound[name]
        raise AttributeError(f"{name} is no argument of the constructor")

    def fill(self, filler: Any) -> Built:
        """The same module with every parameter filled by name from a `Filler`, O(1) values, biases too."""
        return replace(self, filling=(filler.kind, filler.seed))

    def training(self) -> Built:
        """The same module in train mode."""
        return replace(self, in_training=True)

    def after(self, *args: Any, **kwargs: Any) -> Built:
        """The same module, on which forward (for `call`: the method that is called) has been called with these arguments before."""
        return replace(self, earlier=(*self.earlier, (described(args), described(kwargs))))

    def after_call(self, method: str, *args: Any, **kwargs: Any) -> Built:
        """The same module, on which a method has been called by name before."""
        return replace(self, earlier=(*self.earlier, (described(args), described(kwargs), method)))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call forward on copies of the arguments; floating results come back as float64."""
        return self.call("forward", *args, **kwargs)

    def call(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """Call a method by name."""
        value = self._asked(CALL, args, kwargs, method=method)
        return conform(value, self.student.exercise.returns[method](self, *args, **kwargs))

    def vjp(self, cotangents: tuple, *args: Any, **kwargs: Any) -> tuple[list[torch.Tensor], dict[str, torch.Tensor]] | None:
        """Gradients of sum_i <cotangent_i, output_i>: by floating argument, and by parameter name; None where none flows."""
        return self.vjp_of("forward", cotangents, *args, **kwargs)

    def vjp_of(self, method: str, cotangents: tuple, *args: Any, **kwargs: Any) -> tuple[list[torch.Tensor], dict[str, torch.Tensor]] | None:
        """As `vjp`, of a method by name."""
        return self.student.remarked(self._asked(VJP, args, kwargs, method=method, cotangents=tuple(cotangents)))

    def arguments_after(self, *args: Any, **kwargs: Any) -> list[Any]:
        """The arguments as forward left them, in order."""
        return self._asked(AFTER, args, kwargs)

    def refuses(self, *args: Any, **kwargs: Any) -> bool:
        """Whether forward raises on these arguments."""
        return self.refused(CALL, args, kwargs)

    def refuses_call(self, method: str, *args: Any, **kwargs: Any) -> bool:
        """Whether a method raises on these arguments."""
        return self.refused(CALL, args, kwargs, method=method)

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of every parameter that the student's module has, whatever was expected."""
        own = replace(self, filling=None)._asked(SHAPES, (), {}, free=True)
        if not isinstance(own, dict) or not all(isinstance(s, tuple) and all(type(n) is int for n in s) for s in own.values()):
            raise Mismatch("type", "the parameters", "the parameters cannot be read")
        return own

    def state(self) -> dict[str, torch.Tensor]:
        """The values of the parameters by name; without `fill` those the module starts with."""
        value = self._asked(STATE, (), {})
        wanted = self.expected
        if not isinstance(value, dict) or value.keys() != wanted.keys():
            raise Mismatch("type", "the parameters", "the parameters cannot be read")
        return {name: conform(value[name], {name: floats(*wanted[name])}) for name in wanted}

    @property
    def expected(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of every parameter, as the exercise declares them."""
        args, kwargs = self.constructed
        return self.student.exercise.parameters(*args, **kwargs)

    @property
    def weights(self) -> dict[str, torch.Tensor]:
        """The filled parameters by name: known on this side without asking."""
        kind, seed = self.filling
        return {name: filled(name, tuple(shape), seed, kind) for name, shape in self.expected.items()}

    def refused(self, kind: str, args: tuple = (), kwargs: dict | None = None, *, method: str = "forward") -> bool:
        """Whether an operation raises."""
        return self._noted(*self._operations(kind, args, kwargs or {}, method=method, free=kind == BUILD))[0] == "raised"

    def _asked(self, kind: str, args: tuple, kwargs: dict, **options: Any) -> Any:
        fast, full = self._operations(kind, args, kwargs, **options)
        return value_of(self._noted(fast, full), full[3]["shapes"])

    def _noted(self, fast: tuple, full: tuple) -> tuple:
        """The answer to an operation; where the module has other names than expected, asked again with all that is expected."""
        answer = self.student.answer(fast)
        return self.student.answer(full) if answer[:2] == ("unfit", "other names") else answer

    def _operations(self, kind: str, args: tuple, kwargs: dict, *, method: str = "forward", cotangents: tuple | None = None,
                    free: bool = False) -> tuple[tuple, tuple]:
        """An operation that names the expected parameters by checksum alone, and the same with their names and shapes in full.

        With `free` nothing is expected of the parameters.
        """
        extra = {"arguments": self.constructed, "fill": self.filling, "training": self.in_training, "method": method,
                 "earlier": self.earlier, "cotangents": cotangents}
        shapes = {} if free else {name: tuple(shape) for name, shape in self.expected.items()}
        tail = (kind, described(args), described(kwargs))
        full = (*tail, extra | {"shapes": shapes})
        return (full if free else (*tail, extra | {"checksum": checksum(shapes)})), full
