"""Attacks on the world around the notebook: network, programs, files, and whoever is graded next."""

import os

import pytest

ACTIONS = {
    "internet_socket": "import socket; socket.socket()",
    "unix_socket": "import socket; socket.socket(socket.AF_UNIX)",
    "raw_socket": "import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
    "web_page": "import urllib.request; urllib.request.urlopen('http://127.0.0.1', timeout=1)",
    "subprocess": "import subprocess; subprocess.run(['true'])",
    "shell": "import os; assert os.system('true') == 0",
    "exec": "import os; os.execv('/bin/true', ['true'])",
    "fork": "import os; os.fork() or os._exit(0)",
    "spawn": "import os; os.posix_spawn('/bin/true', ['true'], {{}})",
    "site_packages": "import torch; open(torch.__path__[0] + '/evil.py', 'w')",
    "the_kit": "import autograder.untrusted as u; open(u.__path__[0] + '/evil.py', 'w')",
    "the_system": "open('/usr/evil', 'w')",
    "the_root": "open('/evil', 'w')",
    "devices": "open('/dev/evil', 'w')",
    "device_node": "import os; os.mknod('/tmp/dev', 0o660 | 0o020000, os.makedev(1, 1))",
    "mount": "import ctypes; assert ctypes.CDLL(None).mount(b'x', b'/tmp', b'tmpfs', 0, 0) == 0",
    "new_namespace": "import ctypes; assert ctypes.CDLL(None).unshare(0x10000000) == 0",
    "become_root": "import os; os.setuid(0); assert os.getuid() == 0; open('/usr/evil', 'w')",
    "raise_limits": "import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
    "kill_the_grader": "import os; os.kill({pid}, 0)",
    "kill_the_parent": "import os; assert os.getppid() > 0; os.kill(os.getppid(), 9)",
    "change_the_clock": "import time; time.clock_settime(time.CLOCK_REALTIME, 0)",
    "host_name": "import socket; socket.sethostname('evil')",
    "type_into_the_terminal": "import fcntl, os; fcntl.ioctl(os.open('/dev/tty', os.O_RDWR), 0x5412, b'x')",
    "kernel_messages": "open('/dev/kmsg').read(1)",
}


@pytest.fixture(scope="module")
def done(grader, snippets):
    """What came of each action."""
    if grader.box.level == "none":
        pytest.skip("no sandbox on this machine")
    return snippets({name: body.format(pid=os.getpid()) for name, body in ACTIONS.items()})


@pytest.mark.parametrize("name", ACTIONS)
def test_action_is_refused(done, name):
    """The action fails."""
    assert done[name].startswith("REFUSED")


LEFT_BEHIND = {
    "temporary_file": ("open('/tmp/note', 'w').write('x')", "import os; print(os.path.exists('/tmp/note'))"),
    "shared_memory": ("open('/dev/shm/note', 'w').write('x')", "import os; print(os.path.exists('/dev/shm/note'))"),
    "home": ("import os; open(os.path.expanduser('~/note'), 'w').write('x')", "import os; print(os.path.exists(os.path.expanduser('~/note')))"),
    "module": ("import torch; torch.note = 1", "import torch; print(hasattr(torch, 'note'))"),
    "environment": ("import os; os.environ['NOTE'] = '1'", "import os; print('NOTE' in os.environ)"),
    "name": ("note = 1", "print('note' in globals())"),
    "random_state": ("import random, torch; torch.manual_seed(99); random.seed(99)", "print(torch.initial_seed() == 99)"),
    "default_dtype": ("torch.set_default_dtype(torch.float16)", "print(torch.get_default_dtype() is torch.float16)"),
    "imported_function": ("import builtins; builtins.len = lambda x: 0", "print(len([1]) == 0)"),
    "queue": ("import ctypes; ctypes.CDLL(None).msgget(77, 0o1666)", "import ctypes; print(ctypes.CDLL(None).msgget(77, 0) >= 0)"),
    "shared_segment": ("import ctypes; ctypes.CDLL(None).shmget(77, 4096, 0o1666)", "import ctypes; print(ctypes.CDLL(None).shmget(77, 0, 0) >= 0)"),
    "position_in_the_log": ("import os; os.lseek(2, 4242, 0)", "import os; print(os.lseek(2, 0, 1) == 4242)"),
    "size_of_the_log": ("import os; os.ftruncate(2, 777)", "import os; print(os.fstat(2).st_size == 777)"),
    "flags_of_standard_output": ("import fcntl; fcntl.fcntl(1, 4, fcntl.fcntl(1, 3) | 0o2000)", "import fcntl; print(bool(fcntl.fcntl(1, 3) & 0o2000))"),
}
@pytest.mark.parametrize("write, read", LEFT_BEHIND.values(), ids=LEFT_BEHIND.keys())
def test_nothing_is_left_for_the_next_student(attack, isolated, write, read):
    """What one student leaves, the next does not find."""
    attack(cells=(write,))
    assert attack(cells=(read,)).printed.strip() == "False"


def test_inputs_are_the_students_own_copy(attack, right):
    """Writing into an input changes neither the grader's input nor that of the next call."""
    attacked = attack({"softmax": right["softmax"].replace("return ", "Z.fill_(7)\n    return ")})
    assert [c.name for c in attacked.exercise().checks if c.outcome != "correct"] == ["the_input_stays_as_it_was"]
