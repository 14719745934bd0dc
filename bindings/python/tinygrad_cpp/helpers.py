"""Small things that programs import: getenv, Timing, trange, fetch, ... Context variables are in
context.py."""
import contextlib
import functools
import math
import operator
import os
import sys
import time

from tinygrad_cpp import _core
from tinygrad_cpp.context import *  # noqa: F403
from tinygrad_cpp.context import CONTEXT, Context, ContextVar  # noqa: F401
from tinygrad_cpp.downloads import cache_dir, fetch  # noqa: F401

OSX = sys.platform == "darwin"
WIN = sys.platform == "win32"
CI = os.getenv("CI", "") != ""


# ---- configuration

@functools.cache
def getenv(key, default=0):
  """A variable of the environment as the type of the default."""
  return type(default)(os.getenv(key, default))


class _Counters:
  """GlobalCounters: what was computed since the last reset."""
  _FIELDS = {"kernel_count": 1, "global_ops": 2, "global_mem": 3, "time_sum_s": 4, "mem_used": 5,
             "peak_mem_used": 6}

  def __getattr__(self, name):
    if name not in self._FIELDS:
      raise AttributeError(name)
    return _core.counters()[self._FIELDS[name]]

  @staticmethod
  def reset():
    """Counts from 0 again."""
    _core.reset_counters()


GlobalCounters = _Counters()


def set_log(sink=None):
  """Hands the library's lines for people, what DEBUG prints and warnings, to `sink(line)`, for
  example `logging.getLogger("tinygrad").info`; None: to standard error. Lines come in order, soon
  after they were said, in the thread that computed or in the main thread. What the sink raises is
  shown and goes no further. Gives the sink that was there before."""
  if sink is not None and not callable(sink):
    raise TypeError(f"set_log: expected a function of a line, not {sink!r}")
  import atexit
  atexit.unregister(_core.set_log)
  atexit.register(_core.set_log, None)
  return _core.set_log(sink)


# ---- sequences and numbers

def prod(x):
  """The product; 1 of nothing."""
  return functools.reduce(operator.mul, x, 1)


def argfix(*x):
  """The arguments, or the list that is the only one."""
  if x and isinstance(x[0], (tuple, list)):
    if len(x) != 1:
      raise ValueError(f"bad arg {x}")
    return tuple(x[0])
  return x


def make_tuple(x, cnt):
  """A number as often as needed; a sequence as a tuple."""
  return (x,) * cnt if isinstance(x, int) else tuple(x)


def argsort(x):
  """The places of the elements in order."""
  return type(x)(sorted(range(len(x)), key=x.__getitem__))


def all_same(items):
  """Whether all are equal to the first."""
  return all(x == items[0] for x in items)


def all_int(t):
  """Whether all are integers."""
  return all(isinstance(s, int) for s in t)


def dedup(x):
  """Without repetitions, in order."""
  return list(dict.fromkeys(x))


def flatten(lists):
  """One list of the elements of all."""
  return [item for sublist in lists for item in sublist]


def fully_flatten(x):
  """One list of the elements at the bottom of nested lists."""
  if not isinstance(x, (list, tuple)):
    return [x]
  return [item for part in x for item in fully_flatten(part)]


def partition(itr, fxn):
  """(those for which the function is true, the others)"""
  yes, no = [], []
  for x in itr:
    (yes if fxn(x) else no).append(x)
  return yes, no


def ceildiv(num, amt):
  """The quotient rounded up."""
  return -(num // -amt)


def round_up(num, amt):
  """The next multiple."""
  return ceildiv(num, amt) * amt


def flat_mv(mv):
  """A memoryview as bytes in a row."""
  return mv if len(mv) == 0 else mv.cast("B", shape=[mv.nbytes])


def get_child(obj, key):
  """obj.a.b.0 for "a.b.0"."""
  for part in key.split("."):
    if part.isnumeric():
      obj = obj[int(part)]
    elif isinstance(obj, dict):
      obj = obj[part]
    else:
      obj = getattr(obj, part)
  return obj


# ---- output

_COLORS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")


def colored(st, color, background=False):
  """Text in a color of the terminal; bright in capitals, plain for None."""
  if color is None:
    return st
  code = _COLORS.index(color.lower()) + 30 + 10 * background + 60 * color.isupper()
  return f"\u001b[{code}m{st}\u001b[0m"


def ansistrip(s):
  """Text without the codes of colors."""
  import re
  return re.sub("\x1b\\[(K|.*?m)", "", s)


def ansilen(s):
  """Its length on the screen."""
  return len(ansistrip(s))


def time_to_str(t, w=8):
  """Seconds as a readable number."""
  unit, name = next(((u, n) for u, n in ((1, "s "), (1e3, "ms")) if t * u >= 1), (1e6, "us"))
  return f"{t * unit:{w}.2f}{name}"


class Timing(contextlib.ContextDecorator):
  """Prints how long a block took."""

  def __init__(self, prefix="", on_exit=None, enabled=True):
    self.prefix, self.on_exit, self.enabled = prefix, on_exit, enabled

  def __enter__(self):
    self.st = time.perf_counter_ns()

  def __exit__(self, *_):
    self.et = time.perf_counter_ns() - self.st
    if self.enabled:
      extra = self.on_exit(self.et) if self.on_exit else ""
      print(f"{self.prefix}{self.et * 1e-6:6.2f} ms{extra}")


class tqdm:
  """A progress bar on stderr around an iterable, or stepped by update()."""

  def __init__(self, iterable=None, desc="", disable=False, unit="it", unit_scale=False, total=None,
               rate=100):
    self.iterable, self.disable, self.unit, self.rate = iterable, disable, unit, rate
    self.total = total if total is not None else len(iterable) if hasattr(iterable, "__len__") else 0
    self.n, self.start, self.shown = 0, time.perf_counter(), 0.0
    self.set_description(desc)

  def __iter__(self):
    for item in self.iterable:
      yield item
      self.update(1)
    self.update(0, close=True)

  def __enter__(self):
    return self

  def __exit__(self, *_):
    self.update(0, close=True)

  def set_description(self, desc):
    """What stands before the bar."""
    self.desc = f"{desc}: " if desc else ""

  def update(self, n=0, close=False):
    """n steps further."""
    self.n += n
    now = time.perf_counter()
    if self.disable or (not close and now - self.shown < 1 / self.rate):
      return
    self.shown, elapsed = now, now - self.start
    speed = f"{self.n / elapsed:8.2f}{self.unit}/s" if elapsed > 0 else ""
    if self.total:
      share = min(self.n / self.total, 1)
      bar = "█" * round(share * 30)
      text = f"{self.desc}{share * 100:3.0f}%|{bar:30}| {self.n}/{self.total} {speed}"
    else:
      text = f"{self.desc}{self.n}{self.unit} {speed}"
    print(f"\r{text}", end="\n" if close else "", flush=True, file=sys.stderr)

  @classmethod
  def write(cls, s):
    """A line above the bar."""
    print(f"\r\u001b[K{s}", flush=True, file=sys.stderr)


def trange(n, **kwargs):
  """range(n) with a progress bar."""
  return tqdm(range(n), total=n, **kwargs)


# ---- files

def temp(name):
  """A path in the folder for temporary files."""
  import tempfile
  return os.path.join(tempfile.gettempdir(), name)


def polyN(x, p):
  """The value of a polynomial, highest coefficient first."""
  return functools.reduce(lambda acc, c: acc * x + c, p, 0.0)


def log2_floor(n):
  """The exponent of the largest power of 2 that is not above n."""
  return math.floor(math.log2(n))
