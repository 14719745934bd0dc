// Files that a program writes at its end: whether that can work is asked at its beginning.
#pragma once

#include <filesystem>

namespace examples {

/// Throws std::runtime_error if the folder of `file` does not exist. No file at all is fine.
void require_folder_of(const std::filesystem::path& file);

}  // namespace examples
