"""Files of other programs: PyTorch's, GGUF, safetensors with metadata; good, damaged and hostile ones."""
import collections
import os
import pathlib
import pickle
import random
import struct
import tarfile
import tempfile
import unittest
import zipfile

import ggml_reference
import torch_files
from torch_files import FakeTensor, Storage

from tinygrad_cpp import FileError, Tensor, dtypes
from tinygrad_cpp.llm.gguf import ggml_data_to_tensor
from tinygrad_cpp.nn.state import (gguf_load, safe_load, safe_load_metadata, safe_save, tar_extract, torch_load,
                                   zip_extract)

SEED = int(os.environ.get("SEED", random.randrange(1 << 30)))


def load(load_function, data):
  """What a loader makes of a file with these bytes."""
  with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "file"
    path.write_bytes(data)
    return load_function(path)


def damaged(data, r, count):
  """The file cut off at places, and with bytes changed."""
  for _ in range(count):
    yield data[:r.randrange(len(data))]
    changed = bytearray(data)
    for _ in range(r.randint(1, 4)):
      changed[r.randrange(len(data))] = r.choice([0, 255, r.randrange(256)])
    yield bytes(changed)


class TorchFiles(unittest.TestCase):
  def setUp(self):
    storage = Storage("FloatStorage", [float(i) for i in range(12)])
    self.state = collections.OrderedDict(
      whole=FakeTensor(storage, (3, 4), (4, 1)), part=FakeTensor(storage, (2, 2), (4, 1), 5),
      turned=FakeTensor(storage, (4, 3), (1, 4)), again=FakeTensor(storage, (2, 3), (0, 2)),
      scalar=FakeTensor(storage, (), (), 7), nothing=FakeTensor(storage, (0, 3), (3, 1)))
    self.expected = {
      "whole": [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], "part": [[5, 6], [9, 10]],
      "turned": [[0, 4, 8], [1, 5, 9], [2, 6, 10], [3, 7, 11]], "again": [[0, 2, 4], [0, 2, 4]],
      "scalar": 7, "nothing": []}

  def check(self, loaded, names=None):
    for name in names or self.expected:
      self.assertEqual(loaded[name].tolist(), self.expected[name], name)

  def test_archives(self):
    self.check(load(torch_load, torch_files.zip_file(self.state)))

  def test_compressed_archives(self):
    self.check(load(torch_load, torch_files.zip_file(self.state, zipfile.ZIP_DEFLATED)))

  def test_files_from_before(self):
    self.check(load(torch_load, torch_files.legacy_file(self.state)))

  def test_files_from_the_beginning(self):
    self.state = {k: FakeTensor(Storage("FloatStorage", list(t.storage.values)), t.size, t.stride, t.offset)
                  for k, t in self.state.items()}
    self.check(load(torch_load, torch_files.tar_file(self.state)))

  def test_bytes_in_a_tensor(self):
    self.check(torch_load(Tensor(torch_files.zip_file(self.state))))

  def test_dtypes(self):
    values = {"FloatStorage": [1.5], "DoubleStorage": [2.5], "LongStorage": [-(1 << 40)], "IntStorage": [-7],
              "ByteStorage": [200], "HalfStorage": [0.5], "BoolStorage": [True]}
    state = {kind: FakeTensor(Storage(kind, v), (1,), (1,)) for kind, v in values.items()}
    for kind, tensor in load(torch_load, torch_files.zip_file(state)).items():
      self.assertEqual((kind, tensor.tolist()), (kind, values[kind]))
    self.assertEqual(load(torch_load, torch_files.zip_file(state))["HalfStorage"].dtype, dtypes.float16)

  def test_what_is_around_the_tensors(self):
    state = {"epoch": 3, "optimizer": {"lr": 0.1, "betas": (0.9, 0.99)}, "names": ["a", "b"],
             "model": self.state}
    loaded = load(torch_load, torch_files.zip_file(state))
    self.assertEqual((loaded["epoch"], loaded["optimizer"], loaded["names"]),
                     (3, state["optimizer"], ["a", "b"]))
    self.check(loaded["model"])

  def test_unknown_classes_are_objects_without_behaviour(self):
    loaded = load(torch_load, torch_files.zip_file({"path": pathlib.PurePosixPath("a"), "t": self.state["whole"]}))
    self.assertEqual(type(loaded["path"]).__name__, "pathlib.PurePosixPath")
    self.assertEqual(loaded["t"].tolist(), self.expected["whole"])

  def test_no_code_runs(self):
    with tempfile.TemporaryDirectory() as folder:
      mark = os.path.join(folder, "mark")

      class Evil:
        def __reduce__(self):
          return os.mkdir, (mark,)

      class Worse:
        def __reduce__(self):
          return eval, (f"__import__('os').mkdir({mark!r})",)
      for evil in (Evil(), Worse()):
        for write in (torch_files.zip_file, torch_files.legacy_file):
          load(torch_load, write({"evil": evil}))
          self.assertFalse(os.path.exists(mark))

  def test_one_file_cannot_change_what_the_next_gives(self):
    # BUILD on the function that rebuilds tensors, and on a class, sets attributes of theirs.
    for target in (b"torch._utils\n_rebuild_tensor_v2", b"collections\nOrderedDict", b"unknown\nClass",
                   b"torch\nfloat32", b"torch\nFloatStorage"):
      for state in (b"}X\x06\x00\x00\x00appendK\x01s", b"N}X\x06\x00\x00\x00appendK\x01s\x86"):
        with tempfile.TemporaryDirectory() as folder:
          path = pathlib.Path(folder) / "poison"
          with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("model/data.pkl", b"\x80\x02c" + target + b"\n" + state + b"b.")
          try:
            torch_load(path)
          except FileError:
            pass
    self.check(load(torch_load, torch_files.zip_file(self.state)))
    self.assertFalse(hasattr(collections.OrderedDict, "append") or hasattr(dtypes.float32, "append"))

  def test_views_outside_their_storage(self):
    storage = Storage("FloatStorage", [1.0, 2.0])
    for size, stride, offset in (((3,), (1,), 0), ((2,), (2,), 0), ((1,), (1,), 2), ((2,), (-1,), 1),
                                 ((1 << 62, 1 << 62), (1, 1), 0), ((2,), (1, 1), 0), ((1,), (1,), -1)):
      with self.assertRaises(FileError):
        load(torch_load, torch_files.zip_file({"t": FakeTensor(storage, size, stride, offset)}))

  def test_other_files(self):
    for data in (b"", b"hello", pickle.dumps({"a": 1}), b"\0" * 600, b"PK\x05\x06" + bytes(18)):
      with self.assertRaises(FileError):
        load(torch_load, data)
    with self.assertRaises(FileNotFoundError):
      torch_load("/no/such/file.pth")

  def test_damage_is_an_error_or_harmless(self):
    r = random.Random(SEED)
    for write in (torch_files.zip_file, torch_files.legacy_file):
      data = write(self.state)
      for changed in damaged(data, r, 60):
        try:
          load(torch_load, changed)
        except FileError:
          pass
        except Exception as error:
          self.fail(f"SEED={SEED}: {error!r}")


def gguf(facts, tensors, version=3, alignment=32):
  """A file; facts: {name: (type, bytes)}, tensors: {name: (dims, type, bytes)}."""
  def text(s):
    return struct.pack("<Q", len(s)) + s.encode()
  head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(facts))
  for name, (kind, data) in facts.items():
    head += text(name) + struct.pack("<I", kind) + data
  body = b""
  for name, (dims, kind, data) in tensors.items():
    body += bytes(-len(body) % alignment)
    head += text(name) + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims, kind, len(body))
    body += data
  return head + bytes(-len(head) % alignment) + body


def text_fact(s):
  return 8, struct.pack("<Q", len(s)) + s.encode()


class Gguf(unittest.TestCase):
  FACTS = {"general.name": text_fact("tiny"), "layers": (4, struct.pack("<I", 7)), "scale": (6, struct.pack("<f", 0.5)),
           "big": (10, struct.pack("<Q", 1 << 40)), "yes": (7, b"\1"),
           "tokens": (9, struct.pack("<IQ", 8, 2) + text_fact("a")[1] + text_fact("bc")[1]),
           "numbers": (9, struct.pack("<IQ3i", 5, 3, 1, -2, 3))}

  def file(self):
    return gguf(self.FACTS, {
      "w": ((3, 2), 0, struct.pack("<6f", *range(6))), "h": ((2,), 1, struct.pack("<2e", 0.5, -1.0)),
      "b": ((2,), 30, b"\x80\x3f\x00\xc0"), "i": ((2,), 27, struct.pack("<2q", 1 << 40, -1)),
      "q": ((32, 2), 8, b"".join(struct.pack("<e32b", 0.25, *range(-16, 16)) for _ in range(2)))})

  def test_facts_and_tensors(self):
    for version in (2, 3):
      data = bytearray(self.file())
      data[4] = version
      facts, tensors = load(gguf_load, bytes(data))
      self.assertEqual(facts, {"general.name": "tiny", "layers": 7, "scale": 0.5, "big": 1 << 40, "yes": True,
                               "tokens": ["a", "bc"], "numbers": [1, -2, 3]})
      self.assertEqual({k: t.tolist() for k, t in tensors.items()}, {
        "w": [[0, 1, 2], [3, 4, 5]], "h": [0.5, -1.0], "b": [1.0, -2.0], "i": [1 << 40, -1],
        "q": [[i / 4 for i in range(-16, 16)]] * 2})

  def test_alignment_and_tensors_in_memory(self):
    data = gguf({"general.alignment": (4, struct.pack("<I", 64))}, {"w": ((1,), 0, struct.pack("<f", 3))},
                alignment=64)
    self.assertEqual(gguf_load(Tensor(data))[1]["w"].tolist(), [3])

  def test_models_in_several_files(self):
    with tempfile.TemporaryDirectory() as folder:
      for i in range(2):
        facts = {"split.count": (2, struct.pack("<H", 2)), "split.no": (2, struct.pack("<H", i))}
        path = pathlib.Path(folder) / f"m-0000{i + 1}-of-00002.gguf"
        path.write_bytes(gguf(facts, {f"w{i}": ((1,), 0, struct.pack("<f", i))}))
      first = pathlib.Path(folder) / "m-00001-of-00002.gguf"
      self.assertEqual({k: t.tolist() for k, t in gguf_load(first)[1].items()}, {"w0": [0], "w1": [1]})
      with self.assertRaises(FileError):
        gguf_load(path)

  def test_quantised_types(self):
    r = random.Random(SEED)
    for kind, (name, count, size) in ggml_reference.LAYOUTS.items():
      blocks = []
      for _ in range(3):
        block = bytearray(r.randbytes(size))
        for at in {"Q2_K": (80, 82), "Q3_K": (108,), "Q6_K": (208,)}.get(name, (0, 2)):
          # Scales are finite; of types with one, the two bytes behind it are any.
          block[at:at + 2] = struct.pack("<e", r.uniform(-2, 2))
        if name == "MXFP4":
          block[0] = r.choice([0, 1, 2, 100, 128, 200])
        blocks.append(bytes(block))
      got = ggml_data_to_tensor(Tensor(b"".join(blocks)), 3 * count, kind).tolist()
      for a, b in zip(got, [x for block in blocks for x in ggml_reference.elements(name, block)], strict=True):
        self.assertAlmostEqual(a, b, delta=2e-6 * max(1, abs(b)), msg=f"{name}, SEED={SEED}")

  def test_types_that_are_not_there(self):
    for kind in (16, 17, 29, 99):
      with self.assertRaisesRegex(FileError, f"GGML type '{kind}' is not supported"):
        load(gguf_load, gguf({}, {"w": ((256,), kind, bytes(256))}))

  def test_hostile_files(self):
    huge = struct.pack("<Q", 1 << 60)
    for data in (b"", b"GGUF", b"GGML" + bytes(40), b"GGUF" + struct.pack("<IQQ", 1, 0, 0),
                 b"GGUF" + struct.pack("<I", 3) + huge + huge, b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + huge,
                 gguf({"a": (9, struct.pack("<I", 8) + huge)}, {}), gguf({"a": (9, struct.pack("<I", 0) + huge)}, {}),
                 gguf({"a": (9, struct.pack("<IQ", 9, 1) * 50)}, {}), gguf({"a": (77, b"")}, {}),
                 gguf({"general.alignment": (4, bytes(4))}, {}), gguf({"general.alignment": text_fact("x")}, {}),
                 gguf({}, {"w": ((1 << 40, 1 << 40), 0, b"")}), gguf({}, {"w": ((33,), 8, bytes(68))}),
                 gguf({}, {"w": ((8,) * 9, 0, b"")}), gguf({}, {"w": ((4,), 0, b"short")})):
      with self.assertRaises(FileError):
        load(gguf_load, data)

  def test_damage_is_an_error_or_harmless(self):
    r = random.Random(SEED)
    for changed in damaged(self.file(), r, 150):
      try:
        load(gguf_load, changed)
      except FileError:
        pass
      except Exception as error:
        self.fail(f"SEED={SEED}: {error!r}")


class Safetensors(unittest.TestCase):
  def test_metadata(self):
    tensors = {"a": Tensor([[1, 2], [3, 4]]), "b": Tensor([0.5], dtype=dtypes.float16), "c": Tensor(True)}
    with tempfile.TemporaryDirectory() as folder:
      path = os.path.join(folder, "x.safetensors")
      safe_save(tensors, path, metadata={"format": "pt", "who": "ü"})
      self.assertEqual(os.listdir(folder), ["x.safetensors"])
      loaded = safe_load(path)
      self.assertEqual({k: (t.tolist(), t.dtype) for k, t in loaded.items()},
                       {k: (t.tolist(), t.dtype) for k, t in tensors.items()})
      data, begin, header = safe_load_metadata(path)
      self.assertEqual(header["__metadata__"], {"format": "pt", "who": "ü"})
      self.assertEqual(begin % 8, 0)
      self.assertEqual(data.numel(), os.path.getsize(path))
      self.assertEqual(safe_load_metadata(data)[1:], (begin, header))

  def test_metadata_are_strings(self):
    with self.assertRaises(TypeError):
      safe_save({"a": Tensor([1])}, "/tmp/none.safetensors", metadata={"a": 1})

  def test_damaged_headers(self):
    for data in (b"", b"1234567", struct.pack("<Q", 1 << 60) + b"{}", struct.pack("<Q", 2) + b"[]",
                 struct.pack("<Q", 2) + b"{{", struct.pack("<Q", 5000) + b"[" * 5000,
                 struct.pack("<Q", 2) + b"\xff\xff"):
      with self.assertRaises(FileError):
        load(safe_load_metadata, data)


class Archives(unittest.TestCase):
  def test_members_are_tensors(self):
    zipped = load(zip_extract, torch_files.zip_file({}))
    self.assertEqual(bytes(zipped["model/version"].data()), b"3\n")
    tarred = load(tar_extract, torch_files.tar_file({}))
    self.assertEqual(sorted(tarred), ["pickle", "storages", "tensors"])

  def test_damage_is_an_error(self):
    for function, standard in ((zip_extract, zipfile.BadZipFile), (tar_extract, tarfile.ReadError)):
      for data in (b"hello", b"PK\x03\x04" + bytes(40)):
        for kind in (FileError, standard):
          with self.assertRaises(kind):
            load(function, data)


if __name__ == "__main__":
  unittest.main()
