"""Children by fork of a process that already computed: they compute, or say why they do not; none waits
for ever. And counts that 32 bits do not hold."""
import os
import signal
import threading
import unittest

from tinygrad_cpp import Device, DeviceError, Tensor, TinyJit, dtypes

FORKED = "this process was forked "


def in_child(body):
  """The text that `body` gives in a child, or "hangs"."""
  reader, writer = os.pipe()
  child = os.fork()
  if child == 0:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(60)
    try:
      said = str(body())
    except BaseException as error:
      said = f"{type(error).__name__}: {error}"
    os.write(writer, said.encode())
    os._exit(0)
  os.close(writer)
  with os.fdopen(reader) as file:
    said = file.read()
  _, status = os.waitpid(child, 0)
  return said if status == 0 else "hangs"


@unittest.skipUnless(hasattr(os, "fork"), "there is no fork here")
class Forks(unittest.TestCase):
  def test_a_child_computes_with_what_its_parent_made(self):
    x = Tensor.arange(200_000, device="CPU").reshape(400, 500).cast(dtypes.float64).realize()
    expected = (x.T @ x).sum().item()
    self.assertEqual(in_child(lambda: (x.T @ x).sum().item()), str(expected))
    self.assertEqual(in_child(lambda: (x * 3 + 7).max().item()), str(199_999.0 * 3 + 7))
    self.assertEqual((x.T @ x).sum().item(), expected)

  def test_a_child_repeats_a_captured_function(self):
    double = TinyJit(lambda t: (t * 2).sum().realize())
    x = Tensor.arange(100_000, device="CPU").realize()
    for _ in range(3):
      expected = double(x).item()
    self.assertEqual(in_child(lambda: double(x).item()), str(expected))

  def test_a_child_of_a_child_computes(self):
    x = Tensor.arange(10, device="CPU").realize()
    self.assertEqual(in_child(lambda: in_child(lambda: x.sum().item())), "45")

  def test_a_child_that_is_forked_while_others_compute_does_not_wait(self):
    stop, begun = threading.Event(), threading.Event()

    def compute():
      n = 0
      while not stop.is_set():
        n += 1
        (Tensor.arange(1000 + n, device="CPU") * n).sum().item()
        begun.set()
    other = threading.Thread(target=compute)
    other.start()
    try:
      begun.wait()
      for i in range(10):
        said = in_child(lambda: Tensor.arange(7 + i, device="CPU").sum().item())
        if said != str(sum(range(7 + i))):
          self.assertTrue(said.startswith(f"DeviceError: realize: {FORKED}while another thread"), said)
    finally:
      stop.set()
      other.join()

  def test_a_driver_that_a_child_lacks_is_an_error(self):
    try:
      x = Tensor([1.0, 2.0], device="OPENCL").realize()
    except DeviceError as error:
      self.skipTest(f"there is no OpenCL: {error}")
    expected = f"DeviceError: OPENCL: {FORKED}after the device was opened"
    for use in (lambda: x.tolist(), lambda: (x + 1).realize(), lambda: x.assign(x * 2).realize(),
                lambda: Tensor([3.0], device="OPENCL").realize(), lambda: Device["OPENCL"].synchronize()):
      self.assertTrue(in_child(use).startswith(expected), in_child(use))
    self.assertEqual(in_child(lambda: Tensor([3], device="CPU").sum().item()), "3")
    self.assertEqual((x + 1).tolist(), [2.0, 3.0])


class ManyElements(unittest.TestCase):
  """More than 2**31 elements that take no memory."""
  N = (1 << 31) + 12345

  def test_sums_of_what_is_stretched(self):
    one = Tensor.ones(1, dtype=dtypes.bool, device="CPU").contiguous().realize()
    self.assertEqual(one.expand(self.N).sum(dtype=dtypes.int64).item(), self.N)
    row = Tensor([[1, 2, 3]], dtype=dtypes.int8, device="CPU").realize()
    self.assertEqual(row.expand(self.N // 3, 3).sum(dtype=dtypes.int64).item(), self.N // 3 * 6)

  def test_counts_over_a_range(self):
    i = Tensor.arange(self.N, dtype=dtypes.int64, device="CPU")
    self.assertEqual((i < self.N - 7).sum(dtype=dtypes.int64).item(), self.N - 7)
    self.assertEqual((i % 5 == 3).sum(dtype=dtypes.int64).item(), (self.N - 3 + 4) // 5)
    self.assertEqual(i.max().item(), self.N - 1)

  def test_loops_that_reach_beyond(self):
    row = Tensor([[1, 2, 3]], dtype=dtypes.int64, device="CPU").realize()
    rows = Tensor.arange(self.N // 3, dtype=dtypes.int64, device="CPU").reshape(-1, 1)
    places = row.expand(self.N // 3, 3) + rows * 3
    self.assertEqual((places % 7 == 6).sum(dtype=dtypes.int64).item(), (self.N // 3 * 3 - 6) // 7 + 1)


if __name__ == "__main__":
  unittest.main()
