// One header of 512 bytes after another, each followed by as many bytes as it says; headers of the
// extensions change what the next one says.
#include "nn/format/tar.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "nn/format/gzip.h"
#include "support/check.h"

namespace tg::nn {
namespace {

constexpr std::string_view kReadTar = "read_tar";
constexpr uint64_t kTarBlock = 512;
constexpr uint64_t kMaxExtension = 1 << 20;  // bytes of a long name, or of facts about a file

[[noreturn]] void fail_tar(const ByteSource& source, std::string_view problem) {
  user_error<FileError>(kReadTar, fmt::format("\"{}\" {}", source.name(), problem));
}

// The text of a field, which ends at a zero or with the field.
std::string text_field(std::string_view header, size_t at, size_t size) {
  const std::string_view field = header.substr(at, size);
  return std::string(field.substr(0, field.find('\0')));
}

// A number in octal digits, or in base 256 where the first bit is set; empty if it is neither.
std::optional<uint64_t> number_field(std::string_view header, size_t at, size_t size) {
  const std::string_view field = header.substr(at, size);
  uint64_t value = 0;
  if ((static_cast<uint8_t>(field[0]) & 0x80) != 0) {
    value = static_cast<uint8_t>(field[0]) & 0x7f;
    for (const char c : field.substr(1)) {
      if (value >> 55 != 0) return std::nullopt;
      value = value << 8 | static_cast<uint8_t>(c);
    }
    return value;
  }
  bool ended = false;
  for (const char c : field) {
    if (c == ' ' || c == '\0') {
      ended = ended || value != 0 || c == '\0';
      continue;
    }
    if (ended || c < '0' || c > '7' || value >> 60 != 0) return std::nullopt;
    value = value << 3 | static_cast<uint64_t>(c - '0');
  }
  return value;
}

// The sum of a header's bytes, with spaces where the sum itself stands; old writers added signed
// bytes.
bool fits_checksum(std::string_view header) {
  const std::optional<uint64_t> stated = number_field(header, 148, 8);
  int64_t plain = 0, with_sign = 0;
  for (size_t i = 0; i < kTarBlock; ++i) {
    const char c = i >= 148 && i < 156 ? ' ' : header[i];
    plain += static_cast<uint8_t>(c);
    with_sign += static_cast<int8_t>(c);
  }
  return stated &&
         (static_cast<int64_t>(*stated) == plain || static_cast<int64_t>(*stated) == with_sign);
}

bool is_zero(std::string_view block) {
  return std::all_of(block.begin(), block.end(), [](char c) { return c == '\0'; });
}

// What headers of the extensions say of the next file.
struct Extension {
  std::optional<std::string> name;
  std::optional<uint64_t> size;
};

// Lines of POSIX's extension: "LENGTH KEY=VALUE\n", the length that of the line.
void read_facts(const ByteSource& source, std::string_view text, Extension& next) {
  while (!text.empty() && text.front() != '\0') {
    size_t length = 0, digits = 0;
    while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9' &&
           length < text.size())
      length = length * 10 + static_cast<size_t>(text[digits++] - '0');
    if (digits == 0 || digits >= text.size() || text[digits] != ' ' || length > text.size() ||
        length <= digits + 1 || text[length - 1] != '\n')
      fail_tar(source, "has a bad extended header: a line has another length than it says");
    const std::string_view line = text.substr(digits + 1, length - digits - 2);
    const size_t equals = line.find('=');
    if (equals == line.npos) fail_tar(source, "has a bad extended header: a line without =");
    const std::string_view key = line.substr(0, equals), value = line.substr(equals + 1);
    if (key == "path") next.name = std::string(value);
    if (key == "size") {
      uint64_t size = 0;
      if (value.empty() || value.size() > 18) fail_tar(source, "has a bad extended header: a size");
      for (const char c : value) {
        if (c < '0' || c > '9') fail_tar(source, "has a bad extended header: a size");
        size = size * 10 + static_cast<uint64_t>(c - '0');
      }
      next.size = size;
    }
    if (key.starts_with("GNU.sparse."))
      fail_tar(source, "has a file with holes, which is not read");
    text.remove_prefix(length);
  }
}

std::string name_of(std::string_view header) {
  std::string name = text_field(header, 0, 100);
  if (header.substr(257, 6) != std::string_view("ustar\0", 6)) return name;
  const std::string folder = text_field(header, 345, 155);
  return folder.empty() ? name : folder + "/" + name;
}

// Goes through the headers of one archive.
class TarReader {
 public:
  TarReader(const ByteSource& source, const ArchiveLimits& limits)
      : source_(source), limits_(limits) {}

  std::vector<TarMember> read() {
    while (at_ < source_.size()) {
      if (source_.size() - at_ < kTarBlock)
        fail_tar(source_, fmt::format("is truncated: a header at {} has {} of {} bytes", at_,
                                      source_.size() - at_, kTarBlock));
      const std::string header = source_.read(at_, kTarBlock);
      if (is_zero(header)) break;
      take(header);
    }
    return std::move(members_);
  }

 private:
  void take(std::string_view header) {
    if (!fits_checksum(header))
      fail_tar(source_,
               fmt::format("is no tar archive, or damaged: the header at {} does not fit its "
                           "checksum",
                           at_));
    check_member_count(kReadTar, source_.name(), ++count_, limits_);
    const char type = header[156];
    const bool extends = type == 'L' || type == 'K' || type == 'x' || type == 'g';
    std::optional<uint64_t> size = number_field(header, 124, 12);
    if (!extends && next_.size) size = next_.size;
    if (!size) fail_tar(source_, fmt::format("has a bad header at {}: its size is no number", at_));
    const bool has_data = extends || type == '0' || type == '\0' || type == '7' || type == 'S';
    const uint64_t begin = at_ + kTarBlock, bytes = has_data ? *size : 0;
    if (bytes > source_.size() - begin)
      fail_tar(source_, fmt::format("is truncated: a member of {} bytes begins at {} of {}", bytes,
                                    begin, source_.size()));
    if (extends)
      extend(type, begin, bytes);
    else
      add(header, begin, bytes);
    const uint64_t padded = bytes + (kTarBlock - bytes % kTarBlock) % kTarBlock;
    at_ = std::min(begin + padded, source_.size());
  }

  void extend(char type, uint64_t begin, uint64_t bytes) {
    if (bytes > kMaxExtension)
      fail_tar(source_, fmt::format("has an extended header of {} bytes at {}", bytes, begin));
    const std::string text = source_.read(begin, bytes);
    if (type == 'L') next_.name = text.substr(0, text.find('\0'));
    if (type == 'x') read_facts(source_, text, next_);
  }

  void add(std::string_view header, uint64_t begin, uint64_t bytes) {
    const char type = header[156];
    TarMember member = {next_.name ? *next_.name : name_of(header), begin, bytes};
    next_ = {};
    if (type == 'S') fail_tar(source_, "has a file with holes, which is not read");
    const bool is_file = type == '0' || type == '\0' || type == '7';
    // Before ustar a folder was a file whose name ends so.
    if (is_file && !member.name.ends_with('/')) members_.push_back(std::move(member));
  }

  const ByteSource& source_;
  const ArchiveLimits& limits_;
  uint64_t at_ = 0;
  uint64_t count_ = 0;
  Extension next_;
  std::vector<TarMember> members_;
};

}  // namespace

std::vector<TarMember> read_tar(const ByteSource& source, const ArchiveLimits& limits) {
  if (!is_tar(source) && !(source.size() >= kTarBlock && is_zero(source.read(0, kTarBlock))))
    fail_tar(source, "is no tar archive, or damaged: it does not begin with a header");
  return TarReader(source, limits).read();
}

bool is_tar(const ByteSource& source) {
  if (source.size() < kTarBlock) return false;
  const std::string header = source.read(0, kTarBlock);
  return !is_zero(header) && fits_checksum(header);
}

ByteSource unpacked_tar(ByteSource source, const ArchiveLimits& limits) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kOthers = {
      {{"BZh", "bzip2"},
       {"\xfd"
        "7zXZ",
        "xz"},
       {"\x28\xb5\x2f\xfd", "zstd"}}};
  const std::string begin = source.read(0, std::min<uint64_t>(source.size(), 6));
  for (const auto& [magic, name] : kOthers)
    if (begin.starts_with(magic))
      fail_tar(source, fmt::format("is compressed by {}: only gzip is read", name));
  if (!is_gzip(begin)) return source;
  const std::string packed = source.read_all();
  const uint64_t most =
      std::min(limits.max_bytes, std::max(limits.harmless_bytes, packed.size() * limits.max_ratio));
  return ByteSource::of(gunzip(packed, source.name(), most), source.name());
}

}  // namespace tg::nn
