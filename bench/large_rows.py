"""What is timed on large arrays: rows as programs have them, where memory is the limit and where arithmetic is.

In a setup ``n`` is the side of a square of the size, ``of(*shape)`` draws numbers that want a gradient where that is
measured, and ``up_to(k, *shape)`` draws indices; ``torch`` and ``F`` are what they are in PyTorch's programs.
"""
from typing import NamedTuple

PLAIN, BOTH, TRAINED = ("plain",), ("plain", "trained"), ("trained",)


class Rows(NamedTuple):
    kind: str
    setup: str
    statements: tuple
    modes: tuple = BOTH


class Bound(NamedTuple):
    """Rows that one thing limits, and the marks that are set for them: for their mean, and for each."""
    what: str
    sizes: dict                 # name -> n
    mean: float
    each: float
    rows: tuple


SQUARE = "x, y = of(n, n), of(n, n)"
PLACES = "x, i = of(n, n), up_to(n, n, n); j = up_to(n, n); m = torch.rand(n, n) > 0.5"

MEMORY = (
    Rows("elementwise", SQUARE, ("x + y", "x * 2.5", "x / y", "x.exp()", "x.relu()", "x.sigmoid()", "F.gelu(x)",
          "x.clamp(-1, 1)", "torch.where(x > 0, x, y)", "torch.lerp(x, y, 0.3)")),
    Rows("elementwise", SQUARE, ("x > y", "x.add_(y)", "x.mul_(0.999)", "x.copy_(y)", "x.zero_()", "x.isnan()"), PLAIN),
    Rows("chains", SQUARE, ("(x * y + x).relu()", "(x - y).square().mean()", "x * torch.sigmoid(y) + 0.5",
          "(x.sin() + y.cos()).tanh()")),
    Rows("reductions", "x = of(n, n)", ("x.sum()", "x.sum(0)", "x.sum(1)", "x.mean(-1)", "x.var(-1)", "x.norm()",
          "x.logsumexp(-1)", "x.amax(-1)", "x.cumsum(-1)")),
    Rows("reductions", "x = of(n, n)", ("x.max()", "x.argmax(-1)", "x.max(0)", "(x > 0).any()", "x.std()"), PLAIN),
    Rows("softmax", "x = of(n, n)", ("x.softmax(-1)", "x.log_softmax(-1)", "x.softmax(0)")),
    Rows("norms", "x, w, b = of(n, n), of(n), of(n)", ("F.layer_norm(x, (n,), w, b)", "F.rms_norm(x, (n,), w)")),
    Rows("norms", "x, w, b = of(16, 64, n // 32, n // 32), of(64), of(64); m, v = torch.zeros(64), torch.ones(64)",
         ("F.batch_norm(x, m, v, w, b, True)", "F.group_norm(x, 8, w, b)")),
    Rows("losses", "x = of(n, n); y = torch.rand(n, n); c = up_to(n, n)",
         ("F.cross_entropy(x, c)", "F.mse_loss(x, y)", "F.smooth_l1_loss(x, y)", "F.binary_cross_entropy_with_logits(x, y)",
          "F.kl_div(x, y, reduction='batchmean')")),
    *[Rows("optimizers", f"""ps = [torch.nn.Parameter(torch.randn(n // 2, n // 2)) for _ in range(4)]
for p in ps: p.grad = torch.randn(n // 2, n // 2)
o = torch.optim.{made}""", ("o.step()",), PLAIN) for made in (
        "SGD(ps, lr=1e-3, momentum=0.9)", "Adam(ps, lr=1e-3)", "AdamW(ps, lr=1e-3)", "RMSprop(ps, lr=1e-3)",
          "Adagrad(ps, lr=1e-3)")],
    Rows("places", PLACES, ("x.gather(1, i)", "x[j]", "x.index_select(1, j)", "F.embedding(j, x)", "x.masked_fill(m, 0.0)",
          "x[m]")),
    Rows("places", PLACES + "; z = torch.zeros(n, n); y = torch.ones(n, n)",
         ("z.scatter_(1, i, y)", "z.scatter_add_(1, i, y)", "z.index_add_(0, j, y)"), PLAIN),
    Rows("copies", SQUARE, ("x.clone()", "x.t().contiguous()", "torch.cat([x, y])", "torch.cat([x, y], 1)",
          "torch.stack([x, y], -1)",
          "F.pad(x, (1, 1, 1, 1))", "x.flip(-1)", "x.roll(7, 0)", "x.repeat(1, 2)", "x.double()", "x.half()",
          "x[::2].contiguous()", "x[:, ::2].contiguous()", "x.tril()")),
)

IMAGES = "x, w, b = of({images}), of({weight}), of({channels})"

COMPUTE = (
    Rows("products", "x, y = of(n, n), of(n, n)", ("x @ y", "x @ y.t()")),
    Rows("products", "x, w, b = of(n, n), of(n, n), of(n)", ("F.linear(x, w, b)",)),
    Rows("products", "x, y = of(64, n // 4, n // 4), of(64, n // 4, n // 4)", ("torch.bmm(x, y)",)),
    Rows("products", "x, v = of(n, n), of(n)", ("x @ v",)),
    *[Rows("convolutions", IMAGES.format(images=images, weight=weight, channels=weight.split(",")[0]), (call,))
      for images, weight, call in (
          ("8, 64, n // 16, n // 16", "64, 64, 3, 3", "F.conv2d(x, w, b, padding=1)"),
          ("8, 64, n // 16, n // 16", "128, 64, 3, 3", "F.conv2d(x, w, b, stride=2, padding=1)"),
          ("8, 3, n // 4, n // 4", "32, 3, 7, 7", "F.conv2d(x, w, b, stride=2, padding=3)"),
          ("8, 64, n // 16, n // 16", "128, 64, 1, 1", "F.conv2d(x, w, b)"),
          ("8, 64, n // 16, n // 16", "64, 1, 3, 3", "F.conv2d(x, w, b, padding=1, groups=64)"),
          ("8, 64, 2 * n", "64, 64, 5", "F.conv1d(x, w, b, padding=2)"),
          ("2, 16, 16, n // 32, n // 32", "16, 16, 3, 3, 3", "F.conv3d(x, w, b, padding=1)"))],
    Rows("convolutions", "x, w, b = of(8, 64, n // 32, n // 32), of(64, 32, 4, 4), of(32)",
         ("F.conv_transpose2d(x, w, b, stride=2, padding=1)",)),
    Rows("pooling", "x = of(8, 64, n // 8, n // 8)",
         ("F.max_pool2d(x, 2)", "F.max_pool2d(x, 3, 2, 1)", "F.avg_pool2d(x, 2)", "F.adaptive_avg_pool2d(x, 7)",
          "F.interpolate(x, scale_factor=2, mode='bilinear')")),
    Rows("attention", "x, y, z = of(4, 8, n // 2, 64), of(4, 8, n // 2, 64), of(4, 8, n // 2, 64)",
         ("F.scaled_dot_product_attention(x, y, z)", "F.scaled_dot_product_attention(x, y, z, is_causal=True)")),
    Rows("FFT", "x = of(n, n)", ("torch.fft.fft(x)", "torch.fft.rfft(x)", "torch.fft.fft2(x)", "torch.fft.rfft2(x)")),
    Rows("recurrent", "x = of(n // 16, 32, 128); lstm = torch.nn.LSTM(128, 128); p = list(lstm.parameters())", ("lstm(x)[0]",)),
    Rows("recurrent", "x = of(n // 16, 32, 128); gru = torch.nn.GRU(128, 128); p = list(gru.parameters())", ("gru(x)[0]",)),
    Rows("distances", "x, y = of(n, 64), of(n, 64)", ("torch.cdist(x, y)",)),
    Rows("sorting", "x = of(n, n)", ("x.sort(-1)", "x.topk(8)"), PLAIN),
    Rows("linalg", "x = torch.randn(n // 2, n // 2); x = x @ x.t() / n + torch.eye(n // 2); y = of(n // 2, 8)",
         ("torch.linalg.cholesky(x)", "torch.linalg.solve(x, y)", "torch.linalg.inv(x)"), PLAIN),
)

BOUNDS = (
    Bound("memory", {"1M": 1024, "16M": 4096}, 1.7, 0.95, MEMORY),
    Bound("arithmetic", {"1M": 1024}, 1.05, 0.8, COMPUTE),
)
#: Kinds for which less is asked of each: PyTorch has its processor's maker's own libraries for them.
EACH = {"products": 0.7, "FFT": 0.7}
