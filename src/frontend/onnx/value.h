// What flows between the nodes of a graph: tensors, numbers known on the host, sequences,
// optionals. Shape computations stay on the host; only what a kernel must compute is a tensor. How
// nodes see their values: node.h; what is computed on the host: host.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tg/dtype.h"
#include "tg/tensor.h"

namespace tg::onnx {

/// Numbers that are known without running anything: integers and bools in `integers`, floats in
/// `floats`, row-major, as many as `shape` says.
struct HostArray {
  DType dtype = DType::Int64;
  Shape shape;
  std::vector<int64_t> integers;
  std::vector<double> floats;

  bool is_real() const { return is_float(dtype); }
  int64_t size() const;
  /// Element `i` as either kind. ArgumentError if there is none.
  double real(int64_t i) const;
  int64_t integer(int64_t i) const;

 private:
  void check_place(int64_t i) const;
};

/// Arrays of more elements are never computed on the host.
inline constexpr int64_t kMaxHostElements = 4096;

/// The number of elements of a shape, at most INT64_MAX.
int64_t elements_of(const Shape& shape);

/// A value: an array, a sequence of values, or nothing (an input that is left out, an empty
/// optional).
class Value {
 public:
  Value() = default;
  Value(Tensor tensor) : tensor_(std::move(tensor)) {}
  Value(HostArray host) : host_(std::make_shared<const HostArray>(std::move(host))) {}
  /// A tensor whose numbers are known as well.
  Value(Tensor tensor, std::shared_ptr<const HostArray> host)
      : tensor_(std::move(tensor)), host_(std::move(host)) {}
  static Value sequence(std::vector<Value> items);
  /// An optional without a value, in contrast to an input that is left out.
  static Value none();

  bool is_absent() const { return !is_array() && !items_ && !none_; }
  bool is_array() const { return tensor_ || host_; }
  bool is_sequence() const { return items_ != nullptr; }
  bool is_none() const { return none_; }

  DType dtype() const;
  Shape shape() const;
  /// Of arrays; these functions and items() raise ArgumentError for other values.
  /// The array as a tensor; numbers of the host become one on `device`.
  Tensor tensor(const std::string& device) const;
  /// The numbers, if they are known; null otherwise.
  const HostArray* host() const { return host_.get(); }
  const std::shared_ptr<const HostArray>& host_pointer() const { return host_; }
  /// Whether there is nothing but numbers of the host.
  bool is_host_only() const { return host_ && !tensor_; }
  const std::vector<Value>& items() const;

 private:
  void check_array() const;

  std::optional<Tensor> tensor_;
  std::shared_ptr<const HostArray> host_;
  std::shared_ptr<const std::vector<Value>> items_;
  bool none_ = false;
};

/// The numbers of a tensor, which is computed for it.
HostArray read_back(const Tensor& tensor);
/// A vector of integers, int64 [n].
HostArray host_vector(std::vector<int64_t> values);
/// The dtype of a number of ONNX's enumeration; none for text, complex numbers and unknown ones.
std::optional<DType> dtype_of_onnx(int64_t number);
/// Its name in ONNX: "FLOAT16", "STRING", "type 99".
std::string onnx_type_name(int64_t number);

}  // namespace tg::onnx
