"""Attacks that try to fool the comparison: it must not happen where the student's code can reach it."""

import pytest
import torch

from autograder.case import Case, running
from autograder.compare import Mismatch, assert_close

HEAD = "def softmax(Z, dim=-1):\n"

FOOLING = {
    "torch_allclose_patched": "torch.allclose = torch.equal = torch.isclose = lambda *a, **k: True\n" + HEAD + "    return Z\n",
    "torch_testing_patched": "torch.testing.assert_close = lambda *a, **k: None\n" + HEAD + "    return Z\n",
    "tensor_operators_patched": ("for name in ('__eq__', '__le__', '__lt__', '__gt__', 'all', 'any', 'allclose'):\n"
                                 "    setattr(torch.Tensor, name, lambda *a, **k: torch.ones((), dtype=torch.bool))\n" + HEAD + "    return Z\n"),
    "numpy_patched": ("import numpy as np\nnp.allclose = np.isclose = lambda *a, **k: True\n"
                      "np.testing.assert_allclose = lambda *a, **k: None\nnp.abs = lambda a, **k: a * 0\n" + HEAD + "    return Z\n"),
    "builtins_patched": ("import builtins\nbuiltins.all = builtins.any = lambda *a: True\nbuiltins.isinstance = lambda *a: True\n"
                         + HEAD + "    return Z\n"),
    "tensor_subclass": ("class Agrees(torch.Tensor):\n    @classmethod\n    def __torch_function__(cls, f, t, a=(), k=None):\n"
                        "        return True\n" + HEAD + "    return Z.as_subclass(Agrees)\n"),
    "parameter_subclass": "class P(torch.nn.Parameter):\n    pass\n" + HEAD + "    return P(Z)\n",
    "always_equal_object": ("class E:\n    __eq__ = __le__ = __lt__ = __ge__ = lambda s, o: True\n    __sub__ = __abs__ = lambda s, *o: 0\n"
                            "    __float__ = lambda s: 0.0\n    __getattr__ = lambda s, n: s\n    __call__ = lambda s, *a, **k: s\n"
                            + HEAD + "    return E()\n"),
    "array_conversion": ("import sys\nclass A:\n    def __array__(self, *a, **k):\n        return sys._getframe(1).f_locals['expected']\n"
                         + HEAD + "    return A()\n"),
    "float_subclass": "class F(float):\n    __eq__ = lambda s, o: True\n    __hash__ = None\n" + HEAD + "    return F(1)\n",
    "list_that_answers": "class L(list):\n    __eq__ = lambda s, o: True\n" + HEAD + "    return L(Z.tolist())\n",
    "nan_everywhere": HEAD + "    return Z * float('nan')\n",
    "infinity_everywhere": HEAD + "    return torch.full_like(Z, float('inf'))\n",
    "half_precision_infinity": HEAD + "    return torch.full_like(Z, float('inf')).bfloat16()\n",
    "broadcasting_scalar": HEAD + "    return torch.ones(())\n",
    "broadcasting_row": HEAD + "    return torch.ones(1, 1, 1)\n",
    "empty_result": HEAD + "    return torch.empty(0)\n",
    "complex_result": HEAD + "    return torch.complex(Z, Z)\n",
    "nothing": HEAD + "    return None\n",
    "reference_from_the_frames": ("import sys\n" + HEAD + "    f = sys._getframe()\n    while f:\n        for scope in (f.f_locals, f.f_globals):\n"
                                  "            for n in ('expected', 'reference', 'agrees_with_the_reference', 'wanted'):\n"
                                  "                if n in scope:\n                    return scope[n]\n        f = f.f_back\n    return Z\n"),
    "reference_from_the_collector": ("import gc\n" + HEAD + "    found = [o for o in gc.get_objects() if getattr(o, '__name__', '') == 'softmax'"
                                     "\n             and 'solutions' in str(getattr(o, '__module__', ''))]\n    return found[0](Z, dim) if found else Z\n"),
    "skip_test": "import unittest\n" + HEAD + "    raise unittest.SkipTest('skipped')\n",
    "hypothesis_assumption": ("try:\n    from hypothesis.errors import UnsatisfiedAssumption as E\nexcept ImportError:\n    E = KeyError\n"
                              + HEAD + "    raise E()\n"),
    "assertion_error": HEAD + "    raise AssertionError\n",
    "written_later_by_a_thread": ("import threading, time\nout = torch.zeros(1)\ndef later(o):\n    time.sleep(0.001)\n    o.fill_(1.0)\n"
                                  + HEAD + "    o = torch.zeros_like(Z)\n    threading.Thread(target=later, args=(o,)).start()\n    return o\n"),
}


@pytest.mark.parametrize("source", FOOLING.values(), ids=FOOLING.keys())
def test_earns_nothing(attack, source):
    """The answer is judged for what it is: no point."""
    attacked = attack({"softmax": source})
    attacked.earns_nothing()


def test_the_grader_keeps_its_own_functions(attack):
    """What is patched in the worker is not patched here."""
    before = (torch.allclose, torch.Tensor.__eq__, torch.testing.assert_close)
    attack({"softmax": FOOLING["torch_allclose_patched"] + FOOLING["tensor_operators_patched"]}).earns_nothing()
    assert (torch.allclose, torch.Tensor.__eq__, torch.testing.assert_close) == before


def test_mask_of_halves_is_no_mask(attack):
    """0.5 is neither True nor False."""
    attack({"causal_mask": "def causal_mask(N):\n    return torch.full((N, N), 0.5)\n"}).earns_nothing("causal_mask")


COARSE = (HEAD + "    weights = torch.exp(Z - Z.max(dim=dim, keepdim=True).values)\n"
          "    wrong = weights / (weights.sum(dim=dim, keepdim=True) + 1e-3)\n    return wrong{}\n")


@pytest.mark.parametrize("ending", ["", ".half()", ".bfloat16().detach()"])
def test_wrong_answer_blurred_by_a_coarse_dtype(attack, ending):
    """An answer that is wrong by a thousandth, returned in a dtype too coarse to show it."""
    attacked = attack({"softmax": COARSE.format(ending)})
    attacked.harms_no_other()
    assert attacked.exercise().score <= attacked.exercise().max_score / 2


def test_infinity_expected_and_a_coarse_dtype():
    """Where infinity is expected, a finite number is wrong in every dtype."""
    with running(Case(rounding=1e-7)), pytest.raises(Mismatch):
        assert_close(torch.zeros(2), torch.full((2,), float("inf")), what="x")
