// Zip archives (PKWARE's APPNOTE), stored or deflated, with the extension for more than 4 GiB: what
// PyTorch and NumPy keep arrays in. Input is hostile: members that overlap, lie about their sizes
// or fail their checksums are refused, and nothing is allocated from a number in the file. Neither
// encryption nor other compressions are read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "nn/format/archive.h"
#include "support/file.h"

namespace tg::nn {

/// What the directory says of a member.
struct ZipMember {
  std::string name;
  uint64_t packed = 0;    ///< bytes in the archive
  uint64_t unpacked = 0;  ///< bytes of the content
  uint64_t header = 0;    ///< where its header stands
  uint64_t end = 0;       ///< where the next member, or the directory, begins
  uint32_t crc = 0;
  uint16_t method = 0;
  uint16_t flags = 0;

  bool is_folder() const { return !name.empty() && name.back() == '/'; }
};

/// An archive whose members are read when they are asked for.
class ZipArchive {
 public:
  /// Reads the directory. Throws FileError naming file, member and the broken rule.
  explicit ZipArchive(ByteSource source, const ArchiveLimits& limits = {});

  /// In the order of the directory.
  const std::vector<ZipMember>& members() const { return members_; }
  /// The member of that name or nullptr.
  const ZipMember* find(std::string_view name) const;
  /// Its content. Throws FileError if it is damaged.
  std::string read(const ZipMember& member) const;
  const ByteSource& source() const { return source_; }

 private:
  ByteSource source_;
  std::vector<ZipMember> members_;
  std::map<std::string, size_t, std::less<>> by_name_;
};

/// Whether the bytes begin as an archive does.
bool is_zip(const ByteSource& source);

/// A member to write.
struct ZipContent {
  std::string name;
  std::string_view bytes;
};
/// The bytes of an archive whose members are stored, not compressed; equal input gives equal bytes.
/// Throws ArgumentError for a name that is_harmless_path does not allow, or that is there twice.
std::string zip_bytes(const std::vector<ZipContent>& members);

}  // namespace tg::nn
