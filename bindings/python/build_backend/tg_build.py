"""The PEP 517 and 660 hooks of the package: CMake builds the library and the extension modules; the wheel holds them, the
protobuf library that ONNX files need, and the licences, and asks its system for nothing but the C and C++ libraries and
zlib. Nothing is downloaded.

The build folder is `build-python` in the project's root. TG_PYTHON_BUILD names another, relative to the
root; one that is configured already (TG_PYTHON=ON) is used as it is, so that a wheel is made of the objects of that build. TG_PYTHON_CMAKE gives CMake further
arguments. What the shared objects need is read by tg_elf.py.
"""
import base64
import glob
import hashlib
import os
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

import tg_elf

HERE = pathlib.Path(__file__).resolve().parent.parent
ROOT = HERE.parent.parent
NAME = "tinygrad_cpp"
# What every system with the C library of the tag has: the list of PEP 600's tools, as far as this library needs it.
SYSTEM_LIBRARIES = {"libc.so.6", "libm.so.6", "libdl.so.2", "librt.so.1", "libpthread.so.0", "libgcc_s.so.1",
                    "libstdc++.so.6", "libz.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}

# The newest GLIBCXX and CXXABI that a tag promises, from this C library on (the policies of auditwheel).
STANDARD_LIBRARY = {(2, 17): ((3, 4, 19), (1, 3, 7)), (2, 24): ((3, 4, 22), (1, 3, 10)), (2, 27): ((3, 4, 24), (1, 3, 11)),
                    (2, 31): ((3, 4, 28), (1, 3, 12)), (2, 34): ((3, 4, 29), (1, 3, 13)), (2, 35): ((3, 4, 30), (1, 3, 13)),
                    (2, 39): ((3, 4, 33), (1, 3, 15))}


def _version():
  for line in (ROOT / "CMakeLists.txt").read_text().splitlines():
    if line.startswith("project("):
      return line.split("VERSION")[1].split()[0]
  raise RuntimeError("the project's CMakeLists.txt names no version")


def _plain_platform():
  return sysconfig.get_platform().replace("-", "_").replace(".", "_")


def _platform():
  """manylinux of the C library here, where that is glibc: an older one may lack symbols that the wheel needs."""
  name = _plain_platform()
  library, version = platform.libc_ver()
  if library == "glibc" and name.startswith("linux_"):
    return f"many{name.replace('linux', 'linux_' + version.replace('.', '_'), 1)}"
  return name


def _tag(platform_tag):
  version = f"cp{sys.version_info.major}{sys.version_info.minor}"
  return f"{version}-{version}-{platform_tag}"


def _number(version):
  """"GLIBC_2.34" as (2, 34)."""
  return tuple(int(part) for part in version.split("_")[-1].split("."))


def beyond_standard_library(versions, platform_tag):
  """Those of the versions that a C++ library as old as the tag may lack."""
  promised = tuple(int(part) for part in platform_tag.split("_")[1:3])
  newest = {"GLIBCXX": (), "CXXABI": ()}
  for since, (glibcxx, cxxabi) in STANDARD_LIBRARY.items():
    if since <= promised:
      newest = {"GLIBCXX": glibcxx, "CXXABI": cxxabi}
  numbered = [v for v in versions if re.fullmatch(r"(GLIBCXX|CXXABI)_[\d.]+", v)]
  return sorted(v for v in numbered if _number(v) > newest[v.split("_")[0]])


def check_needs(name, data, platform_tag, packed):
  """Fails unless the shared object asks for the system's libraries and those in `packed` only, and for no newer C library
  than the tag says."""
  libraries, versions = tg_elf.needs(data)
  strange = sorted(libraries - SYSTEM_LIBRARIES - packed)
  if strange:
    raise RuntimeError(f"tg_build: {name} needs libraries that other machines may lack: {', '.join(strange)}")
  promised = tuple(int(part) for part in platform_tag.split("_")[1:3])
  newer = [v for v in versions if v.startswith("GLIBC_2") and _number(v) > promised]
  if newer:
    raise RuntimeError(f"tg_build: {name} needs {max(newer, key=_number)}, the tag {platform_tag} promises less")


def _is_configured(folder):
  cache = folder / "CMakeCache.txt"
  return cache.exists() and "TG_PYTHON:BOOL=ON" in cache.read_text()


def _build_folder():
  """Where CMake builds. pip calls from a folder of its own, so relative paths are those of the project."""
  return ROOT / os.environ.get("TG_PYTHON_BUILD", "build-python")


def _build(target):
  """Builds the target; gives the build folder of the package."""
  folder = _build_folder()
  options = shlex.split(os.environ.get("TG_PYTHON_CMAKE", ""))
  if options or "TG_PYTHON_BUILD" not in os.environ or not _is_configured(folder):
    configure = ["cmake", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DTG_PYTHON=ON",
                 "-DTG_BUILD_TESTS=OFF", "-DTG_BUILD_EXAMPLES=OFF", "-DTG_BUILD_TOOLS=OFF",
                 "-DTG_BUILD_BENCH=OFF", f"-DPython3_EXECUTABLE={sys.executable}"]
    if shutil.which("ninja") and not (folder / "CMakeCache.txt").exists():
      configure += ["-G", "Ninja"]
    subprocess.run([str(c) for c in configure + options], check=True)
  subprocess.run(["cmake", "--build", str(folder), "--target", target, "--parallel"], check=True)
  return folder / "bindings" / "python"


def _metadata(licences):
  """`licences`: expression -> the name of its file."""
  readme = (ROOT / "docs" / "python.md").read_text()
  return (f"Metadata-Version: 2.4\nName: tinygrad-cpp\nVersion: {_version()}\n"
          "Summary: Lazy tensors, one graph, a compiler, behind tinygrad's Python interface\n"
          f"Requires-Python: >=3.10\nLicense-Expression: {' AND '.join(licences)}\n"
          f"{''.join(f'License-File: {name}{chr(10)}' for name in licences.values())}Provides-Extra: numpy\n"
          "Requires-Dist: numpy; extra == 'numpy'\n"
          f"Description-Content-Type: text/markdown\n\n{readme}")


def _write_wheel(directory, files, platform_tag, protobuf_licence=None):
  """A wheel of {path in the wheel: bytes}; with the licence of protobuf, if that is among them."""
  tag = _tag(platform_tag)
  info = f"{NAME}-{_version()}.dist-info"
  files = dict(files)
  licences = {"MIT": "LICENSE"}
  if protobuf_licence is not None:
    licences["BSD-3-Clause"] = "LICENSE.protobuf"
    files[f"{info}/licenses/LICENSE.protobuf"] = protobuf_licence
  files[f"{info}/METADATA"] = _metadata(licences).encode()
  files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: tg_build\nRoot-Is-Purelib: false\n"
                            f"Tag: {tag}\n").encode()
  files[f"{info}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
  record = []
  for path, data in files.items():
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record.append(f"{path},sha256={digest},{len(data)}")
  files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
  wheel = pathlib.Path(directory) / f"{NAME}-{_version()}-{tag}.whl"
  with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
    for path, data in files.items():
      archive.writestr(path, data)
  return wheel.name


def _stripped(path):
  """The bytes of a shared object without the symbols that only debuggers read."""
  strip = shutil.which("strip")
  if strip is None:
    return path.read_bytes()
  copy = path.with_name(f"{path.name}.stripped")
  subprocess.run([strip, "--strip-unneeded", "-o", str(copy), str(path)], check=True)
  data = copy.read_bytes()
  copy.unlink()
  return data


def _linked(path):
  """{name of a library that the shared object needs: its file}, as the loader finds them here."""
  printed = subprocess.run(["ldd", str(path)], check=True, capture_output=True, text=True).stdout
  return {name: pathlib.Path(file) for name, file in re.findall(r"^\s*(\S+) => (/\S+)", printed, re.MULTILINE)}


def _protobuf_licence():
  """The text that must go with protobuf's library; None where the system keeps it elsewhere."""
  for pattern in ("/usr/share/doc/libprotobuf-lite*/copyright", "/usr/share/licenses/protobuf*/LICENSE"):
    for path in sorted(glob.glob(pattern)):
      return pathlib.Path(path).read_bytes()
  return None


def _onnx_objects(module):
  """ONNX's extension module, if it was built, and the protobuf library that it needs: {name: file}."""
  if not module.exists():
    return {}
  objects = {module.name: module}
  if not sys.platform.startswith("linux"):
    return objects
  for name, path in _linked(module).items():
    if name.startswith("libprotobuf-lite.so"):
      objects[name] = path.resolve()
  return objects


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
  package = _build("tg_python_wheel") / "wheel" / NAME
  files = {}
  for path in sorted((HERE / NAME).rglob("*")):
    if path.suffix in (".py", ".pyi") or path.name == "py.typed":
      files[str(path.relative_to(HERE))] = path.read_bytes()
  module = package / f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
  if not module.exists():
    raise RuntimeError(f"tg_build: {package} was built for another Python than {sys.executable}. Name another "
                       "folder in TG_PYTHON_BUILD.")
  # The name that the extension module asks for.
  library = min(package.glob("libtinygrad.so.*.*"), key=lambda p: len(p.name))
  platform_tag = _platform()
  paths = {module.name: module, library.name: library.resolve()}
  licence = _protobuf_licence()
  if licence is None:
    print("tg_build: without ONNX, since the licence text of protobuf is not where the system keeps such texts")
  else:
    paths.update(_onnx_objects(module.with_name(module.name.replace("_core", "_onnx"))))
  objects = {name: _stripped(path) for name, path in paths.items()}
  files.update({f"{NAME}/{name}": data for name, data in objects.items()})
  if platform_tag.startswith("manylinux"):
    for name, data in objects.items():
      check_needs(name, data, platform_tag, set(objects))
    # A compiler newer than those of the tag's systems: the wheel is for this machine.
    if any(beyond_standard_library(tg_elf.needs(data)[1], platform_tag) for data in objects.values()):
      platform_tag = _plain_platform()
  has_protobuf = any(name.startswith("libprotobuf") for name in objects)
  return _write_wheel(wheel_directory, files, platform_tag, licence if has_protobuf else None)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
  path = _build("tg_python")
  return _write_wheel(wheel_directory, {f"__editable__{NAME}.pth": f"{path}\n".encode()}, _plain_platform())


def build_sdist(sdist_directory, config_settings=None):
  """The whole project: the package is built of its C++ sources."""
  name = f"{NAME}-{_version()}"
  path = pathlib.Path(sdist_directory) / f"{name}.tar.gz"
  tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True)
  with tarfile.open(path, "w:gz") as archive:
    for file in tracked.stdout.splitlines():
      archive.add(ROOT / file, f"{name}/{file}", recursive=False)
  return path.name


def get_requires_for_build_wheel(config_settings=None):
  return []


def get_requires_for_build_editable(config_settings=None):
  return []


def get_requires_for_build_sdist(config_settings=None):
  return []
