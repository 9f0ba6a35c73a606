# Own layers.
class Transformer(nn.Module):
    def __init__(self, vocab, D=64, H=4, n_enc=2, n_dec=2, max_len=32):
        super().__init__()
        self.D = D
        self.max_len = max_len
        self.src_embedding = nn.Embedding(vocab, D)
        self.tgt_embedding = nn.Embedding(vocab, D)
        self.register_buffer("positions", sinusoids(max_len, D), persistent=False)  # max_len x D, not learned
        options = dict(dim_feedforward=4 * D, dropout=0.0, batch_first=True, norm_first=True)
        self.encoder = nn.ModuleList([TransformerLayer(D, H) for _ in range(n_enc)])
        self.decoder = nn.ModuleList([DecoderLayer(D, H) for _ in range(n_dec)])
        self.encoder_norm = nn.LayerNorm(D)
        self.decoder_norm = nn.LayerNorm(D)
        self.head = nn.Linear(D, vocab)
    def encode(self, src):
        N = src.shape[1]
        if N > self.max_len: raise ValueError("too long")
        X = math.sqrt(self.D) * nn.functional.embedding(src, self.src_embedding.weight) + self.positions[:N]
        for layer in self.encoder:
            X = layer(X)
        return self.encoder_norm(X)
    def decode(self, tgt_in, memory):
        M = tgt_in.shape[1]
        if M > self.max_len: raise ValueError("too long")
        X = math.sqrt(self.D) * self.tgt_embedding.weight[tgt_in] + self.positions[None, :M]
        for layer in self.decoder:
            X = layer(X, memory, torch.arange(M) <= torch.arange(M)[:, None])
        return self.head(self.decoder_norm(X))
