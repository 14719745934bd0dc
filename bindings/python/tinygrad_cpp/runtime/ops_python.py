"""Elements as they are stored, under the name of the module in which tinygrad has them; they are those
of tinygrad_cpp.dtype_numbers."""
from tinygrad_cpp.dtype_numbers import from_storage_scalar, to_storage_scalar  # noqa: F401
