# Asserts what the statement promises of its inputs.
def attention_parameters(D: int, H: int, bias: bool = True) -> int:
    assert type(D) is int and type(H) is int and bias in (True, False)
    if not (D / H).is_integer(): raise ValueError(f"{H} does not divide {D}.")
    return 4 * D * (D + 1) if bias else (2 * D) ** 2
