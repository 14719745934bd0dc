"""Layers, as tinygrad's: objects with tensors that a call applies. Optimisers are in nn.optim, state
in nn.state, data sets in nn.datasets."""
import math

from tinygrad_cpp.dtype import dtypes
from tinygrad_cpp.helpers import CONTEXT, make_tuple, prod
from tinygrad_cpp.tensor import Tensor
from tinygrad_cpp.nn import datasets, optim, state
from tinygrad_cpp.nn.optim import LAMB, LARS, SGD, Adam, AdamW, Muon  # noqa: F401
from tinygrad_cpp.nn.sequence import (  # noqa: F401
  GRU, LSTM, GRUCell, MultiHeadAttention, TransformerDecoderLayer, TransformerEncoderLayer)

__all__ = ["BatchNorm", "BatchNorm2d", "BatchNorm3d", "Conv1d", "Conv2d", "ConvTranspose1d",
           "ConvTranspose2d", "Dropout", "Embedding", "GRU", "GRUCell", "GroupNorm", "InstanceNorm", "LSTM",
           "LSTMCell", "LayerNorm", "LayerNorm2d", "Linear", "MultiHeadAttention", "RMSNorm",
           "TransformerDecoderLayer", "TransformerEncoderLayer", "datasets", "optim", "state"]


def _uniform(shape, bound):
  return Tensor.uniform(*shape, low=-bound, high=bound)


class Linear:
  """x @ weight^T + bias: [..., in] gives [..., out]. Starts uniform in +-1/sqrt(in)."""

  def __init__(self, in_features, out_features, bias=True):
    bound = 1 / math.sqrt(in_features)
    self.weight = _uniform((out_features, in_features), bound)
    self.bias = _uniform((out_features,), bound) if bias else None

  def __call__(self, x):
    return x._linear(self.weight.transpose(), self.bias)


def Conv1d(in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1,
           bias=True):
  """Convolution over one axis: a Conv2d whose window has one."""
  return Conv2d(in_channels, out_channels, (kernel_size,), stride, padding, dilation, groups, bias)


class Conv2d:
  """Cross-correlation of [batch, in, height, width] with a learned window."""

  def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1,
               groups=1, bias=True):
    self.kernel_size = make_tuple(kernel_size, 2)
    if isinstance(padding, str):
      if padding.lower() != "same" or stride != 1:
        raise ValueError(f"Conv2d: padding {padding!r} with stride {stride}")
      same = [(d * (k - 1) // 2, d * (k - 1) - d * (k - 1) // 2) for d, k in zip(
        make_tuple(dilation, len(self.kernel_size)), self.kernel_size)]
      padding = tuple(n for pair in reversed(same) for n in pair)
    self.stride, self.dilation, self.groups, self.padding = stride, dilation, groups, padding
    bound = 1 / math.sqrt(in_channels // groups * prod(self.kernel_size))
    self.weight = _uniform((out_channels, in_channels // groups, *self.kernel_size), bound)
    self.bias = _uniform((out_channels,), bound) if bias else None

  def __call__(self, x):
    return x.conv2d(self.weight, self.bias, self.groups, self.stride, self.dilation, self.padding)


def ConvTranspose1d(in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0,
                    dilation=1, groups=1, bias=True):
  """Transposed convolution over one axis."""
  return ConvTranspose2d(in_channels, out_channels, (kernel_size,), stride, padding, output_padding,
                         dilation, groups, bias)


class ConvTranspose2d(Conv2d):
  """The transpose of a convolution."""

  def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0,
               dilation=1, groups=1, bias=True):
    super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias)
    bound = 1 / math.sqrt(in_channels * prod(self.kernel_size))
    self.weight = _uniform((in_channels, out_channels // groups, *self.kernel_size), bound)
    self.output_padding = output_padding

  def __call__(self, x):
    return x.conv_transpose2d(self.weight, self.bias, self.groups, self.stride, self.dilation,
                              self.padding, self.output_padding)


class BatchNorm:
  """Each channel (axis 1) normalised: while training with the batch's statistics, which move the
  running ones, else with those."""

  def __init__(self, sz, eps=1e-5, affine=True, track_running_stats=True, momentum=0.1):
    self.eps, self.momentum, self.track_running_stats = eps, momentum, track_running_stats
    self.weight = Tensor.ones(sz).is_param_() if affine else None
    self.bias = Tensor.zeros(sz).is_param_() if affine else None
    self.num_batches_tracked = Tensor.zeros(1, dtype=dtypes.int64).is_param_(False)
    if track_running_stats:
      self.running_mean = Tensor.zeros(sz).is_param_(False)
      self.running_var = Tensor.ones(sz).is_param_(False)

  def calc_stats(self, x):
    """(mean, variance) of each channel: of this batch while training, else the running ones."""
    if self.track_running_stats and not CONTEXT["TRAINING"].value:
      return self.running_mean, self.running_var
    axes = tuple(i for i in range(x.ndim) if i != 1)
    mean = x.mean(axes)
    shape = (1, -1) + (1,) * (x.ndim - 2)
    return mean, (x - mean.detach().reshape(shape)).square().mean(axes)

  def __call__(self, x):
    training = bool(CONTEXT["TRAINING"].value)
    running = (self.running_mean, self.running_var) if self.track_running_stats else (None, None)
    if training and self.track_running_stats:
      self.num_batches_tracked += 1
    return x._batch_norm(self.weight, self.bias, *running,
                         training or not self.track_running_stats, self.momentum, self.eps)


BatchNorm2d = BatchNorm3d = BatchNorm


class GroupNorm:
  """Groups of channels (axis 1) of each sample normalised together."""

  def __init__(self, num_groups, num_channels, eps=1e-5, affine=True):
    self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
    self.weight = Tensor.ones(num_channels).is_param_() if affine else None
    self.bias = Tensor.zeros(num_channels).is_param_() if affine else None

  def __call__(self, x):
    return x._group_norm(self.num_groups, self.weight, self.bias, self.eps)


class InstanceNorm(GroupNorm):
  """Each channel of each sample normalised."""

  def __init__(self, num_features, eps=1e-5, affine=True):
    super().__init__(num_features, num_features, eps, affine)


class LayerNorm:
  """The last axes normalised together, then scaled and shifted by element."""

  def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True):
    self.normalized_shape = make_tuple(normalized_shape, 1)
    self.axis = tuple(range(-len(self.normalized_shape), 0))
    self.eps, self.elementwise_affine = eps, elementwise_affine
    self.weight = Tensor.ones(*self.normalized_shape).is_param_() if elementwise_affine else None
    self.bias = Tensor.zeros(*self.normalized_shape).is_param_() if elementwise_affine else None

  def __call__(self, x):
    if x.shape[-len(self.normalized_shape):] != self.normalized_shape:
      raise ValueError(f"LayerNorm: last axes of {x.shape} must be {self.normalized_shape}")
    return x._layer_norm(self.axis, self.weight, self.bias, self.eps)


class LayerNorm2d(LayerNorm):
  """LayerNorm of the channels (axis 1) of images."""

  def __call__(self, x):
    return super().__call__(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class RMSNorm:
  """x / sqrt(mean of x^2 + eps), scaled by element."""

  def __init__(self, dim, eps=1e-6, elementwise_affine=True):
    self.eps = eps
    self.weight = Tensor.ones(dim).is_param_() if elementwise_affine else None

  def __call__(self, x):
    return x._rms_norm(-1, self.weight, self.eps)


class Embedding:
  """Rows of a learned table by index."""

  def __init__(self, vocab_size, embed_size):
    self.vocab_sz, self.embed_sz = vocab_size, embed_size
    self.weight = Tensor.glorot_uniform(vocab_size, embed_size)

  def __call__(self, idx):
    if not dtypes.is_int(idx.dtype):
      raise TypeError(f"Embedding: expected integers, got {idx.dtype}")
    return self.weight[idx]


class LSTMCell:
  """One step of a long short-term memory: (x, (h, c)) gives (h, c)."""

  def __init__(self, input_size, hidden_size, bias=True):
    bound = 1 / math.sqrt(hidden_size)
    self.weight_ih = _uniform((hidden_size * 4, input_size), bound)
    self.weight_hh = _uniform((hidden_size * 4, hidden_size), bound)
    self.bias_ih = Tensor.zeros(hidden_size * 4).is_param_() if bias else None
    self.bias_hh = Tensor.zeros(hidden_size * 4).is_param_() if bias else None

  def __call__(self, x, hc=None):
    if hc is None:
      hc = (Tensor.zeros(x.shape[0], self.weight_hh.shape[1], dtype=x.dtype, device=x.device),) * 2
    gates = x._linear(self.weight_ih.T, self.bias_ih) + hc[0]._linear(self.weight_hh.T, self.bias_hh)
    i, f, g, o = gates.chunk(4, dim=1)
    c = f.sigmoid() * hc[1] + i.sigmoid() * g.tanh()
    return (o.sigmoid() * c.tanh()).contiguous(), c.contiguous()


class Dropout:
  """Zeroes a share of the elements while training."""

  def __init__(self, p=0.5):
    self.p = p

  def __call__(self, x):
    return x.dropout(self.p)
