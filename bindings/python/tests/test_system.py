"""What surrounds computing: graphs to look at, the library's lines for people, signals, threads."""
import logging
import os
import signal
import subprocess
import sys
import threading
import unittest

from tinygrad_cpp import Context, Tensor, Variable, dtypes, set_log


class Graphs(unittest.TestCase):
  def test_a_graph_is_walked(self):
    x = Tensor([1.0, 2.0])
    y = (x * x).uop
    self.assertEqual((y.op, y.shape, y.ndim, y.dtype), ("mul", (2,), 1, dtypes.float32))
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
    n = Variable("n", 1, 8).bind(3)
    node = Tensor.ones(8, 4)[:n].uop
    self.assertEqual((node.shape, node.base.shape), ((n, 4), (8, 4)))
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


class Stop(Exception):
  """What the handlers of these tests raise."""


@unittest.skipUnless(hasattr(signal, "setitimer"), "no timers that send signals")
class Signals(unittest.TestCase):
  def setUp(self):
    one = Context(THREADS=1)  # on a busy machine nobody waits for a second one
    one.__enter__()
    self.addCleanup(one.__exit__)
    self.addCleanup(signal.signal, signal.SIGALRM, signal.getsignal(signal.SIGALRM))
    self.addCleanup(signal.setitimer, signal.ITIMER_REAL, 0)

  def after(self, seconds, handler, again=0):
    signal.signal(signal.SIGALRM, lambda *_: handler())
    signal.setitimer(signal.ITIMER_REAL, seconds, again)

  @staticmethod
  def long_work():
    """About a second of kernels; some milliseconds each."""
    x = weight = (Tensor.eye(384) + 0).realize()
    for _ in range(200):
      x = x.matmul(weight).contiguous()
    return x

  def test_a_handler_stops_long_work(self):
    def stop():
      raise Stop
    x = self.long_work()
    self.after(0.03, stop)
    with self.assertRaises(Stop):
      x.realize()
    self.assertFalse(x.is_realized)
    self.assertEqual((Tensor([1, 2]) * 3).tolist(), [3, 6])

  def test_ctrl_c_stops_long_work(self):
    x = self.long_work()
    self.after(0.03, lambda: os.kill(os.getpid(), signal.SIGINT))
    with self.assertRaises(KeyboardInterrupt):
      x.data()
    self.assertFalse(x.is_realized)

  def test_a_handler_that_raises_nothing_runs_meanwhile(self):
    seen = []
    x = self.long_work()[:, :1]
    self.after(0.03, lambda: seen.append(x.is_realized))
    x.realize()
    self.assertEqual(seen, [False])
    self.assertEqual(x.sum().item(), 1)

  def test_lines_come_while_the_work_goes_on(self):
    lines, counts = [], []
    self.addCleanup(set_log, set_log(lines.append))
    x = self.long_work()[:, :1]
    self.after(0.03, lambda: counts.append(len(lines)), again=0.03)
    with Context(DEBUG=2):
      x.realize()
    self.assertTrue(any(0 < n < len(lines) for n in counts), (counts, len(lines)))

  def test_compiling_is_stopped(self):
    code = ("import signal; from tinygrad_cpp import Tensor\n"
            "def stop(*_): raise InterruptedError\n"
            "signal.signal(signal.SIGALRM, stop)\n"
            "x = [(Tensor([float(i)] * (i + 2)).contiguous().sin() * i).cumsum(0).softmax() for i in range(300)]\n"
            "signal.setitimer(signal.ITIMER_REAL, 0.1)\n"
            "try: Tensor.realize(*x); print('done')\n"
            "except InterruptedError: print('stopped', any(t.is_realized for t in x))\n"
            "print(x[3].sum().item())\n")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                         env={**os.environ, "TG_CACHE": "off"})
    self.assertEqual((run.stdout.split()[:2], run.stderr), (["stopped", "False"], ""))
    self.assertAlmostEqual(float(run.stdout.split()[2]), 1, places=5)


class Threads(unittest.TestCase):
  def test_threads_compute_at_the_same_time(self):
    results = {}

    def work(i):
      x = Tensor([float(i)] * 8)
      for k in range(20):
        x = (x + k).contiguous()
      results[i] = x.tolist()
    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for t in threads:
      t.start()
    for t in threads:
      t.join()
    self.assertEqual(results, {i: [i + 190.0] * 8 for i in range(6)})


if __name__ == "__main__":
  unittest.main()
