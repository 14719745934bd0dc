// Movement ops on explicit elements: for each place of the result, where in the source its element
// is. See evaluate_tensor.h.
#include "support/check.h"
#include "uop/evaluate_tensor.h"
#include "uop/limits.h"
#include "uop/shape.h"

namespace tg {
namespace {

constexpr int64_t kOutside = -1;
using Index = std::vector<Dim>;

// Steps `index` through `shape` in row-major order.
void advance(Index& index, std::span<const Dim> shape) {
  for (size_t a = shape.size(); a-- > 0;) {
    if (++index[a] < shape[a]) return;
    index[a] = 0;
  }
}

// The source's index along each axis, from the result's; false if that is outside.
bool source_index(const Node* n, const Index& out, Index& in) {
  const auto arg = n->arg();
  const auto shape = n->src()[0]->shape();
  in = out;
  switch (n->op) {
    case Op::Permute:
      for (size_t a = 0; a < out.size(); ++a) in[static_cast<size_t>(arg[a])] = out[a];
      return true;
    case Op::Expand:
      for (size_t a = 0; a < out.size(); ++a) in[a] = shape[a] == 1 ? 0 : out[a];
      return true;
    case Op::Shrink:
      for (size_t a = 0; a < out.size(); ++a) in[a] = out[a] + arg[2 * a];
      return true;
    case Op::Flip: {
      for (int64_t axis : arg) {
        const auto a = static_cast<size_t>(axis);
        in[a] = shape[a] - 1 - out[a];
      }
      return true;
    }
    case Op::Pad:
      for (size_t a = 0; a < out.size(); ++a) {
        in[a] = out[a] - arg[2 * a];
        if (in[a] < 0 || in[a] >= shape[a]) return false;
      }
      return true;
    case Op::Shear: {
      const auto i = static_cast<size_t>(arg[0]), k = static_cast<size_t>(arg[1]);
      in[i] = saturating_add(saturating_add(out[i], saturating_mul(arg[2], out[k])), arg[3]);
      return in[i] >= 0 && in[i] < shape[i];
    }
    case Op::Offset: {
      const auto a = static_cast<size_t>(arg[0]);
      in[a] = out[a] + bound_value(n->src()[1]);
      return in[a] >= 0 && in[a] < shape[a];
    }
    default:
      TG_CHECK(false, "{} is no movement", op_name(n->op));
  }
}

}  // namespace

std::vector<uint64_t> move_elements(const Node* n, const std::vector<uint64_t>& source,
                                    std::optional<uint64_t> outside) {
  if (n->op == Op::Reshape || n->op == Op::Limit) return source;
  const bool fills = n->op == Op::Pad || n->op == Op::Shear;
  const uint64_t fill = outside.value_or(fills ? static_cast<uint64_t>(n->arg().back()) : 0);
  const std::vector<Dim> strides = strides_of(n->src()[0]->shape());
  const Dim count = numel(n->shape());
  Index out(n->n_dim, 0), in;
  std::vector<uint64_t> result;
  result.reserve(static_cast<size_t>(count));
  for (Dim e = 0; e < count; ++e, advance(out, n->shape())) {
    int64_t at = kOutside;
    if (source_index(n, out, in)) {
      at = 0;
      for (size_t a = 0; a < in.size(); ++a) at += in[a] * strides[a];
    }
    result.push_back(at == kOutside ? fill : source[static_cast<size_t>(at)]);
  }
  return result;
}

}  // namespace tg
