"""Panels of points: the right numbers in the right panel, told apart without colour."""

import pytest
import torch

from autograder import figures


def panels():
    """Two panels; the dots of the second have other places than those of the first."""
    offsets = torch.tensor([0, 1, 2])
    return {"score": {"points": (offsets, torch.tensor([3.0, 2.0, 1.0])), "curve": ([0.0, 0.5], [3.0, 2.5])},
            "other score": {"points": (offsets + 5, torch.tensor([1.0, 4.0, 2.0], requires_grad=True))}}


def test_points_and_curves_stand_where_they_belong():
    fig = figures.scatter_panels(panels(), x_title="offset", lines=["curve"])
    assert [(t.name, list(t.x), list(t.y), t.mode, t.yaxis) for t in fig.data] == [
        ("points", [0, 1, 2], [3, 2, 1], "markers", "y"), ("curve", [0, 0.5], [3, 2.5], "lines", "y"),
        ("points", [5, 6, 7], [1, 4, 2], "markers", "y2")]
    assert (fig.layout.yaxis.title.text, fig.layout.yaxis2.title.text) == ("score", "other score")
    assert fig.layout.xaxis.title.text == fig.layout.xaxis2.title.text == "offset"


def test_a_name_has_one_look_and_one_place_in_the_legend():
    fig = figures.scatter_panels(panels(), x_title="offset", lines=["curve"])
    assert [t.name for t in fig.data if t.showlegend] == ["points", "curve"]
    assert fig.data[0].marker == fig.data[2].marker and fig.data[0].marker.color != fig.data[1].line.color
    several = {name: ([0], [0]) for name in "abc"}
    looks = figures.scatter_panels({"y": several}, x_title="x").data
    assert len({t.marker.symbol for t in looks}) == 3
    assert len({t.line.dash for t in figures.scatter_panels({"y": several}, x_title="x", lines="abc").data}) == 3


def test_the_axis_may_be_logarithmic():
    assert figures.scatter_panels(panels(), x_title="offset", log_x=True).layout.xaxis2.type == "log"
    assert figures.scatter_panels(panels(), x_title="offset").layout.xaxis2.type == "linear"


def test_a_series_of_unequal_parts_is_refused():
    with pytest.raises(ValueError, match="'points' has 2 values where 3"):
        figures.scatter_panels({"y": {"points": ([0, 1, 2], [1.0, 2.0])}}, x_title="x")
