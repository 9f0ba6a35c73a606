"""Uses of library functions that an exercise forbids: evidence for a person, never an automatic zero."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache


_BELOW = ("torch.ops.", "torch._C.", "torch._VF.")  # where torch's own functions lead to


@dataclass(frozen=True)
class Use:
    """One use: the forbidden function, and the student's line."""

    function: str
    line: str

    @property
    def sentence(self) -> str:
        """The flag as the report shows it."""
        return f"For a person to look at: this exercise asks you not to use {self.function}, and there is `{self.line}`."


def forbidden_uses(sources: list[str], forbids: tuple[str, ...]) -> list[Use]:
    """The uses of `forbids` (dotted names) in cells, through imports under any name and method calls on tensors."""
    uses: dict[tuple[str, str], Use] = {}
    words = [function.rpartition(".")[2] for function in forbids]
    suspect = [source for source in sources if any(word in source for word in words)]
    trees = [(source, tree) for source in suspect if (tree := _parsed(source)) is not None]
    names = {"torch": "torch", "F": "torch.nn.functional", "nn": "torch.nn"}
    for _, tree in trees:
        names |= _imported(tree)
    for source, tree in trees:
        for node in ast.walk(tree):
            for function in forbids:
                if _is(node, function, names):
                    line = source.splitlines()[node.lineno - 1].strip()[:120]
                    uses.setdefault((function.rpartition(".")[2], line), Use(function, line))
    return list(uses.values())


@lru_cache(maxsize=32)
def _parsed(source: str) -> ast.Module | None:
    lines = ("pass" if line.lstrip().startswith(("%", "!")) and not line.startswith(" ") else line for line in source.split("\n"))
    try:
        return ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _imported(tree: ast.Module) -> dict[str, str]:
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.asname: alias.name for alias in node.names if alias.asname}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return names


def _is(node: ast.AST, function: str, names: dict[str, str]) -> bool:
    module, _, last = function.rpartition(".")
    dotted = _dotted(node, names)
    if dotted == function:
        return True
    if dotted and dotted.startswith(_BELOW) and dotted.rpartition(".")[2].strip("_") == last:
        return True  # the operator that the library's function itself calls
    # a method of a tensor: x.softmax(...), where x is no module that we know
    return module == "torch.Tensor" and isinstance(node, ast.Attribute) and node.attr == last and dotted is None


def _dotted(node: ast.AST, names: dict[str, str]) -> str | None:
    """The full dotted name of an expression such as ``F.softmax`` or ``getattr(F, "softmax")``, or None where it starts from no import."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    base, last = None, ""
    if isinstance(node, ast.Attribute):
        base, last = node.value, node.attr
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) > 1:
        base, last = node.args[0], getattr(node.args[1], "value", "")
    inside = _dotted(base, names) if base is not None and type(last) is str else None
    return f"{inside}.{last}" if inside and last else None
