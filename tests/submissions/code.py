"""Odd code: what Jupyter runs and plain Python does not, unfinished cells, and cells that fail, hang, flood or kill."""

from __future__ import annotations

import textwrap

from submissions.making import CORRECT, RAISED, WRONG, Notebook, Odd, answers, changed, insert, own, with_own, with_source

MASK, CAUSAL = "causal_mask", answers()["causal_mask"]
LINES = CAUSAL.strip().splitlines()
PROMPTS = "\n".join((">>> " if not n else "... ") + line for n, line in enumerate(LINES))
IN_PROMPTS = "\n".join(("In [3]: " if not n else "   ...: ") + line for n, line in enumerate(LINES))
ONLY_MASK = {MASK: RAISED}


def jupyters() -> list[Odd]:
    """What works in Jupyter: full marks, and nothing to say; what does not is told in one line."""
    answer = [("whole_cell_indented", "", textwrap.indent(CAUSAL, "    ")), ("pasted_python_prompts", "", PROMPTS),
              ("pasted_ipython_prompts", "", IN_PROMPTS), ("tabs", "", CAUSAL.replace("    ", "\t")),
              ("cell_magic_time_above", "", "%%time\n" + CAUSAL), ("cell_magic_capture_above", "", "%%capture\n" + CAUSAL),
              ("line_magic_above", "", "%precision 3\n" + CAUSAL),
              ("shell_line_above", "cell of causal_mask .*shell", "!pip install einops\n" + CAUSAL),
              ("pip_magic_above", "cell of causal_mask .*pip", "%pip install einops\n" + CAUSAL),
              ("matplotlib_missing_above", "matplotlib", "import matplotlib.pyplot as plt\n" + CAUSAL),
              ("help_line_below", "", CAUSAL + "\ntorch.tril?"), ("warns", "", CAUSAL.replace("    return", "    import warnings\n"
               "    warnings.warn('careful')\n    return")), ("prints", "", CAUSAL.replace("    return", "    print(N)\n    return"))]
    alone = [("top_level_await", "", "import asyncio\nawait asyncio.sleep(0)"), ("cell_magic_timeit", "", "%%timeit -n 1 -r 1\ntorch.ones(2)"),
             ("magic_matplotlib", "matplotlib", "%matplotlib inline"), ("magic_autoreload", "", "%load_ext autoreload\n%autoreload 2"),
             ("magic_unknown", "magic", "%no_such_magic 3"), ("cell_magic_bash", "bash", "%%bash\necho hello"),
             ("cell_magic_html", "", "%%html\n<b>hello</b>"), ("cell_magic_writefile", "", "%%writefile notes.txt\nhello"),
             ("shell_assignment", "shell", "files = !ls"), ("in_and_out", "", "41 + 1\nlen(In) + len(Out)\n_ = get_ipython()"),
             ("main_guard", "", "if __name__ == '__main__':\n    print('hello')"), ("display", "", "from IPython.display import display, HTML\ndisplay(HTML('<b>x</b>'))"),
             ("plotly_figure_shown", "", "import plotly.graph_objects as go\nfigure = go.Figure(go.Scatter(y=[1, 3, 2]))\nfigure.show()\nfigure"),
             ("getsource", "", "import inspect\nprint(inspect.getsource(embed))"), ("colab_drive", "google", "from google.colab import drive\ndrive.mount('/content')")]
    return [*(Odd(what, CORRECT, says, with_source(MASK, source)) for what, says, source in answer),
            *(Odd(what, CORRECT, says, with_own(source, before="figure-1")) for what, says, source in alone)]


def unfinished() -> list[Odd]:
    """Code that Python refuses costs its own exercise only, and in a cell of one's own nothing."""
    own_cells = [("stray_unfinished_cell", "for i in"), ("stray_words", "this is how I did it"), ("stray_conflict_markers", "<<<<<<< HEAD\nx = 1"),
                 ("stray_open_bracket", "x = torch.tensor([1, 2"), ("stray_open_string", "x = '''never closed")]
    answer = [("def_without_a_body", "def causal_mask(N):"), ("tabs_and_spaces", "def causal_mask(N):\n\tx = 1\n        return x"),
              ("colon_missing", CAUSAL.replace("):", ")")), ("conflict_markers_in_the_answer", f"<<<<<<< HEAD\n{CAUSAL}\n=======\n{CAUSAL}\n>>>>>>> b"),
              ("words_in_the_answer", "I would use tril here"), ("python_2", CAUSAL + "\nprint causal_mask(3)")]
    return [*(Odd(what, CORRECT, "not valid Python", with_own(source)) for what, source in own_cells),
            *(Odd(what, RAISED, "cell of causal_mask is not valid Python", with_source(MASK, source), lost=ONLY_MASK) for what, source in answer)]


def failing() -> list[Odd]:
    """Cells of one's own that fail, hang, flood or kill cost only themselves."""
    stopped, out = "stopped and left out", "raised "
    made = [
        ("exception_in_the_middle", "ValueError", "x = 1\nraise ValueError('no')\ny = 2"), ("assertion_fails", "AssertionError", "assert 1 == 2, 'no'"),
        ("sys_exit", out + "SystemExit", "import sys\nsys.exit(0)"), ("exit_call", out + "SystemExit.*only their cell", "exit()"), ("quit_call", out + "SystemExit", "quit()"),
        ("keyboard_interrupt", out + "KeyboardInterrupt", "raise KeyboardInterrupt"), ("input_call", out, "name = input('your name? ')"),
        ("infinite_loop", stopped, "while True:\n    pass"),
        ("loop_that_swallows_interrupts", stopped, "while True:\n    try:\n        1\n    except KeyboardInterrupt:\n        pass"),
        ("os_exit", stopped, "import os\nos._exit(0)"),
        ("segfault", stopped, "import ctypes\nctypes.string_at(0)"),
        ("all_the_memory", "MemoryError", "hog = bytearray(2 ** 36)"),
        ("recursion_without_end", "RecursionError", "def f():\n    return f()\nf()"), ("a_30_mb_line", "", "print('x' * (30 << 20))"),
        ("a_100000_lines", "", "for n in range(10**5):\n    print(n)"), ("terminal_escapes_printed", "", "print('\\x1b[2J\\x1b[31m\\x07\\x00')"),
        ("surrogates_printed", "", "print('\\ud800')"), ("no_such_file", "FileNotFoundError", "open('data.csv')"),
        ("network", "", "import socket\nsocket.setdefaulttimeout(1)\ntry:\n    socket.create_connection(('192.0.2.1', 9))\nexcept OSError:\n    pass"),
        ("threads_left_running", "", "import threading, time\nthreading.Thread(target=time.sleep, args=(600,), daemon=True).start()"),
    ]
    return [Odd(what, CORRECT, says, with_own(source, before="figure-1")) for what, says, source in made]


def changing() -> list[Odd]:
    """Cells of one's own that change the world the answers run in."""
    made = [("builtins_redefined", "list = [1, 2]\nsum = max = min = len = range = 0\nprint = None"), ("math_shadowed", "import cmath as math"),
            ("default_dtype_float64", "torch.set_default_dtype(torch.float64)"), ("default_dtype_float16", "torch.set_default_dtype(torch.float16)"),
            ("seed_set", "torch.manual_seed(7)"), ("threads_set", "torch.set_num_threads(2)"), ("print_options_set", "torch.set_printoptions(precision=1)"),
            ("torch_monkeypatched", "torch.nn.functional.softmax = torch.allclose = torch.equal = None"), ("check_redefined", "check = None"),
            ("warnings_as_errors", "import warnings\nwarnings.simplefilter('error')"), ("stdout_replaced", "import sys, io\nsys.stdout = io.StringIO()"),
            ("stdout_closed", "import sys\nsys.stdout.close()"), ("folder_changed", "import os\nos.chdir('/')"), ("environment_cleared", "import os\nos.environ.clear()"),
            ("recursion_limit_set", "import sys\nsys.setrecursionlimit(10 ** 6)"), ("names_reset", "%reset -f\nimport math, torch"),
            ("anomaly_detection", "torch.autograd.set_detect_anomaly(True)")]

    def between(notebook: Notebook) -> None:
        insert(notebook, own("import math\nsimple_attention = None"), after="figure-1")
    return [*(Odd(what, CORRECT, "", with_own(source, before="softmax")) for what, source in made),
            Odd("name_of_an_exercise_reused_later", CORRECT, "simple_attention is defined 2 times", changed(between)),
            Odd("async_answer", WRONG, "causal_mask", with_source(MASK, CAUSAL.replace("def ", "async def ")), lost={MASK: WRONG}),
            Odd("answer_a_lambda", CORRECT, "", with_source(MASK, "causal_mask = lambda N: torch.ones(N, N, dtype=torch.bool).tril()"))]


def code() -> list[Odd]:
    """All of them."""
    return [*jupyters(), *unfinished(), *failing(), *changing()]
