"""Decompositions and draws by what makes them right (properties.py); their elements are nobody's business."""
import unittest

from properties import draw_facts, permutation_facts, svd_facts
from tinygrad_cpp import Tensor, dtypes


class Decompositions(unittest.TestCase):
  def check(self, x, full=True):
    S, product, left, right = svd_facts(x, full)
    scale = max(1.0, x.abs().max().item())
    for got, wanted in ((product, x), (left, Tensor.eye(left.shape[-1])), (right, Tensor.eye(right.shape[-1]))):
      self.assertLess((got - wanted).abs().max().item(), 2e-5 * scale, (x.shape, full))
    self.assertGreaterEqual((S[..., :-1] - S[..., 1:]).min().item() if S.shape[-1] > 1 else 0, 0, "sorted")
    self.assertGreaterEqual(S.min().item(), 0)
    return S

  def test_factors_multiply_to_the_matrix(self):
    Tensor.manual_seed(3)
    for shape in ((1, 1), (3, 1), (4, 4), (6, 3), (3, 6), (2, 5, 3)):
      for full in (True, False):
        self.check(Tensor.randn(*shape), full)

  def test_values_are_known_ones(self):
    # Singular values are those of the diagonal, whatever turns it.
    Tensor.manual_seed(4)
    turn, other = (Tensor.randn(4, 4).qr()[0] for _ in range(2))
    S = self.check(turn @ Tensor([5.0, 2.0, 0.5, 0.25]).diag() @ other)
    self.assertLess((S - Tensor([5.0, 2.0, 0.5, 0.25])).abs().max().item(), 1e-5)

  def test_values_far_apart_and_equal_ones(self):
    self.check(Tensor([[1000.0, 0.0], [0.0, 0.001]]))
    self.check(Tensor.eye(3) * 2)


class Draws(unittest.TestCase):
  def test_a_permutation_has_each_number_once_in_another_place(self):
    Tensor.manual_seed(5)
    for n in (1, 2, 17, 500):
      permutation = Tensor.randperm(n)
      self.assertIs(permutation.dtype, dtypes.int32)
      self.assertEqual(permutation_facts(permutation).tolist(), list(range(n)))
    self.assertLess((permutation == Tensor.arange(500)).sum().item(), 10, "about one stays in its place")
    self.assertNotEqual(permutation.tolist(), Tensor.randperm(500).tolist())

  def test_each_number_comes_to_each_place_equally_often(self):
    Tensor.manual_seed(6)
    firsts = [Tensor.randperm(4).tolist()[0] for _ in range(400)]
    for number in range(4):
      self.assertLess(abs(firsts.count(number) - 100), 5 * (400 * 0.25 * 0.75) ** 0.5)

  def test_indices_come_as_often_as_their_weights_say(self):
    Tensor.manual_seed(7)
    for replacement in (True, False):
      for weights in ([1.0, 2.0, 3.0, 4.0], [0.0, 5.0, 1.0], [0.3, 0.0, 0.7, 0.4], [2.0, 1.0, 0.0]):
        *facts, element = draw_facts(Tensor(weights), replacement)
        self.assertIs(element.dtype, dtypes.int32)
        for fact in facts:
          self.assertTrue(all(abs(f - 1) < 1e-5 for f in fact.reshape(-1).tolist()), (weights, replacement, facts))

  def test_rows_have_their_own_weights(self):
    drawn = Tensor([[1.0, 0.0, 0.0], [0.0, 0.0, 3.0]]).multinomial(5, replacement=True)
    self.assertEqual(drawn.tolist(), [[0] * 5, [2] * 5])

  def test_more_than_there_are_cannot_be_drawn(self):
    with self.assertRaises(ValueError):
      Tensor([1.0, 2.0]).multinomial(3)


if __name__ == "__main__":
  unittest.main()
