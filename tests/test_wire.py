"""The wire: what goes in comes out, and nothing hostile does harm."""

import json
import struct

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.untrusted import plain, wire

DTYPES = list(plain.DTYPES.values())


@st.composite
def tensors(draw):
    shape = draw(st.lists(st.integers(0, 4), max_size=4))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 1000)))
    return (torch.rand(shape, generator=generator) * 4 - 1).to(draw(st.sampled_from(DTYPES)))


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2**200, 2**200), st.floats(), st.text(max_size=20), tensors()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.lists(inner, max_size=4).map(tuple),
                            st.dictionaries(st.text(max_size=5), inner, max_size=3)), max_leaves=12)


def same(one, other) -> bool:
    if isinstance(one, torch.Tensor):
        return isinstance(other, torch.Tensor) and one.dtype == other.dtype and one.shape == other.shape and bool(
            torch.equal(torch.nan_to_num(one.to(torch.complex128)), torch.nan_to_num(other.to(torch.complex128))))
    if isinstance(one, (list, tuple)):
        return type(one) is type(other) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return type(other) is dict and one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    return type(one) is type(other) and (one == other or one != one and other != other)


@given(values)
@settings(max_examples=300, deadline=None)
def test_round_trip(value):
    assert same(value, wire.decode(wire.encode(plain.plain(value))))


@given(values, st.data())
@settings(max_examples=400, deadline=None)
def test_a_mutated_frame_is_refused_or_is_plain_data(value, data):
    payload = bytearray(wire.encode(plain.plain(value)))
    for _ in range(data.draw(st.integers(1, 6))):
        payload[data.draw(st.integers(0, len(payload) - 1))] = data.draw(st.integers(0, 255))
    try:
        plain.plain(wire.decode(payload[: data.draw(st.integers(0, len(payload)))]))
    except (wire.WireError, plain.Unsupported):
        pass


def frame(tree, buffers: bytes = b"") -> bytes:
    text = json.dumps(tree).encode()
    text += b" " * (-(16 + len(text)) % 16)
    return struct.pack("<QQ", len(text), len(buffers)) + text + buffers


@pytest.mark.parametrize("tree", [
    ["T", "float64", [0, 2**62], 0], ["T", "float64", [-1], 0], ["T", "float64", [2**20, 2**20], 0], ["T", "float64", [1], 8],
    ["T", "float64", [1], -16], ["T", "object", [1], 0], ["T", "float64", [1] * 9, 0], ["T", "float64", [True], 0],
    ["T", "float64", [1.0], 0], ["T", [], [1], 0], ["T"], ["x", 1], [], {"a": 1}, ["d", ["k"]], ["d", [1, 2]], [["t"]], 2**300])
def test_a_malformed_header_is_refused(tree):
    with pytest.raises(wire.WireError):
        wire.decode(frame(tree))


def test_nesting_beyond_reason_is_refused():
    with pytest.raises(wire.WireError):
        wire.decode(struct.pack("<QQ", 200_000, 0) + b"[" * 200_000)
    tree = 1
    for _ in range(plain.MAX_DEPTH + 3):
        tree = ["l", tree]
    with pytest.raises(wire.WireError):
        wire.decode(frame(tree))


def test_a_bool_tensor_of_other_bytes_becomes_a_sound_one():
    decoded = wire.decode(frame(["T", "bool", [4], 0], bytes([0, 1, 2, 255]) + bytes(12)))
    assert decoded.tolist() == [False, True, True, True] and int(decoded.sum()) == 3


class Agrees(torch.Tensor):
    """Says that it is whatever it is asked for."""

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return True


@pytest.mark.parametrize("value, said", [
    (torch.rand(2, 2).to_sparse(), "sparse"), (lambda: 0, "function"),
    (object(), "object"), ({1: 2}, "keys"), (np.array(["a"]), "NumPy"), (2**300, "bits"), (torch.empty(0, device="meta"), "device")])
def test_what_is_not_plain_is_named(value, said):
    with pytest.raises(plain.Unsupported, match=said):
        plain.plain(value)


def test_what_students_return_becomes_plain():
    assert plain.plain(np.float32(1.5)).dtype is torch.float32
    assert plain.plain(torch.nn.Parameter(torch.ones(2))).requires_grad is False
    assert plain.plain(torch.Size([2, 3])) == (2, 3)
    assert plain.plain(torch.ones(2, 3).T).tolist() == [[1, 1]] * 3
    assert type(plain.plain(torch.ones(2).as_subclass(Agrees))) is torch.Tensor


def test_the_same_tensor_in_two_places_stays_one_where_asked_for():
    """``layer(X, X)`` reaches a student as a call on one tensor, and a deck that was kept on disk still says so."""
    X, empty = torch.arange(6.0).reshape(2, 3), torch.empty(0, 3)
    for _ in range(2):  # what is decoded is encoded as the same
        one, two, turned, (again,), copy, *_ = value = (X, X, X.T, [X], X.clone(), empty, torch.empty(0, 3))
        payload = wire.encode(value, once=True)
        assert len(payload) < len(wire.encode(value))
        value = wire.decode(payload)
        assert same(value, wire.decode(wire.encode(value)))
        memory = [tensor.data_ptr() for tensor in (value[0], value[1], value[3][0])]
        assert len(set(memory)) == 1 and value[4].data_ptr() not in memory and value[2].data_ptr() not in memory
        X = value[0]
