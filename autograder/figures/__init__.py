"""Plotly figures for the notebooks: heat maps with words on the axes, grouped bars, panels of curves, of functions and of points, pictures.

Every function takes torch tensors (NumPy arrays and nested lists do as well) and returns a plotly Figure. Nothing depends on
colour alone: heat maps print their values, bars carry patterns, curves differ in dash and marker. Plotly is imported when the
first figure is drawn, so that importing this module costs nothing.
"""

from autograder.figures.curves import grouped_bars, line_panels, scatter_panels, smooth_panels
from autograder.figures.maps import heat_maps, picture_rows

__all__ = ["grouped_bars", "heat_maps", "line_panels", "picture_rows", "scatter_panels", "smooth_panels"]
