"""A small class for the tests of the report and of the exports: every kind of submission and of name, graded for real."""

from __future__ import annotations

import shutil
from pathlib import Path

from support import ROOT, references_of, release_of

from autograder.answers import answer_source, filled_in
from autograder.batch import grade_class
from autograder.course import read_course
from autograder.grader import make_grader
from autograder.results import Results
from autograder.submissions import handed_in

ANSWER = "why-divide-by-the-root"
OWN_WAY = '''# Carol Carolson, carol@example.org, /home/carolson/hw
def scaled_dot_product_attention(Q, K, V, mask=None):
    """By Carol Carolson."""
    width = Q.shape[-1]
    table = (Q @ K.transpose(-1, -2)) * width ** -0.5
    if mask is not None:
        table = table + torch.where(mask, 0.0, -float("inf"))
    peak = table.max(dim=-1, keepdim=True).values
    peak = torch.where(torch.isfinite(peak), peak, torch.zeros_like(peak))
    raised = torch.exp(table - peak)
    total = raised.sum(dim=-1, keepdim=True)
    share = raised / torch.where(total == 0, torch.ones_like(total), total)
    return share @ V, share
'''
RENAMED = (OWN_WAY.replace("width", "d_model").replace("table", "S").replace("raised", "E").replace("share", "A").replace("peak", "big")
           .replace("# Carol Carolson, carol@example.org, /home/carolson/hw\n", "").replace('    """By Carol Carolson."""\n', ""))
FORMULA, MARKUP, COMMA = "=cmd|' C calc'!A0", "<img src=x onerror=alert(1)>", "noether, emmy"
STUDENTS = ("ada", "carolson_1001", "copies", COMMA, FORMULA, MARKUP, "hopper", "liskov", "turing", "unreadable", "untouched", "half")


def submissions() -> dict[str, bytes]:
    """The notebooks by student."""
    release, right = release_of("attention"), references_of("attention")
    mistaken = answer_source(ROOT / "solutions/attention/simple_attention.py", "scaled", "simple_attention")
    changes = {
        "carolson_1001": {"scaled_dot_product_attention": OWN_WAY},
        "copies": {"scaled_dot_product_attention": RENAMED},
        MARKUP: {"softmax": "def softmax(Z, dim=-1):\n    raise ValueError('</script><script>alert(2)</script>')\n"},
        "hopper": {
            "simple_attention": "# hopper wrote this in C:\\Users\\hopper\\hw.py\n"
            + mistaken.replace("def simple", "NOTE = '/home/hopper/x.py'\n\ndef simple")
        },
        "liskov": {"simple_attention": mistaken + "\n\n# a remark of liskov\nUNUSED = 'liskov'\n" * 3},
        "turing": {"softmax": "def softmax(Z, dim=-1:\n"},
    }
    made = {
        student: filled_in(
            release, right | changes.get(student, {}) | ({ANSWER: "Because of turing."} if student in ("ada", "hopper") else {})
        ).encode()
        for student in STUDENTS
    }
    made["unreadable"] = b"%PDF"
    made["untouched"] = filled_in(release, {}).encode()
    made["half"] = filled_in(release, {name: right[name] for name in ("softmax", "causal_mask")}).encode()
    return made


def make_class(folder: Path) -> Path:
    """The course with the class handed in: time stamps where they are known, older attempts of one."""
    for name in ("release", "solutions", "source"):
        shutil.copytree(ROOT / name / "attention", folder / name / "attention", ignore=shutil.ignore_patterns("__pycache__"))
    text = (ROOT / "course.yaml").read_text(encoding="utf-8")
    (folder / "course.yaml").write_text(text.replace("least: confined", "least: none").replace("check_seconds: 5", "check_seconds: 30"))
    shutil.copyfile(ROOT / "nbgrader_config.py", folder / "nbgrader_config.py")
    for student, data in submissions().items():
        place = folder / "submitted" / student / "attention"
        place.mkdir(parents=True)
        (place / "attention.ipynb").write_bytes(data)
    (folder / "submitted/ada/attention/timestamp.txt").write_text("2027-02-12 12:59:00.0 UTC")
    (folder / "submitted/hopper/attention/timestamp.txt").write_text("2027-02-13 12:59:00.0 UTC")
    kept = folder / "collected/attention/ada"
    kept.mkdir(parents=True)
    for name in ("11111111-attention.ipynb", "22222222-attention-1.ipynb", "22222222-before-attention.ipynb"):
        (kept / name).write_bytes(b"{}")
    return folder


def grade(folder: Path) -> Results:
    """Grade what is new in the class, as ``autograder grade`` does."""
    course = read_course(folder / "course.yaml")
    grader = make_grader(course, folder, "attention", least="none")
    try:
        return grade_class(grader, folder, handed_in(folder, "attention"), workers=1)
    finally:
        grader.close()
