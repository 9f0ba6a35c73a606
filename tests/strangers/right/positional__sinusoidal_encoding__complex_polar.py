# Complex polar.
def sinusoidal_encoding(N, D, L=10000.0):
    i = torch.arange(0, D, 2, dtype=torch.float64)
    ang = torch.outer(torch.arange(N, dtype=torch.float64), L ** (-i / D))
    z = torch.polar(torch.ones_like(ang), math.pi / 2 - ang)     # real part sin, imaginary part cos
    return torch.view_as_real(z).flatten(1)[:, :D]
