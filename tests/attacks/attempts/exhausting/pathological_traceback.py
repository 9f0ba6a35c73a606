"""Raises through a thousand functions whose lines are long.

ids: D29
wants: stop
"""
LINE = "x = '" + "y" * 10_000 + "'; "
exec(compile("\n".join(f"def f{n}():\n    {LINE}raise ValueError if {n} == 0 else f{n - 1}.e()" for n in range(1)), "<long>", "exec"))


def softmax(Z, dim=-1):
    error = ValueError("a" * 1_000_000)
    for _ in range(50):
        try:
            raise ValueError("b" * 20_000) from error
        except ValueError as raised:
            error = raised
    raise error
