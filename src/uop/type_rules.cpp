// See type_rules.h. Names in messages are the op's own: Tensor functions check earlier and name
// themselves.
#include "uop/type_rules.h"

#include "support/check.h"
#include "support/symbol.h"
#include "tg/ir/text.h"
#include "uop/shape.h"

namespace tg::type_rule {
namespace {

std::string shape_text(const Node* n) { return format_shape(n->shape()); }

void join_device(const NodeSpec& in, DerivedType& out) {
  for (const Node* s : in.src) {
    if (s->device == 0 || s->device == out.device) continue;
    if (out.device == 0) {
      out.device = s->device;
      continue;
    }
    user_error<DeviceError>(op_name(in.op),
                            fmt::format("operands live on different devices: {} and {}",
                                        symbol_name(out.device), symbol_name(s->device)),
                            "Hint: move one of them with to().");
  }
}

void check_same_shape(const NodeSpec& in, const Node* a, const Node* b) {
  if (!std::ranges::equal(a->shape(), b->shape())) {
    user_error<ShapeError>(op_name(in.op),
                           fmt::format("shapes differ: {} and {}", shape_text(a), shape_text(b)),
                           "Hint: reshape or expand one of them.");
  }
  TG_CHECK(a->lanes == b->lanes, "{}: lanes {} and {}", op_name(in.op), a->lanes, b->lanes);
}

void check_same_dtype(const NodeSpec& in, const Node* a, const Node* b) {
  if (a->dtype == b->dtype) return;
  user_error<DTypeError>(
      op_name(in.op),
      fmt::format("dtypes differ: {} and {}", dtype_name(a->dtype), dtype_name(b->dtype)),
      "Hint: cast one of them.");
}

// Of all sources but the first, whose shapes are the result's.
void join_limits(const NodeSpec& in, DerivedType& out) {
  for (const Node* s : in.src.subspan(1)) {
    for (size_t a = 0; a < s->n_limit; ++a) join_limit(in, out, a, s->limit(a));
  }
}

}  // namespace

void join_limit(const NodeSpec& in, DerivedType& out, size_t axis, const Node* limit) {
  if (limit == nullptr) return;
  out.limits->resize(out.shape->size(), nullptr);
  Node*& known = (*out.limits)[axis];
  if (known != nullptr && known != limit) {
    user_error<ShapeError>(op_name(in.op),
                           fmt::format("axis {} has the sizes {} and {}", axis, print_expr(known),
                                       print_expr(limit)),
                           "Hint: sizes that are variables must be the same expression.");
  }
  known = const_cast<Node*>(limit);
}

void inherit(const NodeSpec& in, DerivedType& out) {
  const Node* s = in.src[0];
  out.shape->assign(s->shape().begin(), s->shape().end());
  out.limits->assign(s->limits().begin(), s->limits().end());
  out.lanes = s->lanes;
  out.device = 0;
  join_device(in, out);
}

void same_as_src0(const NodeSpec& in, DerivedType& out) {
  inherit(in, out);
  out.dtype = in.src[0]->dtype;
  out.space = in.src[0]->space;
}

void elementwise(const NodeSpec& in, DerivedType& out) {
  for (size_t i = 1; i < in.src.size(); ++i) {
    check_same_shape(in, in.src[0], in.src[i]);
    check_same_dtype(in, in.src[0], in.src[i]);
  }
  inherit(in, out);
  join_limits(in, out);
  out.dtype = in.src[0]->dtype;
  if (out.dtype == DType::Void) {
    user_error<DTypeError>(op_name(in.op), "an effect has no value");
  }
}

void compare(const NodeSpec& in, DerivedType& out) {
  elementwise(in, out);
  out.dtype = DType::Bool;
}

void float_only(const NodeSpec& in, DerivedType& out) {
  elementwise(in, out);
  if (is_float(out.dtype)) return;
  user_error<DTypeError>(op_name(in.op),
                         fmt::format("needs a float dtype, got {}", dtype_name(out.dtype)),
                         "Hint: cast to float32 first.");
}

void int_only(const NodeSpec& in, DerivedType& out) {
  elementwise(in, out);
  if (is_int(out.dtype) || is_bool(out.dtype)) return;
  user_error<DTypeError>(
      op_name(in.op), fmt::format("needs an integer or bool dtype, got {}", dtype_name(out.dtype)),
      "Hint: cast to an integer first.");
}

void where(const NodeSpec& in, DerivedType& out) {
  if (in.src[0]->dtype != DType::Bool) {
    user_error<DTypeError>(
        "where", fmt::format("the condition must be bool, got {}", dtype_name(in.src[0]->dtype)),
        "Hint: compare it with something.");
  }
  check_same_shape(in, in.src[0], in.src[1]);
  check_same_shape(in, in.src[0], in.src[2]);
  check_same_dtype(in, in.src[1], in.src[2]);
  inherit(in, out);
  join_limits(in, out);
  out.dtype = in.src[1]->dtype;
}

void stated_dtype(const NodeSpec& in, DerivedType& out) {
  inherit(in, out);
  out.dtype = in.dtype;
}

void bitcast(const NodeSpec& in, DerivedType& out) {
  stated_dtype(in, out);
  const DType from = in.src[0]->dtype;
  if (dtype_size(from) == dtype_size(in.dtype)) return;
  user_error<DTypeError>("bitcast",
                         fmt::format("sizes differ: {} has {} bytes, {} has {}", dtype_name(from),
                                     dtype_size(from), dtype_name(in.dtype), dtype_size(in.dtype)),
                         "Hint: use cast to convert values.");
}

void scalar_leaf(const NodeSpec& in, DerivedType& out) { out.dtype = in.dtype; }

void effect(const NodeSpec& in, DerivedType& out) {
  out.dtype = DType::Void;
  join_device(in, out);
}

}  // namespace tg::type_rule
