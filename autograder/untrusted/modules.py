"""Class exercises: building a student's module, filling its parameters by name, and models that are given to functions.

The same code runs in a worker, at the student's desk and on a reference, so that all of them get the same numbers.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import re
import sys
import types
import zlib
from typing import Any, Callable, Iterator

import torch

GIVEN, TRAINING = "__given__", "train"
Context = dict[str, Any]  # "given": source of the assignment's given things; "aliases": renamings of parameters
_namespaces: dict[str, dict[str, Any]] = {}
_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
# A LayerNorm of one's own, and attention with four Linear layers in place of torch's stacked ones.
_KNOWN_ALIASES = ((r"weight$", "gamma"), (r"bias$", "beta"), (r"out_proj\.", "W_o."))
_STACKED = re.compile(r"in_proj_(weight|bias)$")


class Unfit(Exception):
    """The module cannot take the parameters: `args` are what is the matter and the parameter it is about."""


def fill_parameters(module: torch.nn.Module, seed: int, kind: str = "normal") -> torch.nn.Module:
    """Fill every parameter from `seed` by its name, as the checks do; returns the module, in float64 and eval mode.

    module: any torch module. kind: "normal", "uniform" or "small integers"; entries are O(1).
    """
    module.double().eval()
    with torch.no_grad():
        for name, parameter in module.named_parameters(remove_duplicate=False):
            parameter.copy_(filled(name, tuple(parameter.shape), seed, kind))
    return module


def filled(name: str, shape: tuple[int, ...], seed: int, kind: str) -> torch.Tensor:
    """The float64 values of the parameter `name`: they depend on its name, its shape, the seed and the kind alone."""
    generator = torch.Generator().manual_seed(zlib.crc32(name.encode()) * 65537 + seed)
    if kind == "small integers":
        return torch.randint(-1, 2, shape, generator=generator).to(torch.float64)
    if kind == "uniform":
        return torch.rand(shape, generator=generator, dtype=torch.float64) * 2 - 1
    return torch.randn(shape, generator=generator, dtype=torch.float64) * 0.6


def checksum(shapes: dict[str, tuple[int, ...]]) -> int:
    """Stands for the names and shapes of a module's parameters."""
    return zlib.crc32(repr(sorted((name, tuple(shape)) for name, shape in shapes.items())).encode())


@contextlib.contextmanager
def in_float64() -> Iterator[None]:
    """Tensors made inside are float64 unless they say otherwise: checks compare modules in float64."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def build(factory: Callable, wanted: dict[str, Any], context: Context) -> tuple[torch.nn.Module, dict[str, list[torch.Tensor]]]:
    """Construct a module as `wanted` says; returns it with its parameters by the names that the checks use.

    wanted: "arguments" (args, kwargs), "fill" (kind, seed) or None, "training", "checksum" of the expected names and shapes or
    else "shapes" in full. Raises `Unfit`.
    """
    args, kwargs = wanted["arguments"]
    module = factory(*args, **kwargs)
    if not isinstance(module, torch.nn.Module):
        raise Unfit("no module", "")
    module.double().train(bool(wanted["training"]))
    entries = _entries(module, wanted, context)
    if wanted["fill"] is not None:
        kind, seed = wanted["fill"]
        with torch.no_grad():
            for name, parts in entries.items():
                rows = filled(name, _stacked_shape(parts), seed, kind)
                for part, values in zip(parts, rows.split([len(p) for p in parts]) if len(parts) > 1 else [rows]):
                    part.copy_(values)
    return module, entries


def _stacked_shape(parts: list[torch.Tensor]) -> tuple[int, ...]:
    first = tuple(parts[0].shape)
    return first if len(parts) == 1 else (sum(len(part) for part in parts), *first[1:])


def _entries(module: torch.nn.Module, wanted: dict[str, Any], context: Context) -> dict[str, list[torch.Tensor]]:
    own = dict(module.named_parameters(remove_duplicate=False))
    if "shapes" not in wanted:
        if checksum({name: tuple(p.shape) for name, p in own.items()}) != wanted["checksum"]:
            raise Unfit("other names", "")
        return {name: [parameter] for name, parameter in own.items()}
    entries = {}
    for name, shape in wanted["shapes"].items():
        parts = _found(name, own, context["aliases"])
        if parts is None:
            raise Unfit("missing", name)
        if _stacked_shape(parts) != tuple(shape):
            raise Unfit("shape", name)
        entries[name] = parts
    return entries


def _found(name: str, own: dict[str, torch.Tensor], aliases: Any) -> list[torch.Tensor] | None:
    """The parameter called `name`, under that name or another that it is known to go by; three parts for a stacked one."""
    names = [name]
    for pattern, replacement in (*aliases, *_KNOWN_ALIASES):
        names += [new for old in names if (new := re.sub(pattern, replacement, old)) not in names]
    for one in names:
        if one in own:
            return [own[one]]
        parts = [_STACKED.sub(rf"W_{letter}.\1", one) for letter in "qkv"]
        if parts[0] != one and all(part in own for part in parts):
            return [own[part] for part in parts]
    return None


def resolved(value: Any, context: Context) -> Any:
    """`value` with every description of a given model replaced by the model."""
    if type(value) is tuple and len(value) == 5 and type(value[0]) is str and value[0] == GIVEN:
        return _given(*value[1:], context)
    if type(value) in (list, tuple):
        return type(value)(resolved(item, context) for item in value)
    return {key: resolved(item, context) for key, item in value.items()} if type(value) is dict else value


def _notebooks_own(name: str, space: dict[str, Any]) -> Any:
    """The notebook's own class or function of that name, where it is the given one: an answer may ask for ``isinstance(model, StandIn)``."""
    notebook, wanted, seen = vars(sys.modules["__main__"]), [name], set()
    while wanted:
        one = wanted.pop()
        if one in seen:
            continue
        seen.add(one)
        told = _text_of(space[one])
        if told is None or told != _text_of(notebook.get(one)):
            return None
        wanted += [other for other in told[1] if other in space and _text_of(space[other]) is not None]
    return notebook[name]


def _text_of(value: Any) -> tuple[Any, frozenset[str]] | None:
    """What stands for the code of a function or class, and the names in it; None for anything else."""
    code = getattr(value, "__code__", None)
    if isinstance(code, types.CodeType):
        text, names = _text_of_code(code)
        return (text, repr(getattr(value, "__defaults__", None))), names
    if not isinstance(value, type):
        return None
    parts = {key: told for key, part in vars(value).items() if (told := _text_of(part)) is not None}
    bases = frozenset(base.__name__ for base in value.__bases__)
    return (bases, sorted((key, text) for key, (text, _) in parts.items())), bases.union(*(names for _, names in parts.values()))


@functools.lru_cache(maxsize=256)
def _text_of_code(code: types.CodeType) -> tuple[Any, frozenset[str]]:
    """The operands of a code object in order; which instructions carry them depends on what else its file has, an import say."""
    inner = [_text_of_code(const) for const in code.co_consts if isinstance(const, types.CodeType)]
    operands = tuple(repr(one.argval) for one in dis.get_instructions(code)
                     if one.opcode > dis.HAVE_ARGUMENT and one.opcode not in (*dis.hasjrel, *dis.hasjabs) and not isinstance(one.argval, types.CodeType)
                     and one.opname not in ("PRECALL", "CALL", "RESUME"))
    return (operands, tuple(text for text, _ in inner)), frozenset(code.co_names).union(*(names for _, names in inner))


def _given(name: str, args: tuple, kwargs: dict, fill: tuple | None, context: Context) -> Any:
    source = context["given"]
    if source not in _namespaces:
        namespace: dict[str, Any] = {"__name__": "given"}
        exec(compile(source, "<given>", "exec"), namespace)  # the kit's own text
        _namespaces[source] = namespace
    with in_float64():
        space = _namespaces[source]
        model = (_notebooks_own(name, space) or space[name])(*args, **kwargs)
        if isinstance(model, torch.nn.Module):
            if fill and fill[0] is not None:
                fill_parameters(model, fill[1], fill[0])
            model.double().train(TRAINING in (fill or ()))
    return model


def condition(module: torch.nn.Module) -> dict[str, Any]:
    """What can be told of a module to see whether a call has changed it: the values of its parameters, which of them are trained, the kind
    and the mode of each module in it, and the number of things hung on them (hooks, methods that were replaced).
    """
    parameters = dict(module.named_parameters(remove_duplicate=False))
    parts = dict(module.named_modules(remove_duplicate=False))
    hooks = [part.__dict__.get(name) or () for part in parts.values() for name in _HOOKS]
    hooks += [parameter._backward_hooks or () for parameter in parameters.values()]
    return {"parameters": parameters, "trained": {name: parameter.requires_grad for name, parameter in parameters.items()},
            "parts": {name: type(part).__name__ for name, part in parts.items()},
            "training": {name: part.training for name, part in parts.items()},
            "hung on": sum(map(len, hooks)) + sum(callable(value) for part in parts.values() for value in part.__dict__.values())}
