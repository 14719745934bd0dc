// The checks that zip and tar archives share.
#include "nn/format/archive.h"

#include <algorithm>

#include "nn/format/utf8.h"
#include "support/check.h"

namespace tg::nn {

void check_unpacked(std::string_view function, std::string_view archive, uint64_t unpacked,
                    uint64_t packed, const ArchiveLimits& limits) {
  if (unpacked > limits.max_bytes)
    user_error<FileError>(function, fmt::format("\"{}\" is too large: it unpacks to {} bytes, more "
                                                "than {}",
                                                archive, unpacked, limits.max_bytes));
  if (unpacked > limits.harmless_bytes && unpacked / limits.max_ratio > packed)
    user_error<FileError>(
        function, fmt::format("\"{}\" is too large: it unpacks to {} bytes, more than {} times its "
                              "{}",
                              archive, unpacked, limits.max_ratio, packed));
}

void check_member_count(std::string_view function, std::string_view archive, uint64_t count,
                        const ArchiveLimits& limits) {
  if (count <= limits.max_members) return;
  user_error<FileError>(
      function, fmt::format("\"{}\" has more than {} members", archive, limits.max_members));
}

bool is_harmless_path(std::string_view name) {
  const auto is_bad = [](char c) {
    return static_cast<uint8_t>(c) < 0x20 || c == '\\' || c == ':' || c == '\x7f';
  };
  if (name.empty() || name.front() == '/' || valid_utf8_prefix(name) != name.size() ||
      std::any_of(name.begin(), name.end(), is_bad))
    return false;
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('/', begin), name.size());
    if (name.substr(begin, end - begin) == "..") return false;
    begin = end + 1;
  }
  return true;
}

}  // namespace tg::nn
