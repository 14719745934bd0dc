"""Functions with shapes made at random, for functions.py --random: contractions with their letters in any order, convolutions,
reductions over any axes, scans, broadcasting, chains of movements, places. A row's name holds all that it was made from."""
import math
import typing

import numpy as np
import torch
import torch.nn.functional as F
from tinygrad_cpp import Tensor

from function_rows import Row

ELEMENTS = 1 << 20  # of the largest tensor, about
PRODUCTS = 3e7      # multiplications of a contraction, about


class Source:
    """Shapes and choices of one row."""

    def __init__(self, seed): self.random = np.random.default_rng(seed)
    def below(self, n): return int(self.random.integers(n))
    def pick(self, *choices): return choices[self.below(len(choices))]
    def maybe(self, chance=0.5): return self.random.random() < chance
    def some(self, things): return [t for t in things if self.maybe()] or [self.pick(*things)]
    def order(self, things): return [things[i] for i in self.random.permutation(len(things))]
    def normal(self, *shape): return self.random.standard_normal(shape).astype(np.float32)

    def sizes(self, count, product):
        """Sizes whose product is about `product`: a third of them small, odd as often as not."""
        shares = self.random.random(count) + self.random.choice([0.05, 0.6], count, p=[0.35, 0.65])
        sizes = [max(1, round(product**(s / shares.sum()))) for s in shares]
        return [s if self.maybe() or s < 16 else s // 8 * 8 for s in sizes]

    def shape(self, least=2, most=5, elements=ELEMENTS): return self.sizes(least + self.below(most - least + 1), elements)


def contraction(s: Source):
    letters = "abcdef"[:s.pick(3, 3, 4, 4, 5)]
    while True:
        kinds = [s.pick("row", "column", "sum", "sum", "batch") for _ in letters]
        size = dict(zip(letters, s.sizes(len(letters), PRODUCTS)))
        left, right, out = ([c for c, k in zip(letters, kinds) if k in there]
                            for there in (("row", "sum", "batch"), ("column", "sum", "batch"), ("row", "column", "batch")))
        if {"row", "column", "sum"} <= {*kinds} and all(math.prod(size[c] for c in side) <= 4 * ELEMENTS for side in (left, right, out)):
            break
    text = f"{''.join(s.order(left))},{''.join(s.order(right))}->{''.join(s.order(out))}"
    inputs = [s.normal(*(size[c] for c in side)) for side in text.split("->")[0].split(",")]
    yield Row(f"einsum {text} {size}", lambda x, y: Tensor.einsum(text, x, y), lambda x, y: torch.einsum(text, x, y), inputs)


def convolution(s: Source):
    nd = s.pick(1, 2, 2, 2, 3)
    groups = s.pick(1, 1, 1, 2, 4, 32)
    inner, outer = groups * s.pick(1, 3, 4, 8, 16, 20), groups * s.pick(1, 2, 4, 8, 16, 24)
    kernel = [s.pick(1, 2, 3, 3, 5, 7) if nd < 3 else s.pick(1, 2, 3) for _ in range(nd)]
    options = {"stride": s.pick(1, 1, 2, 3), "padding": s.pick(0, min(kernel) // 2), "dilation": s.pick(1, 1, 2), "groups": groups}
    pixels = min(PRODUCTS / (inner * outer // groups * math.prod(kernel)), 2 * ELEMENTS / max(inner, outer))
    images = s.pick(1, 2, 4, 16)
    side = max(20, round((pixels / images)**(1 / nd)) * options["stride"]) if nd > 1 else max(20, round(pixels / images))
    shape = [images, inner] + [max(20, side - s.below(5)) for _ in range(nd)]
    if math.prod(shape) > 4 * ELEMENTS: return
    if s.maybe(0.75):
        theirs = [F.conv1d, F.conv2d, F.conv3d][nd - 1]
        yield Row(f"conv{nd}d {shape} {outer} {kernel} {options}", lambda x, w: x.conv2d(w, **options), lambda x, w: theirs(x, w, **options),
                  [s.normal(*shape), s.normal(outer, inner // groups, *kernel)])
    else:
        theirs = [F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d][nd - 1]
        shape[2:] = [max(8, n // options["stride"]) for n in shape[2:]]
        yield Row(f"conv_transpose{nd}d {shape} {outer} {kernel} {options}", lambda x, w: x.conv_transpose2d(w, **options),
                  lambda x, w: theirs(x, w, **options), [s.normal(*shape), s.normal(inner, outer // groups, *kernel)])


def reduction(s: Source):
    shape, name = s.shape(), s.pick("sum", "mean", "max", "var", "logsumexp", "sum of products")
    axes = s.order(s.some(range(len(shape))))
    row = f"{name} over {axes} of {shape}"
    if name == "sum of products":
        yield Row(row, lambda x, y: (x * y).sum(axes), lambda x, y: (x * y).sum(axes), [s.normal(*shape), s.normal(*shape)])
    else:
        yield Row(row, lambda x: getattr(x, name)(axis=axes), lambda x: getattr(torch, {"max": "amax"}.get(name, name))(x, dim=axes),
                  [s.normal(*shape)])


def normalisation(s: Source):
    shape = s.shape()
    axis = s.below(len(shape))
    name = s.pick("softmax", "log_softmax", "norm", "scaled")
    row = f"{name} over {axis} of {shape}"
    if name in ("softmax", "log_softmax"):
        yield Row(row, lambda x: getattr(x, name)(axis=axis), lambda x: getattr(F, name)(x, dim=axis), [s.normal(*shape)])
    elif name == "norm":
        def normed(x): return (x - x.mean(axis, keepdim=True)) / (x.var(axis, keepdim=True) + 1e-5).sqrt()
        yield Row(row, normed, normed, [s.normal(*shape)])
    else:
        def scaled(x, w): return x * (x.square().mean(axis, keepdim=True) + 1e-6).rsqrt() * w
        yield Row(row, scaled, scaled, [s.normal(*shape), s.normal(*(n if a == axis else 1 for a, n in enumerate(shape)))])


def scan(s: Source):
    shape = s.shape(1, 4)
    axis = s.below(len(shape))
    name = s.pick("cumsum", "cumprod", "cummax", "sort", "argsort", "topk", "argmax", "logcumsumexp")
    row, data = f"{name} over {axis} of {shape}", [s.normal(*shape)]
    count = min(shape[axis], s.pick(1, 3, 10, 50))
    first = {"sort": lambda x: x.sort(axis)[0], "topk": lambda x: x.topk(count, axis)[0], "cummax": lambda x: x.cummax(axis)[0]}
    call = first.get(name, lambda x: getattr(x, name)(axis))
    yield Row(row + f" {count}" * (name == "topk"), call, call, data, name in ("cumsum", "cumprod", "logcumsumexp"),
              name in ("cumsum", "cummax", "logcumsumexp"))


def broadcasting(s: Source):
    """Operands with some axes of size one, and each with its axes in an order of its own in memory."""
    shape = s.shape()
    inputs, orders = [], []
    for _ in range(3):
        order = s.order(range(len(shape))) if s.maybe() else [*range(len(shape))]
        kept = s.some(range(len(shape))) if s.maybe() else range(len(shape))
        inputs.append(s.normal(*(shape[a] if a in kept else 1 for a in order)))
        orders.append([order.index(a) for a in range(len(shape))])
    name, ours = s.pick(("a * b + c", lambda a, b, c: a * b + c), ("tanh(a - b) * c", lambda a, b, c: (a - b).tanh() * c))

    def call(*x): return ours(*(t.permute(o) for t, o in zip(x, orders)))
    yield Row(f"{name} of {[list(x.shape) for x in inputs]} permuted {orders}", lambda *x: call(*x).contiguous(), call, inputs)


def movement(s: Source):
    """A chain of movements, then one multiplication: what indices cost."""
    shape = s.shape(2, 4)
    steps: list[typing.Callable] = []
    words, now = [], list(shape)
    for _ in range(2 + s.below(3)):
        kind = s.pick("permute", "flip", "pad", "shrink", "stride", "merge", "split")
        axis = s.below(len(now))
        if kind == "permute" and len(now) > 1:
            order = s.order(range(len(now)))
            now, words = [now[a] for a in order], words + [f"permute {order}"]
            steps.append(lambda x, o=order: x.permute(o))
        elif kind == "flip":
            words.append(f"flip {axis}")
            steps.append(lambda x, a=axis: x.flip(a))
        elif kind == "pad":
            before, after = s.below(4), s.below(4)
            now[axis] += before + after
            words.append(f"pad {axis} {before} {after}")
            steps.append(lambda x, n=len(now) - 1 - axis, b=before, e=after: (x.pad if isinstance(x, Tensor) else lambda p: F.pad(x, p))(
                tuple([0, 0] * n + [b, e])))
        elif kind in ("shrink", "stride") and now[axis] > 8:
            start, step = s.below(4), 1 if kind == "shrink" else s.pick(2, 3)
            words.append(f"[{start}::{step}] of {axis}")
            now[axis] = -(-(now[axis] - start) // step)
            steps.append(lambda x, a=axis, b=start, t=step: x[(slice(None),) * a + (slice(b, None, t),)])
        elif kind == "merge" and axis + 1 < len(now):
            now[axis:axis + 2] = [now[axis] * now[axis + 1]]
            words.append(f"merge {axis}")
            steps.append(lambda x, a=axis: x.flatten(a, a + 1))
        elif kind == "split" and len(now) < 6 and any(divisors := [d for d in (2, 3, 4, 8, 16) if now[axis] % d == 0 and now[axis] > d]):
            d = s.pick(*divisors)
            now[axis:axis + 1] = [d, now[axis] // d]
            words.append(f"split {axis} {d}")
            steps.append(lambda x, a=axis, d=d: x.unflatten(a, (d, -1)))

    def call(x):
        for step in steps: x = step(x)
        return x * 2
    yield Row(f"{shape}: {', '.join(words)}", call, call, [s.normal(*shape)])


def places(s: Source):
    shape = s.shape(1, 4)
    axis = s.below(len(shape))
    n = shape[axis]
    kind = s.pick("index_select", "gather", "scatter_add")
    row = f"{kind} over {axis} of {shape}"
    if kind == "gather":
        i = s.random.integers(0, n, shape)
        yield Row(row, lambda x, i: x.gather(axis, i), lambda x, i: x.gather(axis, i), [s.normal(*shape), i])
    elif kind == "scatter_add":
        i = s.random.integers(0, n, shape)
        yield Row(row, lambda x, i, v: x.scatter_reduce(axis, i, v, "sum"), lambda x, i, v: x.scatter_add(axis, i, v),
                  [s.normal(*shape), i, s.normal(*shape)])
    else:
        i = s.random.integers(0, n, max(1, n // s.pick(1, 2, 4)))
        yield Row(row, lambda x, i: x[(slice(None),) * axis + (i,)], lambda x, i: x.index_select(axis, i), [s.normal(*shape), i])


def pool(s: Source):
    kernel, name = s.pick(2, 3, 3, 5, 7), s.pick("max_pool2d", "avg_pool2d")
    stride, padding = s.pick(1, 2, kernel), s.pick(0, kernel // 2)
    shape = [*s.sizes(2, ELEMENTS / 4096), 64 - s.below(10), 64 - s.below(10)]
    yield Row(f"{name} {kernel} stride {stride} padding {padding} of {shape}",
              lambda x: getattr(x, name)((kernel, kernel), stride, padding=padding), lambda x: getattr(F, name)(x, kernel, stride, padding),
              [s.normal(*shape)], compared=name != "max_pool2d")  # ties may go either way


def attention(s: Source):
    heads, queries, keys, size = s.pick(1, 4, 12), s.pick(1, 17, 128, 300), s.pick(128, 250, 1000), s.pick(32, 64, 80, 128)
    causal = s.maybe() and queries == keys
    inputs = [s.normal(2, heads, n, size) for n in (queries, keys, keys)]
    yield Row(f"attention of {[list(x.shape) for x in inputs]}" + " causal" * causal,
              lambda q, k, v: q.scaled_dot_product_attention(k, v, is_causal=causal),
              lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=causal), inputs)


def layer(s: Source):
    """A product with what networks put around it."""
    rows, inner, outer = s.pick(1, 4, 37, 128, 500), s.pick(64, 100, 256, 768), s.pick(10, 64, 200, 768, 1000)
    kind = s.pick("bias and relu", "norm before", "gate", "residual and norm", "softmax")
    inputs = [s.normal(rows, inner), s.normal(outer, inner), s.normal(outer)]
    ours = {
        "bias and relu": lambda x, w, b: (x @ w.T + b).relu(),
        "norm before": lambda x, w, b: (x * (x.square().mean(-1, keepdim=True) + 1e-5).rsqrt()) @ w.T + b,
        "gate": lambda x, w, b: (x @ w.T) * (x @ w.T + b).sigmoid(),
        "residual and norm": lambda x, w, b: (y := x @ w.T + b) - y.mean(-1, keepdim=True),
        "softmax": lambda x, w, b: (x @ w.T + b).softmax(-1),
    }[kind]
    yield Row(f"layer {rows}×{inner}×{outer}, {kind}", ours, ours, inputs)


FAMILIES = (contraction, convolution, reduction, normalisation, scan, broadcasting, movement, places, pool, attention, layer)


def random_rows(count, seed):
    """`count` rows, of all families in turn; the row with number n depends on seed and n alone."""
    for n in range(count):
        for row in FAMILIES[n % len(FAMILIES)](Source([seed, n])): yield row
