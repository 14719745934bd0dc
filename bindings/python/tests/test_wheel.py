"""The wheel: what is in it, what it asks of a system, and a program that uses it in an environment of its own, without a
compiler on the path. It is made of the objects of the build that runs the tests (TG_PYTHON_BUILD), by the package's own
backend, without the net."""
import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import zipfile

PROJECT = pathlib.Path(__file__).resolve().parents[3]
BUILD = os.environ.get("TG_PYTHON_BUILD", "")
PROGRAM = """
import tinygrad_cpp
from tinygrad_cpp import Device, Tensor, nn
x = Tensor([[1.0, 2.0], [3.0, 4.0]])
print(tinygrad_cpp.__version__, Device.DEFAULT, (x @ x + 1).relu().sum(axis=0).tolist())
print(tinygrad_cpp.__file__)
print(sorted({line.split()[-1] for line in open("/proc/self/maps") if "libtinygrad" in line or "libfmt" in line}))
"""

ONNX = """
from tinygrad_cpp import Tensor
from tinygrad_cpp.nn.onnx import OnnxRunner
print(OnnxRunner(bytes.fromhex("{model}"))({{"x": Tensor([1.0, -2.0])}})["y"].tolist())
print(sorted({{line.split()[-1].rpartition("/")[0] for line in open("/proc/self/maps") if "libprotobuf" in line}}))
"""

sys.path.insert(0, str(PROJECT / "bindings" / "python" / "build_backend"))
import onnx_files  # noqa: E402
import tg_build  # noqa: E402
import tg_elf  # noqa: E402


def libllvm():
  """A libLLVM of a version that the library uses, 15 to 22, in the folders of the system; None without one."""
  folders = ("/usr/lib/*-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib", "/usr/lib/llvm*/lib")
  for folder in folders:
    for path in sorted(glob.glob(f"{folder}/libLLVM*.so*")):
      version = re.match(r"libLLVM(?:-|\.so\.)(\d+)", os.path.basename(path))
      if version and 15 <= int(version[1]) <= 22 and os.path.exists(path):
        return path
  return None


def pip(*arguments):
  return subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", *map(str, arguments)], check=True,
                        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": ""}).stdout


@unittest.skipUnless(sys.platform == "linux", "the wheel's tag and needs are those of Linux")
@unittest.skipUnless(BUILD, "TG_PYTHON_BUILD names no build to take the objects from")
class Wheel(unittest.TestCase):
  @classmethod
  def setUpClass(cls):
    # --python, which the installation below uses, came with pip 22.3.
    version = subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, text=True, check=False).stdout
    if not version or [int(n) for n in re.findall(r"\d+", version)[:2]] < [22, 3]:
      raise unittest.SkipTest("pip 22.3 is missing (Debian: python3-pip)")
    cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="tg-wheel-"))
    cls.addClassCleanup(shutil.rmtree, cls.folder)
    pip("wheel", "--no-index", "--no-deps", "-w", cls.folder, PROJECT / "bindings" / "python")
    cls.wheel, = cls.folder.glob("*.whl")
    with zipfile.ZipFile(cls.wheel) as archive:
      cls.files = {name: archive.read(name) for name in archive.namelist()}
    cls.objects = {name: data for name, data in cls.files.items() if ".so" in name}
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", cls.folder / "venv"], check=True)
    cls.python = cls.folder / "venv" / "bin" / "python"
    pip("--python", cls.python, "install", "--no-index", "--no-deps", cls.wheel)

  def run_program(self, program, **variables):
    """In the new environment, with no program to be found on the path; gives its end and its two outputs."""
    return subprocess.run([self.python, "-c", program], capture_output=True, text=True, check=False, cwd=self.folder,
                          env={"PATH": "/nowhere", "HOME": str(self.folder), "TG_CACHE": str(self.folder / "cache"), **variables})

  def has_onnx(self):
    return any("/_onnx." in name for name in self.objects)

  def test_the_wheel_holds_the_licence_of_the_project(self):
    name = f"tinygrad_cpp-{tg_build._version()}.dist-info/"
    self.assertEqual(self.files[name + "licenses/LICENSE"], (PROJECT / "LICENSE").read_bytes())
    metadata = self.files[name + "METADATA"].decode()
    if not self.has_onnx():
      self.assertIn("License-Expression: MIT\nLicense-File: LICENSE\n", metadata)
      return
    self.assertIn("License-Expression: MIT AND BSD-3-Clause\nLicense-File: LICENSE\nLicense-File: LICENSE.protobuf\n", metadata)
    self.assertIn(b"Google", self.files[name + "licenses/LICENSE.protobuf"])

  def test_the_wheel_needs_the_system_libraries_of_its_tag_only(self):
    tag = r"manylinux_2_\d+_\w+"
    if any(tg_build.beyond_standard_library(tg_elf.needs(data)[1], tg_build._platform()) for data in self.objects.values()):
      tag = r"linux_\w+"  # a newer compiler than those of the tag's systems
    self.assertRegex(self.wheel.name, rf"-cp3\d+-cp3\d+-{tag}\.whl$")
    if tag.startswith("linux"):
      return
    promised = tuple(map(int, re.search(r"manylinux_(\d+)_(\d+)", self.wheel.name).groups()))
    self.assertEqual(len(self.objects), 4 if self.has_onnx() else 2)
    for name, data in self.objects.items():
      libraries, versions = tg_elf.needs(data)
      packed = ("libtinygrad.so", "libprotobuf-lite.so") if "/_onnx." in name else ("libtinygrad.so",)
      libraries = {library for library in libraries if not library.startswith((*packed, "ld-linux"))}
      self.assertLessEqual(libraries, {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "libz.so.1"}, name)
      newest = max(tuple(map(int, v[6:].split("."))) for v in versions if v.startswith("GLIBC_2"))
      self.assertLessEqual(newest, promised, name)
      # Of libstdc++ too: a system as old as the tag has that of gcc 12, if the tag is Debian 12's.
      self.assertEqual(tg_build.beyond_standard_library(versions, self.wheel.name[:-4].split("-")[-1]), [], name)
      for kind, most in (("GLIBCXX", (3, 4, 30)), ("CXXABI", (1, 3, 13))) if promised <= (2, 36) else ():
        numbers = [tuple(map(int, v[len(kind) + 1:].split("."))) for v in versions if re.fullmatch(rf"{kind}_[\d.]+", v)]
        self.assertTrue(numbers or kind == "GLIBCXX", f"{name} needs no {kind}")
        self.assertLessEqual(max(numbers, default=()), most, name)

  def test_versions_of_the_standard_library_that_a_tag_does_not_promise_are_seen(self):
    versions = {"GLIBC_2.36", "GLIBCXX_3.4", "GLIBCXX_3.4.30", "CXXABI_1.3.13", "CXXABI_FLOAT128"}
    self.assertEqual(tg_build.beyond_standard_library(versions, "manylinux_2_36_x86_64"), [])
    self.assertEqual(tg_build.beyond_standard_library(versions, "manylinux_2_34_x86_64"), ["GLIBCXX_3.4.30"])
    newer = versions | {"GLIBCXX_3.4.31", "CXXABI_1.3.14"}
    self.assertEqual(tg_build.beyond_standard_library(newer, "manylinux_2_36_x86_64"), ["CXXABI_1.3.14", "GLIBCXX_3.4.31"])
    self.assertEqual(tg_build.beyond_standard_library(newer, "manylinux_2_39_x86_64"), [])

  def test_a_relative_build_folder_is_one_of_the_project(self):
    for named, folder in (("build/x", PROJECT / "build" / "x"), ("/tmp/y", pathlib.Path("/tmp/y"))):
      with unittest.mock.patch.dict(os.environ, TG_PYTHON_BUILD=named):
        self.assertEqual(tg_build._build_folder(), folder)

  def test_needs_are_those_that_readelf_sees(self):
    if shutil.which("readelf") is None:
      self.skipTest("readelf is missing (Debian: binutils)")
    for name, data in self.objects.items():
      path = self.folder / pathlib.Path(name).name
      path.write_bytes(data)
      printed = subprocess.run(["readelf", "-dVW", path], capture_output=True, text=True, check=True,
                               env={**os.environ, "LC_ALL": "C"}).stdout
      needed = printed[printed.index(".gnu.version_r"):]
      self.assertEqual(tg_elf.needs(data), (set(re.findall(r"\(NEEDED\).*\[(.*)\]", printed)),
                                            set(re.findall(r" Name: (\S+) +Flags:", needed))))

  def test_a_library_that_others_may_lack_is_refused(self):
    library = pathlib.Path(BUILD) / "libtinygrad.so"
    data = library.read_bytes() if library.exists() else b""
    if not data or not any(name.startswith("libfmt") for name in tg_elf.needs(data)[0]):
      self.skipTest("this build has no library that needs what a wheel must not need")
    with self.assertRaisesRegex(RuntimeError, r"^tg_build: lib needs libraries that other machines may lack: libfmt\.so\.\d+$"):
      tg_build.check_needs("lib", data, "manylinux_2_36_x86_64", set())

  def test_a_tag_that_promises_too_much_is_refused(self):
    name, data = next((n, d) for n, d in self.objects.items() if "libtinygrad" in n)
    with self.assertRaisesRegex(RuntimeError, r"needs GLIBC_2\.\d+, the tag manylinux_2_5_x86_64 promises less$"):
      tg_build.check_needs(name, data, "manylinux_2_5_x86_64", set())

  def test_a_program_runs_in_an_environment_of_its_own_without_a_compiler_on_the_path(self):
    package = self.folder / "venv" / "lib"
    for variables in ({}, {"DEV": "INTERP"}):
      outcome = self.run_program(PROGRAM, **variables)
      if outcome.returncode != 0 and not variables:
        self.assertIsNone(libllvm(), f"there is a libLLVM, and the CPU does not work:\n{outcome.stderr}")
        # The library says what to do.
        self.assertIn("DEV=INTERP", outcome.stderr)
        continue
      self.assertEqual(outcome.returncode, 0, outcome.stderr)
      result, file, maps = outcome.stdout.splitlines()
      device = variables.get("DEV", result.split()[1])
      self.assertEqual(result, f"{tg_build._version()} {device} [24.0, 34.0]")
      self.assertTrue(file.startswith(str(package)), file)
      self.assertRegex(maps, rf"^\['{re.escape(str(package))}/[^']*/libtinygrad\.so\.[\d.]+'\]$")

  def test_models_of_onnx_run_with_the_wheels_own_protobuf(self):
    if not self.has_onnx():
      self.assertEqual(list((pathlib.Path(BUILD) / "bindings/python/tinygrad_cpp").glob("_onnx*")), [])
      self.skipTest("the build has no ONNX: protobuf is missing")
    model = onnx_files.model([onnx_files.node("Relu", ["x"], ["y"])], [onnx_files.value("x", "float32", [2])],
                             [onnx_files.value("y", "float32", [2])])
    outcome = self.run_program(ONNX.format(model=model.hex()), DEV="INTERP")
    self.assertEqual(outcome.returncode, 0, outcome.stderr)
    result, folders = outcome.stdout.splitlines()
    self.assertEqual(result, "[1.0, 0.0]")
    self.assertRegex(folders, rf"^\['{re.escape(str(self.folder / 'venv' / 'lib'))}/[^']*/tinygrad_cpp'\]$")

  def test_without_libllvm_and_without_a_compiler_the_error_names_the_interpreter(self):
    outcome = self.run_program("from tinygrad_cpp import Tensor\nTensor([2.0]).exp2().tolist()", DEV="CPU:CLANG")
    self.assertNotEqual(outcome.returncode, 0)
    self.assertIn("DEV=INTERP", outcome.stderr.splitlines()[-1])


if __name__ == "__main__":
  unittest.main()
