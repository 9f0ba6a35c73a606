"""Uses of library functions that an exercise forbids: evidence for a person, never an automatic zero.

The answer is read and not run. A use is found by where a name leads, not by how it is spelled: imports under any name, aliases,
``getattr``, a dictionary of the module, code kept in a text. What is looked up under a name that only running would tell is flagged in
weaker words.
"""

from __future__ import annotations

import ast
from collections import ChainMap
from dataclasses import dataclass, field
from typing import Iterable

from autograder.dotted import GIVEN, Library, Names, Own, Text, bind, bind_import, folded, inner, meaning
from autograder.statements import Statement, as_python, resting_on, statements_of

MOST = 4  # places that are shown of one exercise
# Other names for what a forbidden name does, by its last part.
_FUSED = ("scaled_dot_product_attention_math", "scaled_dot_product_flash_attention", "scaled_dot_product_flash_attention_for_cpu",
          "scaled_dot_product_efficient_attention", "scaled_dot_product_cudnn_attention", "flex_attention")
_KIN = {"softmax": ("Softmax2d", "gumbel_softmax", "safe_softmax", "masked_softmax", "scaled_dot_product_attention", *_FUSED),
        "scaled_dot_product_attention": _FUSED, "MultiheadAttention": ("native_multi_head_attention",),
        "TransformerEncoderLayer": ("transformer_encoder_layer_fwd",), "layer_norm": ("fused_layer_norm",)}
_HARMLESS = ("generate_square_subsequent_mask", "__name__", "__doc__")  # what may be asked even of a forbidden class
_RUNS_CODE = ("eval", "exec", "compile")
_RUNS_TEXT = ("run_cell", "run_line_magic", "run_cell_magic", "ex", "ev")
_NAMES_ONE = ("attrgetter", "methodcaller", "itemgetter")
_LISTS_ALL = ("dir", "vars", "getmembers")


@dataclass(frozen=True)
class Use:
    """One use: the forbidden function (empty where its name is computed), the route, and the student's line with its number and cell."""

    function: str
    route: str
    line: str
    number: int
    label: str
    asked: str

    @property
    def sentence(self) -> str:
        """The flag as the report shows it."""
        place = f"line {self.number} of {self.label}"
        if not self.function:
            return (f"For a person to look at: this exercise asks you not to use {self.asked} or its like, and {place} {self.route}, "
                    f"so that its text does not tell what is called: `{self.line}`.")
        return f"For a person to look at: this exercise asks you not to use {self.function}, and {place} has it{self.route}: `{self.line}`."


def forbidden_uses(cells: Iterable[tuple[str, str]], forbids: tuple[str, ...], name: str) -> list[Use]:
    """The uses of `forbids` (dotted names) in what the answer called `name` rests on.

    cells: (label, source) of the student's code cells in order. A function of any library counts whose name is the last part of a
    forbidden one.
    """
    statements = statements_of(cells)
    if not forbids or not statements:
        return []
    finder = _Finder(forbids, name, frozenset().union(*(one.attributes for one in statements)))
    defined = any(name in one.binds for one in statements)
    chosen = set(map(id, resting_on(statements, name) if defined else statements))
    for statement in statements:
        finder.read(statement, looking=id(statement) in chosen)
    finder.finish()
    sure = [use for use in finder.uses.values() if use.function]
    return (sure or list(finder.uses.values()))[:MOST]


@dataclass
class _Finder:
    """Reads statements in order with what names stand for; bodies of functions come last, when all names are known."""

    forbids: tuple[str, ...]
    answer: str
    attributes: frozenset[str]
    uses: dict[tuple[str, str], Use] = field(default_factory=dict)
    names: Names = field(default_factory=lambda: dict(GIVEN))
    later: list[tuple] = field(default_factory=list)

    def __post_init__(self) -> None:
        last = [one.rpartition(".")[2].strip("_") for one in self.forbids]
        self.words = frozenset(last).union(*(_KIN.get(word, ()) for word in last))
        self.methods = frozenset(one.rpartition(".")[2] for one in self.forbids if one.startswith("torch.Tensor."))

    def read(self, statement: Statement, *, looking: bool) -> None:
        """Note what names `statement` binds; with `looking` also the uses in it."""
        self.at, self.looking = statement, looking
        self._through(statement.node, self.names)

    def finish(self) -> None:
        """Look through the bodies of the functions that were read."""
        self.looking = True
        while self.later:
            self.at, body, names = self.later.pop(0)
            for node in body:
                self._through(node, names)

    def _through(self, node: ast.AST, names: Names) -> None:
        try:
            self.visit(node, names)
        except RecursionError:
            if self.looking:
                self._note(node, "", "is nested too deeply to be read")

    def visit(self, node: ast.AST, names: Names) -> None:
        """Go through a node and all that is in it, in the order in which it runs."""
        if isinstance(node, ast.expr) and self.looking and self._used(node, names):
            return
        special = getattr(self, f"_{type(node).__name__}", None)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)) and all(type(item) is ast.Constant for item in node.elts):
            return  # numbers, perhaps a hundred thousand of them
        for child in ast.iter_child_nodes(node) if special is None else special(node, names) or ():
            self.visit(child, names)

    # Nodes that bind names. Each gives back the children that are still to be visited.

    def _Import(self, node: ast.Import | ast.ImportFrom, names: Names) -> None:
        bind_import(names, node, self.words)
        for alias in node.names:
            path = f"{getattr(node, 'module', '') or ''}.{alias.name}"
            if (alias.asname or alias.name) == self.answer and self.looking and self._word(path):
                self._note(node, path.lstrip("."), " as the whole answer")

    _ImportFrom = _Import

    def _Assign(self, node: ast.Assign | ast.AnnAssign | ast.NamedExpr, names: Names) -> None:
        if node.value is not None:
            self.visit(node.value, names)
        for target in getattr(node, "targets", None) or [node.target]:
            self.visit(target, names)
            bind(names, target, node.value)

    _AnnAssign = _NamedExpr = _Assign

    def _For(self, node: ast.For | ast.comprehension, names: Names) -> Iterable[ast.AST]:
        self.visit(node.iter, names)
        items = node.iter.elts if isinstance(node.iter, (ast.List, ast.Tuple)) else []
        bind(names, node.target, next((one for one in items if isinstance(meaning(one, names), Library)), None))
        return [*getattr(node, "body", ()), *getattr(node, "orelse", ()), *getattr(node, "ifs", ())]

    _AsyncFor = _comprehension = _For

    def _ListComp(self, node: ast.ListComp | ast.GeneratorExp | ast.DictComp, names: Names) -> None:
        local = ChainMap({}, names)
        for part in (*node.generators, *(getattr(node, part) for part in ("elt", "key", "value") if hasattr(node, part))):
            self.visit(part, local)

    _GeneratorExp = _SetComp = _DictComp = _ListComp

    def _FunctionDef(self, node: ast.FunctionDef, names: Names, *, method: bool = False) -> Iterable[ast.AST]:
        names[node.name] = Own()
        static = any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in node.decorator_list)
        if self.looking:
            self.later.append((self.at, node.body, inner(names, node.args, method=method and not static)))
        return [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]

    _AsyncFunctionDef = _FunctionDef

    def _Lambda(self, node: ast.Lambda, names: Names) -> Iterable[ast.AST]:
        if self.looking:
            self.later.append((self.at, [node.body], inner(names, node.args, method=False)))
        return [*node.args.defaults, *filter(None, node.args.kw_defaults)]

    def _ClassDef(self, node: ast.ClassDef, names: Names) -> Iterable[ast.AST]:
        names[node.name] = Own(is_class=True)
        local: Names = ChainMap({}, names)
        for statement in node.body:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for child in self._FunctionDef(statement, ChainMap({}, names), method=True):
                    self.visit(child, local)
            else:
                self.visit(statement, local)
        return [*node.decorator_list, *node.bases, *node.keywords]

    # Uses.

    def _used(self, node: ast.expr, names: Names) -> bool:
        """Note the use that `node` itself is; whether there is nothing more to find inside it."""
        known = meaning(node, names)
        if isinstance(known, Library) and known.path.rpartition(".")[2] in _HARMLESS:
            return True
        if isinstance(known, Library) and self._word(known.path):
            written = ast.unparse(node)
            self._note(node, known.path, "" if written == known.path else f" as {written[:60]}")
            return True
        if isinstance(node, ast.Attribute):
            return self._method(node, names)
        if isinstance(node, ast.Call):
            self._call(node, names)
        elif isinstance(node, ast.Subscript) and _is_dictionary(meaning(node.value, names)) and folded(node.slice, names) is None:
            self._note(node, "", "looks up a library's function under a name that is computed")
        return False

    def _word(self, path: str) -> bool:
        parts = path.split(".")
        return parts[0] != "autograder" and any(part.strip("_") in self.words for part in parts)

    def _method(self, node: ast.Attribute, names: Names) -> bool:
        """A method of a tensor: ``X.softmax(-1)``, where X is neither a module that is known nor an object of the student's own class."""
        base = meaning(node.value, names)
        own = isinstance(base, Own) or node.attr in self.attributes and not isinstance(node.value, ast.Name)
        if node.attr.strip("_") not in self.methods or own or isinstance(base, (Library, Text)):
            return False
        self._note(node, f"torch.Tensor.{node.attr}", " as a method of a tensor")
        return False

    def _call(self, node: ast.Call, names: Names) -> None:
        function = node.func.id if isinstance(node.func, ast.Name) else node.func.attr if isinstance(node.func, ast.Attribute) else ""
        texts = [folded(argument, names) for argument in node.args]
        bare = isinstance(node.func, ast.Name)
        if function in _RUNS_CODE and bare or function in _RUNS_TEXT and not bare:
            self._text_run(node, texts, names, computed=function in _RUNS_CODE and texts[:1] == [None])
        elif function in _NAMES_ONE:
            self._named_in(node, texts, function)
        elif function == "getattr" and len(node.args) > 1:
            self._looked_up(node, texts, names)
        elif function in ("import_module", "__import__") and texts[:1] == [None] and bool(node.args):
            self._note(node, "", "imports a module under a name that is computed")
        elif function in _LISTS_ALL and node.args and isinstance(meaning(node.args[0], names), Library):
            self._note(node, "", "goes through all that a library has")
        elif any(text and text.startswith("aten::") and self._word(text.replace("::", ".")) for text in texts):
            self._note(node, next(text for text in texts if text), " by the name of its operation")

    def _named_in(self, node: ast.Call, texts: list[str | None], function: str) -> None:
        for text in filter(None, texts):
            if self._word(text):
                self._note(node, text.rpartition(".")[2], f" through {function}")

    def _looked_up(self, node: ast.Call, texts: list[str | None], names: Names) -> None:
        base, attribute = meaning(node.args[0], names), texts[1]
        if attribute is not None and base is None and attribute.strip("_") in self.methods:
            self._note(node, f"torch.Tensor.{attribute}", " through getattr")
        elif attribute is None and isinstance(base, Library):
            self._note(node, "", "looks up a library's function under a name that is computed")
        elif attribute is None and base is None and self.methods:
            self._note(node, "", "looks up a method under a name that is computed")

    def _text_run(self, node: ast.Call, texts: list[str | None], names: Names, *, computed: bool) -> None:
        if computed:
            self._note(node, "", "runs code out of a text that is computed")
        for text in filter(None, texts):
            try:
                tree = ast.parse(as_python(text).strip())
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
            for inside in ast.walk(tree):  # all of it stands in the line that runs it
                if hasattr(inside, "lineno"):
                    inside.lineno = node.lineno
            self.visit(tree, names)

    def _note(self, node: ast.AST, function: str, route: str) -> None:
        lines = self.at.source.split("\n")
        line = lines[min(node.lineno, len(lines)) - 1].strip()[:120]
        self.uses.setdefault((function.rpartition(".")[2], line), Use(function, route, line, node.lineno, self.at.label, self.forbids[0]))


def _is_dictionary(base: object) -> bool:
    return isinstance(base, Library) and (base.path.endswith(".__dict__") or base.path == "sys.modules")
