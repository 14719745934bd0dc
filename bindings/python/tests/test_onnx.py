"""nn.onnx: models of ONNX files as functions of tensors. What the operators compute is tested in C++ with ONNX's own data
(tests/unit/frontend/onnx); here: what a file says, what goes in and comes out, weights, errors."""
import contextlib
import io
import os
import pathlib
import tempfile
import unittest
import warnings

import onnx_files
from tinygrad_cpp import Tensor, TinyJit, dtypes
from tinygrad_cpp.errors import ArgumentError, DTypeError, FileError, ShapeError
from tinygrad_cpp.nn import onnx
from tinygrad_cpp.nn.onnx import OnnxRunner, OnnxValue


def linear(version=17):
  """y = relu(x w + b), x [batch, 2], w [2, 2]."""
  return onnx_files.model(
    [onnx_files.node("MatMul", ["x", "w"], ["xw"]), onnx_files.node("Add", ["xw", "b"], ["sum"]),
     onnx_files.node("Relu", ["sum"], ["y"])],
    [onnx_files.value("x", "float32", ["batch", 2])], [onnx_files.value("y", "float32", ["batch", 2])],
    [onnx_files.tensor("w", "float32", [2, 2], [1, 2, 3, 4]), onnx_files.tensor("b", "float32", [2], [0.5, -9])], version)


def sequences():
  """The items of a sequence joined, and split again."""
  return onnx_files.model(
    [onnx_files.node("ConcatFromSequence", ["s"], ["joined"], axis=0),
     onnx_files.node("SplitToSequence", ["joined"], ["parts"], axis=0)],
    [onnx_files.value("s", "int64", [None], "sequence")],
    [onnx_files.value("joined", "int64", [None]), onnx_files.value("parts", "int64", [None], "sequence")])


class TestOnnx(unittest.TestCase):
  def setUp(self):
    if onnx._onnx is None:
      self.skipTest("the package was built without protobuf")

  def test_a_model_computes(self):
    model = OnnxRunner(linear())
    out = model({"x": Tensor([[1.0, 1.0], [0.0, 2.0]])})
    self.assertEqual(list(out), ["y"])
    self.assertEqual(out["y"].tolist(), [[4.5, 0.0], [6.5, 0.0]])

  def test_a_file_says_what_goes_in_and_comes_out(self):
    model = OnnxRunner(linear())
    self.assertEqual(model.graph_inputs, {"x": OnnxValue(("batch", 2), dtypes.float32, False, False)})
    self.assertEqual(model.graph_outputs, ("y",))
    self.assertEqual(model.operators, {"Add": 1, "MatMul": 1, "Relu": 1})
    self.assertEqual((model.unsupported, model.is_training), ([], False))
    self.assertEqual(OnnxRunner(sequences()).graph_inputs["s"], OnnxValue((None,), dtypes.int64, False, True))

  def test_models_come_from_paths_tensors_and_bytes(self):
    with tempfile.TemporaryDirectory() as folder:
      path = pathlib.Path(folder) / "model.onnx"
      path.write_bytes(linear())
      for source in (path, str(path), Tensor(linear()), bytearray(linear())):
        self.assertEqual(OnnxRunner(source)({"x": [[1.0, 1.0]]})["y"].tolist(), [[4.5, 0.0]])

  def test_what_becomes_a_tensor_may_be_given(self):
    model = OnnxRunner(linear())
    with warnings.catch_warnings():
      warnings.simplefilter("error")
      self.assertEqual(model({"x": [[1, 1]]})["y"].tolist(), [[4.5, 0.0]])
    with self.assertWarnsRegex(UserWarning, "input x has mismatch on dtype"):
      self.assertEqual(model({"x": Tensor([[1, 1]])})["y"].tolist(), [[4.5, 0.0]])

  def test_sequences_are_lists(self):
    out = OnnxRunner(sequences())({"s": [Tensor([1, 2], dtype=dtypes.int64), [3]]})
    self.assertEqual(out["joined"].tolist(), [1, 2, 3])
    self.assertEqual([part.tolist() for part in out["parts"]], [[1], [2], [3]])
    with self.assertRaisesRegex(ArgumentError, "expected a sequence"):
      OnnxRunner(sequences())({"s": Tensor([1])})

  def test_weights_are_the_models_own(self):
    model = OnnxRunner(linear())
    self.assertEqual(model.graph_values["w"].tolist(), [[1, 2], [3, 4]])
    weight = model.graph_values["w"]
    weight.assign(weight * 2).realize()
    self.assertEqual(model({"x": [[1.0, 1.0]]})["y"].tolist(), [[8.5, 3.0]])

  def test_gradients_flow_to_weights(self):
    model = OnnxRunner(linear())
    weight = model.graph_values["w"]
    loss = model({"x": [[1.0, 3.0]]})["y"].sum()
    self.assertEqual(loss.gradient(weight)[0].tolist(), [[1, 1], [3, 3]])

  def test_a_captured_call_is_replayed(self):
    model = OnnxRunner(linear())
    run = TinyJit(lambda **inputs: {name: t.realize() for name, t in model(inputs).items()})
    for x in range(4):
      self.assertEqual(run(x=Tensor([[float(x), 0.0]]).realize())["y"].tolist(), [[x + 0.5, max(2.0 * x - 9, 0)]])

  def test_weights_move_to_a_device(self):
    model = OnnxRunner(linear())
    self.assertIs(model.to("CPU:1"), model)
    self.assertEqual(model.graph_values["w"].device, "CPU:1")
    out = model({"x": Tensor([[1.0, 1.0]], device="CPU:1")})["y"]
    self.assertEqual((out.device, out.tolist()), ("CPU:1", [[4.5, 0.0]]))

  def test_debug_prints_what_runs(self):
    with contextlib.redirect_stdout(io.StringIO()) as printed:
      OnnxRunner(linear())({"x": [[1.0, 1.0]]}, debug=1)
    self.assertEqual(printed.getvalue(), "3 nodes: 1 Add, 1 MatMul, 1 Relu\n")

  def test_mistakes_are_named(self):
    model = OnnxRunner(linear())
    for error, inputs, message in ((ArgumentError, {}, "please provide input data for x"),
                                   (ShapeError, {"x": Tensor.zeros(1, 3)}, r"input \"x\" must have shape \[batch, 2\]")):
      with self.assertRaisesRegex(error, message):
        model(inputs)
    with self.assertRaisesRegex(DTypeError, "must be uint8"):
      OnnxRunner(Tensor([1.0]))
    with self.assertRaisesRegex(FileError, "nowhere.onnx"):
      OnnxRunner(os.path.join(tempfile.gettempdir(), "nowhere.onnx"))
    for cut in range(1, len(linear()), 7):
      with contextlib.suppress(FileError):  # some beginnings of a file are a file
        OnnxRunner(linear()[:cut])

  def test_operators_that_are_not_supported_are_listed(self):
    unknown = OnnxRunner(onnx_files.model([onnx_files.node("Wobble", ["x"], ["y"])],
                                          [onnx_files.value("x", "float32", [1])], [onnx_files.value("y", "float32", [1])]))
    self.assertEqual([u[1:] for u in unknown.unsupported], [("Wobble", "no such operator")])
    with self.assertRaisesRegex(ArgumentError, "Wobble"):
      unknown({"x": [1.0]})


if __name__ == "__main__":
  unittest.main()
