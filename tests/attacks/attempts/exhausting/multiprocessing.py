"""Starts processes with multiprocessing.

ids: D04
wants: escape
"""
# %% cell
import multiprocessing

process = multiprocessing.get_context("fork").Process(target=int)
process.start()
process.join()
came_through()
