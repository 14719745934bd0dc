// See limits.h.
#include "uop/limits.h"

#include <algorithm>
#include <unordered_map>

#include "support/check.h"
#include "tg/ir/text.h"
#include "tg/ir/walk.h"
#include "uop/shape.h"

namespace tg {

UOp limited(const UOp& x, int axis, const UOp& size) {
  if (x.is(Op::Limit) && x.arg(0) == axis) return limited(x.src(0), axis, size);
  return size == size_of(x, axis) ? x : make(Op::Limit, {x, size}, {{axis}});
}

UOp delimited(const UOp& x, int axis, const Scalar& fill) {
  const Node* size = x.node()->limit(static_cast<size_t>(axis));
  if (size == nullptr) return x;
  const Shape shape = x.shape_vec();
  const UOp whole = limited(x, axis, index_const(x.dim(axis)));
  const UOp bound = expand(reshape(UOp::share(size), Shape(shape.size(), 1)), shape);
  return where(lt(iota(shape, axis, DType::Index), bound), whole, const_like(whole, fill));
}

UOp delimited(const UOp& x, const Scalar& fill) {
  UOp out = x;
  for (size_t a = 0; a < x.node()->n_limit; ++a) out = delimited(out, static_cast<int>(a), fill);
  return out;
}

UOp delimited(const UOp& x, double fill) {
  return delimited(x, Scalar::of_double(fill, x.dtype()));
}

UOp with_limits_of(const UOp& x, const Node* like) {
  UOp out = x;
  for (size_t a = 0; a < std::max(x.node()->n_limit, like->n_limit); ++a) {
    const Node *now = x.node()->limit(a), *wanted = like->limit(a);
    const int axis = static_cast<int>(a);
    if (now == wanted) continue;
    out = delimited(out, axis, Scalar::of_int(0, x.dtype()));
    if (wanted != nullptr) out = limited(out, axis, UOp::share(wanted));
  }
  return out;
}

UOp size_of(const UOp& x, int axis) {
  const Node* size = x.node()->limit(static_cast<size_t>(axis));
  return size == nullptr ? index_const(x.dim(axis)) : UOp::share(size);
}

int64_t bound_value(const Node* size) {
  std::unordered_map<const Node*, Scalar> values;
  const auto value_of = [&](const Node* n) {
    const auto known = values.find(n);
    if (known != values.end()) return known->second;
    user_error<ArgumentError>("size", fmt::format("the variable {} has no value", print_expr(n)),
                              "Hint: use what bind() returns.");
  };
  for (const Node* n : toposort(UOp::share(size))) {
    if (n->op == Op::Var) continue;
    if (n->op == Op::Const || n->op == Op::Bind) {
      values.emplace(n, Scalar::of_bits(static_cast<uint64_t>(n->arg()[0]), n->dtype));
      continue;
    }
    TG_CHECK(in_group(n->op, kElementwise), "{} in a size", op_name(n->op));
    std::vector<Scalar> src;
    for (const Node* s : n->src()) src.push_back(value_of(s));
    values.emplace(n, record(n->op).eval(src, n->dtype, n->arg()));
  }
  return value_of(size).i64();
}

Shape bound_shape(const Node* n) {
  Shape out(n->shape().begin(), n->shape().end());
  for (size_t a = 0; a < n->n_limit; ++a) {
    if (n->limit(a) != nullptr) out[a] = bound_value(n->limit(a));
  }
  return out;
}

std::string format_sizes(const Node* n) {
  std::string out = "[";
  for (size_t a = 0; a < n->n_dim; ++a) {
    if (a != 0) out += ',';
    out += n->limit(a) == nullptr ? std::to_string(n->shape()[a]) : print_expr(n->limit(a));
  }
  return out + "]";
}

}  // namespace tg
