"""The programs that against_tinygrad.py times, in tinygrad's own words: `tinygrad` is whichever
package runs them."""
import subprocess
import sys
import time


class Block:
  def __init__(self, nn, inputs, outputs, stride):
    self.conv1 = nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1, bias=False)
    self.bn1 = nn.BatchNorm(outputs)
    self.conv2 = nn.Conv2d(outputs, outputs, 3, padding=1, bias=False)
    self.bn2 = nn.BatchNorm(outputs)
    self.downsample = [] if stride == 1 else [
      nn.Conv2d(inputs, outputs, 1, stride=stride, bias=False), nn.BatchNorm(outputs)]

  def __call__(self, x):
    y = self.bn2(self.conv2(self.bn1(self.conv1(x)).relu()))
    return (y + x.sequential(self.downsample)).relu()


class ResNet18:
  def __init__(self, nn):
    self.conv1, self.bn1 = nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False), nn.BatchNorm(64)
    self.layers = [Block(nn, *sizes) for sizes in (
      (64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1),
      (256, 512, 2), (512, 512, 1))]
    self.fc = nn.Linear(512, 1000)

  def __call__(self, x):
    x = self.bn1(self.conv1(x)).relu().pad((1, 1, 1, 1)).max_pool2d(3, 2)
    return self.fc(x.sequential(self.layers).mean((2, 3)))


def timed(function, count):
  """Seconds of a call, of `count` calls after some that warm up."""
  for _ in range(min(3, count)):
    function()
  start = time.perf_counter()
  for _ in range(count):
    function()
  return (time.perf_counter() - start) / count


def resnet18_graph(tinygrad):
  """Building the graph of a forward of ResNet-18; the weights stand in memory."""
  model = ResNet18(tinygrad.nn)
  for tensor in tinygrad.nn.state.get_state_dict(model).values():
    tensor.replace(tinygrad.Tensor.zeros(*tensor.shape, dtype=tensor.dtype).contiguous().realize())
  x = tinygrad.Tensor.zeros(1, 3, 224, 224).contiguous().realize()
  return lambda: model(x)


def jitted_kernel(tinygrad):
  """A call of a captured function of one kernel."""
  step = tinygrad.TinyJit(lambda a: (a + 1).realize())
  x = tinygrad.Tensor([1.0, 2.0]).contiguous().realize()
  return lambda: step(x)


def nothing(tinygrad):
  """A call of a Python function that does nothing: what the loop itself costs."""
  return lambda: None


def unary(tinygrad):
  """x.relu(), not computed."""
  x = tinygrad.Tensor([1.0, 2.0]).contiguous().realize()
  return lambda: x.relu()


def binary(tinygrad):
  """x + y, not computed."""
  x, y = (tinygrad.Tensor([1.0, 2.0]).contiguous().realize() for _ in range(2))
  return lambda: x + y


def view(tinygrad):
  """x.reshape(2, 1), which never computes anything."""
  x = tinygrad.Tensor([1.0, 2.0]).contiguous().realize()
  return lambda: x.reshape(2, 1)


def process(package):
  """From the start of a process to the result of a small kernel that is in the cache."""
  code = f"from {package} import Tensor; assert (Tensor([1., 2.]) + 1).tolist() == [2, 3]"
  return lambda: subprocess.run([sys.executable, "-c", code], check=True)


# name → (what makes the function, calls a sample with this package, with tinygrad)
PROGRAMS = {"nothing": (nothing, 20000, 1000), "resnet18_graph": (resnet18_graph, 50, 5),
            "jitted_kernel": (jitted_kernel, 20000, 1000), "unary": (unary, 20000, 1000),
            "binary": (binary, 20000, 1000), "view": (view, 20000, 1000), "process": (process, 3, 1)}
IN_CPP = ("unary", "binary", "view")  # what bench/calls.cpp times, too
