"""Data sets as tensors: the pictures and labels for training and for testing."""
import gzip
import os
import pathlib
import tarfile

from tinygrad_cpp.helpers import fetch
from tinygrad_cpp.tensor import Tensor

_MNIST = "https://storage.googleapis.com/cvdf-datasets/mnist/"
_FASHION = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"
_CIFAR = "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"
_FILES = (("train-images-idx3-ubyte", 16), ("train-labels-idx1-ubyte", 8),
          ("t10k-images-idx3-ubyte", 16), ("t10k-labels-idx1-ubyte", 8))
_PART = ("train-", "train10k-")  # a smaller training set that may lie on the disk instead


def _local_folders(name):
  """Where the files may lie already."""
  root = os.environ.get("TG_DATA") or os.environ.get("DATASETS")
  roots = ([pathlib.Path(root)] if root else []) + [pathlib.Path("../shared/datasets")]
  return [folder for r in roots for folder in (r / name, r)]


def _idx(name, file, base):
  """The bytes of a file of the MNIST family."""
  names = dict.fromkeys((file, file.replace(*_PART)))
  for folder in _local_folders(name):
    for path in (folder / f"{n}{end}" for n in names for end in ("", ".gz")):
      if path.is_file():
        data = path.read_bytes()
        return gzip.decompress(data) if path.suffix == ".gz" else data
  return fetch(f"{base}{file}.gz", gunzip=True).read_bytes()


def mnist(device=None, fashion=False):
  """Digits (or clothes): uint8 [60000, 1, 28, 28], [60000], [10000, 1, 28, 28], [10000]. Files are
  taken from $TG_DATA or ../shared/datasets if they lie there, else downloaded."""
  name, base = ("fashion-mnist", _FASHION) if fashion else ("mnist", _MNIST)
  parts = []
  for file, header in _FILES:
    data = Tensor(_idx(name, file, base)[header:], device=device)
    parts.append(data.reshape(-1, 1, 28, 28) if header == 16 else data)
  return tuple(parts)


def cifar(device=None):
  """Pictures of ten kinds: uint8 [50000, 3, 32, 32], [50000], [10000, 3, 32, 32], [10000]."""
  archive = fetch(_CIFAR)
  with tarfile.open(archive) as tar:
    names = [f"cifar-10-batches-bin/data_batch_{i}.bin" for i in range(1, 6)]
    train = b"".join(tar.extractfile(n).read() for n in names)
    test = tar.extractfile("cifar-10-batches-bin/test_batch.bin").read()
  parts = []
  for data in (train, test):
    rows = Tensor(data, device=device).reshape(-1, 3073)
    parts += [rows[:, 1:].reshape(-1, 3, 32, 32), rows[:, 0]]
  return tuple(parts)
