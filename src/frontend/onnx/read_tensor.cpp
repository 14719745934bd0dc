// Tensors in ONNX files: packed numbers, raw bytes, or a part of a file beside the model. Sizes are
// checked before anything is allocated. Graphs: read.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <optional>
#include <vector>

#include "frontend/onnx/onnx_subset.pb.h"
#include "frontend/onnx/read.h"
#include "support/check.h"

namespace tg::onnx {
namespace {

using TensorFile = tg_onnx_file::Tensor;

[[noreturn]] void bad(const Source& source, const std::string& place, const std::string& problem) {
  user_error<FileError>("onnx::load", fmt::format("\"{}\", {}: {}", source.name, place, problem));
}

Shape shape_of(const TensorFile& t, const std::string& place, const Source& source) {
  Shape shape(t.dims().begin(), t.dims().end());
  if (shape.size() > 64) bad(source, place, fmt::format("a tensor of {} axes", shape.size()));
  for (const int64_t size : shape)
    if (size < 0) bad(source, place, fmt::format("an axis of size {}", size));
  return shape;
}

// The elements that one of the typed fields holds, each cast to T.
template <typename T, typename Field>
std::string packed(const Field& field) {
  std::string out(static_cast<size_t>(field.size()) * sizeof(T), '\0');
  for (int i = 0; i < field.size(); ++i) {
    const T x = static_cast<T>(field[i]);
    std::copy_n(reinterpret_cast<const char*>(&x), sizeof(T),
                out.data() + static_cast<size_t>(i) * sizeof(T));
  }
  return out;
}

// The bytes of the typed field that holds elements of this type; none if there are no bytes.
std::string typed_bytes(const TensorFile& t, DType dtype) {
  switch (dtype) {
    case DType::Float32:
      return packed<float>(t.float_data());
    case DType::Float64:
      return packed<double>(t.double_data());
    case DType::Int64:
      return packed<int64_t>(t.int64_data());
    case DType::UInt64:
      return packed<uint64_t>(t.uint64_data());
    case DType::UInt32:
      return packed<uint32_t>(t.uint64_data());
    default:
      break;
  }
  switch (dtype_size(dtype)) {
    case 1:
      return packed<uint8_t>(t.int32_data());
    case 2:
      return packed<uint16_t>(t.int32_data());
    default:
      return packed<uint32_t>(t.int32_data());
  }
}

std::optional<std::string> entry(const TensorFile& t, std::string_view key) {
  for (const auto& e : t.external_data())
    if (e.key() == key) return e.value();
  return {};
}

uint64_t number_entry(const Source& source, const TensorFile& t, const std::string& place,
                      std::string_view key, uint64_t otherwise) {
  const std::optional<std::string> text = entry(t, key);
  if (!text) return otherwise;
  uint64_t out = 0;
  const bool digits =
      !text->empty() && text->size() < 19 &&
      std::all_of(text->begin(), text->end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) bad(source, place, fmt::format("external data with {} \"{}\"", key, *text));
  for (const char c : *text) out = out * 10 + static_cast<uint64_t>(c - '0');
  return out;
}

template <typename T>
void decode(const std::string& bytes, HostArray& out) {
  for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T x;
    std::memcpy(&x, bytes.data() + at, sizeof(T));
    if constexpr (std::is_floating_point_v<T>)
      out.floats.push_back(static_cast<double>(x));
    else
      out.integers.push_back(static_cast<int64_t>(x));
  }
}

// The numbers of a small tensor; null for the small floats, which the device converts.
std::shared_ptr<const HostArray> host_numbers(const std::string& bytes, const Shape& shape,
                                              DType dtype) {
  HostArray out{dtype, shape, {}, {}};
  switch (dtype) {
    case DType::Bool:
    case DType::UInt8:
      decode<uint8_t>(bytes, out);
      break;
    case DType::Int8:
      decode<int8_t>(bytes, out);
      break;
    case DType::Int16:
      decode<int16_t>(bytes, out);
      break;
    case DType::UInt16:
      decode<uint16_t>(bytes, out);
      break;
    case DType::Int32:
      decode<int32_t>(bytes, out);
      break;
    case DType::UInt32:
      decode<uint32_t>(bytes, out);
      break;
    case DType::Int64:
      decode<int64_t>(bytes, out);
      break;
    case DType::UInt64:
      decode<uint64_t>(bytes, out);
      break;
    case DType::Float32:
      decode<float>(bytes, out);
      break;
    case DType::Float64:
      decode<double>(bytes, out);
      break;
    default:
      return nullptr;
  }
  return std::make_shared<const HostArray>(std::move(out));
}

}  // namespace

std::filesystem::path ExternalData::resolve(const std::string& location,
                                            const std::string& place) const {
  const auto escapes = [&] {
    bad(source_, place,
        fmt::format("external data at \"{}\", which is not inside the model's folder", location));
  };
  const std::filesystem::path relative(location);
  if (location.empty() || location.find('\0') != std::string::npos || relative.is_absolute() ||
      relative.has_root_path())
    escapes();
  for (const auto& part : relative)
    if (part == "..") escapes();
  if (source_.folder.empty())
    bad(source_, place,
        fmt::format("external data at \"{}\", and no folder to look for it", location));
  // Links are followed before the folder is compared.
  std::error_code error;
  const auto folder = std::filesystem::canonical(source_.folder, error);
  const auto file =
      error ? std::filesystem::path() : std::filesystem::canonical(folder / relative, error);
  if (error)
    bad(source_, place, fmt::format("external data at \"{}\": {}", location, error.message()));
  const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  if (end != folder.end()) escapes();
  if (!std::filesystem::is_regular_file(file, error))
    bad(source_, place, fmt::format("external data at \"{}\", which is no file", location));
  return file;
}

std::string ExternalData::bytes(const TensorFile& t, const std::string& place, uint64_t expected) {
  const std::string location = entry(t, "location").value_or("");
  const auto file = resolve(location, place);
  const uint64_t begin = number_entry(source_, t, place, "offset", 0);
  const uint64_t length = number_entry(source_, t, place, "length", expected);
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(file, error);
  if (error || begin > size || length > size - begin)
    bad(source_, place,
        fmt::format("bytes {} to {} of \"{}\", which has {}", begin, begin + length, location,
                    size));
  if (length != expected)
    bad(source_, place,
        fmt::format("{} bytes of external data for {} bytes of elements", length, expected));
  auto& ranges = ranges_[file.string()];
  const auto next = ranges.lower_bound(begin);
  const bool overlaps = length > 0 && ((next != ranges.end() && next->first < begin + length) ||
                                       (next != ranges.begin() && std::prev(next)->second > begin));
  if (overlaps)
    bad(source_, place,
        fmt::format("bytes {} to {} of \"{}\" overlap those of another tensor", begin,
                    begin + length, location));
  if (length > 0) ranges[begin] = begin + length;
  std::string out(static_cast<size_t>(length), '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(begin));
  stream.read(out.data(), static_cast<std::streamsize>(length));
  if (!stream) bad(source_, place, fmt::format("\"{}\" cannot be read", location));
  return out;
}

Value read_tensor(const TensorFile& t, const std::string& place, const Source& source,
                  ExternalData& external) {
  const Shape shape = shape_of(t, place, source);
  if (t.has_segment()) bad(source, place, "a tensor in segments, which is not read");
  const std::optional<DType> dtype = dtype_of_onnx(t.data_type());
  if (!dtype) return {};
  const int64_t count = elements_of(shape);
  uint64_t size = 0;
  if (__builtin_mul_overflow(static_cast<uint64_t>(count),
                             static_cast<uint64_t>(dtype_size(*dtype)), &size) ||
      size > (uint64_t{1} << 50))
    bad(source, place,
        fmt::format("a tensor of shape [{}], which is too large", fmt::join(shape, ", ")));
  const bool outside = t.data_location() == 1;
  std::string key;
  if (outside) {
    key = fmt::format("{}:{}:{}:{}", entry(t, "location").value_or(""),
                      entry(t, "offset").value_or("0"), dtype_name(*dtype), fmt::join(shape, ","));
    if (const Value* known = external.find(key)) return *known;
  }
  std::string bytes = outside            ? external.bytes(t, place, size)
                      : t.has_raw_data() ? t.raw_data()
                                         : typed_bytes(t, *dtype);
  if (bytes.size() != size)
    bad(source, place,
        fmt::format("{} bytes of elements for shape [{}] of {}, which has {}", bytes.size(),
                    fmt::join(shape, ", "), dtype_name(*dtype), size));
  if (*dtype == DType::Bool)
    for (char& b : bytes) b = b != 0;
  const Tensor tensor = Tensor::from_bytes(std::as_bytes(std::span(bytes)), shape, *dtype,
                                           {.dtype = *dtype, .device = source.device});
  // Numbers that may decide shapes: integers, and a few floats (the scales of a Resize).
  const bool is_small = count <= (is_float(*dtype) ? 64 : kMaxHostElements);
  const auto host = is_small ? host_numbers(bytes, shape, *dtype) : nullptr;
  const Value value(tensor, host);
  if (outside) external.keep(key, value);
  return value;
}

}  // namespace tg::onnx
