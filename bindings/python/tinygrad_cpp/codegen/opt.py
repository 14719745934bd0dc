"""Loops that a program chooses for the kernel of a value, as tinygrad spells it:

  (a @ b).contiguous(arg=(Opt(OptOps.UPCAST, 0, 4), Opt(OptOps.UNROLL, 0, 4)))

The kernel has the loops of the expression and these, not those that the library would choose. Axes
are those of the kernel that stores the value; what it does not allow is left out, as DEBUG=3 tells.
Searching for loops is BEAM's (docs/search.md).
"""
import collections
import enum


class OptOps(enum.Enum):
  """What an Opt does with an axis; UPCAST and UNROLL can be asked for."""
  TC, UPCAST, UNROLL, LOCAL, THREAD, GROUP, GROUPTOP, NOLOCALS, PADTO, SWAP = range(1, 11)

  def __lt__(self, other):
    return self.value < other.value


Opt = collections.namedtuple("Opt", "op axis arg", defaults=(None, None))
Opt.__doc__ = "`arg` points of an axis are computed together."


def contiguous(tensor, arg=None):
  """The values in storage, by a kernel with the loops of `arg`, a sequence of Opts; None: as the
  library chooses. NotImplementedError for an Opt that cannot be asked for."""
  if arg is None:
    return tensor.contiguous()
  pairs = {OptOps.UPCAST: [], OptOps.UNROLL: []}
  for opt in arg:
    if opt.op not in pairs:
      raise NotImplementedError(f"contiguous: {opt.op} cannot be asked for, only UPCAST and UNROLL")
    pairs[opt.op].append((opt.axis, opt.arg))
  return tensor._contiguous_unrolled(pairs[OptOps.UPCAST], pairs[OptOps.UNROLL])
