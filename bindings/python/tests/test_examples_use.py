"""What tinygrad's examples and programs of others use beside Tensor's functions: each case is one that a program met."""
import math
import unittest

from tinygrad_cpp import Tensor, TinyJit, Variable, nn
from tinygrad_cpp.dtype import Invalid
from tinygrad_cpp.errors import JitError


class TestWhatExamplesUse(unittest.TestCase):
  def test_types_of_signatures_can_be_imported(self):
    from tinygrad_cpp.dtype import AddrSpace, ConstType
    from tinygrad_cpp.uop.ops import ConstLike, sint
    self.assertTrue(isinstance(3, sint) and isinstance(Variable("n", 1, 4).bind(2), sint) and not isinstance(1.5, sint))
    self.assertTrue(isinstance(1.5, ConstType) and isinstance(1.5, ConstLike) and isinstance(Invalid, ConstType))
    self.assertEqual([repr(a) for a in AddrSpace], ["AddrSpace.GLOBAL", "AddrSpace.LOCAL", "AddrSpace.REG", "AddrSpace.ALU"])

  def test_losses_of_probabilities_broadcast(self):
    x, y = Tensor([[0.25], [0.5]]), Tensor([1.0, 0.0, 1.0])
    expected = [[-math.log(p if label else 1 - p) for label in (1, 0, 1)] for p in (0.25, 0.5)]
    for got, row in zip(x.binary_crossentropy(y, reduction="none").tolist(), expected):
      for one, other in zip(got, row):
        self.assertAlmostEqual(one, other, places=6)
    logits = (x / (1 - x)).log()
    self.assertAlmostEqual(logits.binary_crossentropy_logits(y).item(), sum(map(sum, expected)) / 6, places=5)
    self.assertAlmostEqual(x.binary_crossentropy(1).item(), math.log(8) / 2, places=6)

  def test_linspace_between_tensors(self):
    ends = Tensor([1.0, 3.0])
    self.assertEqual(Tensor.linspace(ends[0], ends[1], 5).tolist(), [1.0, 1.5, 2.0, 2.5, 3.0])
    self.assertEqual(Tensor.linspace(ends[0], 9, 1).tolist(), [1.0])

  def test_pool_gives_windows(self):
    x = Tensor.arange(25).reshape(1, 5, 5)
    self.assertEqual(x._pool((2, 2), 2, 2).tolist()[0][1][0], [[10, 12], [20, 22]])

  def test_objects_made_of_the_same_parts_are_the_same_argument(self):
    weights = [Tensor([1.0]).realize(), Tensor([2.0]).realize()]

    class Pair:
      def __init__(self, parts):
        self.parts = parts

    @TinyJit
    def total(pair, x):
      return (pair.parts[0] + pair.parts[1] + x).realize()
    for i in range(4):
      self.assertEqual(total(Pair(weights), Tensor([float(i)])).tolist(), [3.0 + i])
    with self.assertRaises(JitError):
      total(Pair(weights[:1]), Tensor([1.0]))

  def test_classes_hold_no_tensors(self):
    import enum

    class Kind(enum.IntEnum):
      ONE = 1

    class Model:
      def __init__(self):
        self.kind, self.weight = Kind.ONE, Tensor([1.0])
    self.assertEqual(list(nn.state.get_state_dict(Model())), ["weight"])

  def test_storage_that_a_graph_of_nodes_wrote_is_seen(self):
    x = Tensor.zeros(4).contiguous().realize()
    written = Tensor(x.uop.after(x[1:3].uop.store(Tensor([5.0, 6.0]).uop)))
    self.assertEqual(written.tolist(), [0.0, 5.0, 6.0, 0.0])
    self.assertEqual((x + 1).tolist(), [1.0, 6.0, 7.0, 1.0])

  def test_the_seed_can_be_read(self):
    Tensor.manual_seed(42)
    self.assertEqual(Tensor._seed, 42)
    Tensor.manual_seed(0)

  def test_a_value_is_what_it_was_when_it_was_made(self):
    w = Tensor([1.0, 2.0]).contiguous().realize()
    before = w * 10

    @TinyJit
    def step():
      w.assign(w + 1)
      return w.sum().realize()
    old = []
    for _ in range(4):
      old.append(w * 2)
      step()
    self.assertEqual(before.tolist(), [10.0, 20.0])
    self.assertEqual([o.tolist() for o in old], [[2.0 + 2 * i, 4.0 + 2 * i] for i in range(4)])


if __name__ == "__main__":
  unittest.main()
