# Unusual but right: a lambda that drops the last column and pads one on the left.
import torch.nn.functional as F

shift_right = lambda targets, sos: F.pad(targets[..., :-1], (1, 0), mode="constant", value=int(sos))
