"""Device: where tensors live. `Device.DEFAULT`, `Device["CPU"]`, the names of tinygrad."""
from tinygrad_cpp import _core

# tinygrad's names for what has another name here.
_NAMES = {"CLANG": "CPU", "LLVM": "CPU", "X86": "CPU", "GPU": "OPENCL", "CL": "OPENCL",
          "NV": "CUDA", "PYTHON": "INTERP"}


class Renderer:
  """What the compiler of a device can express."""

  code_for_op = {}  # which operations are spelled as what: the compiler's own business here
  has_local = has_shared = False

  def __init__(self, device: str):
    self.device = device

  def supported_dtypes(self):
    """The dtypes that tensors of the device may have."""
    from tinygrad_cpp.dtype import dtypes
    return set(dtypes.all)

  def __repr__(self) -> str:
    return f"<renderer of {self.device}>"


class DeviceInfo:
  """A device that can be used."""

  def __init__(self, name: str):
    self.device = name
    self.renderer = Renderer(name)

  def synchronize(self) -> None:
    """Waits until everything launched so far is done."""
    _core.synchronize(self.device)

  def __repr__(self) -> str:
    return f"<device {self.device}>"


class _Devices:
  """All devices by name."""

  @property
  def DEFAULT(self) -> str:
    """The device of tensors that name none (environment: DEV)."""
    return _core.default_device()

  @DEFAULT.setter
  def DEFAULT(self, name: str) -> None:
    _core.set_option("DEV", self.canonicalize(name))

  @property
  def default(self) -> DeviceInfo:
    """The device of tensors that name none."""
    return self[self.DEFAULT]

  def canonicalize(self, device):
    """The name in capitals, tinygrad's names translated; of several a tuple; None stays."""
    if device is None:
      return None
    if isinstance(device, (tuple, list)):
      names = tuple(self.canonicalize(name) for name in device)
      return names[0] if len(names) == 1 else names
    name = device.split(":")[0].upper()
    if name in ("DISK", "SHM", "NPY"):
      return "CPU"
    settings = device.partition(":")[2]
    name = _NAMES.get(name, name)
    return name if settings in ("", "0") else f"{name}:{settings}"

  def __getitem__(self, name: str) -> DeviceInfo:
    name = self.canonicalize(name)
    for known, usable, reason in _core.devices():
      if known == name.split(":")[0]:
        if usable:
          return DeviceInfo(name)
        raise RuntimeError(f"device {name}: {reason}")
    raise KeyError(f"there is no device {name}")

  def get_available_devices(self):
    """Names of the devices that can be used here."""
    return (name for name, usable, _ in _core.devices() if usable)

  def __repr__(self) -> str:
    return f"<devices {', '.join(self.get_available_devices())}>"


Device = _Devices()


def device_name(device):
  """What the library is told for `device=`: None for the default, commas between several."""
  name = Device.canonicalize(device)
  return ",".join(name) if isinstance(name, tuple) else name


def __getattr__(name):
  if name in ("Buffer", "BufferSpec"):  # tensors come after devices
    import importlib
    return getattr(importlib.import_module("tinygrad_cpp.buffer"), name)
  raise AttributeError(f"module 'tinygrad_cpp.device' has no attribute {name!r}")
