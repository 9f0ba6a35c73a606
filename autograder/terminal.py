"""The terminal: consoles that leave colours out of pipes and files (and where NO_COLOR is set), and lines whole."""

from __future__ import annotations

import sys

from rich.console import Console

PIPE_WIDTH = 140


def console(*, stderr: bool = False) -> Console:
    """A console on standard output or error."""
    stream = sys.stderr if stderr else sys.stdout
    return Console(stderr=stderr, soft_wrap=True, emoji=False,  # or a line :100: is shown as a picture
                    width=None if stream.isatty() else PIPE_WIDTH)
