// Text of tensors, NumPy-like: nested brackets, aligned columns, long axes summarised.
#include <algorithm>
#include <cmath>
#include <ostream>

#include "tensor/ops.h"

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

// Brackets open and close with the axes that begin and end at an element.
std::string nested(const std::vector<std::string>& items, const Shape& shape) {
  if (shape.empty()) return items[0];
  const size_t n = shape.size();
  if (items.empty()) return std::string(n, '[') + std::string(n, ']');
  const auto strides = strides_of(shape);
  const bool summary = static_cast<int64_t>(items.size()) > kFullText;
  const auto hidden = [&](Dim i, Dim size) { return summary && size > 2 * kEdge && i >= kEdge && i < size - kEdge; };
  std::string out;
  for (size_t e = 0; e < items.size();) {
    const auto at = static_cast<Dim>(e);
    size_t begun = 0;  // axes that begin here
    while (begun < n && at % (strides[n - 1 - begun] * shape[n - 1 - begun]) == 0) ++begun;
    // Line breaks and indentation between blocks.
    if (e > 0 && begun > 0) out += std::string(begun, '\n') + std::string(n - begun, ' ');
    out += std::string(begun, '[');
    size_t skipped = n;
    for (size_t a = 0; a < n && skipped == n; ++a) {
      if (hidden(at / strides[a] % shape[a], shape[a])) skipped = a;
    }
    if (skipped < n) {
      out += "...";
      const Dim size = shape[skipped];
      e += static_cast<size_t>((size - 2 * kEdge) * strides[skipped]);
      out += skipped + 1 == n ? " " : std::string(n - 1 - skipped, '\n') + std::string(skipped + 1, ' ');
      out += skipped + 1 == n ? "" : std::string(n - 1 - skipped, '[');
      if (skipped + 1 == n) continue;
    }
    out += items[e];
    ++e;
    size_t ended = 0;
    while (ended < n && static_cast<Dim>(e) % (strides[n - 1 - ended] * shape[n - 1 - ended]) == 0) ++ended;
    out += ended > 0 ? std::string(ended, ']') : " ";
  }
  return out;
}

}  // namespace

std::string Tensor::str() const {
  return fmt::format("{} {}{}", nested(texts(*this), shape()), dtype_name(dtype()), text(shape()));
}

std::ostream& operator<<(std::ostream& out, const Tensor& t) { return out << t.str(); }

}  // namespace tg
