"""Files that programs read tensors from, named by a path or given as a tensor of their bytes."""
import io

from tinygrad_cpp.errors import FileError
from tinygrad_cpp.tensor import Tensor


def opened(fn):
  """The file, open for reading."""
  return io.BytesIO(bytes(fn.data())) if isinstance(fn, Tensor) else open(fn, "rb")


def title_of(fn):
  """What messages call it."""
  return "the tensor" if isinstance(fn, Tensor) else str(fn)


def zip_extract(fn):
  """The members of a zip archive by name, as tensors of their bytes."""
  import zipfile
  import zlib
  with opened(fn) as file:
    try:
      with zipfile.ZipFile(file) as archive:
        return {name: Tensor(archive.read(name)) for name in archive.namelist()
                if not name.endswith("/")}
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
      raise FileError(f"zip_extract: {title_of(fn)} cannot be read: {error}.") from None


def tar_extract(fn):
  """The files in a tar archive, compressed or not, by name, as tensors of their bytes."""
  import tarfile
  import zlib
  with opened(fn) as file:
    try:
      with tarfile.open(fileobj=file) as archive:
        return {member.name: Tensor(archive.extractfile(member).read()) for member in archive
                if member.isreg()}
    except (tarfile.TarError, zlib.error, EOFError) as error:
      raise FileError(f"tar_extract: {title_of(fn)} cannot be read: {error}.") from None
