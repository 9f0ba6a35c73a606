"""Plain values: what of a student's result may cross the boundary, and the words for what may not.

Only None, bool, int, float, str, lists, tuples, string-keyed dicts and plain CPU tensors are plain; each is bounded.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

MAX_FRAME = 64 * 1024 * 1024
MAX_DEPTH = 16
MAX_PARTS = 20_000
DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16,
                  torch.int8, torch.uint8, torch.bool, torch.complex64, torch.complex128)
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
_UNSIGNED = (torch.uint16, torch.uint32, torch.uint64)

UNKNOWN = "an object of a class that the checks do not know"


class Unsupported(Exception):
    """A value that cannot cross: its message is a noun phrase such as ``a function``."""


# Types of which the name is told; a student's own may have any name.
_TOLD = frozenset(("function", "method", "set", "dict", "generator", "module", "map", "filter", "zip", "range", "bytes", "complex",
                   "property", "partial"))


def plain(value: Any) -> Any:
    """Return `value` as plain data, or raise `Unsupported`. NumPy arrays become tensors, named tuples tuples."""
    return _plain(value, 0, [MAX_PARTS])


def _plain(value: Any, depth: int, left: list[int]) -> Any:
    kind = type(value)
    left[0] -= 1
    if left[0] < 0:
        raise Unsupported(f"a value of more than {MAX_PARTS:,} parts")
    if kind in (type(None), bool, int, float, str):
        return _bounded_scalar(value)
    if kind is torch.Tensor or kind is torch.nn.Parameter:
        return _plain_tensor(value)
    if isinstance(value, torch.Tensor) and type(value).__torch_dispatch__ is torch.Tensor.__torch_dispatch__:
        with torch._C.DisableTorchFunctionSubclass():  # a subclass with a memory of its own: its numbers are what counts
            return _plain_tensor(torch.Tensor.as_subclass(value, torch.Tensor))
    if depth >= MAX_DEPTH:
        raise Unsupported(f"a value nested more than {MAX_DEPTH} deep")
    if isinstance(value, tuple):
        return tuple(_plain(item, depth + 1, left) for item in tuple.__iter__(value))
    if kind is list:
        return [_plain(item, depth + 1, left) for item in value]
    if kind is dict:
        if not all(type(key) is str for key in value):
            raise Unsupported("a dict whose keys are not all strings")
        return {key: _plain(item, depth + 1, left) for key, item in value.items()}
    if isinstance(value, (np.ndarray, np.generic)) and not isinstance(value, np.ma.MaskedArray):
        return _plain_array(value)
    raise Unsupported(describe_type(value))


def describe_type(value: Any) -> str:
    """A noun phrase for what `value` is, the same at every door and safe to show to a person."""
    if isinstance(value, torch.Tensor):
        return "a subclass of torch.Tensor"
    if isinstance(value, torch.nn.Module):
        return "a module and not what it gives when it is called"
    if isinstance(value, np.ma.MaskedArray):
        return "a masked NumPy array"
    if isinstance(value, type):
        return "a class"
    name = type(value).__name__
    return f"an object of type {name}" if name in _TOLD else UNKNOWN


def _bounded_scalar(value: Any) -> Any:
    if type(value) is int and value.bit_length() > 256:
        raise Unsupported("an int of more than 256 bits")
    if type(value) is str and len(value) > 100_000:
        raise Unsupported("a string of more than 100,000 characters")
    return value


def _plain_tensor(tensor: torch.Tensor) -> torch.Tensor:
    if tensor.is_nested:
        raise Unsupported("a nested tensor")
    if tensor.layout is not torch.strided:
        raise Unsupported(f"a {'sparse ' if 'sparse' in str(tensor.layout) else ''}tensor of layout {tensor.layout}")
    if tensor.device.type != "cpu":
        raise Unsupported(f"a tensor on the device {tensor.device}")
    if tensor.dtype in _UNSIGNED and not bool((tensor.to(torch.int64) < 0).any()):
        tensor = tensor.to(torch.int64)
    if tensor.dtype not in NAMES:
        raise Unsupported(f"a tensor of dtype {tensor.dtype}")
    if tensor.numel() * tensor.element_size() > MAX_FRAME // 2:
        raise Unsupported(f"a tensor of {tensor.numel():,} entries")
    tensor = tensor.detach()
    return (tensor.resolve_conj() if tensor.dtype.is_complex else tensor).resolve_neg()


def _plain_array(value: Any) -> torch.Tensor:
    array = np.asarray(value)
    kind = array.dtype.kind
    if kind not in "biufc":
        raise Unsupported(f"a NumPy array of {'text' if kind in 'US' else 'objects' if kind == 'O' else 'no numbers'}")
    if array.nbytes > MAX_FRAME // 2:
        raise Unsupported(f"a NumPy array of {array.size:,} entries")
    dtype = array.dtype.newbyteorder("=")
    if dtype in (np.longdouble, np.clongdouble):  # torch has none so wide
        dtype = np.dtype(np.float64 if kind == "f" else np.complex128)
    return _plain_tensor(torch.from_numpy(np.array(array, dtype=dtype)))
