"""Staff half of the exercise `shift_right`: reference, alternates, misconceptions, hidden check."""

import torch
from hypothesis import given

from autograder.compare import assert_equal
from autograder.exercises.transformer.shift_right import (batches, each_place_hears_the_target_before_it, every_row_begins_with_sos,
                                                          exercise, the_targets_stay_as_they_were)


@exercise.solution
def shift_right(targets, sos):
    """What the decoder hears while it learns to say the targets: sos, then all targets but the last.

    targets: int64 tensor B x N, N >= 1. sos: the id of the start token, an int; it may occur among the targets.
    Returns an int64 tensor B x N. The targets are left as they are.
    """
    start = torch.full_like(targets[:, :1], sos)
    return torch.cat([start, targets[:, :-1]], dim=1)


@exercise.hidden_check(points=1, examples=15, hint="Write the answer for a batch of two rows of three tokens by hand and compare.",
                       kept="compares whole batches on targets seeded from the course's secret: an answer that knows the public ones "
                            "fails here alone")
@given(batches)
def agrees_with_the_reference(student, case):
    """Agrees with the reference for every batch, a single token a row included."""
    assert_equal(student(*case), shift_right(*case), what="the decoder's input")


@exercise.alternate
def written_into_a_new_tensor(targets, sos):
    shifted = torch.empty_like(targets)
    shifted[:, 0] = sos
    shifted[:, 1:] = targets[:, :-1]
    return shifted


@exercise.alternate
def rolled_and_overwritten(targets, sos):
    shifted = targets.roll(1, dims=1)
    shifted[:, 0] = sos
    return shifted


@exercise.alternate
def with_lists(targets, sos):
    return torch.tensor([[sos] + row[:-1] for row in targets.tolist()])


@exercise.alternate
def padded(targets, sos):
    return torch.nn.functional.pad(targets, (1, -1), value=sos)


@exercise.alternate
def transposed_view_of_floats(targets, sos):
    columns = [torch.full((len(targets),), float(sos), dtype=torch.float64), *targets.double().unbind(1)][:-1]
    return torch.stack(columns).T


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


def _shifted(targets, sos):
    return torch.cat([torch.full_like(targets[:, :1], sos), targets[:, :-1]], 1)


@_wrong(every_row_begins_with_sos, "targets that were not shifted: the decoder is shown the very token that it must say")
def not_shifted(targets, sos):
    return targets.clone()


@_wrong(every_row_begins_with_sos, "targets shifted to the left: the decoder is shown the token after the one that it must say")
def shifted_left(targets, sos):
    return torch.cat([targets[:, 1:], torch.full_like(targets[:, :1], sos)], 1)


@_wrong(every_row_begins_with_sos, "targets rolled round: the last token of the row stands in front, not sos")
def rolled(targets, sos):
    return targets.roll(1, dims=1)


@_wrong(every_row_begins_with_sos, "targets shifted by two places")
def shifted_twice(targets, sos):
    return _shifted(_shifted(targets, sos), sos)


@_wrong(every_row_begins_with_sos, "a row that has grown by one: sos in front and no target left out")
def one_too_long(targets, sos):
    return torch.cat([torch.full_like(targets[:, :1], sos), targets], 1)


@_wrong(every_row_begins_with_sos, "a row that has shrunk by one: the last target left out and no sos in front")
def one_too_short(targets, sos):
    return targets[:, :-1].clone()


@_wrong(every_row_begins_with_sos, "sos written over the first target, with nothing moved (the first target is lost, not the last)")
def first_overwritten(targets, sos):
    shifted = targets.clone()
    shifted[:, 0] = sos
    return shifted


@_wrong(every_row_begins_with_sos, "sos written over the last target, with nothing moved")
def last_overwritten(targets, sos):
    shifted = targets.clone()
    shifted[:, -1] = sos
    return shifted


@_wrong(every_row_begins_with_sos, "a shift down the batch instead of along the row")
def along_the_batch(targets, sos):
    return torch.cat([torch.full_like(targets[:1], sos), targets[:-1]], 0)


@_wrong(every_row_begins_with_sos, "rows joined end to end before the shift: the last token of one row opens the next")
def rows_joined(targets, sos):
    flat = targets.flatten().roll(1)
    flat[0] = sos
    return flat.reshape(targets.shape)


@_wrong(every_row_begins_with_sos, "0 in front instead of sos")
def zero_in_front(targets, sos):
    return _shifted(targets, 0)


@_wrong(every_row_begins_with_sos, "sos in the first row only")
def first_row_only(targets, sos):
    shifted = targets.roll(1, dims=1)
    shifted[0, 0] = sos
    return shifted


@_wrong(every_row_begins_with_sos, "a loop that copies from the place it has just written, so that sos fills the row")
def sos_everywhere(targets, sos):
    return torch.full_like(targets, sos)


@_wrong(each_place_hears_the_target_before_it, "targets in reverse order after sos")
def reversed_after_sos(targets, sos):
    return torch.cat([torch.full_like(targets[:, :1], sos), targets[:, :-1].flip(1)], 1)


@_wrong(the_targets_stay_as_they_were, "a shift that writes into the targets themselves")
def in_place(targets, sos):
    targets[:, 1:] = targets[:, :-1].clone()
    targets[:, 0] = sos
    return targets
