"""Every kind of odd result has its own sentence, and the worker's door and the desk's say the same."""

from __future__ import annotations

import math
import time

import pytest
import torch
from support import exercise_of

from autograder.assignment import public_exercises
from autograder.box import start_box
from autograder.course import Limits
from autograder.desk import verdict_at_the_desk
from autograder.exercise import PUBLIC
from autograder.explore import first_failure
from autograder.rebuild import STUDENT, Cell
from autograder.run import Run
from autograder.student import Student
from autograder.verdict import judged

HEAD = ("import numpy as np, torch\ndef softmax(Z, dim=-1):\n    E = torch.exp(Z - Z.amax(dim, keepdim=True))\n"
        "    A = E / E.sum(dim, keepdim=True)\n    return ")
MASK = "import torch\ndef causal_mask(N):\n    M = torch.ones(N, N, dtype=torch.bool).tril()\n    return "
COUNT = ("import torch\ndef attention_parameters(D, H, bias=True):\n    if D % H: raise ValueError(D)\n    n = 4 * D * D + 4 * D * bias\n"
         "    return ")
CANNOT = "which cannot be compared"

# what the function returns: what is said of it, or None where it passes
NUMBERS = {
    "A": None,
    "A.float()": None,
    "A.half()": None,
    "A.bfloat16()": None,
    "A.clone().requires_grad_()": None,
    "torch.nn.Parameter(A)": None,
    "torch.nn.Buffer(A)": None,
    "A.numpy()": None,
    "A.numpy().astype(np.longdouble)": None,
    "A.numpy().astype('>f8')": None,
    "A.mT.contiguous().mT if A.dim() > 1 else A": None,
    "A.to(torch.complex128).conj().real": None,
    "A * math.nan": "the result holds NaN where numbers are expected",
    "A + math.inf": "holds an infinity where a number is expected",
    "A - math.inf": "is negative or not a number",
    "A + 1e300": "expected 1, got 2e+300",
    "A[..., :0]": "softmax(Z) has the wrong shape (it is empty): (1, 0) instead of (1, 2)",
    "A.sum(dim, keepdim=True)": "has the wrong shape (it would only broadcast to the right one): (1, 1) instead of (1, 2)",
    "A.sum()": "(it would only broadcast to the right one): () instead of (1, 2)",
    "A[None]": "softmax(Z) has the wrong shape: (1, 1, 2) instead of (1, 2)",
    "torch.zeros(2**21)": "(2097152,) instead of (1, 2)",
    "A.long()": "expected 1, got 0",
    "A > 2": "expected 1, got 0",
    "A.to(torch.uint16)": "expected 1, got 0",
    "A.to(torch.complex128)": "softmax(Z) is complex; real numbers are expected",
    "A.to(torch.float8_e4m3fn)": f"a tensor of dtype torch.float8_e4m3fn, {CANNOT}",
    "torch.quantize_per_tensor(A.float(), 0.1, 0, torch.quint8)": f"a tensor of dtype torch.quint8, {CANNOT}",
    "A.to_sparse()": f"a sparse tensor of layout torch.sparse_coo, {CANNOT}; return it with .to_dense()",
    "A.reshape(-1, A.shape[-1]).to_sparse_csr()": "a sparse tensor of layout torch.sparse_csr",
    "A.float().to_mkldnn()": f"a tensor of layout torch._mkldnn, {CANNOT}",
    "torch.nested.nested_tensor([A.reshape(-1)])": f"a nested tensor, {CANNOT}; return a plain one",
    "A.to('meta')": f"a tensor on the device meta, {CANNOT}",
    "A.as_subclass(type('Mine', (torch.Tensor,), {}))": None,
    "torch.masked.masked_tensor(A, A > 0)": "a subclass of torch.Tensor",
    "np.ma.masked_array(A.numpy())": "a masked NumPy array",
    "np.array(A.tolist(), dtype=object)": "a NumPy array of objects",
    "np.array(['a'])": "a NumPy array of text",
    "np.zeros(2**23)": "a NumPy array of 8,388,608 entries",
    "torch.zeros(2**23, 2)": "a tensor of 16,777,216 entries",
    "A.reshape(-1)[:1].expand(2**31)": "a tensor of 2,147,483,648 entries",
    "[A] * 200_000": "a value of more than 20,000 parts",
    "A.tolist()": "softmax(Z) must be a tensor, and is a list of 1",
    "(A,)": "softmax(Z) must be a tensor, and is a tuple of 1",
    "None": "softmax(Z) must be a tensor, and is None (is a return statement missing?).",
    "0.5": "must be a tensor, and is a value of type float",
    "str(A)": "must be a tensor, and is a value of type str",
    "{'A': A}": "must be a tensor, and is a value of type dict",
    "{1: A}": "a dict whose keys are not all strings",
    "1j": "an object of type complex",
    "(a for a in A)": "an object of type generator",
    "lambda: A": "an object of type function",
    "torch.nn.Identity()": f"a module and not what it gives when it is called, {CANNOT}; call it",
    "torch.Tensor": "the result is a class",
    "type('set', (), {})()": "an object of type set",
    "type('Mine', (), {})()": "an object of a class that the checks do not know",
    "10 ** 100": "an int of more than 256 bits",
    "'x' * 10**6": "a string of more than 100,000 characters",
}
MASKS = {
    "M": None, "M.int()": None, "M.double()": None, "M.numpy()": None, "M.to_sparse().to_dense()": None, "M.to(torch.uint8)": None,
    "M.double() / 2": "the mask must hold True and False only, and has dtype torch.float64",
    "M.double().log()": "holds an infinity where True or False is expected",
    "M.double() * math.nan": "holds NaN where True or False is expected",
    "M.int() - 1": "must hold True and False only",
    "M + 0j": "is complex",
    "M[None]": "has the wrong shape",
    "M[:1]": "(it would only broadcast to the right one)",
    "M[:0]": "(it is empty)",
    "M.to_sparse()": "a sparse tensor",
}
COUNTS = {
    "n": None, "float(n)": None, "torch.tensor(n)": None, "torch.tensor(float(n))": None, "np.int64(n)": None, "np.array(n)": None,
    "n + 0.5": "must hold whole numbers only",
    "math.nan": "holds NaN where a whole number is expected",
    "math.inf": "holds an infinity where a whole number is expected",
    "n + 10**30": "holds a number far beyond what is expected: 1e+30",
    "1e300": "holds a number far beyond what is expected: 1e+300",
    "n + 1": "is not what it should be",
    "n + 0j": "an object of type complex",
    "[n]": "must be a tensor, and is a list of 1",
    "torch.tensor([n])": "has the wrong shape",
    "str(n)": "a value of type str",
    "None": "is a return statement missing?",
}
TABLE = [*(("attention", "softmax", HEAD, value, said) for value, said in NUMBERS.items()),
         *(("attention", "causal_mask", MASK, value, said) for value, said in MASKS.items()),
         *(("multihead", "attention_parameters", COUNT, value, said) for value, said in COUNTS.items())]


@pytest.fixture(scope="module")
def run():
    """A real worker in the best box of this machine."""
    box = start_box(Limits())
    made = Run(box, Limits(), time.monotonic() + 600)
    yield made
    made.close()
    box.close()


def messages(checks) -> list[str]:
    """What failing checks say, without the name of the mistake, which only a whole exercise can have."""
    return [verdict.message.partition(" It behaves like ")[0] for verdict in checks if verdict.outcome != "correct"]


def at_the_worker(run, exercise, source) -> list[str]:
    """What the public checks say of the worker's answers, told on the build's small cases."""
    run.cell(Cell("solution", "code", "import math, numpy as np\n" + source, "cell", {}, STUDENT, "the cell"))
    student = Student(lambda operation: run.call(exercise, operation), exercise)
    failures = [(check, first_failure(check, student, exercise.small_cases[check.name]))
                for check in exercise.checks if check.visibility == PUBLIC]
    return messages(judged(exercise, check, known.error, known.case) for check, known in failures if known)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("assignment, name, head, value, said", TABLE, ids=[f"{case[1]}: {case[3]}" for case in TABLE])
def test_each_kind_of_result_has_its_own_sentence_at_both_doors(run, assignment, name, head, value, said):
    exercise, source = public_exercises(assignment)[name], head + value + "\n"
    space = {"math": math, "np": __import__("numpy"), "torch": torch}
    exec(source, space)
    at_the_desk = messages(verdict_at_the_desk(exercise, space[name]).checks)
    in_grading = at_the_worker(run, exercise, source)
    assert at_the_desk == in_grading
    assert in_grading == [] if said is None else any(said in message for message in in_grading), in_grading


@pytest.mark.parametrize("value, remark", [("A.float()", "torch.float32 although float64 went in"), ("A.half()", "torch.float16"),
                                           ("A.long()", "torch.int64, which holds whole numbers only"),
                                           ("A > 2", "torch.bool, which holds only True and False")])
def test_another_dtype_is_remarked_on(value, remark):
    space: dict = {}
    exec(HEAD + value + "\n", space)
    assert any(remark in one for one in verdict_at_the_desk(public_exercises("attention")["softmax"], space["softmax"]).remarks)


@pytest.mark.parametrize("value", ["A.clone().requires_grad_()", "torch.nn.Parameter(A)", "A.detach()"])
def test_no_gradient_is_remarked_on_and_a_result_that_requires_one_is_fine(grade, value):
    exercise = exercise_of(grade({"softmax": HEAD + value + "\n"}), "softmax")
    assert exercise.outcome == "correct"
    assert any("No gradient" in remark for remark in exercise.remarks) == (value != "A.clone().requires_grad_()")


def test_hidden_checks_say_the_kind_and_no_number(grade):
    for value in ("A * float('nan')", "A[..., :0]", "A.to_sparse()"):
        checks = [c for c in exercise_of(grade({"softmax": HEAD + value + "\n"}), "softmax").checks if c.visibility == "hidden"]
        assert all(c.message and not any(letter.isdigit() for letter in c.message) for c in checks), value
