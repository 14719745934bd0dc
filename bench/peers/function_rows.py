"""Functions of tensors in our form and in PyTorch's, with inputs of some milliseconds: what functions.py measures."""
import dataclasses
import typing

import numpy as np
import torch
import torch.nn.functional as F
from tinygrad_cpp import Tensor


@dataclasses.dataclass
class Row:
    name: str
    ours: typing.Callable
    theirs: typing.Callable
    inputs: list  # arrays; those of float32 get the dtype that is asked for
    differentiable: bool = True
    compared: bool = True  # not where numbers are random, or ties may go either way


_random = np.random.default_rng(0)
SQUARE = (1024, 1024)


def normal(*shape): return _random.standard_normal(shape).astype(np.float32)
def positive(*shape): return (_random.random(shape) + 0.1).astype(np.float32)
def below(limit, *shape): return _random.integers(0, limit, shape).astype(np.int64)


def elementwise():
    for n in "abs exp exp2 sin cos tan tanh sigmoid relu square sign floor ceil round trunc neg erf sinh cosh atan asinh".split():
        yield Row(n, lambda x, n=n: getattr(x, n)(), lambda x, n=n: getattr(torch, n)(x), [normal(*SQUARE)])
    for n in "log log2 log10 sqrt rsqrt reciprocal".split():
        yield Row(n, lambda x, n=n: getattr(x, n)(), lambda x, n=n: getattr(torch, n)(x), [positive(*SQUARE)])
    for n in "asin acos atanh".split():
        yield Row(n, lambda x, n=n: getattr(x, n)(), lambda x, n=n: getattr(torch, n)(x), [0.8 * positive(*SQUARE)])
    for n in "silu elu selu celu softplus mish hardswish hardsigmoid leaky_relu logsigmoid softsign relu6 hardtanh".split():
        yield Row(n, lambda x, n=n: getattr(x, n)(), lambda x, n=n: getattr(F, n)(x), [normal(*SQUARE)])
    yield Row("gelu, tanh", lambda x: x.gelu(), lambda x: F.gelu(x, approximate="tanh"), [normal(*SQUARE)])
    yield Row("power 3", lambda x: x**3, lambda x: x**3, [normal(*SQUARE)])
    yield Row("power 2.5", lambda x: x**2.5, lambda x: x**2.5, [positive(*SQUARE)])
    yield Row("power", lambda x, y: x.pow(y), lambda x, y: x.pow(y), [positive(*SQUARE), normal(*SQUARE)])
    yield Row("maximum", lambda x, y: x.maximum(y), torch.maximum, [normal(*SQUARE), normal(*SQUARE)])
    yield Row("logaddexp", lambda x, y: x.logaddexp(y), torch.logaddexp, [normal(*SQUARE), normal(*SQUARE)])
    yield Row("where", lambda x, y: (x > 0).where(x, y), lambda x, y: torch.where(x > 0, x, y), [normal(*SQUARE), normal(*SQUARE)])
    yield Row("remainder", lambda x, y: x % y, lambda x, y: x % y, [normal(*SQUARE), positive(*SQUARE)], False, False)
    yield Row("integer quotient", lambda x, y: x // y, lambda x, y: x // y, [below(100000, *SQUARE), below(100, *SQUARE) + 1], False)
    yield Row("outer sum", lambda x, y: x.reshape(-1, 1) + y, lambda x, y: x.reshape(-1, 1) + y, [normal(2000), normal(2000)])
    yield Row("scale of channels", lambda x, y: x * y, lambda x, y: x * y, [normal(16, 64, 32, 32), normal(1, 64, 1, 1)])
    yield Row("to integers", lambda x: x.int(), lambda x: x.int(), [normal(*SQUARE)], False)
    yield Row("pixels to floats", lambda x: x.float() / 255, lambda x: x.float() / 255, [below(255, *SQUARE).astype(np.uint8)], False)


def reductions():
    sums = [("rows", SQUARE, 1), ("columns", SQUARE, 0), ("a middle axis", (32, 256, 128), 1), ("outer axes", (32, 128, 256), (0, 2)),
            ("images", (16, 64, 32, 32), (0, 2, 3)), ("short rows", (131072, 8), 1), ("short columns", (8, 131072), 0)]
    for place, shape, axis in sums:
        for n in "sum mean max min var std".split():
            theirs = getattr(torch, {"max": "amax", "min": "amin"}.get(n, n))
            yield Row(f"{n} of {place}", lambda x, n=n, a=axis: getattr(x, n)(axis=a), lambda x, f=theirs, a=axis: f(x, dim=a), [normal(*shape)])
    for place, shape, axis in (sums[0], sums[1], sums[2], sums[5]):
        for n in "softmax log_softmax".split():
            yield Row(f"{n} of {place}", lambda x, n=n, a=axis: getattr(x, n)(axis=a), lambda x, n=n, a=axis: getattr(F, n)(x, dim=a),
                      [normal(*shape)])
        for n in "logsumexp cumsum cumprod logcumsumexp".split():
            yield Row(f"{n} of {place}", lambda x, n=n, a=axis: getattr(x, n)(axis=a), lambda x, n=n, a=axis: getattr(torch, n)(x, dim=a),
                      [positive(*shape) + np.float32(0.4)])
        yield Row(f"argmax of {place}", lambda x, a=axis: x.argmax(axis=a), lambda x, a=axis: x.argmax(dim=a), [normal(*shape)], False, False)
        yield Row(f"sort of {place}", lambda x, a=axis: x.sort(dim=a)[0], lambda x, a=axis: x.sort(dim=a)[0], [normal(*shape)], compared=False)
        yield Row(f"top 3 of {place}", lambda x, a=axis: x.topk(3, dim=a)[0], lambda x, a=axis: x.topk(3, dim=a)[0], [normal(*shape)],
                  compared=False)


def movement():
    image = [normal(16, 16, 64, 64)]
    yield Row("flip", lambda x: x.flip(-1).contiguous(), lambda x: x.flip(-1), [normal(*SQUARE)])
    yield Row("roll", lambda x: x.roll(37, 1).contiguous(), lambda x: x.roll(37, 1), [normal(*SQUARE)])
    yield Row("tril", lambda x: x.tril().contiguous(), lambda x: x.tril(), [normal(*SQUARE)])
    yield Row("diagonal", lambda x: x.diagonal().contiguous(), lambda x: x.diagonal(), [normal(3000, 3000)])
    yield Row("transpose", lambda x: x.T.contiguous(), lambda x: x.T, [normal(*SQUARE)])
    yield Row("channels last", lambda x: x.permute(0, 2, 3, 1).contiguous(), lambda x: x.permute(0, 2, 3, 1), image)
    yield Row("strided slice", lambda x: x[::2, ::3].contiguous(), lambda x: x[::2, ::3], [normal(2048, 2048)])
    yield Row("pad, zeros", lambda x: x.pad((3, 5, 2, 7)), lambda x: F.pad(x, (3, 5, 2, 7)), image)
    for mode in "reflect replicate circular".split():
        yield Row(f"pad, {mode}", lambda x, m=mode: x.pad((3, 5, 2, 7), mode=m), lambda x, m=mode: F.pad(x, (3, 5, 2, 7), mode=m), image)
    yield Row("repeat", lambda x: x.repeat(2, 3).contiguous(), lambda x: x.repeat(2, 3), [normal(512, 512)])
    yield Row("repeat_interleave", lambda x: x.repeat_interleave(3, 1).contiguous(), lambda x: x.repeat_interleave(3, 1), [normal(512, 512)])
    yield Row("unfold", lambda x: x.unfold(1, 16, 4).contiguous(), lambda x: x.unfold(1, 16, 4), [normal(256, 1024)])
    yield Row("cat of rows", lambda x, y: x.cat(y, dim=-1).contiguous(), lambda x, y: torch.cat([x, y], -1), [normal(1024, 513), normal(1024, 511)])
    yield Row("stack, last", lambda x, y: Tensor.stack(x, y, dim=-1).contiguous(), lambda x, y: torch.stack([x, y], -1),
              [normal(1024, 512), normal(1024, 512)])
    yield Row("gather", lambda x, i: x.gather(1, i), lambda x, i: x.gather(1, i), [normal(*SQUARE), below(1024, *SQUARE)])
    yield Row("rows at places", lambda x, i: x[i], lambda x, i: x[i], [normal(10000, 128), below(10000, 8192)])
    yield Row("columns at places", lambda x, i: x[:, i], lambda x, i: x[:, i], [normal(*SQUARE), below(1024, 1024)])
    yield Row("elements at places", lambda x, i, j: x[i, j], lambda x, i, j: x[i, j],
              [normal(*SQUARE), below(1024, 300000), below(1024, 300000)])
    yield Row("scatter_add", lambda x, i, s: x.scatter_reduce(1, i, s, "sum"), lambda x, i, s: x.scatter_add(1, i, s),
              [normal(*SQUARE), below(1024, 1024, 512), normal(1024, 512)])
    yield Row("one_hot", lambda i: i.one_hot(100), lambda i: F.one_hot(i, 100), [below(100, 10000)], False)


def layers():
    image = (16, 64, 32, 32)
    yield Row("layer norm", lambda x: x.layernorm(), lambda x: F.layer_norm(x, (1024,)), [normal(*SQUARE)])
    yield Row("layer norm of short rows", lambda x: x.layernorm(), lambda x: F.layer_norm(x, (64,)), [normal(16384, 64)])
    yield Row("group norm", lambda x: x.reshape(16, 8, -1).layernorm().reshape(image), lambda x: F.group_norm(x, 8), [normal(*image)])
    yield Row("rms norm", lambda x, w: x * (x.square().mean(-1, keepdim=True) + 1e-6).rsqrt() * w,
              lambda x, w: F.rms_norm(x, (1024,), w, 1e-6), [normal(*SQUARE), positive(1024)])
    yield Row("batch norm", lambda x, w, b, m, v: x.batchnorm(w, b, m, (v + 1e-5).rsqrt()), lambda x, w, b, m, v: F.batch_norm(x, m, v, w, b),
              [normal(*image), positive(64), normal(64), normal(64), positive(64)], False)
    yield Row("batch norm, training",
              lambda x, w, b: x.batchnorm(w, b, x.mean((0, 2, 3)), (x.var((0, 2, 3), correction=0) + 1e-5).rsqrt()),
              lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True), [normal(*image), positive(64), normal(64)])
    for k, s, p, shape in [(2, 2, 0, (16, 64, 64, 64)), (3, 2, 1, (16, 64, 56, 56)), (3, 1, 1, (8, 64, 56, 56)), (7, 7, 0, (32, 512, 7, 7))]:
        yield Row(f"max_pool {k}, stride {s}", lambda x, k=k, s=s, p=p: x.max_pool2d((k, k), s, padding=p),
                  lambda x, k=k, s=s, p=p: F.max_pool2d(x, k, s, p), [normal(*shape)], compared=False)
        yield Row(f"avg_pool {k}, stride {s}", lambda x, k=k, s=s, p=p: x.avg_pool2d((k, k), s, padding=p),
                  lambda x, k=k, s=s, p=p: F.avg_pool2d(x, k, s, p), [normal(*shape)])
    for mode, ours in (("nearest", "nearest"), ("bilinear", "linear")):
        for size in (50, 96):
            yield Row(f"{mode} to {size}", lambda x, m=ours, n=size: x.interpolate((n, n), mode=m),
                      lambda x, m=mode, n=size: F.interpolate(x, (n, n), mode=m), [normal(8, 32, 64, 64)])
    yield Row("grid_sample", lambda x, g: x.grid_sample(g), lambda x, g: F.grid_sample(x, g, align_corners=False),
              [normal(4, 32, 64, 64), 2 * positive(4, 64, 64, 2) - np.float32(1.2)], compared=False)
    yield Row("cross entropy", lambda x, i: x.cross_entropy(i), F.cross_entropy, [normal(1024, 1000), below(1000, 1024)])
    yield Row("cross entropy of words", lambda x, i: x.cross_entropy(i), F.cross_entropy, [normal(64, 50257), below(50257, 64)])
    yield Row("cross entropy of pixels", lambda x, i: x.cross_entropy(i), F.cross_entropy, [normal(8, 21, 64, 64), below(21, 8, 64, 64)])
    yield Row("distances", lambda x, y: ((x.unsqueeze(1) - y.unsqueeze(0)).square().sum(-1) + 1e-6).sqrt(),
              lambda x, y: ((x.unsqueeze(1) - y.unsqueeze(0)).square().sum(-1) + 1e-6).sqrt(), [normal(256, 64), normal(256, 64)])


def contractions():
    heads = [normal(2, 8, 256, 64) for _ in range(3)]
    yield Row("attention", lambda q, k, v: q.scaled_dot_product_attention(k, v), F.scaled_dot_product_attention, heads)
    yield Row("causal attention", lambda q, k, v: q.scaled_dot_product_attention(k, v, is_causal=True),
              lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), heads)
    yield Row("masked attention", lambda q, k, v, m: q.scaled_dot_product_attention(k, v, attn_mask=m),
              lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m), heads + [normal(1, 1, 256, 256)])
    products = [("matmul", (384, 384), (384, 384)), ("matmul of batches", (64, 64, 64), (64, 64, 64)), ("matrix · vector", (2048, 2048), (2048,)),
                ("vector · matrix", (2048,), (2048, 2048)), ("matmul of few terms", (4096, 16), (16, 256)),
                ("matmul of few columns", (256, 4096), (4096, 16))]
    for name, a, b in products: yield Row(name, lambda x, y: x @ y, lambda x, y: x @ y, [normal(*a), normal(*b)])
    yield Row("matmul, transposed", lambda x, y: x @ y.T, lambda x, y: x @ y.T, [normal(384, 384), normal(384, 384)])
    yield Row("integer matmul", lambda x, y: x @ y, lambda x, y: x @ y,
              [below(100, 256, 256).astype(np.int32), below(100, 256, 256).astype(np.int32)], False)
    convolutions = [("3×3", (4, 32, 56, 56), (32, 32, 3, 3), {"padding": 1}), ("1×1", (4, 128, 28, 28), (128, 128, 1, 1), {}),
                    ("7×7, stride 2", (4, 3, 112, 112), (32, 3, 7, 7), {"stride": 2, "padding": 3}),
                    ("3×3 depthwise", (8, 64, 56, 56), (64, 1, 3, 3), {"padding": 1, "groups": 64}),
                    ("3×3 of groups", (8, 64, 28, 28), (64, 16, 3, 3), {"padding": 1, "groups": 4}),
                    ("3×3, dilation 2", (4, 32, 56, 56), (32, 32, 3, 3), {"padding": 2, "dilation": 2}),
                    ("3×3, stride 2", (4, 64, 56, 56), (64, 64, 3, 3), {"padding": 1, "stride": 2}),
                    ("5", (8, 64, 1024), (64, 64, 5), {"padding": 2}), ("3×3×3", (1, 16, 24, 24, 24), (16, 16, 3, 3, 3), {"padding": 1})]
    for name, x, w, options in convolutions:
        theirs = {3: F.conv1d, 4: F.conv2d, 5: F.conv3d}[len(x)]
        yield Row(f"convolution {name}", lambda x, w, o=options: x.conv2d(w, **o), lambda x, w, f=theirs, o=options: f(x, w, **o),
                  [normal(*x), normal(*w)])
    yield Row("transposed convolution", lambda x, w: x.conv_transpose2d(w, stride=2, padding=1),
              lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1), [normal(4, 64, 28, 28), normal(64, 32, 4, 4)])
    yield Row("Fourier transform", lambda x: x.rfft(), lambda x: torch.view_as_real(torch.fft.rfft(x)), [normal(512, 1024)])
    yield Row("random normal", lambda x: Tensor.randn(*SQUARE), lambda x: torch.randn(*SQUARE), [normal(1)], False, False)


def rows():
    for kind in (elementwise, reductions, movement, layers, contractions): yield from kind()
