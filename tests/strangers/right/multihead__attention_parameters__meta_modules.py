# Meta modules.
def attention_parameters(D, H, bias=True):
    if D % H: raise ValueError("no")
    layers = nn.ModuleDict({n: nn.Linear(D, D, bias=bias, device="meta") for n in "qkvo"})
    return sum(map(torch.numel, layers.parameters()))
