"""fetch: files from the net, once, into a folder of the user's cache. A file is written beside its
name and renamed when it is whole and checked, so that what lies there is never half a file."""
import contextlib
import os
import secrets

from tinygrad_cpp.errors import FileError

# More than the largest single files of weights; a server that sends without end is stopped here.
MAX_BYTES = 64 << 30
_BLOCK = 1 << 20
_TIMEOUT_S = 30


def cache_dir():
  """Where downloads are kept."""
  import pathlib
  base = os.getenv("XDG_CACHE_HOME") or str(pathlib.Path.home() / ".cache")
  return pathlib.Path(base) / "tinygrad_cpp"


def _sync_folder(folder):
  """The names in a folder reach the disk. The file is there and whole whether or not that works, so a
  folder that cannot be opened for reading, or not synchronised, is no error."""
  if os.name != "posix":
    return
  with contextlib.suppress(OSError):
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
      os.fsync(opened)
    finally:
      os.close(opened)


@contextlib.contextmanager
def replacing(path, function):
  """A new file, open for writing, that takes the place of `path` at the end of the block, on the disk
  and all at once. After an exception the old file is as it was and nothing is left; those of the
  system become a FileError of `function` that names the file."""
  part = f"{path}.{secrets.token_hex(6)}.part"
  try:
    try:
      with open(part, "xb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
      with contextlib.suppress(OSError):
        os.chmod(part, os.stat(path).st_mode & 0o777)
      os.replace(part, path)
      _sync_folder(os.path.dirname(path) or ".")
    finally:
      with contextlib.suppress(OSError):
        os.unlink(part)
  except FileError:
    raise
  except OSError as error:
    raise FileError(f"{function}: cannot write \"{path}\": {error.strerror or error}.") from None


def _refuse(url, why):
  raise FileError(f"fetch: cannot download {url}: {why}.")


class _Body:
  """What a server sends, read in blocks, counted and summed up."""

  def __init__(self, url, response, max_bytes):
    import hashlib
    self.url, self.response, self.max_bytes = url, response, max_bytes
    self.sum, self.count = hashlib.sha256(), 0
    length = response.headers.get("Content-Length", "")
    self.expected = int(length) if length.isdigit() else None
    if self.expected is not None and self.expected > max_bytes:
      self.too_large(f"it has {self.expected} bytes")

  def too_large(self, what):
    _refuse(self.url, f"{what}, more than max_bytes={self.max_bytes}")

  def read(self, size=_BLOCK):
    """The next bytes, at most as many as asked for."""
    block = self.response.read(_BLOCK if size is None or size < 0 else min(size, _BLOCK))
    self.count += len(block)
    self.sum.update(block)
    if self.count > self.max_bytes:
      self.too_large("it does not end")
    return block

  def check(self, sha256):
    """That all of it came, and that it is what was wanted."""
    while self.read():
      pass
    if self.expected is not None and self.count != self.expected:
      _refuse(self.url, f"{self.count} of {self.expected} bytes came")
    if sha256 is not None and self.sum.hexdigest() != sha256.lower():
      _refuse(self.url, f"its SHA-256 is {self.sum.hexdigest()}, expected {sha256.lower()}")


def _unpacked(body):
  import gzip
  count = 0
  with gzip.GzipFile(fileobj=body, mode="rb") as file:
    for block in iter(lambda: file.read(_BLOCK), b""):
      count += len(block)
      if count > body.max_bytes:
        body.too_large("it unpacks to more bytes")
      yield block


def _incoming(url, headers, gunzip, sha256, max_bytes):
  """The blocks of a file from the net, unpacked if that is wanted; at their end it was checked."""
  import http.client
  import urllib.request
  import zlib
  try:
    request = urllib.request.Request(url, headers={"User-Agent": "tinygrad_cpp", **(headers or {})})
    with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as response:
      if url.startswith("https:") and not response.geturl().startswith("https:") and not sha256:
        _refuse(url, f"it is redirected to {response.geturl()}, which is not encrypted")
      body = _Body(url, response, max_bytes)
      yield from _unpacked(body) if gunzip else iter(body.read, b"")
      body.check(sha256)
  except FileError:
    raise
  except (EOFError, zlib.error) as error:
    _refuse(url, f"it is no gzip file, or damaged: {error}")
  except http.client.HTTPException as error:
    _refuse(url, f"the server's answer cannot be read: {error!r}")
  except (OSError, ValueError) as error:
    _refuse(url, error)


def fetch(url, name=None, subdir=None, gunzip=False, allow_caching=True, headers=None, *, sha256=None,
          max_bytes=MAX_BYTES):
  """The file of an address, downloaded once. A path that exists is given back. `sha256`: of what the
  server sends, in hexadecimal digits; a file that was fetched with another sum, or with none, does
  not count. `max_bytes`: of the file, packed and unpacked. FileError if it cannot be had."""
  import hashlib
  import pathlib
  if not str(url).startswith(("http://", "https://")):
    return pathlib.Path(url)
  if sha256 is not None and (len(sha256) != 64 or set(sha256.lower()) - set("0123456789abcdef")):
    raise ValueError(f"fetch: sha256 has 64 hexadecimal digits, not {sha256!r}")
  digest = hashlib.md5(url.encode(), usedforsecurity=False).hexdigest() + (".gunzip" if gunzip else "")
  checked = [sha256.lower()] if sha256 else []
  path = cache_dir().joinpath("downloads", subdir or "", *checked, name or digest)
  if path.is_file() and allow_caching:
    return path
  try:
    path.parent.mkdir(parents=True, exist_ok=True)
  except OSError as error:
    raise FileError(f"fetch: cannot make \"{path.parent}\": {error.strerror}.") from None
  with replacing(path, "fetch") as file:
    for block in _incoming(url, headers, gunzip, sha256, max_bytes):
      file.write(block)
  return path
