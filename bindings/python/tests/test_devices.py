"""What a function makes lives where its operands live, whichever device is the default one."""
import unittest

from tinygrad_cpp import Tensor, dtypes, nn
from tinygrad_cpp.errors import DeviceError

ELSEWHERE = "INTERP"


def there(*shape):
  return Tensor.rand(*shape).to(ELSEWHERE).realize()


def labels(*values):
  return Tensor(list(values), device=ELSEWHERE)


def overwritten(x):
  y = x.clone().realize()
  y[1:3] = 0
  y[labels(0, 2)] = 1.0
  return y


# Functions that make tensors of their own inside.
FUNCTIONS = {
  "argsort": lambda x, image: x.argsort(),
  "cat, roll, index and softmax": lambda x, image: x.cat(x).roll(3, 0)[:, labels(0, 2)].softmax(),
  "cross_entropy": lambda x, image: x.cross_entropy(labels(0, 1, 2, 3)),
  "cumsum": lambda x, image: x.cumsum(1),
  "diag": lambda x, image: x[0].diag(),
  "dropout": lambda x, image: x.dropout(0.5),
  "hash": lambda x, image: x.hash(),
  "interpolate": lambda x, image: image.interpolate((9, 9)),
  "interpolate by nearest": lambda x, image: image.interpolate((9, 9), mode="nearest"),
  "keccak": lambda x, image: x.cast(dtypes.uint8).keccak(),
  "logcumsumexp": lambda x, image: x.logcumsumexp(1),
  "masked_select": lambda x, image: x.masked_select(x > 0.5),
  "max_pool2d with indices": lambda x, image: image.max_pool2d(return_indices=True)[1],
  "max_unpool2d": lambda x, image: Tensor.max_unpool2d(*image.max_pool2d(return_indices=True)),
  "multinomial": lambda x, image: x[0].multinomial(3, replacement=True),
  "newton_schulz": lambda x, image: x.newton_schulz(2, (3.0, -3.0, 1.0)),
  "nonzero": lambda x, image: (x > 0.5).nonzero(),
  "nonzero of a number": lambda x, image: x[0, 0].nonzero(),
  "one_hot": lambda x, image: labels(0, 2).one_hot(5),
  "qr": lambda x, image: x.qr()[0],
  "repeat_interleave": lambda x, image: x.repeat_interleave(2, 0),
  "scaled_dot_product_attention": lambda x, image: image.scaled_dot_product_attention(
    image, image, is_causal=True),
  "scatter_reduce": lambda x, image: x.scatter_reduce(0, labels([0, 1]), x, "sum"),
  "setitem": lambda x, image: overwritten(x),
  "sort": lambda x, image: x.sort()[1],
  "svd": lambda x, image: x.svd()[1],
  "topk": lambda x, image: x.topk(2)[1],
  "tril": lambda x, image: x.tril(),
  "unfold": lambda x, image: x.unfold(1, 3, 2),
}

CREATORS = {
  "arange": lambda d: Tensor.arange(5, device=d),
  "eye": lambda d: Tensor.eye(3, device=d),
  "full": lambda d: Tensor.full((2, 3), 1.0, device=d),
  "linspace": lambda d: Tensor.linspace(0, 1, 5, device=d),
  "rand": lambda d: Tensor.rand(3, device=d),
  "randperm": lambda d: Tensor.randperm(5, device=d),
}


class Placement(unittest.TestCase):
  def test_functions_stay_on_the_device_of_their_operands(self):
    self.assertNotEqual(Tensor.rand(1).device, ELSEWHERE)
    x, image = there(4, 5), there(1, 2, 6, 6)
    for name, function in FUNCTIONS.items():
      with self.subTest(name):
        self.assertEqual(function(x, image).realize().device, ELSEWHERE)

  def test_creators_make_it_where_they_are_told(self):
    for name, create in CREATORS.items():
      with self.subTest(name):
        made = create(ELSEWHERE)
        self.assertEqual(made.device, ELSEWHERE)
        self.assertEqual(made.realize().device, ELSEWHERE)

  def test_optimisers_step_where_the_parameters_are(self):
    makers = (lambda p: nn.optim.SGD(p, momentum=0.9), nn.optim.Adam, nn.optim.AdamW, nn.optim.LARS, nn.optim.LAMB,
              nn.optim.Muon)
    for make in makers:
      w = there(4, 4).contiguous().realize().is_param_()
      optimiser = make([w])
      with Tensor.train():
        (there(3, 4) @ w).square().sum().backward()
        optimiser.step()
      self.assertEqual(w.device, ELSEWHERE)

  def test_a_cell_without_a_state_starts_where_its_input_is(self):
    cell = nn.LSTMCell(5, 3)
    for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
      setattr(cell, name, getattr(cell, name).to(ELSEWHERE))
    self.assertEqual(cell(there(4, 5))[0].realize().device, ELSEWHERE)

  def test_operands_of_two_devices_are_refused_by_the_function(self):
    x, here = there(4, 5), Tensor.rand(4, 5).realize()
    calls = (lambda: x + here, lambda: x.cat(here), lambda: x @ here.T, lambda: x.gather(0, Tensor([[0]]).realize()),
             lambda: (here > 0.5).where(x, 0), lambda: x[Tensor([0, 1]).realize()], lambda: x.stack(here))
    for i, call in enumerate(calls):
      with self.subTest(i), self.assertRaisesRegex(DeviceError, "different devices.*to\\(\\)"):
        call()


if __name__ == "__main__":
  unittest.main()
