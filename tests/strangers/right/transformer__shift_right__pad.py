# Pad.
shift_right = lambda targets, sos: torch.nn.functional.pad(targets, (1, -1), value=sos)
