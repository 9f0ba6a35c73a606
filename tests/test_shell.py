"""Cells go to the worker's shell as IPython would have them; those that are Python already are spared its tokenizer."""

import json
import subprocess
import sys

from support import ROOT

COMPARED = '''
import json, sys
from autograder.untrusted import shell
shell.prepare()
from IPython import get_ipython
mine = get_ipython()
usual = type(mine).transform_cell
different = [cell for cell in json.load(sys.stdin) if mine.transform_cell(cell) != usual(mine, cell)]
calls = []
mine.input_transformers_post.append(lambda lines: calls.append(1) or lines)
mine.transform_cell("x = 1")
print(json.dumps([different, len(calls)]))
'''
ODD = ["x = 1\n\n\n%time x", "%%time\nx = 1", "!ls", "a = !ls", "x?", "?x", "'''\n%a\n'''", "(1\n%2)", "x = 1  # c", "def f():\n    return 1\nf()  ", "a = 1;",
       "await x", "\x0cx = 1", "x\r\ny", ">>> x = 1", "In [1]: x = 1", "    x = 1\n    y = 2", "\n\nx = 1", "%matplotlib inline\nx = 1", "x = (", "\ufeffx = 1",
       "x = '\\d'", "async for x in y: pass", "a\n%b", "%env A=1", "if x:\n  !ls\n"]


def test_a_cell_that_is_python_is_left_as_ipython_leaves_it():
    cells = [*ODD]
    for path in (ROOT / "release").glob("*/*.ipynb"):
        cells += ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    done = subprocess.run([sys.executable, "-W", "error::SyntaxWarning", "-c", COMPARED], cwd=ROOT, input=json.dumps(cells), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    different, calls = json.loads(done.stdout)
    assert different == [] and calls == 1  # a transformer of the student's own is still asked
