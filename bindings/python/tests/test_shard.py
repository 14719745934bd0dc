"""Tensors over several devices: what tinygrad's programs ask of them, by its names."""
import unittest

from tinygrad_cpp import Context, Device, GlobalCounters, Tensor, TinyJit, dtypes, nn

ONE = "CPU"
TWO, FOUR = ("CPU:1", "CPU:2"), ("CPU", "CPU:1", "CPU:2", "CPU:3")


def numbers(*shape):
  count = Tensor.arange(Tensor.empty(*shape).numel(), dtype=dtypes.float32)
  return (count * 0.37 - 2).to(ONE).reshape(*shape)


class Shard(unittest.TestCase):
  def near(self, got, want, places=5):
    self.assertEqual(got.shape, want.shape)
    for a, b in zip(got.flatten().tolist(), want.flatten().tolist()):
      self.assertAlmostEqual(a, b, places)

  def test_what_is_sharded_in_place_is_whole_whichever_part_is_read_first(self):
    for first in (slice(0, 2), slice(2, 4)):
      x = Tensor.arange(16).reshape(4, 4).clone().realize()
      expected = x.tolist()
      x.shard_(TWO, 0)
      self.assertEqual(x[first].contiguous().tolist(), expected[first])
      self.assertEqual(x.tolist(), expected)

  def test_device_is_a_tuple(self):
    x = numbers(8, 2)
    self.assertEqual(x.shard(TWO, 0).device, TWO)
    self.assertEqual(x.shard(TWO, -1).uop.axis, 1)
    self.assertIsNone(x.to(TWO).uop.axis)
    self.assertEqual(x.shard(FOUR, 0).uop.bounds, ((0, 2), (2, 4), (4, 6), (6, 8)))
    self.assertEqual((x.shard(FOUR, 0).uop.shard_shape, x.to(FOUR).uop.shard_shape, x.uop.shard_shape),
                     ((x.shape[0] // 4, *x.shape[1:]), x.shape, x.shape))
    self.assertEqual(x.shard((ONE,), 0).device, ONE)
    self.assertEqual(Tensor([1., 2.], device=TWO).device, TWO)
    self.assertEqual(Tensor.zeros(2, device=list(TWO)).device, TWO)
    self.assertEqual(Device.canonicalize(("cpu:0", "clang:1")), ("CPU", "CPU:1"))

  def test_in_place(self):
    x = numbers(8)
    same = x
    x.shard_(TWO, 0)
    self.assertEqual((same.device, same.uop.axis), (TWO, 0))
    x.to_(ONE)
    self.assertEqual((same.device, same.tolist()), (ONE, numbers(8).tolist()))
    x.to_(TWO)
    self.assertEqual((same.device, same.uop.axis), (TWO, None))

  def test_likes(self):
    x = numbers(8, 4).shard(TWO, 1)
    for like in (x.zeros_like(), x.ones_like(), x.full_like(3), x.rand_like(),
                 x.randn_like(), x.empty_like(), x.zeros_like(dtype=dtypes.int32),
                 x.rand_like(dtype=dtypes.float16), x.empty_like(dtype=dtypes.int32)):
      self.assertEqual((like.device, like.uop.axis, like.shape), (TWO, 1, (8, 4)))
    with self.assertRaisesRegex(RuntimeError, "cannot be made on"):
      x.rand_like(device=("CPU:3", "CPU:4"))
    self.assertEqual(numbers(8, 4).shard_like(x).uop.axis, 1)

  def test_plans_for_devices_that_do_nothing(self):
    x = Tensor.ones(8, 4).shard(("NULL", "NULL:1"), 0)
    total = x + x.const_like(5)
    self.assertEqual((total.device, total.uop.axis, total.shape), (("NULL", "NULL:1"), 0, (8, 4)))

  def test_mistakes_are_runtime_errors(self):
    with self.assertRaisesRegex(RuntimeError, "cannot be split into 2 equal parts"):
      numbers(9).shard(TWO, 0)
    with self.assertRaisesRegex(RuntimeError, "CPU:1,CPU:2 and CPU"):
      numbers(8).shard(TWO, 0) + numbers(8)
    with self.assertRaisesRegex(RuntimeError, "on several devices already"):
      numbers(8).shard(TWO).shard_like(numbers(8).shard(TWO, 0))

  def test_values_out(self):
    x = numbers(4, 6)
    for axis in (None, 0, 1):
      self.assertEqual(x.shard(TWO, axis).tolist(), x.tolist())
    self.near(x.shard(TWO, 0).sum(), x.sum())
    self.assertAlmostEqual(x.shard(TWO, 0).sum().item(), x.sum().item(), 4)

  def test_setitem(self):
    for axis in (None, 0):
      t = Tensor.arange(16).clone().realize().shard(FOUR, axis)
      t[2:6] = 99
      t[::5] = Tensor([1, 2, 3, 4]).shard(FOUR)
      self.assertEqual(t.tolist(), [1, 1, 99, 99, 99, 2, 6, 7, 8, 9, 3, 11, 12, 13, 14, 4])

  def test_unread_constants_stay_where_they_were(self):
    y = numbers(4).shard(TWO, 0) + Tensor(0.0).reshape(1).expand(4)
    zeros = Tensor(0.0).reshape(1).expand(4)
    self.assertEqual(zeros.tolist(), [0] * 4)  # on one device now, where y must not look for them
    self.assertEqual(y.tolist(), numbers(4).tolist())

  def test_all_reduces(self):
    x = numbers(8, 30)
    for ring in (0, 1, 2):
      with Context(RING=ring):
        self.near(x.shard(FOUR, 0).sum(0), x.sum(0), 4)

  def test_captured_training(self):
    def train(devices):
      Tensor.manual_seed(3)
      layers = [nn.Linear(6, 8), Tensor.relu, nn.Linear(8, 3)]
      if devices:
        for p in nn.state.get_parameters(layers):
          p.shard_(devices)
      opt = nn.optim.Adam(nn.state.get_parameters(layers), lr=0.01)

      @TinyJit
      @Context(TRAINING=1)
      def step(x, y):
        opt.zero_grad()
        loss = x.sequential(layers).sparse_categorical_crossentropy(y).backward()
        opt.step()
        return loss

      losses = []
      for i in range(5):
        x, y = numbers(8, 6).roll(i, 1).realize(), (Tensor.arange(8) % 3).clone().realize()
        if devices:
          x, y = x.shard(devices, 0).realize(), y.shard(devices, 0).realize()
        losses.append(step(x, y).item())
      return losses

    want = train(None)
    self.assertLess(want[-1], want[0])
    for devices in (TWO, FOUR):
      for a, b in zip(train(devices), want):
        self.assertAlmostEqual(a, b, 5)

  def test_replicas_are_not_computed_by_reading(self):
    x = numbers(64).shard(TWO).realize()
    GlobalCounters.reset()
    self.assertEqual(len(x.tolist()), 64)
    self.assertLessEqual(GlobalCounters.kernel_count, 1)


if __name__ == "__main__":
  unittest.main()
