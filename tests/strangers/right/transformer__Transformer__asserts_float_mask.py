# Asserts what the statement promises of its inputs.
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
    def encode(self, src):
        assert src.dtype == torch.int64 and src.ndim == 2
        if src.shape[1] > self.max_len: raise ValueError("source longer than max_len")
        X = self.src_embedding(src) * math.sqrt(self.D) + self.positions[:src.shape[1]]
        for i, layer in enumerate(self.encoder): X = layer(src=X)
        return self.encoder_norm(X)
    def decode(self, tgt_in, memory):
        assert tgt_in.dtype == torch.int64 and tgt_in.ndim == 2 and memory.ndim == 3 and len(memory) == len(tgt_in)
        M = tgt_in.shape[1]
        if M > self.max_len: raise ValueError("target longer than max_len")
        X = self.tgt_embedding(tgt_in) * math.sqrt(self.D) + self.positions[:M]
        causal = torch.zeros(M, M, dtype=X.dtype).masked_fill(torch.ones(M, M).triu(1) == 1, -math.inf)
        for layer in self.decoder: X = layer(tgt=X, memory=memory, tgt_mask=causal)
        return self.head(self.decoder_norm(X))
