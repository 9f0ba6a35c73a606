"""Models that a function under test gets as an argument: described here, built where the function lives."""

from __future__ import annotations

from typing import Any

from autograder.untrusted.modules import GIVEN, TRAINING


class Given:
    """A model given to the student: a class or function of the assignment's ``_given.py``, and what builds it.

    ``Given("LinearReadout", W)``. Only this description crosses the boundary.
    """

    def __init__(self, name: str, *args: Any, **kwargs: Any) -> None:
        self.name, self.args, self.kwargs = name, args, kwargs
        self.filling: tuple | None = None

    def fill(self, filler: Any) -> Given:
        """The same model with every parameter filled from a `Filler`."""
        other = Given(self.name, *self.args, **self.kwargs)
        other.filling = (filler.kind, filler.seed)
        return other

    def training(self) -> Given:
        """The same model in train mode."""
        other = Given(self.name, *self.args, **self.kwargs)
        other.filling = (*(self.filling or (None, 0)), TRAINING)
        return other

    def __repr__(self) -> str:
        return self.source(repr)

    def source(self, show: Any) -> str:
        """Python source that makes the model; `show` writes an argument."""
        parts = [*map(show, self.args), *(f"{key}={show(value)}" for key, value in self.kwargs.items())]
        text = f"{self.name}({', '.join(parts)})"
        if not self.filling:
            return text
        kind, seed, *mode = self.filling
        return (text if kind is None else f"fill_parameters({text}, {seed}, {kind!r})") + (".train()" if mode else "")


def described(value: Any) -> Any:
    """Arguments as plain data: given models become what the wire carries in their place."""
    if isinstance(value, Given):
        return (GIVEN, value.name, value.args, value.kwargs, value.filling)
    if type(value) in (list, tuple):
        return type(value)(described(item) for item in value)
    return {key: described(item) for key, item in value.items()} if type(value) is dict else value


def undescribed(value: Any) -> Any:
    """What `described` was given."""
    if type(value) is tuple and len(value) == 5 and type(value[0]) is str and value[0] == GIVEN:
        model = Given(value[1], *value[2], **value[3])
        model.filling = value[4]
        return model
    if type(value) in (list, tuple):
        return type(value)(undescribed(item) for item in value)
    return {key: undescribed(item) for key, item in value.items()} if type(value) is dict else value
