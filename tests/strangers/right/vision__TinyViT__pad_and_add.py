# Pad and add.
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
        X = F.pad(embed_patches(images, self.embed, self.P), (0, 0, 1, 0))
        first = torch.zeros(X.shape[1], 1, dtype=X.dtype); first[0] = 1
        return X + first * self.class_token[0] + self.positions
    def forward(self, images):
        return self.head(self.norm(nn.Sequential(*self.layers)(self.tokens(images))[:, 0, :]))
