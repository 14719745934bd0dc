"""Sizes that vary: uop.ops."""
from tinygrad_cpp.uop.ops import UOp, Variable  # noqa: F401
