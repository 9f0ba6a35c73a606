"""A notebook's Python in the worker: IPython's shell, so that magics, display and top-level await behave.

What cells print and display is captured, bounded, and returned as plain data; only text and PNG images are kept.
"""

from __future__ import annotations

import ast
import contextlib
import errno
import io
import sys
import traceback
import types
import warnings
from typing import Any, Callable, Iterator

from autograder.untrusted.operations import describe_error

MAX_TEXT = 64 * 1024
MAX_DISPLAYS = 20
MAX_IMAGE = 512 * 1024
MAX_RESUMES = 50
NO_COMMAND = "shell commands and other programs are not run in grading; what this one would have done is missing, and nothing else"
_STARTERS = ("fork", "forkpty", "_fork_exec", "_execute_child", "_launch", "posix_spawn", "execv", "execve", "execvp")


class Bounded(io.TextIOBase):
    """A text stream that keeps the first `MAX_TEXT` characters and forgets the rest."""

    def __init__(self, name: str, outputs: list) -> None:
        self.name, self.outputs, self.left = name, outputs, MAX_TEXT

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        kept = text[:self.left] if self.left else ""
        self.left -= len(kept)
        if kept and self.outputs and self.outputs[-1][0] == self.name:
            self.outputs[-1][1].append(kept)
        elif kept:
            self.outputs.append((self.name, [kept]))
        return len(text)


class Missing:
    """Stands for a function that the notebook never defined."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *_: Any, **__: Any) -> None:
        raise NameError(f"name {self.name!r} is not defined")


def prepare() -> None:
    """Create the shell (in the template, once)."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config
    main = types.ModuleType("__main__")
    main.__builtins__ = __builtins__
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.xmode = "Plain"
    shell = InteractiveShell.instance(config=config, user_module=main, user_ns=main.__dict__)
    sys.modules["__main__"] = main
    shell.enable_gui = lambda gui=None: None
    shell.system = shell.getoutput = _no_command
    for name in ("script", *(shell.magics_manager.registry["ScriptMagics"].script_magics)):  # %%bash, %%sh, %%perl, …
        shell.register_magic_function(_no_command, "cell", name)
    shell.ask_exit = _no_exit
    shell.transform_cell = _unless_python(shell)
    _install_placeholder()
    with contextlib.suppress(ImportError):  # the notebooks' figures, where plotly is installed
        from autograder import figures  # noqa: F401
    run_cell("1 + 1")
    shell.reset(new_session=True)


def _unless_python(shell: Any) -> Callable[[str], str]:
    """IPython's way from a cell to Python, which leaves what is Python as it is: such a cell is spared its tokenizer (half the cell's cost)."""
    manager, transform = shell.input_transformer_manager, shell.transform_cell

    def lists() -> list[list]:
        return [list(one) for one in (shell.input_transformers_post, manager.cleanup_transforms, manager.line_transforms, manager.token_transformers)]

    usual = lists()

    def transformed(cell: str) -> str:
        if cell[:1].strip() and cell[:1] != "\ufeff" and "In [" not in cell and lists() == usual and _is_python(cell):
            return cell if cell.endswith("\n") else cell + "\n"
        return transform(cell)
    return transformed


def _is_python(cell: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(cell)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _no_command(*_: Any, **__: Any) -> None:
    raise PermissionError(NO_COMMAND)


def _no_exit() -> None:
    raise SystemExit("exit() and quit() end only their cell in grading")


def _install_placeholder() -> None:
    """In the worker ``from autograder import check`` gives a function that does nothing: the grader does the checking."""
    import autograder

    def check(*_: Any, **__: Any) -> None:
        """Checks run outside the notebook when it is graded."""
    autograder.check = check


def lookup(name: str) -> Any:
    """The notebook's present value of `name`, or a callable that says that it is missing."""
    from IPython import get_ipython
    value = get_ipython().user_ns.get(name)
    return value if callable(value) else Missing(name)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Forget what is printed inside."""
    out, err = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = Bounded("stdout", []), Bounded("stderr", [])
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, err


def run_cell(source: str) -> dict[str, Any]:
    """Run one cell and return ``{"error": None or describe_error(…), "syntax": bool, "outputs": […]}``.

    A statement that raises does not lose the ones after it: they are run as well, and the first error is reported.
    """
    outputs: list = []
    first_error, syntax = None, False
    with _capturing(outputs):
        rest, offset = source, 0
        for _ in range(MAX_RESUMES):
            error, line, in_syntax = _run_once(rest)
            if error is None:
                break
            if first_error is None:
                first_error, syntax = _shifted(error, offset), in_syntax
            following = None if in_syntax else _after_statement(rest, line)
            if following is None:
                break
            rest, skipped = following
            offset += skipped
    return {"error": first_error, "syntax": syntax, "outputs": [_plain_output(o) for o in outputs[:MAX_DISPLAYS * 2]]}


def _shifted(error: tuple, offset: int) -> tuple:
    kind, name, message, line, text = error
    return kind, name, message, line + offset if line > 0 else line, text


def _run_once(source: str) -> tuple[tuple | None, int, bool]:
    from IPython import get_ipython
    shell = get_ipython()
    try:
        result = shell.run_cell(source, store_history=True)
    except BaseException as error:  # noqa: BLE001 - IPython itself was made to fail
        return describe_error(error), -1, False
    if result.error_before_exec is not None:
        return _syntax_error(result.error_before_exec), -1, True
    if result.error_in_exec is None:
        return None, -1, False
    return _described(result.error_in_exec), _module_line(result.error_in_exec), False


def _described(error: BaseException) -> tuple:
    """As `describe_error`; what the sandbox says of a program or a process is told in words."""
    kind, name, message, line, text = describe_error(error)
    if isinstance(error, PermissionError) and error.errno == errno.EPERM:
        last = traceback.extract_tb(error.__traceback__)[-1]
        if last.name in _STARTERS or any(f".{starter}(" in (last.line or "") for starter in _STARTERS):
            message = NO_COMMAND
    return kind, name, message, line, text


def _syntax_error(error: BaseException) -> tuple:
    line = getattr(error, "lineno", None) or -1
    text = (getattr(error, "text", None) or "").rstrip("\n")[:200]
    return "raised", type(error).__name__[:60], str(getattr(error, "msg", error))[:500], line, text


def _module_line(error: BaseException) -> int:
    """The line of the cell's own top level at which `error` passed, or -1."""
    step, line = error.__traceback__, -1
    while step is not None:
        code = step.tb_frame.f_code
        if code.co_name == "<module>" and code.co_filename.startswith("<ipython-input"):
            line = step.tb_lineno
        step = step.tb_next
    return line


def _after_statement(source: str, line: int) -> tuple[str, int] | None:
    """What follows the top-level statement that covers `line`, and how many lines come before it."""
    from IPython import get_ipython
    if line < 1:
        return None
    transformed = get_ipython().transform_cell(source)
    try:
        body = ast.parse(transformed).body
    except (SyntaxError, ValueError):
        return None
    ends = [node.end_lineno for node in body if node.end_lineno >= line]
    lines = transformed.splitlines(keepends=True)
    if not ends or ends[0] >= len(lines):
        return None
    return "".join(lines[ends[0]:]), ends[0]


@contextlib.contextmanager
def _capturing(outputs: list) -> Iterator[None]:
    from IPython import get_ipython
    shell = get_ipython()
    out, err, publisher, hook = sys.stdout, sys.stderr, shell.display_pub.publish, sys.displayhook
    sys.stdout, sys.stderr = Bounded("stdout", outputs), Bounded("stderr", outputs)
    shell.display_pub.publish = lambda data, *_, **__: outputs.append(("display", data))
    shell.displayhook.write_format_data = lambda data, *_, **__: outputs.append(("result", data))
    shell.displayhook.write_output_prompt = lambda: None
    shell.displayhook.finish_displayhook = lambda: None
    shell._showtraceback = lambda *_, **__: None
    try:
        yield
    finally:
        sys.stdout, sys.stderr, sys.displayhook = out, err, hook
        shell.display_pub.publish = publisher


def _plain_output(output: tuple[str, Any]) -> dict[str, str]:
    """One output as plain data: streams and text bounded, images kept when small, everything else dropped."""
    kind, content = output
    if kind in ("stdout", "stderr"):
        return {"kind": kind, "text": "".join(content)[:MAX_TEXT]}
    kept = {"kind": kind, "text": ""}
    if isinstance(content, dict):
        text, image = content.get("text/plain"), content.get("image/png")
        kept["text"] = text[:MAX_TEXT] if type(text) is str else ""
        if type(image) is bytes:
            import base64
            image = base64.b64encode(image).decode("ascii")
        if type(image) is str and len(image) <= MAX_IMAGE:
            kept["png"] = image
    return kept
