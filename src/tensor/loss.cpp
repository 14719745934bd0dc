// Losses. Integer labels are read by GATHER, never compared with every class.
#include <cmath>

#include "tensor/check_index.h"
#include "tensor/ops.h"

namespace tg {
namespace {

using namespace ops_detail;

Tensor reduced(const Tensor& loss, Reduction r) {
  switch (r) {
    case Reduction::None:
      return loss;
    case Reduction::Mean:
      return loss.mean();
    case Reduction::Sum:
      return loss.sum();
  }
  return loss;
}

void check_smoothing(std::string_view fn, double s) {
  if (s >= 0 && s <= 1) return;
  user_error<ArgumentError>(fn, fmt::format("label_smoothing must lie between 0 and 1, got {}", s));
}

void check_labels(std::string_view fn, const Tensor& x, const Tensor& labels, int axis) {
  if (!is_int(labels.dtype())) {
    user_error<DTypeError>(
        fn, fmt::format("labels must be integers, got {}", dtype_name(labels.dtype())));
  }
  const Shape s = x.shape(), want = without_axes(s, {{int64_t{axis}}});
  if (labels.shape() != want) {
    user_error<ShapeError>(
        fn, fmt::format("labels must have shape {} for an input of shape {}, got {}", text(want),
                        text(s), text(labels.shape())));
  }
}

// The classes that labels pick; one that is ignored need not be a class and picks the first.
Tensor picked_classes(std::string_view fn, const Tensor& x, const Tensor& labels, int axis,
                      const LossOptions& o) {
  Tensor out = labels;
  if (o.ignore_index) out = (labels != *o.ignore_index).where(labels, 0);
  check_index(fn, "label", node_of(out, fn), 0, x.shape()[static_cast<size_t>(axis)]);
  return out;
}

// Loss of integer labels from log-probabilities, classes along `axis`.
Tensor label_loss(std::string_view fn, const Tensor& logp, const Tensor& labels, int axis,
                  const LossOptions& o) {
  const Tensor classes = picked_classes(fn, logp, labels, axis, o);
  Tensor loss = -logp.gather(axis, classes.unsqueeze(axis)).squeeze(axis);
  Tensor weight;
  const bool weighted = o.weight != nullptr || o.ignore_index.has_value();
  if (o.weight != nullptr) weight = (*o.weight)[classes];
  if (o.label_smoothing > 0) {
    loss = loss * (1 - o.label_smoothing) - logp.mean({.axis = axis}) * o.label_smoothing;
  }
  if (o.ignore_index) {
    const Tensor counts = labels != *o.ignore_index;
    weight = o.weight != nullptr ? counts.where(weight, 0.0) : counts.cast(logp.dtype());
    loss = counts.where(loss, 0.0);
  }
  if (o.weight != nullptr) loss = loss * weight;
  if (o.reduction != Reduction::Mean || !weighted) return reduced(loss, o.reduction);
  return loss.sum() / weight.sum();
}

void check_weight(std::string_view fn, const Tensor& x, int axis, const LossOptions& o) {
  const Dim classes = x.shape()[static_cast<size_t>(axis)];
  if (o.weight == nullptr || o.weight->shape() == Shape{classes}) return;
  user_error<ShapeError>(
      fn, fmt::format("weight must have shape [{}], got {}", classes, text(o.weight->shape())));
}

int class_axis(std::string_view fn, const Tensor& x) {
  if (x.ndim() >= 1) return x.ndim() == 1 ? 0 : 1;
  user_error<ShapeError>(fn,
                         fmt::format("needs an axis of classes, got shape {}", text(x.shape())));
}

void same_shape(std::string_view fn, const Tensor& x, const Tensor& y) {
  if (x.shape() == y.shape()) return;
  user_error<ShapeError>(fn, fmt::format("input and target differ in shape: {} and {}",
                                         text(x.shape()), text(y.shape())));
}

}  // namespace

Tensor Tensor::cross_entropy(const Tensor& target, const LossOptions& o) const {
  const int axis = class_axis("cross_entropy", *this);
  check_smoothing("cross_entropy", o.label_smoothing);
  check_weight("cross_entropy", *this, axis, o);
  const Tensor logp = log_softmax(axis);
  if (!is_float(target.dtype())) {
    check_labels("cross_entropy", *this, target, axis);
    return label_loss("cross_entropy", logp, target, axis, o);
  }
  same_shape("cross_entropy", *this, target);
  if (o.ignore_index) {
    user_error<ArgumentError>("cross_entropy",
                              "ignore_index needs integer labels, the target holds probabilities");
  }
  const auto classes = static_cast<double>(size(axis));
  Tensor share = target;
  if (o.label_smoothing > 0) share = share * (1 - o.label_smoothing) + o.label_smoothing / classes;
  if (o.weight != nullptr) {
    Shape aligned(shape().size(), 1);
    aligned[static_cast<size_t>(axis)] = size(axis);
    share = share * o.weight->reshape(aligned);
  }
  return reduced(-(logp * share).sum({.axis = axis}), o.reduction);
}

Tensor Tensor::sparse_categorical_crossentropy(const Tensor& target, const LossOptions& o) const {
  class_axis("sparse_categorical_crossentropy", *this);
  if (ndim() == 1 && target.ndim() > 0) {  // the same scores for every label
    Shape wide = target.shape();
    wide.push_back(size(0));
    return expand(wide).sparse_categorical_crossentropy(target, o);
  }
  const int axis = static_cast<int>(ndim()) - 1;
  check_smoothing("sparse_categorical_crossentropy", o.label_smoothing);
  check_weight("sparse_categorical_crossentropy", *this, axis, o);
  check_labels("sparse_categorical_crossentropy", *this, target, axis);
  return label_loss("sparse_categorical_crossentropy", log_softmax(axis), target, axis, o);
}

Tensor Tensor::nll_loss(const Tensor& target, const LossOptions& o) const {
  const int axis = class_axis("nll_loss", *this);
  check_weight("nll_loss", *this, axis, o);
  check_labels("nll_loss", *this, target, axis);
  LossOptions plain = o;
  plain.label_smoothing = 0;
  return label_loss("nll_loss", *this, target, axis, plain);
}

Tensor Tensor::binary_crossentropy(const Tensor& target, const LossOptions& o) const {
  same_shape("binary_crossentropy", *this, target);
  return reduced(-(target * log() + (1 - target) * (1 - *this).log()), o.reduction);
}

// max(x, 0) − x·y + log(1 + exp(−|x|)).
Tensor Tensor::binary_crossentropy_logits(const Tensor& target, const LossOptions& o) const {
  same_shape("binary_crossentropy_logits", *this, target);
  return reduced(softplus() - *this * target, o.reduction);
}

}  // namespace tg
