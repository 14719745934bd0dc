#!/usr/bin/env python3
"""Writes torch.txt: random programs with PyTorch's values and gradients, read by tests/unit/tensor/reference_test.cpp.

Run by hand (needs PyTorch) when a function is added: `python3 make_reference.py > torch.txt`. Each case is
  case NAME
  in SHAPE : VALUES      (float64 inputs that are differentiated)
  int SHAPE : VALUES     (integer inputs)
  out SHAPE : VALUES
  grad SHAPE : VALUES    (of sum(out * weights) for each float input; weights as in gradcheck.cpp)
Shapes are comma-separated, "-" for a scalar. What a NAME computes stands here and in the test, side by side.
"""
import math
import random

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
R = random.Random(20260)


def real(shape, lo=-2.0, hi=2.0):
    n = math.prod(shape)
    return torch.tensor([round(R.uniform(lo, hi), 3) for _ in range(n)]).reshape(shape)


def apart(shape):
    """Distinct values with distance, so that max and sorting have no near ties."""
    n = math.prod(shape)
    v = [0.25 * i - 0.125 * n + 0.06 for i in range(n)]
    R.shuffle(v)
    return torch.tensor(v).reshape(shape)


def shape(lo=1, hi=3, most=4):
    return tuple(R.randint(1, most) for _ in range(R.randint(lo, hi)))


def partner(s):
    """A shape that broadcasts with s."""
    t = [d if R.random() < 0.6 else 1 for d in s]
    return tuple(t[R.randint(0, len(t) - 1):])


def labels(shape, classes):
    n = math.prod(shape)
    return torch.tensor([R.randrange(classes) for _ in range(n)], dtype=torch.int64).reshape(shape)


def text(t):
    flat = t.detach().reshape(-1).tolist()
    s = ",".join(map(str, t.shape)) or "-"
    if not t.dtype.is_floating_point:
        return f"{s} : {' '.join(str(int(v)) for v in flat)}"
    return f"{s} : {' '.join(repr(float(f'{v:.12g}')) for v in flat)}"


def case(name, f, floats, ints=()):
    xs = [x.clone().requires_grad_(True) for x in floats]
    y = f(*xs, *ints)
    print("case", name)
    for x in xs:
        print("in", text(x))
    for i in ints:
        print("int", text(i))
    print("out", text(y))
    if y.dtype.is_floating_point and y.requires_grad:
        w = torch.tensor([0.5 + math.modf((i + 1) * 0.6180339887498949)[0] for i in range(y.numel())]).reshape(y.shape)
        grads = torch.autograd.grad((y * w).sum(), xs, allow_unused=True)
        for x, g in zip(xs, grads):
            print("grad", text(torch.zeros_like(x) if g is None else g))


UNARY = {
    "neg": torch.neg, "abs": torch.abs, "sign": torch.sign, "square": torch.square, "exp": torch.exp, "exp2": torch.exp2,
    "sin": torch.sin, "cos": torch.cos, "tan": torch.tan, "trunc": torch.trunc, "floor": torch.floor, "ceil": torch.ceil,
    "round": torch.round, "relu": F.relu, "relu6": F.relu6, "leaky_relu": F.leaky_relu, "sigmoid": torch.sigmoid,
    "tanh": torch.tanh, "silu": F.silu, "gelu": lambda x: F.gelu(x, approximate="tanh"),
    "quick_gelu": lambda x: x * torch.sigmoid(1.702 * x), "softplus": F.softplus,
    "clip": lambda x: torch.clamp(x, -0.5, 0.75), "pow3": lambda x: x**3, "pow_minus2": lambda x: x**-2,
}
POSITIVE = {
    "sqrt": torch.sqrt, "rsqrt": torch.rsqrt, "log": torch.log, "log2": torch.log2, "log10": torch.log10,
    "reciprocal": torch.reciprocal, "pow_half": lambda x: x**0.5, "pow_2_7": lambda x: x**2.7, "pow_1_5": lambda x: x**1.5,
}
BINARY = {
    "add": torch.add, "sub": torch.sub, "mul": torch.mul, "maximum": torch.maximum, "minimum": torch.minimum,
    "lt": torch.lt, "le": torch.le, "gt": torch.gt, "ge": torch.ge, "eq": torch.eq, "ne": torch.ne,
    "where": lambda a, b: torch.where(a < b, a * 2, b * 3),
}
POSITIVE_RIGHT = {
    "div": torch.div, "floordiv": lambda a, b: torch.floor(a / b), "mod": torch.remainder,
}


def elementwise():
    for name, f in UNARY.items():
        for _ in range(2):
            case(name, f, [real(shape(), -3, 3)])
    for name in ("sigmoid", "tanh", "gelu", "softplus", "silu"):
        case(name, UNARY[name], [torch.tensor([-800.0, -90.0, -20.0, -1e-5, 0.0, 1e-5, 20.0, 90.0, 800.0])])
    case("relu", F.relu, [torch.tensor([-1.0, 0.0, 1.0])])
    case("abs", torch.abs, [torch.tensor([-1.0, 0.0, 1.0])])
    case("round", torch.round, [torch.tensor([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.49999999, 4503599627370497.0])])
    for name, f in POSITIVE.items():
        for _ in range(2):
            case(name, f, [real(shape(), 0.1, 3)])
    for name, f in BINARY.items():
        for _ in range(3):
            s = shape()
            case(name, f, [real(s), real(partner(s))])
    for name, f in POSITIVE_RIGHT.items():
        for _ in range(3):
            s = shape()
            case(name, f, [real(partner(s), -5, 5), real(s, 0.3, 2)])
    for _ in range(3):
        s = shape()
        case("pow", torch.pow, [real(s, 0.2, 2), real(partner(s))])


def reductions():
    for name, f in {"sum": torch.sum, "mean": torch.mean, "prod": None, "max": torch.amax, "min": torch.amin,
                    "logsumexp": torch.logsumexp}.items():
        for axis in (0, 1, -1):
            s = shape(3, 3)
            g = (lambda x, a=axis: torch.prod(x, a)) if f is None else (lambda x, a=axis, f=f: f(x, a))
            case(f"{name}_axis{axis}", g, [apart(s) if name in ("max", "min") else real(s)])
        s = shape(3, 3)
        if name == "prod":
            case("prod_all", torch.prod, [real(s, 0.5, 1.5)])
            zero = real((3, 4))
            zero[0, 1] = zero[2, 0] = zero[2, 3] = 0
            case("prod_axis-1", lambda x: torch.prod(x, -1), [zero])
        else:
            g = (lambda x, f=f: f(x, (0, 2)))
            case(f"{name}_axes02", g, [apart(s) if name in ("max", "min") else real(s)])
    for _ in range(3):
        s = tuple(d + 1 for d in shape(2, 3))
        case("var_axis-1", lambda x: torch.var(x, -1), [real(s)])
        case("std_axis0", lambda x: torch.std(x, 0), [real(s)])
        case("var_biased", lambda x: torch.var(x, -1, correction=0), [real(s)])
        case("softmax_axis-1", lambda x: F.softmax(x, -1), [real(s, -5, 5)])
        case("softmax_axis0", lambda x: F.softmax(x, 0), [real(s, -5, 5)])
        case("log_softmax_axis-1", lambda x: F.log_softmax(x, -1), [real(s, -5, 5)])
        case("argmax_axis-1", lambda x: torch.argmax(x, -1), [apart(s)])
        case("argmin_axis0", lambda x: torch.argmin(x, 0), [apart(s)])
        case("argmax_all", torch.argmax, [apart(s)])


def movement():
    for _ in range(2):
        x = real((2, 3, 4))
        case("reshape", lambda x: x.reshape(4, -1), [x])
        case("permute", lambda x: x.permute(2, 0, 1), [x])
        case("transpose", lambda x: x.transpose(0, 1), [x])
        case("flip", lambda x: x.flip((0, 2)), [x])
        case("expand", lambda x: x.expand(3, 2, 4), [real((2, 1))])
        case("pad", lambda x: F.pad(x, (1, 2, 0, 1, 2, 0), value=0.5), [x])
        case("pad_crop", lambda x: F.pad(x, (-1, 1)), [x])
        case("repeat", lambda x: x.repeat(2, 1, 3), [real((2, 3))])
        case("roll", lambda x: x.roll(-2, 2), [x])
        case("tril", lambda x: x.tril(1), [x])
        case("triu", lambda x: x.triu(-1), [x])
        case("diagonal", lambda x: x.diagonal(), [real((4, 4))])
        case("cat", lambda a, b, c: torch.cat([a, b, c], 1), [real((2, 1, 3)), real((2, 4, 3)), real((2, 2, 3))])
        case("stack", lambda a, b: torch.stack([a, b], -1), [real((2, 3)), real((2, 3))])
        case("split", lambda x: x.split(3, 2)[1], [x])
        case("flatten", lambda x: x.flatten(1), [x])


def indexing():
    x = real((4, 5, 6))
    i2, i3 = labels((2,), 4), labels((2, 3), 5)
    n = torch.tensor([-1, 0, -4], dtype=torch.int64)
    case("index_int", lambda x: x[1, -2], [x])
    case("index_slice", lambda x: x[1:3, ::2, 1:-1], [x])
    case("index_new", lambda x: x[:, None, ..., 2], [x])
    case("index_take0", lambda x, i: x[i], [x], [n])
    case("index_take1", lambda x, i: x[:, i], [x], [i3])
    case("index_two", lambda x, i, j: x[i, j], [x], [labels((2, 3), 4), labels((3,), 5)])
    case("index_two_last", lambda x, i, j: x[:, i, j], [x], [labels((2,), 5), labels((2,), 6)])
    case("index_apart", lambda x, i, j: x[i, :, j], [x], [i2, labels((2,), 6)])
    case("index_mixed", lambda x, i: x[1:3, i, ::2], [x], [i3])
    case("gather", lambda x, i: torch.gather(x, 1, i), [x], [labels((3, 7, 2), 5)])
    case("scatter", lambda x, v, i: x.scatter(0, i, v), [real((5, 3)), real((2, 3))],
         [torch.tensor([[0, 3, 4], [2, 1, 0]], dtype=torch.int64)])
    case("scatter_add", lambda x, v, i: x.scatter_add(1, i, v), [real((3, 4)), real((2, 6))], [labels((2, 6), 4)])


def products():
    for a, b in [((3, 4), (4, 5)), ((4,), (4,)), ((2, 4), (4,)), ((4,), (4, 3)), ((2, 1, 3, 4), (5, 4, 2)), ((1, 1), (1, 1)),
                 ((7, 1), (1, 3)), ((2, 3, 4), (2, 4, 1))]:
        case("matmul", torch.matmul, [real(a), real(b)])
    for s, w, kw in [
            ((1, 1, 5, 5), (1, 1, 3, 3), {}), ((2, 3, 6, 5), (4, 3, 3, 2), {}),
            ((1, 4, 5, 5), (6, 2, 3, 3), dict(groups=2)), ((1, 3, 7, 6), (3, 1, 3, 3), dict(groups=3, padding=1)),
            ((1, 2, 7, 8), (2, 2, 3, 3), dict(stride=2)), ((1, 2, 7, 8), (2, 2, 3, 3), dict(stride=(2, 3), padding=(1, 2))),
            ((1, 2, 8, 7), (2, 2, 3, 2), dict(dilation=2)), ((1, 1, 6, 6), (2, 1, 2, 2), dict(stride=2, dilation=(2, 1), padding=1)),
            ((2, 2, 1, 1), (3, 2, 1, 1), {})]:
        name = "conv2d" + "".join(f"_{k}{'x'.join(map(str, v)) if isinstance(v, tuple) else v}" for k, v in kw.items())
        case(name, lambda x, w, b, kw=kw: F.conv2d(x, w, b, **kw), [real(s), real(w), real((w[0],))])
    case("conv1d", lambda x, w, b: F.conv1d(x, w, b, stride=2, padding=1), [real((2, 2, 7)), real((3, 2, 3)), real((3,))])
    case("conv3d", lambda x, w, b: F.conv3d(x, w, b), [real((1, 1, 3, 4, 3)), real((2, 1, 2, 2, 2)), real((2,))])
    case("max_pool2d", lambda x: F.max_pool2d(x, 2), [apart((1, 2, 4, 6))])
    case("max_pool2d", lambda x: F.max_pool2d(x, 2), [apart((1, 1, 5, 7))])
    case("max_pool2d_3s2p1", lambda x: F.max_pool2d(x, 3, 2, 1), [apart((1, 2, 5, 6))])
    case("max_pool2d_3s1d2", lambda x: F.max_pool2d(x, 3, 1, 0, 2), [apart((1, 1, 7, 6))])
    case("max_pool2d_ceil", lambda x: F.max_pool2d(x, 3, 2, 0, 1, True), [apart((1, 1, 6, 8))])
    case("avg_pool2d", lambda x: F.avg_pool2d(x, 2), [real((1, 2, 4, 6))])
    case("avg_pool2d_3s2p1", lambda x: F.avg_pool2d(x, 3, 2, 1), [real((1, 2, 5, 6))])
    case("avg_pool2d_nopad", lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False), [real((1, 1, 5, 6))])
    case("avg_pool2d_ceil", lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True), [real((1, 1, 6, 8))])
    case("avg_pool2d_ceil_nopad", lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False),
         [real((1, 1, 6, 8))])


def batch_norm_running(x, w, b, mean, var):
    c = (1, -1) + (1,) * (x.ndim - 2)
    return (x - mean.reshape(c)) / torch.sqrt(var.reshape(c) + 1e-5) * w.reshape(c) + b.reshape(c)


def norms_and_losses():
    for s in [(4, 3), (3, 2, 4, 2)]:
        c = s[1]
        case("batch_norm_training", lambda x, w, b: F.batch_norm(x, None, None, w, b, True), [real(s), real((c,)), real((c,))])
        case("batch_norm_running", batch_norm_running,
             [real(s), real((c,)), real((c,)), real((c,)), real((c,), 0.2, 2)])
    case("layer_norm", lambda x, w, b: F.layer_norm(x, x.shape[-1:], w, b), [real((3, 4, 5)), real((5,)), real((5,))])
    case("layer_norm_two", lambda x, w, b: F.layer_norm(x, x.shape[-2:], w, b), [real((2, 3, 4)), real((3, 4)), real((3, 4))])
    x = real((4, 3))
    i = labels((4,), 3)
    case("cross_entropy", lambda x, i: F.cross_entropy(x, i), [x], [i])
    case("cross_entropy_sum", lambda x, i: F.cross_entropy(x, i, reduction="sum"), [x], [i])
    case("cross_entropy_none", lambda x, i: F.cross_entropy(x, i, reduction="none"), [x], [i])
    case("cross_entropy_smooth", lambda x, i: F.cross_entropy(x, i, label_smoothing=0.1), [x], [i])
    case("cross_entropy_ignore", lambda x, i: F.cross_entropy(x, i, ignore_index=1), [real((6, 3))],
         [torch.tensor([0, 1, 2, 1, 0, 2])])
    case("cross_entropy", lambda x, i: F.cross_entropy(x, i), [real((2, 3, 2, 2))], [labels((2, 2, 2), 3)])
    case("cross_entropy_probabilities", lambda x, p: F.cross_entropy(x, p), [x, F.softmax(real((4, 3)), -1)])
    case("cross_entropy_probabilities_smooth", lambda x, p: F.cross_entropy(x, p, label_smoothing=0.2),
         [x, F.softmax(real((4, 3)), -1)])
    case("sparse_categorical_crossentropy", lambda x, i: F.cross_entropy(x.permute(0, 2, 1), i), [real((2, 4, 3))],
         [labels((2, 4), 3)])
    case("nll_loss", lambda x, i: F.nll_loss(F.log_softmax(x, 1), i), [x], [i])
    case("nll_loss_weight", lambda x, w, i: -(x.gather(1, i[:, None])[:, 0] * w[i]).sum() / w[i].sum(), [x.clone(), torch.tensor([0.5, 1.0, 2.0])], [i])
    case("binary_crossentropy", lambda x, y: -(y * x.log() + (1 - y) * (1 - x).log()).mean(), [real((3, 2), 0.1, 0.9), real((3, 2), 0, 1)])
    case("binary_crossentropy_logits", lambda x, y: F.binary_cross_entropy_with_logits(x, y),
         [real((3, 2), -4, 4), real((3, 2), 0, 1)])


MORE_UNARY = {
    "atan": torch.atan, "sinh": torch.sinh, "cosh": torch.cosh, "asinh": torch.asinh, "erf": torch.erf, "elu": F.elu,
    "elu_half": lambda x: F.elu(x, 0.5), "celu": F.celu, "celu_2": lambda x: F.celu(x, 2.0), "selu": F.selu,
    "gelu_erf": F.gelu, "mish": F.mish, "softplus_3": lambda x: F.softplus(x, 3.0), "logsigmoid": F.logsigmoid,
    "softsign": F.softsign, "hardsigmoid": F.hardsigmoid, "hardswish": F.hardswish, "hardtanh": F.hardtanh,
    "hardtanh_2": lambda x: F.hardtanh(x, -2.0, 0.5), "swish": F.silu, "clamp_min": lambda x: torch.clamp(x, min=0.25),
    "clamp_max": lambda x: torch.clamp(x, max=0.25), "clamp": lambda x: torch.clamp(x, -0.5, 0.75),
    "hardsigmoid_wide": lambda x: torch.clamp(0.25 * x + 0.375, 0, 1),
}
INSIDE = {"asin": torch.asin, "acos": torch.acos, "atanh": torch.atanh}
MORE_BINARY = {
    "logaddexp": torch.logaddexp, "copysign": torch.copysign, "lerp": lambda a, b: torch.lerp(a, b.expand(torch.broadcast_shapes(a.shape, b.shape)), 0.3),
    "usum": lambda a, b: a + b + 2, "uprod": lambda a, b: a * b * 2, "isclose": lambda a, b: torch.isclose(a, b, 0.1, 0.2),
}


def wide(least, most):
    """A shape with one axis long enough for several blocks of a scan, and which axis that is."""
    s = [R.randint(1, 3) for _ in range(R.randint(1, 3))]
    axis = R.randrange(len(s))
    s[axis] = R.randint(least, most)
    return tuple(s), axis


def more_elementwise():
    for name, f in MORE_UNARY.items():
        for _ in range(3):
            case(name, f, [real(shape(), -4, 4)])
    for name, f in INSIDE.items():
        for _ in range(3):
            case(name, f, [real(shape(), -0.99, 0.99)])
    for _ in range(3):
        case("acosh", torch.acosh, [real(shape(), 1.01, 6)])
    ends = torch.tensor([-300.0, -30.0, -6.5, -3.0, -1e-7, 0.0, 1e-7, 3.0, 6.5, 30.0, 300.0])
    for name in ("atan", "asinh", "erf", "elu", "celu", "selu", "gelu_erf", "mish", "logsigmoid", "softsign", "hardswish"):
        case(name, MORE_UNARY[name], [ends])
    case("sinh", torch.sinh, [ends / 3])
    case("cosh", torch.cosh, [ends / 3])
    case("acosh", torch.acosh, [torch.tensor([1.0000001, 1.5, 1e9, 1e200])])
    case("asin", torch.asin, [torch.tensor([-0.5, 0.5, 0.499999, 1e-9, 0.0, -0.9999])])
    case("acos", torch.acos, [torch.tensor([-0.5, 0.5, 0.499999, 1e-9, 0.0, -0.9999])])
    case("asinh", torch.asinh, [torch.tensor([1e9, -1e200, 1e-300])])
    for name, f in MORE_BINARY.items():
        for _ in range(3):
            s = shape()
            case(name, f, [real(s), real(partner(s))])
    case("logaddexp", torch.logaddexp, [torch.tensor([1000.0, -1000.0, 0.0, 5.0]), torch.tensor([1000.0, 0.0, -800.0, 5.0])])
    for _ in range(3):
        s = shape()
        case("lerp_weight", lambda a, b, w: a + (b - a) * w, [real(s), real(s), real(partner(s))])
        case("fmod", torch.fmod, [real(partner(s), -5, 5), real(s, 0.3, 2)])
        case("div_trunc", lambda a, b: torch.div(a, b, rounding_mode="trunc"), [real(partner(s), -5, 5), real(s, 0.3, 2)])
        case("div_floor", lambda a, b: torch.div(a, b, rounding_mode="floor"), [real(partner(s), -5, 5), real(s, 0.3, 2)])
        i, j = labels(s, 41) - 20, labels(partner(s), 6) + 1
        case("int_fmod", torch.fmod, [], [i, j])
        case("int_fmod", torch.fmod, [], [i, -j])
        case("int_div_trunc", lambda a, b: torch.div(a, b, rounding_mode="trunc"), [], [i, j])
        case("int_div_trunc", lambda a, b: torch.div(a, b, rounding_mode="trunc"), [], [i, -j])


def scans():
    sizes = [(1, 5), (30, 34), (60, 70), (90, 130), (1050, 1060)]
    for name, f, low, high in [("cumsum", torch.cumsum, -2, 2), ("cumprod", torch.cumprod, 0.8, 1.2),
                               ("logcumsumexp", torch.logcumsumexp, -9, 9)]:
        for least, most in sizes:
            s, axis = wide(least, most)
            if most > 1000:
                s, axis = (most,), 0
            case(f"{name}_axis{axis}", lambda x, f=f, a=axis: f(x, a), [real(s, low, high)])
    for name, f in [("cummax", torch.cummax), ("cummin", torch.cummin)]:
        for least, most in sizes[:4]:
            s, axis = wide(least, most)
            case(f"{name}_axis{axis}", lambda x, f=f, a=axis: f(x, a)[0], [apart(s)])
            ties = labels(s, 5).double()
            case(f"{name}_axis{axis}", lambda x, f=f, a=axis: f(x, a)[0], [ties])
            case(f"{name}_place_axis{axis}", lambda x, f=f, a=axis: f(x, a)[1], [ties])
    zero = real((3, 40))
    zero[0, 5] = zero[1, 3] = zero[1, 35] = 0
    case("cumprod_axis1", lambda x: torch.cumprod(x, 1), [zero])
    case("logcumsumexp_axis0", lambda x: torch.logcumsumexp(x, 0), [torch.tensor([-1000.0, 0.0, 900.0, 900.0, -5.0])])
    case("int_cumsum", lambda i: torch.cumsum(i, 1), [], [labels((2, 70), 100) - 50])
    case("int_cumprod", lambda i: torch.cumprod(i, 0), [], [labels((9, 2), 4) + 1])


def more_reductions():
    for _ in range(3):
        s = tuple(d + 1 for d in shape(2, 3))
        case("var_of_pair", lambda x: torch.var_mean(x, -1)[0], [real(s)])
        case("mean_of_pair", lambda x: torch.var_mean(x, -1)[1], [real(s)])
        case("std_of_pair", lambda x: torch.std_mean(x, 0)[0], [real(s)])
        case("softmin_axis0", lambda x: F.softmin(x, 0), [real(s, -5, 5)])
        case("normalize", lambda x: F.normalize(x), [real(s)])
        case("normalize_3", lambda x: F.normalize(x, 3.0, 0), [real(s)])
        case("normalize_1", lambda x: F.normalize(x, 1.0, -1), [real(s)])
    case("normalize", lambda x: F.normalize(x), [torch.tensor([[3.0, 4.0], [0.0, 1e-6]])])


def paddings():
    for _ in range(3):
        s = tuple(R.randint(3, 5) for _ in range(3))
        pads = [R.randint(0, 2) for _ in range(4)]
        for mode in ("reflect", "replicate", "circular"):
            case(f"pad_{mode}_{'_'.join(map(str, pads))}", lambda x, m=mode, p=pads: F.pad(x[None], p, m)[0], [real(s)])


def einsums():
    for formula, shapes in [
            ("ij,jk->ik", [(3, 4), (4, 2)]), ("ij,jk", [(3, 4), (4, 2)]), ("ii->i", [(4, 4)]), ("ii", [(4, 4)]), ("ij->ji", [(2, 3)]),
            ("ij->", [(2, 3)]), ("i,j->ij", [(3,), (2,)]), ("bij,bjk->bik", [(2, 3, 4), (2, 4, 2)]), ("...ij,...jk->...ik", [(2, 1, 2, 3), (4, 3, 2)]),
            ("...i,i->...", [(2, 3, 4), (4,)]), ("ijk,jil->kl", [(2, 3, 4), (3, 2, 2)]), ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 2)]),
            ("abc,cd,db->a", [(2, 3, 4), (4, 2), (2, 3)]), ("iji->j", [(3, 2, 3)]), ("iijj->ij", [(2, 2, 3, 3)]), ("i,i->", [(4,), (4,)]),
            ("bhqd,bhkd->bhqk", [(1, 2, 3, 4), (1, 2, 2, 4)]), ("a...,...->a...", [(2, 3), (3,)]), ("ba", [(2, 3)]), (",->", [(), ()])]:
        case(f"einsum:{formula}", lambda *x, f=formula: torch.einsum(f, *x), [real(s) for s in shapes])


def setitems():
    def put(x, key, v):
        y = x.detach().clone()
        y[key] = v.detach() if isinstance(v, torch.Tensor) else v
        return y
    x = real((4, 5, 6))
    n = torch.tensor([-1, 0, -3], dtype=torch.int64)
    case("set_int", lambda x, v: put(x, 2, v), [x, real((5, 6))])
    case("set_slice", lambda x, v: put(x, (slice(1, 3), slice(None), slice(2, 5)), v), [x, real((5, 1))])
    case("set_number", lambda x: put(x, (slice(None), 1), 7.0), [x])
    case("set_take0", lambda x, v, i: put(x, i, v), [x, real((3, 5, 6))], [n])
    case("set_take1", lambda x, v, i: put(x, (slice(None), i), v), [x, real((6,))], [n])
    case("set_two", lambda x, v, i, j: put(x, (i, j), v), [x, real((3, 6))], [torch.tensor([0, 2, 3]), torch.tensor([4, 0, 4])])
    case("set_two_last", lambda x, v, i, j: put(x, (slice(None), i, j), v), [x, real((4, 2))], [torch.tensor([1, 3]), torch.tensor([5, 0])])
    case("set_apart", lambda x, v, i, j: put(x, (i, slice(None), j), v), [x, real((2, 5))], [torch.tensor([0, 2]), torch.tensor([5, 1])])
    case("set_mixed", lambda x, v, i: put(x, (slice(1, 3), i), v), [x, real((2, 2, 6))], [torch.tensor([4, 1])])
    m = torch.tensor([[True, False, True], [False, False, True]])
    case("masked_select", lambda x, i: x.masked_select(i > 0), [real((2, 3))], [m.long()])
    case("masked_fill", lambda x, i: x.masked_fill(i > 0, 0.5), [real((2, 3))], [m.long()])


def more_products():
    for s, w, kw in [
            ((1, 1, 4), (1, 1, 3), {}), ((2, 2, 3, 4), (2, 3, 2, 3), {}), ((1, 2, 3, 3), (2, 1, 3, 3), dict(stride=2)),
            ((1, 4, 3, 4), (4, 2, 2, 3), dict(groups=2, padding=1)), ((1, 2, 4, 3), (2, 2, 3, 2), dict(stride=2, padding=1, output_padding=1)),
            ((1, 1, 3, 3), (1, 2, 3, 3), dict(dilation=2)), ((1, 2, 3, 3), (2, 2, 1, 1), dict(stride=3, output_padding=2))]:
        name = "conv_transpose" + "".join(f"_{k}{v}" for k, v in kw.items())
        f = F.conv_transpose1d if len(s) == 3 else F.conv_transpose2d
        out = w[1] * kw.get("groups", 1)
        case(name, lambda x, w, b, kw=kw, f=f: f(x, w, b, **kw), [real(s), real(w), real((out,))])
    case("linear", lambda x, w, b: x @ w + b, [real((2, 3, 4)), real((4, 2)), real((2,))])
    case("linear_vector", lambda x, w, b: x * w + b, [real((3, 4)), real((4,)), real((4,))])
    case("rms_norm", lambda x, w: x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-6) * w, [real((3, 4, 5)), real((5,))])
    case("group_norm_2", lambda x, w, b: F.group_norm(x, 2, w, b), [real((2, 4, 3)), real((4,)), real((4,))])
    case("group_norm_4", lambda x, w, b: F.group_norm(x, 4, w, b), [real((2, 4, 3, 2)), real((4,)), real((4,))])


elementwise()
reductions()
movement()
indexing()
products()
norms_and_losses()
more_elementwise()
scans()
more_reductions()
paddings()
einsums()
setitems()
more_products()
