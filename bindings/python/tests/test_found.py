"""What tinygrad's own tests found missing: numbers of NumPy, arguments that a function does not use, state
of optimisers elsewhere, pickles with their data beside them, sizes of nodes, long random draws."""
import pickle
import unittest

from tinygrad_cpp import Context, GlobalCounters, Tensor, TinyJit, Variable, dtypes, function, nn

try:
  import numpy as np
except ImportError:
  np = None

TWO = ("CPU", "CPU:1")


class Values(unittest.TestCase):
  @unittest.skipIf(np is None, "NumPy is not installed")
  def test_numbers_of_numpy_may_stand_in_lists(self):
    self.assertEqual(Tensor([np.int32(1), np.int64(3)]).tolist(), [1, 3])
    self.assertEqual(Tensor([[np.float32(0.5)], [np.float64(2)]]).tolist(), [[0.5], [2.0]])

  def test_a_border_may_be_computed_and_takes_part_in_promotion(self):
    for value, dtype in ((True, dtypes.uint8), (2, dtypes.uint8), (2.5, dtypes.weakfloat)):
      padded = Tensor([1, 2], dtype=dtypes.uint8).pad(((1, 0),), value=value)
      self.assertEqual((padded.tolist(), padded.dtype), ([value, 1, 2], dtype))
    self.assertEqual(Tensor([1, 2]).pad(((1, 0),), value=Tensor([3, 4]).sum()).tolist(), [7, 1, 2])

  def test_scores_without_a_batch_serve_several_labels(self):
    scores, labels = Tensor([1.0, 2.0, 0.5]), Tensor([2, 0])
    loss = scores.sparse_categorical_crossentropy(labels)
    self.assertAlmostEqual(loss.item(), scores.expand(2, 3).sparse_categorical_crossentropy(labels).item(), 6)

  def test_a_number_like_a_sharded_tensor_lives_nowhere(self):
    x = Tensor.arange(8).reshape(4, 2).shard(TWO, axis=0)
    number = x.const_like(5)
    self.assertEqual((number.device, number.shape), (None, (4, 2)))
    self.assertEqual(((x + number).device, (x + number).uop.axis), (x.device, 0))
    self.assertEqual((x + number).tolist(), (Tensor.arange(8).reshape(4, 2) + 5).tolist())
    full = x.full_like(7)
    self.assertEqual((full.device, full.uop.axis, full.tolist()), (x.device, 0, [[7, 7]] * 4))

  def test_storage_of_a_variable_size_shows_it(self):
    n = Variable("n", 1, 10).bind(3)
    x = Tensor.empty(3, n)
    self.assertEqual((x.uop.shape, x.uop.base.shape, x.uop.base.buffer.size), ((3, n), (3, 10), 30))
    self.assertEqual(Tensor.empty(3, 4).uop.shape, (3, 4))

  def test_draws_may_be_longer_than_a_key(self):
    Tensor.manual_seed(3)
    x = Tensor.rand(2 ** 17, 2 ** 17)
    self.assertEqual((x.shape, x.schedule_linear().src != ()), ((2 ** 17, 2 ** 17), True))
    self.assertEqual(Tensor.rand(3).shape, (3,))


class Kernels(unittest.TestCase):
  def test_a_matrix_of_many_small_ones_is_decomposed(self):
    # Two of the reductions compute something of one array, of which a kernel has one copy.
    x = Tensor([float((7 * i * i + 3 * i) % 11 - 5) for i in range(32)], device="CPU").reshape(2, 2, 2, 2, 2).realize()
    q, r = x.qr()
    Tensor.realize(q, r)
    self.assertLess(((q @ r) - x).abs().max().item(), 1e-4)


class Functions(unittest.TestCase):
  def test_arguments_that_are_not_used_have_the_gradient_zero(self):
    @function
    def f(a, b, c=None):
      return a * 2 + c
    a, b, c = Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), Tensor([5.0, 6.0])
    result = f(a, b, c=c)
    self.assertEqual(result.tolist(), [7.0, 10.0])
    result.sum().backward()
    self.assertEqual([t.grad.tolist() for t in (a, b, c)], [[2.0, 2.0], [0.0, 0.0], [1.0, 1.0]])

  def test_what_a_function_uses_stays_as_it_is(self):
    seen = []

    @function
    def f(a, number, ints):
      seen.append(a * number)
      return seen[-1]
    self.assertIs(f(Tensor([1.0]), 3, Tensor([1, 2])), seen[0])

  def test_each_of_several_results_reaches_all_arguments(self):
    @function
    def f(a, b):
      return a * 3, a + 1
    a, b = Tensor([1.0]), Tensor([2.0])
    first, second = f(a, b)
    (first + second).sum().backward()
    self.assertEqual((a.grad.tolist(), b.grad.tolist()), ([4.0], [0.0]))

  def test_a_captured_function_keeps_them(self):
    @function
    def f(a, b):
      return a * a
    a, b = Tensor([3.0]), Tensor([1.0])

    @TinyJit
    def step(x):
      a.grad = b.grad = None
      f(a * x, b).sum().backward()
      return a.grad.realize(), b.grad.realize()
    for x in (1.0, 2.0, 3.0, 4.0):
      self.assertEqual([t.tolist() for t in step(Tensor([x]).realize())], [[6 * x * x], [0.0]])


class State(unittest.TestCase):
  def steps(self, make, moved):
    weight = Tensor([[1.0, -2.0, 3.0, 0.5]] * 2)
    if moved:
      weight = weight.shard(TWO, axis=1)
    optimizer = make([weight])
    if moved:
      for name in ("m", "v", "b"):
        for t in getattr(optimizer, name, []):
          t.to_("CPU")
      for name in ("b1_t", "b2_t"):
        if hasattr(optimizer, name):
          getattr(optimizer, name).to_("CPU")
    with Context(TRAINING=1):
      for _ in range(3):
        optimizer.zero_grad()
        (weight * weight).sum().backward()
        optimizer.step()
    return weight, optimizer

  def test_it_may_live_elsewhere_than_sharded_weights(self):
    for make in (nn.optim.LAMB, nn.optim.Adam, lambda p: nn.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True)):
      there, optimizer = self.steps(make, True)
      here, _ = self.steps(make, False)
      self.assertEqual(there.device, TWO)
      self.assertEqual({t.device for name in ("m", "b") for t in getattr(optimizer, name, [])}, {"CPU"})
      for row, expected in zip(there.tolist(), here.tolist()):
        for x, y in zip(row, expected):
          self.assertAlmostEqual(x, y, 5)


class Quantised(unittest.TestCase):
  def test_weights_that_are_not_realized_stay_as_they_are(self):
    packed = Tensor([[1, 2, 3, 4]] * 3, dtype=dtypes.int8).realize()
    layer = nn.Linear(4, 3, bias=False)
    nn.state.load_state_dict(layer, {"weight": packed}, realize=False)
    self.assertEqual((layer.weight.dtype, layer.weight.nbytes()), (dtypes.int8, 12))
    computed = packed.cast(dtypes.float32) * 0.5
    layer = nn.Linear(4, 3, bias=False)
    nn.state.load_state_dict(layer, {"weight": computed}, realize=False)
    before = GlobalCounters.mem_used
    self.assertEqual(layer(Tensor.ones(1, 4)).tolist(), [[5.0] * 3])
    self.assertFalse(layer.weight.uop.is_realized)
    self.assertLess(GlobalCounters.mem_used - before, 48)
    nn.state.load_state_dict(layer, {"weight": computed})
    self.assertEqual((layer.weight.dtype, layer.weight.uop.is_realized), (dtypes.float32, True))

  def test_several_captured_results_that_are_larger_than_their_weights_share_memory(self):
    weights = [(Tensor.ones(1024, 1024) * k).cast(dtypes.int8).realize() for k in range(1, 5)]

    @TinyJit
    def f(x):
      for w in weights:
        x = (x @ w.cast(dtypes.float32).contiguous()) / 1024
      return x.realize()
    before = GlobalCounters.mem_used
    x = Tensor.ones(1, 1024).realize()
    for _ in range(4):
      self.assertAlmostEqual(f(x)[0, 0].item(), 24.0, 3)
    self.assertLess(GlobalCounters.mem_used - before, 9 << 20)  # and not 16


class Pickles(unittest.TestCase):
  def test_data_may_travel_beside_the_pickle(self):
    tensors = [Tensor.arange(1000).realize(), Tensor([0.5, 1.5], dtype=dtypes.half), Tensor([])]
    buffers = []
    text = pickle.dumps(tensors, protocol=5, buffer_callback=buffers.append)
    self.assertLess(len(text), 1000)
    self.assertEqual([b.raw().nbytes for b in buffers], [4000, 4, 0])
    again = pickle.loads(text, buffers=buffers)
    self.assertEqual([(t.tolist(), t.dtype) for t in again], [(t.tolist(), t.dtype) for t in tensors])
    with self.assertRaises(ValueError):
      buffers[0].raw()  # each is given back once its tensor has it

  def test_every_protocol_holds_the_data(self):
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
      again = pickle.loads(pickle.dumps(Tensor([[1, 2]]), protocol=protocol))
      self.assertEqual((again.tolist(), again.dtype), ([[1, 2]], dtypes.int32))


if __name__ == "__main__":
  unittest.main()
