"""torch-judge's own tests (of TorchCode) on answers to our exercises: an environment of its own, thin adapters, one run.

Where its function takes other arguments than ours, an adapter in notebook code calls ours. Where it hands over more tensors than
ours takes (keys apart from values), its test is edited to hand over the same one. Its tests run with float64 as the default dtype,
for which our exercises are written, and with float32, its own; an answer is held to the one that it does better with.
"""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSION = "0.1.1"


@dataclass(frozen=True)
class Task:
    """One of torch-judge's tasks, and how an answer of ours is put to it.

    adapter: code that follows the answer's. edits: replacements in the tests' text. skipped: tests that our exercise cannot be asked.
    """

    name: str
    adapter: str
    edits: dict[str, str] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()


_ATTENTION = """
_answer = scaled_dot_product_attention
def scaled_dot_product_attention(Q, K, V):
    return _answer(Q, K, V)[0]
"""
_CAUSAL = """
def causal_attention(Q, K, V):
    N = Q.shape[-2]
    return scaled_dot_product_attention(Q, K, V, torch.ones(N, N, dtype=torch.bool).tril())[0]
"""
_CAUSAL_MASK = """
def causal_attention(Q, K, V):
    scores = Q @ K.transpose(-2, -1) / Q.shape[-1] ** 0.5
    return torch.softmax(scores.masked_fill(causal_mask(Q.shape[-2]) == 0, float("-inf")), -1) @ V
"""
_MODULE = """
class Adapted(MultiHeadAttention):
    def __init__(self, d_model, num_heads):
        super().__init__(d_model, num_heads)
    def forward(self, Q, K, V):
        return super().forward(Q, K)[0]
MultiHeadAttention = Adapted
"""
_CROSS = """
class MultiHeadCrossAttention(MultiHeadAttention):
    def __init__(self, d_model, num_heads):
        super().__init__(d_model, num_heads)
    def forward(self, x_q, x_kv):
        return super().forward(x_q, x_kv)[0]
"""
_FUNCTION = """
class MultiHeadAttention(torch.nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.H = num_heads
        for name in ("W_q", "W_k", "W_v", "W_o"):
            setattr(self, name, torch.nn.Linear(d_model, d_model))
            torch.nn.init.zeros_(getattr(self, name).bias)
    def forward(self, Q, K, V):
        heads = [list(layer.weight.T.chunk(self.H, 1)) for layer in (self.W_q, self.W_k, self.W_v)]
        return multi_head_attention(Q, *heads, self.W_o.weight.T)
"""
_PATCHES = """
class PatchEmbedding(torch.nn.Module):
    def __init__(self, img_size, patch_size, in_channels, embed_dim):
        super().__init__()
        self.P, self.num_patches = patch_size, (img_size // patch_size) ** 2
        self.embed = torch.nn.Linear(in_channels * patch_size ** 2, embed_dim)
    def forward(self, x):
        B, C = x.shape[:2]
        patches = patchify(x.flatten(0, 1), self.P).unflatten(0, (B, C))
        return self.embed(patches.transpose(1, 2).flatten(2))
"""
_BLOCK = """
class GPT2Block(TransformerLayer):
    def __init__(self, d_model, num_heads):
        super().__init__(d_model, num_heads, pre_norm=True)
        self.ln1, self.ln2 = self.norm1, self.norm2
    def forward(self, x):
        N = x.shape[-2]
        return super().forward(x, mask=torch.ones(N, N, dtype=torch.bool).tril())
"""
TASKS: dict[str, tuple[Task, ...]] = {
    "softmax": (Task("softmax", "\ndef my_softmax(x, dim=-1):\n    return softmax(x, dim)\n"),),
    "scaled_dot_product_attention": (Task("attention", _ATTENTION), Task("causal_attention", _CAUSAL)),
    "causal_mask": (Task("causal_attention", _CAUSAL_MASK),),
    "multi_head_attention": (Task("mha", _FUNCTION, {"K = torch.randn(1, 4, D)": "K = Q", "V = torch.randn(1, 4, D)": "V = Q"},
                                  ("Cross-attention (seq_q != seq_k)",)),),
    "MultiHeadAttention": (Task("mha", _MODULE, {"V = torch.randn(1, 4, D)": "V = K"}), Task("cross_attention", _CROSS)),
    "layer_norm": (Task("layernorm", "\nmy_layer_norm = layer_norm\n"),),
    "gelu": (Task("gelu", "\ndef my_gelu(x):\n    return gelu(x)\n"),),
    "rope": (Task("rope", "\ndef apply_rope(q, k):\n    return rope(q), rope(k)\n"),),
    "TransformerLayer": (Task("gpt2_block", _BLOCK),),
    "patchify": (Task("vit_patch", _PATCHES),),
}
# Mistakes in something that the task does not ask for.
NOT_ASKED = {"M075": "a mask", "M101": "the tanh form", "M102": "the tanh form", "M147": "given positions",
             "M172": "post-norm", "M174": "post-norm"}

# Runs in torch-judge's environment, which has nothing of ours: the answers come as text, the failed tests go back.
_RUNNER = """
import json, sys
import torch
from torch_judge.tasks import get_task

torch.set_num_threads(1)

def failed(job, dtype):
    torch.set_default_dtype(dtype)
    task, found = get_task(job["task"]), []
    space = {}
    exec("import torch\\n" + job["source"], space)
    for test in task["tests"]:
        if test["name"] not in job["skipped"]:
            code = test["code"].replace("{fn}", task["function_name"])
            for old, new in job["edits"].items():
                code = code.replace(old, new)
            torch.manual_seed(0)
            try:
                exec(code, {task["function_name"]: space[task["function_name"]]})
            except Exception:
                found.append(test["name"])
    return found

json.dump([min(failed(job, torch.float64), failed(job, torch.float32), key=len) for job in json.load(sys.stdin)], sys.stdout)
"""


def make_environment(folder: Path) -> Path:
    """An environment with torch-judge and the project's torch, made where there is none; returns its Python."""
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not (folder / ".ready").is_file():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", ROOT / "constraints.txt",
                        f"torch-judge=={VERSION}", "numpy"], check=True)
        (folder / ".ready").touch()
    return python


def failed_tests(python: Path, answers: list[tuple[str, str]]) -> list[list[str] | None]:
    """For each answer, a pair of exercise and source: the tests of torch-judge that it fails, or None where it has no such task."""
    jobs, owners = [], []
    for number, (exercise, source) in enumerate(answers):
        for task in TASKS.get(exercise, ()):
            jobs.append({"task": task.name, "source": source + task.adapter, "edits": task.edits, "skipped": task.skipped})
            owners.append(number)
    ran = subprocess.run([python, "-c", _RUNNER], input=json.dumps(jobs), capture_output=True, text=True)
    if ran.returncode:
        raise RuntimeError(f"torch-judge's tests could not be run; its last words: {ran.stderr[-2000:]}")
    failed: list[list[str] | None] = [[] if exercise in TASKS else None for exercise, _ in answers]
    for number, job, names in zip(owners, jobs, json.loads(ran.stdout)):
        failed[number] += [f"{job['task']}: {name}" for name in names]
    return failed
