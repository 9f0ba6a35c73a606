"""Returns an object whose pickle runs code where it is loaded.

ids: C09
wants: escape
claimed: boundary only, full sandbox
"""


class Loads:
    def __reduce__(self):
        return exec, ("print('CAME', 'THROUGH', flush=True)",)


def softmax(Z, dim=-1):
    return Loads()
