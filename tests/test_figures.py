"""What a reader must be able to take from a figure: the right numbers, at the right words, told apart without colour."""

import subprocess
import sys

import pytest
import torch

from autograder import figures

RIVER = "I swam to the other bank by the river".split()   # "the" occurs twice


def weights(n_q, n_kv, seed=0):
    """N_q x N_kv weights whose rows sum to 1, in float64."""
    return torch.softmax(torch.randn(n_q, n_kv, generator=torch.Generator().manual_seed(seed), dtype=torch.float64), -1)


def axis(fig, letter, panel):
    """The x or y axis of a panel, panels counted from 1."""
    return fig.layout[f"{letter}axis{'' if panel == 1 else panel}"]


def shown(heat_map):
    return [list(row) for row in heat_map.z]


def word_at(axis, place):
    return dict(zip(axis.tickvals, axis.ticktext))[place]


def test_each_value_stands_at_its_words():
    """A sentence with a word that occurs twice keeps all its rows and columns, and the values are the tensor's own."""
    alpha = weights(9, 9)
    fig = figures.heat_maps([alpha, 0.5 * alpha], RIVER)
    assert [shown(trace) for trace in fig.data] == [alpha.tolist(), (0.5 * alpha).tolist()]
    for panel, trace in enumerate(fig.data, 1):
        for letter in "xy":
            places = getattr(trace, letter)
            assert len(set(places)) == 9
            assert [word_at(axis(fig, letter, panel), place) for place in places] == RIVER
    assert fig.data[0].text[2][5] == f"{alpha[2, 5].item():.2f}".lstrip("0")
    assert f"query 2: to<br>key 5: bank<br>weight: {alpha[2, 5].item():.4f}" == fig.data[0].hovertext[2][5]


def test_query_zero_is_on_top():
    fig = figures.heat_maps([weights(3, 4), weights(2, 2)])
    for panel, n in ((1, 3), (2, 2)):
        bottom, top = axis(fig, "y", panel).range
        assert bottom > top and (top, bottom) == (-0.5, n - 0.5)
        left, right = axis(fig, "x", panel).range
        assert left < right


def test_rows_are_queries_when_the_sentences_differ():
    fig = figures.heat_maps([weights(2, 3)], ["le", "chat", "dort"], queries=["cat", "<eos>"])
    assert (axis(fig, "y", 1).title.text, axis(fig, "x", 1).title.text) == ("query", "key")
    assert axis(fig, "y", 1).ticktext == ("cat", "&lt;eos&gt;")   # plotly would read <eos> as a tag and show nothing
    assert axis(fig, "x", 1).ticktext == ("le", "chat", "dort")


def test_maps_share_one_colour_scale():
    """The same weight has the same colour in each map: the scale runs from 0 to the largest of all, and is drawn once."""
    small, large = torch.full((2, 2), 0.5), torch.tensor([[0.9, 0.1], [0.2, 0.8]])
    fig = figures.heat_maps([small, large])
    assert {trace.coloraxis for trace in fig.data} == {"coloraxis"}
    assert fig.layout.coloraxis.cmin == 0 and fig.layout.coloraxis.cmax == pytest.approx(0.9)


@pytest.mark.parametrize("values", [[[0.3, -0.1]], [[0.1, -0.3]], [[-0.3, -0.2]], [[0.3, float("nan")]], [[-0.3, float("inf")]]])
def test_signed_colours_are_symmetric_about_zero(values):
    scale = figures.heat_maps([torch.tensor(values, dtype=torch.float64)], signed=True).layout.coloraxis
    assert (scale.cmin, scale.cmax) == (-0.3, 0.3)
    assert scale.colorscale != figures.heat_maps([torch.ones(1, 1)]).layout.coloraxis.colorscale


@pytest.mark.parametrize("value, text", [(0.0, "0"), (-0.0, "0"), (1.0, "1"), (0.001, ".00"), (-0.001, ".00"), (-0.25, "-.25"),
                                         (0.999, "1.00"), (1.2375, "1.24"), (float("nan"), "nan"), (float("-inf"), "-inf")])
def test_an_exact_zero_differs_from_a_rounded_one(value, text):
    """A masked weight reads 0 and a tiny one .00, so that a mask can be seen to be exact."""
    row = torch.full((1, 16), value, dtype=torch.float64)
    assert figures.heat_maps([row]).data[0].text[0][0] == text


def test_values_are_written_only_where_they_fit():
    """Narrow cells carry no values, wide ones a third decimal."""
    texts = [figures.heat_maps([torch.full((2, n), 0.0625)]).data[0].text for n in (4, 16, 64)]
    assert [text and text[0][0] for text in texts] == [".062", ".06", None]


def test_tensors_with_a_gradient_and_booleans_are_drawn():
    alpha = weights(2, 2).requires_grad_()
    assert shown(figures.heat_maps([alpha]).data[0]) == alpha.tolist()
    assert shown(figures.heat_maps([torch.ones(2, 2, dtype=torch.bool).tril()]).data[0]) == [[1.0, 0.0], [1.0, 1.0]]


@pytest.mark.parametrize("shape", [(9,), (1, 9, 9), (0, 9), (9, 0)])
def test_what_is_no_matrix_is_refused_with_its_shape(shape):
    with pytest.raises(ValueError, match=rf"map 0 .*{', '.join(map(str, shape))}"):
        figures.heat_maps([torch.zeros(shape)], RIVER)


def test_words_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="8 rows of map 1 but 9 words"):
        figures.heat_maps([weights(9, 9), weights(8, 9)], RIVER)


def test_bars_show_each_vector_by_coordinate():
    river, cash = torch.tensor([1.2375, 0.3947], dtype=torch.float64), torch.tensor([0.5125, 0.8895], dtype=torch.float64)
    fig = figures.grouped_bars({"river": river, "cash": cash}, ["water", "money"])
    assert [(bar.name, bar.x, list(bar.y)) for bar in fig.data] == [("river", ("water", "money"), river.tolist()),
                                                                   ("cash", ("water", "money"), cash.tolist())]
    assert fig.layout.barmode == "group" and fig.data[0].text == ("1.24", ".39")
    assert fig.data[0].marker.pattern.shape != fig.data[1].marker.pattern.shape
    with pytest.raises(ValueError, match="'river' has 3 values where 2"):
        figures.grouped_bars({"river": torch.zeros(3)}, ["water", "money"])


def panels():
    """Two panels with two curves over four widths; the curves come in another order in the second panel."""
    up, flat = torch.tensor([4.0, 16.0, 64.0, 256.0]), [torch.tensor(1.0)] * 4
    return {"variance": {"bare": up, "scaled": flat}, "entropy": {"scaled": flat, "bare": up.flip(0)}}


def test_curves_differ_without_colour_and_look_the_same_in_each_panel():
    fig = figures.line_panels([4, 16, 64, 256], panels(), x_title="D_k", log_y=["variance"])
    looks = {(trace.name, trace.line.dash, trace.marker.symbol, trace.line.color) for trace in fig.data}
    assert len(fig.data) == 4 and len(looks) == 2
    assert len({dash for _, dash, _, _ in looks}) == len({symbol for _, _, symbol, _ in looks}) == 2
    assert [trace.name for trace in fig.data if trace.showlegend] == ["bare", "scaled"]


def test_curves_run_through_their_points_on_the_axes_asked_for():
    fig = figures.line_panels([4, 16, 64, 256], panels(), x_title="D_k", log_y=["variance"])
    assert [(trace.name, list(trace.y), trace.yaxis) for trace in fig.data] == [
        ("bare", [4, 16, 64, 256], "y"), ("scaled", [1] * 4, "y"), ("scaled", [1] * 4, "y2"), ("bare", [256, 64, 16, 4], "y2")]
    assert [axis(fig, "y", panel).title.text for panel in (1, 2)] == ["variance", "entropy"]
    assert (axis(fig, "y", 1).type, axis(fig, "y", 2).type) == ("log", None)
    for panel in (1, 2):
        x = axis(fig, "x", panel)
        assert (x.type, x.tickvals, x.ticktext, x.title.text) == ("log", (4, 16, 64, 256), ("4", "16", "64", "256"), "D_k")


def test_importing_the_module_is_cheap():
    """The grader executes the import for every submission and draws nothing: no plotly until a figure is drawn."""
    code = "import sys, autograder.figures; sys.exit(any(name.split('.')[0] in ('plotly', 'pandas', 'torch') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_a_notebook_exports_figures_as_html():
    """In a kernel, plotly's own renderer sends JSON only, which nbconvert drops; a renderer chosen by hand stays."""
    code = ("import plotly.io as pio; from autograder import figures; pio.renderers.default = {!r}; "
            "fig = figures.heat_maps([[[1.0]]]); bundle = pio.renderers._build_mime_bundle(fig.to_dict()); "
            "print(pio.renderers.default, *sorted(bundle), bundle.get('text/html', '').lower().count('mathjax.js'))")
    for chosen, expected in [("plotly_mimetype", "plotly_mimetype+homework application/vnd.plotly.v1+json text/html 0"),
                             ("json", "json application/json 0")]:
        run = subprocess.run([sys.executable, "-c", code.format(chosen)], capture_output=True, text=True, check=True)
        assert run.stdout.split() == expected.split()
