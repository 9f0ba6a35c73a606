"""Panels of functions: the right numbers, told apart without colour, notes at their points."""

import pytest
import torch

from autograder import figures

X = torch.linspace(-2, 2, 5, dtype=torch.float64)
PANELS = {"value": {"cube": X ** 3, "itself": X}, "difference": {"gap": X ** 3 - X}}


def test_curves_hold_their_numbers_and_differ_without_colour():
    fig = figures.smooth_panels(X, PANELS, x_title="x")
    assert [(trace.name, list(trace.x), list(trace.y), trace.yaxis) for trace in fig.data] == [
        ("cube", X.tolist(), (X ** 3).tolist(), "y"), ("itself", X.tolist(), X.tolist(), "y"),
        ("gap", X.tolist(), (X ** 3 - X).tolist(), "y2")]
    assert {trace.mode for trace in fig.data} == {"lines"} and len({trace.line.dash for trace in fig.data}) == 3
    assert [fig.layout.yaxis.title.text, fig.layout.yaxis2.title.text] == ["value", "difference"]
    assert fig.layout.xaxis.title.text == fig.layout.xaxis2.title.text == "x"


def test_notes_point_into_their_panel():
    fig = figures.smooth_panels(X, PANELS, x_title="x", notes={"difference": [(1.0, 0.5, "here")]})
    note, = fig.layout.annotations
    assert (note.x, note.y, note.text, note.xref, note.yref) == (1.0, 0.5, "here", "x2", "y2")


def test_a_curve_of_another_length_is_refused():
    with pytest.raises(ValueError, match="'cube' has 4 values where 5"):
        figures.smooth_panels(X, {"value": {"cube": X[:4]}}, x_title="x")
