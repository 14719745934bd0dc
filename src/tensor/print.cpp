// Text of tensors, NumPy-like: nested brackets, aligned columns, long axes summarised.
#include <algorithm>
#include <cmath>
#include <ostream>

#include "tensor/ops.h"
#include "uop/limits.h"

namespace tg {
namespace {

using namespace ops_detail;

constexpr int64_t kFullText = 1000;  // elements printed without summary
constexpr Dim kEdge = 3;             // elements kept at each end of a summarised axis

// One style for all elements, so that columns align.
struct Style {
  bool scientific = false, whole = true;
  std::string text(double v) const {
    if (std::isnan(v)) return "nan";
    if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
    if (scientific) return fmt::format("{:.4e}", v);
    return whole ? fmt::format("{:.0f}.", v) : fmt::format("{:.4f}", v);
  }
};

Style style_of(const std::vector<double>& values) {
  Style s;
  for (double v : values) {
    if (!std::isfinite(v) || v == 0) continue;
    const double size = std::abs(v);
    s.whole = s.whole && v == std::trunc(v);
    s.scientific = s.scientific || size >= 1e8 || size < 1e-4;
  }
  return s;
}

std::vector<std::string> texts(const Tensor& t) {
  std::vector<std::string> out;
  if (is_bool(t.dtype())) {
    for (bool b : t.to_vector<bool>()) out.emplace_back(b ? "true" : "false");
  } else if (is_unsigned(t.dtype())) {
    for (uint64_t v : t.to_vector<uint64_t>()) out.push_back(fmt::format("{}", v));
  } else if (is_int(t.dtype())) {
    for (int64_t v : t.to_vector<int64_t>()) out.push_back(fmt::format("{}", v));
  } else {
    const auto values = t.to_vector<double>();
    const Style style = style_of(values);
    for (double v : values) out.push_back(style.text(v));
  }
  size_t width = 0;
  for (const std::string& s : out) width = std::max(width, s.size());
  for (std::string& s : out) s.insert(0, width - s.size(), ' ');
  return out;
}

struct Block {
  const std::vector<std::string>& items;
  const Shape& shape;
  const std::vector<Dim>& strides;
  bool summary;
};

// The elements from `offset` on along `axis` and all later ones; as deep as there are axes.
void append_block(const Block& b, size_t axis, Dim offset, std::string& out) {
  if (axis == b.shape.size()) {
    out += b.items[static_cast<size_t>(offset)];
    return;
  }
  const Dim n = b.shape[axis];
  const size_t inner = b.shape.size() - 1 - axis;
  const std::string next = inner == 0 ? " " : std::string(inner, '\n') + std::string(axis + 1, ' ');
  out += '[';
  for (Dim i = 0; i < n; ++i) {
    if (i > 0) out += next;
    if (b.summary && n > 2 * kEdge && i == kEdge) {
      out += "..." + next;
      i = n - kEdge;
    }
    append_block(b, axis + 1, offset + i * b.strides[axis], out);
  }
  out += ']';
}

std::string nested(const std::vector<std::string>& items, const Shape& shape) {
  std::string out;
  const auto strides = strides_of(shape);
  append_block({items, shape, strides, static_cast<int64_t>(items.size()) > kFullText}, 0, 0, out);
  return out;
}

}  // namespace

std::string Tensor::str() const {
  const UOp x = node_of(*this, "str");
  return fmt::format("{} {}{}", nested(texts(*this), bound_shape(x.node())), dtype_name(dtype()),
                     format_sizes(x.node()));
}

std::ostream& operator<<(std::ostream& out, const Tensor& t) { return out << t.str(); }

}  // namespace tg
