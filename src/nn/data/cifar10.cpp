// See cifar10.h. The six files are joined in their order.
#include "nn/data/cifar10.h"

#include <fmt/format.h>

#include <utility>

#include "nn/format/tar.h"
#include "support/check.h"
#include "support/file.h"
#include "support/options.h"

namespace tg::nn {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kPicture = 3 * 32 * 32;
constexpr uint64_t kMaxBytes = uint64_t{1} << 30;  // the true archive unpacks to 185 MB

[[noreturn]] void fail_cifar10(const std::string& name, std::string_view problem) {
  user_error<FileError>("read_cifar10", fmt::format("\"{}\" {}", name, problem));
}

void add_records(const ByteSource& archive, const TarMember& member, ColourImages& out) {
  const std::string name = archive.name() + ":" + member.name;
  if (member.size == 0 || member.size % (kPicture + 1) != 0)
    fail_cifar10(name,
                 fmt::format("has {} bytes, expected a multiple of {}", member.size, kPicture + 1));
  const std::string bytes = archive.read(member.begin, member.size);
  for (size_t at = 0; at < bytes.size(); at += kPicture + 1) {
    const auto label = static_cast<uint8_t>(bytes[at]);
    if (label > 9)
      fail_cifar10(name, fmt::format("has label {} at position {}, expected 0 to 9", label,
                                     at / (kPicture + 1)));
    out.labels.push_back(label);
    out.images.insert(out.images.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at + 1),
                      bytes.begin() + static_cast<std::ptrdiff_t>(at + 1 + kPicture));
  }
}

void add_file(const ByteSource& archive, const std::vector<TarMember>& members,
              const std::string& name, ColourImages& out) {
  for (const TarMember& m : members)
    if (m.name == name || m.name.ends_with("/" + name)) return add_records(archive, m, out);
  fail_cifar10(archive.name(), fmt::format("lacks {}", name));
}

}  // namespace

Cifar10Search::Cifar10Search()
    : file{"cifar-10-binary.tar.gz",
           "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"} {
  mirrors = {"https://www.cs.toronto.edu/~kriz/"};
  max_bytes = uint64_t{256} << 20;
}

Cifar10 parse_cifar10(std::string bytes, const std::string& name) {
  const ArchiveLimits limits = {.max_bytes = kMaxBytes, .max_members = 1000};
  const ByteSource archive = unpacked_tar(ByteSource::of(std::move(bytes), name), limits);
  const std::vector<TarMember> members = read_tar(archive, limits);
  Cifar10 out;
  for (int i = 1; i <= 5; ++i)
    add_file(archive, members, fmt::format("data_batch_{}.bin", i), out.train);
  add_file(archive, members, "test_batch.bin", out.test);
  out.source = name;
  return out;
}

Cifar10 find_cifar10(const Cifar10Search& search) {
  if (const fs::path named = options().datasets_dir; !named.empty()) {
    for (const fs::path& folder : {named / "cifar10", named}) {
      const fs::path path = folder / search.file.name;
      std::error_code ignored;
      if (fs::exists(path, ignored))
        return parse_cifar10(read_file(path, kMaxBytes), path.string());
    }
  }
  const auto cache = cache_folder("cifar10");
  return parse_cifar10(cached_or_fetched("find_cifar10", search.file, cache, search),
                       cache ? (*cache / search.file.name).string() : search.file.name);
}

}  // namespace tg::nn
