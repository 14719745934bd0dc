"""Layers, optimisers, state and captured functions of the Python package."""
import math
import tempfile
import unittest

from tinygrad_cpp import Context, Tensor, TinyJit, Variable, dtypes, nn
from tinygrad_cpp.nn.state import get_parameters, get_state_dict, load_state_dict, safe_load, safe_save


class Net:
  def __init__(self):
    self.l1, self.l2 = nn.Linear(4, 16), nn.Linear(16, 1)

  def __call__(self, x):
    return self.l2(self.l1(x).relu())


class Layers(unittest.TestCase):
  def test_shapes(self):
    image, row = Tensor.rand(2, 4, 8, 8), Tensor.rand(2, 6)
    for layer, x, shape in (
        (nn.Linear(6, 3), row, (2, 3)), (nn.Conv2d(4, 8, 3), image, (2, 8, 6, 6)),
        (nn.Conv2d(4, 8, 3, padding="same"), image, (2, 8, 8, 8)), (nn.Conv1d(4, 5, 3), Tensor.rand(2, 4, 9), (2, 5, 7)),
        (nn.ConvTranspose2d(4, 3, 2, stride=2), image, (2, 3, 16, 16)), (nn.BatchNorm(4), image, (2, 4, 8, 8)),
        (nn.GroupNorm(2, 4), image, (2, 4, 8, 8)), (nn.InstanceNorm(4), image, (2, 4, 8, 8)),
        (nn.LayerNorm(6), row, (2, 6)), (nn.LayerNorm2d(4), image, (2, 4, 8, 8)), (nn.RMSNorm(6), row, (2, 6)),
        (nn.Embedding(10, 3), Tensor([[1, 2]]), (1, 2, 3)), (nn.Dropout(), row, (2, 6))):
      self.assertEqual(layer(x).shape, shape, type(layer).__name__)

  def test_batch_norm_moves_its_statistics_while_training(self):
    layer, x = nn.BatchNorm(2), Tensor([[0.0, 2.0], [2.0, 6.0]])
    with Context(TRAINING=1):
      y = layer(x)
      Tensor.realize(y, layer.running_mean, layer.running_var, layer.num_batches_tracked)
    for got, expected in zip(layer.running_mean.tolist(), (0.1, 0.4)):
      self.assertAlmostEqual(got, expected, places=6)
    self.assertEqual(layer.num_batches_tracked.tolist(), [1])
    self.assertAlmostEqual(y.tolist()[1][0], 1.0, places=3)

  def test_lstm(self):
    h, c = nn.LSTMCell(3, 5)(Tensor.rand(2, 3))
    self.assertEqual((h.shape, c.shape), ((2, 5), (2, 5)))

  def filled(self, layer):
    """The layer with the parameters that gave PyTorch's numbers here (tests/unit/nn/torch_models.h)."""
    for k, (_, t) in enumerate(sorted(get_state_dict(layer).items())):
      t.assign(self.numbers(t.shape, k, 1)).realize()
    return layer

  def numbers(self, shape, k, scale=2):
    return Tensor([scale * 0.4 * math.sin(0.37 * (i + 1) + k) for i in range(math.prod(shape))]).reshape(shape)

  def assert_near(self, tensor, expected):
    got = tensor.flatten().tolist()
    self.assertEqual(len(got), len(expected))
    for a, b in zip(got, expected):
      self.assertAlmostEqual(a, b, places=5)

  def test_gru_gives_pytorchs_numbers(self):
    h = self.filled(nn.GRUCell(3, 2))(self.numbers((2, 3), 10), self.numbers((2, 2), 11))
    self.assert_near(h, [-0.6261926, -0.3150953, -0.2891483, -0.004735863])
    out, h = self.filled(nn.GRU(3, 2, num_layers=2))(self.numbers((3, 2, 3), 10), self.numbers((2, 2, 2), 11))
    self.assertEqual((out.shape, h.shape), ((3, 2, 2), (2, 2, 2)))
    self.assert_near(h, [-0.3704198, -0.408214, 0.01867449, -0.2112277, -0.01403273, -0.002309272, -0.01652603,
                         -0.07677997])
    self.assert_near(out[-1], h[1].flatten().tolist())

  def test_lstm_over_steps_gives_pytorchs_numbers(self):
    layer = self.filled(nn.LSTM(3, 2, num_layers=2, batch_first=True))
    out, (h, c) = layer(self.numbers((2, 3, 3), 10))
    self.assertEqual(out.shape, (2, 3, 2))
    self.assert_near(c, [0.2525065, 0.09723316, -0.09464238, -0.2943633, -0.4008811, -0.3951408, -0.2096595,
                         -0.2478508])
    self.assert_near(out[:, -1], h[1].flatten().tolist())
    again, _ = layer(self.numbers((2, 3, 3), 10), (h, c))
    self.assertNotEqual(again.tolist(), out.tolist())

  def test_attention_and_transformer_layers_give_pytorchs_numbers(self):
    x, memory = self.numbers((2, 3, 4), 10), self.numbers((2, 2, 4), 11)
    causal = self.filled(nn.MultiHeadAttention(4, 2, is_causal=True))(x)
    self.assert_near(causal[0, :2], [0.2336632, 0.6376146, 0.1451562, -0.5900229, 0.3460314, 0.5352358, 0.0142223,
                                     -0.5113882])
    masked = self.filled(nn.MultiHeadAttention(4, 2))(x, mask=Tensor.ones(3, 3, dtype=dtypes.bool).tril())
    self.assert_near(masked, causal.flatten().tolist())
    both = self.filled(nn.MultiHeadAttention(4, 2, is_causal=True))(x, mask=Tensor.zeros(3, 3))
    self.assert_near(both, causal.flatten().tolist())
    encoder = self.filled(nn.TransformerEncoderLayer(4, 2, 5, 0.0))
    self.assert_near(encoder(x)[0, 0], [-0.4343845, 0.2733054, 0.8496856, 0.2575571])
    decoder = self.filled(nn.TransformerDecoderLayer(4, 2, 5, 0.0, "gelu", norm_first=True, is_causal=True))
    self.assert_near(decoder(x, memory)[0, 0], [0.03698214, -0.9806724, -1.498874, -1.039165])
    self.assertEqual(nn.MultiHeadAttention(8, 4, kv_heads=2)(Tensor.rand(3, 8)).shape, (3, 8))
    with self.assertRaises(ValueError):
      nn.MultiHeadAttention(6, 4)

  def test_linear_is_its_formula(self):
    layer = nn.Linear(2, 1)
    w, b = layer.weight.tolist()[0], layer.bias.item()
    self.assertAlmostEqual(layer(Tensor([2.0, 3.0])).item(), 2 * w[0] + 3 * w[1] + b, places=5)


class Optimisers(unittest.TestCase):
  def steps(self, make, count=2):
    p = Tensor([1.0, -2.0])
    optimizer = make([p])
    with Context(TRAINING=1):
      for _ in range(count):
        optimizer.zero_grad()
        (p * p).sum().backward()
        optimizer.step()
    return p.tolist()

  def assertSteps(self, make, formula):
    for got, expected in zip(self.steps(make), (formula(1.0), formula(-2.0))):
      self.assertAlmostEqual(got, expected, places=5)

  def test_sgd(self):
    def formula(p):
      b = 0.0
      for _ in range(2):
        b = 0.9 * b + 2 * p
        p -= 0.1 * b
      return p
    self.assertSteps(lambda ps: nn.optim.SGD(ps, lr=0.1, momentum=0.9), formula)

  def test_steps_may_wait(self):
    """Nothing is computed between them; each starts from what the one before will have stored."""
    def formula(p):
      for _ in range(3):
        p -= 0.1 * 2 * p
      return p
    p = Tensor([1.0, -2.0])
    sgd = nn.optim.SGD([p], lr=0.1)
    with Context(TRAINING=1):
      for _ in range(3):
        sgd.zero_grad()
        (p * p).sum().backward()
        sgd.schedule_step()
    for got, expected in zip(p.tolist(), (formula(1.0), formula(-2.0))):
      self.assertAlmostEqual(got, expected, places=5)

  def test_adamw(self):
    def formula(p):
      m = v = 0.0
      for t in (1, 2):
        g = 2 * p
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        p -= 0.1 * (m / (1 - 0.9 ** t) / (math.sqrt(v / (1 - 0.999 ** t)) + 1e-8) + 0.01 * p)
      return p
    self.assertSteps(lambda ps: nn.optim.AdamW(ps, lr=0.1), formula)

  def test_all_make_the_loss_smaller(self):
    for make in (nn.optim.SGD, nn.optim.Adam, nn.optim.AdamW, nn.optim.LAMB, nn.optim.LARS):
      p = self.steps(lambda ps: make(ps, lr=0.01), 3)
      self.assertLess(p[0] ** 2 + p[1] ** 2, 5.0, make.__name__)

  def test_muon(self):
    p = Tensor([[1.0, 0.5], [0.2, 2.0]])
    with Context(TRAINING=1):
      optimizer = nn.optim.Muon([p], lr=0.1)
      (p * p).sum().backward()
      optimizer.step()
    self.assertLess((p * p).sum().item(), 5.29)

  def test_steps_are_for_training(self):
    p = Tensor([1.0])
    (p * p).sum().backward()
    with self.assertRaises(RuntimeError):
      nn.optim.SGD([p]).step()

  def test_training_a_net(self):
    Tensor.manual_seed(1)
    net = Net()
    optimizer = nn.optim.Adam(get_parameters(net), lr=0.02)
    x = Tensor.rand(64, 4).realize()
    y = x.sum(1, keepdim=True)

    @TinyJit
    @Context(TRAINING=1)
    def step(x, y):
      optimizer.zero_grad()
      loss = (net(x) - y).square().mean().backward()
      return loss.realize(*optimizer.schedule_step())
    losses = [step(x, y).item() for _ in range(120)]
    self.assertTrue(step.captured)
    self.assertLess(losses[-1], 0.05 * losses[0])


class State(unittest.TestCase):
  def test_names(self):
    self.assertEqual(sorted(get_state_dict(Net())), ["l1.bias", "l1.weight", "l2.bias", "l2.weight"])
    self.assertEqual(sorted(get_state_dict([Net().l1, {"a": Tensor([1.0])}])), ["0.bias", "0.weight", "1.a"])

  def test_files(self):
    a, b = Net(), Net()
    with tempfile.NamedTemporaryFile(suffix=".safetensors") as file:
      safe_save(get_state_dict(a), file.name)
      loaded = safe_load(file.name)
      load_state_dict(b, loaded)
    x = Tensor.rand(3, 4).realize()
    self.assertEqual(a(x).tolist(), b(x).tolist())

  def test_what_does_not_fit_is_refused(self):
    with self.assertRaises(KeyError):
      load_state_dict(Net(), {})
    with self.assertRaises(ValueError):
      load_state_dict(nn.Linear(2, 2, bias=False), {"weight": Tensor([1.0])})
    with self.assertRaises(OSError):
      safe_load("/no/such/file.safetensors")


class Captured(unittest.TestCase):
  def test_replays(self):
    calls = []

    @TinyJit
    def f(a, b):
      calls.append(1)
      return (a + b).realize()
    for i in range(5):
      self.assertEqual(f(Tensor([i, 1]), Tensor([2, i])).tolist(), [i + 2, 1 + i])
    self.assertEqual((len(calls), f.captured), (2, True))

  def test_results_of_any_form(self):
    @TinyJit
    def f(x, scale=1):
      return {"a": [(x * scale).realize(), (x + 1).realize()], "b": None}
    for i in range(4):
      result = f(Tensor([float(i)]), scale=3)
      self.assertEqual((result["a"][0].item(), result["a"][1].item(), result["b"]), (3.0 * i, i + 1.0, None))

  def test_arguments_of_any_form(self):
    @TinyJit
    def f(pair, name):
      return (pair[0] * pair[1]["x"]).realize()
    for i in range(4):
      self.assertEqual(f((Tensor([i]), {"x": Tensor([2])}), "n").item(), 2 * i)
    with self.assertRaises(ValueError):
      f((Tensor([1]), {"x": Tensor([2])}), "other")

  def test_methods(self):
    class Model:
      def __init__(self, w):
        self.w = Tensor([w])

      @TinyJit
      def __call__(self, x):
        return (x * self.w).realize()
    model = Model(3.0)
    self.assertEqual([model(Tensor([float(i)])).item() for i in range(4)], [0, 3, 6, 9])

  def test_variables(self):
    x = Tensor(list(range(8))).realize()

    @TinyJit
    def f(x, n):
      return x[:n].sum().realize()
    for i in range(1, 6):
      self.assertEqual(f(x, Variable("n", 1, 8).bind(i)).item(), sum(range(i)))

  def test_another_shape_is_refused(self):
    f = TinyJit(lambda x: (x + 1).realize())
    for _ in range(3):
      f(Tensor([1.0, 2.0]))
    with self.assertRaises((ValueError, RuntimeError)):
      f(Tensor([1.0]))

  def test_exceptions_come_out(self):
    def broken(x):
      raise KeyError("mine")
    with self.assertRaisesRegex(KeyError, "mine"):
      TinyJit(broken)(Tensor([1.0]))

  def test_without_capture(self):
    calls = []
    f = TinyJit(lambda x: calls.append(1) or (x + 1).realize())
    with Context(JIT=0):
      for i in range(4):
        self.assertEqual(f(Tensor([i])).tolist(), [i + 1])
    self.assertEqual(len(calls), 4)

  def test_reset(self):
    f = TinyJit(lambda x: (x + 1).realize())
    for _ in range(3):
      f(Tensor([1.0]))
    f.reset()
    self.assertFalse(f.captured)
    self.assertEqual(f(Tensor([1, 2], dtype=dtypes.int32)).tolist(), [2, 3])


if __name__ == "__main__":
  unittest.main()
