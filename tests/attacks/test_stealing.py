"""Attacks that try to read what the grader knows: every read fails, and the planted token is nowhere to be seen."""

import gc
import os

import pytest

from attacking import ROOT, TOKEN

READS = {
    "solutions": "return open({root!r} + '/solutions/attention/softmax.py').read()",
    "planted_file": "return open({root!r} + '/secret.txt').read()",
    "course_yaml": "return open({root!r} + '/course.yaml').read()",
    "git": "return open({root!r} + '/.git/secret.txt').read()",
    "kept_deck": "import os; return os.listdir({root!r} + '/.autograder')",
    "kit_solutions": "return open({kit!r} + '/solutions/attention/softmax.py').read()",
    "environment_of_the_grader": "return open('/proc/{pid}/environ').read()",
    "command_line_of_the_grader": "return open('/proc/{pid}/cmdline').read()",
    "memory_of_the_grader": "return open('/proc/{pid}/mem', 'rb').read(1)",
    "folder_of_the_grader": "import os; return os.listdir('/proc/{pid}/cwd/')",
    "descriptors_of_the_grader": "import os; return os.listdir('/proc/{pid}/fd')",
    "memory_of_the_parent": "import os; return open('/proc/%d/mem' % os.getppid(), 'rb').read(1)",
    "home_of_the_grader": "import os, sys; return [n for n in os.listdir({home!r}) if not sys.base_prefix.startswith({home!r} + '/' + n)][0]",
    "home_folders": "import os; return os.listdir('/home')",
    "passwords": "return open('/etc/passwd').read()",
    "shadow": "return open('/etc/shadow').read()",
    "box_folder": "import os; return os.listdir({box!r})",
    "exercises_of_the_kit": "import autograder.exercises.attention.softmax as m; return m.exercise",
    "engine_of_the_kit": "import autograder.engine as m; return m",
    "comparison_of_the_kit": "import autograder.compare as m; return m",
    "solutions_as_a_module": "import solutions.attention.softmax as m; return m",
    "kit_folder": "import os; return [n for n in os.listdir('/kit/autograder') if n not in ('__init__.py', 'figures', 'untrusted')][0]",
    "process_memory_by_system_call": ("import ctypes; libc = ctypes.CDLL(None, use_errno=True)\n"
                                      "    if libc.process_vm_readv({pid}, 0, 0, 0, 0, 0) == 0: return 'read'\n    raise OSError"),
    "tracing": "import ctypes\n    if ctypes.CDLL(None).ptrace(16, {pid}, 0, 0) == 0: return 'attached'\n    raise OSError",
    "descriptor_of_another_process": ("import ctypes, os; fd = ctypes.CDLL(None).syscall(434, {pid}, 0)\n"
                                      "    if fd >= 0: return fd\n    raise OSError"),
    "keyring": "import ctypes\n    if ctypes.CDLL(None).syscall(250, 0, -3, 0) >= 0: return 'keyring'\n    raise OSError",
    "handle_outside_the_mounts": ("import ctypes\n    if ctypes.CDLL(None).syscall(304, -100, 0, 0) >= 0: return 'opened'\n    raise OSError"),
    "template_socket": "import socket; s = socket.socket(socket.AF_UNIX); s.connect({box!r} + '/template'); return 'connected'",
}


@pytest.fixture(scope="module")
def read(grader, course_folder, snippets):
    """What each attempt read. Where everything lies is told to the attacker for nothing."""
    if grader.box.level == "none":
        pytest.skip("no sandbox on this machine")
    places = {"root": str(course_folder), "kit": str(ROOT), "pid": os.getpid(), "home": os.path.expanduser("~"), "box": grader.box.folder.name}
    return snippets({name: body.format(**places) for name, body in READS.items()} | SEARCHES)


@pytest.mark.parametrize("name", READS)
def test_reading_is_refused(read, name):
    """The attacker knows the path, and still reads nothing."""
    assert read[name].startswith("REFUSED")


SEARCHES = {
    "files": ("import os, sys\n    found = []\n    for d, ds, fs in os.walk('/'):\n"
              "        if d.startswith(('/usr', '/proc', '/sys', '/site', sys.base_prefix)): ds[:] = []; continue\n"
              "        found += [f for f in fs if 'solution' in f or 'secret' in f or f == 'course.yaml' or 'deck' in f]\n    return found"),
    "modules": "import sys; return [m for m in sys.modules if 'solutions' in m or 'engine' in m and 'autograder' in m or 'autograder.exercises' in m]",
    "environment": "import os; return [v for k, v in os.environ.items() if 'TOKEN' in k]",
    "first_environment": "import os\n    return [v for v in open('/proc/self/environ').read().split(chr(0)) if 'TOKEN' in v] if os.path.exists('/proc/self/environ') else []",
    "objects": "import gc\n    gc.unfreeze()\n    return [str(o.__module__) for o in gc.get_objects() if callable(o) and 'solutions' in str(getattr(o, '__module__', ''))][:5]",
    "frames": ("import sys\n    f, names = sys._getframe(), []\n    while f:\n        names += [n for n in f.f_locals if n in ('expected', 'deck', 'reference')]\n"
               "        f = f.f_back\n    return names"),
    "other_processes": "import os; return [p for p in os.listdir('/proc') if p.isdigit() and int(p) != os.getpid()]",
    "descriptors": ("import os\n    def is_open(n):\n        try: return os.fstat(n) is not None\n        except OSError: return False\n"
                    "    return [n for n in range(4, 1024) if is_open(n)]"),
}


@pytest.mark.parametrize("name", SEARCHES)
def test_searching_finds_nothing(read, name):
    """The attacker does not know where to look, and finds nothing by looking everywhere."""
    assert read[name].startswith(("READ []", "REFUSED"))


def test_the_token_is_there_to_be_found(grader, course_folder):
    """The control of this module: in the grader's own process it can be found in every place."""
    assert TOKEN in (course_folder / "solutions/secret.txt").read_text() and TOKEN in os.environ["AUTOGRADER_TEST_TOKEN"]
    gc.unfreeze()
    assert any(isinstance(o, dict) and o.get("TOKEN") == TOKEN for o in gc.get_objects())


SELF = """
import ctypes, re
found = 0
for line in open('/proc/self/maps'):
    start, stop = (int(x, 16) for x in line.split()[0].split('-'))
    if line.split()[1].startswith('rw') and stop - start < 1 << 28:
        found += len(re.findall(rb'agrees_with_the_ref' + b'erence', ctypes.string_at(start, stop - start)))
print('FOUND', found)
"""


def test_own_memory_holds_no_hidden_check(attack):
    """The memory inherited from the template holds no name of a hidden check."""
    assert "FOUND 0" in (printed := attack(cells=(SELF,)).printed) or not printed
