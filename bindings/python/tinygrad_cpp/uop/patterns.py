"""Rules over graphs: UPat describes nodes, PatternMatcher holds rules, graph_rewrite applies them.

  pm = PatternMatcher([(UPat(Ops.MUL, src=[UPat.var("x"), UPat.cvar("c")]), lambda x, c: x + x if c.val == 2 else None)])
  y = Tensor(graph_rewrite((x * 2).uop, pm))

Rules of the compiler's own are in C++ (tg/ir/rule.h), and are not seen here."""
import itertools
import sys

from tinygrad_cpp.uop.graph import Node
from tinygrad_cpp.uop.names import GroupOp, Ops


class UPat:
  """A tree that describes nodes. `src`: a tuple of patterns in order, a list for any order, one pattern
  for all sources; None for whatever they are. `name`: what the rule's function calls the node."""
  __slots__ = ("op", "dtype", "src", "arg", "name", "allow_any_len", "location")

  def __init__(self, op=None, dtype=None, src=None, arg=None, name=None, allow_any_len=False):
    self.op = None if op is None else frozenset((op,)) if isinstance(op, Ops) else frozenset(op)
    self.dtype = None if dtype is None else tuple(dtype) if isinstance(dtype, (tuple, list)) else (dtype,)
    self.src, self.arg, self.name, self.allow_any_len = src, arg, name, allow_any_len
    frame = sys._getframe(1)
    self.location = frame.f_code.co_filename, frame.f_lineno

  @staticmethod
  def var(name=None, dtype=None):
    """Any node."""
    return UPat(name=name, dtype=dtype)

  @staticmethod
  def cvar(name=None, dtype=None):
    """Any constant."""
    return UPat(Ops.CONST, name=name, dtype=dtype)

  @staticmethod
  def const(dtype, value):
    """This constant."""
    return UPat(Ops.CONST, dtype=dtype, arg=value)

  @staticmethod
  def any(*patterns):
    """What one of the patterns describes."""
    return _Any(patterns)

  def named(self, name):
    """The same under a name."""
    return UPat(self.op, self.dtype, self.src, self.arg, name, self.allow_any_len)

  def alu(self, op, *src):
    """An operation on what this describes."""
    src = (self, *(s if isinstance(s, UPat) else UPat.const(None, s) for s in src))
    return UPat(op, src=list(src) if op in GroupOp.Commutative else src)

  def match(self, node, found=None):
    """All ways in which the pattern describes the node: a dict of the named nodes each."""
    found = found or {}
    if self.op is not None and node.op not in self.op:
      return []
    if self.dtype is not None and self.dtype != (None,) and node.dtype not in self.dtype:
      return []
    if self.arg is not None and (node.val if node.op is Ops.CONST else node.arg) != self.arg:
      return []
    if self.name is not None:
      if found.setdefault(self.name, node) is not node:
        return []
    if self.src is None:
      return [found]
    if isinstance(self.src, UPat):
      return _in_order((self.src,) * len(node.src), node.src, found)
    if len(self.src) != len(node.src) and not (self.allow_any_len and len(self.src) <= len(node.src)):
      return []
    if isinstance(self.src, list):
      return list(itertools.chain.from_iterable(
        _in_order(order, node.src, found) for order in itertools.permutations(self.src)))
    return _in_order(self.src, node.src, found)

  def __reduce__(self):
    return _pattern, tuple(getattr(self, name) for name in UPat.__slots__)


class _Any(UPat):
  __slots__ = ("patterns",)

  def __init__(self, patterns):
    super().__init__()
    self.patterns = patterns

  def match(self, node, found=None):
    return list(itertools.chain.from_iterable(p.match(node, dict(found or {})) for p in self.patterns))

  def __reduce__(self):
    return _Any, (self.patterns,)


def _pattern(op, dtype, src, arg, name, allow_any_len, location):
  made = UPat(op, dtype, src, arg, name, allow_any_len)
  made.location = location
  return made


def _in_order(patterns, nodes, found):
  ways = [dict(found)]
  for pattern, node in zip(patterns, nodes):
    ways = [way for before in ways for way in pattern.match(node, dict(before))]
  return ways


def _operator(op, swaps=False):
  def operator(self, other):
    other = other if isinstance(other, UPat) else UPat.const(None, other)
    return other.alu(op, self) if swaps else self.alu(op, other)
  return operator


for _name, _op in (("add", Ops.ADD), ("mul", Ops.MUL), ("and", Ops.AND), ("or", Ops.OR), ("xor", Ops.XOR),
                   ("truediv", Ops.FDIV), ("floordiv", Ops.FLOORDIV), ("mod", Ops.FLOORMOD),
                   ("lshift", Ops.SHL), ("rshift", Ops.SHR)):
  setattr(UPat, f"__{_name}__", _operator(_op))
  setattr(UPat, f"__r{_name}__", _operator(_op, True))
UPat.__lt__ = _operator(Ops.CMPLT)


class PatternMatcher:
  """Rules in order: (pattern, function of the named nodes, which gives a node or None). A parameter `ctx`
  gets what graph_rewrite was given."""

  def __init__(self, patterns):
    self.patterns = list(patterns)

  def rewrite(self, node, ctx=None):
    """What the first rule that applies makes of the node; None if none does."""
    for pattern, function in self.patterns:
      code = function.__code__
      wants_context = "ctx" in code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
      for found in pattern.match(node):
        result = function(**found, **({"ctx": ctx} if wants_context else {}))
        if result is not None and result is not node:
          return result
    return None

  def __add__(self, other):
    return PatternMatcher(self.patterns + other.patterns)

  def __reduce__(self):
    return _matcher, (tuple((p, deconstruct_function(f)) for p, f in self.patterns),)


def _matcher(rules):
  import types
  return PatternMatcher([(pattern, types.FunctionType(*parts)) for pattern, parts in rules])


def _names_of(code):
  """The global names that a function's code uses, also in functions inside it."""
  names = set(code.co_names)
  for constant in code.co_consts:
    if isinstance(constant, type(code)):
      names |= _names_of(constant)
  return names


def deconstruct_function(function):
  """What types.FunctionType makes the function of again: its code and the globals that it uses, both of
  which can be pickled."""
  code, names = function.__code__, _names_of(function.__code__)
  used = {k: v for k, v in function.__globals__.items() if k in names}
  closure = function.__closure__ and tuple(cell.cell_contents for cell in function.__closure__)
  if closure:
    raise ValueError(f"deconstruct_function: {function.__qualname__} uses variables around it")
  return code, used, function.__name__, function.__defaults__


_LONGEST = 200  # rewrites that follow from one another; more are taken for a circle


def graph_rewrite(sink, pm, ctx=None, bottom_up=False, walk=False, name=None, **_):
  """The graph with the rules applied until none does, sources first; with `bottom_up` users first, with
  `walk` each node once."""
  done = {}

  def applied(node, steps):
    new = pm.rewrite(node, ctx)
    if new is None or walk:
      return node if new is None else new
    if steps > _LONGEST:
      raise RuntimeError(f"graph_rewrite: rules run in circles at {new!r}")
    return rewritten(new, steps + 1)

  def rewritten(root, steps=0):
    for node in root.toposort():
      if node in done:
        continue
      start = node
      if bottom_up:
        while (new := pm.rewrite(start, ctx)) is not None:
          start = new
          steps += 1
          if steps > _LONGEST:
            raise RuntimeError(f"graph_rewrite: rules run in circles at {new!r}")
        if start is not node:
          done[node] = rewritten(start, steps + 1)
          continue
      src = tuple(done[s] for s in start.src)
      new = start if all(a is b for a, b in zip(src, start.src)) else start.replace(src=src)
      done[node] = new if bottom_up else applied(new, steps)
    return done[root]
  if not isinstance(sink, Node):
    raise TypeError(f"graph_rewrite: expected a node, got {type(sink).__name__}")
  return rewritten(sink)
