// SHA-256 (FIPS 180-4), to check what was downloaded and to tell the random streams of devices
// apart. Hashes for tables and caches are in support/hash.h, and are faster.
#pragma once

#include <string>
#include <string_view>

namespace tg {

/// The digest as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace tg
