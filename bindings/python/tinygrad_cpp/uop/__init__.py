"""Nodes of graphs and sizes that vary: uop.ops, uop.graph, uop.names."""
from tinygrad_cpp.uop.names import GroupOp, Ops  # noqa: F401
from tinygrad_cpp.uop.ops import UOp, Variable  # noqa: F401
