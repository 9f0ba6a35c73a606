"""The wire: how plain values cross the boundary between the grader and a worker.

A frame is ``nonce, size`` and a payload; a payload is a JSON header followed by the raw bytes of its tensors.
Only None, bool, int, float, str, lists, tuples, string-keyed dicts and plain CPU tensors cross. Nothing is ever
unpickled, and every length, dimension and depth is bounded before it is believed.
"""

from __future__ import annotations

import json
import socket
import struct
from typing import Any, Callable, Iterator

import numpy as np
import torch

from autograder.untrusted.plain import DTYPES, MAX_DEPTH, MAX_FRAME, NAMES, Unsupported, describe_type

FRAME = struct.Struct("<QQ")
HEADER = struct.Struct("<QQ")
MAX_HEADER = 1024 * 1024
MAX_DIMS = 8
MAX_DIM = 2**31
ALIGN = 16
JOINED = 1024 * 1024
_ARRAYS = {name: np.dtype(name) for name in DTYPES if name != "bfloat16"}  # NumPy makes a tensor of a buffer in a third of torch's time


class WireError(Exception):
    """A frame that is not what the protocol allows. The connection must be closed."""


def encode(value: Any, *, once: bool = False) -> bytes:
    """The payload that stands for `value`, which must be plain (see `plain`).

    With `once` the same tensor in several places is written once: what is decoded from it is the same memory in all of them.
    """
    buffers: list[bytes] = []
    position = [0]
    tree = _text(value, buffers, position, {} if once else None).encode("ascii")
    tree += b" " * (-(HEADER.size + len(tree)) % ALIGN)
    return b"".join([HEADER.pack(len(tree), position[0]), tree, *buffers])


def _text(value: Any, buffers: list[bytes], position: list[int], known: dict[tuple, str] | None) -> str:
    """The header's part for `value`, as JSON: written at once, as most of it are tensors, each of a few characters."""
    kind = type(value)
    if kind in (type(None), bool, int, float, str):
        return json.dumps(value)
    if kind is tuple or kind is list:
        return ",".join(['["t"' if kind is tuple else '["l"', *[_text(item, buffers, position, known) for item in value]]) + "]"
    if kind is dict:
        return ",".join(['["d"', *[f"[{json.dumps(key)},{_text(item, buffers, position, known)}]" for key, item in value.items()]]) + "]"
    if kind is torch.Tensor or kind is torch.nn.Parameter:
        if known is None:
            return _tensor_text(value, buffers, position)
        same = memory_of(value)
        if same not in known:
            known[same] = _tensor_text(value, buffers, position)
        return known[same]
    raise Unsupported(describe_type(value))


def memory_of(tensor: torch.Tensor) -> tuple:
    """The same for two tensors that are one: the same entries of the same memory. No two empty ones are."""
    return (tensor.data_ptr() or id(tensor), tensor.dtype, tensor.shape, tensor.stride())


def _tensor_text(tensor: torch.Tensor, buffers: list[bytes], position: list[int]) -> str:
    data = _tensor_bytes(tensor.detach())
    offset, padding = position[0], -len(data) % ALIGN
    buffers.append(data)
    if padding:
        buffers.append(_PADDING[:padding])
    position[0] += len(data) + padding
    return f'["T","{NAMES[tensor.dtype]}",[{",".join(map(str, tensor.shape))}],{offset}]'


_PADDING = bytes(ALIGN)


def _tensor_bytes(tensor: torch.Tensor) -> bytes:
    if tensor.dtype is torch.bfloat16:
        tensor = tensor.contiguous().view(torch.int16)
    return tensor.numpy().tobytes()


def decode(payload: bytes | bytearray | memoryview, *, max_header: int = MAX_HEADER) -> Any:
    """The value that `payload` stands for. Tensors share memory with `payload`. Raises `WireError`."""
    return _value(*_opened(payload, max_header), 0)


def decode_each(payload: bytes | bytearray | memoryview) -> Iterator[Iterator[Any]]:
    """The items of the lists in a list that `payload` stands for, each made when it is asked for; otherwise as `decode`."""
    tree, buffers = _opened(payload, MAX_HEADER)
    for outer in _listed(tree):
        yield (_value(inner, buffers, 2) for inner in _listed(outer))


def _listed(tree: Any) -> list:
    if type(tree) is not list or tree[:1] != ["l"]:
        raise WireError("no list of lists")
    return tree[1:]


def _opened(payload: bytes | bytearray | memoryview, max_header: int) -> tuple[Any, memoryview]:
    """The header, read, and the buffers."""
    view = memoryview(bytearray(payload) if isinstance(payload, bytes) else payload)  # torch wants writable memory
    if len(view) < HEADER.size:
        raise WireError("frame shorter than its header")
    tree_size, buffer_size = HEADER.unpack_from(view)
    if tree_size > max_header:
        raise WireError(f"a header of {tree_size} bytes")
    if HEADER.size + tree_size + buffer_size != len(view):
        raise WireError("the sizes in the header do not add up")
    try:
        tree = json.loads(bytes(view[HEADER.size:HEADER.size + tree_size]))
    except (ValueError, RecursionError) as error:
        raise WireError(f"header is not JSON: {type(error).__name__}") from None
    return tree, view[HEADER.size + tree_size:]


def _value(tree: Any, buffers: memoryview, depth: int) -> Any:
    if type(tree) is not list:
        if type(tree) is dict:
            raise WireError("unexpected object in the header")
        if type(tree) is int and tree.bit_length() > 256:
            raise WireError("integer too large")
        return tree
    if depth > MAX_DEPTH or not tree:
        raise WireError("nested too deep, or an empty node")
    tag, items = tree[0], tree[1:]
    if tag == "T":
        return _tensor(items, buffers)
    if tag == "d":
        if not all(type(pair) is list and len(pair) == 2 and type(pair[0]) is str for pair in items):
            raise WireError("malformed dict")
        return {key: _value(item, buffers, depth + 1) for key, item in items}
    if tag not in ("t", "l"):
        raise WireError("unknown tag")
    values = [_value(item, buffers, depth + 1) for item in items]
    return tuple(values) if tag == "t" else values


def _tensor(items: list, buffers: memoryview) -> torch.Tensor:
    if len(items) != 3 or type(items[0]) is not str or type(items[1]) is not list or type(items[2]) is not int:
        raise WireError("malformed tensor")
    name, shape, offset = items
    if name not in DTYPES or len(shape) > MAX_DIMS:
        raise WireError("unknown dtype or too many dimensions")
    volume = 1  # empty axes counted as 1
    for size in shape:
        if type(size) is not int or not 0 <= size < MAX_DIM:
            raise WireError("dimension out of range")
        volume *= size or 1
    if volume > MAX_DIM:
        raise WireError("shape too large")
    dtype = DTYPES[name]
    count = 0 if 0 in shape else volume
    if offset < 0 or offset % ALIGN or offset + count * dtype.itemsize > len(buffers):
        raise WireError("tensor outside its buffer")
    if count == 0:
        return torch.empty(shape, dtype=dtype)
    if dtype is torch.bool:  # a byte other than 0 and 1 in a bool tensor is undefined behaviour
        raw = np.frombuffer(buffers, dtype=np.uint8, count=count, offset=offset)
        return torch.from_numpy(raw != 0).reshape(shape)
    if name in _ARRAYS:
        return torch.from_numpy(np.ndarray(shape, _ARRAYS[name], buffers, offset))
    return torch.frombuffer(buffers, dtype=dtype, count=count, offset=offset).reshape(shape)


def send(channel: socket.socket, nonce: int, payloads: list[bytes]) -> None:
    """Send one frame a payload, in as few calls as may be: each call wakes the other end, which costs more than the bytes do."""
    waiting: list[bytes] = []
    for payload in payloads:
        waiting += [FRAME.pack(nonce, len(payload)), payload]
        if len(payload) > JOINED:
            channel.sendall(b"".join(waiting))
            waiting = []
    if waiting:
        channel.sendall(b"".join(waiting))


def receive(channel: socket.socket, *, left: Callable[[], float] | None = None) -> tuple[int, bytearray]:
    """Receive one frame: its nonce and payload. `left` says how many seconds more may be waited.

    Raises `WireError` on an over-long frame, `EOFError` when the other end is gone, `TimeoutError` when nothing is left.
    """
    nonce, size = FRAME.unpack(_exactly(channel, FRAME.size, left))
    if size > MAX_FRAME:
        raise WireError(f"frame of {size} bytes")
    return nonce, _exactly(channel, size, left)


def _exactly(channel: socket.socket, size: int, left: Callable[[], float] | None) -> bytearray:
    data = bytearray(size)
    view, filled = memoryview(data), 0
    while filled < size:
        if left is not None:
            seconds = left()
            if seconds <= 0:
                raise TimeoutError
            channel.settimeout(seconds)
        try:
            count = channel.recv_into(view[filled:])
        except TimeoutError:
            continue  # there may be more time by now
        if count == 0:
            raise EOFError("the other end closed the channel")
        filled += count
    return data
