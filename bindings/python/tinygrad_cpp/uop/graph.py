"""The graph behind a tensor, for looking at: what its value is made of, not yet computed.

  y = (Tensor([1., 2.]) + 1).relu()
  print(y.uop)                          # the whole graph, sources before users
  [u.op for u in y.uop.toposort()]      # ["buffer", "const", "expand", "add", ...]

Nodes are read-only pictures of the library's own: its text form (docs/ir.md), parsed."""
import re

_LINE = re.compile(r"%(\d+) = (\w+)(?:\{(.*?)\})?((?: %\d+(?:, %\d+)*)?) : (\S+)(.*)")
_TYPE = re.compile(r"(\w+)(?:<(\d+)>)?(?:\[([^\]]*)\])?")


class Node:
  """One operation: its name, its argument as text, its sources, the dtype and shape of its value."""
  __slots__ = ("op", "arg", "src", "dtype", "shape", "text", "_graph")

  def __init__(self, op, arg, src, dtype, shape, text, graph):
    self.op, self.arg, self.src = op, arg, src
    self.dtype, self.shape, self.text, self._graph = dtype, shape, text, graph

  def toposort(self):
    """All nodes that it is made of, sources before users, itself last; each once."""
    wanted, order = {id(self)}, []
    for node in reversed(self._graph[:self._graph.index(self) + 1]):
      if id(node) in wanted:
        order.append(node)
        wanted.update(id(s) for s in node.src)
    return order[::-1]

  def walk(self):
    """The same, one by one."""
    yield from self.toposort()

  @property
  def ndim(self):
    return len(self.shape)

  def __str__(self):
    return "\n".join(node.text for node in self.toposort())

  def __repr__(self):
    return f"<{self.text.split(' = ', 1)[1]}>"


def _node(line, graph):
  match = _LINE.match(line)
  if match is None:
    raise ValueError(f"no node of a graph: {line!r}")
  _, op, arg, sources, type_text, _ = match.groups()
  dtype, _, extents = _TYPE.match(type_text).groups()
  shape = tuple(int(e) for e in extents.split(",")) if extents else ()
  src = tuple(graph[int(s)] for s in re.findall(r"%(\d+)", sources))
  return Node(op, arg, src, dtype, shape, line, graph)


def parse(text):
  """The node of the last line."""
  graph = []
  for line in text.splitlines():
    graph.append(_node(line, graph))
  return graph[-1]
