"""The exceptions of the library. All derive from Error, and from the built-in class that a Python
program expects for such a mistake; tinygrad raises ValueError in some places, RuntimeError in
others and asserts in the rest, so shape and argument errors are all three."""
from tinygrad_cpp import _core


class Error(Exception):
  """Base of all exceptions of the library; the text is the library's message."""


class ShapeError(Error, ValueError, RuntimeError, AssertionError):
  """Sizes that do not fit together."""


class IndexShapeError(ShapeError, IndexError):
  """Tensors of indices whose sizes do not fit together, which NumPy calls an IndexError."""


class DTypeError(Error, TypeError, ValueError, RuntimeError):
  """An element type that the function does not accept."""


class OutOfRangeError(Error, IndexError):
  """An index or axis outside its range."""


class ArgumentError(Error, ValueError, RuntimeError, AssertionError):
  """Any other argument that breaks a documented rule."""


class JitError(ArgumentError, ShapeError, DTypeError):
  """A call of a captured function that does not fit what was captured, or nothing to capture."""


class NoSuchDTypeError(Error, AttributeError, TypeError, ValueError):
  """A name that no dtype has, or something else than a dtype."""


class DeviceError(Error, RuntimeError):
  """A device that is unknown, missing, failed or out of memory."""


class DeviceMemoryError(DeviceError, MemoryError):
  """A device has no memory left."""


class FileError(Error, OSError):
  """A file that is missing, damaged or of another format."""


class CancelledError(Error, RuntimeError):
  """The work was stopped on request."""


class InternalError(Error, RuntimeError):
  """A broken invariant of the library: please report it."""


class HandleError(Error, ValueError):
  """An object that was released already or never was made."""


class HostMemoryError(Error, MemoryError):
  """The host has no memory left."""


class CallbackError(Error, RuntimeError):
  """A function that the library called has failed."""


# By the numbers of tg_status; negative: those of native/core.h.
_core.register("errors", {
  1: ShapeError, 2: DTypeError, 3: OutOfRangeError, 4: ArgumentError, 5: DeviceError, 6: FileError,
  7: CancelledError, 8: InternalError, 9: HandleError, 10: HostMemoryError, 11: CallbackError,
  -5: DeviceMemoryError, -100: NoSuchDTypeError, -101: JitError, -102: IndexShapeError,
})
