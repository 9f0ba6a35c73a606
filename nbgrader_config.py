"""nbgrader's configuration: read from course.yaml, with this kit's exporter and preprocessors in place of stock ones."""

from pathlib import Path

from autograder.plugins import configure

configure(get_config(), Path(__file__).resolve().parent)  # noqa: F821 - nbgrader provides get_config
