"""The small functions of tinygrad.helpers that programs import for themselves: of tuples and shapes, of whole numbers
and bits, of texts, and of memory by its address. They know nothing of tensors; helpers.py gives all of them."""
import contextlib
import functools
import gc
import itertools
import operator
import os
import re
import sys
import time
from typing import TypeVar

__all__ = [
  "T", "U", "ansipad", "canonicalize_strides", "cdiv", "cmod", "colorize_float", "count", "data64", "data64_le",
  "disable_gc", "flat_to_grouped", "floordiv", "floormod", "from_mv", "fromimport", "get_shape", "getbits", "hi32",
  "i2u", "lines", "lo32", "merge_dicts", "next_power2", "pad_bytes", "panic", "perf_counter_us", "pluralize",
  "printable", "resolve_pool_pads", "round_down", "size_to_str", "strides_for_shape", "strip_parens",
  "suppress_finalizing", "system", "to_be32", "to_be64", "to_char_p_p", "to_function_name", "to_mv", "to_tuple",
  "unwrap", "wait_cond", "word_wrap"]

T, U = TypeVar("T"), TypeVar("U")


# ---- tuples, shapes

def to_tuple(x):
  """A tuple as it is, anything else as the only item of one."""
  return x if isinstance(x, tuple) else (x,)


def get_shape(x):
  """The sizes of nested sequences; ValueError if those of one level differ. A text is an item."""
  if isinstance(x, str) or not hasattr(x, "__len__") or getattr(x, "shape", None) == ():
    return ()
  inner = {get_shape(item) for item in x}
  if len(inner) > 1:
    raise ValueError(f"inhomogeneous shape from {x}")
  return (len(x), *(inner.pop() if inner else ()))


def strides_for_shape(shape):
  """Row-major strides in elements; 0 along axes of size 1."""
  if not shape:
    return ()
  inner = itertools.accumulate(reversed(shape[1:]), operator.mul, initial=1)
  return canonicalize_strides(shape, tuple(inner)[::-1])


def canonicalize_strides(shape, strides):
  """Strides with 0 along axes of size 1, where they mean nothing."""
  return tuple(0 if size == 1 else stride for size, stride in zip(shape, strides))


def flat_to_grouped(padding):
  """(left, right, top, bottom) as ((top, bottom), (left, right)): the last axis comes first in a flat list."""
  return tuple(zip(padding[-2::-2], padding[::-2]))


def resolve_pool_pads(padding, dims):
  """The padding of a pool as a flat list, last axis first: of one number, one an axis, or two an axis."""
  if isinstance(padding, int):
    return [padding] * 2 * dims
  if len(padding) == 2 * dims:
    return padding
  if len(padding) != dims:
    raise ValueError(f"Padding must be an int or a sequence of length {dims} or {2 * dims}, but got {padding=} with {dims=}.")
  return [amount for amount in reversed(padding) for _ in range(2)]


def merge_dicts(ds):
  """All entries; RuntimeError if a key has two values."""
  merged = {}
  for key, value in (entry for d in ds for entry in d.items()):
    if merged.setdefault(key, value) != value:
      raise RuntimeError(f"{key!r} has different values: {merged[key]!r} and {value!r}")
  return merged


def unwrap(x):
  """x, which must not be None."""
  assert x is not None
  return x


class count:
  """Endless numbers, like itertools.count, which can be pickled."""

  def __init__(self, start=0, step=1):
    self.n, self.step = start, step

  def __next__(self):
    self.n += self.step
    return self.n - self.step


# ---- whole numbers, bits

def round_down(num, amt):
  """The largest multiple of amt that is not above num."""
  return num // amt * amt


def next_power2(x):
  """The smallest power of 2 that is not below x."""
  return 1 if x == 0 else 1 << (x - 1).bit_length()


def cdiv(x, y):
  """x / y rounded to zero, as C has it; 0 for y = 0."""
  if y == 0:
    return 0
  quotient = abs(x) // abs(y)
  return -quotient if (x < 0) != (y < 0) else quotient


def cmod(x, y):
  """The remainder of cdiv: it has the sign of x."""
  return x - cdiv(x, y) * y


def floordiv(x, y):
  """x // y; 0 for y = 0."""
  return x // y if y != 0 else 0


def floormod(x, y):
  """The remainder of floordiv: it has the sign of y."""
  return x - floordiv(x, y) * y


def lo32(x):
  """The lower 32 bits."""
  return x & 0xFFFFFFFF


def hi32(x):
  """What is above the lower 32 bits."""
  return x >> 32


def data64(data):
  """A number of 64 bits as (upper half, lower half)."""
  return hi32(data), lo32(data)


def data64_le(data):
  """A number of 64 bits as (lower half, upper half)."""
  return lo32(data), hi32(data)


def to_be32(val):
  """The lower 4 bytes in the opposite order."""
  return int.from_bytes((val & 0xFFFFFFFF).to_bytes(4, "little"), "big")


def to_be64(val):
  """The lower 8 bytes in the opposite order."""
  return int.from_bytes((val & 0xFFFFFFFFFFFFFFFF).to_bytes(8, "little"), "big")


def getbits(value, start, end):
  """Bits start to end, both included, as a number."""
  return (value >> start) & ((1 << (end - start + 1)) - 1)


def i2u(bits, value):
  """A number of so many bits without its sign: two's complement."""
  return value if value >= 0 else (1 << bits) + value


# ---- texts

_ESCAPE = re.compile("\x1b\\[(K|.*?m)")


def _plain(s):
  return _ESCAPE.sub("", s)


def ansipad(s, w):
  """The text with spaces up to width w; colours have none."""
  return s + " " * max(w - len(_plain(s)), 0)


def colorize_float(x):
  """A ratio: green below 0.75, red above 1.15, else yellow."""
  from tinygrad_cpp.helpers import colored
  return colored(f"{x:7.2f}x", "green" if x < 0.75 else "red" if x > 1.15 else "yellow")


def size_to_str(s):
  """Bytes in the largest unit that they fill."""
  for exponent, unit in ((30, "GB"), (20, "MB"), (10, "KB")):
    if s >= 1 << exponent:
      return f"{s / (1 << exponent):.2f} {unit}"
  return f"{s} B"


def pluralize(st, cnt):
  """"1 kernel", "2 kernels"."""
  return f"{cnt} {st}" if cnt == 1 else f"{cnt} {st}s"


def _is_balanced(s):
  depths = list(itertools.accumulate((c == "(") - (c == ")") for c in s))
  return not depths or (min(depths) >= 0 and depths[-1] == 0)


def strip_parens(fst):
  """The text without the parentheses around all of it."""
  return fst[1:-1] if fst[:1] == "(" and fst[-1:] == ")" and _is_balanced(fst[1:-1]) else fst


def word_wrap(x, wrap=80):
  """The text in lines of at most so many characters; colours are none."""
  def pieces(line):
    at = visible = 0
    while at < len(line) and visible < wrap:
      escape = _ESCAPE.match(line, at)
      at, visible = (escape.end(), visible) if escape else (at + 1, visible + 1)
    return [line[:at], *pieces(line[at:])] if _plain(line[at:]) else [line]
  return "\n".join(piece for line in x.split("\n") for piece in pieces(line))


@functools.cache
def to_function_name(s):
  """The text as a name: letters, digits and _ stay, others become two hexadecimal digits."""
  return "".join(c if c == "_" or (c.isascii() and c.isalnum()) else f"{ord(c):02X}" for c in _plain(s))


@functools.cache
def lines(fn):
  """The lines of a text file; none if it cannot be read."""
  try:
    with open(fn, encoding="utf-8") as file:
      return file.readlines()
  except OSError:
    return []


def printable(loc):
  """The line of a place in a source file, (file, number)."""
  all_lines = lines(loc[0])
  return all_lines[loc[1] - 1].strip() if 0 < loc[1] <= len(all_lines) else "<missing>"


# ---- bytes, memory

def pad_bytes(b, align):
  """The bytes with zeros up to a multiple of align."""
  return b + b"\0" * (-len(b) % align)


def to_mv(ptr, sz):
  """The memory of sz bytes at an address."""
  import ctypes
  return memoryview((ctypes.c_uint8 * sz).from_address(ptr)).cast("B")


def from_mv(mv, to_type=None):
  """The memory as an array of a ctypes type, c_char if none is given; nothing is copied."""
  import ctypes
  to_type = to_type or ctypes.c_char
  return ctypes.cast(ctypes.addressof(to_type.from_buffer(mv)), ctypes.POINTER(to_type * len(mv))).contents


def to_char_p_p(options, to_type=None):
  """Texts as C has them: an array of pointers."""
  import ctypes
  to_type = to_type or ctypes.c_char
  kept = [ctypes.create_string_buffer(option) for option in options]
  return (ctypes.POINTER(to_type) * len(kept))(*[ctypes.cast(text, ctypes.POINTER(to_type)) for text in kept])


# ---- programs

def fromimport(mod, frm):
  """What `from mod import frm` gives."""
  import importlib
  return getattr(importlib.import_module(mod), frm)


def panic(e=None, *arg):
  """Raises an exception, where only an expression may stand."""
  raise RuntimeError("PANIC!") if e is None else e(*arg)


def suppress_finalizing(func):
  """The function, without its errors once Python itself ends."""
  @functools.wraps(func)
  def wrapper(*args, **kwargs):
    try:
      return func(*args, **kwargs)
    except (RuntimeError, AttributeError, TypeError, ImportError, OSError):
      if not sys.is_finalizing():
        raise
  return wrapper


def system(cmd, **kwargs):
  """What a program prints, without blanks around it; RuntimeError if it fails."""
  import subprocess
  done = subprocess.run(cmd.split(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **kwargs)
  text = done.stdout.decode(errors="replace").strip()
  if done.returncode != 0:
    raise RuntimeError(f"system: '{cmd}' failed with exit code {done.returncode}{os.linesep}{text}")
  return text


def wait_cond(cb, *args, value=True, timeout_ms=10000, msg=""):
  """Calls cb until it gives the value; TimeoutError after so many milliseconds."""
  end = time.perf_counter() + timeout_ms / 1e3
  while True:
    result = cb(*args)
    if result == value:
      return result
    if time.perf_counter() > end:
      raise TimeoutError(f"{msg}. Timed out after {timeout_ms} ms, condition not met: {result} != {value}")


def perf_counter_us():
  """Microseconds of time.perf_counter, exactly."""
  import decimal
  return decimal.Decimal(time.perf_counter_ns()) / 1000


class disable_gc(contextlib.ContextDecorator):
  """No garbage collection in the block, or in calls of the function."""

  def _recreate_cm(self):
    return type(self)()

  def __enter__(self):
    self._was_enabled = gc.isenabled()
    gc.disable()

  def __exit__(self, *exc):
    if self._was_enabled:
      gc.enable()
