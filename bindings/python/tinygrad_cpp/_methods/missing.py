"""Names of tinygrad's Tensor that have no counterpart here yet, each with the reason."""

REASONS = {
  "as_param": "functions are called, not traced (tinygrad_cpp.function)",
  "decode_hevc_frame": "needs the video queue of a device",
}


def unsupported(name):
  """A method that says what is missing."""
  def method(self, *args, **kwargs):
    raise NotImplementedError(f"Tensor.{name}: {REASONS[name]}")
  method.__name__ = name
  method.__doc__ = f"Not there: {REASONS[name]}."
  return method
