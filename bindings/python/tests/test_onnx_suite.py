"""ONNX's own tests of every operator and of small models, of the release that scripts/setup installs, on the CPU: nn.onnx
computes what they expect, as close as ONNX's runner wants it. What is not supported is in onnx_suite_exceptions.txt with a
reason, and a test that passes must not be there."""
import pathlib
import unittest
import warnings

from tinygrad_cpp import Tensor, dtypes
from tinygrad_cpp.nn import onnx as models

try:
  import numpy as np
  import onnx
  from onnx import numpy_helper
  from onnx.backend.test import loader
except ImportError:
  onnx = None

EXCEPTIONS = pathlib.Path(__file__).with_name("onnx_suite_exceptions.txt")
KINDS = ("node", "simple", "pytorch-converted", "pytorch-operator")
# Of ml_dtypes, whose numbers buffers do not describe: their bits are handed over.
BITS = {"bfloat16": "bfloat16", "float8_e4m3fn": "fp8e4m3", "float8_e4m3fnuz": "fp8e4m3fnuz", "float8_e5m2": "fp8e5m2",
        "float8_e5m2fnuz": "fp8e5m2fnuz"}


def exceptions():
  """{name of a test: why it does not pass}."""
  rows = (line.split(None, 1) for line in EXCEPTIONS.read_text().splitlines() if line and not line.startswith("#"))
  return {name: reason for name, reason in rows}


def tensor_of(value):
  """An array, a list of them, or nothing."""
  if value is None or isinstance(value, list):
    return value and [tensor_of(item) for item in value]
  if value.dtype.name in BITS:
    bits = np.ascontiguousarray(value).view(np.uint16 if value.dtype.itemsize == 2 else np.uint8)
    return Tensor(bits.reshape(value.shape)).bitcast(getattr(dtypes, BITS[value.dtype.name]))
  if value.dtype.isbuiltin != 1:
    raise TypeError(f"there is no dtype {value.dtype}")
  return Tensor(np.ascontiguousarray(value).reshape(value.shape))


def plain(value):
  """A value of a test without its message: an array, a list of them, or nothing."""
  for message, to_plain in ((onnx.TensorProto, numpy_helper.to_array), (onnx.SequenceProto, numpy_helper.to_list),
                            (onnx.OptionalProto, numpy_helper.to_optional)):
    if isinstance(value, message):
      return plain(to_plain(value))
  if isinstance(value, (list, tuple)):
    return [plain(item) for item in value]
  return value if value is None else np.asarray(value)


def proto_value(file, kind):
  """The value in a .pb file."""
  message = onnx.SequenceProto if kind.HasField("sequence_type") else onnx.TensorProto
  return message.FromString(file.read_bytes())


def data_sets(test, model):
  """[(inputs, outputs)]: in memory, or in folders beside the model."""
  if test.data_sets is not None:
    return test.data_sets
  sets = []
  for folder in sorted(pathlib.Path(test.model_dir).glob("test_data_set_*")):
    sets.append([[proto_value(folder / f"{side}_{i}.pb", value.type) for i, value in enumerate(values)
                  if (folder / f"{side}_{i}.pb").exists()]
                 for side, values in (("input", model.graph.input), ("output", model.graph.output))])
  return sets


@unittest.skipIf(onnx is None, "the package onnx is not installed")
@unittest.skipIf(models._onnx is None, "the package was built without protobuf")
class TestOnnxSuite(unittest.TestCase):
  def check_equal(self, got, expected, test):
    if isinstance(expected, list):
      self.assertEqual(len(got), len(expected))
      for one, other in zip(got, expected):
        self.check_equal(one, other, test)
      return
    self.assertEqual(tuple(got.shape), expected.shape)
    name = expected.dtype.name
    self.assertEqual(got.dtype, getattr(dtypes, BITS.get(name, name)))
    if name in BITS:  # as close as the dtype is fine
      got, expected, fine = got.float(), expected.astype(np.float32), 2**-6
    np.testing.assert_allclose(got.numpy(), expected, rtol=max(test.rtol, fine) if name in BITS else test.rtol, atol=test.atol)

  def check(self, test):
    model = test.model or onnx.load(pathlib.Path(test.model_dir) / "model.onnx")
    runner = models.OnnxRunner(model.SerializeToString())
    weights = {w.name for w in model.graph.initializer}
    names = [value.name for value in model.graph.input if value.name not in weights]
    for inputs, outputs in ([plain(list(side)) for side in pair] for pair in data_sets(test, model)):
      got = runner({name: tensor_of(value) for name, value in zip(names, inputs)})
      self.assertEqual(len(got), len(outputs))
      for one, expected in zip(got.values(), outputs):
        if expected is not None:
          self.check_equal(one, expected, test)


  def passes(self, test):
    try:
      self.check(test)
    except Exception:  # whatever it is: why it does not pass is listed
      return False
    return True


def add_cases():
  known = exceptions()
  with warnings.catch_warnings():  # the tests are computed while they are loaded
    warnings.simplefilter("ignore")
    tests = {test.name: test for kind in KINDS for test in loader.load_model_tests(kind=kind)}
  if unknown := sorted(known.keys() - tests.keys()):
    raise ValueError(f"{EXCEPTIONS.name}: there is no test {unknown[0]}")
  for name in tests.keys() - known.keys():
    setattr(TestOnnxSuite, name, lambda self, test=tests[name]: self.check(test))
  TestOnnxSuite.test_exceptions_do_not_pass = lambda self: self.assertEqual(
    [name for name in known if self.passes(tests[name])], [], f"take what passes out of {EXCEPTIONS.name}")


if onnx is not None:
  add_cases()

if __name__ == "__main__":
  unittest.main()
