// Safetensors files as state dicts: one file, or several with an index. Tensors are read one after
// another, so that no more than one is in memory beside those on the device.
#include "nn/format/safetensors.h"
#include "nn/format/safetensors_index.h"
#include "nn/load.h"
#include "support/check.h"

namespace tg::nn {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_sharded(const std::string& file, std::string_view problem) {
  user_error<FileError>("load_sharded", fmt::format("\"{}\" {}", file, problem));
}

}  // namespace

StateFile safetensors_state(const ByteSource& source, const std::string& device,
                            const ReadProgress& progress) {
  const SafeTensorsHeader header = parse_safetensors_header(source);
  StateFile out;
  for (size_t i = 0; i < header.tensors.size(); ++i) {
    const TensorView& t = header.tensors[i];
    const auto [begin, end] = header.ranges[i];
    out.tensors.emplace(
        t.name, tensor_of(source.read(header.data + begin, end - begin), t.shape, t.dtype, device));
    if (progress) progress(end - begin);
  }
  for (const auto& [key, text] : header.metadata) out.facts[key] = {text};
  return out;
}

void save(const StateDict& dict, const fs::path& file, const Metadata& metadata) {
  std::vector<Tensor> tensors;
  for (const auto& [name, t] : dict) tensors.push_back(t);
  Tensor::realize(tensors);
  std::vector<std::vector<std::byte>> bytes;
  std::vector<TensorView> views;
  for (const auto& [name, t] : dict) {
    bytes.push_back(t.to_bytes());
    views.push_back(
        {.name = name,
         .dtype = t.dtype(),
         .shape = t.shape(),
         .bytes = {reinterpret_cast<const char*>(bytes.back().data()), bytes.back().size()}});
  }
  write_safetensors(file, views, metadata);
}

Metadata load_metadata(const fs::path& file) {
  return parse_safetensors_header(ByteSource::open(file)).metadata;
}

bool is_sharded_index(const ByteSource& source) {
  // A safetensors file whose first byte is "{" would have a header of more bytes than allowed, or
  // of 123; that has zeros behind it.
  constexpr uint64_t kLook = 4096;
  const std::string begin = source.read(0, std::min(source.size(), kLook));
  const size_t first = begin.find_first_not_of(" \t\r\n");
  return first != begin.npos && begin[first] == '{' && begin.find('\0') == begin.npos;
}

StateDict load_sharded(const fs::path& index, const std::string& device,
                       const ReadProgress& progress) {
  StateDict dict;
  for (const auto& [file, names] : parse_safetensors_index(ByteSource::open(index))) {
    const ByteSource source = ByteSource::open(index.parent_path() / fs::path(file));
    StateDict part = safetensors_state(source, device, progress).tensors;
    for (const std::string& name : names) {
      const auto found = part.find(name);
      if (found == part.end())
        fail_sharded(index.string(),
                     fmt::format("names a tensor \"{}\" that \"{}\" lacks", name, file));
      dict.insert(part.extract(found));
    }
  }
  return dict;
}

}  // namespace tg::nn
