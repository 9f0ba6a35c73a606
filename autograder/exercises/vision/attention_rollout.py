"""Public half of the exercise `attention_rollout`."""

from functools import lru_cache

import torch
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.strategies import fillers, permutations, sizes
from autograder.student import floats


def returns(alphas):
    N = alphas[0].shape[-1]
    return {"the rollout": floats(N, N)}


exercise = Exercise(__name__, title="Attention rollout", returns=returns)


@lru_cache(maxsize=None)
def maps(*, layers=(1, 3), heads=(1, 3), tokens=(3, 4)):
    """Draws a list of attention maps H x N x N whose rows sum to 1, one a layer; `layers`, `heads`, `tokens` are bounds."""
    shapes = st.tuples(sizes(*layers), sizes(*heads), sizes(*tokens))
    return st.tuples(shapes, fillers()).map(_filled)


def _filled(drawn):
    (L, H, N), filler = drawn
    weights = [torch.exp2(logits) for logits in filler(*[(H, N, N)] * L)]  # small integers give plain fractions
    return [one / one.sum(-1, keepdim=True) for one in weights]


several = maps(layers=(2, 3))  # two or three layers


def _assert_follows(rollout, alpha):
    """Fail unless the rollout of one layer has rows that sum to 1 and in which, the token itself aside, more attention counts for more."""
    N = alpha.shape[-1]
    assert_close(rollout.sum(-1), 1.0, what="the sum of each row of the rollout of one layer")
    apart = ~torch.eye(N, dtype=torch.bool)
    mean, mine = (matrix[apart].reshape(N, N - 1) for matrix in (alpha.mean(0), rollout))
    best, worst = mean.argmax(-1, keepdim=True), mean.argmin(-1, keepdim=True)
    clear = mean.gather(-1, best) > mean.gather(-1, worst) + 0.01
    ordered = mine.gather(-1, best) > mine.gather(-1, worst)
    assert_true((ordered | ~clear).all(), "in the rollout of one layer, the token with the most attention does not count for most", what="the rollout")
    assert_true((mine > 0).all(), "in the rollout of one layer, attention to another token counts for nothing", what="the rollout")


@exercise.check(points=1, hint="Work out one layer with one head, N = 2 and the rows (1, 0) and (1, 0): token 1 should come half from itself and half from "
                               "token 0. What does your code give?",
                kept="nothing is multiplied yet, so it tells a wrong mixture from a wrong product")
@given(maps(layers=(1, 1)))
def one_layer_is_half_attention_half_identity(student, alphas):
    """The rollout of one layer is half the mean of its heads and half the identity."""
    N = alphas[0].shape[-1]
    assert_close(student(alphas), (alphas[0].mean(0) + torch.eye(N, dtype=torch.float64)) / 2, what="the rollout of one layer")


@exercise.check(points=0.5, examples=12, hint="Add up a row of your answer for one layer, then for two. Along which axis do the parts of one token lie?",
                kept="holds for every mixture that keeps shares: who multiplies in the opposite order, or mixes in too much identity, "
                     "keeps these points")
@given(maps())
def rows_sum_to_one(student, alphas):
    """Each row is positive and sums to 1, however many layers there are."""
    _assert_follows(student(alphas[:1]), alphas[0])
    rollout = student(alphas)
    assert_true((rollout >= 0).all(), "an entry of the rollout is negative or not a number", what="the rollout")
    assert_close(rollout.sum(-1), 1.0, what="the sum of each row of the rollout")


@exercise.check(points=1.5, examples=15, hint="If R mixes the inputs into the tokens after layer 1, what mixes them into the tokens after layer 2: "
                                              "which matrix stands on the left? Try two layers with one head and N = 2 on paper.",
                kept="says the order of the product without a formula, for three layers as well: the later layers act on what the first "
                     "one made")
@given(several)
def deep_layers_act_on_what_earlier_ones_made(student, alphas):
    """The rollout of all layers is that of the later layers times that of the first one."""
    first = student(alphas[:1])
    _assert_follows(first, alphas[0])
    later = student(alphas[1:])
    assert_close(student(alphas), later @ first, what="the rollout of all layers, against that of the later ones @ that of the first,")


@st.composite
def _two_looks(draw):
    N = draw(sizes(2, 4))
    i, j = draw(permutations(N))[:2]
    return N, i, j, draw(sizes(1, 2))


two_looks = _two_looks()  # N, two tokens of them, and the number of heads


@exercise.check(points=1, examples=10, hint="Take N = 2 with every row of the first layer (1, 0) and every row of the second (0, 1). Token 1 of the "
                                            "second layer looks only at itself: what had it taken up from token 0 before?",
                kept="quarters and halves that can be checked on paper, and that tell the two orders apart at a glance")
@given(two_looks)
def two_layers_by_hand(student, case):
    """If all tokens look at i in the first layer and at j in the second, a quarter of each stays, a half comes from i and a quarter from j."""
    N, i, j, H = case
    looks = torch.zeros(2, H, N, N, dtype=torch.float64)
    looks[0, ..., i] = 1
    looks[1, ..., j] = 1
    expected = torch.eye(N, dtype=torch.float64) / 4
    expected[:, i] += 0.5
    expected[:, j] += 0.25
    assert_close(student([looks[0].clone(), looks[1].clone()]), expected, what="the rollout")


@exercise.check(points=0.5, examples=12, hint="Give your function two heads, then a single head that is their mean. Both must give the same: at what "
                                              "point of your code do the heads become one matrix?",
                kept="compares an answer with itself, and so finds heads that are put together too late or not all used, whatever else "
                     "is wrong")
@given(maps(layers=(2, 3), heads=(2, 3)))
def only_the_mean_of_the_heads_counts(student, alphas):
    """A layer counts by the mean of its heads: one head that is this mean does the same."""
    _assert_follows(student(alphas[-1:]), alphas[-1])
    several_heads = student(alphas)
    assert_close(student([alpha.mean(0, keepdim=True) for alpha in alphas]), several_heads, what="the rollout with each layer's heads replaced by their mean")


@st.composite
def _with_idle_layer(draw):
    alphas = draw(maps(layers=(1, 3)))
    return alphas, draw(st.integers(0, len(alphas)))


with_idle_layer = _with_idle_layer()  # maps, and where a layer is put in whose tokens look at themselves only


@exercise.check(points=0.5, examples=12, hint="A layer whose map is the identity passes every token on as it is. What does your code do to the layers "
                                              "before and after it?",
                kept="what the residual connection means: a layer that looks at nothing new adds nothing; its hint finds sums and means "
                     "taken for products")
@given(with_idle_layer)
def an_idle_layer_changes_nothing(student, case):
    """A layer in which each token looks at itself alone can be put in anywhere without a change."""
    alphas, place = case
    H, N, _ = alphas[0].shape
    _assert_follows(student(alphas[-1:]), alphas[-1])
    without = student(alphas)
    idle = torch.eye(N, dtype=torch.float64).repeat(H, 1, 1)
    assert_close(student([*alphas[:place], idle, *alphas[place:]]), without, what="the rollout with an idle layer put in")


@exercise.check(points=0.5, examples=8, hint="If the message says that a map or the list was changed, which line writes into it (`+=`, `/=`, filling the "
                                            "diagonal in place, pop)? If not, the checks above say more.")
@given(several)
def the_maps_stay_as_they_were(student, alphas):
    """The list and the maps that were passed in are unchanged afterwards, and used."""
    _assert_follows(student(alphas[:1]), alphas[0])
    after, = student.arguments_after(alphas)
    assert_true(len(after) == len(alphas), "the list of maps was changed by the call: it has another length", what="the list")
    for number, (alpha, left) in enumerate(zip(alphas, after)):
        assert_close(left, alpha, what=f"map {number} after the call")
