"""Writes its inputs to a file, and a later cell, in whatever process it runs, prints the file.

ids: B20
wants: inputs
claimed: full sandbox
"""


def softmax(Z, dim=-1):
    with open(TARGET + "/inputs", "a") as file:
        file.write(f"{Z.tolist()}\n")
    weights = torch.exp(Z - Z.max(dim=dim, keepdim=True).values)
    return weights / weights.sum(dim=dim, keepdim=True)


# %% cell
print(open(TARGET + "/inputs").read()[-60000:])
