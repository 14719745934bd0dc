// A file as bytes, for the readers of this folder. The core library has such a function for itself;
// tinygrad::models uses nothing of it but what it exports.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace tg {

/// The bytes of `file`. FileError, in the name of `fn`, if it cannot be read or has more than
/// `most` bytes; `hint` is for these.
std::string whole_file(std::string_view fn, const std::filesystem::path& file, uint64_t most,
                       std::string_view hint = {});

}  // namespace tg
