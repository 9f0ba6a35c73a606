"""Public half of the exercise `TinyViT`."""

import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercise import Exercise
from autograder.exercises.vision._given import EncoderLayer
from autograder.exercises.vision.patchify import blocks
from autograder.strategies import fillers, sizes
from autograder.student import floats


def parameters(P=2, S=8, D=32, H=4, n_layers=2, n_classes=10):
    shapes = {"embed.weight": (D, P * P), "embed.bias": (D,), "class_token": (1, 1, D), "positions": (1 + (S // P) ** 2, D)}
    for i in range(n_layers):
        shapes |= {f"layers.{i}.{name}": shape for name, shape in _layer(D).items()}
    return shapes | {"norm.weight": (D,), "norm.bias": (D,), "head.weight": (n_classes, D), "head.bias": (n_classes,)}


def _layer(D):
    return {"norm1.weight": (D,), "norm1.bias": (D,), "attention.in_proj_weight": (3 * D, D), "attention.in_proj_bias": (3 * D,),
            "attention.out_proj.weight": (D, D), "attention.out_proj.bias": (D,), "norm2.weight": (D,), "norm2.bias": (D,),
            "mlp.0.weight": (4 * D, D), "mlp.0.bias": (4 * D,), "mlp.2.weight": (D, 4 * D), "mlp.2.bias": (D,)}


def tokens(model, images):
    return {"the output of tokens": floats(images.shape[0], 1 + (model.S // model.P) ** 2, model.D)}


def forward(model, images):
    return {"the output": floats(images.shape[0], model.n_classes)}


exercise = Exercise(__name__, title="A tiny vision transformer", parameters=parameters, returns={"tokens": tokens, "forward": forward})


@st.composite
def _cases(draw, layers):
    P, across = draw(sizes(1, 2)), draw(sizes(2, 3))
    D, H = draw(st.sampled_from([(4, 2), (4, 1), (6, 3)]))
    sizes_ = {"P": P, "S": P * across, "D": D, "H": H, "n_layers": draw(layers), "n_classes": draw(sizes(2, 3))}
    images, = draw(fillers(("normal",)))((draw(sizes(2, 3)), P * across, P * across))
    return sizes_, draw(fillers(("normal",))), images


without_layers = _cases(st.just(0))  # constructor arguments, what fills the module, and two or three images
with_layers = _cases(st.integers(1, 2))
deep = _cases(st.sampled_from([2, 4, 3, 4]))


def made(student, case):
    """The module of a case, filled, and the images."""
    sizes_, filler, images = case
    return student.build(**sizes_).fill(filler), images


def first_token(model):
    """What the class token is before the first layer, D numbers."""
    return model.weights["class_token"].flatten() + model.weights["positions"][0]


@exercise.check(points=1, examples=10, hint="Print tokens(images)[:, 0] for two images. The class token knows nothing of any image yet: which row is "
                                            "it, and which position does it get?",
                kept="row 0 alone, which knows nothing of any image: it pays for the class token even where the patches are wrong")
@given(without_layers)
def the_class_token_comes_first(student, case):
    """Row 0 of the tokens is the class token plus position 0, the same for every image."""
    model, images = made(student, case)
    rows = model.call("tokens", images)[:, 0]
    assert_close(rows, first_token(model).expand(rows.shape), what="row 0 of the tokens")


@exercise.check(points=1, examples=10, hint="Set all positions to 0 in your head: what remains of row 1 + n should be `embed` of patch n. Then the "
                                            "positions: how many are there, and is each added once, to one row?")
@given(without_layers)
def every_patch_has_its_token(student, case):
    """Row 1 + n of the tokens is the embedded patch n plus position 1 + n."""
    model, images = made(student, case)
    patches = blocks(images, model.P).flatten(1, 2).flatten(2)
    expected = patches @ model.weights["embed.weight"].T + model.weights["embed.bias"] + model.weights["positions"][1:]
    assert_close(model.call("tokens", images)[:, 1:], expected, what="each row below the class token's")


@exercise.check(points=0.5, examples=6, hint="Exchange two patches of an image. Their contents change places, their positions stay. Which of the two "
                                             "moves in your tokens, and does any other row change?",
                kept="says what positions are for without a number: contents change places, and places keep their positions")
@given(without_layers, st.integers(0, 8), st.integers(1, 7))
def positions_stay_when_patches_move(student, case, first, further):
    """If two patches of an image change places, their rows do, but for the positions, and nothing else changes."""
    model, images = made(student, case)
    P, across = model.P, model.S // model.P
    one = first % across ** 2
    other = (one + 1 + further % (across ** 2 - 1)) % across ** 2
    moved = images.clone()
    for here, there in ((one, other), (other, one)):
        (r, c), (R, C) = divmod(here, across), divmod(there, across)
        moved[:, r * P:(r + 1) * P, c * P:(c + 1) * P] = images[:, R * P:(R + 1) * P, C * P:(C + 1) * P]
    places = list(range(1 + across ** 2))
    places[1 + one], places[1 + other] = 1 + other, 1 + one
    positions = model.weights["positions"]
    before = model.call("tokens", images)
    assert_close(model.call("tokens", moved), before[:, places] - positions[places] + positions, what="each token after two patches changed places")


@exercise.check(points=1, examples=8, hint="TinyViT(n_layers=0) gives the class token no chance to see the image. So what are its logits, and why are "
                                           "they the same for all images? Which row do you read, and has it been through `norm`?",
                kept="norm and head with nothing before them: layers that come in a wrong order keep this point")
@given(without_layers)
def without_layers_the_class_token_speaks_alone(student, case):
    """With no layers, the logits are the head of the normalised class token, the same for every image."""
    model, images = made(student, case)
    weights = model.weights
    alone = F.layer_norm(first_token(model), (model.D,), weights["norm.weight"], weights["norm.bias"])
    logits = weights["head.weight"] @ alone + weights["head.bias"]
    assert_close(model(images), logits.expand(len(images), -1), what="the output without layers")


def through_the_layers(model, X):
    """The tokens X after all layers of the model, each with its own weights."""
    layers = [EncoderLayer(model.D, model.H).double() for _ in range(model.n_layers)]
    with torch.no_grad():
        for i, layer in enumerate(layers):
            start = f"layers.{i}."
            layer.load_state_dict({name.removeprefix(start): values for name, values in model.weights.items() if name.startswith(start)})
            X = layer(X)
    return X


@exercise.check(points=1, examples=14, hint="Follow the tokens of one image with n_layers = 2: is the second layer fed what the first one returned? Is each "
                                            "layer of self.layers used once and in order, and `norm` only after the last?")
@given(deep)
def the_layers_come_one_after_the_other(student, case):
    """The logits are what comes of the tokens when they go through all layers in order, and then the class token through norm and head."""
    model, images = made(student, case)
    X = through_the_layers(model, model.call("tokens", images))[:, 0]
    weights = model.weights
    logits = F.layer_norm(X, (model.D,), weights["norm.weight"], weights["norm.bias"]) @ weights["head.weight"].T + weights["head.bias"]
    assert_close(model(images), logits, what="the output")


@exercise.check(points=0.5, examples=6, hint="With a layer, replace one patch by another: the class token sees it through attention. Is each layer "
                                             "called on what the layer before it returned? And each image by itself must give the same as in a batch.",
                kept="says what the layers are for, with no numbers to work out: every patch is seen, and images do not see each other")
@given(with_layers, st.integers(0, 8), fillers(("normal",)))
def every_patch_reaches_its_own_logits(student, case, which, filler):
    """With layers, a change in any patch changes the logits of its image, and of no other."""
    model, images = made(student, case)
    P, across = model.P, model.S // model.P
    row, column = divmod(which % across ** 2, across)
    changed = images.clone()
    changed[-1, row * P:(row + 1) * P, column * P:(column + 1) * P] = filler((P, P))[0] + 2
    before, after = model(images), model(changed)
    assert_true((after[-1] - before[-1]).abs().max() > 1e-9, "a patch was changed, and the logits of its image did not change", what="the output")
    assert_close(after[:-1], before[:-1], what="the output for the other images")
    assert_close(model(images[-1:].clone())[0], before[-1], what="the output for the last image by itself")


@exercise.check(points=0.5, examples=2, hint="Print sum(p.numel() for p in TinyViT().parameters()): it is 26,538 with the __init__ you were given. "
                                             "Then print the shape of tokens(images) for 8 x 8 pixels.")
@given(fillers(("normal",)))
def the_default_model(student, filler):
    """TinyViT() has 26,538 parameters and makes 17 tokens of 32 features and 10 logits of an image."""
    model = student.build().fill(filler)
    count = sum(torch.Size(shape).numel() for shape in model.shapes().values())
    assert_true(count == 26538, f"TinyViT() has {count:,} parameters instead of 26,538", what="the number of parameters")
    images, = filler((2, 8, 8))
    rows = model.call("tokens", images)[:, 0]
    assert_close(rows, first_token(model).expand(rows.shape), what="row 0 of the tokens of the default model")
    logits = model(images)
    assert_true((logits[0] - logits[1]).abs().max() > 1e-9, "two different images get the same logits", what="the output")


@exercise.check(points=0.5, examples=5, hint="Call .backward() on a single logit and look at class_token.grad and positions.grad. Is there a .detach(), a "
                                             ".data, a no_grad or a new tensor somewhere on the way?")
@given(with_layers, fillers(("normal",)))
def it_can_be_trained(student, case, filler):
    """Gradients reach the class token and position 0 alike, and what reaches the bias of `embed` is the sum of the other positions'."""
    model, images = made(student, case)
    cotangent, = filler((len(images), model.n_classes))
    assert_true(model(images).std(0).max() > 1e-9, "all images get the same logits", what="the output")
    gradients = model.vjp((cotangent,), images)
    assert_true(gradients is not None, "no gradient flows from the logits to the parameters", what="the gradients")
    by_name = gradients[1]
    assert_true(by_name["class_token"].abs().max() > 1e-9, "no gradient reaches the class token", what="the gradients")
    assert_close(by_name["positions"][0], by_name["class_token"].flatten(), what="the gradient of position 0, against the class token's,")
    assert_true(by_name["embed.bias"].abs().max() > 1e-9, "no gradient reaches the embedding", what="the gradients")
    assert_close(by_name["positions"][1:].sum(0), by_name["embed.bias"], what="the sum of the gradients of the other positions, against that of embed.bias,")


@exercise.check(points=0.5, examples=4, hint="Call the model twice on the same images. Which line writes into the images, or into a parameter (`+=` on "
                                             "positions or class_token)?")
@given(with_layers)
def a_call_leaves_no_trace(student, case):
    """The images are unchanged after a call, and a second call on the same model gives the same."""
    model, images = made(student, case)
    first = model(images)
    assert_true(first.std(0).max() > 1e-9, "all images get the same logits", what="the output")
    left = model.arguments_after(images)[0]
    assert_close(left, images, what="each image after the call")
    assert_close(model.after(images + 1)(images), first, what="the output of a second call on the same model")
