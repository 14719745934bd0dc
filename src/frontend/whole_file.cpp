// See whole_file.h.
#include "frontend/whole_file.h"

#include <fmt/format.h>

#include <fstream>

#include "support/check.h"

namespace tg {

std::string whole_file(std::string_view fn, const std::filesystem::path& file, uint64_t most,
                       std::string_view hint) {
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(file, error);
  if (error) user_error<FileError>(fn, fmt::format("\"{}\": {}", file.string(), error.message()));
  if (size > most) {
    user_error<FileError>(
        fn, fmt::format("\"{}\" has {} bytes, of at most {}", file.string(), size, most), hint);
  }
  std::string bytes(static_cast<size_t>(size), '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(bytes.data(), static_cast<std::streamsize>(size));
  if (!stream) user_error<FileError>(fn, fmt::format("\"{}\" cannot be read", file.string()));
  return bytes;
}

}  // namespace tg
