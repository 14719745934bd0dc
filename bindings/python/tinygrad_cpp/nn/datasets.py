"""Data sets as tensors: the pictures and labels for training, then those for testing."""
import tarfile

from tinygrad_cpp import _core
from tinygrad_cpp.device import device_name
from tinygrad_cpp.helpers import fetch
from tinygrad_cpp.tensor import Tensor

# Every file with its SHA-256.
_FASHION = "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/"
_FASHION_FILES = {
  "train-images-idx3-ubyte.gz": "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
  "train-labels-idx1-ubyte.gz": "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
  "t10k-images-idx3-ubyte.gz": "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
  "t10k-labels-idx1-ubyte.gz": "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5"}
_CIFAR = ("https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
          "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd")
_MAX_BYTES = 1 << 30


def mnist(device=None, fashion=False):
  """Digits (or clothes): uint8 [n, 1, 28, 28], [n], then of the 10000 for testing. The library looks
  for the files of the digits in its usual places before it downloads them."""
  if not fashion:
    data = _core.mnist(device_name(device))
    return (data["train.images"].reshape(-1, 1, 28, 28), data["train.labels"],
            data["test.images"].reshape(-1, 1, 28, 28), data["test.labels"])
  parts = []
  for file, sha256 in _FASHION_FILES.items():
    header, shape = (16, (-1, 1, 28, 28)) if "images" in file else (8, (-1,))
    path = fetch(_FASHION + file, gunzip=True, sha256=sha256, max_bytes=_MAX_BYTES)
    parts.append(Tensor(path.read_bytes()[header:], device=device).reshape(shape))
  return tuple(parts)


def cifar(device=None):
  """Pictures of ten kinds: uint8 [50000, 3, 32, 32], [50000], [10000, 3, 32, 32], [10000]."""
  names = [f"cifar-10-batches-bin/data_batch_{i}.bin" for i in range(1, 6)]
  with tarfile.open(fetch(_CIFAR[0], sha256=_CIFAR[1], max_bytes=_MAX_BYTES)) as tar:
    train = b"".join(tar.extractfile(n).read() for n in names)
    test = tar.extractfile("cifar-10-batches-bin/test_batch.bin").read()
  parts = []
  for data in (train, test):
    rows = Tensor(data, device=device).reshape(-1, 3073)
    parts += [rows[:, 1:].reshape(-1, 3, 32, 32), rows[:, 0]]
  return tuple(parts)
