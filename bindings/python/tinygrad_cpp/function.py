"""function: tinygrad's decorator for a Python function of tensors that is one node of the graph.

Here graphs are built so fast that the function is called each time; what the decorator adds is the
gradient of one's own: `grad_fxn(gradient, *inputs)` gives the gradients of the inputs.
"""
import functools

from tinygrad_cpp import _core


def call_with_gradient(fxn, grad_fxn, inputs):
  """fxn(*inputs), a tensor, differentiated by grad_fxn(gradient, *inputs)."""
  def forward(*tensors):
    return fxn(*tensors)

  def backward(*given):
    *tensors, _, gradient = given
    return grad_fxn(gradient, *tensors)
  return _core.custom(forward, backward, list(inputs))


def function(fxn=None, *, precompile=False, precompile_backward=False, allow_implicit=False,
             grad_fxn=None):
  """Marks a function of tensors; with `grad_fxn` it is differentiated by that."""
  if fxn is None:
    return functools.partial(function, precompile=precompile, grad_fxn=grad_fxn,
                             precompile_backward=precompile_backward,
                             allow_implicit=allow_implicit)
  if grad_fxn is None:
    return fxn

  @functools.wraps(fxn)
  def call(*inputs):
    return call_with_gradient(fxn, grad_fxn, inputs)
  return call
