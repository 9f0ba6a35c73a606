"""Imports the grader's own modules and looks for what they hold.

ids: B16 B17
wants: secret
claimed: boundary only, full sandbox
"""
# %% cell
import importlib

for name in ("naive", "autograder.engine", "autograder.deck", "autograder.untrusted.template", "autograder.untrusted.worker",
             "autograder.box", "autograder.grader", "solution", "solutions.attention.softmax", "autograder_staff.attention.softmax"):
    try:
        module = importlib.import_module(name)
    except Exception as error:
        print(name, type(error).__name__)
    else:
        print(name, [value for value in vars(module).values() if type(value) is str and value[:7] == "SECRET-"])
