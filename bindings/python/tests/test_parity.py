"""Every name of tinygrad's Tensor that the parity page lists as working is called here, and those
that it lists as missing say so. The expected values are written out or computed by Python."""
import math
import pathlib
import re
import tempfile
import unittest

from tinygrad_cpp import Tensor, Variable, dtypes

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "reference" / "python-parity.md"
T = Tensor


def m():
  return T([[1.0, 2.0], [3.0, 4.0]])


def unary(name, function, values=(0.25, 0.5, 0.75)):
  return lambda: (getattr(T(list(values)), name)(), [function(v) for v in values])


def sigmoid(x):
  return 1 / (1 + math.exp(-x))


def softmax(values):
  e = [math.exp(v) for v in values]
  return [v / sum(e) for v in e]


def moved(action):
  """What a function that works in place leaves."""
  x = T([1.0, 2.0])
  action(x)
  return x


def grad_of():
  x = T([2.0, 3.0])
  (x * x).sum().backward()
  return x.grad


def replaced():
  x = T([1, 2])
  x.replace(T([3, 4]))
  return x


def from_file():
  with tempfile.NamedTemporaryFile(suffix=".bin") as file:
    file.write(b"\x01\x02")
    file.flush()
    return T.from_url(file.name).tolist()


def orthogonal(x):
  """Whether the columns are orthogonal and of length 1."""
  unit = x.transpose(-2, -1) @ x
  return bool((unit - T.eye(unit.shape[-1])).abs().max().item() < 1e-4)


def decomposed(name):
  x = T([[2.0, 1.0], [1.0, 3.0], [0.0, 1.0]])
  if name == "qr":
    Q, R = x.qr()
    return orthogonal(Q) and (Q @ R).allclose(x, atol=1e-4).item()
  U, S, V = x.svd()
  return orthogonal(U) and ((U[:, :2] * S) @ V).allclose(x, atol=1e-4).item()


def kernels_of(linear):
  return [call.src[0].op == "sink" for call in linear.src]


def doubled():
  def kernel(out, x):
    i = Variable.range(2, 0)
    return out[i].store(x[i] * 2).end(i).sink()
  return T.empty(2, dtype=dtypes.int32).custom_kernel(T([1, 2]), fxn=kernel)[0]


SHAPES = {name: (lambda name=name: getattr(T, name)(3, 2)) for name in (
  "rand", "randn", "uniform", "normal", "scaled_uniform", "glorot_uniform", "kaiming_uniform",
  "kaiming_normal", "empty", "invalids")}
LOG_HALF = math.log(2)

# name → () → (result, expected value); a result may be a tensor, a tuple of them, or plain.
CASES = {
  "shape": lambda: (m().shape, (2, 2)), "dtype": lambda: (m().dtype, dtypes.float32),
  "device": lambda: (isinstance(m().device, str), True), "ndim": lambda: (m().ndim, 2),
  "T": lambda: (m().T, [[1, 3], [2, 4]]), "max_shape": lambda: (m().max_shape, (2, 2)),
  "uop": lambda: (((m() + 1).uop.op, (m() + 1).uop.shape), ("add", (2, 2))),
  "schedule_linear": lambda: (kernels_of((m() + 1).schedule_linear()), [True]),
  "linear_with_vars": lambda: (kernels_of((m() * T(Variable("n", 1, 4).bind(3))).linear_with_vars()[0]), [True]),
  "custom_kernel": lambda: (doubled(), [2, 4]),
  "grad": lambda: (grad_of(), [4, 6]), "is_param": lambda: (m().is_param, True),
  "is_param_": lambda: (m().is_param_(False).is_param, False),
  "numel": lambda: (m().numel(), 4), "max_numel": lambda: (m().max_numel(), 4),
  "size": lambda: ((m().size(), m().size(1)), ((2, 2), 2)),
  "element_size": lambda: (m().element_size(), 4), "nbytes": lambda: (m().nbytes(), 16),
  "is_floating_point": lambda: (m().is_floating_point(), True),
  "empty_like": lambda: (m().empty_like().shape, (2, 2)),
  "full": lambda: (T.full((2,), 7), [7, 7]), "full_like": lambda: (T([1, 2]).full_like(5), [5, 5]),
  "zeros": lambda: (T.zeros(2), [0, 0]), "zeros_like": lambda: (T([1]).zeros_like(), [0]),
  "ones": lambda: (T.ones(2), [1, 1]), "ones_like": lambda: (T([5]).ones_like(), [1]),
  "arange": lambda: (T.arange(1, 8, 3), [1, 4, 7]),
  "linspace": lambda: (T.linspace(0, 1, 3), [0, 0.5, 1]),
  "eye": lambda: (T.eye(2), [[1, 0], [0, 1]]), "const": lambda: (T.const(3).item(), 3),
  "const_like": lambda: (T([1, 2]).const_like(4), [4, 4]),
  "from_blob": lambda: (blob(), [5, 6]), "from_url": lambda: (from_file(), [1, 2]),
  "meshgrid": lambda: (T([1, 2]).meshgrid(T([3, 4])), [[[1, 1], [2, 2]], [[3, 4], [3, 4]]]),
  "one_hot": lambda: (T([1, 0]).one_hot(2), [[0, 1], [1, 0]]),
  "manual_seed": lambda: seeded(),
  "random_bits": lambda: (bits(), (3, True)),
  "rand_like": lambda: (m().rand_like().shape, (2, 2)),
  "randn_like": lambda: (m().randn_like().shape, (2, 2)),
  "randint": lambda: (T.randint(4, low=3, high=4), [3] * 4),
  "randperm": lambda: (sorted(T.randperm(5).tolist()), [0, 1, 2, 3, 4]),
  "multinomial": lambda: (T([0.0, 1.0]).multinomial(3, replacement=True), [1, 1, 1]),
  "dropout": lambda: (T([1.0]).dropout(0.5), [1]),
  "reshape": lambda: (m().reshape(4), [1, 2, 3, 4]), "view": lambda: (m().view(-1), [1, 2, 3, 4]),
  "expand": lambda: (T([[1], [2]]).expand(2, 2), [[1, 1], [2, 2]]),
  "permute": lambda: (m().permute(1, 0), [[1, 3], [2, 4]]),
  "transpose": lambda: (m().transpose(), [[1, 3], [2, 4]]),
  "flip": lambda: (T([1, 2]).flip(0), [2, 1]),
  "shrink": lambda: (m().shrink((None, (1, 2))), [[2], [4]]),
  "shrink_to": lambda: (m().shrink_to(1, 2), [[1, 2]]),
  "pad": lambda: (T([1, 2]).pad((1, 0)), [0, 1, 2]),
  "pad_to": lambda: (T([1, 2]).pad_to(3), [1, 2, 0]),
  "squeeze": lambda: (T([[1]]).squeeze(), 1), "unsqueeze": lambda: (T([1]).unsqueeze(0), [[1]]),
  "flatten": lambda: (m().flatten(), [1, 2, 3, 4]),
  "unflatten": lambda: (T([1, 2]).unflatten(0, (1, 2)), [[1, 2]]),
  "rearrange": lambda: (m().rearrange("a b -> (b a)"), [1, 3, 2, 4]),
  "stack": lambda: (T([1]).stack(T([2])), [[1], [2]]), "cat": lambda: (T([1]).cat(T([2])), [1, 2]),
  "split": lambda: (T([1, 2, 3]).split([1, 2]), [[1], [2, 3]]),
  "chunk": lambda: (tuple(T([1, 2, 3]).chunk(2)), [[1, 2], [3]]),
  "repeat": lambda: (T([1, 2]).repeat(2), [1, 2, 1, 2]),
  "repeat_interleave": lambda: (T([1, 2]).repeat_interleave(2), [1, 1, 2, 2]),
  "unfold": lambda: (T([1, 2, 3]).unfold(0, 2, 1), [[1, 2], [2, 3]]),
  "roll": lambda: (T([1, 2, 3]).roll(1), [3, 1, 2]),
  "diag": lambda: (T([1, 2]).diag(), [[1, 0], [0, 2]]),
  "diagonal": lambda: (T([[1, 2, 3], [4, 5, 6]]).diagonal(1), [2, 6]),
  "triu": lambda: (m().triu(), [[1, 2], [0, 4]]), "tril": lambda: (m().tril(), [[1, 0], [3, 4]]),
  "neg": lambda: (T([1]).neg(), [-1]), "logical_not": lambda: (T([0, 2]).logical_not(), [True, False]),
  "bitwise_not": lambda: (T([0]).bitwise_not(), [-1]),
  "reciprocal": unary("reciprocal", lambda x: 1 / x), "sqrt": unary("sqrt", math.sqrt),
  "rsqrt": unary("rsqrt", lambda x: x ** -0.5), "square": unary("square", lambda x: x * x),
  "exp": unary("exp", math.exp), "exp2": unary("exp2", lambda x: 2 ** x),
  "log": unary("log", math.log), "log2": unary("log2", math.log2), "log10": unary("log10", math.log10),
  "abs": lambda: (T([-1, 2]).abs(), [1, 2]), "sign": lambda: (T([-3, 0, 2]).sign(), [-1, 0, 1]),
  "trunc": lambda: (T([-1.5, 1.5]).trunc(), [-1, 1]), "ceil": lambda: (T([1.2]).ceil(), [2]),
  "floor": lambda: (T([1.8]).floor(), [1]), "round": lambda: (T([0.5, 1.5]).round(), [0, 2]),
  "isnan": lambda: (T([math.nan, 1]).isnan(), [True, False]),
  "isinf": lambda: (T([math.inf, 1]).isinf(), [True, False]),
  "isfinite": lambda: (T([math.inf, 1]).isfinite(), [False, True]),
  "clamp": lambda: (T([1, 5, 9]).clamp(2, 6), [2, 5, 6]),
  "clip": lambda: (T([1, 5, 9]).clip(max_=6), [1, 5, 6]),
  "relu": lambda: (T([-1, 2]).relu(), [0, 2]), "relu6": lambda: (T([9.0]).relu6(), [6]),
  "leaky_relu": lambda: (T([-1.0]).leaky_relu(), [-0.01]),
  "elu": unary("elu", lambda x: math.exp(x) - 1, (-1.0,)),
  "celu": unary("celu", lambda x: math.exp(x) - 1, (-1.0,)),
  "selu": unary("selu", lambda x: 1.0507 * x), "gelu": lambda: (T([1.0]).gelu("none"), [0.841345]),
  "quick_gelu": unary("quick_gelu", lambda x: x * sigmoid(1.702 * x)),
  "sigmoid": unary("sigmoid", sigmoid), "logsigmoid": unary("logsigmoid", lambda x: math.log(sigmoid(x))),
  "hardsigmoid": unary("hardsigmoid", lambda x: x / 6 + 0.5),
  "hardswish": unary("hardswish", lambda x: x * (x + 3) / 6),
  "hardtanh": lambda: (T([-2.0, 0.5]).hardtanh(), [-1, 0.5]),
  "swish": unary("swish", lambda x: x * sigmoid(x)), "silu": unary("silu", lambda x: x * sigmoid(x)),
  "mish": unary("mish", lambda x: x * math.tanh(math.log1p(math.exp(x)))),
  "softplus": unary("softplus", lambda x: math.log1p(math.exp(x))),
  "softsign": unary("softsign", lambda x: x / (1 + abs(x))),
  "add": lambda: (T([1]).add(2), [3]), "sub": lambda: (T([1]).sub(3, True), [2]),
  "mul": lambda: (T([2]).mul(3), [6]), "div": lambda: (T([-7]).div(2, rounding_mode="trunc"), [-3]),
  "mod": lambda: (T([-7]).mod(3), [2]), "fmod": lambda: (T([-7]).fmod(3), [-1]),
  "pow": lambda: (T([2.0]).pow(3), [8]), "maximum": lambda: (T([1, 5]).maximum(3), [3, 5]),
  "minimum": lambda: (T([1, 5]).minimum(3), [1, 3]), "eq": lambda: (T([1, 2]).eq(2), [False, True]),
  "ne": lambda: (T([1, 2]).ne(2), [True, False]), "bitwise_and": lambda: (T([6]).bitwise_and(3), [2]),
  "bitwise_or": lambda: (T([6]).bitwise_or(3), [7]), "bitwise_xor": lambda: (T([6]).bitwise_xor(3), [5]),
  "lshift": lambda: (T([1]).lshift(3), [8]), "rshift": lambda: (T([8]).rshift(2), [2]),
  "copysign": lambda: (T([1.0]).copysign(-2.0), [-1]),
  "logaddexp": lambda: (T([0.0]).logaddexp(T([0.0])), [LOG_HALF]),
  "isclose": lambda: (T([1.0]).isclose(T([1.0])), [True]),
  "where": lambda: (T([True, False]).where(1, 2), [1, 2]),
  "masked_fill": lambda: (T([1, 2]).masked_fill(T([True, False]), 9), [9, 2]),
  "lerp": lambda: (T([0.0]).lerp(T([10.0]), 0.5), [5]),
  "threefry": lambda: (T([0], dtype=dtypes.uint64).threefry(T([0], dtype=dtypes.uint64)).dtype, dtypes.uint64),
  "ufix": lambda: (T([1.0]).ufix(2).dtype, dtypes.float32), "usum": lambda: (T([1]).usum(T([2]), 3), [6]),
  "uprod": lambda: (T([2]).uprod(T([3]), 4), [24]), "alu": lambda: (T([2]).alu("MUL", T([3])), [6]),
  "sum": lambda: (m().sum(0), [4, 6]), "prod": lambda: (m().prod(1), [2, 12]), "max": lambda: (m().max(), 4),
  "min": lambda: (m().min(1), [1, 3]), "any": lambda: (T([0, 1]).any(), True), "all": lambda: (T([0, 1]).all(), False),
  "mean": lambda: (m().mean(0), [2, 3]), "var": lambda: (T([1.0, 3.0]).var(), 2),
  "var_mean": lambda: (T([1.0, 3.0]).var_mean(), [2, 2]), "std": lambda: (T([1.0, 3.0]).std(), math.sqrt(2)),
  "std_mean": lambda: (T([1.0, 3.0]).std_mean(correction=0), [1, 2]),
  "allclose": lambda: (m().allclose(m()), True), "normalize": lambda: (T([[3.0, 4.0]]).normalize(), [[0.6, 0.8]]),
  "logsumexp": lambda: (T([0.0, 0.0]).logsumexp(), LOG_HALF),
  "softmax": lambda: (T([1.0, 2.0]).softmax(), softmax([1, 2])),
  "log_softmax": lambda: (T([0.0, 0.0]).log_softmax(), [-LOG_HALF] * 2),
  "softmin": lambda: (T([1.0, 2.0]).softmin(), softmax([-1, -2])),
  "argmax": lambda: (T([1, 9, 9]).argmax(), 1), "argmin": lambda: (T([4, 0, 9]).argmin(), 1),
  "cumsum": lambda: (T([1, 2, 3]).cumsum(), [1, 3, 6]), "cumprod": lambda: (T([1, 2, 3]).cumprod(0), [1, 2, 6]),
  "cummax": lambda: (T([1, 3, 2]).cummax(), [[1, 3, 3], [0, 1, 1]]),
  "cummin": lambda: (T([3, 1, 2]).cummin(), [[3, 1, 1], [0, 1, 1]]),
  "logcumsumexp": lambda: (T([0.0, 0.0]).logcumsumexp(), [0, LOG_HALF]),
  "dot": lambda: (T([1, 2]).dot(T([3, 4])), 11), "matmul": lambda: (m().matmul(T.eye(2)), [[1, 2], [3, 4]]),
  "linear": lambda: (T([1.0, 2.0]).linear(m(), T([1.0, 1.0])), [8, 11]),
  "einsum": lambda: (T.einsum("ij,j->i", m(), T([1.0, 10.0])), [21, 43]),
  "conv2d": lambda: (T.ones(1, 1, 2, 2).conv2d(T.ones(1, 1, 2, 2)), [[[[4]]]]),
  "conv_transpose2d": lambda: (T([[[1.0, 2.0]]]).conv_transpose2d(T.ones(1, 1, 2)), [[[1, 3, 2]]]),
  "avg_pool2d": lambda: (m().avg_pool2d(), [[2.5]]), "max_pool2d": lambda: (m().max_pool2d(), [[4]]),
  "max_unpool2d": lambda: (unpooled(), [[[[0, 0], [0, 4]]]]),
  "image_dot": lambda: (T([1, 2]).image_dot(T([3, 4])), 11),
  "image_conv2d": lambda: (T.ones(1, 1, 2, 2).image_conv2d(T.ones(1, 1, 2, 2)), [[[[4]]]]),
  "qr": lambda: (decomposed("qr"), True), "svd": lambda: (decomposed("svd"), True),
  "newton_schulz": lambda: (m().newton_schulz(2, (2.0, -1.5, 0.5)).shape, (2, 2)),
  "keccak": lambda: (digest("sha3_256"), True), "hash": lambda: (T([1, 2]).hash().shape, (16,)),
  "gather": lambda: (m().gather(1, T([[1], [0]])), [[2], [3]]),
  "scatter": lambda: (T([1, 2, 3]).scatter(0, T([2, 0]), T([7, 8])), [8, 2, 7]),
  "scatter_reduce": lambda: (T([1, 2, 3]).scatter_reduce(0, T([0, 0]), T([7, 8]), "amax"), [8, 2, 3]),
  "masked_select": lambda: (T([5, 6, 7]).masked_select(T([True, False, True])), [5, 7]),
  "nonzero": lambda: (T([[0, 1], [2, 0]]).nonzero(), [[0, 1], [1, 0]]),
  "sort": lambda: (T([3, 1, 2, 1]).sort(), [[1, 1, 2, 3], [1, 3, 2, 0]]),
  "argsort": lambda: (T([3, 1, 2]).argsort(descending=True), [0, 2, 1]),
  "topk": lambda: (T([3, 1, 2]).topk(2), [[3, 2], [0, 2]]),
  "interpolate": lambda: (T([[[1.0, 3.0]]]).interpolate((4,)), [[[1, 1.5, 2.5, 3]]]),
  "sequential": lambda: (T([-1]).sequential([Tensor.relu, Tensor.neg]), [0]),
  "layernorm": lambda: (T([1.0, 3.0]).layernorm(eps=0), [-1, 1]),
  "batchnorm": lambda: (T([[1.0], [3.0]]).batchnorm(None, None, T([2.0]), T([1.0])), [[-1], [1]]),
  "scaled_dot_product_attention": lambda: (m().scaled_dot_product_attention(m(), m(), is_causal=True)[0], [1, 2]),
  "binary_crossentropy": lambda: (T([0.5]).binary_crossentropy(T([1.0])), LOG_HALF),
  "binary_crossentropy_logits": lambda: (T([0.0]).binary_crossentropy_logits(T([1.0]), pos_weight=T([2.0])), 2 * LOG_HALF),
  "sparse_categorical_crossentropy": lambda: (T([[0.0, 0.0]]).sparse_categorical_crossentropy(T([1])), LOG_HALF),
  "cross_entropy": lambda: (T([[0.0, 0.0]]).cross_entropy(T([1])), LOG_HALF),
  "nll_loss": lambda: (T([[-1.0, -2.0]]).nll_loss(T([1])), 2),
  "cast": lambda: (T([1.7]).cast("int32"), [1]), "bitcast": lambda: (T([1.0]).bitcast(dtypes.uint8), [0, 0, 128, 63]),
  "to": lambda: (m().to(m().device), [[1, 2], [3, 4]]), "to_": lambda: (moved(lambda x: x.to_(x.device)), [1, 2]),
  "shard": lambda: (m().shard((m().device,)), [[1, 2], [3, 4]]),
  "shard_": lambda: (moved(lambda x: x.shard_((x.device,))), [1, 2]),
  "shard_like": lambda: (m().shard_like(m()), [[1, 2], [3, 4]]),
  "realize": lambda: ((m() + 1).realize().is_realized, True), "callify": lambda: (T([1]).callify(), [1]),
  "contiguous": lambda: (m().T.contiguous(), [[1, 3], [2, 4]]),
  "contiguous_backward": lambda: (T([1.0]).contiguous_backward(), [1]), "clone": lambda: (T([1]).clone(), [1]),
  "replace": lambda: (replaced(), [3, 4]), "assign": lambda: (moved(lambda x: x.assign(T([5.0, 6.0]))), [5, 6]),
  "backward": lambda: (grad_of(), [4, 6]), "gradient": lambda: (cubed(), [27]),
  "detach": lambda: (T([1]).detach(), [1]), "call": lambda: (T([2.0]).call(T([3.0]), fxn=lambda a, b: a * b), [6]),
  "data": lambda: (T([[1, 2]]).data().tolist(), [[1, 2]]), "item": lambda: (T(5).item(), 5),
  "tolist": lambda: (T([[1], [2]]).tolist(), [[1], [2]]), "numpy": lambda: (as_array(), [1, 2]),
}
for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "atanh", "erf"):
  CASES[name] = unary(name, getattr(math, name))
CASES["acosh"] = unary("acosh", math.acosh, (1.5, 2.0))
for name, make in SHAPES.items():
  CASES[name] = lambda make=make: (make().shape, (3, 2))
for name, dtype in (("float", "float32"), ("half", "float16"), ("bfloat16", "bfloat16"), ("double", "float64"),
                    ("int", "int32"), ("long", "int64"), ("short", "int16"), ("bool", "bool")):
  CASES[name] = lambda name=name, dtype=dtype: (getattr(T([1.0]), name)().dtype.name, dtype)


def blob():
  import array
  memory = array.array("i", [5, 6])
  return T.from_blob(memory.buffer_info()[0], (2,), dtype=dtypes.int32).tolist()


def bits():
  words = T.random_bits(T([1, 2], dtype=dtypes.uint32), T([0, 0], dtype=dtypes.uint32), 3)
  return words.shape[0], words.tolist() == words.tolist()


def seeded():
  T.manual_seed(3)
  first = T.rand(4).tolist()
  T.manual_seed(3)
  return T.rand(4).tolist(), first


def unpooled():
  values, places = T([[[[1.0, 2.0], [3.0, 4.0]]]]).max_pool2d(return_indices=True)
  return values.max_unpool2d(places)


def digest(variant):
  import hashlib
  return bytes(T(b"abc").keccak(variant).data()) == getattr(hashlib, variant)(b"abc").digest()


def cubed():
  x = T([3.0])
  return x.pow(3).sum().gradient(x)[0]


def as_array():
  try:
    import numpy
  except ImportError:
    raise unittest.SkipTest("NumPy is not installed") from None
  return list(T([1, 2]).numpy().astype(numpy.int32))


def plain(value):
  if isinstance(value, Tensor):
    return value.tolist()
  return [plain(v) for v in value] if isinstance(value, tuple) and value and isinstance(value[0], Tensor) else value


def section(title):
  return re.findall(r"`(\w+)`", PAGE.read_text().split(f"## {title}\n")[1].split("\n## ")[0])


class Parity(unittest.TestCase):
  def assertNear(self, got, expected):
    if isinstance(expected, (list, tuple)):
      self.assertEqual(len(got), len(expected), (got, expected))
      for a, b in zip(got, expected):
        self.assertNear(a, b)
    elif isinstance(expected, float):
      self.assertAlmostEqual(got, expected, delta=2e-5 * max(1, abs(expected)))
    else:
      self.assertEqual(got, expected)

  def test_every_listed_name_has_a_case(self):
    names = section("Functions of the library") + section("Composed in Python")
    self.assertGreaterEqual(len(names), 215)
    self.assertEqual(sorted(set(names) - set(CASES)), [])

  def test_what_is_not_there_says_so(self):
    for line in PAGE.read_text().split("## Not there\n")[1].splitlines():
      if line:
        name = line.split("`")[1]
        with self.subTest(name), self.assertRaisesRegex(NotImplementedError, f"Tensor.{name}"):
          getattr(T([1]), name)()

  def test_a_variable_is_a_size(self):
    n = Variable("n", 1, 4).bind(2)
    self.assertEqual(T([1, 2, 3, 4])[:n].sum().item(), 3)


def case(name):
  def test(self):
    got, expected = CASES[name]()
    self.assertNear(plain(got), expected)
  return test


for name in CASES:
  setattr(Parity, f"test_{name}", case(name))

if __name__ == "__main__":
  unittest.main()
