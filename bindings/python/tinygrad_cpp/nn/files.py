"""Files that programs read tensors from, named by a path or given as a tensor of their bytes.
Archives are unpacked within limits: a few bytes may say that they are terabytes."""
import functools
import io

from tinygrad_cpp.dtype import dtypes
from tinygrad_cpp.errors import FileError
from tinygrad_cpp.tensor import Tensor

_MAX_MEMBERS = 100_000
_MAX_BYTES = 64 << 30
# Weights hardly shrink. What is small is harmless whatever its ratio.
_MAX_RATIO = 200
_HARMLESS_BYTES = 256 << 20


def opened(fn):
  """The file, open for reading."""
  return io.BytesIO(bytes(fn.data())) if isinstance(fn, Tensor) else open(fn, "rb")


def title_of(fn):
  """What messages call it."""
  return "the tensor" if isinstance(fn, Tensor) else str(fn)


class TensorIO(io.RawIOBase):
  """A tensor of bytes as an open file: what is read of a tensor on disk is read of the disk then."""

  def __init__(self, t):
    if t.ndim != 1 or t.dtype != dtypes.uint8:
      raise ValueError(f"TensorIO: expected bytes along one axis, not {t.dtype} {list(t.shape)}")
    self._tensor, self._position = t, 0

  def readable(self):
    return True

  def seekable(self):
    return True

  def tell(self):
    return self._position

  def seek(self, offset, whence=io.SEEK_SET):
    """Goes to a byte, counted from the beginning, from here, or from the end; not beyond either."""
    size = self._tensor.shape[0]
    self._position = min(max({0: 0, 1: self._position, 2: size}[whence] + offset, 0), size)
    return self._position

  def readinto(self, buffer):
    """Fills the buffer as far as there are bytes; gives how many."""
    part = self._tensor[self._position:self._position + len(buffer)]
    count = part.shape[0]
    buffer[:count] = bytes(part.data())
    self._position += count
    return count


class TooLarge(ValueError):
  """What an archive would unpack to is too much."""


def size_of(file):
  """The bytes of an open file; it is read from the start again."""
  size = file.seek(0, io.SEEK_END)
  file.seek(0)
  return size


def check_members(count, max_members=_MAX_MEMBERS):
  """That an archive has not too many."""
  if count > max_members:
    raise TooLarge(f"it has more than {max_members} members")


def check_unpacked(unpacked, packed, max_bytes=_MAX_BYTES):
  """That so many bytes may come of an archive of so many."""
  if unpacked > max_bytes:
    raise TooLarge(f"it unpacks to {unpacked} bytes, more than max_bytes={max_bytes}")
  if unpacked > max(_HARMLESS_BYTES, _MAX_RATIO * packed):
    raise TooLarge(f"it unpacks to {unpacked} bytes, more than {_MAX_RATIO} times its {packed}")


def check_zip(infos, packed, max_bytes=_MAX_BYTES, max_members=_MAX_MEMBERS):
  """That the members of a zip archive may be unpacked: none gives more bytes than it says."""
  check_members(len(infos), max_members)
  check_unpacked(sum(info.file_size for info in infos), packed, max_bytes)


class _Limited(io.RawIOBase):
  """A stream in which nobody gets far enough to fill the memory."""

  def __init__(self, stream, packed, max_bytes):
    self.stream, self.packed, self.max_bytes = stream, packed, max_bytes

  def readable(self):
    return True

  def seekable(self):
    return True

  def tell(self):
    return self.stream.tell()

  def seek(self, offset, whence=io.SEEK_SET):
    if whence == io.SEEK_SET:
      check_unpacked(offset, self.packed, self.max_bytes)
    return self.stream.seek(offset, whence)

  def read(self, size=-1):
    if size is None or size < 0:
      raise TooLarge("a part of it has no end")
    check_unpacked(self.tell() + size, self.packed, self.max_bytes)
    return self.stream.read(size)


def _decompressed(file):
  """The stream in a file that may be compressed."""
  begin = file.read(6)
  file.seek(0)
  if begin.startswith(b"\x1f\x8b"):
    import gzip
    return gzip.GzipFile(fileobj=file, mode="rb")
  if begin.startswith(b"BZh"):
    import bz2
    return bz2.BZ2File(file)
  if begin.startswith((b"\xfd7zXZ\0", b"\x5d\0\0")):
    import lzma
    return lzma.LZMAFile(file)
  return file


def _damage():
  import lzma
  import tarfile
  import zipfile
  import zlib
  return (TooLarge, zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, EOFError,
          NotImplementedError, RuntimeError, ValueError, OSError, MemoryError)


@functools.cache
def _damaged(kind):
  """FileError that is also `kind`, the standard library's error, which programs may catch instead."""
  return type("Damaged" + kind.__name__, (FileError, kind), {"__doc__": "An archive that cannot be read."})


def zip_extract(fn, *, max_bytes=_MAX_BYTES, max_members=_MAX_MEMBERS):
  """The members of a zip archive by name, as tensors of their bytes. FileError for one that is
  damaged, has more members or unpacks to more bytes than it may, or to 200 times its own."""
  import zipfile
  with opened(fn) as file:
    try:
      packed = size_of(file)
      with zipfile.ZipFile(file) as archive:
        check_zip(archive.infolist(), packed, max_bytes, max_members)
        return {info.filename: Tensor(archive.read(info)) for info in archive.infolist()
                if not info.is_dir()}
    except _damage() as error:
      raise _damaged(zipfile.BadZipFile)(f"zip_extract: {title_of(fn)} cannot be read: {error}.") from None


def tar_extract(fn, *, max_bytes=_MAX_BYTES, max_members=_MAX_MEMBERS):
  """The files in a tar archive, compressed or not, by name, as tensors of their bytes. FileError for
  one that is damaged, has more members or unpacks to more bytes than it may, or to 200 times its
  own."""
  import tarfile
  with opened(fn) as file:
    try:
      packed, members, total = size_of(file), {}, 0
      stream = _Limited(_decompressed(file), packed, max_bytes)
      with tarfile.open(fileobj=stream, mode="r:") as archive:
        for count, member in enumerate(archive, 1):
          check_members(count, max_members)
          if member.isreg():
            total += member.size
            check_unpacked(total, packed, max_bytes)
            members[member.name] = Tensor(archive.extractfile(member).read())
      return members
    except _damage() as error:
      raise _damaged(tarfile.ReadError)(f"tar_extract: {title_of(fn)} cannot be read: {error}.") from None
