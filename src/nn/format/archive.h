// What the readers of archives share: how much one may unpack to, and which names of members are
// harmless as paths. The archives themselves: zip.h, tar.h.
#pragma once

#include <cstdint>
#include <string_view>

#include "tg/files.h"

namespace tg::nn {

/// FileError unless an archive of `packed` bytes may unpack to `unpacked` ones.
void check_unpacked(std::string_view function, std::string_view archive, uint64_t unpacked,
                    uint64_t packed, const ArchiveLimits& limits);
/// FileError for more members than allowed.
void check_member_count(std::string_view function, std::string_view archive, uint64_t count,
                        const ArchiveLimits& limits);

/// Whether a member's name, taken as a path, stays below the folder that it is unpacked to on every
/// system: relative, without "..", drives, backslashes and bytes below a space, and UTF-8.
bool is_harmless_path(std::string_view name);

}  // namespace tg::nn
