"""The cache of schedules, under the name of the module in which tinygrad has it. Schedules to look at:
uop/schedule.py."""
from tinygrad_cpp import _core


class _Schedules:
  """Schedules that are kept: each serves all graphs that differ only in their arrays and in the values
  of variables. If a step of a program adds some, it is planned each time it runs."""

  def __len__(self):
    return _core.kept_schedules()

  @staticmethod
  def clear():
    """Forgets them, and compiled kernels; what is used again is made again."""
    _core.clear_caches()


schedule_cache = _Schedules()
