// gzip files (RFC 1952) unpacked in memory by zlib. Input is hostile: a damaged stream, a wrong
// checksum and a stream that grows beyond the caller's limit are errors with file, byte and reason.
// Writing gzip is no business of the library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tg::nn {

/// True if the bytes begin as a gzip stream does.
bool is_gzip(std::string_view bytes);

/// The unpacked bytes of one or more gzip members. `name` stands for the input in messages. Throws
/// FileError if the bytes are no gzip stream, are truncated or corrupt, fail their checksum, are
/// followed by anything else, or unpack to more than `max_bytes`; memory never exceeds that limit
/// by more than a block.
std::string gunzip(std::string_view bytes, std::string_view name, uint64_t max_bytes);

}  // namespace tg::nn
