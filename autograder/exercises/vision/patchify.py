"""Public half of the exercise `patchify`."""

from functools import lru_cache

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.strategies import fillers, sizes
from autograder.student import floats


def returns(images, P):
    return {"the tensor of patches": floats(images.shape[0], (images.shape[-1] // P) ** 2, P ** 2)}


exercise = Exercise(__name__, title="Cutting images into patches", returns=returns)


@lru_cache(maxsize=None)
def shapes(low=2, images=1):
    """Draws the number of images B, at least `images`, the patch size P and the number of patches in a row of the image, S / P."""
    return st.tuples(sizes(images, 3), sizes(low, 4), sizes(low, 4))


def _numbered(drawn):
    B, P, across = drawn
    S = P * across
    return torch.arange(B * S * S, dtype=torch.float64).reshape(B, S, S), P


several_numbered = shapes(images=2).map(_numbered)
numbered = shapes().map(_numbered)  # images whose pixels are numbered, and P; at least 2 x 2 patches of at least 2 x 2 pixels


def blocks(images, P):
    """The blocks of each image by place: B x (S / P) x (S / P) x P x P, copied one by one."""
    B, across = images.shape[0], images.shape[-1] // P
    cut = torch.zeros(B, across, across, P, P, dtype=images.dtype)
    for row in range(across):
        for column in range(across):
            cut[:, row, column] = images[:, row * P:(row + 1) * P, column * P:(column + 1) * P]
    return cut


def _by_smallest(patches):
    """The patches of each image in the order of their smallest pixels."""
    order = patches.amin(-1).argsort(-1)
    return patches.gather(1, order[..., None].expand(patches.shape))


@exercise.check(points=1, examples=12, hint="Print patch 0 of torch.arange(64.).reshape(1, 8, 8) with P = 2: it should hold 0, 1, 8 and 9. Which pixels "
                                            "does yours hold, and how far apart do they lie in the image?",
                kept="pays for the right blocks alone: neither their order nor that of the pixels in them plays a part")
@given(several_numbered)
def a_patch_is_one_block_of_the_image(student, case):
    """Each patch holds the pixels of one P x P block of its own image, in whatever order."""
    images, P = case
    expected = blocks(images, P).flatten(1, 2).flatten(2)
    got = student(images, P)
    assert_close(_by_smallest(got.sort(-1).values), _by_smallest(expected.sort(-1).values), what="the set of pixels in a patch (here sorted)")


@exercise.check(points=1, examples=12, hint="Print patches 0 and 1 of torch.arange(64.).reshape(1, 8, 8) with P = 2: after 0, 1, 8, 9 comes 2, 3, 10, 11, "
                                            "one step to the right. Where does yours go, to the right or down?",
                kept="pays for the order of the blocks alone: the pixels of each are sorted before they are compared")
@given(numbered)
def patches_come_in_reading_order(student, case):
    """The blocks come from left to right, one row of blocks after the other."""
    images, P = case
    expected = blocks(images, P).flatten(1, 2).flatten(2)
    got = student(images, P)
    assert_close(got.sort(-1).values, expected.sort(-1).values, what="the set of pixels in each patch (here sorted)")


@exercise.check(points=1, examples=12, hint="Print patch 0 of torch.arange(64.).reshape(1, 8, 8) with P = 2: 0, 1, 8, 9, not 0, 8, 1, 9. Which axis of "
                                            "the block runs fastest in yours?",
                kept="pays for the order of the pixels alone: the blocks are sorted before they are compared")
@given(numbered)
def pixels_come_in_reading_order(student, case):
    """Within a patch, the pixels come from left to right, one row of pixels after the other."""
    images, P = case
    expected = blocks(images, P).flatten(1, 2).flatten(2)
    got = student(images, P)
    assert_close(_by_smallest(got), _by_smallest(expected), what="the order of pixels in a patch")


def _with_pixels(drawn):
    (B, P, across), filler = drawn
    return *filler((B, P * across, P * across)), P


images_and_P = st.tuples(shapes(low=1), fillers()).map(_with_pixels)
several_images_and_P = st.tuples(shapes(low=1, images=2), fillers()).map(_with_pixels)


def put_back(patches, P):
    """The images that the patches were cut from, if they were cut as asked: B x S x S from B x (S / P)² x P²."""
    across = round(patches.shape[1] ** 0.5)
    images = torch.zeros(patches.shape[0], across * P, across * P, dtype=patches.dtype)
    for n in range(across ** 2):
        top, left = n // across * P, n % across * P
        images[:, top:top + P, left:left + P] = patches[:, n].reshape(-1, P, P)
    return images


@exercise.check(points=1, hint="Take one image of 4 x 4 pixels and P = 2 and lay your four patches out on paper as they come. Is it the image? Then two "
                               "images at once.",
                kept="the round trip: laid out again on paper, four patches show every mistake of order, and a single pixel or a single "
                     "patch is drawn too")
@given(images_and_P)
def the_patches_can_be_put_back_together(student, case):
    """Laid out again in reading order, the patches give the images back, for one and for several images."""
    images, P = case
    assert_close(put_back(student(images, P), P), images, what="the image laid out from its patches")


@st.composite
def _misfits(draw):
    P = draw(st.integers(2, 4))
    S = draw(st.integers(1, 9).filter(lambda S: S % P != 0))
    B = draw(sizes(1, 4))
    return B, P, S


misfits = _misfits()  # B, P and an S that P does not divide


@exercise.check(points=1, examples=12, hint="Call it with P = 3 on an image of 8 x 8 pixels. Nothing should be cut off or filled up in silence: what does your "
                                            "function do with the last two columns?")
@given(misfits)
def what_does_not_fit_is_refused(student, case):
    """If P does not divide S there is a ValueError; if it does there is none."""
    B, P, S = case
    images, _ = _numbered((B, P, 3))
    sums = blocks(images, P).flatten(1, 2).flatten(2).sum(-1)
    assert_close(student(images, P).sum(-1).sort(-1).values, sums.sort(-1).values, what="the sum of each patch of an image that P divides")
    odd = torch.arange(B * S * S, dtype=torch.float64).reshape(B, S, S)
    assert_true(student.refuses(odd, P), "images that P does not divide are accepted", what="the call")


@exercise.check(points=0.5, examples=8, hint="If the message says that an image was changed, which line writes into it? If not, the checks above say more.")
@given(several_images_and_P)
def the_images_stay_as_they_were(student, case):
    """The images that were passed in are unchanged afterwards, and all their pixels are used."""
    images, P = case
    got = student(images, P)
    sums = blocks(images, P).flatten(1, 2).flatten(2).sum(-1)
    assert_close(got.sum(-1).sort(-1).values, sums.sort(-1).values, what="the sum of each patch")
    assert_close(student.arguments_after(images, P)[0], images, what="each image after the call")
