"""Importing heavy libraries at less cost: without garbage collections, without others' plug-ins, nbgrader without its server extensions."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import os
import sys
import types
from typing import Any, Iterator


@contextlib.contextmanager
def without_collections() -> Iterator[None]:
    """Let no garbage collection run while modules are loaded, and none look at them ever after (a tenth of their cost)."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if running:
            gc.enable()


@contextlib.contextmanager
def cheap_collections() -> Iterator[None]:
    """Let a garbage collection look at nothing that is there already: hypothesis asks for one at its first drawing (0.1 s in a notebook)."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@contextlib.contextmanager
def without_plugins() -> Iterator[None]:
    """Import hypothesis as it is: what other packages hang into it has no say in a grade (and trio's would load pytest, 0.3 s)."""
    before = os.environ.get("HYPOTHESIS_NO_PLUGINS")
    os.environ["HYPOTHESIS_NO_PLUGINS"] = "1"
    try:
        yield
    finally:
        del os.environ["HYPOTHESIS_NO_PLUGINS"]
        if before is not None:
            os.environ["HYPOTHESIS_NO_PLUGINS"] = before


@contextlib.contextmanager
def without_iri_grammar() -> Iterator[None]:
    """Import nbgrader without the grammar of IRIs (1.2 s), which jsonschema takes as optional and nobody here needs."""
    held = "rfc3987_syntax" in sys.modules
    if not held:
        sys.modules["rfc3987_syntax"] = None
    try:
        with without_collections():
            yield
    finally:
        if not held:
            del sys.modules["rfc3987_syntax"]


def nbgrader_api() -> Any:
    """The module ``nbgrader.api`` alone; importing ``nbgrader`` itself would load its Jupyter extensions (0.3 s)."""
    if "nbgrader.api" in sys.modules:  # looking for it anew would cost more than a submission's rows
        return sys.modules["nbgrader.api"]
    if "nbgrader" not in sys.modules:
        package = types.ModuleType("nbgrader")
        package.__path__ = list(importlib.util.find_spec("nbgrader").submodule_search_locations)
        sys.modules["nbgrader"] = package
        try:
            with without_iri_grammar():
                return importlib.import_module("nbgrader.api")
        finally:
            del sys.modules["nbgrader"]  # whoever imports it next gets the real one
    with without_iri_grammar():
        return importlib.import_module("nbgrader.api")
