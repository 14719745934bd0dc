"""function: tinygrad's decorator for a Python function of tensors that is one node of the graph.

Here graphs are built so fast that the function is called each time; what the decorator adds is the
gradient of one's own, `grad_fxn(gradient, *inputs)` gives the gradients of the inputs (of a function with
several results `grad_fxn(gradients..., call)`), and that an argument which the result does not depend on
has the gradient zero.
"""
import functools

from tinygrad_cpp import _core
from tinygrad_cpp.dtype import least_upper_dtype
from tinygrad_cpp.helpers import CONTEXT
from tinygrad_cpp.uop.names import Ops


def call_with_gradient(fxn, grad_fxn, inputs):
  """fxn(*inputs), a tensor, differentiated by grad_fxn(gradient, *inputs)."""
  def forward(*tensors):
    return fxn(*tensors)

  def backward(*given):
    *tensors, _, gradient = given
    return grad_fxn(gradient, *tensors)
  return _core.custom(forward, backward, list(inputs))


class Call:
  """A call as its gradient sees it: src[1:] are the arguments."""
  op = Ops.CALL

  def __init__(self, tensors):
    self.src = (None, *(t.uop for t in tensors))


def results_with_gradient(forward, grad_fxn, inputs):
  """forward(*inputs), several tensors, differentiated by grad_fxn(gradients..., call): the gradients of
  those results that have one, in order; it gives those of the inputs, None for one without."""
  from tinygrad_cpp.tensor import Tensor
  kinds, reached = [], set()

  def joined(*tensors):
    results = forward(*tensors)
    kinds[:] = [(t.shape, t.dtype, t.numel()) for t in results]
    common = least_upper_dtype(*(t.dtype for t in results))
    return Tensor.cat(*(t.cast(common).flatten() for t in results))

  def backward(*given):
    *tensors, _, gradient = given
    parts = [Tensor(part.reshape(shape).cast(dtype)).uop if k in reached else None
             for k, (part, (shape, dtype, _)) in enumerate(zip(gradient.split([n for *_, n in kinds]), kinds))]
    reached.clear()
    parts, call = [p for p in parts if p is not None], Call(tensors)
    gradients = grad_fxn(parts[0], call) if len(parts) == 1 else grad_fxn(*parts, call=call)
    return [None if g is None else Tensor(g) for g in gradients]

  def marked(k, part):
    # Gradients of results are asked for before that of the whole, which learns of them so.
    def passed(_, __, gradient):
      reached.add(k)
      return gradient
    return _core.custom(lambda t: t, passed, [part])
  whole = _core.custom(joined, backward, list(inputs))
  parts = whole.split([n for *_, n in kinds])
  return [marked(k, part).reshape(shape).cast(dtype) if part.is_floating_point() else part.reshape(shape).cast(dtype)
          for k, (part, (shape, dtype, _)) in enumerate(zip(parts, kinds))]


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
    result = fxn(*inputs)
    if type(result) is tuple:
      return tuple(results_with_gradient(lambda *_: result, grad_fxn, inputs))
    return call_with_gradient(lambda *_: result, grad_fxn, inputs)
  return call
