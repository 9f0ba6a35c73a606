"""What is loaded, and that no other package has a say in it."""

import subprocess
import sys

from support import ROOT

PLUGIN = "import os, pathlib\npathlib.Path(os.environ['MARK']).touch()\n"


def test_a_plugin_of_hypothesis_is_not_loaded(tmp_path):
    """One that is installed would be imported with hypothesis, and could change what is drawn."""
    (tmp_path / "meddling.py").write_text(PLUGIN)
    info = tmp_path / "meddling-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: meddling\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[hypothesis]\nmeddling = meddling\n")
    for module, loaded in (("hypothesis", True), ("autograder.exercise", False)):
        mark = tmp_path / module
        environment = {"PYTHONPATH": f"{tmp_path}:{ROOT}", "MARK": str(mark), "OMP_NUM_THREADS": "1"}
        subprocess.run([sys.executable, "-c", f"import {module}, os; assert 'HYPOTHESIS_NO_PLUGINS' not in os.environ"], env=environment, check=True)
        assert mark.exists() is loaded


def test_a_gradient_is_asked_for_without_symbolic_algebra():
    """torch would load sympy for it, 0.3 s at every start of a template and at the first gradient of a desk."""
    code = ("import sys, torch; from autograder.untrusted.worker import warm_up; warm_up(); print('sympy' in sys.modules)")
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip() == "False"
