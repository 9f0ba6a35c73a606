"""Staff half of the exercise `TinyViT`: reference, alternates, misconceptions, hidden checks."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from autograder.compare import assert_close, assert_true
from autograder.exercises.vision._given import EncoderLayer, embed_patches
from autograder.exercises.vision.TinyViT import (_cases, a_call_leaves_no_trace, every_patch_has_its_token, every_patch_reaches_its_own_logits,
                                                 exercise, it_can_be_trained, made, positions_stay_when_patches_move, the_class_token_comes_first,
                                                 the_default_model, the_layers_come_one_after_the_other,
                                                 without_layers_the_class_token_speaks_alone)
from autograder.strategies import fillers


@exercise.solution
class TinyViT(nn.Module):
    """A vision transformer for images of S x S pixels, cut into patches of P x P: B images in, B x n_classes logits out.

    D: features of a token. H: heads. n_layers: how many EncoderLayers. Leave __init__ as it is: the checks build the model with other
    sizes and load its parameters by their names. The model is going to be trained, so gradients must reach its parameters.
    """

    def __init__(self, P=2, S=8, D=32, H=4, n_layers=2, n_classes=10):
        super().__init__()
        self.P = P
        self.embed = nn.Linear(P * P, D)
        self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, D))
        self.positions = nn.Parameter(0.02 * torch.randn(1 + (S // P) ** 2, D))
        self.layers = nn.ModuleList([EncoderLayer(D, H) for _ in range(n_layers)])
        self.norm = nn.LayerNorm(D)
        self.head = nn.Linear(D, n_classes)

    def tokens(self, images):
        """The tokens that go into the first layer.

        images: float tensor B x S x S. Returns B x (1 + (S/P)²) x D: row 0 is the class token, row 1 + n the embedded patch n (patches from
        left to right, then down), each plus the position of its row.
        """
        patches = embed_patches(images, self.embed, self.P)
        class_token = self.class_token.expand(len(images), -1, -1)
        return torch.cat([class_token, patches], dim=1) + self.positions

    def forward(self, images):
        """The logits: `tokens`, through the layers in order, through `norm`; then `head` reads the class token.

        images: float tensor B x S x S. Returns B x n_classes.
        """
        X = self.tokens(images)
        for layer in self.layers:
            X = layer(X)
        return self.head(self.norm(X)[:, 0])


exercise.equivalent('class_token = self.class_token.expand(len(images), -1, -1) -> '
                    'class_token = self.class_token.expand(len(images), 1, -1)',
                    because="the class token is one row long as it is")


_any_depth = _cases(st.sampled_from([0, 2, 1, 2, 3, 4]))  # two layers tell most about how layers are joined


@exercise.hidden_check(points=0.5, examples=15, hint="Work out row 0 and row 1 of the tokens by hand, for P = 1, S = 2 and two images.",
                       kept="class token and patches as one tensor, in models of every depth, on images seeded from the course's secret")
@given(_any_depth)
def tokens_agree_with_the_reference(student, case):
    """The tokens agree with the reference's, for one and for several pixels a patch."""
    mine, images = made(student, case)
    theirs, _ = made(TinyViT, case)
    assert_close(mine.call("tokens", images), theirs.call("tokens", images), what="the output of tokens")


@exercise.hidden_check(points=1, examples=20, hint="Follow one image through n_layers = 1, then 2: tokens, layers one after the other, norm, the class "
                                                   "token's row, head. Does anything happen twice, in another order, or in train mode only?")
@given(_any_depth)
def logits_agree_with_the_reference(student, case):
    """The logits agree with the reference's, for none to four layers with weights of their own, in train mode too."""
    mine, images = made(student, case)
    theirs, _ = made(TinyViT, case)
    expected = theirs(images)
    assert_close(mine(images), expected, what="the output")
    assert_close(mine.training()(images), expected, what="the output in train mode")


@exercise.hidden_check(points=0.5, examples=6, hint="Does something inside cut or bend the gradient (detach, no_grad, .data, rounding)?",
                       kept="every parameter's gradient in models of every depth; the public check of training looks at three of them")
@given(_any_depth, fillers(("normal",)))
def gradients_agree_with_the_reference(student, case, filler):
    """The gradients of the logits with respect to images and parameters agree with the reference's."""
    mine, images = made(student, case)
    theirs, _ = made(TinyViT, case)
    cotangent, = filler((len(images), mine.n_classes))
    assert_close(mine(images), theirs(images), what="the output")
    got, wanted = mine.vjp((cotangent,), images), theirs.vjp((cotangent,), images)
    assert_true(got is not None, "no gradient flows from the logits to the parameters", what="the gradients")
    assert_close(got[0][0], wanted[0][0], what="the gradient with respect to the images")
    for name, gradient in wanted[1].items():
        if not name.endswith("in_proj_bias"):  # a key's bias has no gradient, but for rounding
            assert_close(got[1][name], gradient, what=f"the gradient of {name}")


class _Base(nn.Module):
    """The parts, and the two methods in small steps that the answers below replace."""

    def __init__(self, P=2, S=8, D=32, H=4, n_layers=2, n_classes=10):
        super().__init__()
        self.P = P
        self.embed = nn.Linear(P * P, D)
        self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, D))
        self.positions = nn.Parameter(0.02 * torch.randn(1 + (S // P) ** 2, D))
        self.layers = nn.ModuleList([EncoderLayer(D, H) for _ in range(n_layers)])
        self.norm = nn.LayerNorm(D)
        self.head = nn.Linear(D, n_classes)

    def patches(self, images):
        return embed_patches(images, self.embed, self.P)

    def with_class_token(self, X):
        return torch.cat([self.class_token.expand(len(X), -1, -1), X], 1)

    def tokens(self, images):
        return self.with_class_token(self.patches(images)) + self.positions

    def run(self, X):
        for layer in self.layers:
            X = layer(X)
        return X

    def read(self, X):
        return self.head(self.norm(X)[:, 0])

    def forward(self, images):
        return self.read(self.run(self.tokens(images)))


def _cut(images, P):
    """Patches B x N x P²."""
    return F.unfold(images[:, None], P, stride=P).mT


@exercise.alternate
class with_unfold_and_repeat(_Base):
    def tokens(self, images):
        X = self.embed(_cut(images, self.P))
        X = torch.hstack([self.class_token.repeat(X.shape[0], 1, 1), X])
        return X + self.positions.unsqueeze(0)

    def forward(self, images):
        X = nn.Sequential(*self.layers)(self.tokens(images))
        return self.head(self.norm(X[:, 0]))


@exercise.alternate
class positions_added_apart(_Base):
    def tokens(self, images):
        X = self.patches(images) + self.positions[1:]
        first = (self.class_token[0, 0] + self.positions[0]).expand(len(X), 1, -1)
        return torch.cat((first, X), dim=-2)

    def forward(self, images):
        X = self.tokens(images)
        for i in range(len(self.layers)):
            X = self.layers[i].forward(X)
        X = self.norm(X)
        return self.head(X)[:, 0, :]


@exercise.alternate
class written_into_a_buffer(_Base):
    def tokens(self, images):
        B, P, across = len(images), self.P, images.shape[-1] // self.P
        X = images.new_zeros(B, 1 + across ** 2, self.head.in_features)
        X[:, 0] = self.class_token
        for n in range(across ** 2):
            row, column = n // across * P, n % across * P
            X[:, 1 + n] = self.embed(images[:, row:row + P, column:column + P].reshape(B, -1))
        return X + self.positions


@exercise.alternate
class image_by_image(_Base):
    def forward(self, images):
        return torch.cat([self.read(self.run(self.tokens(image.unsqueeze(0)))) for image in images])


@exercise.alternate
class layers_written_out(_Base):
    def run(self, X):
        for layer in self.layers:
            Z = layer.norm1(X)
            X = X + layer.attention(Z, Z, Z, need_weights=False)[0]
            X = X + layer.mlp[2](torch.relu(layer.mlp[0](layer.norm2(X))))
        return X


def _wrong(caught_by, tell):
    return exercise.misconception(caught_by=caught_by, tell=tell)


@_wrong(the_class_token_comes_first, "a class token appended behind the patches, while row 0 is read")
class class_token_last(_Base):
    def with_class_token(self, X):
        return torch.cat([X, self.class_token.expand(len(X), -1, -1)], 1)


@_wrong(the_class_token_comes_first, "a class token appended behind the patches, and read there")
class class_token_last_and_read_there(_Base):
    def with_class_token(self, X):
        return torch.cat([X, self.class_token.expand(len(X), -1, -1)], 1)

    def read(self, X):
        return self.head(self.norm(X)[:, -1])


@_wrong(every_patch_has_its_token, "tokens without positions")
class no_positions(_Base):
    def tokens(self, images):
        return self.with_class_token(self.patches(images))


@_wrong(every_patch_has_its_token, "position 0 added to every token")
class one_position_for_all(_Base):
    def tokens(self, images):
        return self.with_class_token(self.patches(images)) + self.positions[0]


@_wrong(every_patch_has_its_token, "the position of the last row added to every token")
class last_position_for_all(_Base):
    def tokens(self, images):
        X = self.with_class_token(self.patches(images))
        return X + self.positions[X.shape[1] - 1]


@_wrong(every_patch_has_its_token, "a position chosen by the image's place in the batch instead of the token's row")
class position_of_the_image(_Base):
    def tokens(self, images):
        return self.with_class_token(self.patches(images)) + self.positions[:len(images), None]


@_wrong(without_layers_the_class_token_speaks_alone, "positions added twice, in `tokens` and again in `forward`")
class positions_twice(_Base):
    def forward(self, images):
        return self.read(self.run(self.tokens(images) + self.positions))


@_wrong(every_patch_has_its_token, "positions added twice in `tokens`")
class positions_twice_in_tokens(_Base):
    def tokens(self, images):
        return super().tokens(images) + self.positions


@_wrong(logits_agree_with_the_reference, "positions added again before every layer after the first")
class positions_before_every_layer(_Base):
    def run(self, X):
        for i, layer in enumerate(self.layers):
            X = layer(X + self.positions if i else X)
        return X


@_wrong(the_class_token_comes_first, "a class token without a position: positions 1 and on were added before it was put in front")
class class_token_without_position(_Base):
    def tokens(self, images):
        return self.with_class_token(self.patches(images) + self.positions[1:])


@_wrong(every_patch_has_its_token, "positions shifted by one: the patches get those from 0 on, the class token none")
class positions_shifted(_Base):
    def tokens(self, images):
        return self.with_class_token(self.patches(images) + self.positions[:-1])


@_wrong(every_patch_has_its_token, "positions for the class token only")
class positions_for_the_class_token_only(_Base):
    def tokens(self, images):
        X = self.with_class_token(self.patches(images))
        return torch.cat([X[:, :1] + self.positions[:1], X[:, 1:]], 1)


@_wrong(every_patch_has_its_token, "positions from the last row to the first")
class positions_reversed(_Base):
    def tokens(self, images):
        return self.with_class_token(self.patches(images)) + self.positions.flip(0)


@_wrong(every_patch_has_its_token, "tokens multiplied by their positions instead of a sum")
class positions_multiplied(_Base):
    def tokens(self, images):
        return self.with_class_token(self.patches(images)) * self.positions


@_wrong(the_class_token_comes_first, "a class token that takes the place of patch 0 instead of standing before it")
class patch_0_overwritten(_Base):
    def tokens(self, images):
        X = self.patches(images)
        return torch.cat([self.class_token.expand(len(X), -1, -1), X[:, 1:]], 1) + self.positions[:-1]


@_wrong(the_class_token_comes_first, "no class token: zeros in its row")
class zeros_for_the_class_token(_Base):
    def with_class_token(self, X):
        return torch.cat([torch.zeros_like(X[:, :1]), X], 1)


@_wrong(the_class_token_comes_first, "the mean of the patches in the class token's row")
class mean_for_the_class_token(_Base):
    def with_class_token(self, X):
        return torch.cat([X.mean(1, keepdim=True), X], 1)


@_wrong(the_class_token_comes_first, "a class token for the first image of the batch only")
class class_token_for_the_first_image(_Base):
    def with_class_token(self, X):
        first = torch.zeros_like(X[:, :1])
        first[0] = self.class_token[0]
        return torch.cat([first, X], 1)


@_wrong(the_class_token_comes_first, "a class token to which each patch's mean was added")
class class_token_plus_image(_Base):
    def with_class_token(self, X):
        return torch.cat([self.class_token + X.mean(1, keepdim=True), X], 1)


@_wrong(the_class_token_comes_first, "tokens multiplied by sqrt(D), as word embeddings sometimes are")
class scaled_by_the_root(_Base):
    def tokens(self, images):
        return self.with_class_token(self.patches(images)) * self.head.in_features ** 0.5 + self.positions


@_wrong(every_patch_has_its_token, "patches cut by a plain reshape: pixels that follow one another in the image, not blocks")
class plain_reshape(_Base):
    def patches(self, images):
        return self.embed(images.reshape(len(images), -1, self.P ** 2))


@_wrong(every_patch_has_its_token, "patches taken column by column")
class grid_column_by_column(_Base):
    def patches(self, images):
        X = super().patches(images)
        across = images.shape[-1] // self.P
        return X.unflatten(1, (across, across)).transpose(1, 2).flatten(1, 2)


@_wrong(every_patch_has_its_token, "patches embedded without the bias")
class without_the_bias(_Base):
    def patches(self, images):
        return super().patches(images) - self.embed.bias


@_wrong(every_patch_has_its_token, "a nonlinearity after the embedding")
class relu_after_the_embedding(_Base):
    def patches(self, images):
        return super().patches(images).relu()


@_wrong(the_class_token_comes_first, "tokens that were normalised before the first layer")
class normalised_tokens(_Base):
    def tokens(self, images):
        return self.norm(super().tokens(images))


@_wrong(without_layers_the_class_token_speaks_alone, "the last token read instead of the class token")
class reads_the_last_token(_Base):
    def read(self, X):
        return self.head(self.norm(X)[:, -1])


@_wrong(without_layers_the_class_token_speaks_alone, "the first patch read instead of the class token")
class reads_the_first_patch(_Base):
    def read(self, X):
        return self.head(self.norm(X)[:, 1])


@_wrong(without_layers_the_class_token_speaks_alone, "the mean of all tokens read instead of the class token")
class reads_the_mean(_Base):
    def read(self, X):
        return self.head(self.norm(X).mean(1))


@_wrong(without_layers_the_class_token_speaks_alone, "the mean of the patches read instead of the class token")
class reads_the_mean_of_patches(_Base):
    def read(self, X):
        return self.head(self.norm(X)[:, 1:].mean(1))


@_wrong(without_layers_the_class_token_speaks_alone, "the largest entry over the tokens read instead of the class token")
class reads_the_maximum(_Base):
    def read(self, X):
        return self.head(self.norm(X).amax(1))


@_wrong(without_layers_the_class_token_speaks_alone, "the final LayerNorm left out")
class without_the_norm(_Base):
    def read(self, X):
        return self.head(X[:, 0])


@_wrong(logits_agree_with_the_reference, "the final LayerNorm put before the layers instead of after them")
class norm_before_the_layers(_Base):
    def forward(self, images):
        return self.head(self.run(self.norm(self.tokens(images)))[:, 0])


@_wrong(logits_agree_with_the_reference, "the final LayerNorm after every layer")
class norm_after_every_layer(_Base):
    def run(self, X):
        for layer in self.layers:
            X = self.norm(layer(X))
        return X


@_wrong(without_layers_the_class_token_speaks_alone, "a softmax after the head: probabilities instead of logits")
class probabilities(_Base):
    def read(self, X):
        return torch.softmax(super().read(X), -1)


@_wrong(without_layers_the_class_token_speaks_alone, "logarithms of probabilities instead of logits")
class log_probabilities(_Base):
    def read(self, X):
        return torch.log_softmax(super().read(X), -1)


@_wrong(without_layers_the_class_token_speaks_alone, "one set of logits for each token instead of for the class token")
class logits_of_every_token(_Base):
    def read(self, X):
        return self.head(self.norm(X))


@_wrong(every_patch_reaches_its_own_logits, "layers that are called, with what they return thrown away")
class layers_thrown_away(_Base):
    def run(self, X):
        for layer in self.layers:
            layer(X)
        return X


@_wrong(logits_agree_with_the_reference, "layers that are all called on the tokens, so that only the last one counts")
class only_the_last_layer(_Base):
    def run(self, X):
        Y = X
        for layer in self.layers:
            Y = layer(X)
        return Y


@_wrong(logits_agree_with_the_reference, "the first layer used again in place of the others")
class first_layer_for_all(_Base):
    def run(self, X):
        for _ in self.layers:
            X = self.layers[0](X)
        return X


@_wrong(logits_agree_with_the_reference, "layers in the opposite order")
class layers_reversed(_Base):
    def run(self, X):
        for layer in reversed(self.layers):
            X = layer(X)
        return X


@_wrong(logits_agree_with_the_reference, "a residual connection around each layer on top of those inside it")
class residual_around_layers(_Base):
    def run(self, X):
        for layer in self.layers:
            X = X + layer(X)
        return X


@_wrong(every_patch_reaches_its_own_logits, "layers to which the batch is the sequence (its axis and the tokens' exchanged)")
class batch_for_sequence(_Base):
    def run(self, X):
        return super().run(X.transpose(0, 1)).transpose(0, 1)


@_wrong(every_patch_reaches_its_own_logits, "the first image's logits for every image")
class first_image_for_all(_Base):
    def forward(self, images):
        logits = super().forward(images)
        return logits[:1].expand(logits.shape).contiguous()


@_wrong(it_can_be_trained, "a class token that gets no gradient (.data or .detach())")
class class_token_detached(_Base):
    def with_class_token(self, X):
        return torch.cat([self.class_token.detach().expand(len(X), -1, -1), X], 1)


@_wrong(it_can_be_trained, "positions that get no gradient (.data or .detach())")
class positions_detached(_Base):
    def tokens(self, images):
        return self.with_class_token(self.patches(images)) + self.positions.detach()


@_wrong(the_layers_come_one_after_the_other, "the first two layers only, however many there are")
class two_layers_only(_Base):
    def run(self, X):
        for layer in self.layers[:2]:
            X = layer(X)
        return X


@_wrong(logits_agree_with_the_reference, "tokens from which the mean over the batch is taken away in train mode")
class batch_mean_in_training(_Base):
    def run(self, X):
        return super().run(X - X.mean(0) if self.training else X)


@_wrong(it_can_be_trained, "a forward pass under no_grad, so that nothing can be trained")
class under_no_grad(_Base):
    def forward(self, images):
        with torch.no_grad():
            return super().forward(images)


@_wrong(a_call_leaves_no_trace, "a call that adds to the parameters, so that the second call gives something else")
class adds_to_the_parameters(_Base):
    def tokens(self, images):
        X = super().tokens(images)
        self.positions.data += 0.1 * self.positions.data.sin()
        return X


@_wrong(a_call_leaves_no_trace, "a call that keeps the tokens of the first images and uses them ever after")
class remembers_the_first_images(_Base):
    def tokens(self, images):
        if not hasattr(self, "kept") or len(self.kept) != len(images):
            self.kept = super().tokens(images)
        return self.kept


@_wrong(a_call_leaves_no_trace, "a call that overwrites its images")
class in_place(_Base):
    def forward(self, images):
        logits = super().forward(images * 1)
        images.zero_()
        return logits


@_wrong(the_default_model, "a part of its own with more parameters than the stub gives")
class an_extra_part(_Base):
    def __init__(self, P=2, S=8, D=32, H=4, n_layers=2, n_classes=10):
        super().__init__(P, S, D, H, n_layers, n_classes)
        self.spare = nn.Linear(D, D)


@_wrong(positions_stay_when_patches_move, "positions chosen by the size of the patches: the brightest patch gets the first one")
class positions_by_content(_Base):
    def tokens(self, images):
        X = self.patches(images)
        order = _cut(images, self.P).sum(-1).argsort(1).argsort(1)
        return torch.cat([(self.class_token + self.positions[0]).expand(len(X), -1, -1), X + self.positions[1:][order]], 1)


@_wrong(every_patch_has_its_token, "patches whose pixels are read column by column before they are embedded")
class pixels_column_by_column(_Base):
    def patches(self, images):
        return self.embed(_cut(images, self.P).unflatten(-1, (self.P, self.P)).mT.flatten(-2))


@_wrong(every_patch_reaches_its_own_logits, "a batch taken for one long sequence: the tokens of an image attend to those of the others too")
class batch_as_one_sequence(_Base):
    def run(self, X):
        return super().run(X.flatten(0, 1)[None])[0].unflatten(0, X.shape[:2])
