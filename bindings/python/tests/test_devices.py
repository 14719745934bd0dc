"""Where results live: on the device of the operands, whatever the default device is. The default one
here is NULL, which computes nothing, so that a value made on it would be wrong."""
import unittest

from tinygrad_cpp import Context, Device, DeviceError, Tensor, TinyJit, dtypes, nn
from tinygrad_cpp.helpers import DEV
from tinygrad_cpp.llm.gguf import ggml_data_to_tensor

AWAY = "INTERP"


def here(*shape, seed=0):
  """Numbers between 0 and 1 on the device that is not the default one."""
  count = 1
  for n in shape:
    count *= n
  numbers = [((i * 7 + seed) % 11 + 1) / 12 for i in range(count)]
  return Tensor(numbers, AWAY, dtypes.float32).reshape(shape)


def ints(*shape):
  return (here(*shape) * 4).cast(dtypes.int32)


def all_tensors(value):
  if isinstance(value, Tensor):
    return [value]
  return [t for v in value for t in all_tensors(v)]


def attention(**options):
  q = here(1, 2, 4, 8)
  return q.scaled_dot_product_attention(q, q, **options)


def set_by(items, value):
  x = here(4, 4).contiguous()
  x[items] = value
  return x


def assigned(value):
  x = here(3).contiguous()
  return x.assign(value)


PROGRAMS = {
  "unfold": lambda: here(2, 9).unfold(1, 3, 2),
  "interpolate": lambda: [here(1, 1, 4, 5).interpolate((6, 7), mode=m) for m in ("linear", "nearest", "nearest-exact")],
  "sort": lambda: here(3, 5).sort(descending=True),
  "topk": lambda: here(3, 5).topk(2),
  "argsort": lambda: here(7).argsort(),
  "multinomial": lambda: [here(2, 5).multinomial(3), here(5).multinomial(2, replacement=True)],
  "one_hot": lambda: ints(4).one_hot(5),
  "tril": lambda: [here(4, 4).tril(), here(4, 4).triu(1)],
  "masked_select": lambda: here(4, 4).masked_select(here(4, 4) > 0.4),
  "nonzero": lambda: [(here(4, 4) > 0.4).nonzero(), here().nonzero()],
  "attention": lambda: [attention(), attention(is_causal=True)],
  "roll and cat": lambda: [here(3, 5).roll(1, 1).cat(here(3, 2), dim=1)[1:, 2].softmax()],
  "max_pool2d": lambda: here(1, 1, 6, 6).max_pool2d(return_indices=True),
  "max_unpool2d": lambda: here(1, 1, 6, 6).max_pool2d()
                  .max_unpool2d(here(1, 1, 6, 6).max_pool2d(return_indices=True)[1]),
  "scatter_reduce": lambda: here(4, 4).scatter_reduce(0, ints(4, 4), here(4, 4), "amax"),
  "scatter of a number": lambda: here(4, 4).scatter(0, ints(4, 4), 2.0),
  "masks": lambda: [here(4, 4)[here(4, 4) > 0.4], set_by(Tensor([True, False, True, False], AWAY), 1.0)],
  "grid_sample": lambda: [here(1, 2, 3, 3).grid_sample(here(1, 2, 2, 2)), here(1, 2, 3).affine_grid((2, 3))],
  "cholesky": lambda: (here(3, 3) @ here(3, 3).T + Tensor.eye(3, device=AWAY)).cholesky(),
  "solve_triangular": lambda: (here(3, 3) + Tensor.eye(3, device=AWAY)).solve_triangular(here(3, 2)),
  "fft": lambda: [here(6, 2).fft(), here(67, 2).ifft(), here(2, 8).rfft(), here(5, 2).irfft()],
  "qr": lambda: here(3, 3).qr(),
  "svd": lambda: here(4, 3).svd()[1],
  "keccak": lambda: Tensor([1, 2, 3, 4], AWAY, dtypes.uint8).keccak(),
  "hash": lambda: here(8).hash(),
  "index by a list": lambda: [here(4, 4)[[0, 2]], here(4, 4)[:, [1, 3]], here(4, 4)[[0, 1], [2, 3]]],
  "set by a list": lambda: [set_by([0, 2], 1.0), set_by(slice(1, 3), [[1.0] * 4, [2.0] * 4])],
  "assign a list": lambda: assigned([1.0, 2.0, 3.0]),
  "a list as operand": lambda: here(3).add([1.0, 2.0, 3.0]),
  "likes": lambda: [here(3).zeros_like(), here(3).full_like(4), here(3).const_like(5), here(3).ones_like(dtype=dtypes.int32)],
  "creation": lambda: [Tensor.arange(5, device=AWAY), Tensor.eye(3, device=AWAY), Tensor(3.0, AWAY),
                       Tensor.full((2,), 1, device=AWAY, buffer=False), Tensor.arange(3).to(AWAY)],
  "random bits": lambda: Tensor.random_bits(Tensor([1, 2], AWAY, dtypes.uint32), Tensor([3, 4], AWAY, dtypes.uint32), 6),
  "ggml": lambda: [ggml_data_to_tensor(Tensor(list(range(18)), AWAY, dtypes.uint8), 32, kind) for kind in (2, 20)],
  "losses": lambda: [here(4, 5).cross_entropy(ints(4)), here(4, 5).sparse_categorical_crossentropy(ints(4), label_smoothing=0.1),
                     here(4).binary_crossentropy(here(4))],
  "cumulative": lambda: [here(2, 600).cumsum(1), here(5).cummax(0)[1], here(5).logcumsumexp(0)],
  "pad": lambda: here(1, 1, 4, 4).pad((1, 1, 1, 1), mode="reflect"),
  "meshgrid": lambda: here(3).meshgrid(here(2)),
  "diag": lambda: here(3).diag(),
  "dropout": lambda: here(4, 4).dropout(0.5),
  "newton_schulz": lambda: here(3, 3).newton_schulz(2, (3.0, -3.0, 1.0)),
  "repeat_interleave": lambda: here(3, 2).repeat_interleave(2, 0),
  "random": lambda: [Tensor.rand(3, device=AWAY), Tensor.randperm(5, device=AWAY), Tensor.linspace(0, 1, 5, device=AWAY)],
  "LSTMCell": lambda: cell()(here(2, 5)),
  "GRU": lambda: away(nn.GRU(5, 3, num_layers=2))(here(4, 2, 5)),
  "TransformerDecoderLayer": lambda: away(nn.TransformerDecoderLayer(4, 2, 5, is_causal=True))(
    here(2, 3, 4), here(2, 2, 4), here(3, 3)),
}


def cell():
  made = nn.LSTMCell(5, 3)
  made.weight_ih, made.weight_hh = here(12, 5), here(12, 3)
  made.bias_ih, made.bias_hh = here(12), here(12)
  return made


def away(layer):
  """The layer with parameters there."""
  for t in nn.state.get_parameters(layer):
    t.replace(here(*t.shape).realize())
  return layer


def trained(optimizer):
  """A layer's weights after two steps."""
  weight = here(4, 3).contiguous().is_param_()
  opt = optimizer([weight])
  with Context(TRAINING=1):
    for _ in range(2):
      opt.zero_grad()
      (here(2, 4) @ weight).square().sum().backward()
      opt.step()
  return weight


PROGRAMS |= {
  "SGD": lambda: trained(lambda p: nn.optim.SGD(p, lr=0.1, momentum=0.9)),
  "AdamW": lambda: trained(lambda p: nn.optim.AdamW(p, lr=0.1)),
  "Adam": lambda: trained(nn.optim.Adam),
  "LARS": lambda: trained(nn.optim.LARS),
  "LAMB": lambda: trained(nn.optim.LAMB),
  "Muon": lambda: trained(nn.optim.Muon),
}


class Results(unittest.TestCase):
  def test_live_where_the_operands_live(self):
    for name, program in PROGRAMS.items():
      with self.subTest(name):
        with Context(DEV=AWAY):
          Tensor.manual_seed(3)
          wanted = [t.tolist() for t in all_tensors(program())]
        with Context(DEV="NULL"):
          Tensor.manual_seed(3)
          results = all_tensors(program())
          self.assertEqual([t.device for t in results], [AWAY] * len(results))
          self.assertEqual([t.tolist() for t in results], wanted)

  def test_of_captured_calls_live_there_too(self):
    with Context(DEV="NULL"):
      f = TinyJit(lambda x, c: (x * c).roll(1).realize())
      for i in range(4):
        y = f(here(5), Tensor(2.0 + i))
        self.assertEqual((y.device, y.tolist()), (AWAY, (here(5) * (2.0 + i)).roll(1).tolist()))


class Mixing(unittest.TestCase):
  def test_names_both_devices(self):
    x, y = here(4, 4), Tensor.ones(4, 4).contiguous()
    for f in (lambda: x + y, lambda: x @ y, lambda: x.cat(y), lambda: x.gather(0, y.cast(dtypes.int32)),
              lambda: x.scatter(0, ints(4, 4), y), lambda: (x > 0).where(x, y), lambda: x.assign(y),
              lambda: x[y[0].cast(dtypes.int32)], lambda: x.cross_entropy(y[0].cast(dtypes.int32)),
              lambda: x.masked_select(y > 0), lambda: set_by(slice(0, 4), y)):
      with self.assertRaisesRegex(DeviceError, f"(?=.*{AWAY})(?=.*{Device.DEFAULT}).*to\\("):
        f()

  def test_ends_by_moving_to_the_default_device(self):
    self.assertEqual(here(2).to(None).device, Device.DEFAULT)
    with Context(DEV=AWAY):
      self.assertEqual(Tensor([1.0, 2.0], Device.canonicalize("CPU")).to(None).device, AWAY)

  def test_optimizers_refuse_it(self):
    w = [Tensor.ones(2).contiguous().is_param_(), here(2).contiguous().is_param_()]
    with self.assertRaisesRegex(ValueError, "different devices"):
      nn.optim.SGD(w)


class Names(unittest.TestCase):
  def test_settings_stay(self):
    self.assertEqual(Device.canonicalize("CPU:LLVM:generic"), "CPU:LLVM:generic")
    self.assertEqual(Device.canonicalize("cuda:1"), "CUDA:1")
    self.assertEqual(Device.canonicalize("clang:0"), "CPU")

  def test_have_parts(self):
    with Context(DEV="cpu:LLVM:x86-64-v3"):
      self.assertEqual((DEV.device, DEV.renderer, DEV.arch), ("CPU", "LLVM", "x86-64-v3"))
    with Context(DEV=AWAY):
      self.assertEqual((DEV.device, DEV.renderer, DEV.arch, DEV.interface), (AWAY, "", "", ""))
      self.assertEqual(Tensor([1]).device, AWAY)
    self.assertEqual((DEV.value, Tensor([1]).device), (Device.DEFAULT, Device.DEFAULT))


if __name__ == "__main__":
  unittest.main()
