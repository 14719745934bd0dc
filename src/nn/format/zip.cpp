// The directory at the end of an archive says where members lie; the header before each is read
// only to find where its bytes begin. Sizes are those of the directory. The writer is in
// zip_write.cpp.
#include "nn/format/zip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <utility>

#include "nn/format/little_endian.h"
#include "nn/format/utf8.h"
#include "support/check.h"

namespace tg::nn {
namespace {

constexpr std::string_view kReadZip = "read_zip";
constexpr uint32_t kLocalHeader = 0x04034b50, kDirectoryEntry = 0x02014b50, kEnd = 0x06054b50,
                   kEnd64 = 0x06064b50, kEnd64Locator = 0x07064b50;
constexpr uint64_t kLocalSize = 30, kEntrySize = 46, kEndSize = 22, kEnd64Size = 56,
                   kLocatorSize = 20;
constexpr uint16_t kStored = 0, kDeflated = 8;
constexpr uint16_t kEncrypted = 1;
constexpr uint64_t kMaxComment = 0xffff;

[[noreturn]] void fail_zip(const ByteSource& source, std::string_view problem) {
  user_error<FileError>(kReadZip, fmt::format("\"{}\" {}", source.name(), problem));
}
[[noreturn]] void fail_member(const ByteSource& source, std::string_view member,
                              std::string_view problem) {
  fail_zip(source, fmt::format("has a bad member \"{}\": {}", member, problem));
}

// Where the directory lies, as the record at the end of the archive says.
struct Directory {
  uint64_t begin = 0;
  uint64_t size = 0;
  uint64_t count = 0;
  uint64_t before = 0;  ///< bytes in front of the archive, which its places do not count
};

// The directory of an archive whose numbers need 64 bits; `end` is where the short record stands.
Directory read_end64(const ByteSource& source, uint64_t end) {
  const std::string locator = source.read(end - kLocatorSize, kLocatorSize);
  const uint64_t stated = little_endian_64(locator, 8);
  // The record stands right before its locator; where the file says that it stands may be off by
  // what is in front of the archive.
  if (end < kLocatorSize + kEnd64Size)
    fail_zip(source, "has a bad directory: its end does not fit");
  const uint64_t at = end - kLocatorSize - kEnd64Size;
  const std::string record = source.read(at, kEnd64Size);
  if (little_endian_32(record, 0) != kEnd64 || stated > at)
    fail_zip(source, fmt::format("has a bad directory: no record of its end at {}", at));
  Directory d = {.begin = little_endian_64(record, 48),
                 .size = little_endian_64(record, 40),
                 .count = little_endian_64(record, 32),
                 .before = at - stated};
  if (d.size > at - d.before || d.begin != at - d.before - d.size)
    fail_zip(source, fmt::format("has a bad directory: {} bytes at {} do not end at {}", d.size,
                                 d.begin, at - d.before));
  return d;
}

Directory find_directory(const ByteSource& source) {
  if (source.size() < kEndSize)
    fail_zip(source, fmt::format("is no zip archive: it has {} bytes", source.size()));
  const uint64_t tail_size = std::min(source.size(), kEndSize + kMaxComment);
  const uint64_t tail_begin = source.size() - tail_size;
  const std::string tail = source.read(tail_begin, tail_size);
  for (uint64_t i = tail_size - kEndSize + 1; i-- > 0;) {
    if (little_endian_32(tail, i) != kEnd ||
        i + kEndSize + little_endian_16(tail, i + 20) != tail_size)
      continue;
    const uint64_t end = tail_begin + i;
    if (end >= kLocatorSize &&
        little_endian_32(source.read(end - kLocatorSize, 4), 0) == kEnd64Locator)
      return read_end64(source, end);
    Directory d = {.begin = little_endian_32(tail, i + 16),
                   .size = little_endian_32(tail, i + 12),
                   .count = little_endian_16(tail, i + 10)};
    if (d.size > end || d.begin > end - d.size)
      fail_zip(source, fmt::format("has a bad directory: {} bytes at {}, which must end at {}",
                                   d.size, d.begin, end));
    d.before = end - d.size - d.begin;
    return d;
  }
  fail_zip(source, "is no zip archive, or truncated: the record of its directory is missing");
}

// Takes from the extra fields of an entry the numbers that did not fit into 32 bits.
void widen(const ByteSource& source, std::string_view extra, ZipMember& m) {
  constexpr uint64_t kElsewhere = 0xffffffff;
  if (m.unpacked != kElsewhere && m.packed != kElsewhere && m.header != kElsewhere) return;
  for (size_t at = 0; at + 4 <= extra.size();) {
    const size_t size = little_endian_16(extra, at + 2);
    if (size > extra.size() - at - 4) break;
    if (little_endian_16(extra, at) == 1) {
      std::string_view rest = extra.substr(at + 4, size);
      for (uint64_t* number : {&m.unpacked, &m.packed, &m.header}) {
        if (*number != kElsewhere) continue;
        if (rest.size() < 8) fail_member(source, m.name, "its size is missing");
        *number = little_endian_64(rest, 0);
        rest.remove_prefix(8);
      }
      return;
    }
    at += 4 + size;
  }
}

// The entry at the beginning of `rest`, and how long it is.
std::pair<ZipMember, size_t> read_entry(const ByteSource& source, std::string_view rest) {
  if (rest.size() < kEntrySize || little_endian_32(rest, 0) != kDirectoryEntry)
    fail_zip(source, "has a bad directory: an entry does not begin as one");
  const size_t name = little_endian_16(rest, 28), extra = little_endian_16(rest, 30),
               comment = little_endian_16(rest, 32);
  if (name + extra + comment > rest.size() - kEntrySize)
    fail_zip(source, "has a bad directory: an entry is longer than it");
  ZipMember m = {.name = std::string(rest.substr(kEntrySize, name)),
                 .packed = little_endian_32(rest, 20),
                 .unpacked = little_endian_32(rest, 24),
                 .header = little_endian_32(rest, 42),
                 .crc = little_endian_32(rest, 16),
                 .method = little_endian_16(rest, 10),
                 .flags = little_endian_16(rest, 8)};
  if (valid_utf8_prefix(m.name) != m.name.size())
    fail_member(source, m.name.substr(0, valid_utf8_prefix(m.name)), "its name is not UTF-8");
  widen(source, rest.substr(kEntrySize + name, extra), m);
  return {std::move(m), kEntrySize + name + extra + comment};
}

// Where each member ends at the latest: no two may share bytes, so that nothing is unpacked twice.
void find_ends(const ByteSource& source, const Directory& directory,
               std::vector<ZipMember>& members) {
  std::vector<ZipMember*> order;
  for (ZipMember& m : members) order.push_back(&m);
  std::sort(order.begin(), order.end(),
            [](const ZipMember* a, const ZipMember* b) { return a->header < b->header; });
  uint64_t next = directory.before + directory.begin;
  for (size_t i = order.size(); i-- > 0;) {
    ZipMember& m = *order[i];
    m.end = next;
    if (m.header > next || next - m.header < kLocalSize || next - m.header - kLocalSize < m.packed)
      fail_member(
          source, m.name,
          fmt::format("its {} bytes at {} overlap what begins at {}", m.packed, m.header, next));
    next = m.header;
  }
}

// Unpacks raw deflate data, which must give exactly `size` bytes.
class RawInflater {
 public:
  RawInflater() { TG_CHECK(inflateInit2(&stream_, -MAX_WBITS) == Z_OK, "zlib cannot start"); }
  ~RawInflater() { inflateEnd(&stream_); }
  RawInflater(const RawInflater&) = delete;
  RawInflater& operator=(const RawInflater&) = delete;

  // Empty if the data are damaged or give another number of bytes.
  bool run(std::string_view packed, uint64_t size, std::string& out) {
    constexpr size_t kMaxFeed = 1 << 30;
    std::array<Bytef, 1 << 16> block;
    while (true) {
      if (stream_.avail_in == 0) {
        const size_t count = std::min(packed.size(), kMaxFeed);
        // zlib does not write to its input; the member is not const for the sake of old C.
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
        stream_.avail_in = static_cast<uInt>(count);
        packed.remove_prefix(count);
      }
      stream_.next_out = block.data();
      stream_.avail_out = static_cast<uInt>(block.size());
      const int status = inflate(&stream_, Z_NO_FLUSH);
      const size_t produced = block.size() - stream_.avail_out;
      if (produced > size - out.size()) return false;
      out.append(reinterpret_cast<const char*>(block.data()), produced);
      if (status == Z_STREAM_END)
        return stream_.avail_in == 0 && packed.empty() && out.size() == size;
      const bool starved = stream_.avail_in == 0 && packed.empty() && produced < block.size();
      if (status != Z_OK || starved) return false;
    }
  }

 private:
  z_stream stream_{};
};

uint32_t crc_of(std::string_view bytes) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

bool is_zip(const ByteSource& source) {
  if (source.size() < 4) return false;
  const uint32_t begin = little_endian_32(source.read(0, 4), 0);
  return begin == kLocalHeader || begin == kEnd;
}

ZipArchive::ZipArchive(ByteSource source, const ArchiveLimits& limits)
    : source_(std::move(source)) {
  const Directory directory = find_directory(source_);
  check_member_count(kReadZip, source_.name(), directory.count, limits);
  const std::string bytes = source_.read(directory.before + directory.begin, directory.size);
  std::string_view rest = bytes;
  uint64_t unpacked = 0;
  for (uint64_t i = 0; i < directory.count; ++i) {
    auto [member, size] = read_entry(source_, rest);
    rest.remove_prefix(size);
    if (__builtin_add_overflow(member.header, directory.before, &member.header) ||
        __builtin_add_overflow(unpacked, member.unpacked, &unpacked))
      fail_member(source_, member.name, "its size overflows");
    if (!by_name_.emplace(member.name, members_.size()).second)
      fail_member(source_, member.name, "it is there twice");
    members_.push_back(std::move(member));
  }
  if (!rest.empty()) fail_zip(source_, fmt::format("has more than {} members", directory.count));
  check_unpacked(kReadZip, source_.name(), unpacked, source_.size(), limits);
  find_ends(source_, directory, members_);
}

const ZipMember* ZipArchive::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &members_[found->second];
}

std::string ZipArchive::read(const ZipMember& m) const {
  const std::string header = source_.read(m.header, kLocalSize);
  if (little_endian_32(header, 0) != kLocalHeader)
    fail_member(source_, m.name, fmt::format("no header stands at {}", m.header));
  if ((m.flags & kEncrypted) != 0) fail_member(source_, m.name, "it is encrypted");
  if (m.method != kStored && m.method != kDeflated)
    fail_member(source_, m.name,
                fmt::format("its compression {} is neither none (0) nor deflate (8)", m.method));
  const uint64_t begin =
      m.header + kLocalSize + little_endian_16(header, 26) + little_endian_16(header, 28);
  if (begin > m.end || m.packed > m.end - begin)
    fail_member(
        source_, m.name,
        fmt::format("its {} bytes at {} overlap what begins at {}", m.packed, begin, m.end));
  if (m.method == kStored && m.packed != m.unpacked)
    fail_member(source_, m.name,
                fmt::format("it is stored in {} bytes, but has {}", m.packed, m.unpacked));
  std::string bytes = source_.read(begin, m.packed);
  if (m.method == kDeflated) {
    std::string unpacked;
    if (!RawInflater().run(bytes, m.unpacked, unpacked))
      fail_member(source_, m.name, fmt::format("its data do not unpack to {} bytes", m.unpacked));
    bytes = std::move(unpacked);
  }
  if (const uint32_t crc = crc_of(bytes); crc != m.crc)
    fail_member(source_, m.name,
                fmt::format("its checksum is {:08x}, expected {:08x}", crc, m.crc));
  return bytes;
}

}  // namespace tg::nn
