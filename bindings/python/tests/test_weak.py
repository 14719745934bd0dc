"""Weak dtypes and dtypes by default: what gives way to what, and what a tensor that names none has."""
import operator
import pickle
import unittest

from tinygrad_cpp import Context, Tensor, Variable, dtypes


def of(dtype, *numbers):
  return Tensor(list(numbers or (1,)), dtype=dtype)


class TestWeakTensors(unittest.TestCase):
  def test_numbers_are_weak(self):
    self.assertEqual([Tensor(x).dtype for x in (True, 3, 3.0, None, Variable("n", 1, 4).bind(2))],
                     [dtypes.bool, dtypes.weakint, dtypes.weakfloat, dtypes.weakfloat, dtypes.weakint])
    self.assertIs(Tensor([3]).dtype, dtypes.int32)

  def test_a_number_of_a_higher_kind_makes_the_result_weak(self):
    for op in (operator.add, operator.mul, operator.sub, Tensor.maximum, Tensor.minimum):
      with self.subTest(op):
        self.assertIs(op(of("int8"), 0.5).dtype, dtypes.weakfloat)
        self.assertIs(op(of("bool"), 2).dtype, dtypes.weakint)
        self.assertIs(op(of("int8"), 2).dtype, dtypes.int8)
        self.assertIs(op(of("float16"), 0.5).dtype, dtypes.float16)

  def test_weak_values_give_way(self):
    weak = of("int8") + 0.5
    for dtype in ("float16", "bfloat16", "fp8e4m3", "float64"):
      for result in (weak + of(dtype), of(dtype) - weak, weak.maximum(of(dtype)), Tensor([True]).where(weak, of(dtype)),
                     weak @ of(dtype)):
        self.assertIs(result.dtype, getattr(dtypes, dtype))
    self.assertEqual(((of("bool") + 1) + of("uint8", 250)).tolist(), [252])
    self.assertIs(((of("bool") + 1) + of("uint8")).dtype, dtypes.uint8)

  def test_views_and_functions_stay_weak_and_reductions_do_not(self):
    weak = of("int8", 1, 2) + 0.5
    for result in (weak.reshape(2, 1), weak[0], weak.exp(), weak.relu(), -weak, weak.contiguous(), weak.realize(),
                   weak.detach(), weak.expand(3, 2), Tensor(2).sin()):
      self.assertIs(result.dtype, dtypes.weakfloat)
    for result in (weak.sum(), weak.max(), weak.cumsum(0), weak.clone(), weak.cast(dtypes.float32)):
      self.assertIs(result.dtype, dtypes.float32)

  def test_uint64_and_signed_integers_meet_as_a_weak_float(self):
    total = of("int64", -1) + of("uint64", 3)
    self.assertEqual((total.dtype, total.tolist()), (dtypes.weakfloat, [2.0]))
    self.assertEqual((of("int64", -1) < of("uint64", 3)).tolist(), [True])
    self.assertIs((total + of("float16")).dtype, dtypes.float16)

  def test_bfloat16_with_small_floats_stays(self):
    self.assertIs((of("bfloat16") + of("fp8e5m2")).dtype, dtypes.bfloat16)

  def test_casts_to_weak_dtypes_change_the_kind(self):
    x = Tensor([2.5, -3.7]).cast(dtypes.weakint).cast("weakfloat")
    self.assertEqual((x.dtype, x.tolist()), (dtypes.weakfloat, [2.0, -3.0]))

  def test_elements_come_out_in_the_dtype_by_default(self):
    weak = of("int8") + 0.5
    self.assertEqual((weak.item(), weak.data().format, weak.tolist()), (1.5, "f", [1.5]))

  def test_assignment_takes_weak_values_of_its_kind_only(self):
    x = Tensor([1.0, 2.0], dtype="float16").contiguous().realize()
    x[0:1] = Tensor(0.5).reshape(1)
    self.assertEqual((x.dtype, x.tolist()), (dtypes.float16, [0.5, 2.0]))
    with self.assertRaisesRegex(RuntimeError, "weakfloat does not give way to dtypes.int"):
      Tensor([1]).realize().assign(Tensor(0.5).reshape(1))
    y = Tensor(0.5)
    y.assign(Tensor(2.0, dtype=dtypes.float32))
    self.assertEqual((y.dtype, y.item()), (dtypes.float32, 2.0))

  def test_pad_meets_its_value(self):
    self.assertIs(of("int32", 1).pad(((1, 1),), value=-float("inf")).dtype, dtypes.weakfloat)
    self.assertEqual(of("bool").pad(((1, 0),), value=2).tolist(), [2, 1])

  def test_random_numbers_need_a_width(self):
    with self.assertRaises(ValueError):
      Tensor(1.0).rand_like()

  def test_pickle_keeps_weakness(self):
    self.assertIs(pickle.loads(pickle.dumps(Tensor(3))).dtype, dtypes.weakint)


class TestDefaults(unittest.TestCase):
  def test_tensors_that_name_no_dtype(self):
    with Context(DEFAULT_FLOAT=dtypes.half, DEFAULT_INT=dtypes.int16):
      self.assertEqual((dtypes.default_float, dtypes.default_int), (dtypes.half, dtypes.int16))
      for x in (Tensor([1.5]), Tensor.ones(2), Tensor.rand(2), Tensor.eye(2), Tensor.empty(2), Tensor.full((2,), 1.0)):
        self.assertIs(x.dtype, dtypes.half)
      for x in (Tensor([1]), Tensor.full((2,), 3), Tensor.arange(3)):
        self.assertIs(x.dtype, dtypes.int16)
      self.assertIs(Tensor.full((2,), True).dtype, dtypes.bool)
      self.assertIs(Tensor.ones(2, dtype=dtypes.float32).dtype, dtypes.float32)
    self.assertIs(Tensor.ones(2).dtype, dtypes.float32)

  def test_another_kind_is_refused(self):
    with self.assertRaisesRegex(ValueError, "DEFAULT_FLOAT"):
      with Context(DEFAULT_FLOAT=dtypes.int32):
        pass
    self.assertIs(dtypes.default_float, dtypes.float32)


if __name__ == "__main__":
  unittest.main()
