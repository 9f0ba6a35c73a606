"""Staff half of the exercise `patchify`: reference, alternates, misconceptions, hidden checks."""

import numpy as np
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close
from autograder.exercises.vision.patchify import (a_patch_is_one_block_of_the_image, exercise, patches_come_in_reading_order,
                                                  pixels_come_in_reading_order, shapes, the_images_stay_as_they_were,
                                                  the_patches_can_be_put_back_together, what_does_not_fit_is_refused)
from autograder.strategies import fillers


@exercise.solution
def patchify(images, P):
    """Cut square images into P x P patches.

    images: float64 tensor B x S x S. P: the side of a patch, an int.
    Returns a tensor B x (S/P)² x P²: the patches of each image from left to right, then down; the pixels of each patch
    from left to right, then down.
    Raises ValueError where P does not divide S.
    """
    B, S, _ = images.shape
    if S % P != 0:
        raise ValueError(f"patches of {P} x {P} pixels do not fit an image of {S} x {S}")
    rows = images.reshape(B, S // P, P, S // P, P)  # block row, pixel row, block column, pixel column
    return rows.permute(0, 1, 3, 2, 4).reshape(B, (S // P) ** 2, P ** 2)


exercise.equivalent('if S % P != 0: -> if False:',
                    because="reshape breaks off where P does not divide S, and any exception is a refusal")
exercise.equivalent('rows = images.reshape(B, S // P, P, S // P, P) -> rows = images.reshape(S // P, B, P, S // P, P)',
                    because="the first two axes are not moved, so how they are told apart before they are merged again does not matter")


_random_images = st.tuples(shapes(low=1), fillers(("normal", "uniform"))).map(
    lambda drawn: (*drawn[1]((drawn[0][0], *[drawn[0][1] * drawn[0][2]] * 2)), drawn[0][1]))


@exercise.hidden_check(points=2, hint="Compare with what you get by hand for S = 4, P = 2 and two images; then P = 1 (each pixel a patch) and P = S (one "
                                        "patch).",
                       kept="the tensor as a whole, for patches from a pixel to the image, on images seeded from the course's secret")
@given(_random_images)
def agrees_with_the_reference(student, case):
    """Agrees with the reference for every patch size, a single pixel and the whole image included."""
    assert_close(student(*case), patchify(*case), what="the tensor of patches")


@exercise.alternate
def with_unfold(images, P):
    if images.shape[-1] % P:
        raise ValueError("P must divide S")
    return F.unfold(images[:, None], P, stride=P).mT


@exercise.alternate
def with_two_unfolds(images, P):
    assert images.shape[1] % P == 0, "P must divide S"
    return images.unfold(1, P, P).unfold(2, P, P).flatten(1, 2).flatten(2)


@exercise.alternate
def block_by_block(images, P):
    B, S, _ = images.shape
    if S != S // P * P:
        raise ValueError("P must divide S")
    patches = [images[:, i:i + P, j:j + P].reshape(B, -1) for i in range(0, S, P) for j in range(0, S, P)]
    return torch.stack(patches, dim=1)


@exercise.alternate
def pixel_by_pixel_in_numpy(images, P):
    B, S, _ = images.shape
    if S % P:
        raise ValueError("P must divide S")
    pixels = images.detach().numpy()
    patches = np.zeros((B, (S // P) ** 2, P * P))
    for i in range(S):
        for j in range(S):
            patches[:, (i // P) * (S // P) + j // P, (i % P) * P + j % P] = pixels[:, i, j]
    return torch.from_numpy(patches)


@exercise.alternate
def with_chunks(images, P):
    if images.size(2) % P:
        raise ValueError("P must divide S")
    rows = images.split(P, dim=1)
    return torch.cat([torch.stack([block.flatten(1) for block in row.split(P, dim=2)], 1) for row in rows], 1)


@exercise.alternate
def in_float32(images, P):
    B, S, _ = images.shape
    if S % P:
        raise ValueError("P must divide S")
    return images.float().reshape(B, S // P, P, S // P, P).transpose(2, 3).flatten(3).flatten(1, 2)


@exercise.alternate
def as_a_convolution(images, P):
    if images.shape[-1] % P:
        raise ValueError("P must divide S")
    kernel = torch.eye(P * P, dtype=images.dtype).reshape(P * P, 1, P, P)
    return F.conv2d(images.unsqueeze(1), kernel, stride=P).flatten(2).transpose(1, 2)


def _guard(images, P):
    if images.shape[-1] % P:
        raise ValueError(f"{P} does not divide {images.shape[-1]}")
    return images.shape[0], images.shape[-1] // P


@exercise.alternate
def in_two_lines(images, P):
    B, across = _guard(images, P)
    return images.reshape(B, across, P, across, P).permute(0, 1, 3, 2, 4).reshape(B, across ** 2, P ** 2)


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


@_wrong(a_patch_is_one_block_of_the_image, "a plain reshape (P² pixels that follow one another in the image), as if no axes had been exchanged")
def plain_reshape(images, P):
    B, across = _guard(images, P)
    return images.reshape(B, across ** 2, P ** 2)


@_wrong(patches_come_in_reading_order, "a grid of patches read column by column")
def grid_column_by_column(images, P):
    B, across = _guard(images, P)
    return images.reshape(B, across, P, across, P).permute(0, 3, 1, 2, 4).reshape(B, across ** 2, P ** 2)


@_wrong(pixels_come_in_reading_order, "patches whose pixels are read column by column")
def pixels_column_by_column(images, P):
    B, across = _guard(images, P)
    return images.reshape(B, across, P, across, P).permute(0, 1, 3, 4, 2).reshape(B, across ** 2, P ** 2)


@_wrong(patches_come_in_reading_order, "the transposed image cut into patches")
def of_the_transposed_image(images, P):
    B, across = _guard(images, P)
    return images.mT.reshape(B, across, P, across, P).permute(0, 1, 3, 2, 4).reshape(B, across ** 2, P ** 2)


@_wrong(a_patch_is_one_block_of_the_image, "every (S/P)-th pixel of the image in a patch, instead of neighbours")
def dilated(images, P):
    B, across = _guard(images, P)
    return images.reshape(B, P, across, P, across).permute(0, 2, 4, 1, 3).reshape(B, across ** 2, P ** 2)


@_wrong(a_patch_is_one_block_of_the_image, "every (S/P)-th pixel in a patch, patches read column by column")
def dilated_and_transposed(images, P):
    B, across = _guard(images, P)
    return images.reshape(B, P, across, P, across).permute(0, 4, 2, 1, 3).reshape(B, across ** 2, P ** 2)


@_wrong(a_patch_is_one_block_of_the_image, "the pixel row exchanged with the block row instead of with the block column")
def wrong_pair_exchanged(images, P):
    B, across = _guard(images, P)
    return images.reshape(B, across, P, across, P).permute(0, 2, 3, 1, 4).reshape(B, across ** 2, P ** 2)


@_wrong(a_patch_is_one_block_of_the_image, "patches of different images mixed: the batch axis does not stay in front")
def batch_mixed_in(images, P):
    B, across = _guard(images, P)
    blocks = images.reshape(B, across, P, across, P).permute(1, 3, 0, 2, 4)
    return blocks.reshape(B, across ** 2, P ** 2)


@_wrong(a_patch_is_one_block_of_the_image, "the first image's patches returned for every image")
def first_image_for_all(images, P):
    B, _ = _guard(images, P)
    return F.unfold(images[:1, None], P, stride=P).mT.expand(B, -1, -1).contiguous()


@_wrong(a_patch_is_one_block_of_the_image, "the right patches for one image only: a batch of B is taken for one tall image")
def batch_as_a_tall_image(images, P):
    B, across = _guard(images, P)
    blocks = images.reshape(across, B * P, across, P).permute(0, 2, 1, 3)
    return blocks.reshape(B, across ** 2, P ** 2)


@_wrong(what_does_not_fit_is_refused, "patches without a guard: the pixels that are left over at the edge are cut off")
def cropped_in_silence(images, P):
    return F.unfold(images[:, None], P, stride=P).mT


@_wrong(what_does_not_fit_is_refused, "patches without a guard: the image is filled up with zeros until they fit")
def padded_in_silence(images, P):
    missing = -images.shape[-1] % P
    return F.unfold(F.pad(images, (0, missing, 0, missing))[:, None], P, stride=P).mT


@_wrong(what_does_not_fit_is_refused, "a guard that returns nothing instead of raising")
def none_where_it_does_not_fit(images, P):
    if images.shape[-1] % P:
        return None
    return F.unfold(images[:, None], P, stride=P).mT


@_wrong(what_does_not_fit_is_refused, "a guard that asks whether P² divides S, and so refuses images that fit")
def guard_of_the_square(images, P):
    if images.shape[-1] % (P * P):
        raise ValueError("P² must divide S")
    return F.unfold(images[:, None], P, stride=P).mT


@_wrong(what_does_not_fit_is_refused, "a guard that looks at the number of images instead of their size")
def guard_of_the_batch(images, P):
    if images.shape[0] % P:
        raise ValueError("P must divide S")
    return F.unfold(images[:, None], P, stride=P).mT


@_wrong(the_patches_can_be_put_back_together, "a result of B x P² x (S/P)²: the last two axes are exchanged (as F.unfold returns them)")
def pixels_before_patches(images, P):
    _guard(images, P)
    return F.unfold(images[:, None], P, stride=P)


@_wrong(a_patch_is_one_block_of_the_image, "overlapping windows that move by one pixel")
def overlapping(images, P):
    _guard(images, P)
    return F.unfold(images[:, None], P, stride=1).mT


@_wrong(a_patch_is_one_block_of_the_image, "patches that are still P x P (the pixels not flattened)")
def not_flattened(images, P):
    B, across = _guard(images, P)
    return images.reshape(B, across, P, across, P).permute(0, 1, 3, 2, 4).reshape(B, across ** 2, P, P)


@_wrong(a_patch_is_one_block_of_the_image, "a grid of patches that was not flattened into one axis")
def grid_not_flattened(images, P):
    B, across = _guard(images, P)
    return images.reshape(B, across, P, across, P).permute(0, 1, 3, 2, 4).reshape(B, across, across, P ** 2)


@_wrong(a_patch_is_one_block_of_the_image, "all patches of all images in one list, without the batch axis")
def batch_axis_lost(images, P):
    B, across = _guard(images, P)
    return images.reshape(B, across, P, across, P).permute(0, 1, 3, 2, 4).reshape(-1, P ** 2)


@_wrong(the_patches_can_be_put_back_together, "axes of length 1 squeezed away")
def squeezed(images, P):
    _guard(images, P)
    return F.unfold(images[:, None], P, stride=P).mT.squeeze()


@_wrong(patches_come_in_reading_order, "rows of blocks from the bottom up")
def from_the_bottom_up(images, P):
    B, across = _guard(images, P)
    blocks = images.reshape(B, across, P, across, P).permute(0, 1, 3, 2, 4)
    return blocks.flip(1).reshape(B, across ** 2, P ** 2)


@_wrong(patches_come_in_reading_order, "blocks read to and fro, every second row from right to left")
def to_and_fro(images, P):
    B, across = _guard(images, P)
    blocks = images.reshape(B, across, P, across, P).permute(0, 1, 3, 2, 4).clone()
    blocks[:, 1::2] = blocks[:, 1::2].flip(2)
    return blocks.reshape(B, across ** 2, P ** 2)


@_wrong(the_patches_can_be_put_back_together, "pixels shifted so that each image has the mean 0")
def mean_removed(images, P):
    _guard(images, P)
    images = images - images.mean((1, 2), keepdim=True)
    return F.unfold(images[:, None], P, stride=P).mT


@_wrong(agrees_with_the_reference, "pixels rounded to whole numbers")
def rounded(images, P):
    _guard(images, P)
    return F.unfold(images[:, None], P, stride=P).mT.round()


@_wrong(the_images_stay_as_they_were, "a function that overwrites its images")
def in_place(images, P):
    _guard(images, P)
    patches = F.unfold(images[:, None], P, stride=P).mT.clone()
    images.mul_(0.5)
    return patches
