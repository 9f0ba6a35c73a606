# Stock start.
class Transformer(nn.Module):
    def __init__(self, vocab, D=64, H=4, n_enc=2, n_dec=2, max_len=32):
        super().__init__()
        self.D = D
        self.max_len = max_len
        self.src_embedding = nn.Embedding(vocab, D)
        self.tgt_embedding = nn.Embedding(vocab, D)
        self.register_buffer("positions", sinusoids(max_len, D), persistent=False)  # max_len x D, not learned
        options = dict(dim_feedforward=4 * D, dropout=0.0, batch_first=True, norm_first=True)
        self.encoder = nn.ModuleList([nn.TransformerEncoderLayer(D, H, **options) for _ in range(n_enc)])
        self.decoder = nn.ModuleList([nn.TransformerDecoderLayer(D, H, **options) for _ in range(n_dec)])
        self.encoder_norm = nn.LayerNorm(D)
        self.decoder_norm = nn.LayerNorm(D)
        self.head = nn.Linear(D, vocab)
    def _start(self, tokens, table):
        if tokens.shape[1] > self.max_len: raise ValueError(f"{tokens.shape[1]} > {self.max_len}")
        return table(tokens) * self.D ** .5 + self.positions[:tokens.shape[1]]
    def encode(self, src):
        X = self._start(src, self.src_embedding)
        for layer in self.encoder: X = layer(X)
        return self.encoder_norm(X)
    def decode(self, tgt_in, memory):
        M = tgt_in.shape[-1]
        X = self._start(tgt_in, self.tgt_embedding)
        later = torch.triu(torch.ones(M, M, dtype=torch.bool), 1)
        for layer in self.decoder: X = layer(X, memory, tgt_mask=later)
        return self.head(self.decoder_norm(X))
