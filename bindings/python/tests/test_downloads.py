"""fetch: what a server may do, and what is left in the cache afterwards. Archives that unpack to more
than anybody wants."""
import bz2
import gzip
import hashlib
import http.server
import io
import lzma
import os
import pathlib
import resource
import stat
import sys
import tarfile
import tempfile
import threading
import unittest
import unittest.mock
import zipfile

import torch_files

from tinygrad_cpp import FileError
from tinygrad_cpp.downloads import replacing
from tinygrad_cpp.helpers import fetch
from tinygrad_cpp.nn import datasets
from tinygrad_cpp.nn.state import tar_extract, torch_load, zip_extract

BODY = b"weights" * 1000
SUM = hashlib.sha256(BODY).hexdigest()


class Server(http.server.BaseHTTPRequestHandler):
  """Answers by the path; counts."""
  asked = 0

  def do_GET(self):
    Server.asked += 1
    getattr(self, self.path.split("/")[1])()

  def answer(self, body, length=None):
    self.send_response(200)
    if length is not None:
      self.send_header("Content-Length", str(length))
    self.end_headers()
    self.wfile.write(body)

  def good(self):
    self.answer(BODY, len(BODY))

  def packed(self):
    body = gzip.compress(BODY)
    self.answer(body, len(body))

  def bomb(self):
    body = gzip.compress(bytes(8 << 20))
    self.answer(body, len(body))

  def cut(self):
    self.answer(BODY[:100], len(BODY))

  def endless(self):
    self.send_response(200)
    self.end_headers()
    try:
      while True:
        self.wfile.write(bytes(1 << 16))
    except OSError:
      pass

  def huge(self):
    self.answer(b"", 1 << 60)

  def missing(self):
    self.send_error(404)

  def log_message(self, *_):
    pass


class Fetch(unittest.TestCase):
  def setUp(self):
    folder = tempfile.TemporaryDirectory()
    self.addCleanup(folder.cleanup)
    self.cache = pathlib.Path(folder.name)
    environment = unittest.mock.patch.dict(os.environ, XDG_CACHE_HOME=folder.name, no_proxy="*")
    environment.start()
    self.addCleanup(environment.stop)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    self.addCleanup(server.server_close)
    self.addCleanup(server.shutdown)
    self.base = f"http://127.0.0.1:{server.server_port}/"
    Server.asked = 0

  def files(self):
    return [p for p in self.cache.rglob("*") if p.is_file()]

  def refused(self, path, why, **kwargs):
    with self.assertRaises(FileError) as caught:
      fetch(self.base + path, **kwargs)
    self.assertEqual(str(caught.exception), f"fetch: cannot download {self.base}{path}: {why}.")
    self.assertEqual(self.files(), [])

  def test_a_file_is_downloaded_once(self):
    self.assertEqual(fetch(self.base + "good").read_bytes(), BODY)
    self.assertEqual(fetch(self.base + "good").read_bytes(), BODY)
    self.assertEqual((Server.asked, len(self.files())), (1, 1))
    fetch(self.base + "good", allow_caching=False)
    self.assertEqual(Server.asked, 2)

  def test_what_was_packed_is_unpacked(self):
    self.assertEqual(fetch(self.base + "packed", "f", gunzip=True).read_bytes(), BODY)
    sha256 = hashlib.sha256(gzip.compress(BODY, mtime=0)).hexdigest()
    with unittest.mock.patch.object(Server, "packed", lambda s: s.answer(gzip.compress(BODY, mtime=0))):
      self.assertEqual(fetch(self.base + "packed", gunzip=True, sha256=sha256).read_bytes(), BODY)

  def test_a_file_with_another_sum_is_refused(self):
    self.assertEqual(fetch(self.base + "good", sha256=SUM.upper()).read_bytes(), BODY)
    for path in self.files():
      path.unlink()
    self.refused("good", f"its SHA-256 is {SUM}, expected {'0' * 64}", sha256="0" * 64)

  def test_a_file_that_was_not_checked_is_none_that_was(self):
    with unittest.mock.patch.object(Server, "good", lambda s: s.answer(b"evil")):
      fetch(self.base + "good", "weights")
    self.assertEqual(fetch(self.base + "good", "weights", sha256=SUM).read_bytes(), BODY)

  def test_a_sum_has_64_digits(self):
    with self.assertRaisesRegex(ValueError, "64 hexadecimal digits"):
      fetch(self.base + "good", sha256="abc")

  def test_a_file_that_ends_early_is_refused(self):
    self.refused("cut", "100 of 7000 bytes came")

  def test_a_file_that_is_too_large_is_refused(self):
    self.refused("good", "it has 7000 bytes, more than max_bytes=6999", max_bytes=6999)
    self.assertEqual(len(fetch(self.base + "good", max_bytes=7000).read_bytes()), 7000)
    for path in self.files():
      path.unlink()
    self.refused("huge", f"it has {1 << 60} bytes, more than max_bytes={64 << 30}")
    self.refused("endless", "it does not end, more than max_bytes=5000000", max_bytes=5_000_000)

  def test_what_unpacks_to_too_much_is_refused(self):
    self.refused("bomb", "it unpacks to more bytes, more than max_bytes=1000000", gunzip=True,
                 max_bytes=1_000_000)

  def test_what_is_not_packed_is_refused(self):
    self.refused("good", "Not a gzipped file (b'we')", gunzip=True)

  def test_what_is_missing_is_an_error(self):
    self.refused("missing", "HTTP Error 404: Not Found")

  def test_a_path_is_given_back(self):
    for path in ("/some/where", "http.bin", "https"):
      self.assertEqual(fetch(path), pathlib.Path(path))

  def test_a_cache_that_cannot_be_made_is_an_error(self):
    (self.cache / "tinygrad_cpp").write_text("no folder")
    with self.assertRaisesRegex(FileError, "fetch: cannot make .*Not a directory"):
      fetch(self.base + "good")

  def test_data_sets_are_encrypted_and_checked(self):
    asked = []
    with unittest.mock.patch.object(datasets, "fetch", side_effect=lambda *a, **k: asked.append((a, k)) or 1 / 0):
      for function in (lambda: datasets.mnist(fashion=True), datasets.cifar):
        self.assertRaises(ZeroDivisionError, function)
    self.assertEqual(len(asked), 2)
    for (url, *_), kwargs in asked:
      self.assertTrue(url.startswith("https://"), url)
      self.assertEqual(len(kwargs["sha256"]), 64)


class Replacing(unittest.TestCase):
  def setUp(self):
    folder = tempfile.TemporaryDirectory()
    self.addCleanup(folder.cleanup)
    self.path = pathlib.Path(folder.name) / "f"

  def test_an_error_keeps_the_old_file(self):
    self.path.write_bytes(b"old")
    with self.assertRaises(KeyError), replacing(self.path, "save") as file:
      file.write(b"new")
      raise KeyError
    self.assertEqual((self.path.read_bytes(), os.listdir(self.path.parent)), (b"old", ["f"]))

  def test_a_disk_without_room_is_named(self):
    self.path.write_bytes(b"old")
    with self.assertRaisesRegex(FileError, f'save: cannot write "{self.path}": No space left on device'):
      with replacing(self.path, "save"):
        with open("/dev/full", "wb", buffering=0) as full:
          full.write(b"x")
    self.assertEqual((self.path.read_bytes(), os.listdir(self.path.parent)), (b"old", ["f"]))

  @unittest.skipUnless(sys.platform == "linux", "names descriptors by /proc")
  def test_the_file_and_then_its_folder_reach_the_disk(self):
    synced = []

    def fsync(descriptor):
      at = f"/proc/self/fd/{descriptor}"
      synced.append((os.path.realpath(at), self.path.exists()))

    with unittest.mock.patch.object(os, "fsync", fsync):
      with replacing(self.path, "save") as file:
        file.write(b"new")
        part = os.path.realpath(file.name)
    self.assertEqual(synced, [(part, False), (os.path.realpath(self.path.parent), True)])

  def test_a_name_without_a_folder_is_one_of_the_current_folder(self):
    old = os.getcwd()
    self.addCleanup(os.chdir, old)
    os.chdir(self.path.parent)
    with unittest.mock.patch.object(os, "fsync", unittest.mock.Mock()) as fsync:
      with replacing("f", "save") as file:
        file.write(b"new")
    self.assertEqual((fsync.call_count, self.path.read_bytes()), (2, b"new"))

  def test_a_folder_that_cannot_be_synchronised_is_no_error(self):
    def fsync(descriptor):
      if stat.S_ISDIR(os.fstat(descriptor).st_mode):
        raise OSError(5, "Input/output error")

    with unittest.mock.patch.object(os, "fsync", fsync):
      with replacing(self.path, "save") as file:
        file.write(b"new")
    self.assertEqual((self.path.read_bytes(), os.listdir(self.path.parent)), (b"new", ["f"]))

  def test_the_mode_stays(self):
    self.path.write_bytes(b"old")
    self.path.chmod(0o600)
    with replacing(self.path, "save") as file:
      file.write(b"new")
    self.assertEqual((self.path.read_bytes(), self.path.stat().st_mode & 0o777), (b"new", 0o600))


def zipped(members):
  out = io.BytesIO()
  with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
    for name, data in members:
      archive.writestr(name, data)
  return out.getvalue()


def tarred(members, compress=lambda data: data):
  out = io.BytesIO()
  with tarfile.open(fileobj=out, mode="w") as archive:
    for name, data in members:
      info = tarfile.TarInfo(name)
      info.size = len(data)
      archive.addfile(info, io.BytesIO(data))
  return compress(out.getvalue())


class Bombs(unittest.TestCase):
  def refused(self, function, data, why, **kwargs):
    with tempfile.TemporaryDirectory() as folder:
      path = pathlib.Path(folder) / "file"
      path.write_bytes(data)
      before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
      with self.assertRaisesRegex(FileError, why):
        function(path, **kwargs)
      self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 100 << 10)

  def test_members_are_counted(self):
    members = [(str(i), b"") for i in range(11)]
    self.refused(zip_extract, zipped(members), "more than 10 members", max_members=10)
    self.refused(tar_extract, tarred(members), "more than 10 members", max_members=10)
    self.assertEqual(len(zip_extract_bytes(zipped(members))), 11)

  def test_bytes_are_counted_over_all_members(self):
    members = [(str(i), bytes(600)) for i in range(2)]
    self.refused(zip_extract, zipped(members), "unpacks to 1200 bytes, more than max_bytes=1000",
                 max_bytes=1000)
    self.refused(tar_extract, tarred(members), "more than max_bytes=1000", max_bytes=1000)

  def test_zeros_without_end_are_refused(self):
    zeros = bytes(1 << 20)
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
      with archive.open("zeros", "w", force_zip64=True) as member:
        for _ in range(300):
          member.write(zeros)
    self.refused(zip_extract, data.getvalue(), "more than 200 times its")
    self.refused(torch_load, data.getvalue(), "more than 200 times its")

  def test_compressed_tapes_are_unpacked(self):
    for compress in (gzip.compress, bz2.compress, lzma.compress,
                     lambda data: lzma.compress(data, lzma.FORMAT_ALONE)):
      with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "file"
        path.write_bytes(tarred([("a", b"bytes")], compress))
        self.assertEqual(bytes(tar_extract(path)["a"].data()), b"bytes")

  def test_compressed_tapes_of_zeros_are_refused(self):
    for long_name in (False, True):
      info = tarfile.TarInfo("zeros")
      info.size = 300 << 20
      info.type = tarfile.GNUTYPE_LONGNAME if long_name else tarfile.REGTYPE
      packer = bz2.BZ2Compressor()
      data = packer.compress(info.tobuf())
      for _ in range(300):
        data += packer.compress(bytes(1 << 20))
      self.refused(tar_extract, data + packer.flush(), "more than 200 times its")

  def test_holes_are_bytes(self):
    info = tarfile.TarInfo("zeros")
    info.pax_headers = {"GNU.sparse.major": "0", "GNU.sparse.minor": "1", "GNU.sparse.size": str(1 << 40),
                        "GNU.sparse.map": f"{1 << 40},0", "GNU.sparse.numblocks": "1",
                        "GNU.sparse.name": "zeros"}
    self.refused(tar_extract, info.tobuf(tarfile.PAX_FORMAT) + bytes(1024), "more than max_bytes=")

  def test_good_files_of_pytorch_load(self):
    with tempfile.TemporaryDirectory() as folder:
      path = pathlib.Path(folder) / "file"
      path.write_bytes(torch_files.zip_file({"epoch": 3}, zipfile.ZIP_DEFLATED))
      self.assertEqual(torch_load(path), {"epoch": 3})


def zip_extract_bytes(data):
  with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "file"
    path.write_bytes(data)
    return zip_extract(path)


if __name__ == "__main__":
  unittest.main()
