"""Networks: convolutions and pools in tinygrad's spelling, losses."""

from tinygrad_cpp.dtype import dtypes, least_upper_dtype


def _borders(padding, axes):
  """Padding as the library wants it: one number, one an axis, or pairs from the first axis on.
  tinygrad's pairs come from the last axis on."""
  if isinstance(padding, int) or len(padding) == axes:
    return padding
  if len(padding) != 2 * axes:
    raise ValueError(f"padding of {len(padding)} numbers does not fit {axes} axes")
  pairs = [padding[i:i + 2] for i in range(0, len(padding), 2)]
  return tuple(n for pair in reversed(pairs) for n in pair)


def _cropped(x, padding, axes):
  """The input without what negative padding takes away, and the padding that is left."""
  padding = _borders(padding, axes)
  if isinstance(padding, int):
    padding = (padding,) * axes
  pairs = [(p, p) for p in padding] if len(padding) == axes else list(zip(padding[::2], padding[1::2]))
  if all(n >= 0 for pair in pairs for n in pair):
    return x, padding
  crop = [(0, 0)] * (x.ndim - axes) + [(min(a, 0), min(b, 0)) for a, b in pairs]
  return x.pad(crop), tuple(max(n, 0) for pair in pairs for n in pair)


def _reduced(losses, reduction):
  if reduction not in ("none", "mean", "sum"):
    raise ValueError(f"reduction is 'none', 'mean' or 'sum', not {reduction!r}")
  return losses if reduction == "none" else getattr(losses, reduction)()


def _expanded(x, y):
  """Both with the shape that they have together; y may be a number."""
  if not hasattr(y, "shape"):
    return x, x.const_like(y)
  if x.shape == y.shape:
    return x, y
  sizes = (x.const_like(0) + y.const_like(0)).shape
  return x.expand(sizes), y.expand(sizes)


class Network:
  """Mixin: functions that layers are made of."""
  __slots__ = ()

  def sequential(self, ll):
    """The functions applied one after the other."""
    x = self
    for layer in ll:
      x = layer(x)
    return x

  # ---- convolutions and pools

  def conv2d(self, weight, bias=None, groups=1, stride=1, dilation=1, padding=0, dtype=None):
    """Cross-correlation of [batch, in, sizes...] with [out, in / groups, window...]."""
    if dtype is not None:
      x, weight = self.cast(dtype), weight.cast(dtype)
      return x.conv2d(weight, bias, groups, stride, dilation, padding)
    x, padding = _cropped(self, padding, weight.ndim - 2)
    return x._conv2d(weight, bias, groups, stride, dilation, padding)

  def image_conv2d(self, weight, bias=None, groups=1, stride=1, dilation=1, padding=0, dtype=None):
    """conv2d: memory layouts are the compiler's business here."""
    return self.conv2d(weight, bias, groups, stride, dilation, padding, dtype)

  def conv_transpose2d(self, weight, bias=None, groups=1, stride=1, dilation=1, padding=0,
                       output_padding=0):
    """The transpose of a convolution, with weights [in, out / groups, window...]."""
    return self._conv_transpose2d(weight, bias, groups, stride, dilation,
                                  _borders(padding, weight.ndim - 2), output_padding)

  def avg_pool2d(self, kernel_size=(2, 2), stride=None, dilation=1, padding=0, ceil_mode=False,
                 count_include_pad=True):
    """Mean of each window of the last axes."""
    kernel = (kernel_size,) * 2 if isinstance(kernel_size, int) else tuple(kernel_size)
    return self._avg_pool2d(kernel, stride, dilation, _borders(padding, len(kernel)), ceil_mode,
                            count_include_pad)

  def max_pool2d(self, kernel_size=(2, 2), stride=None, dilation=1, padding=0, ceil_mode=False,
                 return_indices=False):
    """Largest of each window of the last axes; with its place among all elements of those axes."""
    kernel = (kernel_size,) * 2 if isinstance(kernel_size, int) else tuple(kernel_size)
    pool = self._max_pool2d_with_indices if return_indices else self._max_pool2d
    return pool(kernel, stride, dilation, _borders(padding, len(kernel)), ceil_mode)

  def max_unpool2d(self, indices, kernel_size=(2, 2), stride=None, dilation=1, padding=0,
                   output_size=None):
    """The inverse of max_pool2d: each value at its place, 0 elsewhere."""
    kernel = (kernel_size,) * 2 if isinstance(kernel_size, int) else tuple(kernel_size)
    return self._max_unpool2d(indices, kernel, stride, dilation, padding, output_size)

  # ---- normalisation

  def batchnorm(self, weight, bias, mean, invstd, axis=1):
    """(x - mean) * weight * invstd + bias, each for the elements of an axis (or several). Small
    floats are computed in float32 and rounded once."""
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    axes = tuple(a % self.ndim for a in axes)
    shape = [n if i in axes else 1 for i, n in enumerate(self.shape)]
    result = least_upper_dtype(*(t.dtype for t in (self, weight, bias, mean, invstd) if t is not None))
    x = (self.float() if result in (dtypes.float16, dtypes.bfloat16) else self) - mean.reshape(shape)
    if weight is not None:
      x = x * weight.reshape(shape)
    scale = invstd.reshape(shape) if invstd.ndim == len(axes) else invstd
    x = x * scale
    return (x if bias is None else x + bias.reshape(shape)).cast(result)

  # ---- losses

  def sparse_categorical_crossentropy(self, Y, ignore_index=-1, label_smoothing=0.0,
                                      reduction="mean"):
    """-log softmax at the label; classes stand on the last axis. Elements whose label is
    ignore_index do not count; those with label -1 have no loss, but count in the mean."""
    if ignore_index == -1 and reduction == "mean":
      return self._sparse_crossentropy(Y, "none", label_smoothing, -1).mean()
    return self._sparse_crossentropy(Y, reduction, label_smoothing, ignore_index)

  def binary_crossentropy(self, Y, reduction="mean"):
    """-(y log x + (1 - y) log(1 - x)) of probabilities x. Shapes are broadcast: [n, 1] and [n] make [n, n], as in
    tinygrad."""
    x, y = _expanded(self, Y)
    return x._bce(y, reduction)

  def binary_crossentropy_logits(self, Y, reduction="mean", pos_weight=None):
    """-(y log sigmoid(x) + (1 - y) log sigmoid(-x)); pos_weight scales the first part. Shapes are broadcast."""
    if pos_weight is None:
      x, y = _expanded(self, Y)
      return x._bce_logits(y, reduction)
    first, second = Y * pos_weight * self.logsigmoid(), (1 - Y) * (-self).logsigmoid()
    return _reduced(-(first + second), reduction)
