"""function: tinygrad's decorator for a Python function of tensors that is one node of the graph.

Here graphs are built so fast that the function is called each time; what the decorator adds is the
gradient of one's own, `grad_fxn(gradient, *inputs)` gives the gradients of the inputs, and that an
argument which the result does not depend on has the gradient zero.
"""
import functools

from tinygrad_cpp import _core
from tinygrad_cpp.helpers import CONTEXT


def call_with_gradient(fxn, grad_fxn, inputs):
  """fxn(*inputs), a tensor, differentiated by grad_fxn(gradient, *inputs)."""
  def forward(*tensors):
    return fxn(*tensors)

  def backward(*given):
    *tensors, _, gradient = given
    return grad_fxn(gradient, *tensors)
  return _core.custom(forward, backward, list(inputs))


def _with_all_inputs(result, inputs):
  """The result of a function with its float arguments among what it depends on."""
  from tinygrad_cpp.tensor import Tensor

  def floats(values):
    return [t for t in values if isinstance(t, Tensor) and t.is_floating_point()]
  inputs = floats(inputs)
  values = floats(result if type(result) in (tuple, list) else [result])
  values = [t for t in values if all(t is not x for x in inputs)]
  if not values or not inputs or CONTEXT["NO_GRAD"].value:
    return result
  used = [any(found) for found in zip(*(_core.depends(t, inputs) for t in values))]
  unused = [x for x, is_used in zip(inputs, used) if not is_used]
  if not unused:
    return result

  def forward(value, *_):
    return value

  def backward(value, *given):
    *others, _, gradient = given
    return (gradient, *(x.zeros_like() for x in others))
  joined = {id(t): _core.custom(forward, backward, [t, *unused]) for t in values}
  if type(result) in (tuple, list):
    return type(result)(joined.get(id(t), t) for t in result)
  return joined[id(result)]


def function(fxn=None, *, precompile=False, precompile_backward=False, allow_implicit=False,
             grad_fxn=None):
  """Marks a function of tensors; with `grad_fxn` it is differentiated by that."""
  if fxn is None:
    return functools.partial(function, precompile=precompile, grad_fxn=grad_fxn,
                             precompile_backward=precompile_backward,
                             allow_implicit=allow_implicit)
  if grad_fxn is None:
    @functools.wraps(fxn)
    def plain(*args, **kwargs):
      return _with_all_inputs(fxn(*args, **kwargs), (*args, *kwargs.values()))
    return plain

  @functools.wraps(fxn)
  def call(*inputs):
    return call_with_gradient(fxn, grad_fxn, inputs)
  return call
