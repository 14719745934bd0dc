"""Schedules to look at and to run: the kernels that evaluating tensors would run, as nodes.

  linear = (Tensor.ones(4).contiguous() + 1).schedule_linear()
  [call.src[0] for call in linear.src]     # each a SINK; nothing is computed
  run_linear(linear)                       # computes the tensors

A call is (the kernel's SINK, its arrays...), or (a COPY, the array that is written, the one that is read)
for a copy between devices. The arrays are PARAMs: their `buffer` says device, dtype and size, and has no memory yet."""
import collections
import re

from tinygrad_cpp.uop import graph
from tinygrad_cpp.uop.names import GroupOp, Ops
from tinygrad_cpp.uop.patterns import PatternMatcher


def _arrays_of(item):
  """The arrays of a kernel in the order of its arguments; of a copy the written one, then that which it reads."""
  params = [node for node in item.toposort() if node.op is Ops.PARAM]
  if item.op is Ops.COPY:
    source = params[0]
    return graph.node(Ops.PARAM, re.sub(r"^\d+", "0", source.arg), (), f"{source.type.partition(' @')[0]} @{item.device}"), source
  return tuple(sorted(params, key=lambda node: int(node.arg.partition(",")[0])))


def linear_of(tensors, kernels):
  """The schedule of tensors, from the text of its kernels and copies (kernels_text in tg/ir/graph.h)."""
  items = (graph.parse(text) for text in kernels.split("\n\n") if text)
  calls = tuple(graph.node(Ops.CALL, None, (item, *_arrays_of(item)), "void") for item in items)
  linear = graph.Node(Ops.LINEAR, None, calls, "void")
  linear._tensor = tuple(tensors)
  return linear


def variables_of(tensors):
  """The values of the variables that tensors are computed with, by name."""
  values = {}
  for t in tensors:
    for node in t.uop.toposort():
      if node.op is Ops.BIND:
        values[node.src[0].arg.split(",")[0].strip('" ')] = int(node.arg)
  return values


def compile_linear(linear, *_, **__):
  """The schedule itself: kernels are compiled when they first run, and found again."""
  return linear


lower_and_compile = compile_linear
# tinygrad's rules that search for the best form of a kernel. Here the compiler searches while it compiles
# (BEAM), and there is nothing to rewrite.
pm_beam = PatternMatcher([])


def run_linear(linear, var_vals=None, *_, **__):
  """Computes the tensors of a schedule; variables have the values with which they were bound. None is a
  schedule of nothing."""
  if linear is None:
    return
  if not isinstance(linear._tensor, tuple):
    raise ValueError("run_linear: expected what schedule_linear or linear_with_vars gave")
  if linear._tensor:
    linear._tensor[0].realize(*linear._tensor[1:])


Estimates = collections.namedtuple("Estimates", "ops lds mem", defaults=(0, 0, 0))
Estimates.__doc__ = "What a kernel takes: operations, bytes loaded and stored, bytes of the arrays."


def estimate_uop(call):
  """Of one call of a schedule: operations of the kernel as it is written down, each as often as the
  ranges around it say."""
  counts, ops, lds, arrays = {}, 0, 0, {}
  for node in call.src[0].toposort():
    inner = set().union(*(counts[id(s)] for s in node.src)) if node.src else set()
    if node.op is Ops.RANGE:
      inner = {node}
    counts[id(node)] = inner
    times = 1
    for r in inner:
      times *= int(r.src[0].arg)
    if node.op in GroupOp.ALU and node.dtype != graph.INDEX:
      ops += times
    elif node.op is Ops.REDUCE:
      ops += times
    elif node.op in (Ops.LOAD, Ops.STORE):
      size = (node if node.op is Ops.LOAD else node.src[-1]).dtype.itemsize
      lds += times * size
    elif node.op is Ops.PARAM:
      arrays[node] = node.numel() * node.dtype.itemsize
    if node.op in (Ops.REDUCE, Ops.STAGE, Ops.END):
      counts[id(node)] = inner - set(s for s in node.src[1:] if s.op is Ops.RANGE)
  return Estimates(ops, lds, sum(arrays.values()))
