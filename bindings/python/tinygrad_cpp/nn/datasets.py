"""Data sets as tensors: the pictures and labels for training, then those for testing."""
import tarfile

from tinygrad_cpp import _core
from tinygrad_cpp.device import device_name
from tinygrad_cpp.helpers import fetch
from tinygrad_cpp.tensor import Tensor

_FASHION = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"
_CIFAR = "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"


def mnist(device=None, fashion=False):
  """Digits (or clothes): uint8 [n, 1, 28, 28], [n], then of the 10000 for testing. The library looks
  for the files of the digits in its usual places before it downloads them."""
  if not fashion:
    data = _core.mnist(device_name(device))
    return (data["train.images"].reshape(-1, 1, 28, 28), data["train.labels"],
            data["test.images"].reshape(-1, 1, 28, 28), data["test.labels"])
  parts = []
  for kind in ("train", "t10k"):
    for file, header, shape in ((f"{kind}-images-idx3-ubyte.gz", 16, (-1, 1, 28, 28)),
                                (f"{kind}-labels-idx1-ubyte.gz", 8, (-1,))):
      data = fetch(_FASHION + file, gunzip=True).read_bytes()[header:]
      parts.append(Tensor(data, device=device).reshape(shape))
  return tuple(parts)


def cifar(device=None):
  """Pictures of ten kinds: uint8 [50000, 3, 32, 32], [50000], [10000, 3, 32, 32], [10000]."""
  names = [f"cifar-10-batches-bin/data_batch_{i}.bin" for i in range(1, 6)]
  with tarfile.open(fetch(_CIFAR)) as tar:
    train = b"".join(tar.extractfile(n).read() for n in names)
    test = tar.extractfile("cifar-10-batches-bin/test_batch.bin").read()
  parts = []
  for data in (train, test):
    rows = Tensor(data, device=device).reshape(-1, 3073)
    parts += [rows[:, 1:].reshape(-1, 3, 32, 32), rows[:, 0]]
  return tuple(parts)
