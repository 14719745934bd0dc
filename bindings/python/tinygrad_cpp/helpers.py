"""Small things that programs import: getenv, Timing, trange, fetch, ... Context variables are in
context.py."""
import contextlib
import copyreg
import functools
import math
import operator
import os
import sys
import time
import types

from tinygrad_cpp import _core
from tinygrad_cpp.context import *  # noqa: F403
from tinygrad_cpp.context import CONTEXT, Context, ContextVar  # noqa: F401
from tinygrad_cpp.downloads import cache_dir, fetch  # noqa: F401
from tinygrad_cpp.small_helpers import *  # noqa: F403

def _pickled_code(code):
  import marshal
  return marshal.loads, (marshal.dumps(code),)


copyreg.pickle(types.CodeType, _pickled_code)  # functions of rules travel so (uop.patterns)

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


def get_single_element(x):
  """The only element."""
  if len(x) != 1:
    raise ValueError(f"get_single_element: {len(x)} elements")
  return x[0]


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


def mv_address(mv):
  """The address of a memoryview's bytes; 0 if there are none."""
  import ctypes
  return ctypes.addressof(ctypes.c_char.from_buffer(mv)) if mv.nbytes > 0 else 0


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


def stderr_log(msg):
  """Prints to standard error at once, without a line's end."""
  print(msg, end="", file=sys.stderr, flush=True)


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


def _clock(seconds):
  """1:02:03 of 3723 seconds; minutes in any case."""
  hours, rest = divmod(int(seconds), 3600)
  return f"{hours}:{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60:02d}:{rest % 60:02d}"


def _scaled(x):
  """Three digits and a letter: 1.00k of 1000."""
  if not x:
    return "0.00"
  power = round(math.log(x, 1000), 6)
  exponent = int(power)
  digits = f"{x / 1000 ** exponent:.{int(3 - 3 * math.fmod(power, 1))}f}"[:4].rstrip(".")
  if digits == "1000":
    digits, exponent = f"{x / 1000 ** (exponent + 1):.3f}"[:4].rstrip("."), exponent + 1
  return digits + " kMGTPEZY"[exponent].strip()


class tqdm:
  """A progress bar on stderr around an iterable, or stepped by update(): as wide as the terminal,
  shown at most `rate` times a second. `disable=None` shows it on terminals only."""

  def __init__(self, iterable=None, desc="", disable=False, unit="it", unit_scale=False, total=None,
               rate=100):
    self.disable = not sys.stderr.isatty() if disable is None else disable
    self.iterable, self.unit, self.unit_scale, self.rate = iterable, unit, unit_scale, rate
    self.t = total if total is not None else getattr(iterable, "__len__", lambda: 0)()
    # steps done, calls of update, of which every skip-th is shown
    self.st, self.n, self.i, self.skip = time.perf_counter(), 0, -1, 1
    self.set_description(desc)
    self.update(0)

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

  def _state(self, elapsed):
    """5/10 [00:01<00:01,  5.00it/s]"""
    number = _scaled if self.unit_scale else str
    done = f"{number(self.n)}/{number(self.t)}" if self.t else number(self.n) + self.unit
    left = f"<{_clock(elapsed * self.t / self.n - elapsed) if self.n else '?'}" if self.t else ""
    speed = "?"
    if self.n:
      speed = self.n / elapsed if elapsed else 0.0
      speed = _scaled(speed) if self.unit_scale else f"{speed:5.2f}"
    return f"{done} [{_clock(elapsed)}{left}, {speed}{self.unit}/s]"

  def _bar(self, width):
    filled = width * self.n / self.t
    bar = "█" * int(filled) + " ▏▎▍▌▋▊▉"[int(8 * filled) % 8].strip()
    return f"{100 * self.n / self.t:3.0f}%|{bar.ljust(width)}| "

  def update(self, n=0, close=False):
    """n steps further."""
    self.n, self.i = self.n + n, self.i + 1
    if self.disable or (not close and self.i % self.skip):
      return
    import shutil
    elapsed, columns = time.perf_counter() - self.st, shutil.get_terminal_size().columns
    if elapsed and self.i and self.i / elapsed > self.rate:
      self.skip = max(int(self.i / elapsed) // self.rate, 1)
    state = self._state(elapsed)
    bar = self._bar(max(columns - ansilen(self.desc) - 7 - len(state), 1)) if self.t else ""
    print(f"\r{self.desc}{bar}{state}", end="\n" if close else "", flush=True, file=sys.stderr)

  @classmethod
  def write(cls, s):
    """A line above the bar."""
    print(f"\r\u001b[K{s}", flush=True, file=sys.stderr)


def trange(n, **kwargs):
  """range(n) with a progress bar."""
  return tqdm(range(n), total=n, **kwargs)


class Profiling(contextlib.ContextDecorator):
  """Prints the functions of Python in which a block spent its time."""

  def __init__(self, enabled=True, sort="cumtime", frac=0.2, fn=None, ts=1):
    self.enabled, self.sort, self.share, self.file, self.scale = enabled, sort, frac, fn, 1e3 * ts

  def __enter__(self):
    if self.enabled:
      import cProfile
      self.profile = cProfile.Profile()
      self.profile.enable()
    return self

  def __exit__(self, *_):
    if not self.enabled:
      return
    import pstats
    self.profile.disable()
    if self.file:
      self.profile.dump_stats(self.file)
    stats = pstats.Stats(self.profile).strip_dirs().sort_stats(self.sort)
    functions = stats.fcn_list[:int(len(stats.fcn_list) * self.share)]
    for function in functions:
      _, calls, own, total, _ = stats.stats[function]
      print(f"n:{calls:8d}  tm:{own * self.scale:7.2f}ms  tot:{total * self.scale:7.2f}ms  {function[2]}")


@contextlib.contextmanager
def profile_marker(name, color="gray"):
  """Marks a block for profilers; here it runs and nothing else."""
  yield


def diskcache(func):
  """The function with its results kept in the cache folder, by its name and arguments."""
  @functools.wraps(func)
  def cached(*args, **kwargs):
    import hashlib
    import pickle
    key = hashlib.sha256(pickle.dumps((func.__module__, func.__qualname__, args, kwargs))).hexdigest()
    path = os.path.join(cache_dir(), "results", key)
    try:
      with open(path, "rb") as file:
        return pickle.load(file)
    except (OSError, EOFError, pickle.UnpicklingError):
      result = func(*args, **kwargs)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(f"{path}.{os.getpid()}", "wb") as file:
      pickle.dump(result, file)
    os.replace(file.name, path)
    return result
  return cached


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
