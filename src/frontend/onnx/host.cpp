// Shape computations on the host: see host.h.
#include "frontend/onnx/host.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace tg::onnx {
namespace {

using Arrays = std::optional<std::vector<HostArray>>;

HostArray empty_like(DType dtype, Shape shape) {
  HostArray out{dtype, std::move(shape), {}, {}};
  const auto n = static_cast<size_t>(elements_of(out.shape));
  if (out.is_real())
    out.floats.resize(n);
  else
    out.integers.resize(n);
  return out;
}

void copy_element(const HostArray& from, int64_t i, HostArray& to, int64_t k) {
  if (to.is_real())
    to.floats[static_cast<size_t>(k)] = from.real(i);
  else
    to.integers[static_cast<size_t>(k)] = from.integer(i);
}

// The shape that both are broadcast to; none if they do not fit.
std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return {};
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

// The element of an array broadcast to `shape` that stands at place `i`.
int64_t place_in(const HostArray& a, const Shape& shape, int64_t i) {
  int64_t place = 0, stride = 1;
  for (size_t k = 0; k < shape.size(); ++k) {
    const int64_t size = shape[shape.size() - 1 - k], at = i % size;
    i /= size;
    if (k >= a.shape.size()) continue;
    const int64_t own = a.shape[a.shape.size() - 1 - k];
    if (own != 1) place += at * stride;
    stride *= own;
  }
  return place;
}

// Integers of the dtype, wrapped as its arithmetic wraps.
int64_t wrap(DType dtype, int64_t x) {
  switch (dtype) {
    case DType::Bool:
      return x != 0;
    case DType::Int8:
      return static_cast<int8_t>(x);
    case DType::UInt8:
      return static_cast<uint8_t>(x);
    case DType::Int16:
      return static_cast<int16_t>(x);
    case DType::UInt16:
      return static_cast<uint16_t>(x);
    case DType::Int32:
      return static_cast<int32_t>(x);
    case DType::UInt32:
      return static_cast<uint32_t>(x);
    default:
      return x;
  }
}

double rounded(DType dtype, double x) {
  return dtype == DType::Float32 ? static_cast<double>(static_cast<float>(x)) : x;
}

struct Binary {
  std::string_view op;
  std::optional<int64_t> (*integers)(int64_t, int64_t);  // none: leave it to the kernel
  double (*reals)(double, double);                       // null: integers only
  bool compares = false;
};

template <typename F>
std::optional<int64_t> without_overflow(F&& f) {
  int64_t out = 0;
  if (f(&out)) return {};
  return out;
}

const std::array<Binary, 14> kBinary = {{
    {"Add",
     [](int64_t a, int64_t b) {
       return without_overflow([&](int64_t* o) { return __builtin_add_overflow(a, b, o); });
     },
     [](double a, double b) { return a + b; }},
    {"Sub",
     [](int64_t a, int64_t b) {
       return without_overflow([&](int64_t* o) { return __builtin_sub_overflow(a, b, o); });
     },
     [](double a, double b) { return a - b; }},
    {"Mul",
     [](int64_t a, int64_t b) {
       return without_overflow([&](int64_t* o) { return __builtin_mul_overflow(a, b, o); });
     },
     [](double a, double b) { return a * b; }},
    {"Div",
     [](int64_t a, int64_t b) { return b == 0 || b == -1 ? std::nullopt : std::optional(a / b); },
     [](double a, double b) { return a / b; }},
    {"Mod",
     [](int64_t a, int64_t b) { return b <= 0 ? std::nullopt : std::optional(((a % b) + b) % b); },
     nullptr},
    {"Max", [](int64_t a, int64_t b) { return std::optional(std::max(a, b)); }, nullptr},
    {"Min", [](int64_t a, int64_t b) { return std::optional(std::min(a, b)); }, nullptr},
    {"And", [](int64_t a, int64_t b) { return std::optional<int64_t>(a && b); }, nullptr, true},
    {"Or", [](int64_t a, int64_t b) { return std::optional<int64_t>(a || b); }, nullptr, true},
    {"Equal", [](int64_t a, int64_t b) { return std::optional<int64_t>(a == b); }, nullptr, true},
    {"Less", [](int64_t a, int64_t b) { return std::optional<int64_t>(a < b); }, nullptr, true},
    {"Greater", [](int64_t a, int64_t b) { return std::optional<int64_t>(a > b); }, nullptr, true},
    {"LessOrEqual", [](int64_t a, int64_t b) { return std::optional<int64_t>(a <= b); }, nullptr,
     true},
    {"GreaterOrEqual", [](int64_t a, int64_t b) { return std::optional<int64_t>(a >= b); }, nullptr,
     true},
}};

Arrays host_binary(const Node& node, const Binary& row) {
  if (node.inputs() != 2 || node.version() < 7 || node.flag("fmod")) return {};
  const HostArray a = node.numbers(0), b = node.numbers(1);
  if (a.dtype != b.dtype || a.dtype == DType::UInt64) return {};
  if (a.is_real() &&
      (row.reals == nullptr || (a.dtype != DType::Float32 && a.dtype != DType::Float64)))
    return {};
  const std::optional<Shape> shape = broadcast(a.shape, b.shape);
  if (!shape || elements_of(*shape) > kMaxHostElements) return {};
  HostArray out = empty_like(row.compares ? DType::Bool : a.dtype, *shape);
  for (int64_t i = 0; i < out.size(); ++i) {
    const int64_t x = place_in(a, *shape, i), y = place_in(b, *shape, i);
    if (a.is_real()) {
      out.floats[static_cast<size_t>(i)] = rounded(a.dtype, row.reals(a.real(x), b.real(y)));
      continue;
    }
    const std::optional<int64_t> value = row.integers(a.integer(x), b.integer(y));
    if (!value) return {};
    out.integers[static_cast<size_t>(i)] = wrap(out.dtype, *value);
  }
  return {{std::move(out)}};
}

struct Unary {
  std::string_view op;
  std::optional<int64_t> (*integers)(int64_t);
  double (*reals)(double);
};

const std::array<Unary, 6> kUnary = {{
    {"Neg", [](int64_t a) { return a == INT64_MIN ? std::nullopt : std::optional(-a); },
     [](double a) { return -a; }},
    {"Abs", [](int64_t a) { return a == INT64_MIN ? std::nullopt : std::optional(std::abs(a)); },
     [](double a) { return std::fabs(a); }},
    {"Not", [](int64_t a) { return std::optional<int64_t>(a == 0); }, nullptr},
    {"Floor", nullptr, [](double a) { return std::floor(a); }},
    {"Ceil", nullptr, [](double a) { return std::ceil(a); }},
    {"Sqrt", nullptr, [](double a) { return std::sqrt(a); }},
}};

Arrays host_unary(const Node& node, const Unary& row) {
  HostArray out = node.numbers(0);
  if (out.dtype == DType::UInt64 ||
      (out.is_real() ? row.reals == nullptr : row.integers == nullptr))
    return {};
  for (double& x : out.floats) x = rounded(out.dtype, row.reals(x));
  for (int64_t& x : out.integers) {
    const std::optional<int64_t> value = row.integers(x);
    if (!value) return {};
    x = wrap(out.dtype, *value);
  }
  return {{std::move(out)}};
}

Arrays host_cast(const Node& node) {
  const std::optional<DType> to = dtype_of_onnx(node.required_integer("to"));
  HostArray in = node.numbers(0);
  if (!to || *to == DType::UInt64 || in.dtype == DType::UInt64) return {};
  if (is_float(*to) && *to != DType::Float32 && *to != DType::Float64) return {};
  HostArray out = empty_like(*to, in.shape);
  for (int64_t i = 0; i < in.size(); ++i) {
    if (in.is_real() && !out.is_real() && !(std::fabs(in.real(i)) < 9e18)) return {};
    if (out.is_real())
      out.floats[static_cast<size_t>(i)] = rounded(*to, in.real(i));
    else if (*to == DType::Bool)
      out.integers[static_cast<size_t>(i)] = in.real(i) != 0;
    else if (wrap(*to, in.integer(i)) != in.integer(i))
      return {};
    else
      out.integers[static_cast<size_t>(i)] = in.integer(i);
  }
  return {{std::move(out)}};
}

Arrays host_concat(const Node& node) {
  const HostArray first = node.numbers(0);
  if (first.shape.size() != 1) return {};
  HostArray out{first.dtype, {0}, {}, {}};
  for (size_t i = 0; i < node.inputs(); ++i) {
    const HostArray part = node.numbers(i);
    if (part.shape.size() != 1 || part.dtype != first.dtype) return {};
    out.integers.insert(out.integers.end(), part.integers.begin(), part.integers.end());
    out.floats.insert(out.floats.end(), part.floats.begin(), part.floats.end());
  }
  out.shape[0] = out.size();
  if (out.size() > kMaxHostElements) return {};
  return {{std::move(out)}};
}

Arrays host_gather(const Node& node) {
  const HostArray data = node.numbers(0), indices = node.numbers(1);
  if (data.shape.size() != 1 || node.integer("axis", 0) > 0) return {};
  HostArray out = empty_like(data.dtype, indices.shape);
  for (int64_t i = 0; i < indices.size(); ++i) {
    int64_t at = indices.integer(i);
    if (at < -data.size() || at >= data.size()) node.wrong("an index is outside the axis");
    copy_element(data, at < 0 ? at + data.size() : at, out, i);
  }
  return {{std::move(out)}};
}

Arrays host_slice(const Node& node) {
  const HostArray data = node.numbers(0);
  if (node.version() < 10 || data.shape.size() != 1 || data.size() == 0) return {};
  const int64_t n = data.size();
  const int64_t step = node.has(4) ? node.integer(4) : 1;
  int64_t start = node.integer(1), end = node.integer(2);
  if (step == 0) return {};
  if (start < 0) start += n;
  if (end < 0 && end >= -n) end += n;
  start = std::clamp<int64_t>(start, 0, step > 0 ? n : n - 1);
  end = std::clamp<int64_t>(end, step > 0 ? 0 : -1, n);
  HostArray out{data.dtype, {0}, {}, {}};
  for (int64_t i = start; step > 0 ? i < end : i > end; i += step) {
    if (out.is_real())
      out.floats.push_back(data.real(i));
    else
      out.integers.push_back(data.integer(i));
    if (step > n || step < -n) break;
  }
  out.shape[0] = out.size();
  return {{std::move(out)}};
}

// Only the shape changes: from what the operator's own function would make of it.
Arrays host_same_elements(const Node& node) {
  if (node.inputs() > 1 && !node.has(1)) return {};
  HostArray out = node.numbers(0);
  const std::vector<int64_t> axes =
      node.inputs() > 1 ? node.integers(1) : node.integers("axes").value_or(std::vector<int64_t>{});
  if (node.op() == "Identity") return {{std::move(out)}};
  if (node.op() == "Unsqueeze") {
    if (axes.size() != 1 || out.shape.size() > 1) return {};
    const int64_t axis = node.axis(axes[0], static_cast<int64_t>(out.shape.size()) + 1);
    out.shape.insert(out.shape.begin() + axis, 1);
    return {{std::move(out)}};
  }
  if (node.op() == "Squeeze") {
    if (out.shape.size() != 1 || out.size() != 1) return {};
    out.shape.clear();
    return {{std::move(out)}};
  }
  // Reshape of vectors and scalars, which exporters use to make [1] of [] and the reverse.
  if (node.inputs() < 2 || axes.size() > 1) return {};
  if (axes.size() == 1 && axes[0] != -1 && axes[0] != out.size()) return {};
  if (axes.empty() && out.size() != 1) return {};
  out.shape = axes.empty() ? Shape{} : Shape{out.size()};
  return {{std::move(out)}};
}

Arrays host_range(const Node& node) {
  const HostArray start = node.numbers(0), limit = node.numbers(1), delta = node.numbers(2);
  if (start.is_real() || start.size() != 1 || limit.size() != 1 || delta.size() != 1) return {};
  HostArray out{start.dtype, {0}, {}, {}};
  const int64_t step = delta.integer(0), end = limit.integer(0);
  if (step == 0) node.wrong("a step of 0");
  int64_t at = start.integer(0);
  while (step > 0 ? at < end : at > end) {
    if (out.size() == kMaxHostElements) return {};
    out.integers.push_back(at);
    if (__builtin_add_overflow(at, step, &at)) break;
  }
  out.shape[0] = out.size();
  return {{std::move(out)}};
}

Arrays filled(const Node& node, const Shape& shape, const HostArray& value) {
  if (elements_of(shape) > kMaxHostElements) return {};
  for (const int64_t size : shape) node.require(size >= 0, "a negative size");
  HostArray out = empty_like(value.dtype, shape);
  for (int64_t i = 0; i < out.size(); ++i) copy_element(value, place_in(value, shape, i), out, i);
  return {{std::move(out)}};
}

Arrays host_constant_of_shape(const Node& node) {
  const Value* value = node.array("value");
  if (value != nullptr && value->host() == nullptr) return {};
  HostArray number = value == nullptr ? HostArray{DType::Float32, {}, {}, {0.0}} : *value->host();
  if (number.size() != 1) return {};
  number.shape.clear();
  return filled(node, node.integers(0), number);
}

Arrays host_expand(const Node& node) {
  const HostArray value = node.numbers(0);
  const std::optional<Shape> shape = broadcast(value.shape, node.integers(1));
  return shape ? filled(node, *shape, value) : std::nullopt;
}

Arrays host_where(const Node& node) {
  const HostArray c = node.numbers(0), a = node.numbers(1), b = node.numbers(2);
  const auto first = broadcast(c.shape, a.shape);
  const auto shape = first ? broadcast(*first, b.shape) : std::nullopt;
  if (!shape || a.dtype != b.dtype || elements_of(*shape) > kMaxHostElements) return {};
  HostArray out = empty_like(a.dtype, *shape);
  for (int64_t i = 0; i < out.size(); ++i) {
    const bool yes = c.integer(place_in(c, *shape, i)) != 0;
    copy_element(yes ? a : b, place_in(yes ? a : b, *shape, i), out, i);
  }
  return {{std::move(out)}};
}

// Of vectors of integers, whole.
Arrays host_reduce(const Node& node) {
  const HostArray in = node.numbers(0);
  if (in.is_real() || in.shape.size() > 1 || in.size() == 0 || node.flag("noop_with_empty_axes"))
    return {};
  int64_t out = in.integers[0];
  for (size_t i = 1; i < in.integers.size(); ++i) {
    const int64_t x = in.integers[i];
    if (node.op() == "ReduceProd"  ? __builtin_mul_overflow(out, x, &out)
        : node.op() == "ReduceSum" ? __builtin_add_overflow(out, x, &out)
                                   : false)
      return {};
    if (node.op() == "ReduceMax") out = std::max(out, x);
    if (node.op() == "ReduceMin") out = std::min(out, x);
  }
  const bool keep = node.flag("keepdims", true);
  return {
      {HostArray{in.dtype, keep ? Shape(in.shape.size(), 1) : Shape{}, {wrap(in.dtype, out)}, {}}}};
}

Arrays host_split(const Node& node) {
  const HostArray in = node.numbers(0);
  if (in.shape.size() != 1) return {};
  std::vector<int64_t> sizes =
      node.has(1) ? node.integers(1) : node.integers("split").value_or(std::vector<int64_t>{});
  const auto parts = static_cast<int64_t>(node.outputs());
  if (sizes.empty() && parts > 0 && in.size() % parts == 0)
    sizes.assign(static_cast<size_t>(parts), in.size() / parts);
  int64_t total = 0;
  for (const int64_t s : sizes) {
    if (s < 0 || s > in.size()) return {};
    total += s;
  }
  if (total != in.size() || sizes.size() != node.outputs()) return {};
  std::vector<HostArray> out;
  int64_t at = 0;
  for (const int64_t s : sizes) {
    out.push_back(empty_like(in.dtype, {s}));
    for (int64_t i = 0; i < s; ++i) copy_element(in, at++, out.back(), i);
  }
  return out;
}

struct Row {
  std::string_view op;
  Arrays (*run)(const Node&);
};
constexpr std::array<Row, 17> kRows = {{{"Cast", host_cast},
                                        {"Concat", host_concat},
                                        {"ConstantOfShape", host_constant_of_shape},
                                        {"Expand", host_expand},
                                        {"Gather", host_gather},
                                        {"Identity", host_same_elements},
                                        {"Range", host_range},
                                        {"ReduceMax", host_reduce},
                                        {"ReduceMin", host_reduce},
                                        {"ReduceProd", host_reduce},
                                        {"ReduceSum", host_reduce},
                                        {"Reshape", host_same_elements},
                                        {"Slice", host_slice},
                                        {"Split", host_split},
                                        {"Squeeze", host_same_elements},
                                        {"Unsqueeze", host_same_elements},
                                        {"Where", host_where}}};

}  // namespace

std::optional<std::vector<HostArray>> compute_on_host(const Node& node) {
  for (size_t i = 0; i < node.inputs(); ++i)
    if (node.has(i) && node.value(i).host()->size() > kMaxHostElements) return {};
  for (const Row& row : kRows)
    if (row.op == node.op()) return row.run(node);
  for (const Binary& row : kBinary)
    if (row.op == node.op()) return host_binary(node, row);
  for (const Unary& row : kUnary)
    if (row.op == node.op()) return host_unary(node, row);
  return {};
}

}  // namespace tg::onnx
