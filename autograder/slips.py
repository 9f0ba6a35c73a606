"""Slips: what one small mistake makes of a statement or an expression."""

from __future__ import annotations

import ast
import copy
from typing import Callable, Iterator

OTHER = {ast.Add: (ast.Sub,), ast.Sub: (ast.Add,), ast.Mult: (ast.Div,), ast.Div: (ast.Mult,), ast.Pow: (ast.Mult,), ast.Mod: (ast.FloorDiv,),
         ast.FloorDiv: (ast.Mod,), ast.MatMult: (ast.Mult,), ast.BitAnd: (ast.BitOr,), ast.BitOr: (ast.BitAnd,), ast.Lt: (ast.LtE, ast.Gt),
         ast.LtE: (ast.Lt, ast.GtE), ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt, ast.LtE), ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,),
         ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,), ast.And: (ast.Or,), ast.Or: (ast.And,)}
NAMES = [("sum", "mean"), ("amax", "amin"), ("max", "min"), ("argmax", "argmin"), ("cos", "sin"), ("triu", "tril"), ("any", "all"), ("zeros", "ones"),
         ("zeros_like", "ones_like"), ("erf", "tanh"), ("exp", "exp2"), ("log", "log2"), ("sqrt", "square"), ("relu", "gelu"), ("stack", "cat"),
         ("repeat", "repeat_interleave"), ("norm1", "norm2"), ("norm2", "norm3"), ("self_attention", "cross_attention"), ("encoder", "decoder"),
         ("src_embedding", "tgt_embedding"), ("encoder_norm", "decoder_norm"), ("W_q", "W_k"), ("W_k", "W_v"), ("W_v", "W_o"), ("W_1", "W_2"),
         ("b_1", "b_2"), ("Q", "K"), ("K", "V"), ("X_q", "X_kv"), ("X", "memory"), ("gamma", "beta"), ("N", "D")]
ALIKE: dict[str, list[str]] = {}
for one, other in NAMES:
    ALIKE.setdefault(one, []).append(other)
    ALIKE.setdefault(other, []).append(one)
MODULES = {"torch", "math", "nn", "F", "np"}
NOT_A_TRANSFORM = {"range", "len", "int", "float", "list", "tuple", "isinstance", "enumerate", "zip", "super", "ValueError", "arange", "zeros", "ones",
                   "eye", "empty", "Generator", "manual_seed", "__init__", "dim", "size", "item", "unbind", "tolist"}


def statements(node: ast.stmt) -> Iterator[ast.stmt]:
    """What a slip makes of a statement as a whole: a branch always or never taken, a step left out."""
    if isinstance(node, ast.If):
        for always in (True, False):
            yield ast.If(ast.Constant(always), node.body, node.orelse)
    elif isinstance(node, (ast.AugAssign, ast.For)) or isinstance(node, ast.Expr) and not _is_call_of(node.value, "__init__"):
        yield ast.Pass()
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and _uses(node.value, node.targets[0].id):
        yield ast.Pass()


def expressions(node: ast.expr) -> Iterator[ast.expr]:
    """What a slip makes of an expression."""
    slips = SLIPS.get(type(node))
    return slips(node) if slips else iter(())


def _binary(node: ast.BinOp) -> Iterator[ast.expr]:
    for other in OTHER.get(type(node.op), ()):
        yield ast.BinOp(node.left, other(), node.right)
    if isinstance(node.op, (ast.Sub, ast.Div, ast.MatMult, ast.Pow)):
        yield ast.BinOp(node.right, node.op, node.left)
    if isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.BitAnd, ast.BitOr)):
        yield node.left
        yield node.right


def _compare(node: ast.Compare) -> Iterator[ast.expr]:
    for other in OTHER.get(type(node.ops[0]), ()):
        yield ast.Compare(node.left, [other(), *node.ops[1:]], node.comparators)


def _boolean(node: ast.BoolOp) -> Iterator[ast.expr]:
    yield ast.BoolOp(OTHER[type(node.op)][0](), node.values)
    yield from node.values


def _unary(node: ast.UnaryOp) -> Iterator[ast.expr]:
    yield node.operand
    if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant) and isinstance(node.operand.value, int):
        yield ast.UnaryOp(ast.USub(), ast.Constant(node.operand.value + 1))


def _constant(node: ast.Constant) -> Iterator[ast.expr]:
    if isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node.value, int):
        yield ast.Constant(node.value + 1)
        yield ast.Constant(node.value - 1) if node.value else ast.UnaryOp(ast.USub(), ast.Constant(1))
    elif isinstance(node.value, float):
        yield ast.Constant(2 * node.value or 1.0)
        if node.value:
            yield ast.Constant(node.value / 2)
    elif node.value in ("inf", "-inf"):
        yield ast.Constant("1e9" if node.value == "inf" else "-1e9")


def _call(node: ast.Call) -> Iterator[ast.expr]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    method = isinstance(node.func, ast.Attribute) and not (isinstance(node.func.value, ast.Name) and node.func.value.id in {*MODULES, "self"})
    if name not in NOT_A_TRANSFORM:
        if method and not _is_module(node.func.value):
            yield node.func.value
        elif node.args and not isinstance(node.args[0], ast.Starred):
            yield node.args[0]
    if len(node.args) > 1 and name not in ("transpose", "swapaxes") and not any(isinstance(arg, ast.Starred) for arg in node.args[:2]):
        yield ast.Call(node.func, [node.args[1], node.args[0], *node.args[2:]], node.keywords)
    for at in range(len(node.keywords)):
        yield ast.Call(node.func, node.args, node.keywords[:at] + node.keywords[at + 1:])


def _attribute(node: ast.Attribute) -> Iterator[ast.expr]:
    if not isinstance(node.ctx, ast.Load):
        return
    for other in ALIKE.get(node.attr, ()):
        yield ast.Attribute(node.value, other, node.ctx)
    if node.attr in ("T", "mT"):
        yield node.value


def _name(node: ast.Name) -> Iterator[ast.expr]:
    if isinstance(node.ctx, ast.Load):
        for other in ALIKE.get(node.id, ()):
            yield ast.Name(other, node.ctx)


def _slice(node: ast.Slice) -> Iterator[ast.expr]:
    for part in ("lower", "upper", "step"):
        value = getattr(node, part)
        if value is not None and not (part == "lower" and isinstance(value, ast.Constant) and value.value == 0):
            less = copy.copy(node)
            setattr(less, part, None)
            yield less


def _either(node: ast.IfExp) -> Iterator[ast.expr]:
    yield node.body
    yield node.orelse


def _tuple(node: ast.Tuple) -> Iterator[ast.expr]:
    if isinstance(node.ctx, ast.Load) and len(node.elts) > 1 and not any(isinstance(item, ast.Slice) for item in node.elts):
        yield ast.Tuple([node.elts[1], node.elts[0], *node.elts[2:]], node.ctx)


SLIPS: dict[type, Callable] = {ast.BinOp: _binary, ast.Compare: _compare, ast.BoolOp: _boolean, ast.UnaryOp: _unary, ast.Constant: _constant,
                               ast.Call: _call, ast.Attribute: _attribute, ast.Name: _name, ast.Slice: _slice, ast.IfExp: _either, ast.Tuple: _tuple}


def _is_call_of(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name


def _is_module(node: ast.expr) -> bool:
    """Whether an expression names a library's module, as in ``torch.nn.functional``."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in MODULES


def _uses(node: ast.expr, name: str) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id == name for inner in ast.walk(node))
