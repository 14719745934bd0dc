"""Networks: convolutions and pools in tinygrad's spelling, attention, losses."""
import math

from tinygrad_cpp.dtype import dtypes


def _class():
  from tinygrad_cpp.tensor import Tensor
  return Tensor


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
    pooled = self._max_pool2d(kernel, stride, dilation, _borders(padding, len(kernel)), ceil_mode)
    if not return_indices:
      return pooled
    return pooled, self._pool_places(kernel, stride, dilation, padding, pooled)

  def _pool_places(self, kernel, stride, dilation, padding, pooled):
    """The first place of each maximum: the elements of every window, one tap after the other."""
    T, axes = _class(), len(kernel)

    def each(value):
      return (value,) * axes if isinstance(value, int) else tuple(value)
    stride, dilation = each(kernel if stride is None else stride), each(dilation)
    borders = _borders(padding, axes)
    before = each(borders) if isinstance(borders, int) or len(borders) == axes else borders[::2]
    extents, outs = self.shape[-axes:], pooled.shape[-axes:]
    best = T.full(pooled.shape, -1, dtype=dtypes.int32, device=self.device)
    taps = [()]
    for n in kernel:
      taps = [t + (i,) for t in taps for i in range(n)]
    for tap in reversed(taps):
      place, inside = 0, True
      for a in range(axes):
        at = T.arange(outs[a], device=self.device) * stride[a] + (tap[a] * dilation[a] - before[a])
        at = at.reshape([outs[a] if i == a else 1 for i in range(axes)])
        inside = (at >= 0) & (at < extents[a]) & inside
        place = place * extents[a] + at
      values = self.flatten(-axes)[..., place.clamp(0, math.prod(extents) - 1)]
      best = ((values == pooled) & inside).where(place, best)
    return best

  def max_unpool2d(self, indices, kernel_size=(2, 2), stride=None, dilation=1, padding=0,
                   output_size=None):
    """The inverse of max_pool2d: each value at its place, 0 elsewhere."""
    axes = 2 if isinstance(kernel_size, int) else len(kernel_size)

    def each(value):
      return (value,) * axes if isinstance(value, int) else tuple(value)
    kernel, stride = each(kernel_size), each(kernel_size if stride is None else stride)
    dilation, padding = each(dilation), each(padding)
    if output_size is None:
      spatial = tuple((n - 1) * s + d * (k - 1) + 1 - 2 * p for n, s, d, k, p in zip(
        self.shape[-axes:], stride, dilation, kernel, padding))
    else:
      spatial = tuple(output_size)[-axes:]
    lead, count = self.shape[:-axes], math.prod(spatial)
    flat = _class().zeros(*lead, count, dtype=self.dtype, device=self.device)
    put = flat._scatter(flat.ndim - 1, indices.flatten(-axes), self.flatten(-axes))
    return put.reshape(*lead, *spatial)

  # ---- normalisation

  def batchnorm(self, weight, bias, mean, invstd, axis=1):
    """(x - mean) * weight * invstd + bias, each for the elements of an axis (or several)."""
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    axes = tuple(a % self.ndim for a in axes)
    shape = [n if i in axes else 1 for i, n in enumerate(self.shape)]
    x = self - mean.reshape(shape)
    if weight is not None:
      x = x * weight.reshape(shape)
    scale = invstd.reshape(shape) if invstd.ndim == len(axes) else invstd
    x = x * scale
    return x if bias is None else x + bias.reshape(shape)

  # ---- attention

  def scaled_dot_product_attention(self, key, value, attn_mask=None, dropout_p=0.0,
                                   is_causal=False, enable_gqa=False):
    """softmax(self @ key^T / sqrt(size)) @ value, with a mask (bool: what counts; else added)."""
    if enable_gqa:
      times = self.shape[-3] // key.shape[-3]
      key, value = key.repeat_interleave(times, dim=-3), value.repeat_interleave(times, dim=-3)
    scores = self._matmul(key.transpose(-2, -1)) / math.sqrt(self.shape[-1])
    if is_causal:
      if attn_mask is not None:
        raise RuntimeError("scaled_dot_product_attention: is_causal and attn_mask exclude each other")
      attn_mask = _class().ones(*scores.shape[-2:], dtype=dtypes.bool, device=self.device, buffer=False).tril()
    if attn_mask is not None:
      if attn_mask.dtype is dtypes.bool:
        attn_mask = attn_mask.where(0, -float("inf"))
      scores = scores + attn_mask.cast(scores.dtype)
    return scores.softmax(-1).cast(self.dtype).dropout(dropout_p)._matmul(value)

  # ---- losses

  def sparse_categorical_crossentropy(self, Y, ignore_index=-1, label_smoothing=0.0,
                                      reduction="mean"):
    """-log softmax at the label; classes stand on the last axis. Elements whose label is
    ignore_index do not count; those with label -1 have no loss, but count in the mean."""
    if ignore_index == -1 and reduction == "mean":
      return self._sparse_crossentropy(Y, "none", label_smoothing, -1).mean()
    return self._sparse_crossentropy(Y, reduction, label_smoothing, ignore_index)

  def binary_crossentropy_logits(self, Y, reduction="mean", pos_weight=None):
    """-(y log sigmoid(x) + (1 - y) log sigmoid(-x)); pos_weight scales the first part."""
    if pos_weight is None:
      return self._bce_logits(Y, reduction)
    first, second = Y * pos_weight * self.logsigmoid(), (1 - Y) * (-self).logsigmoid()
    return _reduced(-(first + second), reduction)
