"""Rows of small pictures: the right values at the right places, and a scale of its own for each row."""

import pytest
import torch

from autograder import figures


def pictures(n, size, seed):
    """n pictures of size x size values between 0 and 1."""
    return list(torch.rand(n, size, size, generator=torch.Generator().manual_seed(seed), dtype=torch.float64))


def shown(trace):
    return [list(row) for row in trace.z]


def axis(fig, trace, letter):
    """The x or y axis of a trace."""
    name = getattr(trace, f"{letter}axis") or letter
    return fig.layout[f"{letter}axis{name[1:]}"]


def test_each_picture_stands_in_its_row_and_column_with_its_first_row_on_top():
    digits, maps = pictures(3, 8, 0), pictures(3, 4, 1)
    fig = figures.picture_rows({"ink": digits, "attention": maps}, ["3", "5", "8"])
    assert [shown(trace) for trace in fig.data] == [picture.tolist() for picture in digits + maps]
    for trace in fig.data:
        bottom, top = axis(fig, trace, "y").range
        left, right = axis(fig, trace, "x").range
        assert bottom > top and left < right
        assert axis(fig, trace, "y").scaleanchor == (trace.xaxis or "x")   # square cells
    assert [axis(fig, trace, "y").title.text for trace in fig.data] == ["ink", "", "", "attention", "", ""]
    assert [note.text for note in fig.layout.annotations] == ["3", "5", "8"]
    columns = [axis(fig, trace, "x").domain for trace in fig.data]
    assert columns[:3] == columns[3:]


def test_each_row_has_a_scale_of_its_own():
    fig = figures.picture_rows({"ink": [torch.ones(8, 8)] * 2, "attention": [torch.full((4, 4), 0.05), torch.full((4, 4), 0.1)]})
    assert [trace.coloraxis for trace in fig.data] == ["coloraxis", "coloraxis", "coloraxis2", "coloraxis2"]
    assert (fig.layout.coloraxis.cmin, fig.layout.coloraxis.cmax) == (0, 1)
    assert (fig.layout.coloraxis2.cmin, fig.layout.coloraxis2.cmax) == (0, pytest.approx(0.1))
    assert fig.layout.coloraxis.colorbar.y > fig.layout.coloraxis2.colorbar.y


def test_values_can_be_read_without_colour():
    """A 4 x 4 map carries its values; every cell tells its place and value."""
    fig = figures.picture_rows({"ink": pictures(5, 8, 0), "attention": pictures(5, 4, 1)})
    digit, attention = fig.data[0], fig.data[5]
    assert digit.text is None and attention.text[0][0] == f"{attention.z[0][0]:.2f}".lstrip("0")
    assert digit.hovertext[2][5] == f"row 2: 2<br>column 5: 5<br>ink: {digit.z[2][5]:.4f}"


def test_rows_of_different_length_are_refused():
    with pytest.raises(ValueError, match="'attention' has 2 pictures where 3"):
        figures.picture_rows({"ink": pictures(3, 8, 0), "attention": pictures(2, 4, 1)})
    with pytest.raises(ValueError, match=r"map 0 .*\(8,\)"):
        figures.picture_rows({"ink": [torch.zeros(8)]})
