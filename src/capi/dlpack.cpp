// DLPack in and out: see dlpack.h. Memory of the host passes without a copy where it is row-major.
#include "capi/dlpack.h"

#include <array>
#include <cstring>
#include <memory>

#include "capi/guard.h"
#include "capi/handles.h"
#include "runtime/device.h"

using namespace tg;
using namespace tg::capi;

namespace {

constexpr int32_t kHost = 1;  // kDLCPU
constexpr uint32_t kMajor = 1;
constexpr int32_t kMostAxes = 64;

struct TypeRow {
  DType dtype;
  DLDataType type;
};
// Codes: 0 int, 1 uint, 2 float, 4 bfloat, 6 bool; the eight-bit floats came with version 1.1.
constexpr std::array<TypeRow, 17> kTypes = {{{DType::Int8, {0, 8, 1}},
                                             {DType::Int16, {0, 16, 1}},
                                             {DType::Int32, {0, 32, 1}},
                                             {DType::Int64, {0, 64, 1}},
                                             {DType::UInt8, {1, 8, 1}},
                                             {DType::UInt16, {1, 16, 1}},
                                             {DType::UInt32, {1, 32, 1}},
                                             {DType::UInt64, {1, 64, 1}},
                                             {DType::Float16, {2, 16, 1}},
                                             {DType::Float32, {2, 32, 1}},
                                             {DType::Float64, {2, 64, 1}},
                                             {DType::BFloat16, {4, 16, 1}},
                                             {DType::Bool, {6, 8, 1}},
                                             {DType::Fp8E4M3, {10, 8, 1}},
                                             {DType::Fp8E4M3Fnuz, {11, 8, 1}},
                                             {DType::Fp8E5M2, {12, 8, 1}},
                                             {DType::Fp8E5M2Fnuz, {13, 8, 1}}}};

DLDataType type_of(DType t) {
  for (const TypeRow& row : kTypes) {
    if (row.dtype == t) return row.type;
  }
  user_error<DTypeError>("tg_tensor_to_dlpack",
                         fmt::format("DLPack has no dtype {}", dtype_name(t)));
}

DType dtype_of(const DLDataType& t, const char* function) {
  for (const TypeRow& row : kTypes) {
    if (row.type.code == t.code && row.type.bits == t.bits && t.lanes == 1) return row.dtype;
  }
  user_error<DTypeError>(function, fmt::format("no dtype has DLPack's code {} with {} bits and {} "
                                               "lanes",
                                               t.code, t.bits, t.lanes));
}

// ---- out

// What a lent tensor keeps alive.
struct Lent {
  Tensor tensor;
  Shape shape, strides;
  DLManagedTensorVersioned managed;
};

Shape row_major(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

DLManagedTensorVersioned* lend(const Tensor& t) {
  Tensor at = t;
  void* data = at.host_data();
  if (data == nullptr && at.numel() > 0) {
    at = Tensor::from_bytes(t.to_bytes(), t.shape(), t.dtype(),
                            {.device = reference_device().name()});
    data = at.host_data();
  }
  auto lent = std::make_unique<Lent>(Lent{at, t.shape(), row_major(t.shape()), {}});
  DLManagedTensorVersioned& m = lent->managed;
  m.version = {kMajor, 0};
  m.dl_tensor = {.data = data,
                 .device = {kHost, 0},
                 .ndim = static_cast<int32_t>(lent->shape.size()),
                 .dtype = type_of(t.dtype()),
                 .shape = lent->shape.data(),
                 .strides = lent->strides.data(),
                 .byte_offset = 0};
  m.manager_ctx = lent.get();
  m.deleter = [](DLManagedTensorVersioned* self) { delete static_cast<Lent*>(self->manager_ctx); };
  return &lent.release()->managed;
}

// ---- in

void check(const DLTensor& t, const char* function) {
  if (t.device.device_type != kHost)
    user_error<DeviceError>(
        function,
        fmt::format("memory of DLPack's device type {}, not the host's", t.device.device_type),
        "Hint: copy it to the host first.");
  if (t.ndim < 0 || t.ndim > kMostAxes || (t.ndim > 0 && t.shape == nullptr))
    user_error<ArgumentError>(function, fmt::format("a tensor of {} axes", t.ndim));
}

// Row-major elements of a tensor with strides.
std::vector<std::byte> gathered(const DLTensor& t, const std::byte* data, const Shape& shape,
                                int64_t element) {
  std::vector<std::byte> out;
  Shape at(shape.size(), 0);
  int64_t left = 1;
  for (int64_t d : shape) left *= d;
  for (; left > 0; --left) {
    int64_t offset = 0;
    for (size_t a = 0; a < shape.size(); ++a) offset += at[a] * t.strides[a];
    const std::byte* const p = data + offset * element;
    out.insert(out.end(), p, p + element);
    for (size_t a = shape.size(); a-- > 0 && ++at[a] == shape[a];) at[a] = 0;
  }
  return out;
}

// The tensor on this memory, or, if `release` is not taken over, a copy of it.
Tensor take(const DLTensor& t, const char* function, std::function<void()>& release) {
  check(t, function);
  const DType dtype = dtype_of(t.dtype, function);
  const int64_t element = dtype_size(dtype);
  const Shape shape(t.shape, t.shape + t.ndim);
  auto* const data = static_cast<std::byte*>(t.data) + t.byte_offset;
  bool plain = t.strides == nullptr;
  if (!plain) {
    const Shape wanted = row_major(shape);
    plain = true;
    for (size_t a = 0; a < shape.size(); ++a)
      plain = plain && (shape[a] <= 1 || t.strides[a] == wanted[a]);
  }
  const bool aligned = reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(element) == 0;
  if (plain && aligned)
    return Tensor::from_memory(data, shape, dtype, std::exchange(release, nullptr));
  for (const int64_t d : shape) {
    if (d < 0) user_error<ShapeError>(function, "sizes must not be negative");
  }
  const TensorOptions on_host = {.device = reference_device().name()};  // as without a copy
  if (!plain) return Tensor::from_bytes(gathered(t, data, shape, element), shape, dtype, on_host);
  size_t bytes = static_cast<size_t>(element);
  for (const int64_t d : shape) bytes *= static_cast<size_t>(d);
  return Tensor::from_bytes({data, bytes}, shape, dtype, on_host);
}

// Takes over `managed`; only if everything works.
template <typename M>
tg_tensor adopt(M* managed, const char* function) {
  // Until the handle exists the caller is the owner.
  const auto owned = std::make_shared<bool>(false);
  std::function<void()> release = [managed, owned] {
    if (*owned && managed->deleter != nullptr) managed->deleter(managed);
  };
  const auto handle = make_handle<tg_tensor>(take(managed->dl_tensor, function, release));
  *owned = true;
  if (release) release();  // it was copied
  return handle;
}

}  // namespace

tg_status tg_tensor_to_dlpack(tg_tensor tensor, DLManagedTensorVersioned** result) {
  return guarded([&] {
    const auto t = object<Tensor>(tensor, "tg_tensor_to_dlpack");
    given(result, "tg_tensor_to_dlpack", "result");
    *result = lend(t);
  });
}

tg_status tg_tensor_from_dlpack(DLManagedTensorVersioned* managed, tg_tensor* result) {
  return guarded([&] {
    constexpr const char* kName = "tg_tensor_from_dlpack";
    given(result, kName, "result");
    const DLPackVersion version = given(managed, kName, "managed")->version;
    if (version.major != kMajor)
      user_error<ArgumentError>(
          kName, fmt::format("DLPack {}.{} where 1.x is understood", version.major, version.minor));
    *result = adopt(managed, kName);
  });
}

tg_status tg_tensor_from_dlpack_unversioned(DLManagedTensor* managed, tg_tensor* result) {
  return guarded([&] {
    constexpr const char* kName = "tg_tensor_from_dlpack_unversioned";
    given(result, kName, "result");
    *result = adopt(given(managed, kName, "managed"), kName);
  });
}
