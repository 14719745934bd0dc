"""What surrounds computing: graphs to look at, the library's lines for people."""
import logging
import subprocess
import sys
import unittest

from tinygrad_cpp import Context, Tensor, Variable, set_log


class Graphs(unittest.TestCase):
  def test_a_graph_is_walked(self):
    x = Tensor([1.0, 2.0])
    y = (x * x).uop
    self.assertEqual((y.op, y.shape, y.ndim, y.dtype), ("mul", (2,), 1, "float32"))
    self.assertIs(y.src[0], y.src[1])
    self.assertEqual([node.op for node in y.toposort()], ["buffer", "mul"])
    self.assertEqual([node.op for node in y.src[0].walk()], ["buffer"])

  def test_a_graph_is_printed(self):
    text = str((Tensor([1.0, 2.0]) + 1).uop)
    self.assertEqual(text.splitlines()[-1].split(" : ")[0], "%4 = add %0, %3")

  def test_nothing_is_computed_by_looking(self):
    x = Tensor([1.0, 2.0]) + 1
    self.assertIsNotNone(x.uop)
    self.assertFalse(x.is_realized)

  def test_sizes_that_vary(self):
    node = Tensor.ones(8, 4)[:Variable("n", 1, 8).bind(3)].uop
    self.assertEqual(node.shape, (8, 4))
    self.assertIn("var", [n.op for n in node.toposort()])

  def test_values_live_behind_long_chains(self):
    x = Tensor([1.0])
    for _ in range(3000):
      x = x * x
    self.assertEqual(len(x.uop.toposort()), 3001)


class Log(unittest.TestCase):
  def tearDown(self):
    set_log(None)

  def test_lines_reach_a_function(self):
    lines = []
    self.assertIsNone(set_log(lines.append))
    with Context(DEBUG=1):
      (Tensor([1.0, 2.0]) + 41).realize()
    self.assertIn("realize on", lines[0])
    self.assertEqual(set_log(None), lines.append)

  def test_lines_reach_a_logger(self):
    logger = logging.getLogger("tinygrad")
    with self.assertLogs(logger, logging.INFO) as seen, Context(DEBUG=1):
      set_log(logger.info)
      (Tensor([1.0, 2.0]) + 42).realize()
    self.assertIn("realize on", seen.output[0])

  def test_what_a_sink_raises_stays_there(self):
    shown = []
    before, sys.unraisablehook = sys.unraisablehook, lambda hook: shown.append(hook.exc_value)
    self.addCleanup(setattr, sys, "unraisablehook", before)

    def sink(line):
      raise KeyError(line)
    set_log(sink)
    with Context(DEBUG=1):
      self.assertEqual((Tensor([1.0, 2.0]) + 43).tolist(), [44, 45])
    self.assertIsInstance(shown[0], KeyError)

  def test_a_sink_is_a_function(self):
    with self.assertRaises(TypeError):
      set_log("file")

  def test_the_last_lines_come_before_the_end(self):
    code = ("from tinygrad_cpp import *; import sys\nset_log(lambda line: print('got', line))\n"
            "with Context(DEBUG=1): (Tensor([1.0]) + 44).realize()")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    self.assertIn("got realize on", run.stdout)
    self.assertEqual((run.stderr, run.returncode), ("", 0))


if __name__ == "__main__":
  unittest.main()
