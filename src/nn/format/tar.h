// Tar archives: the old form, ustar, and the long names and sizes of GNU's and POSIX's extensions.
// Only files count; folders, links and devices are passed over. Input is hostile: headers have to
// fit their checksums and files into the archive. Writing tar is no business of the library.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nn/format/archive.h"
#include "support/file.h"

namespace tg::nn {

/// A file in an archive.
struct TarMember {
  std::string name;
  uint64_t begin = 0;  ///< where its bytes lie
  uint64_t size = 0;
};

/// The files of an archive in their order. Of equal names the last counts, as when they are
/// unpacked. Throws FileError naming file, place and the broken rule.
std::vector<TarMember> read_tar(const ByteSource& source, const ArchiveLimits& limits = {});

/// Whether the bytes begin with the header of a member.
bool is_tar(const ByteSource& source);

/// The archive inside a file: itself, or what its gzip stream unpacks to within the limits, in
/// memory. Throws FileError, also for the other compressions that tar knows.
ByteSource unpacked_tar(ByteSource source, const ArchiveLimits& limits = {});

}  // namespace tg::nn
