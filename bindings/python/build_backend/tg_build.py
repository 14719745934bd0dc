"""The PEP 517 and 660 hooks of the package: CMake builds the library and the extension module, the
wheel holds both. Nothing is downloaded. The build folder is `build-python` in the project's root
(TG_PYTHON_BUILD names another); TG_PYTHON_CMAKE gives CMake further arguments.
"""
import base64
import hashlib
import os
import pathlib
import shlex
import shutil
import subprocess
import sysconfig
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent.parent
ROOT = HERE.parent.parent
NAME = "tinygrad_cpp"


def _version():
  for line in (ROOT / "CMakeLists.txt").read_text().splitlines():
    if line.startswith("project("):
      return line.split("VERSION")[1].split()[0]
  raise RuntimeError("the project's CMakeLists.txt names no version")


def _tag():
  import sys
  version = f"cp{sys.version_info.major}{sys.version_info.minor}"
  platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
  return f"{version}-{version}-{platform}"


def _build(wheel):
  """Builds the extension module; gives the folder of the package."""
  folder = pathlib.Path(os.environ.get("TG_PYTHON_BUILD", ROOT / "build-python"))
  import sys
  configure = ["cmake", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DTG_PYTHON=ON",
               "-DTG_BUILD_TESTS=OFF", "-DTG_BUILD_EXAMPLES=OFF", "-DTG_BUILD_TOOLS=OFF",
               "-DTG_BUILD_BENCH=OFF", f"-DTG_PYTHON_WHEEL={'ON' if wheel else 'OFF'}",
               f"-DPython3_EXECUTABLE={sys.executable}"]
  if shutil.which("ninja") and not (folder / "CMakeCache.txt").exists():
    configure += ["-G", "Ninja"]
  configure += shlex.split(os.environ.get("TG_PYTHON_CMAKE", ""))
  subprocess.run([str(c) for c in configure], check=True)
  subprocess.run(["cmake", "--build", str(folder), "--target", "tg_python", "--parallel"], check=True)
  return folder


def _metadata():
  readme = (ROOT / "docs" / "python.md").read_text()
  return (f"Metadata-Version: 2.1\nName: tinygrad-cpp\nVersion: {_version()}\n"
          "Summary: Lazy tensors, one graph, a compiler, behind tinygrad's Python interface\n"
          "Requires-Python: >=3.10\nLicense: MIT\nProvides-Extra: numpy\n"
          "Requires-Dist: numpy; extra == 'numpy'\n"
          f"Description-Content-Type: text/markdown\n\n{readme}")


def _write_wheel(directory, files):
  """A wheel of {path in the wheel: bytes}."""
  info = f"{NAME}-{_version()}.dist-info"
  files = dict(files)
  files[f"{info}/METADATA"] = _metadata().encode()
  files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: tg_build\nRoot-Is-Purelib: false\n"
                            f"Tag: {_tag()}\n").encode()
  record = []
  for path, data in files.items():
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record.append(f"{path},sha256={digest},{len(data)}")
  files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
  wheel = pathlib.Path(directory) / f"{NAME}-{_version()}-{_tag()}.whl"
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


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
  folder = _build(wheel=True)
  files = {}
  for path in sorted((HERE / NAME).rglob("*")):
    if path.suffix in (".py", ".pyi") or path.name == "py.typed":
      files[str(path.relative_to(HERE))] = path.read_bytes()
  package = folder / "bindings" / "python" / NAME
  module = package / f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
  files[f"{NAME}/{module.name}"] = _stripped(module)
  # The name that the extension module asks for.
  libraries = sorted(folder.glob("libtinygrad.so.*.*"), key=lambda p: len(p.name))
  files[f"{NAME}/{libraries[0].name}"] = _stripped(libraries[0].resolve())
  return _write_wheel(wheel_directory, files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
  folder = _build(wheel=False)
  path = folder / "bindings" / "python"
  return _write_wheel(wheel_directory, {f"__editable__{NAME}.pth": f"{path}\n".encode()})


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
