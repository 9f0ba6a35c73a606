"""Forbidden functions: found by many routes, with the line as evidence; what only looks like one is left alone."""

from importlib import import_module

import pytest

from autograder.assignment import public_exercises
from autograder.forbidden import forbidden_uses

FORBIDS = import_module("autograder.exercises.attention.softmax").exercise.forbids
HEAD = "def softmax(Z, dim=-1):\n"
RATIO = "    return Z.exp() / Z.exp().sum(dim, keepdim=True)\n"
BY_HAND = HEAD + "    E = torch.exp(Z - Z.amax(dim, keepdim=True))\n    return E / E.sum(dim, keepdim=True)\n"


def flags(*cells: str, forbids=FORBIDS, name="softmax"):
    return forbidden_uses([(f"cell {number}", source) for number, source in enumerate(cells, 1)], forbids, name)


ROUTES = {
    "torch": HEAD + "    return torch.softmax(Z, dim)",
    "functional": HEAD + "    return F.softmax(Z, dim=dim)",
    "functional_renamed": "import torch.nn.functional as G\n" + HEAD + "    return G.softmax(Z, dim)",
    "import_of_the_function": "from torch.nn.functional import softmax as s\n" + HEAD + "    return s(Z, dim)",
    "import_inside": HEAD + "    from torch import softmax as inner\n    return inner(Z, dim)",
    "the_import_is_the_answer": "from torch import softmax",
    "the_alias_is_the_answer": "softmax = torch.softmax",
    "star": "from torch import *\nready = softmax\n" + HEAD + "    return ready(Z, dim)",
    "method": HEAD + "    return Z.softmax(dim)",
    "method_of_an_expression": HEAD + "    return (Z - Z.max()).softmax(dim)",
    "method_of_an_attribute": "class A:\n    def run(self, dim):\n        return self.scores.softmax(dim)\n"
                              + HEAD + "    a = A()\n    a.scores = Z\n    return a.run(dim)",
    "method_unbound": HEAD + "    return torch.Tensor.softmax(Z, dim)",
    "method_of_the_base": HEAD + "    return torch._C.TensorBase.softmax(Z, dim)",
    "getattr": HEAD + "    return getattr(torch, 'softmax')(Z, dim)",
    "getattr_of_a_sum": HEAD + "    return getattr(torch, 'soft' + 'max')(Z, dim)",
    "getattr_of_an_f_string": "part = 'max'\n" + HEAD + "    return getattr(torch, f'soft{part}')(Z, dim)",
    "getattr_of_a_join": HEAD + "    return getattr(torch, ''.join(['soft', 'max']))(Z, dim)",
    "getattr_backwards": HEAD + "    return getattr(torch, 'xamtfos'[::-1])(Z, dim)",
    "getattr_of_the_tensor": HEAD + "    return getattr(Z, 'softmax')(dim)",
    "getattribute": HEAD + "    return torch.__getattribute__('softmax')(Z, dim)",
    "module_class": HEAD + "    return torch.nn.Softmax(dim=dim)(Z)",
    "module_class_inherited": "class S(nn.Softmax):\n    pass\n" + HEAD + "    return S(dim)(Z)",
    "log_module": HEAD + "    return nn.LogSoftmax(dim)(Z).exp()",
    "module_by_its_file": "from torch.nn.modules.activation import Softmax\n" + HEAD + "    return Softmax(dim)(Z)",
    "dictionary": HEAD + "    return torch.nn.functional.__dict__['softmax'](Z, dim)",
    "dictionary_get": HEAD + "    return torch.__dict__.get('softmax')(Z, dim)",
    "vars": HEAD + "    return vars(F)['softmax'](Z, dim)",
    "globals": "import torch.nn.functional as G\n" + HEAD + "    return globals()['G'].softmax(Z, dim)",
    "operation": HEAD + "    return torch.ops.aten.softmax.int(Z, dim)",
    "inner_operation": HEAD + "    return torch.ops.aten._softmax(Z, dim, False)",
    "inner_operation_overload": HEAD + "    return torch.ops.aten._softmax.default(Z, dim, False)",
    "operation_by_name": HEAD + "    return torch._C._jit_get_operation('aten::softmax')[0](Z, dim, None)",
    "c_functions": HEAD + "    return torch._C._VariableFunctions.softmax(Z, dim)",
    "underscore": HEAD + "    return torch._softmax(Z, dim, False)",
    "special": HEAD + "    return torch.special.softmax(Z, dim)",
    "logarithm": HEAD + "    return torch.log_softmax(Z, dim).exp()",
    "softmin": HEAD + "    return F.softmin(-Z, dim)",
    "gumbel": HEAD + "    return F.gumbel_softmax(Z, dim=dim)",
    "fused_attention": HEAD + "    return F.scaled_dot_product_attention(Z, torch.eye(Z.shape[-1]), torch.eye(Z.shape[-1]), scale=1)",
    "import_module": "import importlib\n" + HEAD + "    return importlib.import_module('torch.nn.functional').softmax(Z, dim)",
    "import_module_by_itself": "from importlib import import_module as load\n"
                               + HEAD + "    return load('torch.nn.functional').softmax(Z, dim)",
    "dunder_import": HEAD + "    return __import__('torch').softmax(Z, dim)",
    "loaded_modules": "import sys\n" + HEAD + "    return sys.modules['torch'].softmax(Z, dim)",
    "alias_of_the_function": "f = torch.softmax\n" + HEAD + "    return f(Z, dim)",
    "alias_of_the_library": "t = torch\nu, n = 1, t.nn\n" + HEAD + "    return n.functional.softmax(Z, dim)",
    "walrus": HEAD + "    return (t := torch).softmax(Z, dim)",
    "default_value": HEAD.replace("dim=-1", "dim=-1, lib=torch.special") + "    return lib.softmax(Z, dim)",
    "loop_over_libraries": HEAD + "    for lib in (torch, F):\n        return lib.softmax(Z, dim)",
    "partial": "from functools import partial\nsoftmax = partial(torch.softmax, dim=-1)",
    "lambda": "softmax = lambda Z, dim=-1: torch.softmax(Z, dim)",
    "decorated": "def instead(f):\n    return torch.softmax\n@instead\n" + BY_HAND,
    "eval": HEAD + "    return eval('torch.softmax(Z, dim)')",
    "exec": "exec('def softmax(Z, dim=-1): return torch.softmax(Z, dim)')",
    "line_magic": "%time f = torch.softmax\n" + HEAD + "    return f(Z, dim)",
    "cell_magic": "%%time\n" + HEAD + "    return torch.softmax(Z, dim)",
    "attrgetter": "import operator\n" + HEAD + "    return operator.attrgetter('softmax')(torch)(Z, dim)",
    "methodcaller": "from operator import methodcaller\n" + HEAD + "    return methodcaller('softmax', dim)(Z)",
    "scipy": "import scipy.special\n" + HEAD + "    return torch.from_numpy(scipy.special.softmax(Z.numpy(), axis=dim))",
    "sklearn": "from sklearn.utils.extmath import softmax as row_softmax\n" + HEAD + "    return torch.from_numpy(row_softmax(Z.numpy()))",
    "jax": "import jax\n" + HEAD + "    return jax.nn.softmax(Z.numpy(), dim)",
    "script": "softmax = torch.jit.script(F.softmax)",
    "compile": "softmax = torch.compile(torch.softmax)",
    "map": HEAD + "    return torch.stack(list(map(torch.softmax, Z, [dim] * len(Z))))",
    "patched_library": "torch.exp2 = torch.softmax\n" + HEAD + "    return torch.exp2(Z, dim)",
    "patched_by_a_function": "def prepare():\n    torch.exp2 = torch.softmax\nprepare()\n" + HEAD + "    return torch.exp2(Z, dim)",
    "kept_in_a_dictionary": "tools = {}\ntools['x'] = torch.softmax\n" + HEAD + "    return tools['x'](Z, dim)",
    "pasted_prompt": ">>> def softmax(Z, dim=-1):\n...     return torch.softmax(Z, dim)\n",
}


@pytest.mark.parametrize("source", ROUTES.values(), ids=ROUTES.keys())
def test_a_route_is_found_with_its_line(source):
    found = flags(source)
    assert found and all(use.function for use in found)
    for use in found:
        assert use.line in source and use.label == "cell 1"
        assert source.split("\n")[use.number - 1].strip() == use.line
        assert use.sentence.startswith("For a person to look at") and use.line in use.sentence
        assert f"line {use.number} of cell 1" in use.sentence


COMPUTED = {
    "getattr": HEAD + "    return getattr(torch, bytes.fromhex('736f66746d6178').decode())(Z, dim)",
    "getattr_of_the_tensor": HEAD + "    return getattr(Z, 'SOFTMAX'.lower())(dim)",
    "dictionary": HEAD + "    return vars(torch)['SOFTMAX'.lower()](Z, dim)",
    "all_of_the_library": HEAD + "    name = [n for n in dir(torch) if n[:5] == 'softm'][0]\n    return torch.__dict__[name](Z, dim)",
    "eval": HEAD + "    return eval('torch.soft{}(Z, dim)'.format('max'))",
    "exec": "import base64\nexec(base64.b64decode('ZGVm'))\n" + BY_HAND,
    "nested_beyond_reading": HEAD + "    return torch.softmax(Z, dim) + " + " + ".join(["0"] * 1500),
    "import": HEAD + "    return __import__('hcrot'.swapcase()[::-1]).exp(Z)",
}


@pytest.mark.parametrize("source", COMPUTED.values(), ids=COMPUTED.keys())
def test_a_name_that_is_computed_gets_the_weaker_words(source):
    found = flags(source)
    assert found and not any(use.function for use in found)
    assert all("does not tell what is called" in use.sentence for use in found)


TOOLS = "class Tools:\n    def softmax(self, Z, dim):\n    " + RATIO
PARTS = ("class A(nn.Module):\n    def softmax(self, Z):\n        return Z\n"
         "class B(nn.Module):\n    def __init__(self):\n        self.a = A()\n"
         "    def forward(self, Z):\n        return self.a.softmax(Z)\n")
INNOCENT = {
    "by_hand": (BY_HAND,),
    "calls_itself_by_name": (BY_HAND, "def attention(Q, K, V):\n    return softmax(Q @ K.mT) @ V"),
    "recursion": (HEAD + "    if Z.dim() == 1:\n        return softmax(Z[None], dim)[0]\n" + RATIO,),
    "comment": (BY_HAND + "# torch.softmax(Z, dim) would do the same\n",),
    "docstring": (HEAD + "    '''As torch.softmax(Z, dim) and Z.softmax(dim).'''\n" + RATIO,),
    "text": (HEAD + "    name = 'softmax'\n    print('torch.softmax', name)\n" + RATIO,),
    "message": (HEAD + "    if Z.dim() == 0:\n        raise ValueError('softmax of a number')\n" + RATIO,),
    "own_method": (TOOLS + "    def run(self, Z, dim):\n        return self.softmax(Z, dim)\n" + HEAD + "    return Tools().run(Z, dim)",),
    "own_static_method": (TOOLS.replace("    def", "    @staticmethod\n    def").replace("self, ", "")
                          + HEAD + "    return Tools.softmax(Z, dim)",),
    "own_object": (TOOLS + "tools = Tools()\n" + HEAD + "    return tools.softmax(Z, dim)",),
    "own_method_of_a_part": (PARTS + HEAD + "    B()\n" + RATIO,),
    "own_helper_named_alike": ("def stable_softmax(Z, dim):\n" + RATIO + HEAD + "    return stable_softmax(Z, dim)",),
    "own_function_after_a_star": ("from torch import *\n" + BY_HAND + "def twice(Z):\n    return softmax(softmax(Z))",),
    "variable": (HEAD + "    softmax_Z = Z.exp()\n    log_softmax = softmax_Z.log()\n"
                 "    return log_softmax.exp() / softmax_Z.sum(dim, keepdim=True)",),
    "keyword_and_key": (HEAD + "    parts = dict(softmax=Z.exp())\n    return parts['softmax'] / parts['softmax'].sum(dim, keepdim=True)",),
    "parameter": (HEAD.replace("dim=-1", "dim=-1, softmax=None") + RATIO,),
    "logsumexp": (HEAD + "    return torch.exp(Z - torch.logsumexp(Z, dim, keepdim=True))",),
    "compared_in_another_cell": (BY_HAND, "Z = torch.randn(2, 3)\nassert torch.allclose(softmax(Z), torch.softmax(Z, -1))\nZ.softmax(-1)"),
    "compared_below_it": (BY_HAND + "Z = torch.randn(2, 3)\nexpected = torch.softmax(Z, -1)\nassert torch.allclose(softmax(Z), expected)",),
    "a_test_of_their_own": (BY_HAND,
                           "def test_softmax(Z):\n    torch.testing.assert_close(softmax(Z), Z.softmax(-1))\ntest_softmax(torch.randn(3))"),
    "used_by_another_exercise": (BY_HAND, "def simple_attention(X):\n    alpha = torch.softmax(X @ X.mT, -1)\n    return alpha @ X, alpha"),
    "figure": (BY_HAND, "from autograder import figures\nfigures.softmax(softmax)\n"
               "model = nn.Linear(2, 2)\nmodel.eval()\nplot = {'label': 'softmax'}"),
    "getattr_of_their_own": (TOOLS + "    def run(self, Z, which='softmax'):\n        return getattr(self, which)(Z, -1)\n"
                             + HEAD + "    return Tools().run(Z)",),
    "magics": ("%matplotlib inline\n!pip install torch\n" + BY_HAND, "%%bash\npython -c 'torch.softmax'"),
    "not_python": (BY_HAND, "torch.softmax(Z, dim"),
    "numpy": ("import numpy as np\n" + HEAD + "    E = np.exp(Z.numpy())\n    return torch.from_numpy(E / E.sum(dim, keepdims=True))",),
}


@pytest.mark.parametrize("cells", INNOCENT.values(), ids=INNOCENT.keys())
def test_what_only_looks_like_it_is_left_alone(cells):
    assert flags(*cells) == []


def test_a_helper_in_any_cell_is_followed():
    found = flags("def ready(Z, dim):\n    return torch.softmax(Z, dim)", "import math\n" + HEAD + "    return ready(Z, dim)")
    assert [(use.label, use.number) for use in found] == [("cell 1", 2)]


def test_the_route_is_named():
    assert "line 2 of cell 1 has it: " in flags(ROUTES["torch"])[0].sentence
    assert "has it as s: " in flags(ROUTES["import_of_the_function"])[0].sentence
    assert "as a method of a tensor" in flags(ROUTES["method"])[0].sentence
    assert "torch.ops.aten._softmax" in flags(ROUTES["inner_operation"])[0].sentence


CLASS = "class {name}(nn.Module):\n    def forward(self, X):\n        return {{}}"
NORMS = ["F.layer_norm(X, X.shape[-1:])", "nn.LayerNorm(4)(X)", "torch.layer_norm(X, [4])",
         "torch.native_layer_norm(X, [4], gamma, beta, eps)[0]",
         "torch.ops.aten.native_layer_norm(X, [4], gamma, beta, eps)[0]", "F.group_norm(X, 1)"]
FUSED = ["F.scaled_dot_product_attention(Q, K, V)", "nn.MultiheadAttention(2, 1)(Q, K, V)", "F.multi_head_attention_forward(Q, K, V)",
         "torch.ops.aten._scaled_dot_product_attention_math(Q, K, V)"]
# assignment, exercise, its form, what it forbids, what it does not
OTHERS = [
    ("layernorm", "layer_norm", "def layer_norm(X, gamma, beta, eps=1e-5):\n    return {}", NORMS,
     ["(X - X.mean(-1, keepdim=True)) / (X.var(-1, correction=0, keepdim=True) + eps).sqrt()", "X.norm(dim=-1)", "torch.linalg.norm(X)"]),
    ("layernorm", "LayerNorm", CLASS, NORMS,
     ["self.layer_norm(X)", "layer_norm(X, self.gamma, self.beta, self.eps)", "LayerNorm.normalise(X)"]),
    ("layernorm", "layer_norm_gradient", "def layer_norm_gradient(dY, X, gamma, eps=1e-5):\n    return {}",
     [*NORMS, "torch.native_layer_norm_backward(dY, X, [4])", "torch.ops.aten.native_layer_norm_backward.default(dY)"], ["dY * gamma"]),
    ("layernorm", "gelu", "def gelu(X, approximate='none'):\n    return {}",
     ["F.gelu(X)", "nn.GELU()(X)", "torch.ops.aten.gelu(X)", "torch._C._nn.gelu(X)", "torch.nn.functional.gelu(X)"],
     ["X * torch.special.ndtr(X)", "0.5 * X * (1 + torch.erf(X / 2 ** 0.5))", "gelu(X)", "self.gelu(X)"]),
    ("attention", "scaled_dot_product_attention", "def scaled_dot_product_attention(Q, K, V, mask=None):\n    return {}", FUSED,
     ["torch.softmax(Q @ K.mT, -1) @ V", "scaled_dot_product_attention(Q, K, V)"]),
    ("attention", "simple_attention", "def simple_attention(X):\n    return {}", FUSED, ["torch.softmax(X @ X.mT, -1) @ X"]),
    ("multihead", "MultiHeadAttention", CLASS,
     ["nn.MultiheadAttention(4, 2)(X, X, X)", "F.multi_head_attention_forward(X)", "torch._native_multi_head_attention(X)"],
     ["MultiHeadAttention(4, 2)", "multi_head_attention(X)", "self.attention(X)"]),
    ("positional", "rope_attention", "def rope_attention(Q, K, V):\n    return {}", FUSED, ["torch.softmax(rope(Q) @ rope(K).mT, -1) @ V"]),
    ("transformer", "TransformerLayer", CLASS,
     ["nn.TransformerEncoderLayer(4, 2)(X)", "nn.modules.transformer.TransformerEncoderLayer(4, 2)(X)", "nn.Transformer(4)(X)",
      "torch._transformer_encoder_layer_fwd(X)"], ["nn.MultiheadAttention(4, 2)(X, X, X)", "F.layer_norm(X, [4])", "self.norm1(X)"]),
    ("transformer", "DecoderLayer", CLASS, ["nn.TransformerDecoderLayer(4, 2)(X, X)"],
     ["nn.MultiheadAttention(4, 2)(X, X, X)", "TransformerLayer(4, 2)(X)"]),
    ("transformer", "Transformer", CLASS, ["nn.Transformer(4)(X)", "torch.nn.modules.transformer.Transformer(4)"],
     ["nn.Transformer.generate_square_subsequent_mask(4)", "nn.TransformerEncoderLayer(4, 2)(X)",
      "nn.modules.transformer.TransformerDecoderLayer(4, 2)(X)", "Transformer(4)"]),
]


@pytest.mark.parametrize("assignment, name, form, forbidden, allowed", OTHERS, ids=[case[1] for case in OTHERS])
def test_every_exercise_forbids_what_its_lesson_says(assignment, name, form, forbidden, allowed):
    forbids = public_exercises(assignment)[name].forbids
    form = form.format(name=name) if form is CLASS else form
    for body in forbidden:
        assert flags(form.format(body), forbids=forbids, name=name), body
    for body in allowed:
        assert not flags(form.format(body), forbids=forbids, name=name), body


def test_the_other_exercises_forbid_nothing():
    named = {(assignment, name) for assignment, name, *_ in OTHERS} | {("attention", "softmax")}
    for assignment in ("attention", "multihead", "layernorm", "positional", "transformer", "vision"):
        for name, exercise in public_exercises(assignment).items():
            assert bool(exercise.forbids) == ((assignment, name) in named), name
