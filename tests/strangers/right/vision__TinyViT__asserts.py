# Asserts what the statement promises of its inputs.
class TinyViT(nn.Module):
    """A vision transformer."""

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
        assert images.ndim == 3 and images.is_floating_point() and images.shape[1] == images.shape[2]
        p = embed_patches(images, self.embed, self.P)
        assert 1 + p.shape[1] == len(self.positions)
        return torch.cat([self.class_token.broadcast_to(p[:, :1].shape), p], 1) + self.positions
    def forward(self, images):
        X = self.tokens(images)
        for layer in self.layers:
            assert isinstance(layer, EncoderLayer)
            X = layer(X)
        return self.head(self.norm(X)[..., 0, :])
