// Loaders and writers of the formats that give tensors as they are, and the one that looks at the
// content. PyTorch: torch_load.cpp; the formats themselves: nn/format.
#include <fmt/ranges.h>

#include "nn/format/ggml_type.h"
#include "nn/format/gguf.h"
#include "nn/format/npy.h"
#include "nn/format/safetensors.h"
#include "nn/format/tar.h"
#include "nn/format/torch.h"
#include "nn/format/utf8.h"
#include "nn/format/zip.h"
#include "nn/load.h"
#include "support/check.h"

namespace tg::nn {

namespace fs = std::filesystem;

Tensor tensor_of(std::string_view bytes, const Shape& shape, DType dtype,
                 const std::string& device) {
  return Tensor::from_bytes(std::as_bytes(std::span(bytes)), shape, dtype, {.device = device});
}

// ---- NumPy

namespace {

Tensor npy_tensor(const ByteSource& source, const std::string& device) {
  const NpyArray array = read_npy(source);
  Shape shape = array.shape;
  if (array.fortran) shape.assign(array.shape.rbegin(), array.shape.rend());
  const Tensor t = tensor_of(read_npy_data(source, array), shape, array.dtype, device);
  if (!array.fortran || shape.size() < 2) return t;
  std::vector<int64_t> reversed;
  for (auto axis = static_cast<int64_t>(shape.size()); axis-- > 0;) reversed.push_back(axis);
  return t.permute(reversed);
}

std::string npy_bytes_of(const Tensor& t) {
  const std::vector<std::byte> bytes = t.to_bytes();
  return npy_bytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, t.dtype(),
                   t.shape());
}

}  // namespace

Tensor npy_load(const fs::path& file, const std::string& device) {
  return npy_tensor(ByteSource::open(file), device);
}

void npy_save(const Tensor& tensor, const fs::path& file) {
  write_file(file, npy_bytes_of(tensor));
}

StateDict npz_state(const ByteSource& source, const std::string& device) {
  constexpr std::string_view kSuffix = ".npy";
  const ZipArchive archive(source);
  StateDict dict;
  for (const ZipMember& m : archive.members()) {
    if (!m.name.ends_with(kSuffix))
      user_error<FileError>("npz_load", fmt::format("\"{}\" has a member \"{}\", which is no .npy",
                                                    source.name(), m.name));
    const ByteSource member = ByteSource::of(archive.read(m), source.name() + ":" + m.name);
    dict.emplace(m.name.substr(0, m.name.size() - kSuffix.size()), npy_tensor(member, device));
  }
  return dict;
}

StateDict npz_load(const fs::path& file, const std::string& device) {
  return npz_state(ByteSource::open(file), device);
}

void npz_save(const StateDict& dict, const fs::path& file) {
  std::vector<std::string> arrays;
  std::vector<ZipContent> members;
  arrays.reserve(dict.size());
  for (const auto& [name, tensor] : dict) {
    arrays.push_back(npy_bytes_of(tensor));
    members.push_back({name + ".npy", arrays.back()});
  }
  write_file(file, zip_bytes(members));
}

// ---- GGUF

namespace {

[[noreturn]] void fail_twice(const ByteSource& source, const std::string& name) {
  user_error<FileError>("gguf_load",
                        fmt::format("\"{}\" has the tensor \"{}\", which another part of the "
                                    "model has, too",
                                    source.name(), name));
}

void add_gguf(StateFile& out, const GgufFile& file, const ByteSource& source,
              const std::string& device, const ReadProgress& progress) {
  for (const GgufTensor& t : file.tensors) {
    const std::string bytes = source.read(t.begin, t.bytes);
    const auto layout = ggml_layout(t.type);
    TG_CHECK(layout.has_value(), "type {}", t.type);
    int64_t count = 1;
    for (const int64_t size : t.shape) count *= size;
    Tensor tensor = layout->plain != DType::Void
                        ? tensor_of(bytes, t.shape, layout->plain, device)
                        : ggml_tensor(tensor_of(bytes, {static_cast<int64_t>(bytes.size())},
                                                DType::UInt8, device),
                                      count, t.type)
                              .reshape(Sizes(t.shape));
    if (!out.tensors.emplace(t.name, std::move(tensor)).second) fail_twice(source, t.name);
    if (progress) progress(t.bytes);
  }
}

// The other files of a model in several, by the name of the first.
std::vector<fs::path> other_parts(const fs::path& file, const Facts& facts) {
  const auto whole = [&](const char* name, int64_t otherwise) {
    const auto found = facts.find(name);
    const auto* n = found == facts.end() ? nullptr : std::get_if<int64_t>(&found->second.value);
    return n == nullptr ? otherwise : *n;
  };
  const int64_t count = whole("split.count", 1);
  if (count <= 1) return {};
  const std::string text = file.string(), end = fmt::format("-00001-of-{:05d}.gguf", count);
  if (whole("split.no", 0) != 0 || !text.ends_with(end))
    user_error<FileError>("gguf_load", fmt::format("{} is one of {} files", text, count),
                          fmt::format("Hint: load that which ends with {}.", end));
  std::vector<fs::path> parts;
  for (int64_t i = 2; i <= count; ++i)
    parts.emplace_back(text.substr(0, text.size() - end.size()) +
                       fmt::format("-{:05d}-of-{:05d}.gguf", i, count));
  return parts;
}

StateFile gguf_state(const fs::path& file, const ByteSource& source, const std::string& device,
                     const ReadProgress& progress) {
  const GgufFile first = parse_gguf(source);
  StateFile out{.tensors = {}, .facts = first.facts};
  add_gguf(out, first, source, device, progress);
  for (const fs::path& part : other_parts(file, first.facts)) {
    const ByteSource more = ByteSource::open(part);
    add_gguf(out, parse_gguf(more), more, device, progress);
  }
  return out;
}

}  // namespace

StateFile gguf_load(const fs::path& file, const std::string& device, const ReadProgress& progress) {
  return gguf_state(file, ByteSource::open(file), device, progress);
}

GgufInfo gguf_info(const fs::path& file) {
  GgufInfo out;
  const auto add = [&](const GgufFile& part, const ByteSource& source) {
    for (const GgufTensor& t : part.tensors) {
      if (!out.shapes.emplace(t.name, t.shape).second) fail_twice(source, t.name);
      out.bytes += t.bytes;
    }
  };
  const ByteSource source = ByteSource::open(file);
  const GgufFile first = parse_gguf(source);
  out.facts = first.facts;
  add(first, source);
  for (const fs::path& part : other_parts(file, first.facts)) {
    const ByteSource more = ByteSource::open(part);
    add(parse_gguf(more), more);
  }
  return out;
}

// ---- archives

namespace {

void require_harmless(std::string_view function, const ByteSource& source,
                      const std::string& name) {
  if (is_harmless_path(name)) return;
  user_error<FileError>(function, fmt::format("\"{}\" has a member \"{}\", which would lie outside "
                                              "its folder",
                                              source.name(), printable(name)));
}

Tensor bytes_tensor(std::string_view bytes, const std::string& device) {
  return tensor_of(bytes, {static_cast<int64_t>(bytes.size())}, DType::UInt8, device);
}

}  // namespace

StateDict zip_extract(const fs::path& file, const ArchiveLimits& limits,
                      const std::string& device) {
  const ZipArchive archive(ByteSource::open(file), limits);
  StateDict dict;
  for (const ZipMember& m : archive.members()) {
    require_harmless("zip_extract", archive.source(), m.name);
    if (!m.is_folder()) dict.emplace(m.name, bytes_tensor(archive.read(m), device));
  }
  return dict;
}

StateDict tar_extract(const fs::path& file, const ArchiveLimits& limits,
                      const std::string& device) {
  const ByteSource packed = ByteSource::open(file);
  const ByteSource source = unpacked_tar(packed, limits);
  const std::vector<TarMember> members = read_tar(source, limits);
  uint64_t total = 0;
  for (const TarMember& m : members) {
    require_harmless("tar_extract", packed, m.name);
    total += m.size;
  }
  check_unpacked("tar_extract", packed.name(), total, packed.size(), limits);
  StateDict dict;
  for (const TarMember& m : members)
    dict.insert_or_assign(m.name, bytes_tensor(source.read(m.begin, m.size), device));
  return dict;
}

// ---- by content

StateFile load_file(const fs::path& file, const std::string& device, const ReadProgress& progress) {
  const ByteSource source = ByteSource::open(file);
  if (is_gguf(source)) return gguf_state(file, source, device, progress);
  if (is_torch(source)) return torch_state(source, {.device = device});
  if (is_zip(source)) return {.tensors = npz_state(source, device), .facts = {}};
  if (is_sharded_index(source))
    return {.tensors = load_sharded(file, device, progress), .facts = {}};
  return safetensors_state(source, device, progress);
}

detail::ModuleFile detail::load_modules(const fs::path& file, const std::string& device,
                                        const ReadProgress& progress) {
  const ByteSource source = ByteSource::open(file);
  if (is_torch(source)) return torch_modules(source, device);
  StateFile other = load_file(file, device, progress);
  return {.tensors = std::move(other.tensors), .facts = std::move(other.facts), .attributes = {}};
}

}  // namespace tg::nn
