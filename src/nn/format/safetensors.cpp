// The names of the element types, and the writer. The reader is in safetensors_read.cpp.
#include "nn/format/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "nn/format/little_endian.h"
#include "nn/format/safetensors_dtype.h"
#include "nn/format/utf8.h"
#include "support/check.h"
#include "support/file.h"

namespace tg::nn {

namespace {

constexpr std::pair<DType, std::string_view> kSafetensorsNames[] = {
    {DType::Bool, "BOOL"},       {DType::Int8, "I8"},         {DType::UInt8, "U8"},
    {DType::Int16, "I16"},       {DType::UInt16, "U16"},      {DType::Int32, "I32"},
    {DType::UInt32, "U32"},      {DType::Int64, "I64"},       {DType::UInt64, "U64"},
    {DType::Fp8E4M3, "F8_E4M3"}, {DType::Fp8E5M2, "F8_E5M2"}, {DType::Float16, "F16"},
    {DType::BFloat16, "BF16"},   {DType::Float32, "F32"},     {DType::Float64, "F64"},
};

template <typename E>
[[noreturn]] void refuse(std::string_view name, std::string_view problem) {
  user_error<E>("write_safetensors", fmt::format("tensor \"{}\" {}", name, problem));
}

void require_valid_name(std::string_view name) {
  const size_t valid = valid_utf8_prefix(name);
  if (valid != name.size())
    refuse<ArgumentError>(name.substr(0, valid),
                          fmt::format("has a name that is not UTF-8 at byte {}", valid));
  if (name == kSafeTensorsMetadataKey)
    refuse<ArgumentError>(name, "has the name that is reserved for metadata");
}

// The bytes that shape and dtype ask for.
uint64_t expected_bytes(const TensorView& t) {
  auto total = static_cast<uint64_t>(dtype_size(t.dtype));
  for (int64_t size : t.shape) {
    if (size < 0)
      refuse<ArgumentError>(t.name,
                            fmt::format("has a negative size: [{}]", fmt::join(t.shape, ", ")));
    if (__builtin_mul_overflow(total, static_cast<uint64_t>(size), &total))
      refuse<ArgumentError>(t.name, fmt::format("is too large: [{}]", fmt::join(t.shape, ", ")));
  }
  return total;
}

void require_valid(const TensorView& t) {
  require_valid_name(t.name);
  if (safetensors_dtype_name(t.dtype).empty())
    refuse<DTypeError>(
        t.name, fmt::format("has dtype {}, for which the format has no name", dtype_name(t.dtype)));
  const uint64_t expected = expected_bytes(t);
  if (t.bytes.size() != expected)
    refuse<ArgumentError>(t.name,
                          fmt::format("has {} bytes, but {} [{}] needs {}", t.bytes.size(),
                                      dtype_name(t.dtype), fmt::join(t.shape, ", "), expected));
}

std::vector<const TensorView*> in_file_order(std::span<const TensorView> tensors) {
  std::vector<const TensorView*> order;
  std::set<std::string_view> names;
  for (const TensorView& t : tensors) {
    require_valid(t);
    if (!names.insert(t.name).second) refuse<ArgumentError>(t.name, "is given twice");
    order.push_back(&t);
  }
  std::sort(order.begin(), order.end(), [](const TensorView* a, const TensorView* b) {
    const int64_t size_a = dtype_size(a->dtype), size_b = dtype_size(b->dtype);
    return size_a != size_b ? size_a > size_b : a->name < b->name;
  });
  return order;
}

nlohmann::ordered_json metadata_json(const SafeTensorsMetadata& metadata) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [key, value] : metadata) {
    if (valid_utf8_prefix(key) != key.size() || valid_utf8_prefix(value) != value.size())
      user_error<ArgumentError>("write_safetensors", "metadata must be UTF-8");
    json[key] = value;
  }
  return json;
}

}  // namespace

std::string_view safetensors_dtype_name(DType t) {
  for (auto [dtype, name] : kSafetensorsNames)
    if (dtype == t) return name;
  return {};
}

std::optional<DType> safetensors_dtype(std::string_view name) {
  for (auto [dtype, known] : kSafetensorsNames)
    if (known == name) return dtype;
  return std::nullopt;
}

const TensorView* SafeTensors::find(std::string_view name) const {
  for (const TensorView& t : tensors)
    if (t.name == name) return &t;
  return nullptr;
}

std::string safetensors_bytes(std::span<const TensorView> tensors,
                              const SafeTensorsMetadata& metadata) {
  const std::vector<const TensorView*> order = in_file_order(tensors);
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header[std::string(kSafeTensorsMetadataKey)] = metadata_json(metadata);
  uint64_t end = 0;
  for (const TensorView* t : order) {
    const uint64_t begin = end;
    end += t->bytes.size();
    nlohmann::ordered_json entry;
    entry["dtype"] = std::string(safetensors_dtype_name(t->dtype));
    entry["shape"] = t->shape;
    entry["data_offsets"] = {begin, end};
    header[t->name] = std::move(entry);
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string file;
  append_little_endian(file, text.size(), 8);
  file.reserve(file.size() + text.size() + end);
  file += text;
  for (const TensorView* t : order) file += t->bytes;
  return file;
}

void write_safetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                       const SafeTensorsMetadata& metadata) {
  write_file(path, safetensors_bytes(tensors, metadata));
}

}  // namespace tg::nn
