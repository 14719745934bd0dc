"""Names of operations and what goes with them: Ops, GroupOp, AxisType, KernelInfo. Those that a graph of
this library has (docs/ir.md) have its names in small letters as values, so that `node.op is Ops.ADD`
and `node.op == "add"` say the same; the others are tinygrad's, for programs that ask for them. Nodes
themselves: graph.py."""
import collections
import enum


class Ops(str, enum.Enum):
  """The operations."""
  # leaves
  CONST, VAR, BIND, IOTA = "const", "var", "bind", "iota"
  BUFFER, PARAM, RANGE = "buffer", "param", "range"
  # elementwise
  ADD, MUL, MAX, CMPLT, CMPNE = "add", "mul", "max", "cmplt", "cmpne"
  XOR, AND, OR, SHL, SHR = "xor", "and", "or", "shl", "shr"
  FLOORDIV, FLOORMOD, FDIV = "idiv", "mod", "fdiv"
  SQRT, EXP2, LOG2, SIN, TRUNC = "sqrt", "exp2", "log2", "sin", "trunc"
  WHERE, CAST, BITCAST, THREEFRY, MULACC = "where", "cast", "bitcast", "threefry", "fma"
  # movement
  RESHAPE, PERMUTE, EXPAND, PAD, SHRINK = "reshape", "permute", "expand", "pad", "shrink"
  FLIP, SHEAR, OFFSET, LIMIT = "flip", "shear", "offset", "limit"
  GATHER, SCATTER, REDUCE = "gather", "scatter", "reduce"
  # memory, effects, marks
  STAGE, LOAD, STORE, AFTER, END, SINK = "stage", "load", "store", "after", "end", "sink"
  COPY, CONTIGUOUS, DETACH, WITH_GRADIENT = "copy", "contiguous", "detach", "with_gradient"
  # lowered
  CARRY, OUT, ALLOC, SPLAT, RAMP = "carry", "out", "alloc", "splat", "ramp"
  STACK, SHUFFLE, EXTRACT, VREDUCE = "stack", "shuffle", "extract", "vreduce"
  IF, ENDIF, BARRIER, WMMA = "if", "endif", "barrier", "mma"
  SUBGROUP_SHUFFLE, ASYNC_COPY, ASYNC_WAIT = "subgroup_shuffle", "async_copy", "async_wait"
  MMA_ASYNC, MMA_WAIT = "mma_async", "mma_wait"
  # schedules and kernels of one's own (schedule.py, kernel.py)
  LINEAR, CALL, INDEX, GROUP = "linear", "call", "index", "group"
  # tinygrad's, which are composed here or belong to its compiler
  SUB, NEG, RECIPROCAL, POW, CMPEQ = "SUB", "NEG", "RECIPROCAL", "POW", "CMPEQ"
  CDIV, CMOD, NOOP, SPECIAL, PROGRAM = "CDIV", "CMOD", "NOOP", "SPECIAL", "PROGRAM"
  SOURCE, BINARY, FUNCTION, TUPLE = "SOURCE", "BINARY", "FUNCTION", "TUPLE"
  GETTUPLE, UNSHARD, MSTACK, MSELECT = "GETTUPLE", "UNSHARD", "MSTACK", "MSELECT"
  CONTIGUOUS_BACKWARD, ALLREDUCE = "CONTIGUOUS_BACKWARD", "ALLREDUCE"
  CUSTOM, CUSTOMI, CUSTOM_FUNCTION = "CUSTOM", "CUSTOMI", "CUSTOM_FUNCTION"

  def __repr__(self):
    return f"Ops.{self.name}"

  __str__ = __repr__
  __hash__ = str.__hash__


class GroupOp:
  """Sets of operations."""
  Unary = {Ops.EXP2, Ops.LOG2, Ops.SIN, Ops.SQRT, Ops.RECIPROCAL, Ops.NEG, Ops.TRUNC}
  Binary = {Ops.ADD, Ops.MUL, Ops.CDIV, Ops.MAX, Ops.CMOD, Ops.CMPLT, Ops.CMPNE, Ops.CMPEQ, Ops.XOR,
            Ops.SHL, Ops.SHR, Ops.OR, Ops.AND, Ops.THREEFRY, Ops.SUB, Ops.FDIV, Ops.POW, Ops.FLOORDIV,
            Ops.FLOORMOD}
  Ternary = {Ops.WHERE, Ops.MULACC}
  ALU = Unary | Binary | Ternary
  Elementwise = ALU | {Ops.CAST, Ops.BITCAST}
  Movement = {Ops.RESHAPE, Ops.EXPAND, Ops.PERMUTE, Ops.PAD, Ops.SHRINK, Ops.FLIP, Ops.SHEAR, Ops.OFFSET,
              Ops.LIMIT}
  Commutative = {Ops.ADD, Ops.MUL, Ops.MAX, Ops.CMPNE, Ops.CMPEQ, Ops.XOR, Ops.AND, Ops.OR}
  Associative = {Ops.ADD, Ops.MUL, Ops.AND, Ops.OR, Ops.MAX}
  Comparison = {Ops.CMPLT, Ops.CMPNE, Ops.CMPEQ}
  Reduce = {Ops.ADD, Ops.MUL, Ops.MAX}
  Defines = {Ops.PARAM, Ops.BUFFER}
  Irreducible = {Ops.CONST, Ops.VAR, Ops.RANGE, Ops.PARAM}
  All = set(Ops)


class AxisType(enum.Enum):
  """What a range of a kernel is for."""
  DEVICE, GLOBAL, LOCAL, LOOP, REDUCE, UPCAST = "device", "global", "local", "loop", "reduce", "upcast"
  UNROLL, THREAD, WARP, GROUP_REDUCE, OUTER = "unroll", "thread", "warp", "group_reduce", "outer"


KernelInfo = collections.namedtuple("KernelInfo", "name opts_to_apply axis_types", defaults=("kernel", None, ()))
KernelInfo.__doc__ = "What a kernel says of itself."


def op_named(name):
  """The operation of a name in either spelling, or itself. ValueError for none."""
  if isinstance(name, Ops):
    return name
  text = str(name).rsplit(".", 1)[-1]
  return Ops.__members__.get(text.upper()) or Ops(text.lower())
