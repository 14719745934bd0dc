// The writer of zip archives: members stored one after another, then the
// directory. Numbers that need 64 bits stand in the extra fields for them.
#include <zlib.h>

#include <algorithm>
#include <optional>
#include <set>

#include "nn/format/little_endian.h"
#include "nn/format/zip.h"
#include "support/check.h"

namespace tg::nn {
namespace {

constexpr uint64_t kMost32 = 0xfffffffe;
constexpr uint16_t kVersion = 45, kUtf8Name = 1 << 11;
constexpr uint64_t kFirstDay = 0x00210000;  // 1 January 1980, midnight: no clock in the bytes

// The extra field of a member whose size or place needs 64 bits.
std::string wide_numbers(uint64_t size, std::optional<uint64_t> place) {
  if (size <= kMost32 && (!place || *place <= kMost32)) return {};
  std::string extra;
  append_little_endian(extra, 1, 2);
  append_little_endian(extra, place ? 24 : 16, 2);
  append_little_endian(extra, size, 8);
  append_little_endian(extra, size, 8);
  if (place) append_little_endian(extra, *place, 8);
  return extra;
}

// What the header of a member and its entry in the directory have in common.
void append_facts(std::string& out, const ZipContent& m, uint32_t crc, bool wide, size_t extra) {
  const uint64_t size = wide ? 0xffffffff : m.bytes.size();
  append_little_endian(out, kVersion, 2);
  append_little_endian(out, kUtf8Name, 2);
  append_little_endian(out, 0, 2);  // stored
  append_little_endian(out, kFirstDay, 4);
  append_little_endian(out, crc, 4);
  append_little_endian(out, size, 4);
  append_little_endian(out, size, 4);
  append_little_endian(out, m.name.size(), 2);
  append_little_endian(out, extra, 2);
}

void append_member(std::string& file, const ZipContent& m, uint32_t crc) {
  const std::string extra = wide_numbers(m.bytes.size(), std::nullopt);
  append_little_endian(file, 0x04034b50, 4);
  append_facts(file, m, crc, !extra.empty(), extra.size());
  file += m.name;
  file += extra;
  file += m.bytes;
}

void append_entry(std::string& directory, const ZipContent& m, uint32_t crc, uint64_t place) {
  const std::string extra = wide_numbers(m.bytes.size(), place);
  append_little_endian(directory, 0x02014b50, 4);
  append_little_endian(directory, kVersion, 2);
  append_facts(directory, m, crc, !extra.empty(), extra.size());
  directory.append(2 + 2 + 2 + 4, '\0');  // no comment, the first disk, no attributes
  append_little_endian(directory, extra.empty() ? place : 0xffffffff, 4);
  directory += m.name;
  directory += extra;
}

void append_end(std::string& file, uint64_t begin, uint64_t size, uint64_t count) {
  if (begin > kMost32 || size > kMost32 || count >= 0xffff) {
    const uint64_t place = file.size();
    append_little_endian(file, 0x06064b50, 4);
    append_little_endian(file, 44, 8);
    append_little_endian(file, kVersion, 2);
    append_little_endian(file, kVersion, 2);
    append_little_endian(file, 0, 8);
    for (const uint64_t number : {count, count, size, begin}) append_little_endian(file, number, 8);
    append_little_endian(file, 0x07064b50, 4);
    append_little_endian(file, 0, 4);
    append_little_endian(file, place, 8);
    append_little_endian(file, 1, 4);
  }
  append_little_endian(file, 0x06054b50, 4);
  append_little_endian(file, 0, 4);
  for (int i = 0; i < 2; ++i) append_little_endian(file, std::min<uint64_t>(count, 0xffff), 2);
  append_little_endian(file, std::min<uint64_t>(size, 0xffffffff), 4);
  append_little_endian(file, std::min<uint64_t>(begin, 0xffffffff), 4);
  append_little_endian(file, 0, 2);
}

}  // namespace

std::string zip_bytes(const std::vector<ZipContent>& members) {
  std::set<std::string_view> names;
  std::string file, directory;
  for (const ZipContent& m : members) {
    if (!is_harmless_path(m.name) || m.name.size() > 0xffff)
      user_error<ArgumentError>("write_zip", fmt::format("\"{}\" is no name of a member", m.name));
    if (!names.insert(m.name).second)
      user_error<ArgumentError>("write_zip", fmt::format("\"{}\" is given twice", m.name));
    const auto crc = static_cast<uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(m.bytes.data()), m.bytes.size()));
    append_entry(directory, m, crc, file.size());
    append_member(file, m, crc);
  }
  const uint64_t begin = file.size();
  file += directory;
  append_end(file, begin, directory.size(), members.size());
  return file;
}

}  // namespace tg::nn
