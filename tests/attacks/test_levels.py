"""The weaker levels of isolation: each is found by doing, and stops what it claims to; the verdict is outside at every level."""

import dataclasses
import os
import subprocess
import sys
import textwrap
import time

import pytest
from attacking import ROOT, TOKEN, TRY, Attacked, code_cell, graded
from test_environment import ACTIONS
from test_stealing import READS, SEARCHES

from autograder.answers import filled_in
from autograder.box import BoxError, require_level, start_box
from autograder.canaries import CLAIMS
from autograder.launch import LEVELS


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
        def changed(notebook):
            notebook["cells"] += [code_cell(source, 100 + number) for number, source in enumerate(cells)]
        start = time.monotonic()
        outcome = graded(weaker, filled_in(release, right | (answers or {}), change=changed).encode())
        return Attacked(outcome.result, outcome.notebook, time.monotonic() - start)
    return grade


@pytest.fixture(scope="module")
def tried(weaker, grade_at, course_folder):
    """What came of every attempt to read or to act."""
    places = {"root": str(course_folder), "kit": str(ROOT), "pid": os.getpid(), "home": os.path.expanduser("~"), "box": weaker.box.folder.name}
    bodies = {name: body.format(**places) for name, body in (READS | {n: b for n, b in ACTIONS.items()}).items()} | SEARCHES
    attacked, honest = grade_at(cells=[TRY.format(body=body) for body in bodies.values()]), grade_at()
    assert attacked.result.score == attacked.result.max_score == honest.result.score
    return dict(zip(bodies, attacked.printed_by_cell, strict=True)), attacked.text


def test_the_canaries_that_a_level_claims_to_stop_are_stopped(weaker):
    assert all(weaker.box.canaries[name] for name in CLAIMS[weaker.box.level])
    assert weaker.box.level in weaker.box.sentence


@pytest.mark.parametrize("weaker", ["confined"], indirect=True)
@pytest.mark.parametrize("name", [*READS, *ACTIONS])
def test_confined_stops_what_isolated_stops(tried, name):
    assert tried[0][name].startswith("REFUSED")
    assert TOKEN not in tried[1]


@pytest.mark.parametrize("name", ["subprocess", "fork", "exec", "internet_socket", "new_namespace", "kill_the_grader", "tracing", "memory_of_the_grader"])
def test_limited_starts_no_process_and_reaches_none(tried, name):
    assert tried[0][name].startswith("REFUSED")


@pytest.mark.parametrize("source, outcome", [("def softmax(Z, dim=-1):\n    while True: pass\n", "limit"), ("def softmax(Z, dim=-1):\n    import os; os._exit(0)\n", "limit"),
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
