"""The weaker levels of isolation: each is found by doing, and stops what it claims to; the verdict is outside at every level."""

import dataclasses
import subprocess
import sys
import textwrap
import time

import pytest
from arms import one_statement
from attacking import ROOT, THROUGH, TOKEN, Attacked, graded, written
from attempt import SANDBOX, attempts

from autograder.box import BoxError, require_level, start_box
from autograder.canaries import CLAIMS
from autograder.launch import LEVELS

# Single cells that the sandbox stops. These need mounts of their own, a user of their own, or a notebook of their own:
APART = {"disk_filled_by_many_files", "many_small_files", "shared_memory_filled", "thread_bomb", "open_descriptors"}
CELLS = {a.name: one_statement(a.sources("cell")[0]) for a in attempts()
         if a.wants in ("secret", "escape", "resources") and [mark for mark, _, _ in a.parts] == ["cell"]
         and SANDBOX in a.claimed and SANDBOX in a.arms and a.name not in APART}
STARTED_OR_REACHED = ("program", "spawned_program", "memory_of_many_processes", "connection", "user_namespace", "grader_signalled",
                      "memory_of_the_grader", "memory_in_a_file_without_a_name")


@pytest.fixture(scope="module", params=["confined", "limited"])
def weaker(request, grader):
    """The attacks' grader with a box of a weaker level."""
    box = start_box(grader.course.limits, best=request.param)
    if box.level != request.param:
        box.close()
        pytest.skip(f"this machine has no level {request.param}: {box.missing}")
    yield dataclasses.replace(grader, box=box)
    box.close()


@pytest.fixture(scope="module")
def grade_at(weaker, release, right):
    def grade(answers=None, cells=()):
        start = time.monotonic()
        outcome = graded(weaker, written(release, right | (answers or {}), cells=list(cells)).encode())
        return Attacked(outcome.result, outcome.notebook, time.monotonic() - start)
    return grade


@pytest.fixture(scope="module")
def tried(weaker, grade_at, arms, tmp_path_factory):
    """What each attack printed that is to be stopped at this level; all in one notebook, after which an honest one is graded."""
    names = list(CELLS) if weaker.box.level == "confined" else STARTED_OR_REACHED
    before = arms.told(SANDBOX, tmp_path_factory.mktemp("told"), None)
    attacked, honest = grade_at(cells=[before, *(CELLS[name] for name in names)]), grade_at()
    assert attacked.result.score == attacked.result.max_score == honest.result.score
    assert TOKEN not in attacked.text
    return dict(zip(names, attacked.printed_by_cell[1:], strict=True))


def test_the_canaries_that_a_level_claims_to_stop_are_stopped(weaker):
    assert all(weaker.box.canaries[name] for name in CLAIMS[weaker.box.level])
    assert weaker.box.level in weaker.box.sentence


@pytest.mark.parametrize("weaker", ["confined"], indirect=True)
@pytest.mark.parametrize("name", CELLS)
def test_confined_stops_what_isolated_stops(tried, name):
    assert THROUGH not in tried[name]


@pytest.mark.parametrize("name", STARTED_OR_REACHED)
def test_limited_starts_no_process_and_reaches_none(tried, name):
    assert THROUGH not in tried[name] and TOKEN not in tried[name]


@pytest.mark.parametrize("source, outcome", [
    ("def softmax(Z, dim=-1):\n    while True: pass\n", "limit"),
    ("def softmax(Z, dim=-1):\n    import os; os._exit(0)\n", "limit"),
    ("torch.allclose = lambda *a, **k: True\ndef softmax(Z, dim=-1):\n    return Z\n", "wrong")])
def test_the_verdict_is_outside_at_every_level(grade_at, source, outcome):
    attacked = grade_at({"softmax": source})
    attacked.earns_nothing()
    attacked.harms_no_other()
    assert attacked.exercise().outcome == outcome


def test_files_of_one_submission_are_not_there_for_the_next(weaker, grade_at):
    grade_at(cells=["open('note', 'w').write('x')"])
    read = "import glob, os; print(glob.glob(os.path.dirname(os.getcwd()) + '/*/note'))"
    printed = grade_at(cells=[read]).printed
    assert weaker.box.level != "confined" or printed.strip() in ("[]", "")


WITHOUT_NAMESPACES = textwrap.dedent("""
    # A container's usual filter: no new namespaces, no mounts; everything else as ever.
    import ctypes, errno, platform, struct
    from autograder.untrusted import confine, seccomp
    op, load, equal, any_bit, give, error = seccomp._op, 0x20, 0x15, 0x45, 0x06, 0x50000 | errno.EPERM
    column, _, clone, clone3 = seccomp._MACHINES[platform.machine()]
    program = [op(load, 0), op(equal, clone3, 0, 1), op(give, 0x50000 | errno.ENOSYS)]
    for name in ("unshare", "setns", "mount", "umount2", "pivot_root"):
        program += [op(equal, seccomp.DENIED[name][column], 0, 1), op(give, error)]
    program += [op(equal, clone, 0, 3), op(load, 16), op(any_bit, 0x7E020000, 0, 1), op(give, error), op(give, 0x7FFF0000)]
    buffer = ctypes.create_string_buffer(b"".join(program))
    confine.prctl(confine.PR_SET_NO_NEW_PRIVS, 1)
    header = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(program), ctypes.addressof(buffer)))
    confine.checked(confine.libc.prctl(confine.PR_SET_SECCOMP, 2, ctypes.byref(header), 0, 0), "seccomp")
    from autograder.box import start_box
    from autograder.course import Limits
    box = start_box(Limits())
    print(box.level, "|", box.missing)
    box.close()
""")


def test_where_namespaces_are_denied_the_level_is_confined():
    done = subprocess.run([sys.executable, "-c", WITHOUT_NAMESPACES], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.startswith("confined | "), done.stdout + done.stderr
    assert "isolated" in done.stdout


def test_below_the_level_that_is_asked_for_nothing_is_graded(weaker):
    stronger = LEVELS[LEVELS.index(weaker.box.level) - 1]
    with pytest.raises(BoxError, match=f"--least-isolation {weaker.box.level}"):
        require_level(weaker.box, stronger)
    require_level(weaker.box, weaker.box.level)
