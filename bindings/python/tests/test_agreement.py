"""Values, shapes, dtypes and gradients beside tinygrad's own, over random programs. Skipped where tinygrad 0.14 or NumPy
is not installed (scripts/setup installs them for the tests). TG_AGREEMENT sets how many programs a name is called in (default
1), TG_AGREEMENT_SHARE which of the names (today/2: one half today, the other tomorrow; default all), SEED repeats. tinygrad
computes on its Python device, which rounds every operation as written; tensors without a device it computes on the processor, by
clang."""
import os
import random
import shutil
import time
import unittest

# Its checks of its own graphs and its compiling processes would take half of the time; nor does it need files of its own.
for option in ("SPEC", "PARALLEL", "CACHELEVEL"):
  os.environ.setdefault(option, "0")
MISSING = ""
CLANG = next(filter(shutil.which, ["clang", *(f"clang-{version}" for version in range(21, 13, -1))]), None)
if CLANG is None:
  MISSING = "clang is not installed, which tinygrad compiles with"
else:
  os.environ.setdefault("CC", CLANG)
try:
  import numpy as np
  import tinygrad
  from tinygrad.helpers import DEV
  DEV.value = "PYTHON"
except ImportError as error:
  MISSING = f"NumPy or tinygrad 0.14 is not installed: {error}"

import tinygrad_cpp
from properties import draw_facts, permutation_facts

ROUNDS = int(os.environ.get("TG_AGREEMENT", "1"))
SEED = int(os.environ.get("SEED", random.randrange(1 << 30)))

UNARY = """neg reciprocal sqrt rsqrt square exp exp2 log log2 log10 sin cos tan asin acos atan sinh
cosh tanh asinh atanh erf abs sign trunc ceil floor round isnan isinf isfinite relu relu6 leaky_relu elu celu selu gelu quick_gelu sigmoid
logsigmoid hardsigmoid hardswish hardtanh swish silu mish softplus softsign""".split()
BINARY = "add sub mul div maximum minimum eq ne copysign logaddexp mod fmod".split()
WHOLE = "bitwise_and bitwise_or bitwise_xor add sub mul mod fmod maximum minimum".split()
REDUCE = "sum prod max min mean any all logsumexp".split()
ROWS = "softmax log_softmax softmin cumsum cumprod logcumsumexp argmax argmin cummax cummin sort argsort".split()

# name → (random source) → a function of a package's (module, tensor of shape [3, 4]).
MOVES = {
  "reshape": lambda r: lambda t, x: x.reshape(r.choice([(12,), (4, 3), (2, -1), (1, 3, 4)])),
  "permute": lambda r: lambda t, x: x.permute(1, 0),
  "transpose": lambda r: lambda t, x: x.transpose(0, -1),
  "flip": lambda r: lambda t, x: x.flip(r.choice([0, 1, (0, 1)])),
  "expand": lambda r: lambda t, x: x.unsqueeze(1).expand(3, 2, 4),
  "shrink": lambda r: lambda t, x: x.shrink(((1, 3), (0, r.randint(1, 4)))),
  "shrink_to": lambda r: lambda t, x: x.shrink_to(2, r.randint(1, 4)),
  "pad": lambda r: lambda t, x: x.pad((r.randint(0, 2), 1, 0, 2), value=2.0),
  "pad_reflect": lambda r: (
    lambda t, x: x.pad((r.randint(0, 2), 1, 1, 1), mode=r.choice(["reflect", "replicate",
      "circular"]))),
  "pad_to": lambda r: lambda t, x: x.pad_to(5, r.randint(4, 6)),
  "squeeze": lambda r: lambda t, x: x.unsqueeze(1).squeeze(1),
  "unsqueeze": lambda r: lambda t, x: x.unsqueeze(r.randint(-3, 2)),
  "flatten": lambda r: lambda t, x: x.flatten(),
  "unflatten": lambda r: lambda t, x: x.unflatten(1, (2, 2)),
  "repeat": lambda r: lambda t, x: x.repeat(r.randint(1, 2), 2),
  "repeat_interleave": lambda r: lambda t, x: x.repeat_interleave(2, r.choice([0, 1, None])),
  "roll": lambda r: lambda t, x: x.roll(r.randint(-3, 3), r.choice([0, 1])),
  "unfold": lambda r: lambda t, x: x.unfold(1, 2, r.randint(1, 2)),
  "rearrange": lambda r: lambda t, x: x.rearrange("a (b c) -> (c a) b", b=2),
  "diagonal": lambda r: lambda t, x: x.diagonal(),
  "triu": lambda r: lambda t, x: x.triu(r.randint(-2, 2)),
  "tril": lambda r: lambda t, x: x.tril(r.randint(-2, 2)),
  "stack": lambda r: lambda t, x: x.stack(x * 2, dim=r.randint(0, 2)),
  "cat": lambda r: lambda t, x: x.cat(x * 2, dim=r.randint(0, 1)),
  "split": lambda r: lambda t, x: x.split(r.choice([2, [1, 3]]), 1)[1],
  "chunk": lambda r: lambda t, x: x.chunk(2, 1)[0],
  "getitem": lambda r: (
    lambda t, x: x[r.choice([1, -1, slice(None, None, -1), slice(1, None), None])]),
  "gather_rows": lambda r: lambda t, x: x[[2, 0, 0]],
  "masked_fill": lambda r: lambda t, x: x.masked_fill(x > 0.5, -1.0),
  "clamp": lambda r: lambda t, x: x.clamp(0.3, r.choice([0.6, None])),
  "lerp": lambda r: lambda t, x: x.lerp(x * 3, 0.25),
  "pow": lambda r: lambda t, x: x.pow(r.choice([0, 1, 2, 3, 0.5, -1, 2.5])),
  "where": lambda r: lambda t, x: (x > 0.5).where(x, 2.0),
  "cast": lambda r: lambda t, x: x.cast(r.choice(["int32", "float64", "bool"])),
  "half": lambda r: lambda t, x: x.half().float(),
  "var": lambda r: lambda t, x: x.var(r.choice([0, 1])),
  "std": lambda r: lambda t, x: x.std(r.choice([0, 1])),
  "var_mean": lambda r: lambda t, x: x.var_mean(1)[0],
  "std_mean": lambda r: lambda t, x: x.std_mean(1)[1],
  "normalize": lambda r: lambda t, x: x.normalize(),
  "layernorm": lambda r: lambda t, x: x.layernorm(),
  "dot": lambda r: lambda t, x: x.dot(x.T),
  "matmul": lambda r: lambda t, x: x.T @ x,
  "einsum": lambda r: lambda t, x: t.Tensor.einsum("ij,kj->ik", x, x),
  "linear": lambda r: lambda t, x: x.linear(x.T, x[:, 0]),
  "topk": lambda r: lambda t, x: x.topk(2, 1)[0],
  "meshgrid": lambda r: lambda t, x: x[0].meshgrid(x[:, 0], indexing="xy")[0],
  "diag": lambda r: lambda t, x: x[0].diag(),
  "gather": lambda r: lambda t, x: x.gather(1, t.Tensor([[0, 3], [1, 1], [2, 0]])),
  "scatter": lambda r: (
    lambda t, x: x.scatter(1, t.Tensor([[0, 3], [1, 2], [2, 0]]), *r.choice([(x,), (2.0, "add"),
      (2.0, "multiply")]))),
  "scatter_reduce": lambda r: (
    lambda t, x: x.scatter_reduce(1, t.Tensor([[0, 0], [1, 1], [2, 0]]), x[:, :2],
      r.choice(["sum", "prod", "mean", "amax", "amin"]), r.choice([True, False]))),
  "one_hot": lambda r: lambda t, x: (x * 4).cast("int32").one_hot(5),
  "nonzero": lambda r: lambda t, x: (x > 0.5).nonzero(),
  "masked_select": lambda r: lambda t, x: x.masked_select(x > 0.5),
  "isclose": lambda r: lambda t, x: x.isclose(x + 1e-9),
  "interpolate": lambda r: (
    lambda t, x: x.reshape(1, 1, 3, 4).interpolate((5, r.randint(2, 7)), r.choice(["linear",
      "nearest", "nearest-exact"]))),
  "conv2d": lambda r: (
    lambda t, x: x.reshape(1, 1, 3, 4).conv2d(x[:2, :2].reshape(1, 1, 2, 2), padding=r.choice([0,
      1, (1, 0, 0, 1)]))),
  "conv_transpose2d": lambda r: (
    lambda t, x: x.reshape(1, 1, 3, 4).conv_transpose2d(x[:2, :2].reshape(1, 1, 2, 2),
      stride=r.randint(1, 2))),
  "max_pool2d": lambda r: (
    lambda t, x: x.reshape(1, 1, 3, 4).max_pool2d(2, stride=1, padding=r.choice([0, 1]))),
  "avg_pool2d": lambda r: (
    lambda t, x: x.reshape(1, 1, 3, 4).avg_pool2d(2, stride=1, padding=r.choice([0, 1]),
      count_include_pad=r.choice([True, False]))),
  "attention": lambda r: (
    lambda t, x: x.scaled_dot_product_attention(x, x, is_causal=r.choice([True, False]))),
  "cross_entropy": lambda r: (
    lambda t, x: x.cross_entropy(t.Tensor([0, 3, 1]), label_smoothing=r.choice([0.0, 0.1]))),
  "sparse_cross_entropy": lambda r: (
    lambda t, x: x.sparse_categorical_crossentropy(t.Tensor([0, -1, 1]))),
  "nll_loss": lambda r: (
    lambda t, x: x.log_softmax().nll_loss(t.Tensor([0, 3, 1]), reduction=r.choice(["sum",
      "mean"]))),
  "bce": lambda r: lambda t, x: x.binary_crossentropy(x.flip(0)),
  "bce_logits": lambda r: lambda t, x: x.binary_crossentropy_logits(x.flip(0)),
  "bitcast": lambda r: lambda t, x: x.bitcast(r.choice(["int32", "uint8", "uint16"])),
  "usum": lambda r: lambda t, x: x.usum(x, x),
  "batchnorm": lambda r: lambda t, x: x.batchnorm(x[0], x[1], x[2], x[0]),
  "allclose": lambda r: lambda t, x: x.allclose(x),
  "newton_schulz": lambda r: lambda t, x: x.newton_schulz(2, (2.0, -1.5, 0.5)),
  "qr": lambda r: lambda t, x: (lambda q, s: q @ s)(*x.qr()),
  "isinf": lambda r: lambda t, x: (x / 0).isinf(detect_negative=False),
  "arange": lambda r: lambda t, x: t.Tensor.arange(1, 8, 2),
  "linspace": lambda r: lambda t, x: t.Tensor.linspace(0, 2, 5),
  "eye": lambda r: lambda t, x: t.Tensor.eye(3, 4),
  "full_like": lambda r: lambda t, x: x.full_like(3),
  "keccak": lambda r: lambda t, x: t.Tensor([1, 2, 3], dtype="uint8").keccak(),
  "random_bits": lambda r: lambda t, x: t.Tensor.random_bits(
    t.Tensor([1, 2], dtype="uint32"), t.Tensor([5, 0], dtype="uint32"), 7),
  "acosh": lambda r: lambda t, x: (x + 1).acosh(),
  "bitwise_not": lambda r: lambda t, x: (x * 9).cast("int32").bitwise_not(),
  "logical_not": lambda r: lambda t, x: (x > 0.5).logical_not(),
  "lshift": lambda r: lambda t, x: (x * 9).cast("uint32").lshift(r.randint(0, 4)),
  "rshift": lambda r: lambda t, x: (x * 99).cast("uint32").rshift(r.randint(0, 4)),
  "threefry": lambda r: lambda t, x: (x * 99).cast("uint64").threefry((x[0] * 7).cast("uint64")),
  "uprod": lambda r: lambda t, x: x.uprod(x, x),
  # Without gradients: tinygrad's pass through whole numbers.
  "casts": lambda r: lambda t, x: getattr(x.detach() * 9, r.choice(["bfloat16", "double", "long", "short", "int",
    "bool"]))().float(),
  "clip": lambda r: lambda t, x: x.clip(0.3, 0.6),
  "clone": lambda r: lambda t, x: r.choice([x.clone, x.contiguous, x.detach, x.contiguous_backward, x.callify,
    x.dropout])(),
  "const_like": lambda r: lambda t, x: x.const_like(2) + r.choice([x.zeros_like(), x.ones_like()]),
  "filled": lambda r: lambda t, x: r.choice([t.Tensor.zeros(3, 4), t.Tensor.ones(3, 4), t.Tensor.full((3, 4), 2.5)]) + x,
  "view": lambda r: lambda t, x: x.view(r.choice([(2, 6), (-1,)])),
  "sequential": lambda r: lambda t, x: x.sequential([lambda y: y.exp(), lambda y: y.sum(0)]),
  "call": lambda r: lambda t, x: t.Tensor([float(x.numel()), x.ndim, x.nbytes(), x.element_size(), x.max_numel(),
    *x.max_shape]),
  "item": lambda r: lambda t, x: t.Tensor([x.sum().item(), x[0, 1].item()]),
  "replace": lambda r: lambda t, x: x.clone().realize().replace(x * 2) + x,
  "assign": lambda r: lambda t, x: x.detach().clone().realize().assign(x.detach() * 2) + 1,
  "backward": lambda r: lambda t, x: gradient_by_backward(t, x),
  "image_dot": lambda r: lambda t, x: x.image_dot(x.T),
  "image_conv2d": lambda r: lambda t, x: x.reshape(1, 1, 3, 4).image_conv2d(x[:2, :2].reshape(1, 1, 2, 2)),
  "max_unpool2d": lambda r: lambda t, x: (lambda y, i: y.max_unpool2d(i))(
    *x.reshape(1, 1, 3, 4)[:, :, :2].max_pool2d(2, return_indices=True)),
  # Of random numbers, shapes and dtypes.
  "random": lambda r: lambda t, x: getattr(t.Tensor, r.choice(["rand", "randn", "uniform", "normal", "scaled_uniform",
    "glorot_uniform", "kaiming_uniform", "kaiming_normal"]))(3, 4).detach() * 0,
  "random_like": lambda r: lambda t, x: getattr(x, r.choice(["rand_like", "randn_like"]))().detach() * 0,
  "randint": lambda r: lambda t, x: t.Tensor.randint(3, 4, low=2, high=3),
  # Of decompositions and draws, what makes them right.
  # tinygrad's factors now and then do not multiply to x; those of this package do (test_properties.py).
  "svd": lambda r: lambda t, x: singular_values(r.choice([x, x.T]).detach(), r.choice([True, False])),
  "randperm": lambda r: lambda t, x: permutation_facts(t.Tensor.randperm(r.randint(1, 40))),
  "multinomial": lambda r: lambda t, x: draw_facts(x[0].detach(), r.choice([True, False]), 1000),
}


def singular_values(x, full):
  """The values; shapes and dtypes of the factors."""
  U, S, Vt = x.svd(full_matrices=full)
  return S, U.zeros_like(), Vt.zeros_like()


def gradient_by_backward(t, x):
  """What backward leaves in a leaf."""
  leaf = t.Tensor(x.tolist()).is_param_()
  (leaf * leaf).sum().backward()
  return leaf.grad


def programs(name, r):
  """A function of (package, x) whose random choices are made already; floats or whole numbers; gradient or not."""
  if name in UNARY:
    return lambda t, x: getattr(x, name)()
  if name in MOVES:
    state = r.getstate()

    def same_choices(t, x):
      r.setstate(state)
      return MOVES[name](r)(t, x)
    return same_choices
  kind, function = name.split(":")
  # tinygrad's logsumexp cannot drop several axes that are named.
  several = [] if function == "logsumexp" else [(0, 1)]
  axis, keep, row = r.choice([None, 0, 1, *several]), r.choice([True, False]), r.choice([0, 1, -1])
  return {
    "binary": lambda t, x: getattr(x, function)(x[:, :1] + 0.5),
    "whole": lambda t, x: getattr((x * 9).cast("int32"), function)((x[0] * 5).cast("int32") + 1),
    "reduce": lambda t, x: getattr(x, function)(axis, keepdim=keep),
    "rows": lambda t, x: getattr(x, function)(row),
  }[kind]


NAMES = os.environ.get("TG_AGREEMENT_NAMES", "").split() or (
  UNARY + list(MOVES) + [f"binary:{n}" for n in BINARY] + [f"whole:{n}" for n in WHOLE] +
  [f"reduce:{n}" for n in REDUCE] + [f"rows:{n}" for n in ROWS])


def observed(package, program, data):
  """(values, dtypes, gradient) of a program in a package; instead of a gradient the error that it gave."""
  x = package.Tensor(data)
  result = program(package, x)
  results = result if isinstance(result, tuple) else (result,)
  values = [np.array(y.tolist()) for y in results]
  gradient = None
  first = results[0]
  if str(first.dtype).split(".")[-1] in ("float", "float32"):
    try:
      x = package.Tensor(data)
      result = program(package, x)
      first = result[0] if isinstance(result, tuple) else result
      gradient = np.array(first.square().sum().gradient(x)[0].tolist())
    except Exception as error:  # perhaps a function without gradient
      gradient = error
  return values, [kind(y) for y in results], gradient


def kind(tensor):
  """Size and sort of the elements; tinygrad's weak dtypes are those that they become in storage."""
  size = {"weakint": 4, "weakfloat": 4}.get(tensor.dtype.name, tensor.dtype.itemsize)
  return size, tensor.is_floating_point()


def share_of(names, share):
  """The names of a share k/n; that of today/n is another one every day."""
  first, count = share.split("/")
  k, n = (int(time.time() // 86400) % int(count) + 1 if first == "today" else int(first)), int(count)
  if n > 1:
    print(f"  names of the share {k}/{n}: TG_AGREEMENT_SHARE={k}/{n} repeats it")
  return names[k - 1::n]


@unittest.skipIf(MISSING, MISSING)
class Agreement(unittest.TestCase):
  def test_programs(self):
    differences = []
    for name in share_of(NAMES, os.environ.get("TG_AGREEMENT_SHARE", "1/1")):
      r = random.Random(f"{SEED} {name}")  # a name's programs do not depend on the others
      for _ in range(ROUNDS):
        data = [[r.uniform(0.05, 0.95) for _ in range(4)] for _ in range(3)]
        program = programs(name, r)
        try:
          ours, theirs = (observed(p, program, data) for p in (tinygrad_cpp, tinygrad))
          problem = self.difference(ours, theirs)
        except Exception as error:
          problem = f"{type(error).__module__}.{type(error).__name__}: {error}"
        if problem:
          differences.append(f"{name}: {problem}")
    self.assertEqual(differences, [], f"SEED={SEED}")

  def difference(self, ours, theirs):
    for a, b in zip(ours[0], theirs[0], strict=True):
      if a.shape != b.shape:
        return f"shapes {a.shape} and {b.shape}"
      # tinygrad leaves out the rounding of half().float(), hence half a unit of float16.
      if not np.allclose(a, b, rtol=6e-4, atol=2e-5, equal_nan=True):
        return f"values {a.ravel()[:4]} and {b.ravel()[:4]}"
    if ours[1] != theirs[1]:
      return f"dtypes {ours[1]} and {theirs[1]}"
    return self.gradient_difference(ours[2], theirs[2])

  def gradient_difference(self, ours, theirs):
    if theirs is None or isinstance(theirs, Exception):  # what tinygrad cannot differentiate is not compared
      return ""
    if ours is None or isinstance(ours, Exception):
      return f"no gradient ({ours!r}), and {theirs.ravel()[:4]}"
    if ours.shape != theirs.shape or not np.allclose(ours, theirs, rtol=1e-3, atol=1e-4, equal_nan=True):
      return f"gradients {ours.ravel()[:4]} and {theirs.ravel()[:4]}"
    return ""


if __name__ == "__main__":
  unittest.main()
