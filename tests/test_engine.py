"""The engine: one notebook at a time through the real worker and judge."""

import json

import pytest
import torch
from support import ROOT, cells_of, exercise_of

from autograder.answers import answer_source
from autograder.assignment import with_staff_half

HEAD = "def softmax(Z, dim=-1):\n"


def own_cell(source, at=3, **more):
    def change(notebook):
        notebook["cells"].insert(at, {"cell_type": "code", "id": f"own{at}", "metadata": {}, "source": source, "outputs": [], **more})
    return change


def test_a_failure_is_told_in_the_one_format(grade):
    source = answer_source(ROOT / "solutions/attention/scaled_dot_product_attention.py", "without_the_scale", "scaled_dot_product_attention")
    exercise = exercise_of(grade({"scaled_dot_product_attention": source}), "scaled_dot_product_attention")
    check = next(c for c in exercise.checks if c.name == "weights_follow_the_scaled_scores")
    example = check.counterexample
    assert "expected" in check.message and "never divided by sqrt(D_k)" in check.message and check.hint
    assert len(example.reproduce) == 3 and example.expected and example.got and example.differs_at
    space = {"torch": torch}
    exec(source, space)  # the three lines run as they stand, below the student's answer
    exec("\n".join(example.reproduce), space)
    assert torch.softmax(space["Q"] @ space["K"].mT / space["Q"].shape[-1] ** 0.5, -1).shape == space["alpha"].shape
    assert sum(space[name].numel() for name in "QKV") <= 16, "the smallest input should be small"


def test_hidden_checks_show_no_expected_values_and_no_student_text(grade, grader):
    source = "def causal_mask(N):\n    raise RuntimeError(f'secret {N}')\n"
    softmax = HEAD + "    return (Z - Z.min(dim, keepdim=True).values) / 3\n"
    outcome = grade({"causal_mask": source, "softmax": softmax})
    for exercise in outcome.result.exercises:
        for check in exercise.checks:
            if check.visibility == "hidden" and check.outcome != "correct":
                assert "secret" not in check.message and "expected" not in check.message
                if check.counterexample is not None:
                    assert check.counterexample.expected is None and check.counterexample.got is None
    public = exercise_of(outcome, "causal_mask").checks[0]
    assert public.outcome == "raised" and "RuntimeError" in public.message and "line 2" in public.message


def test_hidden_examples_come_from_the_build_and_not_from_the_deck(grade):
    from autograder.rendering import literal
    softmax = HEAD + "    return (Z - Z.min(dim, keepdim=True).values) / 3\n"
    shown = {c.name: c.counterexample.reproduce[0] for c in exercise_of(grade({"softmax": softmax}), "softmax").checks
             if c.visibility == "hidden" and c.counterexample}
    assert len(shown) >= 2
    for name, line in shown.items():
        known = [value for case in with_staff_half("attention", ROOT)["softmax"].small_cases[name] for value in _tensors(case)]
        assert any(literal(value) in line for value in known), name


def _tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else []
    return [tensor for item in items for tensor in _tensors(item)]


@pytest.mark.parametrize("body, outcome, said", [
    ("    while True:\n        pass\n", "limit", "seconds"),
    ("    import os\n    os._exit(0)\n", "limit", "ended the whole Python process"),
    ("    return torch.empty(2 ** 36)\n", "limit", "memory"),
    ("    raise SystemExit(0)\n", "raised", "SystemExit"),
    ("    raise KeyboardInterrupt\n", "raised", "KeyboardInterrupt"),
    ("    return softmax(Z)\n", "raised", "Recursion"),
    ("    return Z.softmx(dim)\n", "raised", "softmx"),
    ("    return torch.zeros(Z.shape) @ Z\n", "raised", "float64"),
    ("    return None\n", "wrong", "return statement"),
    ("    return Z.tolist()\n", "wrong", "must be a tensor"),
    ("    return Z.to_sparse()\n", "wrong", "sparse"),
    ("    return torch.zeros(2 ** 23, 2)\n", "wrong", "entries"),
])
def test_what_goes_wrong_costs_only_its_exercise_and_is_said(grade, body, outcome, said):
    result = grade({"softmax": HEAD + body})
    softmax = exercise_of(result, "softmax")
    assert softmax.score == 0 and softmax.outcome == outcome
    assert any(said in check.message for check in softmax.checks)
    assert result.result.score == result.result.max_score - softmax.max_score


def test_only_the_check_that_hangs_is_lost(grade):
    source = HEAD + "    while Z.dim() == 1:\n        pass\n    return torch.exp(Z - torch.logsumexp(Z, dim, keepdim=True))\n"
    softmax = exercise_of(grade({"softmax": source}), "softmax")
    lost = {check.name for check in softmax.checks if check.outcome == "limit"}
    assert lost == {"the_axis_is_the_one_asked_for", "agrees_with_the_reference"}
    assert all(check.outcome == "correct" for check in softmax.checks if check.name not in lost)


def test_a_cell_that_kills_or_hangs_costs_only_itself(grade):
    for source in ("import os\nos._exit(1)", "import ctypes\nctypes.string_at(0)"):
        result = grade(change=own_cell(source)).result
        assert result.score == result.max_score and any("stopped and left out" in remark for remark in result.remarks)


@pytest.mark.parametrize("source", [
    "%%time\n" + HEAD + "    return torch.exp(Z - torch.logsumexp(Z, dim, keepdim=True))",
    "%load_ext autoreload\n%autoreload 2\n" + HEAD + "    return torch.exp(Z - torch.logsumexp(Z, dim, keepdim=True))",
    "    " + HEAD + "        return torch.exp(Z - torch.logsumexp(Z, dim, keepdim=True))",
    ">>> def softmax(Z, dim=-1):\n...     return torch.exp(Z - torch.logsumexp(Z, dim, keepdim=True))\n",
    "import asyncio\nawait asyncio.sleep(0)\n" + HEAD + "    return torch.exp(Z - torch.logsumexp(Z, dim, keepdim=True))",
    "1 / 0\n" + HEAD + "    return torch.exp(Z - torch.logsumexp(Z, dim, keepdim=True))\nundefined\nx = 3",
    "import inspect\n" + HEAD + "    return torch.exp(Z - torch.logsumexp(Z, dim, keepdim=True))\n"
    "assert 'logsumexp' in inspect.getsource(softmax) and softmax.__module__ == '__main__' and 'inspect' in In[-1]",
    "!ls\n!pip install nothing\n" + HEAD + "    return torch.exp(Z - torch.logsumexp(Z, dim, keepdim=True))",
    "\ufeff" + HEAD + "    return torch.exp(Z - torch.logsumexp(Z, dim, keepdim=True))\0",
    "softmax = lambda Z, dim=-1: torch.exp(Z - torch.logsumexp(Z, dim, keepdim=True))",
    "import warnings\n" + HEAD + "    warnings.warn('careful')\n    print('x' * 100)\n    return torch.exp(Z - torch.logsumexp(Z, dim, keepdim=True))",
    "class S:\n    def __call__(self, Z, dim=-1):\n        return torch.exp(Z - torch.logsumexp(Z, dim, keepdim=True))\nsoftmax = S()",
    "from autograder import check\n" + HEAD + "    return torch.exp(Z - torch.logsumexp(Z, dim, keepdim=True))\ncheck(softmax)",
    "from IPython.display import display, HTML\ndisplay(HTML('<b>x</b>'))\nget_ipython().run_line_magic('time', '1')\n" + HEAD +
    "    return torch.exp(Z - torch.logsumexp(Z, dim, keepdim=True))"])
def test_what_works_in_jupyter_works_here(grade, source):
    assert exercise_of(grade({"softmax": source}), "softmax").outcome == "correct"


def test_checks_see_the_notebook_as_it_was_at_their_cell(grade):
    source = "factor = 1.0\n" + HEAD + "    return factor * torch.exp(Z - torch.logsumexp(Z, dim, keepdim=True))"
    change = own_cell("factor = 7.0", at=20)
    assert exercise_of(grade({"softmax": source}, change=change), "softmax").outcome == "correct"
    assert exercise_of(grade({"softmax": source}, change=own_cell("x = 1", at=20)), "softmax").outcome == "correct"


def test_output_is_kept_bounded_and_never_shown_as_html(grade):
    flood = "print('a' * 10_000_000)\nfrom IPython.display import HTML\nHTML('<script>alert(1)</script>')"
    outcome = grade(change=own_cell(flood))
    cell = next(cell for cell in cells_of(outcome.notebook) if flood in cell["source"])
    text = json.dumps(cell["outputs"])
    assert outcome.result.score == outcome.result.max_score and 1000 < len(text) < 200_000 and "<script>" not in text


def test_a_forbidden_function_is_flagged_and_costs_nothing(grade):
    for source in ("def softmax(Z, dim=-1):\n    return torch.softmax(Z, dim)", "import torch.nn.functional as G\n" + HEAD + "    return G.softmax(Z, dim)",
                   "from torch.nn.functional import softmax as s\n" + HEAD + "    return s(Z, dim)", HEAD + "    return Z.softmax(dim)"):
        exercise = exercise_of(grade({"softmax": source}), "softmax")
        assert exercise.outcome == "correct" and any("For a person to look at" in remark for remark in exercise.remarks), source
    assert not exercise_of(grade(), "softmax").remarks


def test_the_same_submission_gets_the_same_result_twice(grade):
    source = answer_source(ROOT / "solutions/attention/softmax.py", "one_global_maximum", "softmax")
    first, second = grade({"softmax": source}), grade({"softmax": source})
    assert first == second


def test_the_graders_own_fault_is_an_outcome_and_not_the_students(grade, grader, monkeypatch):
    def broken(*args, **kwargs):
        raise ZeroDivisionError("a bug of ours")
    monkeypatch.setattr("autograder.engine.judge", broken)
    result = grade().result
    assert result.outcome == "grader_fault" and "not the student's fault" in result.exercises[0].checks[0].message


@pytest.mark.parametrize("source, rest", [
    ("%%bash\npip install nothing\necho 1 > note", ""), ("%%sh\nls", ""), ("%%script bash --out found\nls", ""), ("%%perl\nprint 1;", ""),
    ("%%python3\nprint(1)", ""), ("!ls", "factor = 2"), ("files = !ls", "factor = 2"), ("!!ls", "factor = 2"), ("%pip install nothing", "factor = 2"),
    ("%sx ls", "factor = 2"), ("import subprocess\nsubprocess.run(['ls'])", "factor = 2"), ("import os\nos.fork()", "factor = 2"),
    ("get_ipython().system('ls')", "factor = 2")])
def test_a_shell_command_is_not_run_and_only_its_own_effect_is_missing(grade, grader, source, rest):
    if source.startswith("import") and grader.box.level == "none":
        pytest.skip("no sandbox on this machine: a program is started")
    answer = HEAD + "    return factor / 2 * torch.exp(Z - torch.logsumexp(Z, dim, keepdim=True))"
    cell = f"{source}\n{rest}" if rest else source
    outcome = grade({"softmax": answer if rest else "factor = 2\n" + answer}, change=own_cell(cell))
    said = [remark for remark in outcome.result.remarks if "shell commands and other programs are not run in grading" in remark]
    assert outcome.result.score == outcome.result.max_score
    assert len(said) == 1 and "line" in said[0] and "nothing else" in said[0] and "Errno" not in said[0]
    assert not any("NameError" in remark for remark in outcome.result.remarks)
