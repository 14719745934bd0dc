// Values of a graph: see value.h.
#include "frontend/onnx/value.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

#include "support/check.h"

namespace tg::onnx {

int64_t elements_of(const Shape& shape) {
  int64_t n = 1;
  for (const int64_t size : shape) {
    if (size == 0) return 0;
    if (__builtin_mul_overflow(n, size, &n)) n = std::numeric_limits<int64_t>::max();
  }
  return n;
}

int64_t HostArray::size() const {
  return static_cast<int64_t>(is_real() ? floats.size() : integers.size());
}
// Numbers of a file may be fewer than an operator expects.
void HostArray::check_place(int64_t i) const {
  if (i < 0 || i >= size())
    user_error<ArgumentError>("onnx::Model",
                              fmt::format("number {} of an array of {} is needed", i, size()));
}
double HostArray::real(int64_t i) const {
  check_place(i);
  const auto at = static_cast<size_t>(i);
  return is_real() ? floats[at] : static_cast<double>(integers[at]);
}
int64_t HostArray::integer(int64_t i) const {
  check_place(i);
  const auto at = static_cast<size_t>(i);
  if (!is_real()) return integers[at];
  const double x = floats[at];
  if (!(x > -9.2e18 && x < 9.2e18)) return 0;  // as undefined as it is in the standard
  return static_cast<int64_t>(x);
}

Value Value::sequence(std::vector<Value> items) {
  Value out;
  out.items_ = std::make_shared<const std::vector<Value>>(std::move(items));
  return out;
}

Value Value::none() {
  Value out;
  out.none_ = true;
  return out;
}

DType Value::dtype() const {
  check_array();
  return tensor_ ? tensor_->dtype() : host_->dtype;
}
Shape Value::shape() const {
  check_array();
  return tensor_ ? tensor_->shape() : host_->shape;
}
void Value::check_array() const {
  if (!is_array()) user_error<ArgumentError>("onnx::Model", "a value is no tensor");
}
const std::vector<Value>& Value::items() const {
  if (!is_sequence()) user_error<ArgumentError>("onnx::Model", "a value is no sequence");
  return *items_;
}

Tensor Value::tensor(const std::string& device) const {
  check_array();
  if (tensor_) return *tensor_;
  const HostArray& h = *host_;
  const bool one = h.size() == 1;
  if (h.is_real()) {
    if (one) return Tensor::full(h.shape, h.floats[0], {.dtype = h.dtype, .buffer = false});
    return Tensor(h.floats, h.shape, {.dtype = h.dtype, .device = device});
  }
  if (one) {
    const Tensor number =
        h.dtype == DType::Bool ? Tensor(h.integers[0] != 0) : Tensor(h.integers[0]);
    return Tensor::full(h.shape, number, {.dtype = h.dtype, .buffer = false});
  }
  return Tensor(h.integers, h.shape, {.dtype = h.dtype, .device = device});
}

HostArray read_back(const Tensor& tensor) {
  HostArray out{tensor.dtype(), tensor.shape(), {}, {}};
  if (out.is_real())
    out.floats = tensor.cast(DType::Float64).to_vector<double>();
  else
    out.integers = tensor.to_vector<int64_t>();
  return out;
}

HostArray host_vector(std::vector<int64_t> values) {
  const auto n = static_cast<int64_t>(values.size());
  return {DType::Int64, {n}, std::move(values), {}};
}

namespace {

constexpr std::array<std::pair<std::string_view, DType>, 29> kOnnxTypes = {
    {{"UNDEFINED", DType::Void},
     {"FLOAT", DType::Float32},
     {"UINT8", DType::UInt8},
     {"INT8", DType::Int8},
     {"UINT16", DType::UInt16},
     {"INT16", DType::Int16},
     {"INT32", DType::Int32},
     {"INT64", DType::Int64},
     {"STRING", DType::Void},
     {"BOOL", DType::Bool},
     {"FLOAT16", DType::Float16},
     {"DOUBLE", DType::Float64},
     {"UINT32", DType::UInt32},
     {"UINT64", DType::UInt64},
     {"COMPLEX64", DType::Void},
     {"COMPLEX128", DType::Void},
     {"BFLOAT16", DType::BFloat16},
     {"FLOAT8E4M3FN", DType::Fp8E4M3},
     {"FLOAT8E4M3FNUZ", DType::Fp8E4M3Fnuz},
     {"FLOAT8E5M2", DType::Fp8E5M2},
     {"FLOAT8E5M2FNUZ", DType::Fp8E5M2Fnuz},
     {"UINT4", DType::Void},
     {"INT4", DType::Void},
     {"FLOAT4E2M1", DType::Void},
     {"FLOAT8E8M0", DType::Void},
     {"UINT2", DType::Void},
     {"INT2", DType::Void},
     {"FLOAT6E2M3", DType::Void},
     {"FLOAT6E3M2", DType::Void}}};

}  // namespace

std::optional<DType> dtype_of_onnx(int64_t number) {
  if (number < 0 || number >= static_cast<int64_t>(kOnnxTypes.size())) return {};
  const DType t = kOnnxTypes[static_cast<size_t>(number)].second;
  if (t == DType::Void) return {};
  return t;
}

std::string onnx_type_name(int64_t number) {
  if (number < 0 || number >= static_cast<int64_t>(kOnnxTypes.size()))
    return fmt::format("type {}", number);
  return std::string(kOnnxTypes[static_cast<size_t>(number)].first);
}

}  // namespace tg::onnx
