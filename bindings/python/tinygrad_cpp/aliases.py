"""install_as_tinygrad(): programs that import tinygrad get this package."""
import importlib
import sys


class _Finder:
  """Finds `tinygrad.x` as `tinygrad_cpp.x`."""

  @staticmethod
  def own_name(fullname):
    inner = fullname.partition(".")[2]
    return f"tinygrad_cpp.{inner}" if inner else "tinygrad_cpp"

  def find_spec(self, fullname, path=None, target=None):
    if fullname.partition(".")[0] != "tinygrad":
      return None
    import importlib.util
    if importlib.util.find_spec(self.own_name(fullname)) is None:
      return None
    return importlib.util.spec_from_loader(fullname, self)

  def create_module(self, spec):
    module = importlib.import_module(self.own_name(spec.name))
    self.spec = module.__spec__
    return module

  def exec_module(self, module):
    module.__spec__ = self.spec  # importing wrote that of the other name


def install_as_tinygrad():
  """From here on `import tinygrad` and `from tinygrad.x import y` give this package. Raises
  RuntimeError if tinygrad itself is imported already."""
  loaded = sys.modules.get("tinygrad")
  if loaded is not None and loaded is not sys.modules["tinygrad_cpp"]:
    raise RuntimeError("install_as_tinygrad: tinygrad is imported already")
  if not any(isinstance(f, _Finder) for f in sys.meta_path):
    sys.meta_path.insert(0, _Finder())
  sys.modules["tinygrad"] = sys.modules["tinygrad_cpp"]
